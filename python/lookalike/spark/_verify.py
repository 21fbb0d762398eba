"""Candidates judged by the recipe, with what the native rule asks for joined to them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from .._native import Recipe
from ..errors import ParameterError
from ._documents import Documents
from ._work import Work

Batches = Iterator[pa.RecordBatch]

_SHARES = ["resemblance", "containment_a", "containment_b"]

# A row of two sets or signatures has some numbers besides.
_ROW_BYTES = 64


@dataclass(frozen=True)
class Needs:
    """What judging by a recipe takes."""

    shingles: bool
    signatures: bool
    sites: bool

    @staticmethod
    def of(recipe: Recipe) -> Needs:
        """As the native rule says when it is asked about no pairs."""
        nothing = pa.array([], pa.list_(pa.int64()))
        signatures = False
        try:
            recipe.judge_batch(nothing, nothing)
        except ParameterError:
            signatures = True
        return Needs(recipe.verify == "exact", signatures, recipe.candidates == "by-site")

    @property
    def nothing(self) -> bool:
        """Whether sharing a key is all that is asked for."""
        return not (self.shingles or self.signatures)


@dataclass(frozen=True)
class Judge:
    """Judges candidates: earlier, later."""

    work: Work
    recipe: Recipe
    needs: Needs
    documents: Documents
    # place, size, shingles; where they are needed
    sets: DataFrame | None
    largest_set: int

    def accepted(self, name: str, candidates: DataFrame) -> DataFrame:
        """Those that are pairs: earlier, later, resemblance, containment_a, containment_b."""
        recipe, needs = self.recipe, self.needs
        if needs.nothing:
            nulls = [F.lit(None).cast("double").alias(share) for share in _SHARES]
            return self.work.write(name, candidates.select("earlier", "later", *nulls))
        joined = self._with_sites(candidates) if needs.sites else candidates
        row_bytes = _ROW_BYTES
        if needs.signatures:
            joined = with_signatures(self.documents, joined)
            row_bytes += 2 * recipe.signature_bytes
        if needs.shingles:
            joined = self._with_sets(joined)
            row_bytes += 16 * self.largest_set

        def judge(batches: Batches) -> Batches:
            for batch in batches:
                judged = recipe.judge_batch(
                    batch.column("shingles_a") if needs.shingles else None,
                    batch.column("shingles_b") if needs.shingles else None,
                    signatures_a=batch.column("signature_a") if needs.signatures else None,
                    signatures_b=batch.column("signature_b") if needs.signatures else None,
                    same_site=batch.column("same_site") if needs.sites else None,
                )
                columns = [batch.column("earlier"), batch.column("later")]
                columns += [judged[share] for share in _SHARES]
                every = pa.RecordBatch.from_arrays(columns, ["earlier", "later", *_SHARES])
                yield every.filter(judged["accepted"])

        types = "earlier long, later long, " + ", ".join(f"{share} double" for share in _SHARES)
        with self.work.rows_at_a_time(row_bytes):
            return self.work.write(name, joined.mapInArrow(judge, types))

    def _with_sets(self, candidates: DataFrame) -> DataFrame:
        """With the shingle sets of both, but for those whose sizes are too far apart.

        The smaller set within the larger one is the most that they can have in common.
        """
        assert self.sets is not None
        sizes = self.sets.select(F.col("place").alias("earlier"), F.col("size").alias("size_a"))
        later = self.sets.select(
            F.col("place").alias("later"), F.col("size").alias("size_b"), F.col("shingles").alias("shingles_b")
        )
        earlier = self.sets.select(F.col("place").alias("earlier"), F.col("shingles").alias("shingles_a"))
        most = F.least("size_a", "size_b") / F.greatest("size_a", "size_b")
        possible = candidates.join(sizes, "earlier").join(later, "later").where(most >= self.recipe.threshold)
        # The earlier one last: it is the one that has many candidates, and where its rows are
        # wide, Spark sees that they are too many for one task and splits them.
        return possible.drop("size_a", "size_b").join(earlier, "earlier")

    def _with_sites(self, candidates: DataFrame) -> DataFrame:
        sites = self.documents.table.select("place", "site")
        for side, end in (("a", "earlier"), ("b", "later")):
            named = sites.select(F.col("place").alias(end), F.col("site").alias(f"site_{side}"))
            candidates = candidates.join(named, end)
        # 0 is no site, as null is.
        same = (F.col("site_a") == F.col("site_b")) & (F.col("site_a") != 0)
        return candidates.withColumn("same_site", F.coalesce(same, F.lit(False))).drop("site_a", "site_b")


def with_signatures(documents: Documents, pairs: DataFrame) -> DataFrame:
    """Pairs with the signatures of both."""
    signatures = documents.table.select("place", "signature")
    for side, end in (("b", "later"), ("a", "earlier")):
        named = signatures.select(F.col("place").alias(end), F.col("signature").alias(f"signature_{side}"))
        pairs = pairs.join(named, end)
    return pairs
