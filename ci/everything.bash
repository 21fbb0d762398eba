# For checks to read in: what they build, the same for all, so that one build serves them. With object
# stores, which a plain build has not.
everything=(--workspace --features lookalike-cli/object-stores,lookalike-corpus/object-stores)

# The programs of it, of which checks run some.
build_programs() {
  cargo build --quiet "${everything[@]}" --bins
}
