#!/usr/bin/env bash
# No warning from the compiler or clippy, in code, tests and benchmarks, with object stores and without.
set -eu
. ci/everything.bash
cargo clippy "${everything[@]}" --all-targets -- -D warnings
cargo clippy -p lookalike-corpus --all-targets -- -D warnings
