#!/usr/bin/env bash
# What an index says is done survives a loss of power: the system calls of `lookalike index`, played again
# on a disk that loses what was not synced.
set -eu
. ci/need.bash
need strace strace
need python3 python3
. ci/everything.bash
build_programs
python3 ci/synced.py "${CARGO_TARGET_DIR:-target}/debug/lookalike"
