"""Documents that are known: they stay, and others go for them.

Nothing is decided among them, so they come first, in the order of the sides and within one in that of its
input, and take part like others that are never compared with those before them. A known one that has no key
and no words of a new one is left out, before anything costs more than a number of it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from ._source import PARTITION_BITS, Source, by_row, count_through, number, signed_rows
from ._work import Work

# Places of known documents are from here on, and below 0.
FIRST_KNOWN = -(1 << 62)


def is_known(place: str) -> Column:
    """Whether a place is that of a known document."""
    return F.col(place) < 0


@dataclass(frozen=True)
class Side:
    """Documents of one input, by their places."""

    source: Source
    # The first place that can be one of theirs, and the first after all of them.
    first: int
    end: int

    def has(self, place: str) -> Column:
        """Whether a place is of this side."""
        return F.col(place).between(self.first, self.end - 1)


@dataclass(frozen=True)
class KnownDocuments:
    """The documents that stay, and are told of only where others resemble them."""

    # As that of all documents.
    table: DataFrame
    sides: list[Side]
    count: int
    # Rows without a text, of the sides that have any, by what messages say of the side.
    skipped: dict[str, int]
    # Makes their places, from the first on, into numbers from 0 on.
    counted_places: Callable[[Column], Column]


def read_known(
    work: Work, sources: list[Source], new: DataFrame, signatures: bool, strict: bool, exact_only: bool
) -> KnownDocuments:
    """Signs and numbers known documents; keeps those that have a feature of a new one.

    All others can be nobody's keeper, so that neither their groups are made nor their texts are read again.
    """
    sides: list[Side] = []
    tables: list[DataFrame] = []
    count, first = 0, FIRST_KNOWN
    skipped: dict[str, int] = {}
    for at, source in enumerate(sources):
        signed, counts = signed_rows(work, f"known-signed-{at}", source, signatures, strict)
        count += counts["documents"]
        if counts["skipped"]:
            skipped[source.where] = counts["skipped"]
        numbered, places = work.write_counting(
            f"known-{at}", number(signed, by_row(signed), "place", first).drop("order"), last=F.max("place")
        )
        work.remove(f"known-signed-{at}")
        # Every side begins with a partition of its own.
        last = first if places["last"] is None else places["last"]
        end = ((last >> PARTITION_BITS) + 1) << PARTITION_BITS
        sides.append(Side(source, first, end))
        tables.append(numbered)
        first = end
    table = reduce(DataFrame.unionByName, tables)
    numbers = table.select((F.col("place") - F.lit(FIRST_KNOWN)).alias("place"))
    counted = count_through(numbers, "place")
    met = features(table, exact_only).join(new.select("feature"), "feature", "left_semi")
    taken = work.write("known", table.join(met.select("place").distinct(), "place", "left_semi"))
    work.remove(*[f"known-{at}" for at in range(len(sides))])
    return KnownDocuments(taken, sides, count, skipped, counted)


def features(documents: DataFrame, exact_only: bool) -> DataFrame:
    """What each document may have in common with another: its keys, and half of what identity sets go
    by. An empty one has nothing in common with any."""
    there = documents.where(~F.col("empty"))
    of_copies = F.array("same_high")
    of_each = of_copies if exact_only else F.array_union("keys", of_copies)
    return there.select("place", F.explode(of_each).alias("feature"))
