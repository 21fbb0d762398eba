#!/usr/bin/env bash
# Spark on a cluster of processes on this machine, of which one is killed.
exec bash ci/spark.sh test_spark_cluster.py
