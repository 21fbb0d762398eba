"""Spark's answer is the engine's, row by row, whatever the partitions and whatever is asked; and the
guide's examples print what it shows."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from guides import ON_SPARK, check_examples, read_guide
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from spark_corpora import Rows, check_equal, frame, mixed_rows

import lookalike as la
from lookalike import spark as on_spark
from lookalike.spark import __main__ as job
from lookalike.spark import _matching, _verify
from lookalike.spark._columns import bytes_to_words, words_to_bytes
from lookalike.spark._components import components
from lookalike.spark._work import Work


@pytest.mark.parametrize(("partitions", "few", "rounds"), [(1, 0, 3), (7, 10**9, 2)])
def test_anchored(
    session: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, partitions: int, few: int, rounds: int
) -> None:
    monkeypatch.setattr(_matching, "FEW_CANDIDATES", few)
    counts = check_equal(session, mixed_rows(), tmp_path, partitions)
    # The corpus has all that can be hard.
    assert counts["limited_groups"] > 0 and counts["rounds"] >= rounds
    assert counts["near_removed"] > 200 and counts["exact_removed"] > 20 and counts["empty"] == 6


def test_components(session: SparkSession, tmp_path: Path) -> None:
    rows = [row for row in mixed_rows() if row["id"] < "hot 000100" or row["id"] > "hot 9"]
    check_equal(session, rows, tmp_path, cluster="components")


def test_the_victim_of_a_forger_stays(session: SparkSession, root: Path, tmp_path: Path) -> None:
    lines = (root / "tests/fixtures/forged/documents.jsonl").read_text().splitlines()
    counts = check_equal(session, [json.loads(line) for line in lines], tmp_path)
    assert (counts["documents"], counts["kept"], counts["pairs"]) == (3, 3, 0)


def test_all_pairs_and_another_threshold(session: SparkSession, tmp_path: Path) -> None:
    rows = [row for row in mixed_rows() if row["id"] < "hot 000100" or row["id"] > "hot 9"]
    check_equal(session, rows, tmp_path, pairs="all", threshold=0.6, keep=["prefer:score=3,5", "max:score", "shortest"])


def test_sites_by_signatures(session: SparkSession, tmp_path: Path) -> None:
    rows = [row for row in mixed_rows() if row["id"] < "hot 000200"]
    check_equal(session, rows, tmp_path, recipe="henzinger-sites", url="url", keep="max:score then first")


def test_estimates(session: SparkSession, tmp_path: Path) -> None:
    rows = [row for row in mixed_rows() if row["id"] < "hot 000200"]
    # Decided on as if there were too many pairs for one task.
    check_equal(session, rows, tmp_path, verify="estimate", keep="shortest", one_task_pairs=0)


def test_pages_and_exact_copies(session: SparkSession, tmp_path: Path) -> None:
    rows = [
        {"id": n, "page": f"<p>one <b>two</b> {n % 3}<img src='http://a.org/{n % 2}.png'>", "from": f"http://a.org/{n}"}
        for n in range(12)
    ]
    # Numbers as ids are in the order of numbers.
    check_equal(session, rows, tmp_path, html="page", url="from", exact_only=True, keep="newest:id")


def test_pages_without_what_is_beside_their_content(session: SparkSession, tmp_path: Path) -> None:
    def words(name: str, start: int, count: int) -> str:
        return " ".join(f"{name}{n}" for n in range(start, start + count))

    # Each content in two frames that have nothing in common.
    rows = [
        {
            "id": f"page {n:02}",
            "page": f"<nav>{words('menu', 100 * (n % 2), 60)}</nav><p>{words('word', 100 * (n // 2), 40)}",
        }
        for n in range(40)
    ]
    counts = check_equal(session, rows, tmp_path, recipe="pages", html="page")
    assert (counts["near_removed"], counts["kept"]) == (20, 20)


def test_counts_of_clusters(session: SparkSession, tmp_path: Path) -> None:
    chance = random.Random(5)
    dates = ["2024-01-02T03:04:05.678901Z", "2019", "1704153600", "yesterday", "", None, "1066-10-14"]
    rows = [row for row in mixed_rows() if row["id"] < "hot 000060"]
    rows = [row | {"crawl": chance.choice(["a", "b", "c", "", None]), "date": chance.choice(dates)} for row in rows]
    # Columns that are times and numbers.
    start = datetime(2020, 1, 1, tzinfo=timezone.utc)
    typed = [row | {"crawl": n % 3, "date": start + timedelta(hours=n)} for n, row in enumerate(rows)]
    fields = {"count": "crawl", "date_field": "date"}
    asked: list[tuple[Rows, dict[str, Any]]] = [
        (rows, {"url": "url"}), (rows, fields | {"cluster": "components"}), (typed, fields)
    ]  # fmt: skip
    for number, (given, options) in enumerate(asked):
        folder = tmp_path / str(number)
        folder.mkdir()
        assert check_equal(session, given, folder, **options)["clusters"] > 30


@dataclass(frozen=True)
class ChanceJudge:
    """Accepts some candidates, by nothing but their places."""

    work: Work

    def accepted(self, name: str, candidates: DataFrame, _count: int) -> tuple[DataFrame, int]:
        shares = [F.lit(None).cast("double").alias(f"share{n}") for n in range(3)]
        chosen = candidates.where((F.col("earlier") * 31 + F.col("later") * 17) % 7 < 2)
        table = self.work.write(name, chosen.select("earlier", "later", *shares))
        return table, table.count()


def ten_lines(groups: dict[int, list[int]], limit: int) -> dict[int, int]:
    """Who goes, by the definition."""
    keepers: dict[int, int] = {}
    for place in sorted({place for group in groups.values() for place in group}):
        candidates = set()
        for group in groups.values():
            if place in group:
                kept = [other for other in sorted(group) if other < place and other not in keepers]
                candidates.update(kept[:limit])
        accepted = [other for other in sorted(candidates) if (other * 31 + place * 17) % 7 < 2]
        if accepted:
            keepers[place] = accepted[0]
    return keepers


def test_rounds_compute_the_definition(
    session: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Five hundred small worlds at once, with a limit that is reached in most of them."""
    monkeypatch.setattr(_matching, "GROUP_LIMIT", 3)
    monkeypatch.setattr(_matching, "FIRST_LIMITS", (1, 2))
    chance = random.Random(5)
    members, expected = [], {}
    for world in range(500):
        places = range(world * 100, world * 100 + chance.randrange(3, 25))
        groups = {
            world * 100 + key: chance.sample(places, chance.randrange(2, len(places)))
            for key in range(chance.randrange(1, 6))
        }
        members += [(key, place) for key, group in groups.items() for place in group]
        expected |= ten_lines(groups, 3)
    work = Work(session, str(tmp_path))
    table = work.write("members", session.createDataFrame(members, "key long, place long").repartition(3))
    matching = _matching.Matching(work, ChanceJudge(work), table, 25, 10**9)  # type: ignore[arg-type]
    decision = matching.anchored()
    assert {row.place: row.keeper for row in decision.gone.collect()} == expected
    # The rounds that correct what the first ones got wrong were needed.
    assert decision.rounds > 4


@pytest.mark.parametrize("limit", [1, 2, 3, 1000])
def test_groups_stream_past_their_anchors(limit: int) -> None:
    """Groups of all sizes, cut into batches anywhere, beside what a loop over whole groups gives."""
    chance = random.Random(limit)
    groups = {key: sorted(chance.sample(range(1000), chance.choice([1, 1, 2, 3, 9, 40]))) for key in range(-99, 99, 2)}
    keepers = {place: chance.randrange(place) for place in range(1, 1000) if chance.random() < 0.5}
    rows = [(key, place, keepers.get(place)) for key, group in groups.items() for place in group]
    table = pa.table(list(zip(*rows, strict=True)), ["key", "place", "keeper"])
    numbered, pairs, later_pairs = [], [], []
    for group in groups.values():
        if len(group) > 1:
            numbered += list(enumerate(group, 1))
        for place in group:
            kept = [other for other in group if other < place and other not in keepers][:limit]
            pairs += [(other, place) for other in kept if other <= keepers.get(place, 1000)]
            later_pairs += [(other, place) for other in group[1:limit] if other < place]
    for size in (1, 2, 7, 64, 10**6):
        batches = table.to_batches(max_chunksize=size)
        known = [batch.select(["key", "place"]) for batch in batches]

        def given(streamed: Iterator[pa.RecordBatch], *names: str) -> list[tuple[int, ...]]:
            return [row for batch in streamed for row in zip(*[batch[name].to_pylist() for name in names], strict=True)]

        assert given(_matching.number_members(iter(known)), "number", "place") == numbered
        assert given(_matching.pairs_with_anchors(iter(batches), limit), "earlier", "later") == pairs
        without_first = _matching.pairs_with_anchors(iter(known), limit, first=1)
        assert given(without_first, "earlier", "later") == later_pairs


def test_the_first_task_of_a_worker() -> None:
    """A new process imports what a function needs, whichever of them is the first."""
    table = pa.table({"key": [1, 1, 2], "place": [3, 4, 5]})
    with pa.BufferOutputStream() as stream:
        with pa.ipc.new_stream(stream, table.schema) as writer:
            writer.write_table(table)
        rows = stream.getvalue().to_pybytes()
    program = (
        "import sys, pyarrow; from lookalike.spark._matching import number_members; "
        "print(sum(batch.num_rows for batch in number_members(pyarrow.ipc.open_stream(sys.stdin.buffer))))"
    )
    assert subprocess.run([sys.executable, "-c", program], input=rows, capture_output=True, check=True).stdout == b"2\n"


@pytest.mark.parametrize("words", [100, 1000, 10**9])
def test_every_candidate_is_in_one_block_with_both(words: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """However small blocks are, and wherever batches are cut."""
    monkeypatch.setattr(_verify, "BLOCK_WORDS", words)
    monkeypatch.setattr(_verify, "ROW_WORDS", 4)
    chance = random.Random(words)
    texts = {place: " ".join(f"w{chance.randrange(3)}" for _ in range(chance.randrange(1, 60))) for place in range(90)}
    recipe = la.Recipe.load("text", threshold=0.1)
    sets = dict(zip(texts, recipe.shingles_batch(list(texts.values())), strict=True))
    pairs = {tuple(sorted(chance.sample(range(90), 2))): chance.choice([-5, 0, 3]) for _ in range(700)}
    pairs |= {(0, later): 3 for later in range(1, 90)}
    rows = sorted((root, *pair, len(sets[pair[0]])) for pair, root in pairs.items())
    table = pa.table(list(zip(*rows, strict=True)), ["root", "earlier", "later", "size"])
    expected = {
        (a, b): la.resemblance(texts[a], texts[b], recipe=recipe)
        for a, b in pairs
        if la.resemblance(texts[a], texts[b], recipe=recipe) >= 0.1
    }
    for size in (1, 3, 50, 10**6):
        blocks: dict[tuple[int, int, int], list[int | None]] = {}
        for batch in _verify.cut_into_blocks(iter(table.to_batches(max_chunksize=size))):
            for root, part, place, other in zip(*batch.to_pydict().values(), strict=True):
                blocks.setdefault((root, part, place), []).append(other)
        assert words > 1000 or len({block[:2] for block in blocks}) > 3
        made = [
            (*block, [other for other in others if other is not None], None in others, sets[block[2]])
            for block, others in sorted(blocks.items())
        ]
        columns = [pa.array(column) for column in list(zip(*made, strict=True))[:5]]
        shingles = words_to_bytes(pa.array([row[5].as_py() for row in made], pa.list_(pa.uint64())))
        names = ["root", "part", "place", "others", "is_earlier", "shingles"]
        in_blocks = pa.table([*columns, shingles], names).to_batches(max_chunksize=size)
        judged = _verify.judge_blocks(iter(in_blocks), recipe, _verify.Needs.of(recipe))
        found = [row for batch in judged for row in batch.to_pylist()]
        assert {(row["earlier"], row["later"]): row["resemblance"] for row in found} == expected
        assert len(found) == len(expected) and 50 < len(expected) < len(pairs)


def test_shingles_as_bytes() -> None:
    lists = pa.array([[1, 2**64 - 1], [], [7]], pa.list_(pa.uint64()))
    assert bytes_to_words(words_to_bytes(lists)).to_pylist() == lists.to_pylist()
    assert bytes_to_words(words_to_bytes(lists).slice(1)).to_pylist() == [[], [7]]
    assert bytes_to_words(words_to_bytes(lists.slice(0, 0))).to_pylist() == []


def test_components_of_chains_and_stars(session: SparkSession, tmp_path: Path) -> None:
    """Paths, which take the most rounds, random graphs, and a node with many neighbours."""
    chance = random.Random(1)
    edges = [(place, place + 1) for place in range(1000)]
    edges += [(2000, place) for place in range(2001, 3000)]
    edges += [tuple(sorted(chance.sample(range(4000, 4400), 2))) for _ in range(180)]
    nodes = {place for edge in edges for place in edge}
    smallest = {place: place for place in nodes}
    while any(smallest[a] != smallest[b] for a, b in edges):
        for a, b in edges:
            smallest[a] = smallest[b] = min(smallest[a], smallest[b])
    table = session.createDataFrame(list(set(edges)), "earlier long, later long")
    for one_task in (0, 10**6):
        work = Work(session, str(tmp_path))
        found = components(work, "found", table, len(set(edges)), one_task)
        assert {row.place: row.smallest for row in found.collect()} == smallest and found.count() == len(nodes)


ROWS: Rows = [
    {"id": "b", "text": "one two three four five six seven", "n": 1},
    {"id": "a", "text": "ONE two three four five six, seven!", "n": 2},
    {"id": "c", "text": "something else altogether", "n": 3},
]


def test_the_order_of_the_input(session: SparkSession) -> None:
    for order, keeper in ((None, "a"), ("n", "b")):
        clusters = on_spark.dedup(frame(session, ROWS, 2), order=order, exact_only=True).collect()
        assert [(row.id, row.keeper) for row in clusters if row.kept] == [(keeper, keeper)]
        assert {row.cluster for row in clusters} == {0}


def test_rows_of_one_id(session: SparkSession, tmp_path: Path) -> None:
    """They are told apart by what they have."""
    rows = [{"id": f"same {n % 2}", "text": f"one two three four five six {n // 6}", "n": n} for n in range(12)]
    check_equal(session, rows, tmp_path, partitions=4, order="n", keep="longest")
    # Without an order, the same rows in any order give the same.
    answers = [on_spark.dedup(frame(session, rows, parts, parts), exact_only=True).collect() for parts in (1, 4)]
    assert sorted(answers[0]) == sorted(answers[1])


def test_what_has_no_text_or_no_id(session: SparkSession) -> None:
    types = "id string, text string"
    rows = [("a", "one two"), ("b", None), ("c", "ONE two"), ("d", "")]
    table = session.createDataFrame(rows, types)
    with pytest.warns(UserWarning, match="1 rows without a text"):
        result = on_spark.run(table)
    assert result.counts["skipped"] == 1 and result.counts["documents"] == 3 and result.counts["empty"] == 1
    assert [row.id for row in result.clusters.collect() if not row.kept] == ["c"]
    with pytest.raises(la.InputError, match="1 rows have no text"):
        on_spark.dedup(table, strict=True)
    with pytest.raises(la.InputError, match="column `id` is null in 1 rows"):
        on_spark.dedup(session.createDataFrame([(None, "one")], types))
    nothing = on_spark.run(session.createDataFrame([], types), pairs="needed")
    assert nothing.clusters.count() == 0 and nothing.counts["documents"] == 0


WITHOUT_PROJECTIONS = """
base = "henzinger-combined"
[projection]
keep = false
"""


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"text": "body"}, "there is no column `body`; there are: `id`, `text`, `n`"),
        ({"text": "n"}, "column `n` is bigint, but must be string or binary"),
        ({"text": None}, "either text or html"),
        ({"keep": "last"}, "must be first"),
        ({"keep": "newest:date"}, "there is no column `date`"),
        ({"cluster": "some"}, "must be anchored or components"),
        ({"recipe": "nothing"}, "nothing"),
        ({"recipe": "sites"}, "only `dedup` and `eval` learn templates"),
        ({"threshold": 1.5}, "threshold"),
        ({"recipe": la.Recipe.from_toml(WITHOUT_PROJECTIONS)}, "projection.keep is False, but must be True on Spark"),
    ],
)
def test_what_makes_no_sense_is_refused(session: SparkSession, options: dict[str, Any], message: str) -> None:
    with pytest.raises(la.ParameterError, match=message):
        on_spark.dedup(frame(session, ROWS, 1), **options)


def test_signing(session: SparkSession) -> None:
    rows = [("a", "one two three"), ("b", None), ("c", "")]
    signed = on_spark.sign(session.createDataFrame(rows, "id string, text string"), recipe="henzinger-combined")
    recipe = la.Recipe.preset("henzinger-combined")
    made = signed.collect()
    assert [row.id for row in made] == ["a", "b", "c"]
    expected = recipe.sign("one two three")
    assert bytes(made[0].signature) == expected.to_bytes() and bytes(made[0].exact) == expected.exact
    assert [n % 2**64 for n in made[0].features] == expected.features.tolist()
    assert len(made[0]["keys"]) == 15 and made[1].signature is None and made[2].empty
    with pytest.raises(la.ParameterError, match="there is no column `rank`"):
        on_spark.sign(signed, columns=["rank"])


def test_nothing_is_left_behind(session: SparkSession, tmp_path: Path) -> None:
    before = session.conf.get("spark.sql.execution.arrow.maxRecordsPerBatch")
    result = on_spark.run(frame(session, ROWS, 1), work=str(tmp_path))
    (folder,) = tmp_path.iterdir()
    assert [path.name for path in folder.iterdir() if not path.name.startswith(".")] == ["clusters"]
    result.close()
    with pytest.raises(la.InputError):
        on_spark.dedup(session.createDataFrame([(None, "one")], "id string, text string"), work=str(tmp_path))
    assert [path for path in tmp_path.iterdir() if not path.name.startswith(".")] == []
    assert session.conf.get("spark.sql.execution.arrow.maxRecordsPerBatch") == before


def test_what_is_there_is_not_overwritten(
    session: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = tmp_path / "rows.jsonl"
    rows.write_text('{"id": "a", "text": "one"}', "utf-8")
    monkeypatch.setattr(sys, "argv", ["", "dedup", "--input", str(rows), "--out", str(tmp_path)])
    assert job.main() == 2
    said = capsys.readouterr()
    assert said.out == "" and "is there already; name a new folder" in said.err
    assert list(tmp_path.iterdir()) == [rows]


def test_the_guide(session: SparkSession, root: Path) -> None:
    check_examples(read_guide(root, "spark.md"), 6, session=session)


def test_coming_from_mllib(session: SparkSession, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(root)
    check_examples(read_guide(root, "coming-from.md").split(ON_SPARK)[1], 12, session=session)
