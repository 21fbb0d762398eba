#!/usr/bin/env bash
# The Python package: its stubs are what the code gives; it passes the tests in an environment of its own,
# gives what the command gives, has the types that its stubs say, and the guide's examples print what it
# shows. Spark has a check of its own, and so has the wheel.
set -eu
. ci/everything.bash
. ci/environment.bash
build_programs
bash ci/stubs.sh --check
environment python
install_module

# From elsewhere, so that it is the installed package which is tested.
repository=$PWD
target=${CARGO_TARGET_DIR:-$PWD/target}
cd "$environment"
LOOKALIKE_COMMAND=$target/debug/lookalike \
  "$python" -m pytest -q -p no:cacheprovider --rootdir "$repository/python" \
  --ignore-glob "$repository/python/tests/test_spark*" --ignore "$repository/python/tests/test_wheel.py" \
  "$repository/python/tests"
"$python" "$repository/benchmarks/snapshots.py" "$target/debug/lookalike" "$repository"/examples/crawls/*.jsonl
settings=$repository/python/pyproject.toml
"$python" -m mypy.stubtest --mypy-config-file "$settings" lookalike._native
"$python" -m mypy --config-file "$settings" -p lookalike
"$python" -m mypy --config-file "$settings" "$repository/python/tests/typed.py"
