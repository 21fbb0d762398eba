#!/usr/bin/env bash
# The benchmarks check their own answers: all of them on small inputs, beside the tools they are
# compared with, and ten million documents in 512 MiB.
set -eu
. ci/need.bash
need redis-server redis-server
. ci/venv.bash
venv target/peers-venv -r benchmarks/peers/requirements.txt
. ci/everything.bash
build_programs
target/debug/lookalike-benchmarks --test
target/debug/lookalike-benchmarks load target/debug/lookalike --clients 8 --seconds 1 --sustained 10 --slow 100
target/peers-venv/bin/python benchmarks/peers/index.py --ours target/debug/lookalike-benchmarks \
  --documents 20000 --peer-documents 20000
target/debug/lookalike-benchmarks scale --documents 10000000 --memory 512MiB
