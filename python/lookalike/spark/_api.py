"""The functions of `lookalike.spark`."""

from __future__ import annotations

import logging
import os
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from .._jobs import Keep, policy
from .._native import Recipe, keep_fields
from ..errors import ParameterError
from ._columns import words
from ._components import ONE_TASK
from ._documents import copies, read_documents, shingle_sets
from ._matching import Decision, Matching, members
from ._paths import read_path
from ._results import Outcome
from ._source import Source
from ._verify import Judge, Needs
from ._work import Work

_log = logging.getLogger("lookalike.spark")

AnyRecipe = Recipe | str | os.PathLike[str]
Verify = Literal["exact", "estimate", "difference", "none"]
Sites = Literal["label", "public-suffix"]
Cluster = Literal["anchored", "components"]
Pairs = Literal["needed", "all"]


# A table, or a path of a run, or of files or a folder of documents.
KnownSide: TypeAlias = DataFrame | str | os.PathLike[str]


_COUNTED = (
    "the recipe `{name}` counts what two documents have in common, which Spark does not\n"
    "hint: `lookalike.dedup` does, on one machine; on Spark take a filter of at most 4096 super-features, C(k, r), "
    "such as `lookalike tune` chooses, and no `candidates.rule = \"sketch\"`; or look for copies only, by exact_only=True"
)


_PROJECTIONS = (
    "projection.keep is False, but must be True on Spark, where pairs are judged by signatures\n"
    "hint: leave `keep` out of [projection]; lookalike.dedup, on one machine, makes projections when it needs them"
)


_COMPONENTS = (
    "components may join several known documents, which all stay, so that none of them stands for the cluster\n"
    "hint: with a known side, clusters are anchored"
)


class Result:
    """What a job found. Its tables are files in the job's folder until `close`."""

    clusters: DataFrame
    """The columns of `clusters.parquet`: a row for each document that is in a cluster."""

    pairs: DataFrame | None
    """The columns of `pairs.parquet`, if pairs were asked for."""

    counts: dict[str, int]
    """documents, empty, skipped, exact_removed, near_removed, kept, kept_beside, clusters, candidates,
    rounds, limited_groups; known, the documents that were, and known_removed, what went for them, which none
    of the others counts but for clusters; and pairs, if they were asked for."""

    def __init__(
        self, work: Work, clusters: DataFrame, pairs: DataFrame | None, counts: dict[str, int]
    ) -> None:
        self._work = work
        self.clusters = clusters
        self.pairs = pairs
        self.counts = counts

    def close(self) -> None:
        """Removes the job's folder; the tables cannot be used any more."""
        self._work.close()

    def __enter__(self) -> Result:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()


def run(
    df: DataFrame,
    text: str | None = "text",
    id: str = "id",
    url: str | None = None,
    *,
    html: str | None = None,
    order: str | None = None,
    recipe: AnyRecipe = "text",
    threshold: float | None = None,
    recall: float | None = None,
    ngram: int | None = None,
    verify: Verify | None = None,
    sites: Sites | None = None,
    keep: Keep = "first",
    cluster: Cluster = "anchored",
    pairs: Pairs | None = None,
    exact_only: bool = False,
    keep_count: int = 1,
    known: KnownSide | Sequence[KnownSide] | None = None,
    count: str | None = None,
    date_field: str | None = None,
    strict: bool = False,
    work: str | None = None,
    one_task_pairs: int = ONE_TASK,
) -> Result:
    """Finds look-alikes: clusters, counts, and the pairs if `pairs` says which.

    `text` (or `html` instead), `id` and `url` name columns. `order` names the column whose order is
    that of the input, which `keep="first"` goes by and clusters are numbered by: the id, unless said
    otherwise. `known` has documents that are there already, and stay: a DataFrame with columns of the same
    names, a path of what a run kept or of documents in Parquet or JSON lines, or a list of these, the first of which come
    first. All else is as in `lookalike.dedup`.

    `work` names a folder that all executors reach, for intermediate tables; else it is the folder of
    checkpoints if there is one, or a temporary one. Up to `one_task_pairs` pairs are decided on by
    one task, more by components; no result depends on it.
    """
    if cluster not in ("anchored", "components"):
        raise ParameterError(f"cluster is {cluster!r}, but must be anchored or components", "Parameter")
    if pairs not in (None, "needed", "all"):
        raise ParameterError(f"pairs is {pairs!r}, but must be needed or all", "Parameter")
    if keep_count < 1:
        raise ParameterError(f"keep_count is {keep_count}, but must be at least 1", "Parameter")
    judged = Recipe.load(
        recipe, threshold=threshold, recall=recall, ngram=ngram, verify=verify, sites=sites
    )
    # A group is who shares a key, and with such recipes the features in common would have to be counted.
    if judged.counts_in_common and not exact_only:
        raise ParameterError(_COUNTED.format(name=judged.name), "Parameter")
    if not judged.keeps_projection and not exact_only:
        raise ParameterError(_PROJECTIONS, "Parameter")
    asked = policy(keep)
    fields, in_input_order = keep_fields(asked)
    content = None if html is not None else text
    source = Source(
        df, judged, id, content, html, url, order, asked, list(dict.fromkeys(fields)), in_input_order, count, date_field
    )
    source.check()
    if known is not None and cluster == "components":
        raise ParameterError(_COMPONENTS, "KnownComponents")
    sides = _known_sides(source, known)
    folder = Work(df.sparkSession, work)
    try:
        return _run(folder, source, sides, Asked(cluster, pairs, exact_only, keep_count, strict, one_task_pairs))
    except BaseException:
        folder.close()
        raise


def dedup(df: DataFrame, text: str | None = "text", id: str = "id", url: str | None = None, **options: Any) -> DataFrame:
    """Finds look-alikes: a row for each document that is in a cluster of two or more.

    The options are those of `run`. The columns: `id`, `cluster` (the keeper's `row`), `size`,
    `keeper` (its id), `kept`, `kind` (`keeper`, `exact` or `near`), `resemblance` with the keeper
    (null if not verified), and `row`, the number of the document in the order of the input. Of all
    documents that the keeper stands for, itself included: `copies`; `exact_copies`, those of its words;
    `sources`, the different values of the column `count`, or their sites; `first` and `last` of the
    column `date_field`. `known` says whether the document is of the known side, `keeper_known` whether its keeper is.
    """
    if "pairs" in options:
        raise ParameterError("pairs are what `run` and `pairs` give", "Parameter")
    return run(df, text, id, url, **options).clusters


def pairs(df: DataFrame, text: str | None = "text", id: str = "id", url: str | None = None, **options: Any) -> DataFrame:
    """The pairs that the decision rests on, with their scores, or all of them (`pairs="all"`).

    The options are those of `run`, the columns those of `pairs.parquet`.
    """
    found = run(df, text, id, url, **({"pairs": "needed"} | options)).pairs
    assert found is not None
    return found


_SIGNED = {
    "exact": ("binary", pa.binary()),
    "tokens": ("long", pa.int64()),
    "shingles": ("long", pa.int64()),
    "empty": ("boolean", pa.bool_()),
    "features": ("array<long>", None),
    "keys": ("array<long>", None),
    "projection": ("binary", pa.binary()),
    "signature": ("binary", pa.binary()),
}


def sign(
    df: DataFrame,
    text: str | None = "text",
    id: str = "id",
    url: str | None = None,
    *,
    html: str | None = None,
    recipe: AnyRecipe = "text",
    columns: list[str] | None = None,
) -> DataFrame:
    """Signs documents: the id, and what `Recipe.sign_batch` gives of each.

    The columns are all of `exact`, `tokens`, `shingles`, `empty`, `features`, `keys`, `projection` and
    `signature`, unless some are named. Spark has no unsigned numbers: features and keys are the same
    64 bits with a sign. A row without a text has nulls.
    """
    wanted = list(_SIGNED) if columns is None else columns
    for name in wanted:
        if name not in _SIGNED:
            raise ParameterError(f"there is no column `{name}`; there are: {', '.join(_SIGNED)}", "Parameter")
    named = Recipe.load(recipe)
    source = Source(df, named, id, None if html is not None else text, html, url, None, "first", [], True)
    source.check()
    content = "texts" if html is None else "html"

    def signed(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            contents = {content: batch.column("content"), "urls": batch.column("url")}
            made = named.sign_batch(**contents, columns=wanted)
            arrays = [batch.column("id")]
            for name in wanted:
                kind = _SIGNED[name][1]
                arrays.append(words(made[name]) if kind is None else made[name].cast(kind))
            yield pa.RecordBatch.from_arrays(arrays, ["id", *wanted])

    types = ", ".join(["id string", *[f"{name} {_SIGNED[name][0]}" for name in wanted]])
    return source.rows().select("id", "content", "url").mapInArrow(signed, types)


@dataclass(frozen=True)
class Asked:
    """What is asked for besides documents and a recipe."""

    cluster: str
    pairs: str | None
    exact_only: bool
    keep_count: int
    strict: bool
    one_task: int


def _known_sides(source: Source, known: KnownSide | Sequence[KnownSide] | None) -> list[Source]:
    """The known sides, each of which can be read."""
    several = known if isinstance(known, (list, tuple)) else [] if known is None else [known]
    sides: list[Source] = []
    for at, given in enumerate(several, 1):
        name, table = f"known table {at}" if len(several) > 1 else "the known table", None
        if isinstance(given, DataFrame):
            table = given
        elif isinstance(given, (str, os.PathLike)):
            path = os.fspath(given)
            name, table = f"`{path}`", read_path(source.table.sparkSession, path)
        else:
            raise ParameterError(
                f"known is a {type(given).__name__}, but must be a DataFrame, a path, or a list of these", "Parameter"
            )
        # A run may have kept nothing.
        if table is not None:
            sides.append(source.known(name, table))
            sides[-1].check()
    return sides


def _run(work: Work, source: Source, known: list[Source], asked: Asked) -> Result:
    pairs, exact_only = asked.pairs, asked.exact_only
    needs = Needs.of(source.recipe, scores=pairs is not None)
    # Where texts are read once more, they are signed once more: signatures are not sorted then.
    are_read_again = needs.shingles and not exact_only
    documents = read_documents(
        work, source, known, needs.signatures and not are_read_again, asked.strict, exact_only
    )
    for where, skipped in documents.skipped_rows.items():
        warnings.warn(f"{skipped} rows{where} without a text were skipped", stacklevel=4)
    copied = work.write("copies", copies(documents))
    counts = {"documents": documents.count, "empty": documents.empty, "skipped": documents.skipped}
    counts["known"] = documents.known.count if documents.known else 0
    anchored = asked.cluster == "anchored"
    decision: Decision | None = None
    limited = 0
    sets, largest_set = None, 0
    if not exact_only:
        grouped, largest, most = members(work, documents, copied)
        if are_read_again and (largest or needs.scores):
            wanted = grouped.select("place")
            if needs.scores:
                wanted = wanted.union(copied.select("representative"))
            sets, largest_set = shingle_sets(work, documents, wanted.distinct(), needs.signatures, needs.sites)
        if largest:
            judge = Judge(work, source.recipe, needs, documents, sets, largest_set)
            matching = Matching(work, judge, grouped, largest, most, asked.one_task)
            if pairs == "all":
                decision = matching.all_pairs(anchored)
            else:
                decision = matching.anchored() if anchored else matching.components()
                limited = matching.limited(decision.gone, anchored)
    outcome = Outcome(work, documents, copied, sets, decision, asked.keep_count)
    kept, kind = F.col("kept"), F.col("kind")
    clusters, found_of = work.write_counting(
        "clusters",
        outcome.clusters(),
        exact_removed=F.count_if((kind == "exact") & ~kept),
        near_removed=F.count_if((kind == "near") & ~kept),
        kept_beside=F.count_if((kind != "keeper") & kept),
        known_removed=F.count_if(F.col("keeper_known") & ~kept),
        clusters=F.count_if(kind == "keeper"),
    )
    counts |= {name: found_of[name] or 0 for name in found_of}
    counts["kept"] = counts["documents"] - counts["exact_removed"] - counts["near_removed"]
    counts["candidates"] = decision.candidates if decision else 0
    counts["rounds"] = decision.rounds if decision else 0
    counts["limited_groups"] = limited
    found = None
    if pairs is not None:
        listed = "all" if pairs == "all" else "needed" if anchored else "judged"
        found, listing = work.write_counting("pairs", outcome.pairs(listed), pairs=F.count("*"))
        counts["pairs"] = listing["pairs"]
    if limited:
        _log.warning("%d groups have more documents that stay than one is compared with", limited)
    _log.info("%s", counts)
    work.keep_only("clusters", "pairs")
    return Result(work, clusters, found, counts)
