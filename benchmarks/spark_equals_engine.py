#!/usr/bin/env python3
"""Whether Spark gives the engine's answer on a corpus: all rows of clusters and of pairs.

    python benchmarks/spark_equals_engine.py [DOCUMENTS.jsonl ...] [--hot N] [--partitions N ...]

Rows go to Spark in another order, in so many partitions. `--hot` adds a generated corpus of N
documents of one template, of which a third share a feature. It needs pyspark, pandas below 3 and the
package `lookalike`, and ends with 1 if anything differs.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import tempfile
import time
from pathlib import Path

import pyarrow as pa
import pyspark
from pyspark.sql import DataFrame, SparkSession

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python/tests"))
from spark_corpora import CLUSTERS, PAIRS, Rows, Table, from_engine, hot_rows

from lookalike import spark as on_spark

SETTINGS = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.memory": "3g",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.shuffle.partitions": "8",
}


def read(path: Path) -> Rows:
    """Documents in the order of their ids, which is that of Spark's rows."""
    rows = [json.loads(line) for line in path.open(encoding="utf-8")]
    named = [{"id": row["id"], "text": row["text"]} for row in rows]
    return sorted(named, key=lambda row: str(row["id"]).encode())


def collected(table: DataFrame | None, columns: list[str]) -> Table:
    assert table is not None
    return sorted((tuple(row) for row in table.select(columns).collect()), key=repr)


def compare(session: SparkSession, name: str, rows: Rows, partitions: list[int]) -> bool:
    """One corpus, a line for each number of partitions."""
    with tempfile.TemporaryDirectory() as folder:
        clusters, pairs, _ = from_engine(rows, Path(folder))
    all_equal = True
    for count in partitions:
        shuffled = list(rows)
        random.Random(count).shuffle(shuffled)
        frame = session.createDataFrame(pa.Table.from_pylist(shuffled).to_pandas()).repartition(count)
        began = time.perf_counter()
        with on_spark.run(frame, pairs="needed") as result:
            seconds = time.perf_counter() - began
            equal = collected(result.clusters, CLUSTERS) == clusters and collected(result.pairs, PAIRS) == pairs
            all_equal &= equal
            cells = [len(rows), count, len(clusters), len(pairs)]
            cells += [result.counts[name] for name in ("candidates", "rounds", "limited_groups")]
            print(f"{name:10}" + "".join(f"{cell:>11}" for cell in cells), f"{seconds:>9.1f}  {equal}", flush=True)
    return all_equal


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("documents", type=Path, nargs="*")
    parser.add_argument("--hot", type=int)
    parser.add_argument("--partitions", type=int, nargs="+", default=[1, 5])
    asked = parser.parse_args()
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master("local[2]")
    for name, value in SETTINGS.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    print(f"Spark {pyspark.__version__}")
    titles = ["documents", "partitions", "clustered", "pairs", "candidates", "rounds", "limited"]
    print(f"{'corpus':10}" + "".join(f"{title:>11}" for title in titles), f"{'seconds':>9}  equal")
    corpora = [(path.stem, read(path)) for path in asked.documents]
    if asked.hot:
        corpora.append(("hot", hot_rows(asked.hot)))
    return 0 if all([compare(session, name, rows, asked.partitions) for name, rows in corpora]) else 1


if __name__ == "__main__":
    sys.exit(main())
