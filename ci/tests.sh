#!/usr/bin/env bash
# Every test, on the fastest kernel of this machine, with object stores. What a build without them says,
# the tests of the Python package see, which has none.
set -eu
. ci/everything.bash
# First, since other checks wait for it.
cargo test --quiet "${everything[@]}" --no-run
. ci/object_store_server.bash
cargo test "${everything[@]}" --no-fail-fast
