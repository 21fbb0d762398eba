#!/usr/bin/env bash
# No warning from the compiler or clippy, which compiles all that is tested (ci/everything.bash), with
# object stores; ci/plain.sh looks without. No circle between the files of a crate, no crate that depends
# on one above it, and no library that reads the environment.
set -eu
. ci/everything.bash
. ci/need.bash
need python3 python3
python3 ci/modules.py
# The environment is read by the command and by the Python package, each in one file, and by no library.
if grep -rnE 'env::vars?(_os)?\(' crates/*/src python/src | grep -vE '^(crates/cli|python)/src/env\.rs:'; then
  echo "lint: a library reads the environment; whoever calls it should say what it wants" >&2
  exit 1
fi
cargo test --quiet "${everything[@]}" --no-run
build_programs # the Python module has no tests of its own here
