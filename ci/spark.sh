#!/usr/bin/env bash
# Spark: the wheel in an environment with PySpark gives the engine's answers, on local[2] and on a
# cluster of processes on this machine, of which one is killed.
set -eu
. ci/need.bash
. ci/venv.bash
. ci/wheel.bash
need java openjdk-17-jre-headless
wheel
out=${CARGO_TARGET_DIR:-$PWD/target}/spark
# pandas 3 is not what PySpark knows.
venv "$out/venv" 'pyspark==4.3.*' 'pandas<3' mypy numpy pyarrow pytest
python=$out/venv/bin/python
# Of the same version, perhaps with other contents.
"$python" -m pip install --quiet --disable-pip-version-check --force-reinstall --no-deps "$wheel"

# From elsewhere, so that it is the installed package which is tested.
repository=$PWD
cd "$out"
"$python" -m pytest -q -p no:cacheprovider --rootdir "$repository/python" "$repository"/python/tests/test_spark*.py
"$python" -m mypy --config-file "$repository/python/pyproject.toml" -p lookalike.spark
