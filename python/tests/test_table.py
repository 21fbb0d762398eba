"""Tables of every kind: the engine's answer for the same rows."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

import pandas
import polars
import pyarrow as pa
import pyarrow.parquet
import pytest
from corpora import make_rows, write_rows

import lookalike as la

# What stands in clusters.parquet of the table and not of the file.
OWN = ["source"]


@pytest.fixture(scope="module")
def many() -> pa.Table:
    return pa.Table.from_pylist(make_rows(100_000))


@pytest.fixture(scope="module")
def from_command(
    many: pa.Table, command: Callable[..., str], tmp_path_factory: pytest.TempPathFactory
) -> pa.Table:
    folder = tmp_path_factory.mktemp("command")
    corpus = write_rows(folder / "rows.jsonl", many.to_pylist())
    command("dedup", corpus, "--out", folder / "out", "--keep", "max:score", "--no-write")
    return pyarrow.parquet.read_table(folder / "out/clusters.parquet").drop_columns(OWN)


@pytest.mark.parametrize("kind", ["pyarrow", "polars", "pandas", "slices"])
def test_a_hundred_thousand_rows(many: pa.Table, from_command: pa.Table, kind: str) -> None:
    table = {
        "pyarrow": lambda: many,
        "polars": lambda: polars.from_arrow(many),
        "pandas": lambda: many.to_pandas(),
        "slices": lambda: pa.concat_tables([many.slice(0, 7), many.slice(7, 0), many.slice(7)]),
    }[kind]()
    clusters = la.dedup_table(table, url="url", keep="max:score")
    found = clusters.drop_columns(OWN).replace_schema_metadata(None)
    assert found.equals(from_command.replace_schema_metadata(None))
    report = la.Report.of(clusters)
    assert report.documents == 100_000
    assert report.near_removed > 5000 and report.exact_removed > 5000
    mask = la.kept_mask(clusters, 100_000)
    assert mask.sum() == report.kept


ROWS = [
    {"id": "a", "text": "one two three four five six seven"},
    {"id": "b", "text": "something else altogether"},
    {"id": "c", "text": "ONE two three four five six, seven!"},
]


def ids(clusters: pa.Table) -> list[tuple[str, str, bool]]:
    rows = clusters.select(["id", "keeper", "kept"]).to_pylist()
    return [tuple(row.values()) for row in rows]  # type: ignore[misc]


@pytest.mark.parametrize(
    "kind", [pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.dictionary(pa.int8(), pa.string())]
)
def test_every_type_of_text(kind: pa.DataType) -> None:
    whole = pa.Table.from_pylist(ROWS)
    text = whole["text"]
    text = text.dictionary_encode() if pa.types.is_dictionary(kind) else text.cast(kind)
    table = pa.table({"text": text, "id": whole["id"]})
    assert ids(la.dedup_table(table)) == [("a", "a", True), ("c", "a", False)]


def test_lists_of_texts_and_of_dicts() -> None:
    texts = [row["text"] for row in ROWS]
    assert ids(la.dedup_table(texts)) == [("0", "0", True), ("2", "0", False)]
    assert ids(la.dedup_table(tuple(texts), text="body")) == [("0", "0", True), ("2", "0", False)]
    assert ids(la.dedup_table(ROWS)) == [("a", "a", True), ("c", "a", False)]
    # A key that the first has not, and one that is not asked for.
    rows = [{"text": "something else", "extra": object()}, *({**row, "score": n} for n, row in enumerate(ROWS))]
    assert ids(la.dedup_table(rows, keep="max:score")) == [("c", "c", True), ("a", "c", False)]
    assert ids(la.dedup_table([{"body": text} for text in texts], text="body"))[1] == ("2", "0", False)
    assert la.dedup_table([]).num_rows == 0
    with pytest.raises(TypeError, match="row 1 is of the type int"):
        la.dedup_table([*ROWS[:1], 7])
    with pytest.raises(la.ParameterError, match="no column `text`; there are: `body`"):
        la.dedup_table([{"body": "x"}])


def test_ngrams() -> None:
    a, b = "one two three four five six seven eight nine ten", "one two three four five six seven eight nine TWELVE"
    wide = la.dedup_table([a, b], threshold=0.75)
    assert wide.num_rows == 0  # 5 of 7 windows of five words are in both
    narrow = la.dedup_table([a, b], threshold=0.75, ngram=1)
    assert narrow["resemblance"].to_pylist()[1] == pytest.approx(9 / 11)
    with pytest.raises(la.ParameterError, match="`shingles.width` is 0"):
        la.dedup_table([a, b], ngram=0)


def test_templates() -> None:
    """What stands on most pages of a site is not compared."""
    frame = " ".join(f"menu{n}" for n in range(60))
    rows = [
        {"url": f"http://example.org/{n}", "text": f"{frame} " + " ".join(f"page{n}word{m}" for m in range(12))}
        for n in range(40)
    ]
    whole = la.dedup_table(rows, url="url", threshold=0.6)
    assert la.Report.of(whole).near_removed > 0
    own = la.dedup_table(rows, url="url", threshold=0.6, templates="by-site")
    assert la.Report.of(own).near_removed == 0
    with pytest.raises(la.ParameterError, match="templates"):
        la.dedup_table(rows, templates="sometimes")


def test_names_of_columns_and_ids() -> None:
    table = polars.DataFrame({"body": [row["text"] for row in ROWS], "n": [7, 8, 9]})
    assert ids(la.dedup_table(table, text="body", id="n"))[1] == ("9", "7", False)
    numbered = la.dedup_table(table, text="body", id=None)
    assert ids(numbered) == [("0", "0", True), ("2", "0", False)]
    assert la.kept_mask(numbered, 3).tolist() == [True, True, False]
    assert table.filter(polars.Series(la.kept_mask(numbered, 3))).height == 2
    pages = pa.table({"id": ["a", "b"], "page": ["<p>one two</p>", "<b>ONE</b> two"]})
    assert ids(la.dedup_table(pages, html="page"))[1] == ("b", "a", False)
    nested = pa.table({"id": [1, 2], "meta": [{"text": "one two"}, {"text": "one two"}]})
    assert len(ids(la.dedup_table(nested, text="meta.text"))) == 2


def test_empty_tables_and_nulls() -> None:
    empty = pa.table({"id": pa.array([], pa.string()), "text": pa.array([], pa.string())})
    for table in (empty, polars.from_arrow(empty), empty.to_pandas(), pa.Table.from_batches([], empty.schema)):
        clusters = la.dedup_table(table)
        assert clusters.num_rows == 0 and "keeper" in clusters.schema.names
    table = pa.table({"id": ["a", None, "c", "d"], "text": ["one two", "one two", None, "ONE two"]})
    with pytest.warns(UserWarning, match="1 rows"):
        clusters = la.dedup_table(table)
    assert la.Report.of(clusters).skipped == 1
    # The row that was skipped is no document, but it is a row.
    assert clusters["record"].to_pylist() == [1, 2, 4]
    assert la.kept_mask(clusters, 4).tolist() == [True, False, True, False]
    with pytest.raises(la.InputError, match="record 3: field `text` is null"):
        la.dedup_table(table, strict=True)


def test_what_is_no_table_is_refused() -> None:
    table = pa.Table.from_pylist(ROWS)
    for wrong in (None, set(ROWS[0]), "table", 7):
        with pytest.raises(TypeError, match="__arrow_c_stream__"):
            la.dedup_table(wrong)
    for names in ({"text": "body"}, {"id": "name"}, {"url": "link"}, {"html": "page"}):
        with pytest.raises(la.ParameterError, match="there is no column"):
            la.dedup_table(table, **names)  # type: ignore[arg-type]
    with pytest.raises(la.ParameterError, match="one of text, html and sets"):
        la.dedup_table(table, text=None)
    with pytest.raises((la.Error, TypeError)):
        la.dedup_table(pa.table({"id": [1], "text": [2.5]}), strict=True)
    with pytest.raises(la.ParameterError, match="not a result of dedup_table"):
        la.Report.of(table)
    with pytest.raises(la.ParameterError, match="hint: id=None numbers the rows"):
        la.dedup_table(table.select(["text"]))


def test_nothing_is_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    la.dedup_table(pa.Table.from_pylist(ROWS))
    with pytest.raises(la.ParameterError):
        la.dedup_table(pa.Table.from_pylist(ROWS), keep="last")
    assert os.listdir(tmp_path) == []


def test_thresholds_and_recipes() -> None:
    rows = make_rows(300)
    table = pa.Table.from_pylist(rows)
    few, many = (la.dedup_table(table, threshold=t).num_rows for t in (0.99, 0.6))
    assert few < many
    recipe = la.Recipe.preset("henzinger-sites")
    assert la.dedup_table(table, url="url", recipe=recipe).num_rows > 0
    assert la.dedup_table(table, exact_only=True).num_rows < many


CHATS = [
    {"id": "a", "messages": [{"role": "user", "content": "one two three four"}, {"role": "assistant", "content": "five six seven"}]},
    {"id": "b", "messages": [{"role": "user", "content": "something else altogether"}]},
    {"id": "c", "messages": [{"role": "user", "content": None}, {"role": "user", "content": "one two three four\nfive six seven"}]},
    {"id": "d", "messages": None},
    {"id": "e", "messages": [{"role": "system", "content": "something else altogether"}]},
]  # fmt: skip


def test_chats_are_the_contents_of_their_messages(tmp_path: Path) -> None:
    expected = [("a", "a", True), ("b", "b", True), ("c", "a", False), ("e", "b", False)]
    table = pa.Table.from_pylist(CHATS)
    large = table.schema.field("messages").type.value_type
    kinds = [
        table,
        table.slice(1, 4),
        CHATS,
        polars.from_arrow(table),
        table.to_pandas(),
        table.set_column(1, "messages", table["messages"].cast(pa.large_list(large))),
    ]
    for kind, given in enumerate(kinds):
        with pytest.warns(UserWarning, match="1 rows without a text"):
            clusters = la.dedup_table(given, text="messages[].content")
        found = sorted(ids(clusters))
        assert found == (expected if kind != 1 else [("b", "b", True), ("e", "b", False)]), kind
    # A struct of lists, as a Sequence of Hugging Face is.
    turned = pa.table({"id": ["a", "b"], "chat": [{"content": ["x y", "z"]}, {"content": ["x", "y z"]}]})
    assert ids(la.dedup_table(turned, text="chat.content[]")) == [("a", "a", True), ("b", "a", False)]
    # Files, by the same name.
    pyarrow.parquet.write_table(table, tmp_path / "chats.parquet")
    for name in (write_rows(tmp_path / "chats.jsonl", CHATS), tmp_path / "chats.parquet"):
        report = la.dedup(name, tmp_path / f"out-{name.suffix}", text_field="messages[].content")
        assert sorted(ids(report.read_clusters())) == expected
        assert report.skipped == 1
    # A text that stands in a list a hundred thousand times is refused by its length, not made.
    texts = pa.DictionaryArray.from_arrays(pa.array([0] * 99_999 + [1], pa.int32()), ["word " * 200_000, "short"])
    long = pa.table({"parts": pa.ListArray.from_arrays([0, 99_999, 100_000], texts)})
    with pytest.warns(UserWarning, match="1 rows"):
        assert la.dedup_table(long, text="parts[]", id=None).num_rows == 0
    with pytest.raises(la.ParameterError, match="there is no column `chats"):
        la.dedup_table(table, text="chats[].content")


def test_pairs_of_a_table() -> None:
    rows = [*ROWS[:2], {"id": "none", "text": None}, ROWS[2], {"id": "d", "text": ROWS[0]["text"] + " more"}]
    table = pa.Table.from_pylist(rows)
    with pytest.warns(UserWarning, match="skipped"):
        clusters = la.dedup_table(table, pairs="all", threshold=0.5)
    pairs = la.pairs_of(clusters).select(["a", "b", "row_a", "row_b", "kind"]).to_pylist()
    found = {(pair["a"], pair["b"]): (pair["row_a"], pair["row_b"], pair["kind"]) for pair in pairs}
    # Positions in the table, and not among the rows that have a text.
    expected = {("a", "c"): (0, 3, "exact"), ("a", "d"): (0, 4, "near"), ("c", "d"): (3, 4, "near")}
    assert found == expected
    # A part of the result still has all pairs.
    near = next(pair for pair in la.pairs_of(clusters.slice(0, 1)).to_pylist() if pair["kind"] == "near")
    assert near["resemblance"] == la.resemblance(rows[0]["text"] or "", rows[4]["text"] or "")
    texts = [str(row["text"]) for row in ROWS]
    by_number = la.pairs_of(la.dedup_table(texts, pairs="needed"))
    assert by_number.select(["row_a", "row_b"]).to_pylist() == [{"row_a": 0, "row_b": 2}]
    with pytest.raises(la.ParameterError, match="pairs="):
        la.pairs_of(la.dedup_table(texts))
