"""Columns in, columns out: every way that Arrow has for strings, and what is no string."""

from __future__ import annotations

import threading

import numpy
import pandas
import polars
import pyarrow as pa
import pytest

import lookalike as la

TEXTS = ["one two three four five six", "", None, "\u706f\u5854 caf\u00e9", "one two three four five seven"]
RECIPE = la.Recipe.preset("henzinger-combined")


def expected() -> list[dict]:
    return RECIPE.sign_batch(pa.array(TEXTS)).to_pylist()


def test_a_row_is_what_signing_it_gives() -> None:
    batch = RECIPE.sign_batch(pa.array(TEXTS), urls=pa.array(["http://www.a.org/x", None] * 2 + ["x"]))
    assert batch.schema.names == [
        "exact", "tokens", "shingles", "empty", "features", "keys", "projection", "signature", "site",
    ]  # fmt: skip
    for row, text in zip(batch.to_pylist(), TEXTS, strict=True):
        if text is None:
            assert set(row.values()) == {None}
            continue
        signature = RECIPE.sign(text)
        assert row["exact"] == signature.exact
        assert row["features"] == signature.features.tolist()
        assert row["projection"] == signature.projection
        assert row["signature"] == signature.to_bytes()
        assert (row["tokens"], row["empty"]) == (signature.tokens, signature.empty)
        # Any two of the six features make a key; an empty document has none.
        assert len(row["keys"]) == (0 if signature.empty else 15)
    sites = batch["site"].to_pylist()
    assert sites[0] is not None and sites[1] is None and sites[4] is None


@pytest.mark.parametrize(
    "column",
    [
        TEXTS,
        tuple(TEXTS),
        pa.array(TEXTS, pa.large_string()),
        pa.array(TEXTS, pa.string_view()),
        pa.array([None if t is None else t.encode() for t in TEXTS], pa.binary()),
        pa.array(TEXTS).dictionary_encode(),
        pa.chunked_array([pa.array(TEXTS[:2]), pa.array([], pa.string()), pa.array(TEXTS[2:])]),
        pa.array(["before", *TEXTS, "after"]).slice(1, 5),
        polars.Series(TEXTS),
        polars.Series(TEXTS, dtype=polars.Categorical),
        pandas.Series(TEXTS, dtype="string"),
        numpy.array(TEXTS, dtype=object),
    ],
    ids=lambda column: f"{type(column).__module__.split('.')[0]} {getattr(column, 'type', '')}",
)
def test_every_way_to_have_strings(column: object) -> None:
    assert RECIPE.sign_batch(column).to_pylist() == expected()


def test_columns_that_are_cut_in_other_places() -> None:
    texts = pa.chunked_array([pa.array(TEXTS[:1]), pa.array(TEXTS[1:4]), pa.array(TEXTS[4:])])
    urls = [f"http://host.site{n}.org/" for n in range(5)]
    cut = pa.chunked_array([pa.array(urls[:2]), pa.array(urls[2:])])
    assert RECIPE.sign_batch(texts, urls=cut) == RECIPE.sign_batch(TEXTS, urls=urls)


def test_nothing_in_nothing_out() -> None:
    for nothing in (pa.array([], pa.string()), pa.chunked_array([], pa.string()), []):
        assert RECIPE.sign_batch(nothing).num_rows == 0
        assert len(RECIPE.shingles_batch(nothing)) == 0
    nulls = RECIPE.sign_batch(pa.nulls(3))
    assert nulls["exact"].null_count == 3


def test_chosen_columns() -> None:
    batch = RECIPE.sign_batch(TEXTS, columns=["tokens", "exact"])
    assert batch.schema.names == ["tokens", "exact"]
    with pytest.raises(la.ParameterError, match="there is no column `token`"):
        RECIPE.sign_batch(TEXTS, columns=["token"])


@pytest.mark.parametrize("wrong", [[1, 2], pa.array([1.5]), [["a"]], 7, None, object()])
def test_what_is_no_column_of_texts_is_refused(wrong: object) -> None:
    with pytest.raises((TypeError, la.ParameterError)):
        RECIPE.sign_batch(wrong)


def test_columns_must_fit_together() -> None:
    with pytest.raises(la.ParameterError, match="urls has 1 rows, but texts has 5"):
        RECIPE.sign_batch(TEXTS, urls=["http://a.org"])
    with pytest.raises(la.ParameterError, match="either texts or html"):
        RECIPE.sign_batch(TEXTS, html=TEXTS)
    with pytest.raises(la.ParameterError, match="no keep_values"):
        RECIPE.sign_batch(TEXTS, keep="newest:date")


def test_pages_in_columns() -> None:
    pages = ["<p>one <i>two</i></p>", None]
    rows = RECIPE.sign_batch(html=pages, urls=["http://a.org/", None]).to_pylist()
    assert rows[0]["exact"] == RECIPE.sign("one two").exact and rows[1]["exact"] is None


def test_ranks_are_in_the_order_of_the_policy() -> None:
    texts = ["a b c", "a b", "a b c d"]

    def order(keep: str, values: object = None) -> list[int]:
        ranks = RECIPE.sign_batch(texts, keep=keep, keep_values=values)["rank"].to_pylist()
        return sorted(range(3), key=lambda row: ranks[row])

    assert order("longest") == [2, 0, 1]
    assert order("shortest") == [1, 0, 2]
    assert order("newest:date", ["2024-01-01", "2026", None]) == [1, 0, 2]
    assert order("min:score", [3.5, -1.0, 0.0]) == [1, 2, 0]
    assert order("prefer:from=b,a", ["a", "b", "c"]) == [1, 0, 2]
    with pytest.raises(la.ParameterError, match="needs a field"):
        order("newest")


def test_judging_is_comparing() -> None:
    recipe = la.Recipe.preset("text")
    texts = ["one two three four five six seven eight", "one two three four five six seven nine", "", "other"]
    pairs = [(a, b) for a in texts for b in texts]
    a, b = (recipe.shingles_batch([pair[side] for pair in pairs]) for side in (0, 1))
    signed = [recipe.sign_batch([p[side] for p in pairs])["signature"] for side in (0, 1)]
    for judged in (
        recipe.judge_batch(a, b),
        recipe.judge_batch(a, b, signatures_a=signed[0], signatures_b=signed[1]),
        # As Spark has them: without unsigned integers.
        recipe.judge_batch(a.cast(pa.list_(pa.uint64())).cast(pa.large_list(pa.uint64())), signs(b)),
    ):
        for row, (x, y) in zip(judged.to_pylist(), pairs, strict=True):
            pair = recipe.compare(x, y)
            assert row["resemblance"] == pair.resemblance
            assert row["containment_a"] == pair.containment_a
            assert row["containment_b"] == pair.containment_b
            if row["b_similarity"] is not None:
                assert row["b_similarity"] == pair.b_similarity
                assert row["candidate"] == (pair.b_similarity >= 1)
            assert row["accepted"] == (row["candidate"] and pair.resemblance >= 0.8)


def test_judging_by_words_in_order() -> None:
    recipe = la.Recipe.load("text", verify="difference", threshold=0.9)
    words = [f"w{number}" for number in range(100)]
    texts = [
        " ".join(words), " ".join(words[:40] + ["x"] * 4 + words[44:]), " ".join(words[50:] + words[:50]), "", "w1",
    ]  # fmt: skip
    pairs = [(a, b) for a in texts for b in texts]
    key = bytes(range(16))
    a, b = (recipe.shingles_batch([pair[side] for pair in pairs], key=key) for side in (0, 1))
    for row, (x, y) in zip(recipe.judge_batch(a, b).to_pylist(), pairs, strict=True):
        pair = recipe.compare(x, y)
        assert row["resemblance"] is None
        near = pair.difference is not None and pair.difference <= 0.1
        assert (row["accepted"], row["difference"]) == (near, pair.difference if near else None)
    same, changed, moved = (recipe.compare(texts[0], text) for text in texts[:3])
    assert (same.difference, changed.difference, moved.difference) == (0, 8 / 200, 100 / 200)
    assert la.Recipe.preset("text").compare("a", "b").difference is None


def signs(lists: pa.ListArray) -> pa.ListArray:
    return pa.ListArray.from_arrays(lists.offsets, lists.values.view(pa.int64()))


def test_judging_by_signatures_alone() -> None:
    near = ["the same words in many places here", "the same words in many places there"]
    for name in ("henzinger-combined", "henzinger-c", "pugh"):
        recipe = la.Recipe.preset(name)
        signed = recipe.sign_batch(near)["signature"]
        row = recipe.judge_batch(signatures_a=signed[:1], signatures_b=signed[:1]).to_pylist()[0]
        assert row["candidate"] and row["accepted"]
        assert row["c_similarity"] == recipe.compare(near[0], near[0]).c_similarity
    estimated = la.Recipe.preset("text").judging(verify="estimate")
    signed = estimated.sign_batch(near)["signature"]
    row = estimated.judge_batch(signatures_a=signed[:1], signatures_b=signed[1:]).to_pylist()[0]
    assert row["estimate"] == estimated.compare(*near).estimate


def test_what_cannot_be_judged_is_refused() -> None:
    text, sites = la.Recipe.preset("text"), la.Recipe.preset("henzinger-sites")
    with pytest.raises(la.ParameterError, match="without shingles_a"):
        text.judge_batch()
    with pytest.raises(la.ParameterError, match="without signatures_a"):
        sites.judge_batch()
    signed = sites.sign_batch(["a b c"])["signature"]
    with pytest.raises(la.ParameterError, match="without same_site"):
        sites.judge_batch(signatures_a=signed, signatures_b=signed)
    shingles = text.shingles_batch(["a b c"])
    with pytest.raises(la.ParameterError, match="go together"):
        text.judge_batch(shingles)
    with pytest.raises(TypeError, match="lists of 64-bit integers"):
        text.judge_batch([["a"]], [["b"]])
    with pytest.raises(la.ParameterError, match="row 0: not a signature of this recipe"):
        sites.judge_batch(signatures_a=[b"x"], signatures_b=signed, same_site=[True])
    # Lists that are no sets, and rows without one.
    row = text.judge_batch([[3, 1, 1], None], [[1, 2, 3], [1]]).to_pylist()
    assert row[0]["resemblance"] == 2 / 3 and row[1]["accepted"] is None


def test_threads_sign_side_by_side() -> None:
    """The lock is free meanwhile: a thread that counts gets on while another signs."""
    counted = signing = 0
    text = "some words and others " * 200_000
    begun, done = threading.Event(), threading.Event()

    def sign() -> None:
        nonlocal signing
        begun.set()
        while signing < 50 and counted < 1000:
            RECIPE.sign(text)
            signing += 1
        done.set()

    thread = threading.Thread(target=sign)
    thread.start()
    begun.wait()
    while not done.is_set():
        counted += 1
        done.wait(0.0001)
    thread.join()
    # With the lock held, not even one turn a signature would be possible for most of them.
    assert counted > 5 * signing
