#!/usr/bin/env bash
# The benchmarks check their own answers, on a small corpus.
set -eu
cargo run --quiet -p lookalike-benchmarks -- --test
