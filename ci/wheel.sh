#!/usr/bin/env bash
# The wheel as maturin makes it: installed into a fresh environment, it passes the tests there.
set -eu
. ci/everything.bash
. ci/environment.bash
build_programs
target=${CARGO_TARGET_DIR:-$PWD/target}
environment maturin
rm -rf "$target/wheels"
# Without symbols: they would be most of the wheel.
env -u PYO3_NO_PYTHON "$environment/bin/maturin" build --quiet --manifest-path python/Cargo.toml --profile wheel --strip \
  --out "$target/wheels"

environment python
fresh=$target/environments/fresh
rm -rf "$fresh"
cp -r "$environment" "$fresh"
rm -rf "$fresh"/lib/python*/site-packages/lookalike
python=$fresh/bin/python
"$python" -m pip install --quiet --disable-pip-version-check "$target"/wheels/*.whl
repository=$PWD
cd "$fresh"
LOOKALIKE_COMMAND=$target/debug/lookalike \
  "$python" -m pytest -q -p no:cacheprovider --rootdir "$repository/python" \
  --ignore-glob "$repository/python/tests/test_spark*" "$repository/python/tests"
