#!/usr/bin/env bash
# What a job acknowledges survives a power cut: the order of its writes, syncs and renames, under strace.
set -eu
. ci/everything.bash
. ci/need.bash
need strace strace
build_programs
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
for recipe in text sites; do
  python3 ci/durable.py --says manifest.json --below "$scratch" -- \
    target/debug/lookalike dedup examples/corpus --recipe "$recipe" --out "$scratch/$recipe" --temp "$scratch/temp"
done
