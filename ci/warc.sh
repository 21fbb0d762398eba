#!/usr/bin/env bash
# Web archives: a whole job on files that warcio wrote, and warcio's word on what it left.
set -eu
work=$PWD/target/warc
. ci/venv.bash
venv "$work" warcio brotli

rm -rf "$work/in" "$work/out" "$work/newest"
"$work/bin/python" tests/warc/make.py "$work/in"
. ci/everything.bash
build_programs
lookalike() { target/debug/lookalike "$@"; }
lookalike dedup "$work/in" --out "$work/out"
"$work/bin/python" tests/warc/check.py "$work/in" "$work/out"

# Every other command reads them as well.
gone=$("$work/bin/python" -c 'import json, sys; print(json.load(open(sys.argv[1]))["removed"][0])' "$work/expected.json")
lookalike why "$work/out" "$gone"
lookalike decide "$work/out" --threshold 0.99 --keep newest:warc-date --out "$work/newest"
lookalike sketch "$work/in" -o "$work/in.signatures" --force
lookalike against "$work/in/text.warc.wet.gz" --input "$work/in/crawl.warc" || [ $? -eq 1 ]
