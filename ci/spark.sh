#!/usr/bin/env bash
# Spark: the package in an environment with PySpark gives the engine's answers, on local[2], or passes the
# tests that are named: a cluster has a check of its own.
set -eu
. ci/need.bash
. ci/everything.bash
. ci/environment.bash
need java openjdk-17-jre-headless
build_programs
environment spark
install_module

# From elsewhere, so that it is the installed package which is tested.
repository=$PWD
cd "$environment"
"$python" -m pytest -q -p no:cacheprovider --rootdir "$repository/python" "$repository/python/tests/${1:-test_spark.py}"
"$python" -m mypy --config-file "$repository/python/pyproject.toml" -p lookalike.spark
