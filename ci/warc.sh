#!/usr/bin/env bash
# Web archives: a whole job on files that warcio wrote, and warcio's word on what it left.
set -eu
work=$PWD/target/warc
. ci/environment.bash
environment warc

rm -rf "$work/in" "$work/out" "$work/newest" "$work/revisits"
"$python" tests/warc/make.py "$work/in"
. ci/everything.bash
build_programs
lookalike() { target/debug/lookalike "$@"; }
lookalike dedup "$work/in" --out "$work/out"
"$python" tests/warc/check.py "$work/in" "$work/out"

# What went leaves records that name what stands for them.
lookalike dedup "$work/in" --out "$work/revisits" --write-revisits
"$python" tests/warc/revisits.py "$work/in" "$work/revisits"
"$python" tests/warc/replay.py "$work/in" "$work/revisits" "$work/replay" >"$work/replay.log" 2>"$work/replay.err" ||
  { cat "$work/replay.log" "$work/replay.err"; exit 1; }
tail -n 1 "$work/replay.log"

# Every other command reads them as well.
gone=$("$python" -c 'import json, sys; print(json.load(open(sys.argv[1]))["removed"][0])' "$work/expected.json")
lookalike why "$work/out" "$gone"
lookalike decide "$work/out" --threshold 0.99 --keep newest:warc-date --out "$work/newest"
lookalike sketch "$work/in" -o "$work/in.signatures" --force
lookalike against "$work/in/text.warc.wet.gz" --input "$work/in/crawl.warc" || [ $? -eq 1 ]
