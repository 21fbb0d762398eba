#!/usr/bin/env bash
# Web archives: a whole job on files that warcio wrote, and warcio's word on what it left.
set -eu
work=$PWD/target/warc
. ci/environment.bash
environment warc

rm -rf "$work/in" "$work/out" "$work/newest"
"$python" tests/warc/make.py "$work/in"
. ci/everything.bash
build_programs
lookalike() { target/debug/lookalike "$@"; }
lookalike dedup "$work/in" --out "$work/out"
"$python" tests/warc/check.py "$work/in" "$work/out"

# Every other command reads them as well.
gone=$("$python" -c 'import json, sys; print(json.load(open(sys.argv[1]))["removed"][0])' "$work/expected.json")
lookalike why "$work/out" "$gone"
lookalike decide "$work/out" --threshold 0.99 --keep newest:warc-date --out "$work/newest"
lookalike sketch "$work/in" -o "$work/in.signatures" --force
lookalike against "$work/in/text.warc.wet.gz" --input "$work/in/crawl.warc" || [ $? -eq 1 ]
