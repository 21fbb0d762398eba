#!/usr/bin/env bash
# Other architectures: the kernels as they are built where there is no x86-64, tested here.
# A copy of the crate that takes this machine for another one; nothing else is changed.
set -eu
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
cp -r Cargo.toml Cargo.lock rustfmt.toml clippy.toml crates benchmarks python tests "$copy"
grep -rl 'target_arch = "x86_64"' "$copy/crates" |
  xargs sed -i 's/target_arch = "x86_64"/target_arch = "riscv64"/'
CARGO_TARGET_DIR=$PWD/target/portable RUSTFLAGS='-D warnings' \
  cargo test --manifest-path "$copy/Cargo.toml" --quiet -p lookalike-kernels
CARGO_TARGET_DIR=$PWD/target/portable RUSTFLAGS='-D warnings' \
  cargo test --manifest-path "$copy/Cargo.toml" --quiet -p lookalike-core --test golden
