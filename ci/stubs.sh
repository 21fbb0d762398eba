#!/usr/bin/env bash
# The types of the Python package's native part, as the code has them: writes python/lookalike/_native.pyi,
# or with --check says whether it is there already.
set -eu
. ci/everything.bash
build_programs
target=${CARGO_TARGET_DIR:-$PWD/target}
tools=$target/tools
# It reads what PyO3 of the same version writes.
version=$(cargo pkgid pyo3)
version=${version##*@}
cargo install --quiet --locked --debug --root "$tools" "pyo3-introspection@$version"

made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
"$tools/bin/pyo3-introspection" "$target/debug/lib_native.so" _native "$made"
{
  echo '# Made from python/src by ci/stubs.sh; change it there.'
  # Types that the code gives as text are not among what it imports.
  sed '0,/^from /s//import collections.abc\nimport os\nimport pyarrow\nimport typing\nfrom /' "$made/__init__.pyi"
  # The module says what it exports, and the maker of stubs does not.
  names=$(sed -nE 's/^(class |def )?([A-Za-z_]+)[:(].*/"\2"/p' "$made/__init__.pyi" | paste -sd, | sed 's/,/, /g')
  printf '\n__all__ = [%s]\n' "$names"
} >"$made/_native.pyi"
if [ "${1:-}" = --check ]; then
  diff -u python/lookalike/_native.pyi "$made/_native.pyi" || {
    echo 'python/lookalike/_native.pyi is not what the code has; run: bash ci/stubs.sh' >&2
    exit 1
  }
else
  cp "$made/_native.pyi" python/lookalike/_native.pyi
fi
