#!/usr/bin/env python3
"""Look-alikes on Spark: ours, MLlib's MinHashLSH, and a plain-Python MinHash job, on one input.

Each runs in a process and session of its own, on one standalone master with two workers of one core
each, all of them on this machine, and lists all pairs of documents of a resemblance of 0.8 and more
(5-word shingles). Ours runs once more as people use it, deciding who stays. Recall and precision are
against the exact resemblance of all pairs of documents of at least 20 words, which a file gives
(JSON lines of a, b, and resemblance or jaccard_w5) or which is computed.

    python benchmarks/spark.py DOCUMENTS.jsonl [--truth RESEMBLANCE.jsonl] [--count N] [--times N]
        [--set KEY=VALUE ...]

`--times` makes the corpus so many times as large, by copies in which letters are exchanged for one
another: no copy resembles another, and what is alike in one is alike in all. `--set` gives all of them
more settings of Spark.

It needs pyspark, numpy, pandas below 3 and the package `lookalike`. Time is from the first action to
the last, after a small job has started the Python workers. Processor time is that of the master, the
workers, the driver and their Python processes in that span, and depends less on what else the machine
does; of it, that of the JVMs' compilers, in the threads that are left at the end. By Spark's event log:
the time in tasks, of all of them together, and what of it their JVMs used of processors, the rest being
Python and waiting; its queries; and the bytes that tasks wrote to be shuffled.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy
import pandas
import pyarrow as pa
import pyarrow.parquet
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python/tests"))
from end_to_end import id_in_copy, in_other_letters
from spark_cluster import Cluster

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


def processor_seconds(of: int) -> tuple[float, float]:
    """What a process, those that it started, and those that they started have used; and the threads
    among theirs that compile what the JVM runs."""
    parents, used, compilers = {}, {}, {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            _, fields = stat(folder)
            threads = [stat(thread) for thread in (folder / "task").iterdir()]
        except OSError:
            continue
        process = int(folder.name)
        parents[process] = int(fields[1])
        used[process] = seconds(fields[11:15])
        compilers[process] = sum(seconds(fields[11:13]) for name, fields in threads if name[:3] in ("C1 ", "C2 "))

    def is_one(process: int) -> bool:
        while process and process != of:
            process = parents.get(process, 0)
        return process != 0

    ours = [process for process in used if is_one(process)]
    return sum(used[process] for process in ours), sum(compilers[process] for process in ours)


def stat(folder: Path) -> tuple[str, list[str]]:
    """The name of a process or thread, and what follows it."""
    before, _, after = (folder / "stat").read_text().rpartition(")")
    return before.partition("(")[2], after.split()


def seconds(ticks: list[str]) -> float:
    return sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")


CONTENDERS: dict[str, Callable[[DataFrame], DataFrame]] = {
    "ours": ours,
    "ours, deciding": ours_deciding,
    "MLlib MinHashLSH": mllib,
    "plain Python": plain_python,
}

SETTINGS = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.memory": "2g",
    "spark.executor.memory": "3g",
    "spark.ui.showConsoleProgress": "false",
    "spark.ui.enabled": "false",
    "spark.sql.shuffle.partitions": "8",
    "spark.eventLog.enabled": "true",
    "spark.eventLog.compress": "false",
    "spark.eventLog.rolling.enabled": "false",
}


def run(name: str, documents: Path, out: Path, master: str, settings: dict[str, str]) -> None:
    """One contender, in this process."""
    (out / "events").mkdir(parents=True)
    builder = SparkSession.builder.master(master).appName(name)
    for key, value in (SETTINGS | settings).items():
        builder = builder.config(key, value)
    spark = builder.config("spark.eventLog.dir", f"file://{out / 'events'}").getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")

    def same(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        yield from batches

    spark.range(1000, numPartitions=4).mapInArrow(same, "id long").count()
    rows = spark.read.parquet(str(documents))
    # The parent started the cluster, and this process.
    began, before = time.perf_counter(), processor_seconds(os.getppid())
    CONTENDERS[name](rows).write.parquet(str(out / "pairs"))
    took, after = time.perf_counter() - began, processor_seconds(os.getppid())
    used, compiling = (b - a for a, b in zip(before, after, strict=True))
    spark.stop()
    shuffled = queries = in_tasks = in_jvms = 0
    for path in (out / "events").iterdir():
        for line in path.open(encoding="utf-8"):
            if '"SparkListenerTaskEnd"' in line:
                metrics = json.loads(line).get("Task Metrics") or {}
                in_tasks += metrics.get("Executor Run Time", 0)
                in_jvms += metrics.get("Executor CPU Time", 0)
                shuffled += metrics.get("Shuffle Write Metrics", {}).get("Shuffle Bytes Written", 0)
            queries += "SparkListenerSQLExecutionStart" in line
    measured = {
        "seconds": took, "used": used, "compiling": compiling, "in_tasks": in_tasks / 1e3,
        "in_jvms": in_jvms / 1e9, "shuffled": shuffled, "queries": queries,
    }  # fmt: skip
    (out / "measured.json").write_text(json.dumps(measured))


Pair = tuple[str, str]


def ordered(a: str, b: str) -> Pair:
    return (a, b) if a < b else (b, a)


def given_pairs(path: Path, long: set[str]) -> set[Pair]:
    """The truth from a file."""
    truth = set()
    for line in path.open(encoding="utf-8"):
        pair = json.loads(line)
        if pair.get("resemblance", pair.get("jaccard_w5")) >= THRESHOLD and {pair["a"], pair["b"]} <= long:
            truth.add(ordered(pair["a"], pair["b"]))
    return truth


def exact_pairs(texts: dict[str, str]) -> set[Pair]:
    """All pairs at the threshold. Two sets that have 0.8 in common have one of the rarest fifth of
    either in common, so these find all candidates."""
    sets = {id: hashed_shingles(text) for id, text in texts.items()}
    values, counts = numpy.unique(numpy.concatenate(list(sets.values())), return_counts=True)
    pairs: set[Pair] = set()
    by_shingle: dict[int, list[str]] = defaultdict(list)
    for id, shingle_set in sets.items():
        rarest = numpy.lexsort((shingle_set, counts[numpy.searchsorted(values, shingle_set)]))
        prefix = shingle_set[rarest[: len(shingle_set) - math.ceil(THRESHOLD * len(shingle_set)) + 1]].tolist()
        for other in {other for shingle in prefix for other in by_shingle[shingle]}:
            common = len(numpy.intersect1d(shingle_set, sets[other], assume_unique=True))
            if common >= THRESHOLD * (len(shingle_set) + len(sets[other]) - common):
                pairs.add(ordered(id, other))
        for shingle in prefix:
            by_shingle[shingle].append(id)
    return pairs


def hashed_shingles(text: str) -> numpy.ndarray[Any, numpy.dtype[numpy.uint64]]:
    words = numpy.array([hash(word) for word in WORD.findall(text.lower())], dtype=numpy.int64).view(numpy.uint64)
    hashes = numpy.zeros(len(words) - WIDTH + 1, dtype=numpy.uint64)
    for at in range(WIDTH):
        hashes = hashes * numpy.uint64(0x9E3779B97F4A7C15) + words[at : len(words) - WIDTH + 1 + at]
        hashes ^= hashes >> numpy.uint64(29)
    return numpy.unique(hashes)


def setting(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not equals:
        raise argparse.ArgumentTypeError(f"`{text}` is not KEY=VALUE")
    return key, value


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("documents", type=Path)
    parser.add_argument("--truth", type=Path)
    parser.add_argument("--count", type=int, help="every n-th document, so that there are about so many")
    parser.add_argument("--times", type=int, default=1, help="so many copies, with other letters each")
    parser.add_argument("--only", nargs="+", choices=list(CONTENDERS), default=list(CONTENDERS))
    parser.add_argument("--limit", type=int, default=1800, help="seconds for each")
    parser.add_argument(
        "--set", nargs="*", type=setting, default=[], metavar="KEY=VALUE", help="settings of Spark, for all"
    )
    parser.add_argument("--run", nargs=4, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.run:
        name, documents, out, master = asked.run
        return run(name, Path(documents), Path(out), master, dict(asked.set))
    rows = [json.loads(line) for line in asked.documents.open(encoding="utf-8")]
    step = max(1, len(rows) // asked.count) if asked.count else 1
    rows = [{"id": row["id"], "text": row["text"]} for row in rows[::step]]
    texts = {row["id"]: row["text"] for row in rows if len(WORD.findall(row["text"])) >= 20}
    truth = given_pairs(asked.truth, set(texts)) if asked.truth else exact_pairs(texts)
    rows = [in_other_letters(row, copy) for copy in range(asked.times) for row in rows]
    truth = {ordered(id_in_copy(a, copy), id_in_copy(b, copy)) for copy in range(asked.times) for a, b in truth}
    long = {id_in_copy(id, copy) for copy in range(asked.times) for id in texts}
    size = sum(len(row["text"].encode()) for row in rows)
    print(f"{len(rows)} documents, {size / 1e6:.1f} MB, {len(truth)} pairs of {THRESHOLD} and more\n")
    titles = ["job", "seconds", "of processors", "of compilers", "in tasks", "of their JVMs", "queries"]
    titles += ["shuffled MB", "pairs", "recall", "precision"]
    print(f"| {' | '.join(titles)} |\n|" + " --- |" * len(titles), flush=True)
    with tempfile.TemporaryDirectory() as folder:
        documents = Path(folder) / "documents"
        documents.mkdir()
        for part in range(8):
            pyarrow.parquet.write_table(pa.Table.from_pylist(rows[part::8]), documents / f"{part}.parquet")
        for name in asked.only:
            out = Path(folder) / name.replace(" ", "-")
            print(f"| {name} | {measure(name, documents, out, asked, truth, long)} |", flush=True)


def measure(
    name: str, documents: Path, out: Path, asked: argparse.Namespace, truth: set[Pair], long: set[str]
) -> str:
    """The cells of one contender, on a cluster of its own."""
    out.mkdir()
    with Cluster(out, memory="4g") as cluster:
        command = [sys.executable, __file__, "", "--run", name, str(documents), str(out), cluster.master]
        command += ["--set", *map("=".join, asked.set)]
        try:
            subprocess.run(command, check=True, env=cluster.environment, timeout=asked.limit, stderr=subprocess.PIPE)
        except subprocess.TimeoutExpired:
            return f"more than {asked.limit}" + " |" * 9
        except subprocess.CalledProcessError as failure:
            print(failure.stderr.decode(errors="replace")[-3000:], file=sys.stderr)
            return "failed" + " |" * 9
    measured = json.loads((out / "measured.json").read_text())
    listed = pyarrow.parquet.read_table(out / "pairs").to_pylist()
    pairs = {ordered(row["a"], row["b"]) for row in listed}
    judged = {pair for pair in pairs if long.issuperset(pair)}
    right = len(judged & truth)
    # Deciding, ours lists only the pairs that it rests on.
    recall = "-" if name == "ours, deciding" else f"{right / max(1, len(truth)):.4f}"
    return (
        f"{measured['seconds']:.1f} | {measured['used']:.1f} | {measured['compiling']:.1f} | "
        f"{measured['in_tasks']:.1f} | {measured['in_jvms']:.1f} | {measured['queries']} | "
        f"{measured['shuffled'] / 1e6:.1f} | {len(pairs)} | "
        f"{recall} | {right / max(1, len(judged)):.4f}"
    )


if __name__ == "__main__":
    main()
