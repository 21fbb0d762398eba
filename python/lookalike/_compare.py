"""Two texts, by a recipe or by the preset `text`."""

from functools import lru_cache

from ._native import Comparison, Recipe

AnyRecipe = Recipe | str


@lru_cache(maxsize=16)
def _named(name: str) -> Recipe:
    return Recipe.load(name)


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
