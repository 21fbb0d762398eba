#!/usr/bin/env python3
"""Look-alikes on Spark: ours, MLlib's MinHashLSH, and a plain-Python MinHash job, on one input.

Each runs in a process and session of its own on the same master, and lists all pairs of documents
of a resemblance of 0.8 and more (5-word shingles). Ours runs once more as people use it, deciding
who stays. Recall and precision are against the exact resemblance of all pairs, which a file gives
(JSON lines of a, b, and resemblance or jaccard_w5; documents of at least 20 words).

    python benchmarks/spark.py DOCUMENTS.jsonl TRUTH.jsonl [--count N] [--master local[2]]

It needs pyspark, numpy, pandas below 3 and the package `lookalike`. Time is from the first action to
the last, after a small job has started the Python workers; shuffled bytes are those that tasks wrote,
by Spark's event log; processor time is that of Spark and its Python workers in that span, where
they are processes of this one, and depends less on what else the machine does.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy
import pandas
import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

THRESHOLD = 0.8
WIDTH = 5
WORD = re.compile(r"\w+")


def shingles(text: str) -> set[str]:
    words = WORD.findall(text.lower())
    return {" ".join(words[at : at + WIDTH]) for at in range(max(1, len(words) - WIDTH + 1))}


def ours(documents: DataFrame) -> DataFrame:
    from lookalike import spark

    return spark.pairs(documents, pairs="all").select("a", "b")


def ours_deciding(documents: DataFrame) -> DataFrame:
    from lookalike import spark

    return spark.pairs(documents).select("a", "b")


def mllib(documents: DataFrame) -> DataFrame:
    """Three tables: of pairs at the threshold, 99 % share one of three minvalues."""
    from pyspark.ml.feature import HashingTF, MinHashLSH, NGram, RegexTokenizer

    tokens = RegexTokenizer(inputCol="text", outputCol="words", pattern=r"\w+", gaps=False)
    grams = NGram(n=WIDTH, inputCol="words", outputCol="grams")
    vectors = HashingTF(inputCol="grams", outputCol="vector", numFeatures=1 << 22, binary=True)
    made = vectors.transform(grams.transform(tokens.transform(documents)))
    made = made.where(F.size("grams") > 0).select("id", "vector").persist()
    model = MinHashLSH(inputCol="vector", outputCol="hashes", numHashTables=3, seed=1).fit(made)
    joined = model.approxSimilarityJoin(made, made, 1 - THRESHOLD + 1e-9, distCol="distance")
    pairs = joined.select(F.col("datasetA.id").alias("a"), F.col("datasetB.id").alias("b"))
    return pairs.where("a < b")


def plain_python(documents: DataFrame) -> DataFrame:
    """The job that is written again and again: 13 bands of 7 minvalues from a Python function, a
    join by bands, and the exact resemblance of what it finds from another."""
    bands, rows = 13, 7
    chance = numpy.random.default_rng(1)
    prime = (1 << 61) - 1
    a = chance.integers(1, prime, bands * rows, dtype=numpy.uint64)
    b = chance.integers(0, prime, bands * rows, dtype=numpy.uint64)

    @F.pandas_udf("array<string>")
    def keys(texts: pandas.Series) -> pandas.Series:
        def of(text: str) -> list[str]:
            hashes = numpy.array([hash_of(shingle) for shingle in shingles(text)], dtype=numpy.uint64)
            least = ((hashes[:, None] * a + b) % numpy.uint64(prime)).min(axis=0)
            return [f"{band}:{least[band * rows : (band + 1) * rows].tobytes().hex()}" for band in range(bands)]

        return texts.map(of)

    @F.pandas_udf("double")
    def resemblance(x: pandas.Series, y: pandas.Series) -> pandas.Series:
        def of(left: str, right: str) -> float:
            p, q = shingles(left), shingles(right)
            return len(p & q) / len(p | q)

        return pandas.Series([of(left, right) for left, right in zip(x, y, strict=True)])

    banded = documents.select("id", F.explode(keys("text")).alias("key")).persist()
    other = banded.select(F.col("id").alias("b"), "key")
    candidates = banded.select(F.col("id").alias("a"), "key").join(other, "key").where("a < b")
    candidates = candidates.select("a", "b").distinct()
    for side in ("a", "b"):
        texts = documents.select(F.col("id").alias(side), F.col("text").alias(f"text_{side}"))
        candidates = candidates.join(texts, side)
    return candidates.where(resemblance("text_a", "text_b") >= THRESHOLD).select("a", "b")


def hash_of(shingle: str) -> int:
    import zlib

    encoded = shingle.encode()
    return zlib.crc32(encoded) << 29 ^ zlib.adler32(encoded)


def processor_seconds() -> float:
    """What this process, those that it started, and those that they started have used."""
    parents, used = {}, {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        parents[int(path.parent.name)] = int(fields[1])
        used[int(path.parent.name)] = sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")

    def is_ours(process: int) -> bool:
        while process and process != os.getpid():
            process = parents.get(process, 0)
        return process != 0

    return sum(seconds for process, seconds in used.items() if is_ours(process))


CONTENDERS: dict[str, Callable[[DataFrame], DataFrame]] = {
    "ours": ours,
    "ours, deciding": ours_deciding,
    "MLlib MinHashLSH": mllib,
    "plain Python": plain_python,
}


def run(name: str, documents: Path, out: Path, master: str) -> None:
    """One contender, in this process."""
    builder = SparkSession.builder.master(master).appName(name)
    settings = {
        "spark.driver.host": "127.0.0.1",
        "spark.driver.memory": "3g",
        "spark.ui.showConsoleProgress": "false",
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "8",
        "spark.eventLog.enabled": "true",
        "spark.eventLog.compress": "false",
        "spark.eventLog.rolling.enabled": "false",
        "spark.eventLog.dir": f"file://{out / 'events'}",
    }
    for key, value in settings.items():
        builder = builder.config(key, value)
    (out / "events").mkdir(parents=True)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")

    def same(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        yield from batches

    spark.range(1000, numPartitions=4).mapInArrow(same, "id long").count()
    rows = spark.read.parquet(str(documents))
    began, used = time.perf_counter(), processor_seconds()
    CONTENDERS[name](rows).write.parquet(str(out / "pairs"))
    seconds, used = time.perf_counter() - began, processor_seconds() - used
    spark.stop()
    shuffled = 0
    for path in (out / "events").iterdir():
        for line in path.open(encoding="utf-8"):
            if '"SparkListenerTaskEnd"' in line:
                metrics = json.loads(line).get("Task Metrics") or {}
                shuffled += metrics.get("Shuffle Write Metrics", {}).get("Shuffle Bytes Written", 0)
    (out / "measured.json").write_text(json.dumps({"seconds": seconds, "used": used, "shuffled": shuffled}))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("documents", type=Path)
    parser.add_argument("truth", type=Path)
    parser.add_argument("--count", type=int, help="every n-th document, so that there are about so many")
    parser.add_argument("--master", default="local[2]")
    parser.add_argument("--only", nargs="+", choices=list(CONTENDERS), default=list(CONTENDERS))
    parser.add_argument("--limit", type=int, default=1800, help="seconds for each")
    parser.add_argument("--run", nargs=3, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.run:
        name, documents, out = asked.run
        return run(name, Path(documents), Path(out), asked.master)
    import pyarrow.parquet

    rows = [json.loads(line) for line in asked.documents.open(encoding="utf-8")]
    step = max(1, len(rows) // asked.count) if asked.count else 1
    rows = [{"id": row["id"], "text": row["text"]} for row in rows[::step]]
    long = {row["id"] for row in rows if len(WORD.findall(row["text"])) >= 20}
    truth = set()
    for line in asked.truth.open(encoding="utf-8"):
        pair = json.loads(line)
        resemblance = pair.get("resemblance", pair.get("jaccard_w5"))
        if resemblance >= THRESHOLD and pair["a"] in long and pair["b"] in long:
            truth.add((min(pair["a"], pair["b"]), max(pair["a"], pair["b"])))
    size = sum(len(row["text"].encode()) for row in rows)
    print(f"{len(rows)} documents, {size / 1e6:.1f} MB, {len(truth)} pairs of {THRESHOLD} and more; {asked.master}")
    print("| job | seconds | of processors | shuffled MB | pairs | recall | precision |\n" + "| --- " * 7 + "|")
    with tempfile.TemporaryDirectory() as folder:
        documents = Path(folder) / "documents"
        documents.mkdir()
        for part in range(8):
            table = pa.Table.from_pylist(rows[part::8])
            pyarrow.parquet.write_table(table, documents / f"{part}.parquet")
        for name in asked.only:
            out = Path(folder) / name.replace(" ", "-")
            arguments = ["", "", "--master", asked.master, "--run", name, str(documents), str(out)]
            environment = os.environ | {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
            try:
                subprocess.run([sys.executable, __file__, *arguments], check=True, env=environment, timeout=asked.limit,
                               stderr=subprocess.DEVNULL)  # fmt: skip
            except (subprocess.TimeoutExpired, subprocess.CalledProcessError) as failure:
                if isinstance(failure, subprocess.CalledProcessError):
                    print(f"| {name} | failed | | | | | |", flush=True)
                    continue
                print(f"| {name} | more than {asked.limit} | | | | | |", flush=True)
                continue
            measured = json.loads((out / "measured.json").read_text())
            listed = pyarrow.parquet.read_table(out / "pairs").to_pylist()
            pairs = {(min(row["a"], row["b"]), max(row["a"], row["b"])) for row in listed}
            judged = {pair for pair in pairs if pair[0] in long and pair[1] in long}
            right = len(judged & truth)
            print(
                f"| {name} | {measured['seconds']:.1f} | {measured['used']:.1f} | {measured['shuffled'] / 1e6:.1f} | {len(pairs)} | "
                f"{right / max(1, len(truth)):.4f} | {right / max(1, len(judged)):.4f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
