#!/usr/bin/env bash
# The documentation has no warnings, every relative link leads somewhere, its tables of judged pairs are what the
# pairs say, and the public surface of the library is the one that was agreed on.
# (What the README shows is run by the tests of the command line.)
set -eu
. ci/everything.bash
. ci/need.bash
need python3 python3
target=${CARGO_TARGET_DIR:-target}
RUSTDOC=$PWD/ci/rustdoc.sh cargo test --quiet "${everything[@]}" --doc --config "build.rustdocflags = [
  '-Dwarnings', '-Zunstable-options', '--output-format=json', '--out-dir=$target/doc']"
python3 ci/public_api.py "$target/doc" crates/lookalike/public-api.txt
python3 benchmarks/judged.py --docs docs/accuracy.md
dead=0
while IFS= read -r file; do
  folder=$(dirname "$file")
  while IFS= read -r link; do
    [ -e "$folder/${link%%#*}" ] || { echo "$file: dead link $link"; dead=1; }
  done < <(grep -oP '\]\(\K(?!https?:|#|mailto:)[^)]+' "$file" || true)
done < <(git ls-files '*.md')
[ "$dead" -eq 0 ]
