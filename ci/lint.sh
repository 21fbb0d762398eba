#!/usr/bin/env bash
# No warning from the compiler or clippy, in code, tests and benchmarks, with object stores; ci/plain.sh
# looks without. No circle between the files of a crate, and no crate that depends on one above it.
set -eu
. ci/everything.bash
. ci/need.bash
need python3 python3
python3 ci/modules.py
cargo clippy "${everything[@]}" --all-targets -- -D warnings
