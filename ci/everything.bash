# For checks to read in: what they build, the same for all, so that one build serves them. With object
# stores, which a plain build has not, and with the types that ci/stubs.sh reads from the Python module.
features=lookalike-cli/object-stores,lookalike-corpus/object-stores,lookalike-python/stubs
features+=,lookalike/default,lookalike/serde,lookalike/object-stores,lookalike/filter-plots
everything=(--workspace --no-default-features --features "$features")
# Clippy compiles our crates in place of the compiler that it is made of, as `cargo clippy` has it only
# check them: what is run is what was looked at, and no dependency is read twice. Warnings are errors.
RUSTC_WORKSPACE_WRAPPER=$(rustc --print sysroot)/bin/clippy-driver
CLIPPY_ARGS=$(printf '%s__CLIPPY_HACKERY__' -D warnings) # as `cargo clippy -- -D warnings` hands them on
export RUSTC_WORKSPACE_WRAPPER CLIPPY_ARGS
# Whatever Python is here, or none.
export PYO3_NO_PYTHON=1

# The programs of it, of which checks run some, and the Python module.
build_programs() {
  cargo build --quiet "${everything[@]}" --bins --lib
}
