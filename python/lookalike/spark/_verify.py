"""Candidates judged by the recipe, in blocks.

Judging takes the shingle sets or signatures of both documents, thousands of bytes each, and a document
has several candidates. So candidates go to tasks in blocks of those that are of the same documents,
more or less: candidates of one root (`_matching.py`) in the order of the earlier one, cut where a block
becomes too large. What a document has to be judged by goes once to each block that it is in.

A block comes to its task as rows in the order of places, each with the earlier ones that it is to be
compared with. These came before, and only they are remembered; a block has so many of them, and so
many candidates, that this takes little memory, whatever the documents have in common. A document with
a million candidates is in many blocks.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from .._native import Recipe
from ..errors import ParameterError
from ._columns import Batches, Numbers, bytes_to_words, changes, numbers, pieces, runs
from ._documents import Documents
from ._work import Work, few

SHARES = ["resemblance", "containment_a", "containment_b", "difference"]

# What signatures say of a pair.
SCORES = {"b_similarity": "int", "c_similarity": "int", "repeats_in_common": "int", "estimate": "double"}

# What a block may have, in words of eight bytes: of sets of earlier ones, and so many for each of
# these and for each candidate.
BLOCK_WORDS = 1 << 20
ROW_WORDS = 64

# Words that are judged at a time: both sets of each pair.
_JUDGED_WORDS = 1 << 21


@dataclass(frozen=True)
class Needs:
    """What judging by a recipe takes, and what is to be said of pairs."""

    # Or the words in their order, where these are what is compared.
    shingles: bool
    signatures: bool
    sites: bool
    scores: bool

    @staticmethod
    def of(recipe: Recipe, scores: bool = False) -> Needs:
        """As the native rule says when it is asked about no pairs."""
        nothing = pa.array([], pa.list_(pa.int64()))
        signatures = scores
        try:
            recipe.judge_batch(nothing, nothing)
        except ParameterError:
            signatures = True
        reads = recipe.verify in ("exact", "difference")
        return Needs(reads, signatures, recipe.candidates == "by-site", scores)

    @property
    def nothing(self) -> bool:
        """Whether sharing a key is all that is asked for."""
        return not (self.shingles or self.signatures)


@dataclass(frozen=True)
class Judge:
    """Judges candidates: earlier, later, root."""

    work: Work
    recipe: Recipe
    needs: Needs
    documents: Documents
    # place, size, shingles, and signature and site as needed; where shingles are
    sets: DataFrame | None
    largest_set: int

    def accepted(self, name: str, candidates: DataFrame, count: int) -> tuple[DataFrame, int]:
        """Those that are pairs: earlier, later, resemblance, containment_a, containment_b, difference, and the
        scores if they are wanted; and how many."""
        if self.needs.nothing:
            nulls = [F.lit(None).cast("double").alias(share) for share in SHARES]
            return self._written(name, candidates.select("earlier", "later", *nulls))
        recipe, needs = self.recipe, self.needs

        def judge(batches: Batches) -> Batches:
            return judge_blocks(batches, recipe, needs)

        in_root = self._with_sizes(few(candidates, count)).repartition("root")
        ordered = in_root.sortWithinPartitions("root", "earlier", "later")
        parts = ordered.mapInArrow(cut_into_blocks, "root long, part long, place long, other long")
        rows = parts.groupBy("root", "part", "place").agg(
            F.collect_list("other").alias("others"), F.max(F.col("other").isNull()).alias("is_earlier")
        )
        # There are at most two for each candidate.
        blocks = few(rows, 2 * count).join(self._material(), "place").repartition("root", "part")
        measures = dict.fromkeys(SHARES, "double") | (SCORES if needs.scores else {})
        types = ", ".join(["earlier long, later long", *[f"{name} {kind}" for name, kind in measures.items()]])
        with self.work.batches(8 * (self._words + BLOCK_WORDS // ROW_WORDS)):
            ordered = blocks.sortWithinPartitions("root", "part", "place")
            return self._written(name, ordered.mapInArrow(judge, types))

    def _written(self, name: str, accepted: DataFrame) -> tuple[DataFrame, int]:
        table, counts = self.work.write_counting(name, accepted, pairs=F.count("*"))
        return table, counts["pairs"]

    @property
    def _words(self) -> int:
        """Of one document, at most."""
        signature = self.recipe.signature_bytes // 8 + 1 if self.needs.signatures else 0
        return signature + self.largest_set

    def _with_sizes(self, candidates: DataFrame) -> DataFrame:
        """With the size of what the earlier one is judged by, but for those whose sets are of sizes too
        far apart: the smaller one within the larger one is the most that they can have in common."""
        if self.sets is None:
            return candidates.withColumn("size", F.lit(self._words))
        for end in ("later", "earlier"):
            sizes = self.sets.select(F.col("place").alias(end), F.col("size").alias(f"{end}_size"))
            candidates = candidates.join(sizes, end)
        both = "earlier_size", "later_size"
        least = self.recipe.threshold
        if self.recipe.verify == "difference":
            # The words of both count; and a bit less, for what is rounded.
            least = least / (2 - least) - 1e-9
        possible = candidates.where(F.least(*both) / F.greatest(*both) >= least)
        return possible.select("root", "earlier", "later", F.col("earlier_size").alias("size"))

    def _material(self) -> DataFrame:
        """All that a document is judged by: place, and shingles, signature and site as needed."""
        table = self.documents.table if self.sets is None else self.sets
        wanted = {"shingles": self.needs.shingles, "signature": self.needs.signatures, "site": self.needs.sites}
        return table.select("place", *[name for name, is_needed in wanted.items() if is_needed])


def cut_into_blocks(batches: Batches) -> Batches:
    """Takes candidates in the order of roots, earlier and later ones, with the sizes of the earlier ones;
    gives what goes to each block: documents with those to compare them with, one by one, and each of
    these once with nothing."""
    # The last candidate: its root, its part, the earlier one, and how large its root has become.
    last_root, last_part, last_earlier, filled = 0, -1, 0, 0
    for batch in batches:
        if batch.num_rows == 0:
            continue
        root, earlier, later, size = numbers(batch.select(["root", "earlier", "later", "size"]))
        goes_on = last_part >= 0 and root[0] == last_root
        new_earlier = changes(root, earlier)
        new_earlier[0] = not goes_on or earlier[0] != last_earlier
        words = numpy.cumsum(ROW_WORDS + new_earlier * (size + ROW_WORDS))
        # What came before the first row of a root here is left out, but what the root itself had.
        starts, lengths = runs(root)
        before = numpy.concatenate([[0], words])[starts]
        before[0] -= filled if goes_on else 0
        words -= numpy.repeat(before, lengths)
        part = words // BLOCK_WORDS
        first = changes(root, part, earlier)
        first[0] = new_earlier[0] or part[0] != last_part
        last_root, last_part, last_earlier, filled = root[-1], part[-1], earlier[-1], words[-1]
        columns = [numpy.concatenate([column, column[first]]) for column in (root, part)]
        arrays = [pa.array(column) for column in (*columns, numpy.concatenate([later, earlier[first]]))]
        others = pa.array(numpy.concatenate([earlier, earlier[first]]), mask=numpy.arange(len(columns[0])) >= len(root))
        yield pa.RecordBatch.from_arrays([*arrays, others], ["root", "part", "place", "other"])


def judge_blocks(batches: Batches, recipe: Recipe, needs: Needs) -> Batches:
    """Takes the rows of blocks in the order of places; gives the pairs that are accepted."""
    # Of the block at hand, those that later ones are compared with.
    held: pa.RecordBatch | None = None
    for batch in batches:
        if batch.num_rows == 0:
            continue
        repeated = 0
        if held is not None and _block(held, 0) == _block(batch, 0):
            repeated = held.num_rows
            (batch,) = pa.Table.from_batches([held, batch]).combine_chunks().to_batches()
        root, part, places = numbers(batch.select(["root", "part", "place"]))
        block = numpy.cumsum(changes(root, part))
        others = batch.column("others")
        counts = pc.list_value_length(others).to_numpy().astype(numpy.int64)
        counts[:repeated] = 0
        later = numpy.repeat(numpy.arange(len(counts)), counts)
        wanted = others.slice(repeated).flatten().to_numpy()
        earlier = _find(block, places, block[later], wanted)
        yield from _judge(batch, earlier, later, places, recipe, needs)
        is_held = batch.column("is_earlier").to_numpy(zero_copy_only=False) & (block == block[-1])
        held = batch.filter(pa.array(is_held)) if is_held.any() else None


def _block(batch: pa.RecordBatch, row: int) -> tuple[int, int]:
    return batch.column("root")[row].as_py(), batch.column("part")[row].as_py()


def _find(block: Numbers, places: Numbers, wanted_block: Numbers, wanted: Numbers) -> Numbers:
    """The rows of these places in these blocks; rows are in the order of blocks and places."""
    different, ranks = numpy.unique(numpy.concatenate([places, wanted]), return_inverse=True)
    keys = numpy.concatenate([block, wanted_block]) * len(different) + ranks
    return numpy.searchsorted(keys[: len(places)], keys[len(places) :])


def _judge(
    batch: pa.RecordBatch, earlier: Numbers, later: Numbers, places: Numbers, recipe: Recipe, needs: Needs
) -> Batches:
    sets = batch.column("shingles") if needs.shingles else None
    signatures = batch.column("signature") if needs.signatures else None
    # 0 is no site, as null is.
    site = pc.fill_null(batch.column("site"), 0).to_numpy() if needs.sites else None
    words = numpy.zeros(batch.num_rows, numpy.int64) if sets is None else pc.binary_length(sets).to_numpy() // 8
    for some in pieces(words[earlier] + words[later] + ROW_WORDS, _JUDGED_WORDS):
        a, b = earlier[some], later[some]
        judged = recipe.judge_batch(
            # Arrow takes bytes at once, and of lists each number for itself.
            *([bytes_to_words(sets.take(pa.array(rows))) for rows in (a, b)] if sets is not None else []),
            signatures_a=signatures.take(pa.array(a)) if signatures is not None else None,
            signatures_b=signatures.take(pa.array(b)) if signatures is not None else None,
            same_site=pa.array((site[a] == site[b]) & (site[a] != 0)) if site is not None else None,
        )
        measures = {share: judged[share] for share in SHARES} | (scores(judged) if needs.scores else {})
        ends = {"earlier": pa.array(places[a]), "later": pa.array(places[b])}
        yield pa.RecordBatch.from_pydict(ends | measures).filter(judged["accepted"])


def scores(judged: pa.RecordBatch) -> dict[str, pa.Array]:
    """The scores that a judgement has, in types of Spark's."""
    return {name: judged[name].cast(pa.int32() if kind == "int" else pa.float64()) for name, kind in SCORES.items()}
