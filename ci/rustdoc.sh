#!/usr/bin/env bash
# Documentation where tests in it are asked for; for ci/docs.sh. `cargo test --doc` calls this with what is
# compiled for the tests anyway, where `cargo doc` would have every dependency checked for itself.
options=()
while [ $# -gt 0 ]; do
  case $1 in
    --test) ;;
    --test-run-directory | --test-runtool | --test-args) shift ;;
    --test-* | --no-run) ;;
    *) options+=("$1") ;;
  esac
  shift
done
# Here and not in the environment of cargo: build scripts look at that variable, and half of what is built
# would be built again.
RUSTC_BOOTSTRAP=1 exec rustdoc "${options[@]}"
