"""Passages of files are those of the command, and those of tables are cut as those of files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy
import pyarrow as pa
import pyarrow.parquet
import pytest

import lookalike as la

GATE = "Please keep the gate closed at night, thank you."
TEXTS = [
    f"The roof is repaired.\n{GATE}\n",
    f"{GATE}\nThe garden is watered. \u4e2d\u6587\n",
    GATE.upper(),
    "",
    f"\u4e2d\u6587 \U0001f33b\n{GATE}\n{GATE}\nlast",
]
LEFT = [TEXTS[0], "The garden is watered. \u4e2d\u6587\n", None, "", "\u4e2d\u6587 \U0001f33b\nlast"]
RULE: dict[str, Any] = {"min_words": 5}


def table(texts: list[str | None] = TEXTS, type: pa.DataType | None = None) -> pa.Table:
    return pa.table({"id": [f"{n}" for n in range(len(texts))], "text": pa.array(texts, type)})


def lines(path: Path, texts: list[str]) -> Path:
    path.write_text("".join(json.dumps({"id": f"{n}", "text": text}) + "\n" for n, text in enumerate(texts)))
    return path


def test_files_are_cut(tmp_path: Path) -> None:
    seen: list[str] = []
    report = la.passages(
        lines(tmp_path / "in.jsonl", TEXTS), out=tmp_path / "out", **RULE, progress=lambda p: seen.append(p.stage)
    )
    kept = [json.loads(line)["text"] for line in (tmp_path / "out/kept/in.jsonl").read_text().splitlines()]
    assert kept == [text for text in LEFT if text is not None]
    assert report.passages is not None
    assert (report.passages["cuts"], report.passages["documents_gone"], report.kept) == (4, 1, 4)
    assert report.read_passages().num_rows == 4
    assert seen


def test_tables_are_cut_as_files(tmp_path: Path) -> None:
    for unit in ("words", "lines", "sentences", "paragraphs"):
        out = tmp_path / unit
        report = la.passages(lines(tmp_path / "in.jsonl", TEXTS), out=out, cut=unit, **RULE)
        cut = la.passages_table(table(), cut=unit, **RULE)
        assert cut.spans.equals(report.read_passages()), unit
        kept = [json.loads(line)["text"] for line in (out / "kept/in.jsonl").read_text().splitlines()]
        assert cut.text.filter(pa.array(cut.kept)).to_pylist() == kept
        # The table is a source of its own.
        assert cut.report.passages is not None and report.passages is not None
        assert {**cut.report.passages, "sources": None} == {**report.passages, "sources": None}


@pytest.mark.parametrize("type", [pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int32(), pa.string())])
def test_texts_of_any_type_are_cut(type: pa.DataType) -> None:
    cut = la.passages_table(table(type=type), **RULE)
    assert cut.text.to_pylist() == LEFT
    assert cut.kept.tolist() == [True, True, False, True, True]


def test_chunks_slices_and_nulls() -> None:
    whole = pa.concat_tables([table()[:2], table()[2:4], table()[4:]])
    assert la.passages_table(whole, **RULE).text.to_pylist() == LEFT
    part = pa.concat_tables([table(["nothing", None]), table()])[1:]
    with pytest.warns(UserWarning, match="1 rows without a text"):
        cut = la.passages_table(part, id=None, **RULE)
    assert cut.text.to_pylist() == [None, *LEFT]
    assert cut.kept.tolist() == [True, True, True, False, True, True]
    assert set(zip(cut.spans["row"].to_pylist(), cut.spans["keeper_row"].to_pylist())) == {(2, 1), (3, 1), (5, 1)}


def test_spans_are_bytes_of_the_text() -> None:
    cut = la.passages_table(table(), **RULE)
    for row in cut.spans.to_pylist():
        there = TEXTS[row["keeper_row"]].encode()[row["keeper_begin"] : row["keeper_end"]].decode()
        own = TEXTS[row["row"]].encode()[row["begin"] : row["end"]].decode()
        assert there.casefold().rstrip(".\n") == own.casefold().rstrip(".\n")


def test_rows_of_which_too_little_is_left_go() -> None:
    cut = la.passages_table(table(), min_left=5, **RULE)
    assert cut.kept.tolist() == [True, True, False, True, False]
    assert cut.text.to_pylist()[4] is None
    assert cut.report.passages is not None
    assert cut.report.passages["words_lost"] == 3


def test_lists_frames_and_fields() -> None:
    assert la.passages_table(TEXTS, **RULE).text.to_pylist() == LEFT
    nested = pa.table({"meta": pa.array([{"body": text} for text in TEXTS])})
    assert la.passages_table(nested, text="meta.body", id=None, **RULE).text.to_pylist() == LEFT
    reader = pa.RecordBatchReader.from_batches(table().schema, table().to_batches())
    assert la.passages_table(reader, **RULE).text.to_pylist() == LEFT
    assert la.passages_table(table([]), **RULE).text.to_pylist() == []


def test_dedup_cuts_passages_of_what_stays(tmp_path: Path) -> None:
    source = lines(tmp_path / "in.jsonl", [*TEXTS, TEXTS[0]])
    report = la.dedup(source, out=tmp_path / "out", passages=True, min_words=5, max_cut=0.9)
    assert report.exact_removed == 1
    assert report.passages is not None and report.passages["documents_gone"] == 1
    assert la.dedup(source, out=tmp_path / "plain").passages is None
    plan = la.plan(source, passages=True)
    assert 0 < plan.passage_bytes < plan.working_bytes
    assert la.plan(source).passage_bytes == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"min_words": 0}, "min_words is 0, but must be at least 1"),
        ({"min_words": 10**9}, "min_words is 1000000000, but must be at most 1048576"),
        ({"max_copies": 0}, "max_copies is 0"),
        ({"min_left": 0}, "min_left is 0"),
        ({"cut": "pages"}, "cut is `pages`, but must be words, lines, sentences or paragraphs"),
        ({"within": "file"}, "within is `file`, but must be corpus or document"),
        ({"max_cut": 1.5}, "max_cut is 1.5"),
        ({"text": "messages[].content"}, "put together of a list"),
        ({"text": "body"}, "there is no column `body`"),
    ],
)
def test_wrong_options(options: dict[str, Any], message: str) -> None:
    with pytest.raises(la.ParameterError, match=message.replace("[", r"\[")):
        la.passages_table(table(), **options)


def test_the_rule_needs_passages(tmp_path: Path) -> None:
    with pytest.raises(la.ParameterError, match="min_words has a meaning with passages=True only"):
        la.dedup(tmp_path, out=tmp_path / "out", min_words=5)


def test_too_much_is_refused(tmp_path: Path) -> None:
    with pytest.raises(la.Error, match="words"):
        la.passages_table(table(), max_cut=0.1, **RULE)


def test_a_mask_has_the_type_that_it_says() -> None:
    assert la.passages_table(table(), **RULE).kept.dtype == numpy.bool_
