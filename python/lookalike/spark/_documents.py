"""From rows to documents: signatures, places, identity sets, shingle sets.

A document's place is its number in the order of the keep policy, the preferred first; its row is
its number in the order of the input, which the caller gives by a column. Both are positions in a
sorted table, and both are computed once and stored. They have gaps: the high bits are the number of
a partition. Only rows that are handed out are counted through.

Two rows that are equal in the column of the order and in their ids are told apart by what they
have: their fingerprints, ranks and sites. Rows that are equal even in these are the same to every
decision, so no result depends on how the table was partitioned.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy
import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from .._native import Recipe
from ..errors import Error, InputError, ParameterError
from ._work import Work

Batches = Iterator[pa.RecordBatch]

# Bits of a place or row below the number of the partition, as Spark makes them.
PARTITION_BITS = 33

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

    def check(self) -> None:
        """Refuses what cannot be, before anything is computed."""
        if (self.text is None) == (self.html is None):
            raise _wrong("either text or html must name a column")
        for name in (self.id, self.text, self.html, self.url, self.order, self.keep_field):
            if name is not None:
                self._column(name)
        content = self.table.select(self._content).schema[0].dataType
        if not isinstance(content, (T.StringType, T.BinaryType)):
            name = self.text if self.html is None else self.html
            raise _wrong(f"column `{name}` is {content.simpleString()}, but must be string or binary")
        # The policy is parsed where it lives.
        values = None if self.keep_field is None else pa.nulls(0)
        self.recipe.sign_batch(pa.array([], pa.string()), keep=self.keep, keep_values=values)

    @property
    def keep_field(self) -> str | None:
        """The column that the keep policy looks at."""
        name, colon, field = self.keep.partition(":")
        if not colon:
            return None
        return field.partition("=")[0] if name == "prefer" else field

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
            raise _wrong(f"there is no column `{name}`; there are: {columns}") from error
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
        if self.keep_field is not None:
            columns.append(self._column(self.keep_field).alias("keep_value"))
        return self.table.select(*columns)

    @cached_property
    def content_hash(self) -> Column:
        """Finds a row of the input again: with its id, by all that its tokens come from."""
        everything = F.concat(
            F.col("content").cast("binary"), F.coalesce(F.col("url"), F.lit("")).cast("binary")
        )
        return F.substring(F.unhex(F.sha2(everything, 256)), 1, 16)


def first(counts: DataFrame) -> tuple[Any, ...]:
    """The only row of some counts."""
    (row,) = counts.collect()
    return tuple(row)


def _wrong(message: str) -> ParameterError:
    return ParameterError(message, "Parameter")


def words(lists: pa.Array) -> pa.Array:
    """Lists of unsigned numbers as Spark can have them: the same bits with a sign."""
    if isinstance(lists, pa.ChunkedArray):
        lists = lists.combine_chunks()
    values = lists.flatten().view(pa.int64())
    lengths = pa.compute.fill_null(pa.compute.list_value_length(lists), 0)
    ends = numpy.cumsum(lengths.to_numpy(zero_copy_only=False), dtype=numpy.int32)
    offsets = pa.array(numpy.concatenate([[0], ends]).astype(numpy.int32))
    mask = lists.is_null() if lists.null_count else None
    return pa.ListArray.from_arrays(offsets, values, mask=mask)


def _contents(html: bool, batch: pa.RecordBatch) -> dict[str, Any]:
    column = batch.column("content")
    contents: dict[str, Any] = {"html": column} if html else {"texts": column}
    return contents | {"urls": batch.column("url")}


def _halves(exact: pa.Array) -> list[pa.Array]:
    """A fingerprint as two numbers."""
    null = exact.is_null().to_numpy(zero_copy_only=False)
    joined = b"".join(value or bytes(16) for value in exact.to_pylist())
    both = numpy.frombuffer(joined, dtype=">i8").astype(numpy.int64).reshape(-1, 2)
    return [pa.array(both[:, half], mask=null) for half in (0, 1)]


def sign_rows(source: Source, signatures: bool) -> DataFrame:
    """Every row of the input, signed; what has no text has no fingerprint."""
    recipe, keep = source.recipe, source.keep
    is_html, has_field = source.html is not None, source.keep_field is not None
    rows = source.rows().withColumn("content_hash", source.content_hash)
    passed = [name for name in ("id", "order", "content_hash") if name in rows.columns]
    wanted = ["exact", "empty", "keys", "rank", "site"] + ["signature"] * signatures

    def sign(batches: Batches) -> Batches:
        for batch in batches:
            signed = recipe.sign_batch(
                **_contents(is_html, batch),
                keep=keep,
                keep_values=batch.column("keep_value") if has_field else None,
                columns=wanted,
            )
            # Ranks are in the order of unsigned numbers, and Spark has signed ones.
            rank = pa.compute.fill_null(signed["rank"], 0).to_numpy() ^ _SIGN
            columns: dict[str, pa.Array] = {name: batch.column(name) for name in passed}
            columns["high"], columns["low"] = _halves(signed["exact"])
            columns["empty"] = signed["empty"]
            columns["rank"] = pa.array(rank.view(numpy.int64))
            columns["site"] = signed["site"].view(pa.int64())
            columns["keys"] = words(signed["keys"])
            if signatures:
                columns["signature"] = signed["signature"]
            yield pa.RecordBatch.from_pydict(columns)

    fields = [rows.schema[name] for name in passed]
    fields += [T.StructField(name, T.LongType()) for name in ("high", "low")]
    fields += [T.StructField("empty", T.BooleanType())]
    fields += [T.StructField(name, T.LongType()) for name in ("rank", "site")]
    fields += [T.StructField("keys", T.ArrayType(T.LongType()))]
    fields += [T.StructField("signature", T.BinaryType())] * signatures
    return rows.mapInArrow(sign, T.StructType(fields))


@dataclass(frozen=True)
class Documents:
    """The documents of a job."""

    source: Source
    # place, id, high, low, empty, site, keys, content_hash; perhaps signature
    table: DataFrame
    # place, row, if rows are in another order than places
    rows: DataFrame | None
    count: int
    empty: int
    skipped: int

    @cached_property
    def counted_rows(self) -> Callable[[Column], Column]:
        """Makes rows with gaps into rows from 0 on."""
        return count_through(*((self.table, "place") if self.rows is None else (self.rows, "row")))


def number(table: DataFrame, keys: list[str], name: str) -> DataFrame:
    """Numbers rows in this order. To be written before anything is made of it."""
    return table.orderBy(*keys).withColumn(name, F.monotonically_increasing_id())


def read_documents(work: Work, source: Source, signatures: bool, strict: bool) -> Documents:
    """Signs and numbers the documents."""
    with work.rows_at_a_time():
        signed = work.write("signed", sign_rows(source, signatures))
    there = F.col("high").isNotNull()
    nameless = there & F.col("id").isNull()
    rows, documents, empty, without_id = first(
        signed.agg(*[F.count(F.when(which, 1)) for which in (F.lit(True), there, there & F.col("empty"), nameless)])
    )
    if without_id:
        raise InputError(f"column `{source.id}` is null in {without_id} rows, but names documents", "NoId")
    if strict and rows > documents:
        raise InputError(f"{rows - documents} rows have no text", "Record")
    order = [name for name in ("order",) if name in signed.columns]
    by_row = [*order, "id", "high", "low", "rank", "site"]
    # Among documents of one rank and id, this is the order of rows.
    by_place = by_row if source.keep == "first" else ["rank", "id", *by_row]
    numbered = work.write("documents", number(signed.where(there), by_place, "place"))
    work.remove("signed")
    in_rows = None
    if source.keep != "first":
        narrow = numbered.select("place", *by_row)
        in_rows = work.write("rows", number(narrow, [*by_row, "place"], "row").select("place", "row"))
    return Documents(source, numbered, in_rows, documents, empty, rows - documents)


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


def copies(documents: Documents) -> DataFrame:
    """Documents with the token sequence of an earlier one: place, representative."""
    table = documents.table.where(~F.col("empty")).select("high", "low", "place")
    sets = table.groupBy("high", "low").agg(F.min("place").alias("representative"), F.count("*").alias("n"))
    several = sets.where("n > 1").drop("n")
    return table.join(several, ["high", "low"]).where("place != representative").select("place", "representative")


def shingle_sets(work: Work, documents: Documents, wanted: DataFrame) -> tuple[DataFrame, int]:
    """The shingle sets of the wanted places, from the input: place, size, shingles; and the size of
    the largest.

    Only they are read for it, and each once: by their ids and hashes of their contents.
    """
    source = documents.source
    recipe, is_html = source.recipe, source.html is not None
    names = wanted.join(documents.table.select("place", "id", "content_hash"), "place")
    rows = source.rows().select("id", "content", "url").where(F.col("content").isNotNull())
    rows = rows.withColumn("content_hash", source.content_hash)
    texts = rows.join(names, ["id", "content_hash"]).select("place", "content", "url")

    def shingle(batches: Batches) -> Batches:
        for batch in batches:
            sets = recipe.shingles_batch(**_contents(is_html, batch))
            lists = words(sets)
            columns = [batch.column("place"), pa.compute.list_value_length(lists), lists]
            yield pa.RecordBatch.from_arrays(columns, ["place", "size", "shingles"])

    with work.rows_at_a_time():
        made = texts.mapInArrow(shingle, "place long, size int, shingles array<long>")
        sets = work.write("sets", made)
    expected = wanted.count()
    found, different, largest = first(
        sets.agg(F.count("*"), F.countDistinct("place"), F.coalesce(F.max("size"), F.lit(0)))
    )
    if different < expected:
        raise Error(
            f"{expected - different} of {expected} documents are not in the input any more; "
            "it must give the same rows each time that it is read (persist it if it does not)",
            "InputChanged",
        )
    if found > different:
        sets = work.write("distinct-sets", sets.dropDuplicates(["place"]))
    return sets, largest
