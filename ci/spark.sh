#!/usr/bin/env bash
# Spark: the wheel in an environment with PySpark gives the engine's answers, on local[2] and on a
# cluster of processes on this machine, of which one is killed.
set -eu
. ci/venv.bash
if ! command -v java >/dev/null; then
  echo "installing openjdk-17-jre-headless for java"
  { apt-get update -qq && apt-get install -y -qq openjdk-17-jre-headless; } >/dev/null
fi
target=${CARGO_TARGET_DIR:-$PWD/target}
out=$target/spark
venv "$out/tools" maturin
# As in ci/python.sh, which has built it if it ran before.
rm -rf "$out/wheels"
"$out/tools/bin/maturin" build --quiet --manifest-path python/Cargo.toml --profile dev --strip \
  --features object-stores --out "$out/wheels"
# pandas 3 is not what PySpark knows.
venv "$out/venv" 'pyspark==4.3.*' 'pandas<3' mypy pyarrow pytest
"$out/venv/bin/pip" install --quiet --disable-pip-version-check --force-reinstall --no-deps "$out"/wheels/*.whl

# From elsewhere, so that it is the installed package which is tested.
repository=$PWD
cd "$out"
"$out/venv/bin/python" -m pytest -q -p no:cacheprovider --rootdir "$repository/python" \
  "$repository/python/tests/test_spark.py" "$repository/python/tests/test_spark_cluster.py"
"$out/venv/bin/python" -m mypy --config-file "$repository/python/pyproject.toml" -p lookalike.spark
