#!/usr/bin/env bash
# A plain build, without object stores: no warning of the compiler or clippy there either.
set -eu
cargo clippy -p lookalike-corpus --all-targets -- -D warnings
