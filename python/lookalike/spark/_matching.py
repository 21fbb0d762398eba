"""Who goes: the definition of the engine, computed in rounds of DataFrames.

A key's group is the set of documents that have it; copies take no part, only the first of their
identity set does. With the limit L = 64, and documents named by their places:

    anchored:    for d in ascending place:
                   candidates = union over the groups g of d of
                                the first L kept members of g before d
                   the first candidate, ascending, that the judge accepts stands for d;
                   if there is none, d is kept
    components:  (e, d) is an edge if e is among the first L members of a group,
                   d is a later member, and the judge accepts;
                   the smallest place of a connected component stands for it

**Anchors.** The first L kept members of g before d are those of the first L kept members of g, its
anchors, that come before d. So a group is known by at most L places, and a round is two joins:
members with who is kept, and members with the anchors of their keys. A group is never in one row or
in one task's memory: anchors are a minimum or a window with a limit, both of which Spark computes
in part before it shuffles, and members stream past them. A key of a million documents costs a
million rows and L anchors; a join that is skewed by it, Spark splits (adaptive execution).

**A round** with the limit l takes the keepers so far (at first, everyone is kept) and

    makes   (e, d) for e among the first l kept members of a group of d, e < d,
            and e <= keeper(d) if d has one: only they can stand for d in its place
    judges  those that were not judged in an earlier round
    decides again who is kept, from accepted pairs in ascending (d, e):
            the first e that is kept stands for d

Rounds of the limits 1 and 8 only save work: they decide from all pairs that were found, and most
documents that go do so by the first members of a group, after which candidates beyond their
keepers are not made. They are left out where candidates are few anyway. Then rounds of the limit L
follow, which decide only from pairs made in the same round, until one leaves every keeper as it was.
If the first round of all has the limit L, and no group has more members, then it makes all pairs of
all groups, the limit excludes nobody, and its decision is the definition: no other round follows.

**That this is the definition.** Let a round of the limit L leave the keepers k as they were. By
induction over places, let all before d be right. So the kept members before d of each group of d
are right, and the round made exactly the candidates of d in the definition, all of them if d is
kept, else those up to k(d); all were judged. It chose the first accepted one that is kept. If
k(d) is another document, it is thus the first accepted candidate of the definition, for it and
all before it were made; if d is kept, no candidate was accepted. So d is right.

**That it ends.** Let all places before d be right and remain so. Then the candidates of d that are
made are right as above. If d is kept before the round, it is right after it. If not, then its first
accepted candidate is made if it is not beyond k(d), and d is right; else nothing accepted is found
up to k(d), since k(d) itself is none of its candidates, and d is kept, which the next round makes
right. So in every two rounds at least one more place is right for good. Two or three are usual.

**Deciding** is sequential along pairs, but pairs of different components know nothing of each
other. Many pairs go to tasks by the components of the accepted pairs (`_components.py`), few go to
one task. A task sees pairs sorted, and remembers of a component only who goes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import pyarrow as pa
from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from ..errors import Error
from ._components import ONE_TASK, components
from ._documents import Documents, first
from ._verify import Judge
from ._work import Work

Batches = Iterator[pa.RecordBatch]

# Documents of one group that a document is compared with at most, as in the engine.
GROUP_LIMIT = 64

# Limits of the first rounds.
FIRST_LIMITS = (1, 8)

# Candidates that are judged at once: a round takes Spark longer than so many of them.
FEW_CANDIDATES = 100_000

# More rounds are a fault, or an input made to take them.
MAX_ROUNDS = 1000


def members(documents: Documents, copies: DataFrame) -> DataFrame:
    """The members of groups of two and more: key, place, and how many there are of the key."""
    matched = documents.table.join(copies, "place", "left_anti")
    keys = matched.select("place", F.explode(F.array_distinct("keys")).alias("key"))
    several = keys.groupBy("key").agg(F.count("*").alias("size")).where("size > 1")
    return keys.join(several, "key").select("key", "place", "size")


def sizes(members: DataFrame) -> tuple[int, int]:
    """How many members the largest group has, and how many candidates a round has at most."""
    largest, most = first(members.agg(F.max("size"), F.sum(F.least("size", F.lit(GROUP_LIMIT)))))
    return largest or 0, most or 0


@dataclass
class Decision:
    """Who goes, and why."""

    # place, keeper: all that go and are no copies
    gone: DataFrame
    # earlier, later, resemblance, containment_a, containment_b: all that were accepted
    accepted: DataFrame
    candidates: int
    rounds: int


@dataclass
class Matching:
    """Rounds over the members of groups."""

    work: Work
    judge: Judge
    # key, place
    members: DataFrame
    # Members of the largest group.
    largest: int
    # Candidates of a round at most.
    most: int
    one_task: int = ONE_TASK
    candidates: int = 0
    rounds: int = 0
    _judged: list[DataFrame] = field(default_factory=list)
    _accepted: list[DataFrame] = field(default_factory=list)
    _pairs: int = 0

    def anchored(self) -> Decision:
        """Decides as `anchored` is defined."""
        gone = None
        for limit in FIRST_LIMITS if self.most > FEW_CANDIDATES else ():
            # Where no group has more members than that, the last limit is no higher.
            if limit < self.largest:
                self._round(self._candidates(limit, gone))
                gone = self._decide(self._union(self._accepted))
        while self.rounds < MAX_ROUNDS:
            made = self._round(self._candidates(GROUP_LIMIT, gone))
            if gone is None and self.largest <= GROUP_LIMIT:
                return self._decision(self._decide(self._union(self._accepted)))
            usable = self._union(self._accepted).join(made, ["earlier", "later"], "left_semi")
            before, gone = gone, self._decide(usable)
            if before is not None and _same(before, gone):
                return self._decision(gone)
        raise Error(f"no decision after {MAX_ROUNDS} rounds", "Rounds")

    def components(self) -> Decision:
        """Decides as `components` is defined, by the candidates that the engine judges: the first
        member of each group with all others, then the next ones where nothing connects the two."""
        self._round(self._candidates(1, None))
        found = self._components("connected")
        anchors = self._anchors(self.members, GROUP_LIMIT).where("number > 1")
        pairs = self._with_anchors(self.members, anchors).select("earlier", F.col("place").alias("later"))
        for end in ("earlier", "later"):
            named = found.select(F.col("place").alias(end), F.col("smallest").alias(f"{end}_smallest"))
            pairs = pairs.join(named, end, "left")
        apart = ~F.coalesce(F.col("earlier_smallest") == F.col("later_smallest"), F.lit(False))
        self._round(pairs.where(apart).select("earlier", "later").distinct())
        joined = self._components("components")
        gone = joined.where("place != smallest").select("place", F.col("smallest").alias("keeper"))
        return self._decision(gone)

    def all_pairs(self, anchored: bool) -> Decision:
        """Decides from all pairs of documents that share a key. A group of n members has
        n (n - 1) / 2: for evaluation."""
        later = self.members.select("key", F.col("place").alias("later"))
        pairs = self.members.withColumnRenamed("place", "earlier").join(later, "key")
        self._round(pairs.where("earlier < later").select("earlier", "later").distinct())
        if anchored:
            return self._decision(self._decide(self._union(self._accepted)))
        joined = self._components("components")
        return self._decision(
            joined.where("place != smallest").select("place", F.col("smallest").alias("keeper"))
        )

    def limited(self, gone: DataFrame, anchored: bool) -> int:
        """Groups with more documents that stay (components: more members) than the limit."""
        if self.largest <= GROUP_LIMIT:
            return 0
        there = self.members.join(gone, "place", "left_anti") if anchored else self.members
        return int(there.groupBy("key").count().where(F.col("count") > GROUP_LIMIT).count())

    def _decision(self, gone: DataFrame) -> Decision:
        return Decision(gone, self._union(self._accepted), self.candidates, self.rounds)

    def _round(self, candidates: DataFrame) -> DataFrame:
        """Judges what was not judged before; gives all candidates of the round."""
        self.rounds += 1
        is_new = F.lit(True)
        if self._judged:
            judged = self._union(self._judged).withColumn("was_judged", F.lit(True))
            candidates = candidates.join(judged, ["earlier", "later"], "left")
            is_new = F.col("was_judged").isNull()
        made = self.work.write(
            f"candidates-{self.rounds}", candidates.select("earlier", "later", is_new.alias("is_new"))
        )
        new = made.where("is_new").select("earlier", "later")
        count = new.count()
        if count > 0 or not self._accepted:
            self.candidates += count
            self._judged.append(new)
            accepted = self.judge.accepted(f"accepted-{self.rounds}", new)
            self._accepted.append(accepted)
            self._pairs += accepted.count()
        return made

    def _candidates(self, limit: int, gone: DataFrame | None) -> DataFrame:
        """Members with the first kept ones of their groups, up to their keepers."""
        if gone is None:
            known = self.members.withColumn("keeper", F.lit(None).cast("long"))
        else:
            known = self.members.join(gone, "place", "left")
        anchors = self._anchors(known.where(F.col("keeper").isNull()), limit)
        pairs = self._with_anchors(known, anchors)
        useful = F.col("keeper").isNull() | (F.col("earlier") <= F.col("keeper"))
        return pairs.where(useful).select("earlier", F.col("place").alias("later")).distinct()

    @staticmethod
    def _anchors(kept: DataFrame, limit: int) -> DataFrame:
        """The first of each group: key, earlier, and their numbers from 1 on."""
        if limit == 1:
            return kept.groupBy("key").agg(F.min("place").alias("earlier"), F.lit(1).alias("number"))
        in_order = Window.partitionBy("key").orderBy("place")
        numbered = kept.withColumn("number", F.row_number().over(in_order)).where(F.col("number") <= limit)
        return numbered.select("key", F.col("place").alias("earlier"), "number")

    @staticmethod
    def _with_anchors(members: DataFrame, anchors: DataFrame) -> DataFrame:
        return members.join(anchors, "key").where("earlier < place")

    @staticmethod
    def _union(tables: list[DataFrame]) -> DataFrame:
        all_rows = tables[0]
        for table in tables[1:]:
            all_rows = all_rows.union(table)
        return all_rows

    def _components(self, name: str) -> DataFrame:
        return components(self.work, name, self._union(self._accepted), self._pairs, self.one_task)

    def _decide(self, pairs: DataFrame) -> DataFrame:
        """Who goes by these of the accepted pairs: place, keeper."""
        pairs = pairs.select("earlier", "later")
        name = f"gone-{self.rounds}"
        if self._pairs <= self.one_task:
            sorted_pairs = (
                pairs.withColumn("component", F.lit(0).cast("long"))
                .repartition(1)
                .sortWithinPartitions("later", "earlier")
            )
        else:
            found = components(self.work, f"components-{self.rounds}", pairs, self._pairs, self.one_task)
            named = found.select(F.col("place").alias("later"), F.col("smallest").alias("component"))
            sorted_pairs = (
                pairs.join(named, "later")
                .repartition("component")
                .sortWithinPartitions("component", "later", "earlier")
            )
        chosen = sorted_pairs.select("component", "later", "earlier").mapInArrow(anchor, "place long, keeper long")
        return self.work.write(name, chosen)


def anchor(batches: Batches) -> Batches:
    """Takes pairs sorted by component, later and earlier; gives those that go with their keepers."""
    component: int | None = None
    document: int | None = None
    gone: set[int] = set()
    for batch in batches:
        places, keepers = [], []
        columns = [column.to_pylist() for column in batch.columns]
        for of, later, earlier in zip(*columns, strict=True):
            if of != component:
                component, document, gone = of, None, set()
            # Whether the earlier one goes has been decided: all its pairs came before.
            if later != document and earlier not in gone:
                document = later
                gone.add(later)
                places.append(later)
                keepers.append(earlier)
        arrays = [pa.array(places, pa.int64()), pa.array(keepers, pa.int64())]
        yield pa.RecordBatch.from_arrays(arrays, ["place", "keeper"])


def _same(a: DataFrame, b: DataFrame) -> bool:
    """Whether two decisions are one, by one query."""
    both = a.withColumn("side", F.lit(1)).union(b.withColumn("side", F.lit(-1)))
    different = both.groupBy("place", "keeper").agg(F.sum("side").alias("sides")).where("sides != 0")
    return bool(different.isEmpty())
