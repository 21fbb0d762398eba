#!/usr/bin/env bash
# Every test, on the fastest kernel of this machine.
set -eu
cargo test --workspace
