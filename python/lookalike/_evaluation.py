"""Recipes judged by labelled pairs: what `lookalike eval` gives, as Python has it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypedDict

from . import _native
from ._jobs import _inputs, _job_options
from ._native import Recipe
from ._progress import Bars, Watcher
from ._report import AnyPath, Json, framed


class Share(TypedDict):
    """A share with its 95 % interval; `number` is how many are in it."""

    number: int
    share: float
    low: float
    high: float


class Quality(TypedDict):
    """How good what is returned is. Undecided pairs are in no share; a share of nothing is None."""

    right: int
    wrong: int
    undecided: int
    missed: int
    precision: Share | None
    recall: Share | None
    f1: Share | None


class PageQuality(TypedDict):
    """How many of the pages that are in a pair have a correct one."""

    judged: int
    right: int
    wrong: int
    undecided: int
    unknown: int
    at_least: Share | None
    precision: Share | None


class CurvePoint(Quality):
    """Quality at a threshold."""

    threshold: float


class Curve(TypedDict):
    """Quality at other thresholds: of all labelled pairs, or of those that the recipe returns."""

    basis: Literal["labelled", "returned"]
    unknown: int
    points: list[CurvePoint]


class PrecisionRecall(TypedDict):
    """Precision, recall, and their harmonic mean."""

    precision: float | None
    recall: float | None
    f1: float | None


class ClusterQuality(TypedDict):
    """How clusters agree with those of the labels: by pairs, and by documents (B-cubed)."""

    documents: int
    labelled: int
    found: int
    pairwise: PrecisionRecall
    b_cubed: PrecisionRecall


class SeedMean(TypedDict):
    """A mean over seeds, with its 95 % interval."""

    mean: float
    low: float
    high: float
    deviation: float
    values: list[float]


class SeedRun(TypedDict):
    """What one seed gives."""

    seed: int
    quality: Quality
    clusters: ClusterQuality | None


class SeedQuality(TypedDict):
    """A recipe under several seeds."""

    runs: list[SeedRun]
    precision: SeedMean | None
    recall: SeedMean | None
    f1: SeedMean | None
    pairwise_f1: SeedMean | None
    b_cubed_f1: SeedMean | None


class RecipeCost(TypedDict):
    """What a recipe took, as measured."""

    signing_seconds: float
    matching_seconds: float
    peak_memory_bytes: int | None


class Tally(TypedDict):
    """How many pairs of a kind are correct: all of them, by sites, by B- and by C-similarity."""

    name: str
    pairs: int
    judged: int
    correct: Share | None
    incorrect: Share | None
    undecided: Share | None
    forms: Share | None
    correct_with_forms: Share | None
    precision: Share | None
    precision_with_forms: Share | None
    recall: Share | None
    f1: Share | None
    r: Share | None


class LabelSummary(TypedDict):
    """What the labels file had."""

    lines: int
    skipped: int
    skipped_by_fault: dict[str, int]
    identical: int
    of_removed: int
    correct: int
    incorrect: int
    undecided: int
    forms: int
    weighted: bool


@dataclass(frozen=True)
class RecipeEvaluation:
    """What a recipe does."""

    name: str
    """Its name."""
    digest: str
    """Identifies its parameters."""
    verify: Literal["exact", "estimate", "difference", "none"]
    """How its candidates become pairs."""
    threshold: float | None
    """The least resemblance of its pairs, if it verifies them."""
    seed: int
    """The seed of its signatures."""
    quality: Quality
    """How good the pairs that it returns are."""
    page_quality: PageQuality
    """How many of the pages in them have a correct one."""
    curve: Curve | None
    """The same for other thresholds, if it verifies pairs."""
    clusters: ClusterQuality | None
    """How its clusters agree with those of the labels, if there are any."""
    over_seeds: SeedQuality | None
    """The same under other seeds, if there are repeats."""
    signature_bytes: int
    """Bytes of a signature."""
    cost: RecipeCost
    """What it took: the only numbers that differ from run to run."""
    pairs: int
    """The pairs that it returns."""
    pages: int
    """Documents that are in a pair."""
    rows: list[Tally]
    """How many of its pairs are correct, by kinds of pairs."""


@dataclass(frozen=True)
class Evaluation:
    """What an evaluation found: the fields of `eval.json`. `to_dict` has those of them besides that only
    the page shows, and a notebook shows the page."""

    documents: int
    """Documents that could be read."""
    empty: int
    """Those without words, which resemble nothing."""
    identical_removed: int
    """Those that were left out for an earlier one with the same words."""
    skipped: int
    """Records and files that could not be read."""
    labels: LabelSummary
    """What the labels file had."""
    absent: Literal["unlabelled", "incorrect"]
    """What a pair without a label is."""
    against: str
    """The recipe whose correct pairs are the 1 of R."""
    recipes: list[RecipeEvaluation]
    """What each recipe does."""
    out: Path | None = field(default=None, compare=False)
    """The folder of the results, if there is one."""
    _json: str = field(default="", repr=False, compare=False)
    _page: str = field(default="", repr=False, compare=False)
    _csv: str = field(default="", repr=False, compare=False)

    def best(self) -> RecipeEvaluation | None:
        """The recipe with the highest F1, the first of equals; None if no label is correct."""

        def f1(recipe: RecipeEvaluation) -> float:
            share = recipe.quality["f1"]
            return -1.0 if share is None else share["share"]

        best = max(self.recipes, key=f1)
        return None if f1(best) < 0 else best

    def to_dict(self) -> dict[str, Json]:
        """All of `eval.json`."""
        values: dict[str, Json] = json.loads(self._json)
        return values

    def to_csv(self) -> str:
        """The numbers, one a row: `lookalike eval --csv`."""
        return self._csv

    def _repr_html_(self) -> str:
        """The page `eval.html`, in a frame."""
        return framed("Evaluation", self._page)


def evaluate(
    documents: AnyPath | Iterable[AnyPath],
    labels: AnyPath,
    *,
    recipes: Iterable[Recipe | AnyPath] | None = None,
    against: str | None = None,
    equal_recall: str | None = None,
    least_bits: int | None = None,
    repeats: int = 1,
    identical: Literal["removed", "counted"] = "removed",
    seed: int = 0,
    differences: int = 2000,
    label_field: str = "label",
    correct: Iterable[str] = ("correct",),
    incorrect: Iterable[str] = ("incorrect",),
    undecided: Iterable[str] = ("undecided",),
    similarity_field: str | None = None,
    correct_at: float = 0.9,
    undecided_at: float = 0.6,
    absent: Literal["unlabelled", "incorrect"] | None = None,
    reason_field: str = "reason",
    form_reasons: Iterable[str] = ("form",),
    weight_field: str = "weight",
    out: AnyPath | None = None,
    force: bool = False,
    strict: bool = False,
    memory: int | str | None = None,
    threads: int | None = None,
    temp: AnyPath | None = None,
    format: str | None = None,
    text_field: str = "text",
    html_field: str = "html",
    id_field: str = "id",
    url_field: str = "url",
    progress: Watcher = None,
) -> Evaluation:
    """Judges recipes by labelled pairs: precision, recall and F1 with intervals, curves, clusters.

    The options are those of `lookalike eval`. `recipes` are recipes, names of presets, files, or the
    baselines "minhash-lsh" and "simhash"; with `out`, the folder gets `eval.json` and `eval.html`.
    """
    options = _job_options(
        recipes=None if recipes is None else list(recipes),
        against=against,
        equal_recall=equal_recall,
        least_bits=least_bits,
        repeats=repeats,
        identical=identical,
        seed=seed,
        differences=differences,
        label_field=label_field,
        correct=list(correct),
        incorrect=list(incorrect),
        undecided=list(undecided),
        similarity_field=similarity_field,
        correct_at=correct_at,
        undecided_at=undecided_at,
        absent=absent,
        reason_field=reason_field,
        form_reasons=list(form_reasons),
        weight_field=weight_field,
        out=out,
        force=force,
        strict=strict,
        memory=memory,
        threads=threads,
        temp=temp,
        format=format,
        text_field=text_field,
        html_field=html_field,
        id_field=id_field,
        url_field=url_field,
    )
    with Bars.watching(progress) as watcher:
        text, page, csv = _native.evaluate(_inputs(documents), Path(labels), options, watcher)
    values = json.loads(text)
    recipe_fields = RecipeEvaluation.__dataclass_fields__
    made = [RecipeEvaluation(**{name: each[name] for name in recipe_fields}) for each in values["recipes"]]
    return Evaluation(
        documents=values["documents"],
        empty=values["empty"],
        identical_removed=values["identical_removed"],
        skipped=values["skipped"],
        labels=values["labels"],
        absent=values["absent"],
        against=values["against"],
        recipes=made,
        out=None if out is None else Path(out),
        _json=text,
        _page=page,
        _csv=csv,
    )
