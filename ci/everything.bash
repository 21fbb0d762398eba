# For checks to read in: what they build, the same for all, so that one build serves them. With object
# stores, which a plain build has not, and with the types that ci/stubs.sh reads from the Python module.
features=lookalike-cli/object-stores,lookalike-corpus/object-stores,lookalike-python/stubs
features+=,lookalike/default,lookalike/serde,lookalike/object-stores,lookalike/filter-plots
everything=(--workspace --no-default-features --features "$features")
# Whatever Python is here, or none.
export PYO3_NO_PYTHON=1

# The programs of it, of which checks run some, and the Python module.
build_programs() {
  cargo build --quiet "${everything[@]}" --bins --lib
}
