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

Known documents have the places below 0. They take part in groups and stay, so that of them nothing is decided: the
loop is over the others.

**Anchors.** The first L kept members of g before d are those of the first L kept members of g, its
anchors, that come before d. So a group is known by at most L places, and a round is a join of members
with who is kept, and a pass over them in the order of keys and places. A group is never in one row or
in one task's memory: a task remembers the anchors of the group at hand, and the members stream past
them. A key of a million documents costs a million rows of three numbers, sorted by Spark, and L anchors.

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

from dataclasses import dataclass, field

import numpy
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from .._native import GROUP_LIMIT
from ..errors import Error
from ._columns import Batches, numbers, pieces, runs
from ._components import ONE_TASK, components
from ._documents import Documents
from ._known import is_known
from ._verify import Judge
from ._work import Work

# Limits of the first rounds.
FIRST_LIMITS = (1, 8)

# Candidates that are judged at once, those of several groups counted in each: two rounds more take
# Spark longer than so many of them.
FEW_CANDIDATES = 1_000_000

# More rounds are a fault, or an input made to take them.
MAX_ROUNDS = 1000


def members(work: Work, documents: Documents, copies: DataFrame) -> tuple[DataFrame, int, int]:
    """The members of groups of two and more, key and place; how many the largest group has; and how
    many candidates a round has at most."""
    matched = documents.table.join(copies, "place", "left_anti")
    keys = matched.select(F.explode(F.array_distinct("keys")).alias("key"), "place")
    several = _in_groups(keys).mapInArrow(number_members, "key long, place long, number long")
    at_most = F.sum(F.least(F.col("number") - 1, F.lit(GROUP_LIMIT)))
    table, sizes = work.write_counting("members", several, largest=F.max("number"), most=at_most)
    return table.select("key", "place"), sizes["largest"] or 0, sizes["most"] or 0


def _in_groups(members: DataFrame) -> DataFrame:
    """Every group in one partition, in the order of places."""
    return members.repartition("key").sortWithinPartitions("key", "place")


@dataclass
class Decision:
    """Who goes, and why."""

    # place, keeper: all that go and are no copies
    gone: DataFrame
    # earlier, later, resemblance, containment_a, containment_b, difference: all that were accepted
    accepted: DataFrame
    candidates: int
    rounds: int


@dataclass
class Gone:
    """Who goes, by one round."""

    # place, keeper
    table: DataFrame
    # Tells two of them apart: how many rows, and all their hashes, two for each.
    which: tuple[int, int | None, int | None]


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
        gone: Gone | None = None
        for limit in FIRST_LIMITS if self.most > FEW_CANDIDATES else ():
            # Where no group has more members than that, the last limit is no higher.
            if limit < self.largest:
                self._round(self._candidates(limit, gone))
                gone = self._decide(self._union(self._accepted))
        while self.rounds < MAX_ROUNDS:
            made = self._round(self._candidates(GROUP_LIMIT, gone))
            if gone is None and self.largest <= GROUP_LIMIT:
                return self._decision(self._decide(self._union(self._accepted)).table)
            usable = self._union(self._accepted).join(made, ["earlier", "later"], "left_semi")
            before, gone = gone, self._decide(usable)
            if before is not None and before.which == gone.which:
                return self._decision(gone.table)
        raise Error(f"no decision after {MAX_ROUNDS} rounds", "Rounds")

    def components(self) -> Decision:
        """Decides as `components` is defined, by the candidates that the engine judges: the first
        member of each group with all others, then the next ones where nothing connects the two."""
        self._round(self._candidates(1, None))
        found = self._components("connected")
        pairs = self._candidates(GROUP_LIMIT, None, first=1)
        for end in ("earlier", "later"):
            named = found.select(F.col("place").alias(end), F.col("smallest").alias(f"{end}_smallest"))
            pairs = pairs.join(named, end, "left")
        apart = ~F.coalesce(F.col("earlier_smallest") == F.col("later_smallest"), F.lit(False))
        self._round(pairs.where(apart).select("earlier", "later", "root"))
        joined = self._components("components")
        gone = joined.where("place != smallest").select("place", F.col("smallest").alias("keeper"))
        return self._decision(gone)

    def all_pairs(self, anchored: bool) -> Decision:
        """Decides from all pairs of documents that share a key. A group of n members has
        n (n - 1) / 2: for evaluation."""
        self._round(self._candidates(self.largest, None))
        if anchored:
            return self._decision(self._decide(self._union(self._accepted)).table)
        joined = self._components("components")
        return self._decision(
            joined.where("place != smallest").select("place", F.col("smallest").alias("keeper"))
        )

    def limited(self, gone: DataFrame, anchored: bool) -> int:
        """Groups with more documents that stay (components: more members) than the limit."""
        if self.largest <= GROUP_LIMIT:
            return 0
        members = self.members.withColumn("stays", F.lit(True))
        if anchored:
            members = self.members.join(gone, "place", "left").withColumn("stays", F.col("keeper").isNull())
        # A group of known documents alone has nothing to compare.
        groups = members.groupBy("key").agg(F.count_if("stays").alias("stay"), F.max("place").alias("last"))
        return int(groups.where((F.col("stay") > GROUP_LIMIT) & ~is_known("last")).count())

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
        made, counts = self.work.write_counting(
            f"candidates-{self.rounds}",
            candidates.select("earlier", "later", "root", is_new.alias("is_new")),
            new=F.count(F.when(F.col("is_new"), 1)),
        )
        if counts["new"] > 0 or not self._accepted:
            self.candidates += counts["new"]
            new = made.where("is_new").drop("is_new")
            self._judged.append(new.drop("root"))
            accepted, pairs = self.judge.accepted(f"accepted-{self.rounds}", new, counts["new"])
            self._accepted.append(accepted)
            self._pairs += pairs
        return made

    def _candidates(self, limit: int, gone: Gone | None, first: int = 0) -> DataFrame:
        """Members with the first kept ones of their groups, up to their keepers; from the `first`
        of these on. With them a root, the first kept of such a group: pairs of one root are of the
        same documents, more or less."""
        known = self.members if gone is None else self.members.join(gone.table, "place", "left")

        def pair(batches: Batches) -> Batches:
            return pairs_with_anchors(batches, limit, first)

        columns = ["key", "place"] + ["keeper"] * (gone is not None)
        pairs = _in_groups(known.select(*columns)).mapInArrow(pair, "earlier long, later long, root long")
        return pairs.groupBy("earlier", "later").agg(F.min("root").alias("root"))

    @staticmethod
    def _union(tables: list[DataFrame]) -> DataFrame:
        all_rows = tables[0]
        for table in tables[1:]:
            all_rows = all_rows.union(table)
        return all_rows

    def _components(self, name: str) -> DataFrame:
        return components(self.work, name, self._union(self._accepted), self._pairs, self.one_task)

    def _decide(self, pairs: DataFrame) -> Gone:
        """Who goes by these of the accepted pairs."""
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
        hashes = [F.bit_xor(F.xxhash64(*ways)) for ways in (("place", "keeper"), ("keeper", "place"))]
        gone, seen = self.work.write_counting(name, chosen, number=F.count("*"), one_way=hashes[0], other_way=hashes[1])
        return Gone(gone, (seen["number"], seen["one_way"], seen["other_way"]))


def number_members(batches: Batches) -> Batches:
    """Takes members in the order of keys and places; gives those of groups of two and more, numbered
    from 1 on within their groups."""
    # Of the group at hand, members that were given; or its first, if that is all there is of it yet.
    key, given = None, 0
    held = _NOTHING
    for batch in batches:
        keys, places = (numpy.concatenate([a, b]) for a, b in zip(held, numbers(batch), strict=True))
        if len(keys) == 0:
            continue
        starts, lengths = runs(keys)
        number = numpy.arange(1, len(keys) + 1) - numpy.repeat(starts, lengths)
        if keys[0] == key:
            number[: lengths[0]] += given
        last_alone = number[-1] == 1
        held = (keys[-1:], places[-1:]) if last_alone else _NOTHING
        key, given = keys[-1], 0 if last_alone else number[-1]
        of_several = number > 1
        of_several[:-1] |= number[1:] > 1
        columns = [pa.array(column[of_several]) for column in (keys, places, number)]
        yield pa.RecordBatch.from_arrays(columns, ["key", "place", "number"])


def pairs_with_anchors(batches: Batches, limit: int, first: int = 0) -> Batches:
    """Takes members in the order of keys and places, with their keepers if these are known; gives
    each with the kept ones before it, of the first `limit` in its group, that are not after its keeper;
    and the first of all.

    What is remembered of a group is its anchors, so that it can be of any size.
    """
    key, anchors = None, numpy.empty(0, numpy.int64)
    for batch in batches:
        keys, places, *rest = numbers(batch, _KEPT)
        if len(keys) == 0:
            continue
        keepers = rest[0] if rest else numpy.full(len(keys), _KEPT)
        # The anchors of the group at hand once more, before all others.
        again = len(anchors) if keys[0] == key else 0
        keys = numpy.concatenate([keys[:1].repeat(again), keys])
        places = numpy.concatenate([anchors[:again], places])
        keepers = numpy.concatenate([numpy.full(again, _KEPT), keepers])
        starts, lengths = runs(keys)
        is_kept = keepers == _KEPT
        kept = places[is_kept]
        # Of each member: kept ones before its group, and before it in its group.
        before = numpy.cumsum(is_kept) - is_kept
        before_group = numpy.repeat(before[starts], lengths)
        available = numpy.minimum(before - before_group, limit) - first
        # Known ones are compared with nothing.
        available[places < 0] = 0
        available[:again] = 0
        numpy.maximum(available, 0, out=available)
        key, anchors = keys[-1], kept[before[starts[-1]] :][:limit]
        for some in pieces(available, _PAIRS):
            counts = available[some]
            later = numpy.repeat(numpy.arange(some.start, some.stop), counts)
            offset = numpy.arange(len(later)) - numpy.repeat(numpy.cumsum(counts) - counts, counts)
            earlier = kept[before_group[later] + first + offset]
            useful = earlier <= keepers[later]
            later = later[useful]
            columns = [pa.array(column) for column in (earlier[useful], places[later], kept[before_group[later]])]
            yield pa.RecordBatch.from_arrays(columns, ["earlier", "later", "root"])


_NOTHING = (numpy.empty(0, numpy.int64), numpy.empty(0, numpy.int64))

# The keeper of one that is kept: after all places, so that nothing is beyond it.
_KEPT = numpy.iinfo(numpy.int64).max

# Pairs that are made at a time.
_PAIRS = 1 << 18


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
