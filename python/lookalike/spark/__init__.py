"""Deduplication of Spark's DataFrames: the engine's answer, row by row.

    from lookalike import spark

    clusters = spark.dedup(df, text="text", id="id")
    kept = df.join(clusters.where("not kept"), "id", "left_anti")

The guide is `docs/guide/spark.md`. Rows are signed and compared by the same native code as
everywhere, inside the executors; Spark groups, joins and sorts. What is decided, and that it is what
the engine decides, stands at the top of `_matching.py`. Nothing but counts comes to the driver.
"""

from ._api import Result, dedup, pairs, run, sign

__all__ = ["Result", "dedup", "pairs", "run", "sign"]
