"""Where documents are, and what is computed of each for itself: signatures, ranks, sites, hashes.

Numbers of rows are positions in a sorted table, computed once and stored. They have gaps: the high bits are the
number of a partition. Only what is handed out is counted through.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy
import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from .._native import Recipe
from ..errors import InputError, ParameterError
from ._columns import Batches, words
from ._work import Work

# Bits of a place or row below the number of the partition, as Spark makes them.
PARTITION_BITS = 33

# What identity sets go by, under the key of the job.
IDENTITY = ["same_high", "same_low"]

# Of a row's text and URL.
HASHES = ["hash", "other_hash"]

_SIGN = numpy.uint64(1 << 63)


@dataclass(frozen=True)
class Source:
    """Where the documents are, and how they are to be read."""

    table: DataFrame
    recipe: Recipe
    id: str
    text: str | None
    html: str | None
    url: str | None
    order: str | None
    keep: str
    # The columns that the keep policy looks at, and whether it ends in the order of the input.
    keep_fields: list[str]
    in_input_order: bool
    count: str | None = None
    date_field: str | None = None
    # Which known side it is, for messages; nothing for the documents that are decided about.
    side: str = ""
    # What documents are verified under: nobody else knows it, and no result depends on it.
    key: bytes = field(default_factory=lambda: secrets.token_bytes(16), repr=False)

    def check(self) -> None:
        """Refuses what cannot be, before anything is computed."""
        if (self.text is None) == (self.html is None):
            raise _wrong("either text or html must name a column")
        for name in (
            self.id, self.text, self.html, self.url, self.order, self.count, self.date_field, *self.keep_fields,
        ):  # fmt: skip
            if name is not None:
                self._column(name)
        content = self.table.select(self._content).schema[0].dataType
        if not isinstance(content, (T.StringType, T.BinaryType)):
            name = self.text if self.html is None else self.html
            raise _wrong(f"column `{name}`{self.where} is {content.simpleString()}, but must be string or binary")
        # A recipe that has to see a whole site is refused here, and not by an executor.
        self.recipe.sign("")

    def known(self, side: str, table: DataFrame) -> Source:
        """A known side, whose documents have their texts, ids and addresses in columns of the same names."""
        return replace(
            self, table=table, side=side, keep="first", keep_fields=[], in_input_order=True, count=None, date_field=None
        )

    @property
    def where(self) -> str:
        """What messages add of a known side."""
        return f" in {self.side}" if self.side else ""

    @property
    def _content(self) -> Column:
        return self._column(self.text if self.html is None else self.html).alias("content")

    def _column(self, name: str | None) -> Column:
        assert name is not None
        # A name with dots is a column first, then a way into one.
        column = F.col(f"`{name}`" if name in self.table.columns else name)
        try:
            self.table.select(column)
        except Exception as error:
            columns = ", ".join(f"`{name}`" for name in self.table.columns[:20])
            raise _wrong(f"there is no column `{name}`{self.where}; there are: {columns}") from error
        return column

    def rows(self) -> DataFrame:
        """The rows with what is needed of them, under names of our own."""
        columns = [self._column(self.id).cast("string").alias("id"), self._content]
        columns.append(
            F.lit(None).cast("string").alias("url")
            if self.url is None
            else self._column(self.url).cast("string").alias("url")
        )
        if self.order is not None:
            columns.append(self._column(self.order).alias("order"))
        elif not isinstance(self.table.select(self._column(self.id)).schema[0].dataType, T.StringType):
            columns.append(self._column(self.id).alias("order"))
        for number, field in enumerate(self.keep_fields):
            columns.append(self._column(field).alias(f"keep_value_{number}"))
        if self.count is not None:
            columns.append(self._column(self.count).cast("string").alias("counted"))
        if self.date_field is not None:
            columns.append(self._column(self.date_field).alias("date_value"))
        return self.table.select(*columns)

    def with_hashes(self, rows: DataFrame) -> DataFrame:
        """What finds a row of the input again: with its id, two hashes of all that its tokens come from,
        behind a number that nobody else knows."""
        for name, seed in zip(HASHES, numpy.frombuffer(self.key, dtype="<i8"), strict=True):
            rows = rows.withColumn(name, F.xxhash64(F.lit(int(seed)), "content", "url"))
        return rows


def _wrong(message: str) -> ParameterError:
    return ParameterError(message, "Parameter")


def contents(html: bool, batch: pa.RecordBatch) -> dict[str, Any]:
    """The arguments that name the content of rows."""
    return {"html" if html else "texts": batch.column("content"), "urls": batch.column("url")}


def _halves(exact: pa.Array) -> list[pa.Array]:
    """A fingerprint as two numbers."""
    null = exact.is_null().to_numpy(zero_copy_only=False)
    joined = b"".join(value or bytes(16) for value in exact.to_pylist())
    both = numpy.frombuffer(joined, dtype=">i8").astype(numpy.int64).reshape(-1, 2)
    return [pa.array(both[:, half], mask=null) for half in (0, 1)]


def sign_rows(source: Source, signatures: bool) -> DataFrame:
    """Every row of the input, signed; what has no text has no fingerprint."""
    recipe, keep, key = source.recipe, source.keep, source.key
    is_html, fields_of_keep = source.html is not None, source.keep_fields
    rows = source.with_hashes(source.rows())
    passed = [name for name in ("id", "order", "counted", *HASHES) if name in rows.columns]
    has_dates = source.date_field is not None
    wanted = ["exact", "identity", "empty", "keys", "rank", "site"]
    wanted += ["signature"] * signatures + ["date"] * has_dates

    def sign(batches: Batches) -> Batches:
        for batch in batches:
            signed = recipe.sign_batch(
                **contents(is_html, batch),
                keep=keep,
                keep_values={
                    field: batch.column(f"keep_value_{number}") for number, field in enumerate(fields_of_keep)
                } or None,
                dates=batch.column("date_value") if has_dates else None,
                columns=wanted,
                key=key,
            )
            columns: dict[str, pa.Array] = {name: batch.column(name) for name in passed}
            columns["high"], columns["low"] = _halves(signed["exact"])
            columns["same_high"], columns["same_low"] = _halves(signed["identity"])
            columns["empty"] = signed["empty"]
            columns["site"] = signed["site"].view(pa.int64())
            columns["keys"] = words(signed["keys"])
            # Ranks are in the order of unsigned numbers, and Spark has signed ones.
            columns["rank"] = words(signed["rank"], flipped=_SIGN)
            for name in ["signature"] * signatures + ["date"] * has_dates:
                columns[name] = signed[name]
            yield pa.RecordBatch.from_pydict(columns)

    fields = [rows.schema[name] for name in passed]
    fields += [T.StructField(name, T.LongType()) for name in ("high", "low", *IDENTITY)]
    fields += [T.StructField("empty", T.BooleanType())]
    fields += [T.StructField("site", T.LongType())]
    fields += [T.StructField(name, T.ArrayType(T.LongType())) for name in ("keys", "rank")]
    fields += [T.StructField("signature", T.BinaryType())] * signatures
    fields += [T.StructField("date", T.TimestampType())] * has_dates
    return rows.mapInArrow(sign, T.StructType(fields))


def signed_rows(
    work: Work, name: str, source: Source, signatures: bool, strict: bool
) -> tuple[DataFrame, dict[str, Any]]:
    """The documents of an input, signed, and how many rows there are of each kind."""
    there = F.col("high").isNotNull()
    with work.batches():
        signed, counts = work.write_counting(
            name,
            sign_rows(source, signatures),
            documents=F.count(F.when(there, 1)),
            empty=F.count(F.when(there & F.col("empty"), 1)),
            nameless=F.count(F.when(there & F.col("id").isNull(), 1)),
            skipped=F.count(F.when(~there, 1)),
        )
    where = source.where
    if counts["nameless"]:
        raise InputError(
            f"column `{source.id}`{where} is null in {counts['nameless']} rows, but names documents", "NoId"
        )
    if strict and counts["skipped"]:
        raise InputError(f"{counts['skipped']} rows{where} have no text", "Record")
    return signed.where(there), counts


def by_row(signed: DataFrame) -> list[str]:
    """What the order of the input goes by."""
    order = [name for name in ("order",) if name in signed.columns]
    return [*order, "id", "high", "low", "rank", "site"]


def number(table: DataFrame, keys: list[str], name: str, first: int = 0) -> DataFrame:
    """Numbers rows in this order. To be written before anything is made of it."""
    return table.orderBy(*keys).withColumn(name, F.monotonically_increasing_id() + F.lit(first))


def count_through(numbers: DataFrame, name: str) -> Callable[[Column], Column]:
    """Makes numbers with gaps into numbers from 0 on; `numbers` has all of them as `name`."""
    part = F.shiftright(name, PARTITION_BITS)
    counts = numbers.groupBy(part.alias("part")).count().orderBy("part").collect()
    before, starts = 0, dict[int, int]()
    for row in counts:
        starts[row["part"]] = before
        before += row["count"]
    # The numbers of partitions are small, and there are no more of them than partitions.
    every = [starts.get(part, 0) for part in range(max(starts, default=0) + 1)]
    literal = f"array({','.join(f'{start}L' for start in every)})"

    def counted(column: Column) -> Column:
        index = column.bitwiseAND(F.lit((1 << PARTITION_BITS) - 1))
        return F.expr(literal)[F.shiftright(column, PARTITION_BITS).cast("int")] + index

    return counted
