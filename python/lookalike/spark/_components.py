"""Connected components of pairs, by the large-star and small-star iteration.

Kiveris and others, "Connected Components in MapReduce and Beyond" (2014). An edge has a smaller and
a larger end. Large-star: every node links its larger neighbours to the smallest of its neighbours
and itself. Small-star: every node links its smaller neighbours and itself to the smallest of them.
Neither changes which nodes are connected, and in the end every component is a star around its
smallest node. Each is a minimum by node and a join, so that no node's neighbours
are ever in one place.

Few pairs are joined by one task instead, within a bound of its memory: a round costs more than they
do.
"""

from __future__ import annotations

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from ..errors import Error
from ._columns import Batches
from ._work import Work

# Edges that one task joins: about 200 bytes each in its memory.
ONE_TASK = 2_000_000

# Rounds of both stars. Each about halves the longest way to the smallest node; 64 are enough for
# more nodes than places have bits, and only a fault takes more.
MAX_ROUNDS = 64


def components(work: Work, name: str, edges: DataFrame, count: int, one_task: int = ONE_TASK) -> DataFrame:
    """For each place that has an edge, the smallest of its component: place, smallest.

    `edges` has `count` rows of two different places, earlier and later.
    """
    if count <= one_task:
        joined = edges.select("earlier", "later").repartition(1).mapInArrow(_join, "place long, smallest long")
        return work.write(name, joined)
    # As (larger, smaller): the later one is the larger.
    links = edges.select(F.col("later").alias("larger"), F.col("earlier").alias("smaller"))
    for number in range(MAX_ROUNDS):
        large = work.write(f"{name}-large-{number}", large_star(links))
        links = work.write(f"{name}-small-{number}", small_star(large))
        if are_stars(links):
            stars = links.select(F.col("larger").alias("place"), F.col("smaller").alias("smallest"))
            centres = stars.select(F.col("smallest").alias("place"), "smallest").distinct()
            found = work.write(name, stars.union(centres))
            for last in range(number + 1):
                work.remove(f"{name}-large-{last}", f"{name}-small-{last}")
            return found
    raise Error(f"components are not found after {MAX_ROUNDS} rounds", "Components")


def are_stars(links: DataFrame) -> bool:
    """Whether every larger end has one link, to a node that is no larger end: then that node is the
    smallest that it is connected with."""
    several = links.groupBy("larger").count().where("count > 1").select(F.col("larger").alias("node"))
    ends = links.select(F.col("larger").alias("node"))
    ways = links.select(F.col("smaller").alias("node")).join(ends, "node", "left_semi")
    return bool(several.union(ways).isEmpty())


def large_star(links: DataFrame) -> DataFrame:
    """Links every node's larger neighbours to its smallest neighbour."""
    turned = links.select(F.col("smaller").alias("node"), F.col("larger").alias("neighbour"))
    both = turned.union(links.select(F.col("larger").alias("node"), F.col("smaller").alias("neighbour")))
    smallest = both.groupBy("node").agg(F.least(F.min("neighbour"), F.col("node")).alias("centre"))
    # A larger neighbour is one that this node is the smaller end of.
    joined = turned.join(smallest, "node")
    return joined.select(F.col("neighbour").alias("larger"), F.col("centre").alias("smaller")).distinct()


def small_star(links: DataFrame) -> DataFrame:
    """Links every node and its smaller neighbours to the smallest of them."""
    smallest = links.groupBy("larger").agg(F.min("smaller").alias("centre"))
    neighbours = links.join(smallest, "larger").select(F.col("smaller").alias("node"), "centre")
    nodes = smallest.select(F.col("larger").alias("node"), "centre")
    joined = neighbours.union(nodes).where("node != centre")
    return joined.select(F.col("node").alias("larger"), F.col("centre").alias("smaller")).distinct()


def _join(batches: Batches) -> Batches:
    parents: dict[int, int] = {}

    def find(place: int) -> int:
        while (parent := parents.setdefault(place, place)) != place:
            parents[place] = parents[parent]
            place = parents[place]
        return place

    for batch in batches:
        for a, b in zip(batch.column(0).to_pylist(), batch.column(1).to_pylist(), strict=True):
            a, b = find(a), find(b)
            parents[max(a, b)] = min(a, b)
    places = sorted(parents)
    for start in range(0, len(places), 1 << 16):
        some = places[start : start + (1 << 16)]
        columns = [pa.array(some, pa.int64()), pa.array([find(place) for place in some], pa.int64())]
        yield pa.RecordBatch.from_arrays(columns, ["place", "smallest"])
