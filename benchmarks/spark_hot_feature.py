#!/usr/bin/env python3
"""What a feature that very many rows share costs Spark, on a cluster of two small executors.

    python benchmarks/spark_hot_feature.py [--rows N] [--words N] [--executor-memory 600m]

Rows are one template with `--words` own words each: with 2 nearly all are look-alikes, with 12 nearly
none are, and each is compared with 64. The job runs on a standalone master and two workers, one core
each; clusters and pairs are compared with the engine's row by row, and the most memory that a process
had is shown. It needs pyspark, pandas below 3 and the package `lookalike`, and ends with 1 if anything
differs.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy
import pyarrow as pa
import pyarrow.parquet
import pyspark

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python/tests"))
from spark_cluster import SETTINGS, Cluster
from spark_corpora import CLUSTERS, PAIRS

import lookalike as la

TEMPLATE = " ".join(f"word{number}" for number in range(40))


def write_rows(path: Path, count: int, words: int) -> None:
    """So many rows, in several groups for Spark to read at once."""
    chance = random.Random(7)
    schema = pa.schema({"id": pa.string(), "text": pa.string()})
    with pyarrow.parquet.ParquetWriter(path, schema) as writer:
        for start in range(0, count, 50_000):
            numbers = range(start, min(start + 50_000, count))
            texts = [" ".join([TEMPLATE, *[f"own{chance.randrange(10**6)}" for _ in range(words)]]) for _ in numbers]
            writer.write_table(pa.table({"id": [f"d{number:09}" for number in numbers], "text": texts}, schema))


def most_shared(path: Path) -> int:
    """How many rows have the key that most of them have."""
    recipe, keys = la.Recipe.load("text"), []
    for batch in pyarrow.parquet.ParquetFile(path).iter_batches(columns=["text"]):
        of_rows = recipe.sign_batch(batch.column("text"), columns=["keys"])["keys"]
        keys += [numpy.unique(row) for row in of_rows.to_numpy(zero_copy_only=False)]
    return int(numpy.unique(numpy.concatenate(keys), return_counts=True)[1].max())


class Memory(threading.Thread):
    """Looks at executors and their Python workers: the most that one of each had."""

    KINDS = {"CoarseGrainedExecutorBackend": "executor", "pyspark.daemon": "Python worker"}

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.peaks: dict[str, int] = {}

    def run(self) -> None:
        while True:
            for status in Path("/proc").glob("[0-9]*/status"):
                try:
                    command = (status.parent / "cmdline").read_bytes().decode("utf-8", "replace")
                    lines = dict(line.split(":", 1) for line in status.read_text().splitlines())
                except (OSError, ValueError):
                    continue
                kind = next((name for word, name in self.KINDS.items() if word in command), None)
                if kind is not None and "VmHWM" in lines:
                    peak = int(lines["VmHWM"].split()[0]) >> 10
                    self.peaks[kind] = max(peak, self.peaks.get(kind, 0))
            time.sleep(0.5)


def same(ours: Path, engines: Path, columns: list[str]) -> bool:
    """Whether two tables have the same rows, whatever their order."""
    tables = [pyarrow.parquet.read_table(path, columns=columns) for path in (ours, engines)]
    order = [(name, "ascending") for name in columns[:2]]
    one, other = (table.sort_by(order).combine_chunks() for table in tables)
    return bool(one.cast(other.schema).equals(other))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--words", type=int, default=2)
    parser.add_argument("--executor-memory", default="600m")
    asked = parser.parse_args()
    memory = Memory()
    memory.start()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rows = folder / "rows.parquet"
        write_rows(rows, asked.rows, asked.words)
        shared = most_shared(rows)
        began = time.perf_counter()
        la.dedup(rows, folder / "engine", no_write=True)
        engine_seconds = time.perf_counter() - began
        settings = SETTINGS | {"spark.executor.memory": asked.executor_memory, "spark.sql.shuffle.partitions": "8"}
        with Cluster(folder) as cluster:
            began = time.perf_counter()
            job = subprocess.run(
                [
                    sys.executable, "-m", "lookalike.spark", "dedup", "--master", cluster.master, "--no-write",
                    "--input", rows, "--output", folder / "spark",
                ],
                env=cluster.python_environment(settings),
                stdout=subprocess.PIPE,
            )  # fmt: skip
            seconds = time.perf_counter() - began
        if job.returncode:
            return 1
        counts = json.loads(job.stdout)
        equal = all(
            same(folder / "spark" / table, folder / "engine" / table, columns)
            for table, columns in (("clusters.parquet", CLUSTERS), ("pairs.parquet", PAIRS))
        )
    print(f"Spark {pyspark.__version__}, two executors of {asked.executor_memory}, {os.cpu_count()} processors")
    print(f"{asked.rows} rows with {asked.words} words of their own; {shared} share a feature")
    print(f"{counts['candidates']} candidates, {counts['near_removed']} go, {counts['rounds']} rounds")
    print(f"seconds: engine {engine_seconds:.1f}, Spark {seconds:.1f}")
    print("most memory, MB: " + ", ".join(f"{kind} {peak}" for kind, peak in sorted(memory.peaks.items())))
    print(f"equal: {equal}")
    return 0 if equal else 1


if __name__ == "__main__":
    sys.exit(main())
