# For checks to read in: the wheel of the Python package, one for all of them. Needs ci/venv.bash.

# wheel: builds it if it is missing or older than its sources; $wheel is its path.
wheel() {
  local out=${CARGO_TARGET_DIR:-$PWD/target}/python
  local sources=(Cargo.toml Cargo.lock crates python/Cargo.toml python/pyproject.toml python/src python/lookalike)
  wheel=$(find "$out/wheels" -name '*.whl' 2>/dev/null || true)
  if [ -z "$wheel" ] || [ -n "$(find "${sources[@]}" -newer "$wheel" -print -quit)" ]; then
    venv "$out/tools" maturin
    rm -rf "$out/wheels"
    # Without symbols: they would be most of the wheel.
    "$out/tools/bin/maturin" build --quiet --manifest-path python/Cargo.toml --profile wheel --strip \
      --out "$out/wheels"
    wheel=$(find "$out/wheels" -name '*.whl')
  fi
}
