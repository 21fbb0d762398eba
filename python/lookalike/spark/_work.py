"""The folder of a job's intermediate tables.

Everything that is used more than once is written there as Parquet and read back. So nothing is
computed twice, plans stay short however many rounds there are, and what a lost executor had is
still there. It also makes numbers stable: a row number that Spark computes again, after a loss or
in a second query, may be another one; a number that is in a file stays.
"""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pyarrow
from pyspark.sql import DataFrame, SparkSession

from ..errors import ParameterError

# Rows that go to a Python worker at a time: a thousand documents of 100 kB are 100 MB.
BATCH_ROWS = 1000

# Bytes that go to a Python worker at a time, where the size of a row is known.
BATCH_BYTES = 64 << 20

_ROWS_SETTING = "spark.sql.execution.arrow.maxRecordsPerBatch"


class Work:
    """Intermediate tables, by name."""

    def __init__(self, spark: SparkSession, folder: str | None) -> None:
        self.spark = spark
        context: Any = spark.sparkContext
        self._hadoop = context._jvm.org.apache.hadoop
        base = folder or _usual_folder(spark)
        if base is None:
            base = tempfile.mkdtemp(prefix="lookalike-spark-")
            atexit.register(shutil.rmtree, base, ignore_errors=True)
            _check_shared(spark, base)
            base = "file://" + base
        self._names: set[str] = set()
        self._folder = f"{base.rstrip('/')}/{uuid.uuid4().hex}"

    def write(self, name: str, table: DataFrame) -> DataFrame:
        """Computes a table now, and gives it as it was written."""
        path = self._path(name)
        self._names.add(name)
        table.write.mode("errorifexists").parquet(path)
        # With its schema, no footer has to be read to plan a query.
        return self.spark.read.schema(table.schema).parquet(path)

    def remove(self, *names: str) -> None:
        """Removes tables that are not needed any more."""
        for name in names:
            self._remove(self._path(name))
            self._names.discard(name)

    def keep_only(self, *names: str) -> None:
        """Removes all other tables."""
        self.remove(*self._names.difference(names))

    def close(self) -> None:
        """Removes the folder; what was read from it cannot be used any more."""
        self._remove(self._folder)

    def _path(self, name: str) -> str:
        return f"{self._folder}/{name}"

    def _remove(self, path: str) -> None:
        at = self._hadoop.fs.Path(path)
        settings = self.spark.sparkContext._jsc.hadoopConfiguration()
        at.getFileSystem(settings).delete(at, True)

    @contextmanager
    def rows_at_a_time(self, row_bytes: int | None = None) -> Iterator[None]:
        """For tables that are written meanwhile: how many rows go to a Python worker at a time."""
        before = self.spark.conf.get(_ROWS_SETTING)
        rows = BATCH_ROWS
        if row_bytes is not None:
            rows = max(1, min(rows, BATCH_BYTES // max(row_bytes, 1)))
        if before is not None and int(before) > 0:
            rows = min(rows, int(before))
        self.spark.conf.set(_ROWS_SETTING, str(rows))
        try:
            yield
        finally:
            if before is not None:
                self.spark.conf.set(_ROWS_SETTING, before)


def _usual_folder(spark: SparkSession) -> str | None:
    """Where the cluster keeps checkpoints, or has a file system of its own."""
    context: Any = spark.sparkContext
    checkpoints = context._jsc.sc().getCheckpointDir()
    if checkpoints.isDefined():
        return str(checkpoints.get())
    default = str(context._jsc.hadoopConfiguration().get("fs.defaultFS", "file:///"))
    return None if default.startswith("file:") else f"{default.rstrip('/')}/tmp/lookalike"


def _check_shared(spark: SparkSession, folder: str) -> None:
    """Whether the executors see a folder of the driver's machine."""
    context = spark.sparkContext
    if str(context.master).startswith("local"):
        return
    marker = os.path.join(folder, "marker")
    with open(marker, "w", encoding="utf-8"):
        pass

    def look(batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        for batch in batches:
            if not os.path.exists(marker):
                yield batch

    tasks = 2 * max(context.defaultParallelism, 1)
    if spark.range(tasks, numPartitions=tasks).mapInArrow(look, "id long").count():
        raise ParameterError(
            "work must name a folder that all executors reach, such as one of HDFS or S3; "
            "they do not see the folders of the driver",
            "Parameter",
        )
