#!/usr/bin/env bash
# Ten million documents in 512 MiB, and the index beside the tools it is compared with.
set -eu
. ci/need.bash
need redis-server redis-server
. ci/everything.bash
. ci/environment.bash
build_programs
environment peers
target=${CARGO_TARGET_DIR:-$PWD/target}/debug
"$python" benchmarks/peers/index.py --ours "$target/lookalike-benchmarks" --documents 20000 --peer-documents 20000
"$target/lookalike-benchmarks" scale --documents 10000000 --memory 512MiB
