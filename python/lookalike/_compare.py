"""Two texts, by a recipe or by the preset `text`, and sets of items."""

from collections.abc import Iterable
from functools import lru_cache

from ._native import Comparison, Recipe, Signature

AnyRecipe = Recipe | str


@lru_cache(maxsize=16)
def _named(name: str, ngram: int | None = None) -> Recipe:
    return Recipe.load(name, ngram=ngram)


def _recipe(recipe: AnyRecipe) -> Recipe:
    return recipe if isinstance(recipe, Recipe) else _named(recipe)


def compare(a: str | bytes, b: str | bytes, recipe: AnyRecipe = "text") -> Comparison:
    """Everything that can be said of two texts."""
    return _recipe(recipe).compare(a, b)


def resemblance(a: str | bytes, b: str | bytes, recipe: AnyRecipe = "text") -> float:
    """The shingles of both, out of those of either: the Jaccard similarity of word n-grams."""
    return compare(a, b, recipe).resemblance


def containment(a: str | bytes, b: str | bytes, recipe: AnyRecipe = "text") -> float:
    """The share of a that is in b."""
    return compare(a, b, recipe).containment_a


def sign_items(items: Iterable[str | bytes | float | None], recipe: AnyRecipe = "sets") -> Signature:
    """The signature of a set of items as they stand: ids, tags, imports, or words and n-grams that are cut already.

    The resemblance of two sets is their Jaccard similarity, which `estimate` of two signatures tells.
    Order and repeats do not matter, a number or truth value is the same item as the text that it is written
    as in JSON (3.0 as 3), and None is none.
    """
    by = recipe if isinstance(recipe, Recipe) else _named(recipe, ngram=1)
    return by.sign_items(items)
