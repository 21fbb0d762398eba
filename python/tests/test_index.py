"""The index: a round trip through every operation."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest

import lookalike as la

LETTER = (
    "Dear neighbours, the roof will be repaired in March. We ask you to close all windows, "
    "and to leave no cars in the yard until the work is done."
)


@pytest.fixture(params=["folder", "memory"])
def index(request: pytest.FixtureRequest, tmp_path: Path) -> la.Index:
    if request.param == "memory":
        return la.Index.in_memory("text")
    return la.Index.create(tmp_path / "index", "text")


def test_one_by_one(index: la.Index) -> None:
    assert index.check(LETTER).is_new and len(index) == 0
    added = index.add("letter", LETTER, url="https://example.org/", time=1_790_000_000)
    assert (added.number, added.replaced) == (0, False)
    answer = index.check(LETTER.upper())
    assert not answer.is_new and not answer.limited
    [match] = answer.matches
    assert (match.id, match.kind, match.resemblance) == ("letter", "exact", 1.0)
    assert (match.url, match.time) == ("https://example.org/", 1_790_000_000)
    assert answer.keeper is not None and answer.keeper.id == "letter"

    near = LETTER + " Thank you very much."
    done = index.check_and_add("near", near)
    assert done.added is None and done.answer.matches[0].kind == "near"
    assert done.answer.matches[0].resemblance == la.resemblance(near, LETTER)
    assert index.check_and_add("near", near, add_if="any").added is not None
    assert "near" in index and "far" not in index and len(index) == 2
    record = index.get("near")
    assert record is not None and record.stored == "text" and record.bytes == len(near)
    assert index.content("near") == near.encode() and index.content("far") is None
    assert index.get("far") is None
    assert index.add("near", LETTER).replaced
    assert index.remove("near") and not index.remove("near")
    assert [record.id for record in index] == ["letter"]


def test_what_is_turned_away_is_counted(index: la.Index, tmp_path: Path) -> None:
    index.add_batch([{"id": "letter", "text": LETTER, "source": "spring", "date": 100}])
    documents = [
        {"id": "copy", "text": LETTER.upper(), "source": "summer", "date": -5},
        {"id": "near", "text": LETTER + " Thank you very much.", "source": "spring", "date": 300},
        {"id": "copy", "text": LETTER, "source": "autumn", "date": 900},
    ]
    done = index.check_and_add_batch(documents)
    assert [each.counted for each in done] == [True, True, False]
    [match] = index.check(LETTER).matches
    record = index.get("letter")
    assert record is not None
    for found in (match, record, next(iter(index))):
        assert (found.copies, found.exact_copies, found.sources) == (3, 2, 2)
        assert (found.first, found.last, found.at_least) == (-5, 300, False)
    assert index.export(tmp_path / "index.jsonl") == 1
    row = json.loads((tmp_path / "index.jsonl").read_text())
    assert (row["id"], row["copies"], row["first"]) == ("letter", 3, -5)
    assert index.export(tmp_path / "index.parquet") == 1
    with pytest.raises(OSError):
        index.export(tmp_path / "none" / "index.jsonl")


def test_another_threshold(index: la.Index) -> None:
    index.add("letter", LETTER)
    near = LETTER + " Thank you very much."
    resemblance = la.resemblance(near, LETTER)
    assert not index.check(near, threshold=resemblance).is_new
    assert index.check(near, threshold=resemblance + 0.01).is_new
    for threshold, is_new, keeper in [(resemblance, False, 0), (resemblance + 0.01, True, None)]:
        assert [answer.is_new for answer in index.check_batch([{"text": near}], threshold=threshold)] == [is_new]
        assert index.collapse(["letter", {"text": near}], threshold=threshold) == [None, keeper]
    # How far below its own a threshold means something.
    shares = [index.recall(threshold) for threshold in (0.95, 0.8, 0.5)]
    assert shares == sorted(shares, key=lambda share: -(share or 0)) and shares[1] == index.recall()
    with la.Index.in_memory("altavista") as unverified:
        assert unverified.recall() is None
    with pytest.raises(ValueError, match="threshold"):
        index.check(near, threshold=1.5)
    with pytest.raises(ValueError, match="threshold"):
        index.recall(1.5)


def test_a_match_has_the_fields_of_its_json(index: la.Index) -> None:
    index.add("letter", LETTER)
    openapi = Path(__file__).parents[2] / "docs" / "openapi.json"
    schemas = json.loads(openapi.read_text())["components"]["schemas"]
    # What it says itself, and what it has of others.
    parts = [schemas[part["$ref"].split("/")[-1]] if "$ref" in part else part for part in schemas["Match"]["allOf"]]
    described = {name for part in parts for name in part["properties"]}
    [match] = index.check(LETTER).matches
    assert {name for name in dir(match) if not name.startswith("_")} == described
    assert match.verified


def test_batches_and_iteration(index: la.Index) -> None:
    documents = [{"id": f"d{n}", "text": f"number {n} " * 3 + LETTER * (n % 2)} for n in range(700)]
    assert index.load(iter(documents)) == 700
    assert [record.id for record in index] == [f"d{n}" for n in range(700)]
    answers = index.check_batch([{"text": LETTER}, {"text": "something else altogether here"}])
    assert [answer.is_new for answer in answers] == [False, True]
    done = index.check_and_add_batch([{"id": "a", "text": "one two three"}, {"id": "b", "text": "ONE two THREE"}])
    assert done[0].added is not None and done[1].added is None
    assert done[1].answer.matches[0].id == "a"
    assert [added.replaced for added in index.add_batch([{"id": "a", "html": "<p>page</p>"}])] == [True]
    assert index.remove_batch(["a", "b", "d0"]) == [True, False, True]
    assert index.verify()["documents"] == len(index) == 699
    index.compact()
    assert index.stats()["documents"] == 699 and index.stats()["removed"] == 0


def test_open_again_and_snapshot(tmp_path: Path) -> None:
    path = tmp_path / "index"
    with la.Index.create(path, la.Recipe.tune(0.7, 0.9)) as index:
        index.add("letter", LETTER)
        index.snapshot(tmp_path / "copy")
        assert index.recipe.threshold == 0.7 and index.stores_text
        with pytest.raises(la.ExistsError, match="in use"):
            la.Index.open(path)
    with pytest.raises(ValueError, match="closed"):
        index.check(LETTER)
    for folder in (path, tmp_path / "copy"):
        with la.Index.open(folder) as again:
            assert not again.check(LETTER).is_new and again.path == folder
    with pytest.raises(la.ExistsError):
        la.Index.create(path)
    with pytest.raises(la.ParameterError, match="is not an index") as caught:
        la.Index.open(tmp_path / "nothing")
    assert caught.value.kind == "NoIndex"


def test_signatures_and_a_secret(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_bytes(b"0123456789abcdef0123456789abcdef")
    with la.Index.create(tmp_path / "index", secret=secret, store_text=False) as index:
        signature = index.recipe.sign(LETTER)
        index.add("letter", signature=signature)
        assert index.check(signature=signature).matches[0].kind == "exact"
        with pytest.raises(la.MismatchError, match="`secret`"):
            index.add("other", signature=la.Recipe.preset("text").sign(LETTER))
    with pytest.raises(la.MismatchError, match="needs it") as caught:
        la.Index.open(tmp_path / "index")
    assert caught.value.kind == "SecretMissing"


def test_a_ranked_list(index: la.Index) -> None:
    index.add("letter", LETTER)
    index.add("other", "something else altogether, about the garden")
    assert index.collapse(["letter", "other", {"text": LETTER.upper()}]) == [None, None, 0]
    with pytest.raises(la.ParameterError, match="has no document `missing`"):
        index.collapse(["missing"])


@pytest.mark.parametrize(
    ("document", "error"),
    [
        ({"id": "a"}, la.ParameterError),
        ({"id": "a", "text": "x", "html": "y"}, la.ParameterError),
        ({"id": "a", "text": 1}, TypeError),
        ({"id": 1, "text": "x"}, TypeError),
        ({"id": "a", "body": "x"}, la.ParameterError),
        ("a text", TypeError),
        (None, TypeError),
        ({"id": "a" * 70_000, "text": "x"}, la.ParameterError),
        ({"id": "a", "text": "x", "time": -1}, (OverflowError, TypeError)),
    ],
)
def test_bad_documents_are_refused(index: la.Index, document: object, error: type) -> None:
    with pytest.raises(error):
        index.add_batch([{"id": "good", "text": "x"}, document])
    assert len(index) == 0, "all or nothing"


def test_many_threads(index: la.Index) -> None:
    def work(name: int) -> None:
        for n in range(20):
            index.add(f"{name}-{n}", f"thread {name} and number {n} with some words")
            assert not index.check(f"thread {name} and number {n} with some words").is_new

    threads = [threading.Thread(target=work, args=(name,)) for name in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(index) == 80


def test_a_rebuild_says_what_was_lost(tmp_path: Path) -> None:
    path = tmp_path / "index"
    with la.Index.create(path, "text") as index:
        index.load({"id": f"d{n}", "text": f"{n} {n + 1} {n * n} {LETTER}"} for n in range(300))
        index.compact()
        assert index.rebuilt is None
    whole = la.Index.open(path, rebuild=True)
    rebuilt = whole.rebuilt
    assert rebuilt is not None and (rebuilt.documents, rebuilt.damaged, rebuilt.faults) == (300, 0, [])
    assert (rebuilt.missing, rebuilt.lost_operations) == (0, 0) and len(whole) == 300
