#!/usr/bin/env bash
# The Python package: its stubs are what the code gives; its wheel, installed into a fresh environment,
# passes the tests there, gives what the command gives, has the types that its stubs say, and the guide's
# examples print what it shows.
# Spark has a check of its own.
set -eu
. ci/everything.bash
. ci/venv.bash
. ci/wheel.bash
build_programs
target=${CARGO_TARGET_DIR:-$PWD/target}
out=$target/python
wheel
bash ci/stubs.sh --check
rm -rf "$out/fresh"
venv "$out/fresh" "$wheel" datasets mypy pandas polars pytest tqdm
python=$out/fresh/bin/python

# From elsewhere, so that it is the installed package which is tested.
repository=$PWD
cd "$out"
LOOKALIKE_COMMAND=$target/debug/lookalike \
  "$python" -m pytest -q -p no:cacheprovider --rootdir "$repository/python" \
  --ignore-glob "$repository/python/tests/test_spark*" "$repository/python/tests"
settings=$repository/python/pyproject.toml
"$python" -m mypy.stubtest --mypy-config-file "$settings" lookalike._native
"$python" -m mypy --config-file "$settings" -p lookalike
"$python" -m mypy --config-file "$settings" "$repository/python/tests/typed.py"
