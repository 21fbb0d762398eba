#!/usr/bin/env bash
# No warning from the compiler or clippy, in code, tests and benchmarks, with object stores; ci/plain.sh
# looks without.
set -eu
. ci/everything.bash
cargo clippy "${everything[@]}" --all-targets -- -D warnings
