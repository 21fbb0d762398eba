"""Recipes and signatures: the golden bits, and what can be asked of them."""

from __future__ import annotations

import copy
import json
import pickle
from pathlib import Path

import numpy
import pytest

import lookalike as la


@pytest.fixture(scope="module")
def golden(root: Path) -> dict[str, dict[str, dict[str, object]]]:
    with open(root / "tests/fixtures/golden/v1.json", encoding="utf-8") as file:
        return json.load(file)


def hexadecimal(words: numpy.ndarray) -> list[str]:
    assert words.dtype == numpy.uint64
    return [f"{int(word):016x}" for word in words]


def test_signatures_are_golden(golden: dict) -> None:
    combined, pugh = la.Recipe.preset("henzinger-combined"), la.Recipe.preset("pugh")
    documents = golden["documents"]
    assert len(documents) == 14
    for name, expected in documents.items():
        for text in (expected["text"], expected["text"].encode()):
            signature = combined.sign(text)
            assert signature.exact.hex() == expected["exact"], name
            assert hexadecimal(signature.features) == expected["features"], name
            assert hexadecimal(signature.sketch) == expected["sketch"], name
            assert signature.projection.hex() == expected["projection"], name
            assert signature.tokens == len(expected["tokens"]), name
            assert hexadecimal(pugh.sign(text).sketch) == expected["lists"], name


def test_batches_are_golden(golden: dict) -> None:
    combined = la.Recipe.preset("henzinger-combined")
    documents = list(golden["documents"].values())
    texts = [document["text"] for document in documents]
    signed = combined.sign_batch(texts).to_pylist()
    shingles = combined.shingles_batch(texts)
    for row, expected, set_ in zip(signed, documents, shingles, strict=True):
        assert row["exact"].hex() == expected["exact"]
        assert [f"{word:016x}" for word in row["features"]] == expected["features"]
        assert row["projection"].hex() == expected["projection"]
        assert row["tokens"] == len(expected["tokens"])
        assert row["shingles"] == len(expected["shingles"])
        assert [f"{word:016x}" for word in set_.as_py()] == expected["shingles"]
        assert row["signature"] == combined.sign(expected["text"]).to_bytes()


def test_noisy_is_golden(golden: dict) -> None:
    noisy = la.Recipe.preset("noisy")
    for document in golden["documents"].values():
        signature = noisy.sign(document["text"])
        assert len(signature.features) == 198
        assert hexadecimal(signature.features[:2]) == document["noisy"]["first features"]
        assert signature.exact.hex() == document["noisy"]["exact"]


def test_digests_are_golden(golden: dict) -> None:
    assert set(la.Recipe.presets()) == {*golden["signing digests"], "pages", "sets"}
    for name, digest in golden["signing digests"].items():
        assert la.Recipe.preset(name).signing_digest == digest


def test_pages_are_golden(root: Path) -> None:
    with open(root / "tests/fixtures/golden/v3.json", encoding="utf-8") as file:
        golden = json.load(file)
    for name in ("pages", "sites"):
        assert la.Recipe.preset(name).signing_digest == golden[0][name]["signing digest"]
    for page in golden:
        signature = la.Recipe.preset("pages").sign_html(page["page"])
        assert hexadecimal(signature.features) == page["pages"]["features"]
        assert signature.exact.hex() == page["pages"]["exact"]


def test_sets_are_golden() -> None:
    sets = la.Recipe.preset("sets")
    assert sets.signing_digest == "20831561a017d18d0c8c59abfed4e1be3b5583d0f24b21332124d862d3243de0"
    signature = sets.sign_items(["a", "b\n", 3, True])
    assert signature.exact.hex() == "4a5ac06c769dccaef0b2376b36e1c105"
    assert [int(feature) for feature in signature.features[:3]] == [
        0x045F668DF35E07EF,
        0x31DD946818990AA1,
        0xDF22F9BCA4FD0155,
    ]


def test_recipes_go_from_process_to_process() -> None:
    for name in la.Recipe.presets():
        recipe = la.Recipe.preset(name)
        for other in (
            pickle.loads(pickle.dumps(recipe)),
            copy.deepcopy(recipe),
            la.Recipe.from_toml(recipe.to_toml()),
        ):
            assert other == recipe and hash(other) == hash(recipe)
            assert other.digest == recipe.digest
        def sign(text: str, recipe: la.Recipe = recipe) -> la.Signature:
            return recipe.sign_items(text.split()) if recipe.tokens == "items" else recipe.sign(text)

        signature = sign("some words to sign, and some more")
        again = pickle.loads(pickle.dumps(signature))
        assert again == signature and again.recipe == recipe
        assert signature != sign("other words")
    assert la.Recipe.preset("text") != la.Recipe.preset("pugh")


def test_tuning_and_judging() -> None:
    recipe = la.Recipe.tune(threshold=0.9, recall=0.99)
    assert recipe.threshold == 0.9
    assert recipe.probability(0.9) >= 0.99
    assert la.Recipe.tune() == la.Recipe.preset("text")
    text = la.Recipe.preset("text")
    assert text.filter == (13, 7, 1) and text.permutations == 91
    strict = text.judging(threshold=0.95)
    assert strict.threshold == 0.95 and strict.signing_digest == text.signing_digest
    assert strict.digest != text.digest
    estimated = text.judging(verify="estimate")
    assert estimated.verify == "estimate"
    assert estimated.signature_bytes == text.signature_bytes + 8 * 91
    assert text.site("https://www.example.org/a") == "example.org"


def test_a_recipe_in_a_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text("version = 1\n[features]\nk = 4\ns = 5\nr = 1\n", "utf-8")
    recipe = la.Recipe.load(path)
    assert recipe.filter == (4, 5, 1) and recipe.name == "mine"
    assert la.Recipe.load("text") == la.Recipe.preset("text")
    with pytest.raises(la.IoError) as caught:
        la.Recipe.load(tmp_path / "missing.toml")
    assert caught.value.errno == 2
    with pytest.raises(la.ParameterError, match="not a recipe"):
        la.Recipe.from_toml("verison = 1")
    with pytest.raises(la.ParameterError, match="there is no recipe `test`") as wrong:
        la.Recipe.load("test")
    assert wrong.value.kind == "UnknownPreset"


def test_a_recipe_as_a_job_judges_by_it() -> None:
    # The filter of `text` is made for the target, under any door; others have theirs.
    assert la.Recipe.load("text", threshold=0.9, recall=0.99) == la.Recipe.tune(0.9, 0.99)
    text = la.Recipe.preset("text")
    judged = la.Recipe.load(text, threshold=0.9, verify="estimate", sites="public-suffix")
    assert judged == text.judging(threshold=0.9, verify="estimate", sites="public-suffix")
    assert judged.filter == text.filter
    for recipe in (text, "henzinger-combined"):
        with pytest.raises(la.ParameterError, match="`recall` is 0.99, but must be given for recipes whose filter is chosen by it"):
            la.Recipe.load(recipe, recall=0.99)
    # Neither does a threshold do anything where nothing is verified.
    for recipe, verify in ((text, "none"), ("henzinger-combined", None), ("pugh", None)):
        with pytest.raises(la.ParameterError, match="`threshold` is 0.9, but must be left out"):
            la.Recipe.load(recipe, threshold=0.9, verify=verify)


def test_comparing() -> None:
    old = "The quick brown fox jumps over the lazy dog, every single morning at six."
    new = "The quick brown fox jumps over the lazy dog, every single evening at six."
    pair = la.compare(old, new)
    assert pair.resemblance == 7 / 13 == la.resemblance(old, new)
    assert pair.containment_a == pair.containment_b == 0.7 == la.containment(old, new)
    assert (pair.term_difference, pair.shingles_a, pair.tokens_b) == (2, 10, 14)
    assert pair.edit_distance == (2, 2)
    assert pair.repeats_in_common is None
    assert la.compare(old, new, recipe="pugh").repeats_in_common in range(7)
    assert not pair.same_tokens and la.compare(old, old.upper()).same_tokens
    assert la.resemblance("", "") == 0.0
    recipe = la.Recipe.preset("henzinger-combined")
    a, b = recipe.sign(old), recipe.sign(new)
    pair = recipe.compare(old, new)
    assert a.b_similarity(b) == pair.b_similarity
    assert a.c_similarity(b) == pair.c_similarity
    assert a.estimate(b) == pair.estimate
    with pytest.raises(la.MismatchError, match="different recipes"):
        a.b_similarity(la.Recipe.preset("text").sign(old))


def test_pages() -> None:
    recipe = la.Recipe.preset("text")
    page = "<html><body><script>no()</script><p>What a <b>visitor</b> sees of it</p></body></html>"
    text = recipe.sign("What a visitor sees of it")
    assert recipe.sign_html(page).exact == text.exact
    assert recipe.sign_html(page.encode("utf-8"), url="https://example.org/").exact == text.exact
    latin = "<meta charset=latin1><p>caf\u00e9 cr\u00e8me</p>".encode("latin-1")
    assert recipe.sign_html(latin).exact == recipe.sign("caf\u00e9 cr\u00e8me").exact
    assert recipe.compare_html(page, page).same_tokens


def test_pages_without_what_is_beside_their_content() -> None:
    content = " ".join(f"word{n}" for n in range(40))
    frames = [" ".join(f"{name}{n}" for n in range(60)) for name in ("menu", "other")]
    pages = [f"<nav>{frame}</nav><main>{content}</main>" for frame in frames]
    assert la.Recipe.preset("text").compare_html(*pages).resemblance < 0.3
    assert la.Recipe.preset("pages").compare_html(*pages).resemblance == 1
    signed = la.Recipe.preset("pages").sign_batch(html=pages).to_pylist()
    assert signed[0]["features"] == signed[1]["features"] and signed[0]["exact"] != signed[1]["exact"]



@pytest.mark.parametrize("wrong", [None, 1, ["a"], bytearray(b"a")])
def test_what_is_no_text_is_refused(wrong: object) -> None:
    recipe = la.Recipe.preset("text")
    for call in (recipe.sign, recipe.sign_html, lambda x: la.compare(x, "a")):
        with pytest.raises(TypeError, match="must be str or bytes"):
            call(wrong)


def test_hostile_texts() -> None:
    recipe = la.Recipe.preset("text")
    # A lone surrogate separates words, as any other fault does.
    assert recipe.sign("one\ud800two").exact == recipe.sign("one two").exact
    assert recipe.sign(b"one\xfftwo").exact == recipe.sign("one two").exact
    assert recipe.sign("\0" * 1000).empty and recipe.sign("").empty
    assert recipe.sign("a " * 2_000_000).tokens == 2_000_000


def test_signatures_from_bytes() -> None:
    recipe = la.Recipe.preset("text")
    signature = recipe.sign("some words")
    assert la.Signature.from_bytes(recipe, signature.to_bytes()) == signature
    assert len(signature.to_bytes()) == recipe.signature_bytes
    for wrong in (b"", signature.to_bytes()[:-1], signature.to_bytes() + b"x"):
        with pytest.raises(la.ParameterError, match="not a signature of this recipe"):
            la.Signature.from_bytes(recipe, wrong)
