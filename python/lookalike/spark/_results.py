"""What a decision means for every document: the rows of clusters.parquet and pairs.parquet."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa
from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from ._columns import Batches
from ._documents import Documents
from ._known import is_known
from ._matching import Decision
from ._verify import SCORES, SHARES, scores
from ._work import Work

# Members of an identity set that are listed with those of another, as in the engine.
MEMBER_LIMIT = 64

# What is told of a keeper, beside the size of its cluster.
COUNTS = ["copies", "exact_copies", "sources", "first", "last"]

_MEASURES = dict.fromkeys(SHARES, "double") | SCORES


@dataclass(frozen=True)
class Outcome:
    """The decision with the copies in it."""

    work: Work
    documents: Documents
    # place, representative
    copies: DataFrame
    # place, signature, if they are not with the documents
    sets: DataFrame | None
    # None if only copies were looked for
    decision: Decision | None
    # How many of a cluster stay.
    keep_count: int = 1

    def _gone(self) -> DataFrame:
        """Documents that go for others than copies, with what they have in common with their keepers:
        nothing that is known where only other documents connect the two."""
        if self.decision is None:
            columns = [f"{name} {kind}" for name, kind in _MEASURES.items()]
            return self.copies.sparkSession.createDataFrame([], ", ".join(["place long, keeper long", *columns]))
        accepted = self.decision.accepted.withColumn("is_pair", F.lit(True))
        pairs = accepted.withColumnsRenamed({"earlier": "keeper", "later": "place"})
        return self.decision.gone.join(pairs, ["place", "keeper"], "left")

    def _copies_with_keepers(self) -> DataFrame:
        """Copies, with the keepers of their first where these go."""
        gone = self._gone().withColumnRenamed("place", "representative")
        return self.copies.join(gone, "representative", "left")

    def _beside(self, removed: DataFrame) -> DataFrame:
        """Those of them that stay beside their keepers: the first of each cluster."""
        if self.keep_count == 1:
            return removed.withColumn("stays", F.lit(False))
        in_order = Window.partitionBy("keeper").orderBy("place")
        return removed.withColumn("stays", F.row_number().over(in_order) < self.keep_count)

    def clusters(self) -> DataFrame:
        """A row for each document that is in a cluster."""
        near = self._gone().select("place", "keeper", F.lit("near").alias("kind"), "resemblance")
        copied = self._copies_with_keepers()
        is_exact = F.col("keeper").isNull()
        exact = copied.select(
            "place",
            F.coalesce("keeper", "representative").alias("keeper"),
            F.when(is_exact, "exact").otherwise("near").alias("kind"),
            F.when(is_exact, 1.0).otherwise(F.col("resemblance")).alias("resemblance"),
        )
        removed = self.work.write("removed", near.union(exact))
        sizes = self._counts(removed)
        keepers = sizes.select(
            F.col("keeper").alias("place"), "keeper", F.lit("keeper").alias("kind"),
            F.lit(None).cast("double").alias("resemblance"), F.lit(True).alias("stays"),
        )  # fmt: skip
        named = self.documents.named()
        of_keeper = named.select(
            F.col("place").alias("keeper_place"), F.col("id").alias("keeper"), F.col("row").alias("cluster")
        )
        clusters = sizes.withColumnRenamed("keeper", "keeper_place").join(of_keeper, "keeper_place")
        members = self._beside(removed).union(keepers)
        members = members.withColumnRenamed("keeper", "keeper_place").join(named, "place")
        return members.join(clusters, "keeper_place").select(
            "id", "cluster", "size", "keeper", F.col("stays").alias("kept"), "kind", "resemblance", "row", *COUNTS,
            is_known("place").alias("known"), is_known("keeper_place").alias("keeper_known"),
        )  # fmt: skip

    def _counts(self, removed: DataFrame) -> DataFrame:
        """How often each keeper was found, as `counts.rs` of the engine defines it."""
        table, nothing = self.documents.table, F.lit(None)
        keepers = removed.select("keeper").distinct().select(F.col("keeper").alias("place"), "keeper")
        members = removed.select("place", "keeper", "kind").union(keepers.withColumn("kind", F.lit("exact")))
        if "counted" in table.columns:
            # An empty value is none.
            source = F.when(F.col("counted") != "", F.col("counted"))
        else:
            # Without a site, all documents are of one input.
            source = F.coalesce("site", F.lit(0))
        date = F.col("date") if "date" in table.columns else nothing.cast("timestamp")
        # Of known ones both were told when they were new.
        source, date = (F.when(~is_known("place"), column) for column in (source, date))
        told = table.select("place", source.alias("source"), date.alias("date"))
        return members.join(told, "place").groupBy("keeper").agg(
            F.count("*").alias("size"),
            F.count("*").alias("copies"),
            F.count_if(F.col("kind") == "exact").alias("exact_copies"),
            F.count_distinct("source").alias("sources"),
            F.min("date").alias("first"),
            F.max("date").alias("last"),
        )

    def pairs(self, listed: str) -> DataFrame:
        """A row for each pair: `needed`, `judged` or `all`, as the engine lists them."""
        ends, near = ["earlier", "later"], F.lit("near").alias("kind")
        in_order = self.documents.source.recipe.verify == "difference"
        same = dict.fromkeys(SHARES, 1.0) | {"difference": 0.0 if in_order else None}
        shares = [F.lit(value).cast("double").alias(share) for share, value in same.items()]
        exact = self.copies.join(self._scores_of_copies(), "representative")
        lines = exact.select(
            F.col("representative").alias("earlier"), F.col("place").alias("later"), F.lit("exact").alias("kind"),
            *shares, *SCORES,
        )  # fmt: skip
        if self.decision is not None:
            copied = self._copies_with_keepers().where("is_pair").select(
                F.col("keeper").alias("earlier"), F.col("place").alias("later"), near, *_MEASURES
            )  # fmt: skip
            judged = self.decision.accepted
            if listed == "needed":
                gone = self.decision.gone.select(F.col("keeper").alias("earlier"), F.col("place").alias("later"))
                judged = judged.join(gone, ends)
            elif listed == "all":
                judged = self._of_copies(judged)
            lines = lines.union(copied).union(judged.select(*ends, near, *_MEASURES))
        # A copy with its keeper may also be a pair of two sets.
        return self._listed(lines.dropDuplicates([*ends, "kind"]))

    def _of_copies(self, pairs: DataFrame) -> DataFrame:
        """Pairs of the members of identity sets, in the place of their first."""
        in_order = Window.partitionBy("representative").orderBy("place")
        number = F.row_number().over(in_order)
        members = self.copies.withColumn("number", number).where(F.col("number") < MEMBER_LIMIT)
        for end in ("earlier", "later"):
            copies = members.select(F.col("representative").alias("first"), F.col("place").alias("member"))
            copied = pairs.join(copies, F.col(end) == F.col("first")).drop("first", end)
            pairs = pairs.unionByName(copied.withColumnRenamed("member", end))
        return pairs

    def _scores_of_copies(self) -> DataFrame:
        """What the signature of each first says about itself and its copies, which have the same."""
        recipe = self.documents.source.recipe
        # Without shingle sets; the rule by sketches cannot do without either.
        recipe = recipe.judging(verify="estimate" if recipe.candidates == "sketch" else "none")
        by_site = recipe.candidates == "by-site"
        signed = self.documents.table if self.sets is None else self.sets
        signatures = signed.select(F.col("place").alias("representative"), "signature")
        firsts = self.copies.select("representative").distinct().join(signatures, "representative")

        def score(batches: Batches) -> Batches:
            for batch in batches:
                judged = recipe.judge_batch(
                    signatures_a=batch.column("signature"),
                    signatures_b=batch.column("signature"),
                    same_site=pa.array([False] * batch.num_rows) if by_site else None,
                )
                yield pa.RecordBatch.from_pydict({"representative": batch.column("representative")} | scores(judged))

        return firsts.mapInArrow(score, ", ".join(["representative long", *map(" ".join, SCORES.items())]))

    def _listed(self, lines: DataFrame) -> DataFrame:
        """With ids, the first in the input first."""
        names = self.documents.named()
        for which, end in (("a", "earlier"), ("b", "later")):
            lines = lines.join(
                names.select(F.col("place").alias(end), F.col("id").alias(which), F.col("row").alias(f"row_{which}")), end
            )
        turned = F.col("row_a") > F.col("row_b")

        def side(name: str, which: str) -> Column:
            other = {"a": "b", "b": "a"}[which]
            column = f"{name}_{which}", f"{name}_{other}"
            return F.when(turned, F.col(column[1])).otherwise(F.col(column[0])).alias(column[0])

        first = F.when(turned, F.col("b")).otherwise(F.col("a")).alias("a")
        second = F.when(turned, F.col("a")).otherwise(F.col("b")).alias("b")
        return lines.select(
            first, second, "kind", "b_similarity", "c_similarity", "repeats_in_common", "estimate", "resemblance",
            side("containment", "a"), side("containment", "b"), "difference", side("row", "a"), side("row", "b"),
            is_known("earlier").alias("known"),
        )  # fmt: skip
