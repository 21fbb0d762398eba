#!/usr/bin/env bash
# Every fuzz target for half a minute, at once, from fuzz/seeds and the pages of the tests on; their seeds
# are replayed by crates/fuzz in every test. `bash ci/fuzz.sh 600` takes longer.
set -eu
seconds=${1:-30}
tools=$PWD/target/tools
export PATH=$tools/bin:$PATH
command -v cargo-fuzz >/dev/null || cargo install --quiet --locked --debug --root "$tools" cargo-fuzz

# Coverage for the fuzzer takes flags of the compiler that are not stable yet. No sanitizer: there
# is no unsafe code behind these targets but the kernels', whose own tests compare all of them.
export RUSTC_BOOTSTRAP=1
cargo fuzz build --fuzz-dir fuzz --sanitizer none
started=()
for path in fuzz/fuzz_targets/*.rs; do
  target=$(basename "$path" .rs)
  seeds=()
  for folder in "fuzz/seeds/$target" "crates/core/tests/it/${target}_pages"; do
    [ ! -d "$folder" ] || seeds+=("$folder")
  done
  mkdir -p "fuzz/corpus/$target"
  cargo fuzz run --fuzz-dir fuzz --sanitizer none "$target" \
    "fuzz/corpus/$target" "${seeds[@]}" -- \
    -max_total_time="$seconds" -max_len=16384 -timeout=10 -rss_limit_mb=1024 -verbosity=0 -print_final_stats=1 &
  started+=($!)
done
for one in "${started[@]}"; do
  wait "$one"
done
