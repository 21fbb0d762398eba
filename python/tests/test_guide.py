"""The examples of the guides print what these show, and the recipes in them are recipes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from guides import ON_SPARK, check_examples, read_guide

import lookalike as la


@pytest.fixture(autouse=True)
def _beside_the_examples(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "examples").symlink_to(root / "examples")
    monkeypatch.chdir(tmp_path)


def test_the_guide(root: Path) -> None:
    check_examples(read_guide(root, "python.md"), 25)


def test_coming_from_another_tool(root: Path) -> None:
    guide, below = read_guide(root, "coming-from.md").split(ON_SPARK)
    # What stands below it is run by test_spark.py.
    assert "\n## " not in below
    check_examples(guide, 20)


def test_recipes_are_recipes(root: Path) -> None:
    guides = read_guide(root, "coming-from.md") + read_guide(root, "recipes.md") + read_guide(root, "sets.md")
    blocks = re.findall(r"```toml\n((?:base = |tokens = |\[sketch\]).*?)```", guides, re.S)
    recipes = [la.Recipe.from_toml(block) for block in blocks]
    assert len(recipes) >= 8
    assert [recipe.filter for recipe in recipes[:2]] == [(14, 8, 1), (13, 7, 1)]
    assert "width = 3" in recipes[1].to_toml()


def test_sets(root: Path) -> None:
    check_examples(read_guide(root, "sets.md"), 8)
