"""Jobs beside documents that are known: on files what the command gives, on tables what files give."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars
import pyarrow as pa
import pyarrow.parquet
import pytest
from corpora import make_rows, write_rows

import lookalike as la

# What files have otherwise than tables.
OWN = ["source"]


def crawls() -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Known rows and new ones, of which some are like them."""
    rows = make_rows(600)
    return rows[:400], rows[400:]


def read(folder: Path) -> pa.Table:
    return pyarrow.parquet.read_table(folder / "clusters.parquet", memory_map=False)


def same(found: pa.Table, expected: pa.Table) -> bool:
    return bool(found.drop_columns(OWN).replace_schema_metadata(None).equals(expected.drop_columns(OWN)))


def test_what_the_command_gives(root: Path, command: Callable[..., str], tmp_path: Path) -> None:
    years = [root / f"examples/crawls/{year}.jsonl" for year in (2024, 2025, 2026)]
    made: dict[str, list[Path]] = {"command": [], "python": []}
    for year in years:
        before = [word for run in made["command"] for word in ("--known", run)]
        command("dedup", year, "--out", tmp_path / "command" / year.stem, *before)
        la.dedup(year, tmp_path / "python" / year.stem, known=made["python"])
        for way, runs in made.items():
            runs.append(tmp_path / way / year.stem)
    for year, theirs, ours in zip(years, *made.values()):
        kept = [(run / "kept" / year.name).read_bytes() for run in (theirs, ours)]
        assert kept[0] == kept[1]
        assert read(ours).equals(read(theirs))
    report = la.Report.read(made["python"][2])
    assert report.known is not None and report.documents == 17
    assert (report.known["documents"], report.known["removed"]) == (13, 13)
    assert [(side["documents"], side["kind"]) for side in report.known["sides"]] == [(10, "run"), (3, "run")]


@pytest.mark.parametrize("kind", ["pyarrow", "polars", "dicts", "run", "paths"])
def test_a_table_beside_what_is_known(tmp_path: Path, kind: str) -> None:
    old, new = crawls()
    files = [write_rows(tmp_path / f"{name}.jsonl", rows) for name, rows in (("old", old), ("new", new))]
    run = tmp_path / "run"
    first = la.dedup(files[0], run)
    known: Any = {
        "pyarrow": lambda: pa.Table.from_pylist(old),
        "polars": lambda: polars.DataFrame(old),
        "dicts": lambda: old,
        "run": lambda: str(run),
        "paths": lambda: [files[0]],
    }[kind]()
    beside = run if kind == "run" else files[0]
    report = la.dedup(files[1], tmp_path / "out", known=beside, keep="max:score", pairs="all")
    expected = read(tmp_path / "out")

    clusters = la.dedup_table(pa.Table.from_pylist(new), url="url", known=known, keep="max:score", pairs="all")
    assert same(clusters, expected)
    told = la.Report.of(clusters)
    assert told.known is not None and report.known is not None
    assert told.known["documents"] == (first.kept if kind == "run" else len(old))
    assert told.known["removed"] == report.known["removed"] > 10
    assert told.documents == len(new) and told.kept == report.kept
    # Known rows are no rows of the table.
    mask = la.kept_mask(clusters, len(new))
    gone = {row["id"] for row in clusters.to_pylist() if not row["kept"]}
    assert [row["id"] for row, stays in zip(new, mask) if not stays] == [row["id"] for row in new if row["id"] in gone]
    assert not any(row["known"] and not row["kept"] for row in clusters.to_pylist())
    pairs = la.pairs_of(clusters)
    assert {*pairs["known"].to_pylist()} == {True, False}


def test_one_job_over_both_keeps_the_same(tmp_path: Path) -> None:
    old, new = crawls()
    whole = la.dedup_table(pa.Table.from_pylist(old + new))
    known = pa.Table.from_pylist(old).filter(la.kept_mask(la.dedup_table(old), len(old)))
    alone = la.dedup_table(new, known=known)
    assert la.kept_mask(whole, 600)[400:].tolist() == la.kept_mask(alone, 200).tolist()


def test_an_index_is_known(tmp_path: Path) -> None:
    old, new = crawls()
    with la.Index.create(tmp_path / "index", "text") as index:
        index.add_batch([{"id": row["id"], "text": row["text"]} for row in old])
    by_index = la.dedup_table(new, known=tmp_path / "index")
    by_table = la.dedup_table(new, known=old)
    names = ["id", "keeper", "kept", "kind", "resemblance", "known", "keeper_known"]
    assert by_index.select(names).to_pylist() == by_table.select(names).to_pylist()
    told = la.Report.of(by_index).known
    assert told is not None
    assert (told["documents"], told["sides"][0]["kind"]) == (400, "index") and told["removed"] > 10


def test_texts_and_what_cannot_be_known() -> None:
    texts = ["one two three four five six seven", "something else altogether", "a third one that nobody has seen"]
    clusters = la.dedup_table(texts, known=[texts[1].upper()])
    rows = [(row["id"], row["kept"], row["known"], row["kind"]) for row in clusters.to_pylist()]
    assert rows == [("0", True, True, "keeper"), ("1", False, False, "exact")]
    assert la.kept_mask(clusters, 3).tolist() == [True, False, True]
    assert la.dedup_table(texts, known=[]).num_rows == 0
    with pytest.raises(la.ParameterError, match="components"):
        la.dedup_table(texts, known=texts, cluster="components")
    with pytest.raises(la.Error, match="nowhere"):
        la.dedup_table(texts, known=Path("nowhere"))
    with pytest.raises(la.ParameterError, match="no column `text`"):
        la.dedup_table([{"id": "a", "text": texts[0]}], known=pa.table({"id": ["b"], "body": texts[:1]}))
