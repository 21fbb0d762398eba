#!/usr/bin/env bash
# Every test, on the fastest kernel of this machine; then what a build without object stores says.
set -eu
. ci/everything.bash
. ci/object_store_server.bash
cargo test "${everything[@]}"
cargo test --quiet -p lookalike-corpus --test inputs
