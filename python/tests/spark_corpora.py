"""What the tests of Spark share: corpora, the engine's answer for them, and Spark's beside it."""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
from corpora import make_rows
from pyspark.sql import DataFrame, SparkSession

import lookalike as la
from lookalike import spark as on_spark

CLUSTERS = [
    "id", "cluster", "size", "keeper", "kept", "kind", "resemblance", "row", "copies", "exact_copies", "sources",
    "first", "last", "known", "keeper_known",
]  # fmt: skip
PAIRS = [
    "a", "b", "kind", "b_similarity", "c_similarity", "repeats_in_common", "estimate", "resemblance", "containment_a",
    "containment_b", "difference", "row_a", "row_b", "known",
]  # fmt: skip
COUNTS = [
    "documents", "empty", "skipped", "exact_removed", "near_removed", "kept", "kept_beside", "clusters", "pairs",
]  # fmt: skip

Rows = list[dict[str, Any]]
Table = list[tuple[Any, ...]]


def hot_rows(count: int, least: int = 6, seed: int = 7) -> Rows:
    """Rows of one template, with at least so many words of their own each: so alike that a third of
    them share a feature, and most of them too different to be look-alikes."""
    chance = random.Random(seed)
    template = [f"t{number}" for number in range(130)]
    rows: Rows = []
    for number in range(count):
        own = [f"own{chance.randrange(10**6)}" for _ in range(chance.randrange(least, 30))]
        text = " ".join(template + own)
        rows.append({"id": f"hot {number:06}", "text": text, "score": chance.randrange(50)})
    return rows


def mixed_rows() -> Rows:
    """Copies, near-copies, chains of versions, a hot feature, empty texts, scripts without spaces,
    in the order of their ids."""
    chance = random.Random(3)
    rows = make_rows(400) + [row | {"url": f"https://www.hot{n % 3}.org/{n}"} for n, row in enumerate(hot_rows(700))]
    words = [f"v{number}" for number in range(80)]
    for version in range(60):
        words[chance.randrange(80)] = f"changed{version}"
        words[chance.randrange(80)] = f"changed{version} too"
        rows.append({"id": f"version {version:03}", "text": " ".join(words), "score": version % 7})
    for number in range(6):
        rows.append({"id": f"empty {number}", "text": " ..." * number, "score": 1})
        text = "\u706f\u5854\u5728\u6d77\u8fb9\u7684\u5c71\u4e0a\u5f88\u591a\u5e74\u4e86" * 3
        rows.append({"id": f"\u706f{number}", "text": text + "\u3002" * number, "score": number})
    rows = [{"url": None} | row for row in rows]
    return sorted(rows, key=lambda row: str(row["id"]).encode())


def tuples(table: pa.Table, columns: list[str]) -> Table:
    """Rows of a table in an order that depends on nothing but them."""
    rows = [tuple(map(_as_spark, row.values())) for row in table.select(columns).to_pylist()]
    return sorted(rows, key=repr)


def _as_spark(value: Any) -> Any:
    """Times as Spark gives them: those of the clock here."""
    return value.astimezone().replace(tzinfo=None) if isinstance(value, datetime) else value


def from_engine(
    rows: Rows, folder: Path, known: Sequence[Rows] = (), **options: Any
) -> tuple[Table, Table, la.Report]:
    """Clusters, pairs and the report of the engine for rows in their order."""
    sides = [write(side, folder / f"known-{number}.parquet") for number, side in enumerate(known)]
    path = write(rows, folder / "rows.parquet")
    # Spark knows of no URL either that was not named.
    report = la.dedup(path, folder / "out", no_write=True, **{"url_field": "none", "known": sides} | options)
    return tuples(report.read_clusters(), CLUSTERS), tuples(report.read_pairs(), PAIRS), report


def write(rows: Rows, path: Path) -> Path:
    """Rows in a file for the engine."""
    import pyarrow.parquet

    pyarrow.parquet.write_table(pa.Table.from_pylist(rows), path)
    return path


def frame(session: SparkSession, rows: Rows, partitions: int, seed: int = 0) -> DataFrame:
    """Rows in another order, in so many partitions."""
    shuffled = list(rows)
    random.Random(seed).shuffle(shuffled)
    return session.createDataFrame(pa.Table.from_pylist(shuffled).to_pandas()).repartition(partitions)


def collected(table: DataFrame | None, columns: list[str]) -> Table:
    """Rows of Spark's as `tuples` has them."""
    assert table is not None and table.columns == columns
    return sorted((tuple(row) for row in table.collect()), key=repr)


def check_equal(
    session: SparkSession, rows: Rows, folder: Path, partitions: int = 3, known: Sequence[Rows] = (), **options: Any
) -> dict[str, int]:
    """Compares clusters, pairs and counts; gives the counts."""
    own = {name: options.pop(name) for name in ("one_task_pairs", "order") if name in options}
    fields = {f"{name}_field": options.pop(name) for name in ("html", "url") if name in options}
    clusters, pairs, report = from_engine(rows, folder, known, **options, **fields)
    named = {name.removesuffix("_field"): value for name, value in fields.items()}
    sides = [frame(session, side, partitions, number) for number, side in enumerate(known)]
    asked = {"pairs": "needed", "known": sides or None} | options | named | own
    with on_spark.run(frame(session, rows, partitions), **asked) as result:
        assert collected(result.clusters, CLUSTERS) == clusters
        assert collected(result.pairs, PAIRS) == pairs
        assert {name: result.counts[name] for name in COUNTS} == {name: getattr(report, name) for name in COUNTS}
        told = report.known
        of_known = (told["documents"], told["removed"]) if told else (0, 0)
        assert (result.counts["known"], result.counts["known_removed"]) == of_known
        return result.counts
