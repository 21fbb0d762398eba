#!/usr/bin/env bash
# The documentation builds without warnings, and every relative link leads somewhere.
# (What the README shows is run by the tests of the command line.)
set -eu
. ci/everything.bash
RUSTDOCFLAGS='-D warnings' cargo doc --quiet "${everything[@]}" --no-deps
dead=0
while IFS= read -r file; do
  folder=$(dirname "$file")
  while IFS= read -r link; do
    [ -e "$folder/${link%%#*}" ] || { echo "$file: dead link $link"; dead=1; }
  done < <(grep -oP '\]\(\K(?!https?:|#|mailto:)[^)]+' "$file" || true)
done < <(git ls-files '*.md')
[ "$dead" -eq 0 ]
