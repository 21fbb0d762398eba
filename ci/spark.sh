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
[ $# -gt 0 ] || set -- test_spark.py test_spark_known.py test_spark_recipes.py
"$python" -m pytest -q -p no:cacheprovider --rootdir "$repository/python" "${@/#/$repository/python/tests/}"
"$python" -m mypy --config-file "$repository/python/pyproject.toml" -p lookalike.spark
