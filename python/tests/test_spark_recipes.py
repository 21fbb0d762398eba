"""Recipes on Spark: the engine's answer by any rule, or a refusal on the driver."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from spark_corpora import check_equal, frame, mixed_rows

import lookalike as la
from lookalike import spark as on_spark

SKETCHES = {
    "bottom": '[sketch]\nkind = "bottom"\nsize = 128\n',
    "modular": '[sketch]\nkind = "modular"\nmodulus = 4\nsize = 128\n',
    "many of many": "[sketch]\npermutations = 400\n[features]\nk = 200\ns = 2\nr = 120\n",
}


@pytest.mark.parametrize("recipe", [*SKETCHES, "noisy"])
def test_recipes_that_count_are_refused_on_the_driver(session: SparkSession, tmp_path: Path, recipe: str) -> None:
    made = la.Recipe.from_toml(f'name = "mine"\n{SKETCHES[recipe]}') if recipe in SKETCHES else la.Recipe.preset(recipe)
    assert made.counts_in_common == (recipe in SKETCHES)
    rows = mixed_rows()[:60]
    if not made.counts_in_common:
        check_equal(session, rows, tmp_path, recipe=made)
        return
    with pytest.raises(la.ParameterError, match="`mine` counts what two documents have in common.*\nhint: "):
        on_spark.dedup(frame(session, rows, 1), recipe=made)
    # Copies are found without it.
    check_equal(session, rows, tmp_path, recipe=made, exact_only=True)


BY_SITE = """
base = "henzinger-sites"
[candidates]
within = "{}"
across = "{}"
[verify]
by = "{}"
threshold = 0.7
"""


@pytest.mark.parametrize(
    ("within", "across", "verify"),
    [
        ("features", "none", "none"),
        ("none", "features", "difference"),
        ("features", "combined", "exact"),
        ("projection", "features", "estimate"),
    ],
)
def test_any_two_rules_by_site(session: SparkSession, tmp_path: Path, within: str, across: str, verify: str) -> None:
    keep = "[sketch]\nkeep = true\n" if verify == "estimate" else ""
    recipe = la.Recipe.from_toml(BY_SITE.format(within, across, verify) + keep)
    rows = [row for row in mixed_rows() if row["id"] < "hot 000040"]
    assert check_equal(session, rows, tmp_path, recipe=recipe, url="url", pairs="all")["near_removed"] > 0


def test_documents_within_others_by_difference(session: SparkSession, tmp_path: Path) -> None:
    """Their sizes are further apart than the threshold, and the words of both that are in the same order are enough."""
    rows = []
    for number in range(40):
        words = [f"word{number // 2}x{place}" for place in range(62 if number % 2 else 100)]
        rows.append({"id": f"{number:02}", "text": " ".join(words)})
    counts = check_equal(session, rows, tmp_path, verify="difference", threshold=0.7)
    assert counts["near_removed"] > 10


def test_lists_within_a_site(session: SparkSession, tmp_path: Path) -> None:
    recipe = la.Recipe.from_toml(
        'base = "pugh"\n[candidates]\nrule = "by-site"\nwithin = "lists"\nacross = "none"\n'
    )
    rows = [row for row in mixed_rows() if row["id"] < "hot 000050"]
    check_equal(session, rows, tmp_path, recipe=recipe, url="url")
