"""Views of tables, of every library: they are what they show, row by row, or they are refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import datasets
import pandas
import polars
import pyarrow as pa
import pyarrow.dataset
import pytest

import lookalike as la

# Three texts, each of them four times, and twelve that stand alone.
TEXTS = [f"{word} comes with some more words behind it" for word in ("one", "two", "three")]
ROWS = [
    {"id": f"row-{n}", "text": TEXTS[n % 6 // 2] if n % 2 else f"alone number {n} with words of its own", "score": n % 5}
    for n in range(24)
]
TABLE = pa.Table.from_pylist(ROWS)
# Neither sorted nor whole: copies of two texts (1, 7, 13, 19 and 3, 9) among others.
SOME = [22, 13, 4, 7, 0, 19, 2, 9, 16, 3]


@pytest.fixture(scope="module", autouse=True)
def quiet() -> None:
    datasets.disable_progress_bars()


def expected(rows: list[dict], keep: str = "first") -> list[bool]:
    """Which rows stay: of each text the first, in the order of the policy."""
    order = sorted(range(len(rows)), key=lambda n: -rows[n]["score"] if keep == "max:score" else 0)
    seen: set[str] = set()
    mask = [True] * len(rows)
    for n in order:
        mask[n] = rows[n]["text"] not in seen
        seen.add(rows[n]["text"])
    return mask


def data() -> Any:
    return datasets.Dataset.from_list(ROWS)


def in_pieces() -> Any:
    """Made of several tables, as a download is, each of them a view."""
    return datasets.concatenate_datasets([data().select(SOME[:5]), data().select(range(3, 20)).shuffle(seed=2)])


def frame() -> Any:
    return TABLE.to_pandas()


def lazy() -> Any:
    return polars.from_arrow(TABLE).lazy()  # type: ignore[union-attr]


# Each with what the library itself says are its rows.
VIEWS: dict[str, tuple[Callable[[], Any], Callable[[Any], list[dict]]]] = {
    "datasets": (data, lambda v: list(v)),
    "datasets filter": (lambda: data().filter(lambda row: int(row["id"][4:]) > 4), lambda v: list(v)),
    "datasets shuffle": (lambda: data().shuffle(seed=7), lambda v: list(v)),
    "datasets select": (lambda: data().select(SOME), lambda v: list(v)),
    "datasets select a range": (lambda: data().select(range(3, 17)), lambda v: list(v)),
    "datasets select rows twice": (lambda: data().select([4, 4, 2, 4]), lambda v: list(v)),
    "datasets select nothing": (lambda: data().select([]), lambda v: list(v)),
    "datasets filter nothing": (lambda: data().filter(lambda row: False), lambda v: list(v)),
    "datasets sort": (lambda: data().sort("text", reverse=True), lambda v: list(v)),
    "datasets shard": (lambda: data().shard(3, 1, contiguous=False), lambda v: list(v)),
    "datasets train": (lambda: data().train_test_split(0.4, seed=1)["train"], lambda v: list(v)),
    "datasets test": (lambda: data().train_test_split(0.4, seed=1)["test"], lambda v: list(v)),
    "datasets view of a view": (
        lambda: data().shuffle(seed=3).select(range(12)).filter(lambda row: row["score"] != 1),
        lambda v: list(v),
    ),
    "datasets concatenated": (in_pieces, lambda v: list(v)),
    "datasets flattened": (lambda: data().select(SOME).flatten_indices(), lambda v: list(v)),
    "datasets numpy": (lambda: data().with_format("numpy").select(SOME), lambda v: list(v.with_format(None))),
    "datasets pandas": (lambda: data().select(SOME).with_format("pandas"), lambda v: list(v.with_format(None))),
    # A format says which columns reading gives, not which there are.
    "datasets one column": (
        lambda: data().with_format("numpy", columns=["text"]).shuffle(seed=5),
        lambda v: list(v.with_format(None)),
    ),
    "polars slice": (lambda: lazy().collect()[5:19], lambda v: v.to_dicts()),
    "polars filter": (lambda: lazy().collect().filter(polars.col("score") > 1), lambda v: v.to_dicts()),
    "polars gather": (lambda: lazy().collect()[SOME], lambda v: v.to_dicts()),
    "polars reverse": (lambda: lazy().collect().reverse(), lambda v: v.to_dicts()),
    "polars chunks": (
        lambda: polars.concat([lazy().collect()[9:], lazy().collect()[:4]], rechunk=False),
        lambda v: v.to_dicts(),
    ),
    "polars collected": (lambda: lazy().filter(polars.col("score") < 4).collect(), lambda v: v.to_dicts()),
    "pandas filter": (lambda: frame()[frame()["score"] > 1], lambda v: v.to_dict("records")),
    "pandas reordered": (lambda: frame().iloc[SOME], lambda v: v.to_dict("records")),
    "pandas reversed": (lambda: frame()[::-1], lambda v: v.to_dict("records")),
    "pandas other index": (lambda: frame().set_index(pandas.Index(range(100, 124))), lambda v: v.to_dict("records")),
    "pandas index of doubles": (lambda: frame().set_index(pandas.Index([7] * 24)), lambda v: v.to_dict("records")),
    "pandas strings for index": (
        lambda: frame().iloc[SOME].set_index(pandas.Index(list("jihgfedcba"))),
        lambda v: v.to_dict("records"),
    ),
    "pandas two indices": (
        lambda: frame().set_index([pandas.Index([1, 2] * 12), pandas.Index(range(24))]),
        lambda v: v.to_dict("records"),
    ),
    "pandas id for index": (lambda: frame().iloc[SOME].set_index("id"), lambda v: v.reset_index().to_dict("records")),
    "pandas sorted": (lambda: frame().sort_values("text"), lambda v: v.to_dict("records")),
    "pyarrow slice": (lambda: TABLE.slice(3, 15), lambda v: v.to_pylist()),
    "pyarrow slice of chunks": (
        lambda: pa.concat_tables([TABLE.slice(9), TABLE.slice(4, 0), TABLE.slice(2, 9)]).slice(4, 15),
        lambda v: v.to_pylist(),
    ),
    "pyarrow take": (lambda: TABLE.take(SOME), lambda v: v.to_pylist()),
    "pyarrow filter": (lambda: TABLE.filter(pyarrow.dataset.field("score") > 1), lambda v: v.to_pylist()),
    "pyarrow batch": (lambda: TABLE.to_batches()[0].slice(5, 12), lambda v: v.to_pylist()),
    # Columns that are cut at different rows.
    "pyarrow chunks": (
        lambda: pa.table({
            name: pa.chunked_array([column.combine_chunks().slice(0, cut), column.combine_chunks().slice(cut)])
            for name, column, cut in zip(TABLE.column_names, TABLE.columns, [5, 11, 20], strict=True)
        }),
        lambda v: v.to_pylist(),
    ),
    "pyarrow dictionary": (
        lambda: TABLE.set_column(1, "text", TABLE["text"].dictionary_encode()).slice(5, 12),
        lambda v: v.to_pylist(),
    ),
}  # fmt: skip


@pytest.mark.parametrize("keep", ["first", "max:score"])
@pytest.mark.parametrize("view", VIEWS)
def test_a_view_is_what_it_shows(view: str, keep: str) -> None:
    make, seen = VIEWS[view]
    table = make()
    rows = seen(table)
    clusters = la.dedup_table(table, keep=keep)
    found = la.kept_mask(clusters, len(rows)).tolist()
    assert found == expected(rows, keep)
    # The same rows, whatever they are called.
    numbered = la.dedup_table(table, id=None, keep=keep)
    assert la.kept_mask(numbered, len(rows)).tolist() == found
    # What is removed has a text that is kept, and nothing else goes.
    kept = [row["text"] for row, stays in zip(rows, found, strict=True) if stays]
    assert sorted(kept) == sorted({row["text"] for row in rows})
    by_id = {row["id"]: row["text"] for row in rows}
    for row in clusters.to_pylist():
        assert by_id[row["id"]] == by_id[row["keeper"]] == rows[row["record"] - 1]["text"]


def test_a_stream_of_batches() -> None:
    clusters = la.dedup_table(TABLE.to_reader(max_chunksize=5))
    assert la.kept_mask(clusters, 24).tolist() == expected(ROWS)


COLUMNS: dict[str, Callable[[], Any]] = {
    "datasets": lambda: data().select(SOME)["text"],
    "datasets numpy": lambda: data().select(SOME).with_format("numpy")["text"],
    "datasets pandas": lambda: data().select(SOME).with_format("pandas")["text"],
    "datasets polars": lambda: data().select(SOME).with_format("polars")["text"],
    "datasets arrow": lambda: data().select(SOME).with_format("arrow")["text"],
    "polars": lambda: lazy().collect()["text"].gather(SOME),
    "polars slice": lambda: polars.concat([lazy().collect()["text"][[0]], lazy().collect()["text"].gather(SOME)])[1:],
    "pandas": lambda: frame()["text"].iloc[SOME],
    "pandas index of doubles": lambda: pandas.Series(list(frame()["text"].iloc[SOME]), index=[3] * 10),
    "pandas index": lambda: frame().iloc[SOME].set_index("text").index,
    "numpy": lambda: frame()["text"].to_numpy()[SOME],
    "pyarrow": lambda: TABLE["text"].take(SOME),
    "pyarrow slice": lambda: pa.concat_arrays([pa.array(["x", None]), TABLE["text"].combine_chunks().take(SOME)])[2:],
}  # fmt: skip


@pytest.mark.parametrize("column", COLUMNS)
def test_a_column_of_a_view_is_what_it_shows(column: str) -> None:
    recipe = la.Recipe.preset("text")
    texts = [ROWS[n]["text"] for n in SOME]
    assert recipe.sign_batch(COLUMNS[column]()) == recipe.sign_batch(texts)
    assert recipe.shingles_batch(COLUMNS[column]()) == recipe.shingles_batch(texts)
    signed = recipe.sign_batch(texts, urls=COLUMNS[column](), keep="max:x", keep_values=COLUMNS[column]())
    assert signed["exact"] == recipe.sign_batch(texts)["exact"]


def test_values_that_are_made_while_they_are_read_are_refused() -> None:
    upside_down = data().with_transform(lambda rows: {name: values[::-1] for name, values in rows.items()})
    with pytest.raises(la.ParameterError, match="makes its values anew(.|\n)*hint:.*`map`"):
        la.dedup_table(upside_down)
    assert la.dedup_table(upside_down.with_format(None)).num_rows > 0


@pytest.mark.parametrize(
    ("refused", "hint"),
    [
        (lambda: lazy(), "frame = lazy.collect"),
        (lambda: data().to_iterable_dataset(), "Dataset.from_list"),
        (lambda: datasets.DatasetDict({"train": data()}), "data..train"),
        (lambda: datasets.IterableDatasetDict({"train": data().to_iterable_dataset()}), "data..train"),
        (lambda: pyarrow.dataset.dataset(TABLE), "to_table"),
    ],
)
def test_what_has_no_fixed_rows_is_refused(refused: Callable[[], Any], hint: str) -> None:
    with pytest.raises(TypeError, match=rf"is not a table: (.|\n)*hint: .*{hint}"):
        la.dedup_table(refused())


def test_names_in_views() -> None:
    view = data().select(SOME)
    with pytest.raises(la.ParameterError, match="there is no column `body`; there are: `id`, `text`, `score`"):
        la.dedup_table(view, text="body")
    nested = datasets.Dataset.from_list([{"meta": {"text": row["text"]}, "picture": b"..."} for row in ROWS])
    clusters = la.dedup_table(nested.select(SOME), text="meta.text", id=None)
    assert la.kept_mask(clusters, len(SOME)).tolist() == expected([ROWS[n] for n in SOME])
    twice = pa.Table.from_arrays([TABLE["id"], TABLE["text"], TABLE["id"]], names=["id", "text", "text"])
    with pytest.raises(la.ParameterError, match="several columns are called `text`"):
        la.dedup_table(twice)


def test_a_mask_is_for_the_table_it_was_made_from() -> None:
    clusters = la.dedup_table(data().select(SOME))
    with pytest.raises(la.ParameterError, match="rows is 24, but the table that the clusters are of had 10"):
        la.kept_mask(clusters, len(ROWS))


@pytest.mark.parametrize("messages", ["messages[].content", "messages.content[]"])
def test_chats_of_a_data_set_that_was_shuffled(messages: str) -> None:
    """Whether a library keeps messages as a list of structs or as a struct of lists."""
    is_list = messages.startswith("messages[]")

    def chat(row: dict) -> dict:
        parts = row["text"].split(" with ", 1)
        said = [{"role": "user", "content": part} for part in parts]
        return {"messages": said if is_list else {"content": parts}}

    chats = data().map(chat, remove_columns=["text"]).shuffle(seed=5).select(SOME)
    texts = {row["id"]: row["text"] for row in ROWS}
    rows = [{**row, "text": texts[row["id"]]} for row in chats]
    clusters = la.dedup_table(chats, text=messages)
    assert la.kept_mask(clusters, len(rows)).tolist() == expected(rows)
    assert not all(expected(rows))
