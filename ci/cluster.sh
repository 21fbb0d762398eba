#!/usr/bin/env bash
# Spark on a cluster of processes on this machine, of which one is killed.
set -eu
. ci/need.bash
. ci/everything.bash
. ci/environment.bash
need java openjdk-17-jre-headless
build_programs
environment spark
install_module
repository=$PWD
cd "$environment"
"$python" -m pytest -q -p no:cacheprovider --rootdir "$repository/python" \
  "$repository"/python/tests/test_spark_cluster.py
