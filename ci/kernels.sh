#!/usr/bin/env bash
# The same bits on every kernel: the tests of signing again, with each kernel forced but the fastest, which
# ci/tests.sh takes. A kernel that this machine lacks is named, never passed over silently.
set -eu
. ci/everything.bash
build_programs
fastest=$(target/debug/lookalike info | sed -n 's/^kernel *\([^,]*\).*/\1/p')
for kernel in scalar avx2 avx512; do
  if [ "$kernel" = "$fastest" ]; then
    echo "--- $kernel: the fastest here, which all tests take"
  elif message=$(LOOKALIKE_KERNEL=$kernel target/debug/lookalike info 2>&1 >/dev/null); then
    echo "--- $kernel"
    LOOKALIKE_KERNEL=$kernel cargo test --quiet "${everything[@]}" --test it -- signer:: papers:: golden::
  else
    echo "--- $kernel: not on this machine: $message"
  fi
done
