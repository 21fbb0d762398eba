#!/usr/bin/env bash
# Ten million documents in 512 MiB, and the index beside the tools it is compared with, as people build it:
# what is built for tests is hardly optimized.
set -eu
. ci/need.bash
need redis-server redis-server
. ci/environment.bash
cargo build --quiet --release -p lookalike-benchmarks
environment peers
target=${CARGO_TARGET_DIR:-$PWD/target}/release
"$python" benchmarks/peers/index.py --ours "$target/lookalike-benchmarks" --documents 20000 --peer-documents 20000
"$target/lookalike-benchmarks" scale --documents 10000000 --memory 512MiB
