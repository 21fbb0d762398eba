#!/usr/bin/env bash
# No warning from the compiler or clippy, in code, tests and benchmarks. Of the code without object stores
# the compiler warns when the wheel is built.
set -eu
. ci/everything.bash
cargo clippy "${everything[@]}" --all-targets -- -D warnings
