#!/usr/bin/env bash
# The benchmarks check their own answers: all of them on small inputs. ci/scale.sh has the large ones.
set -eu
. ci/everything.bash
build_programs
target=${CARGO_TARGET_DIR:-$PWD/target}/debug
"$target/lookalike-benchmarks" --test
"$target/lookalike-benchmarks" load "$target/lookalike" --clients 8 --seconds 1 --sustained 10 --slow 100
