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
from pyspark.sql import Column, DataFrame, Observation, SparkSession
from pyspark.sql import functions as F

from ..errors import ParameterError

# Rows that go to a Python worker at a time: a thousand documents of 100 kB are 100 MB.
BATCH_ROWS = 1000

# Bytes that go to a Python worker at a time. Spark's buffers stay as large as the largest batch, and
# are cleared for every other one, so that large batches are slow.
BATCH_BYTES = 4 << 20

# The same where Spark counts rows only, and a row may be much smaller than the largest.
ROWS_BYTES = 64 << 20

# Rows of some numbers and a name that all executors and the driver can well have at once.
FEW_ROWS = 200_000

_ROWS_SETTING = "spark.sql.execution.arrow.maxRecordsPerBatch"

# Not in Spark 3.5.
_BYTES_SETTING = "spark.sql.execution.arrow.maxBytesPerBatch"

# How long Spark waits for a table that it sends to all executors.
_PATIENCE_SETTING = "spark.sql.broadcastTimeout"


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
        # A small table may take long to compute, and is waited for wherever it is sent to.
        with self._settings({_PATIENCE_SETTING: "-1"}):
            # Hashes and places have nothing to look up in a dictionary, and large sets are hashed for it.
            table.write.mode("errorifexists").option("parquet.enable.dictionary", "false").parquet(path)
        # With its schema, no footer has to be read to plan a query.
        return self.spark.read.schema(table.schema).parquet(path)

    def write_counting(self, name: str, table: DataFrame, **counts: Column) -> tuple[DataFrame, dict[str, Any]]:
        """Computes a table now, and with it these aggregates of its rows, without another query."""
        seen = Observation()
        aggregates = [column.alias(count) for count, column in counts.items()]
        written = self.write(name, table.observe(seen, *aggregates))
        return written, seen.get

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
    def batches(self, row_bytes: int | None = None) -> Iterator[None]:
        """For tables that are written meanwhile: how much goes to a Python worker at a time.

        Spark 3.5 counts rows only; if it is known how large one can be, there are fewer.
        """
        settings, rows = {}, BATCH_ROWS
        if self._setting(_BYTES_SETTING) is not None:
            settings[_BYTES_SETTING] = str(BATCH_BYTES)
        else:
            rows = max(1, min(rows, ROWS_BYTES // max(row_bytes or 0, 1)))
        asked = int(self._setting(_ROWS_SETTING) or 0)
        settings[_ROWS_SETTING] = str(min(rows, asked) if asked > 0 else rows)
        with self._settings(settings):
            yield

    def _setting(self, name: str) -> str | None:
        try:
            value: str | None = self.spark.conf.get(name)
        except Exception:
            # This Spark does not know it.
            return None
        return value

    @contextmanager
    def _settings(self, settings: dict[str, str]) -> Iterator[None]:
        """Sets what is the caller's, for the time being."""
        before = {name: self._setting(name) for name in settings}
        for name, value in settings.items():
            self.spark.conf.set(name, value)
        try:
            yield
        finally:
            for name, was in before.items():
                if was is not None:
                    self.spark.conf.set(name, was)


def few(table: DataFrame, rows: int) -> DataFrame:
    """Has Spark send a table to all executors, to be joined there, if it has so few rows. It does not
    see this itself where their number is not what the sizes of files say."""
    return F.broadcast(table) if rows <= FEW_ROWS else table


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
