#!/usr/bin/env bash
# The benchmarks check their own answers: all of them on small inputs, and ten million documents in
# 512 MiB.
set -eu
. ci/everything.bash
cargo build --quiet "${everything[@]}"
target/debug/lookalike-benchmarks --test
target/debug/lookalike-benchmarks scale --documents 10000000 --memory 512MiB
