"""Known documents and several that stay of a cluster: Spark's answer is the engine's, row by row."""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path
from typing import Any

import pytest
from corpora import write_rows
from pyspark.sql import SparkSession
from spark_corpora import Rows, check_equal, frame, hot_rows

import lookalike as la
from lookalike import spark as on_spark
from lookalike.spark import __main__ as job


def worlds(seed: int, sides: int, count: int = 40) -> list[Rows]:
    """Small clusters of versions, each made of one before it, so that they chain across sides: copies, near
    copies, ids that several sides have; the last side is that of the new."""
    chance = random.Random(seed)
    rows: list[Rows] = [[] for _ in range(sides + 1)]
    for world in range(count):
        texts = [[f"w{world}x{chance.randrange(10**6)}" for _ in range(chance.choice([40, 80]))]]
        for version in range(chance.randrange(1, 16)):
            words = list(chance.choice(texts[:4]))
            for _ in range(chance.choice([0, 1, 1, 1, 2, 2])):
                words[chance.randrange(len(words))] = f"new{chance.randrange(10**6)}"
            texts.append(words)
            text = chance.choice([" ", ", "]).join(words) if chance.random() < 0.95 else " ... "
            row = {
                "text": text,
                "url": f"https://www.site{chance.randrange(3)}.org/{version}" if chance.random() < 0.8 else None,
                "score": chance.randrange(4),
                "crawl": chance.choice(["a", "b", None]),
                "date": chance.choice(["2019", "2024-01-02", None]),
            }
            for side in chance.sample(range(sides + 1), chance.choice([1, 1, 1, 2]) if sides else 1):
                rows[side].append({"id": f"{chance.randrange(10)} {world:02} {version}"} | row)
    return [sorted(side, key=lambda row: row["id"].encode()) for side in rows]


POLICIES: list[dict[str, Any]] = [
    {"keep": "max:score", "keep_count": 2},
    {"keep": ["prefer:score=2,1", "shortest", "first"], "keep_count": 2, "pairs": "all"},
    {"keep": "newest:date then longest", "verify": "estimate", "keep_count": 2},
    {"keep": "longest", "exact_only": True, "keep_count": 2},
]


@pytest.mark.parametrize(("number", "sides"), [(0, 3), (1, 1), (2, 2), (3, 1)])
def test_clusters_across_sides(session: SparkSession, tmp_path: Path, number: int, sides: int) -> None:
    *known, new = worlds(number + 1, sides)
    fields = {"url": "url", "count": "crawl", "date_field": "date"}
    counts = check_equal(session, new, tmp_path, 2 + number, known, **POLICIES[number], **fields)
    # The corpus has all that can be hard.
    removed = counts["exact_removed"] + counts["near_removed"]
    assert removed >= counts["known_removed"] > 5
    assert counts["near_removed"] > 5 or number == 3
    assert counts["kept_beside"] > 50


@pytest.mark.parametrize("keep_count", [2, 100])
def test_several_that_stay_without_a_known_side(session: SparkSession, tmp_path: Path, keep_count: int) -> None:
    (rows,) = worlds(11 * keep_count, 0)
    options: dict[str, Any] = {"cluster": "components"} if keep_count == 2 else {"keep": "max:score"}
    counts = check_equal(session, rows, tmp_path, keep_count=keep_count, **options)
    assert counts["kept_beside"] > 30
    assert (counts["exact_removed"] + counts["near_removed"] == 0) == (keep_count == 100)
    with pytest.raises(la.ParameterError, match="keep_count is 0, but must be at least 1"):
        on_spark.dedup(frame(session, rows, 1), keep_count=0)


def test_more_known_ones_than_one_is_compared_with(session: SparkSession, tmp_path: Path) -> None:
    """Of a template that all have: what is beyond the limit is told, but not of known ones alone."""
    rows = hot_rows(400)
    counts = check_equal(session, rows[300:], tmp_path, known=[rows[:300]])
    assert counts["limited_groups"] > 0 and counts["known"] == 300


def test_pages_by_sites(session: SparkSession, tmp_path: Path) -> None:
    (known, new) = worlds(5, 1)
    check_equal(session, new, tmp_path, known=[known], recipe="henzinger-sites", url="url", keep="max:score")


def test_all_that_is_left_of_chains_of_crawls(session: SparkSession) -> None:
    """Crawl after crawl, each beside what those before it kept: what one job over all keeps."""
    crawls = worlds(21, 1)
    everything, kept = [], []
    for number, crawl in enumerate(crawls):
        crawl = [row | {"id": f"{number} {row['id']}"} for row in crawl]
        everything += crawl
        known = [frame(session, before, 2) for before in kept]
        gone = {row.id for row in on_spark.dedup(frame(session, crawl, 2), known=known).collect() if not row.kept}
        kept.append([row for row in crawl if row["id"] not in gone])
    whole = {row.id for row in on_spark.dedup(frame(session, everything, 3)).collect() if not row.kept}
    assert [row["id"] for row in everything if row["id"] not in whole] == [row["id"] for each in kept for row in each]


def test_no_known_document_is_like_a_new_one(session: SparkSession, tmp_path: Path) -> None:
    known, new = hot_rows(30, 29, seed=1), hot_rows(30, 29, seed=2)
    words = [row | {"text": f"{row['id']} alone"} for row in known]
    for number, side in enumerate((words, [row | {"text": "..."} for row in known[:2]])):
        folder = tmp_path / str(number)
        folder.mkdir()
        assert check_equal(session, new, folder, known=[side])["known_removed"] == 0
    empty = session.createDataFrame([], "id string, text string")
    with on_spark.run(frame(session, new, 2), known=[empty, frame(session, words, 1)]) as result:
        assert result.counts["known"] == 30 and result.counts["documents"] == 30
    assert on_spark.dedup(empty, known=frame(session, words, 1)).count() == 0


def submitted(monkeypatch: pytest.MonkeyPatch, *arguments: str | Path) -> int:
    monkeypatch.setattr(sys, "argv", ["", "dedup", *map(str, arguments)])
    return job.main()


def ids(folder: Path) -> list[str]:
    lines = [line for path in folder.glob("[!.]*.json*") for line in path.read_text("utf-8").splitlines()]
    return sorted(json.loads(line)["id"] for line in lines)


def test_runs_and_files_are_known(session: SparkSession, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A chain of submitted jobs, and the engine's runs over the same files, each known by the other."""
    crawls = [
        write_rows(tmp_path / f"crawl-{number}.jsonl", [row | {"id": f"{number} {row['id']}"} for row in crawl])
        for number, crawl in enumerate(worlds(31, 2, 20))
    ]
    runs: list[Path] = []
    for number, crawl in enumerate(crawls):
        ours, engines = tmp_path / f"spark-{number}", tmp_path / f"engine-{number}"
        known = [word for run in runs for word in ("--known", run)]
        assert submitted(monkeypatch, "--input", crawl, "--out", ours, *known) == 0
        la.dedup(crawl, engines, known=[run / "kept" if run.name[0] == "s" else run for run in runs])
        assert ids(ours / "kept") == ids(engines / "kept") and len(ids(ours / "kept")) > 5
        # What the one kept is known to both, then what the other kept.
        runs.append((engines, ours)[number % 2])
    new = session.read.json(str(crawls[2]))
    asked = [[f"{tmp_path}/crawl-[01].jsonl"], [session.read.json(str(crawls[0])), str(crawls[1])]]
    answers = [sorted(on_spark.dedup(new, known=known).collect()) for known in asked]
    assert answers[0] == answers[1]


def test_a_run_that_kept_nothing_is_known(
    session: SparkSession, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    crawl = write_rows(tmp_path / "crawl.jsonl", worlds(41, 0, 3)[0])
    la.dedup(crawl, tmp_path / "first", exact_only=True)
    for name in ("engine", "spark"):
        if name == "engine":
            la.dedup(crawl, tmp_path / name, known=tmp_path / "first")
        else:
            options = ("--input", crawl, "--out", tmp_path / name, "--known", tmp_path / "first")
            assert submitted(monkeypatch, *options) == 0
        assert ids(tmp_path / name / "kept") == []
        with on_spark.run(session.read.json(str(crawl)), known=tmp_path / name) as result:
            assert result.counts["known"] == 0 and result.counts["kept"] > 0


ROWS: Rows = [{"id": "a", "text": "one two three"}, {"id": "b", "text": "something else altogether"}]


def test_what_cannot_be_known_is_refused(
    session: SparkSession, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    rows = write_rows(tmp_path / "rows.jsonl", ROWS)
    la.dedup(rows, tmp_path / "unwritten", no_write=True)
    assert submitted(monkeypatch, "--input", rows, "--out", tmp_path / "no kept", "--no-write") == 0
    (tmp_path / "begun").mkdir()
    (tmp_path / "begun/recipe.toml").write_text("")
    (tmp_path / "begun/manifest.json").write_text('{"finished": false}')
    with la.Index.create(tmp_path / "index", "text") as index:
        index.add("a", "one two three")
    (tmp_path / "mixed").mkdir()
    (tmp_path / "mixed/a.jsonl").write_text("")
    (tmp_path / "mixed/a.parquet").write_text("")
    (tmp_path / "archives/deep").mkdir(parents=True)
    (tmp_path / "archives/deep/a.warc.gz").write_text("")
    (tmp_path / "nothing").mkdir()
    (tmp_path / "nothing/_SUCCESS").write_text("")
    table = frame(session, ROWS, 1)
    asked: list[tuple[Any, type[la.Error], str]] = [
        ("unwritten", la.ParameterError, "a run that did not write what it kept"),
        ("no kept", la.ParameterError, "a run that did not write what it kept"),
        ("begun", la.ParameterError, "a run that has not finished"),
        ("index", la.ParameterError, "is an index, which is not known on Spark\nhint: `lookalike.dedup` knows"),
        ("mixed", la.InputError, "has files of two formats, `a.* and `a."),
        ("archives", la.InputError, "`a.warc.gz` in .* is not read on Spark: .*\nhint: read them with Spark"),
        ("nothing", la.InputError, "has no documents"),
        ("nowhere", la.InputError, "nowhere` is not there"),
        (table.drop("text"), la.ParameterError, "no column `text` in the known table; there are: `id`"),
        ([table, table.drop("id")], la.ParameterError, "no column `id` in known table 2"),
        ([ROWS], la.ParameterError, "known is a list, but must be a DataFrame, a path, or a list of these"),
    ]
    for known, kind, message in asked:
        path = tmp_path / known if isinstance(known, str) else known
        with pytest.raises(kind, match=message):
            on_spark.dedup(table, known=path)
    with pytest.raises(la.ParameterError, match="components may join several known documents"):
        on_spark.dedup(table, known=table, cluster="components")
    nulls = session.createDataFrame([("x", None), ("y", "one two three")], "id string, text string")
    with pytest.warns(UserWarning, match="1 rows in the known table without a text were skipped"):
        assert [row.id for row in on_spark.dedup(table, known=nulls).collect() if not row.kept] == ["a"]
    with pytest.raises(la.InputError, match="1 rows in the known table have no text"):
        on_spark.dedup(table, known=nulls, strict=True)
    nameless = session.createDataFrame([(None, "one")], "id string, text string")
    with pytest.raises(la.InputError, match="column `id` in the known table is null in 1 rows"):
        on_spark.dedup(table, known=nameless)
