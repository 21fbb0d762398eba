#!/usr/bin/env bash
# No warning from the compiler or clippy, in code, tests and benchmarks.
set -eu
cargo clippy --workspace --all-targets -- -D warnings
