#!/usr/bin/env bash
# Other architectures: the kernels as they are built where there is no x86-64, tested here. And other
# people's programs: one that only signs compiles neither Arrow nor a store, nor any C.
# `ci/portable.sh golden`: the bits that such kernels make of documents; ci/golden.sh.
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
# A few known answers do not pay for a good compilation.
sed -i 's/^\[profile.dev.package.lookalike-engine\]$/[profile.dev.package.lookalike-core]\nopt-level = 0\n&/' "$copy/Cargo.toml"
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$PWD/target}
if [ "${1:-}" = golden ]; then
  cargo test --manifest-path "$copy/Cargo.toml" --quiet -p lookalike-core --test it -- golden::
  exit
fi
cargo test --manifest-path "$copy/Cargo.toml" --quiet -p lookalike-kernels

# The first two examples of the library's documentation, as a program of somebody else.
outside=$copy/crates/outside
mkdir -p "$outside/src"
cat >"$outside/Cargo.toml" <<'END'
[package]
name = "outside"
edition = "2024"

[features]
index = ["lookalike/index"]

[dependencies]
lookalike = { path = "../lookalike", default-features = false }
END
{
  echo 'fn main() -> lookalike::Result<()> {'
  awk '/^\/\/! ```/ { inside = !inside; print inside ? "{" : "}"; next }
       inside && !/Ok::</ { sub(/^\/\/! ?/, ""); print }' "$copy/crates/lookalike/src/lib.rs"
  echo 'Ok(()) }'
} >"$outside/src/main.rs"
[ "$(grep -c '^use lookalike::' "$outside/src/main.rs")" -eq 2 ]
without() { # PATTERN ARGUMENTS...: no dependency is named so
  local pattern=$1 found
  shift
  found=$(cargo tree --quiet --manifest-path "$copy/Cargo.toml" -p outside -e normal,build --prefix none "$@")
  grep -q '^lookalike-core ' <<<"$found"
  if grep -E "^($pattern)" <<<"$found"; then
    echo "portable: a program that needs none of these would compile them" >&2
    return 1
  fi
}
without 'arrow|parquet|fjall|zstd|liblzma|bzip2|ring |cc |cmake |bindgen '
without 'arrow|parquet|liblzma|lookalike-engine ' --features index
cargo run --manifest-path "$copy/Cargo.toml" --quiet -p outside
