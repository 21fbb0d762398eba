#!/usr/bin/env bash
# The compiler's rustdoc with its unstable options, for ci/docs.sh. Here and not in the environment of
# cargo: build scripts look at that variable, and half of what is built would be built again.
RUSTC_BOOTSTRAP=1 exec rustdoc "$@"
