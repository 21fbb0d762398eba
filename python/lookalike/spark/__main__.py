"""A job to submit: `python -m lookalike.spark dedup --input ... --output ...`, or this file to
spark-submit. Options have the names that `lookalike dedup` gives them."""

from __future__ import annotations

import argparse
import json
import sys
import warnings
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from lookalike.errors import Error, ExistsError, InputError
from lookalike.spark import run


def parser() -> argparse.ArgumentParser:
    """What can be asked for."""
    whole = argparse.ArgumentParser(prog="python -m lookalike.spark", description=__doc__)
    commands = whole.add_subparsers(dest="command", required=True)
    dedup = commands.add_parser("dedup", help="find look-alikes, and write the rows without them")
    add = dedup.add_argument
    add("--input", nargs="+", required=True, help="files or folders that Spark reads")
    add("--out", "--output", required=True, help="a new folder: clusters.parquet, pairs.parquet, kept")
    add("--format", choices=["parquet", "json"], help="of the input; else by the name, then parquet")
    add("--text-field", default="text")
    add("--html-field", help="instead of the text: a field of web pages")
    add("--id-field", default="id")
    add("--url-field")
    add("--order-field", help="the order of the input; else the id")
    add("--recipe", default="text")
    add("--threshold", type=float)
    add("--recall", type=float)
    add("--ngram", type=int, help="words in a shingle; else the recipe's")
    add("--verify", choices=["exact", "estimate", "difference", "none"])
    add("--sites", choices=["label", "public-suffix"])
    add("--keep", default=[], action="append", help="as of the command, one or several; else first")
    add("--cluster", choices=["anchored", "components"], default="anchored")
    add("--pairs", choices=["needed", "all"], default="needed")
    add("--keep-count", type=int, default=1, help="how many of each cluster stay")
    add("--known", action="append", metavar="PATH",
        help="documents that are there already, and stay: a run, or files or a folder; as often as there are sides")
    add("--exact-only", action="store_true")
    add("--count", help="the field whose distinct values are counted; else the site")
    add("--date-field", help="the field with the date")
    add("--strict", action="store_true")
    add("--no-write", action="store_true", help="no kept rows")
    add("--work", help="a folder that all executors reach, for intermediate tables")
    add("--master", help="Spark's master, where spark-submit does not say")
    return whole


def read(spark: SparkSession, paths: list[str], format: str | None) -> tuple[DataFrame, str]:
    """The input and its format."""
    if format is None:
        lines = any(end in paths[0] for end in (".jsonl", ".ndjson", ".json"))
        format = "json" if lines else "parquet"
    return spark.read.format(format).load(paths), format


def kept_rows(rows: DataFrame, clusters: DataFrame, id: str, content: str) -> DataFrame:
    """The documents that stay, found by their ids."""
    name = F.col(id).cast("string")
    several = rows.groupBy(name).count().where("count > 1").count()
    if several:
        raise InputError(
            f"column `{id}` has {several} values more than once, so that the rows that stay cannot be "
            "told by it; --no-write gives clusters and pairs only",
            "Ids",
        )
    gone = clusters.where(~F.col("kept")).select(F.col("id").alias("\0gone"))
    there = rows.where(F.col(content).isNotNull())
    return there.join(gone, name == F.col("`\0gone`"), "left_anti")


def dedup(asked: argparse.Namespace) -> int:
    """Runs the job; its exit code."""
    builder = SparkSession.builder.appName("lookalike dedup")
    spark = (builder.master(asked.master) if asked.master else builder).getOrCreate()
    _check_new(spark, asked.out)
    rows, format = read(spark, asked.input, asked.format)
    options: dict[str, Any] = {
        name: getattr(asked, name)
        for name in (
            "recipe", "threshold", "recall", "ngram", "verify", "sites", "keep", "cluster", "pairs",
            "exact_only", "keep_count", "known", "count", "date_field", "strict", "work",
        )
    }  # fmt: skip
    options["keep"] = asked.keep or "first"
    html = asked.html_field
    with warnings.catch_warnings():
        # The counts say it.
        warnings.simplefilter("ignore", UserWarning)
        result = run(
            rows, asked.text_field, asked.id_field, asked.url_field, html=html, order=asked.order_field, **options
        )
    with result:
        assert result.pairs is not None
        result.clusters.write.parquet(f"{asked.out}/clusters.parquet")
        result.pairs.write.parquet(f"{asked.out}/pairs.parquet")
        if not asked.no_write:
            kept = kept_rows(rows, result.clusters, asked.id_field, html or asked.text_field)
            kept.write.format(format).save(f"{asked.out}/kept")
        print(json.dumps(result.counts))
    return 3 if result.counts["skipped"] else 0


def _check_new(spark: SparkSession, output: str) -> None:
    context: Any = spark.sparkContext
    path = context._jvm.org.apache.hadoop.fs.Path(output)
    if path.getFileSystem(context._jsc.hadoopConfiguration()).exists(path):
        raise ExistsError(f"`{output}` is there already; name a new folder", "Exists")


def main() -> int:
    """The command."""
    asked = parser().parse_args()
    try:
        return dedup(asked)
    except Error as error:
        print(f"error: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
