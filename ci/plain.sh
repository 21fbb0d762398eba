#!/usr/bin/env bash
# A plain build, without object stores: no warning of the compiler or clippy there either, nor in the
# documentation of programs.
set -eu
cargo clippy -p lookalike-corpus --all-targets -- -D warnings
RUSTDOCFLAGS='-D warnings' cargo doc --workspace --no-deps
