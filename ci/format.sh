#!/usr/bin/env bash
# The code is formatted.
set -eu
cargo fmt --all --check
