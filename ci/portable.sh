#!/usr/bin/env bash
# Other architectures: the kernels as they are built where there is no x86-64, tested here.
# A copy of the crates that takes this machine for another one; nothing else is changed.
set -eu
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
cp -r Cargo.toml Cargo.lock rustfmt.toml clippy.toml crates benchmarks python tests "$copy"
grep -rl 'target_arch = "x86_64"' "$copy/crates" |
  xargs sed -i 's/target_arch = "x86_64"/target_arch = "riscv64"/'
# Here and not by flags, with which all dependencies would be built again.
sed -i -E 's/^\[(workspace\.)?lints\.rust\]$/&\nwarnings = "deny"/' "$copy/Cargo.toml" "$copy/crates/kernels/Cargo.toml"
# Of another version, or it would take the place of the original in the folder of what is built.
sed -i -e '0,/^version = "\(.*\)"$/s//version = "\1-portable"/' -e 's/{ version = ".*", path = /{ path = /' "$copy/Cargo.toml"
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$PWD/target}
cargo test --manifest-path "$copy/Cargo.toml" --quiet -p lookalike-kernels
cargo test --manifest-path "$copy/Cargo.toml" --quiet -p lookalike-core --test it -- golden::
