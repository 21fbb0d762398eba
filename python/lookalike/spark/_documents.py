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

import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from .._native import Recipe
from ..errors import Error, InputError, ParameterError
from ._columns import Batches, words, words_to_bytes
from ._work import Work, few

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
            raise _wrong(f"column `{name}` is {content.simpleString()}, but must be string or binary")
        # A recipe that has to see a whole site is refused here, and not by an executor.
        self.recipe.sign("")

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
                **_contents(is_html, batch),
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


@dataclass(frozen=True)
class Documents:
    """The documents of a job."""

    source: Source
    # place, id, high, low, same_high, same_low, empty, site, keys, and the hashes; perhaps signature,
    # counted, date
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
    there = F.col("high").isNotNull()
    with work.batches():
        signed, counts = work.write_counting(
            "signed",
            sign_rows(source, signatures),
            documents=F.count(F.when(there, 1)),
            empty=F.count(F.when(there & F.col("empty"), 1)),
            nameless=F.count(F.when(there & F.col("id").isNull(), 1)),
            skipped=F.count(F.when(~there, 1)),
        )
    if counts["nameless"]:
        raise InputError(f"column `{source.id}` is null in {counts['nameless']} rows, but names documents", "NoId")
    if strict and counts["skipped"]:
        raise InputError(f"{counts['skipped']} rows have no text", "Record")
    order = [name for name in ("order",) if name in signed.columns]
    by_row = [*order, "id", "high", "low", "rank", "site"]
    # Among documents of the same ranks (and id), this is the order of rows.
    by_place = ["rank", *by_row] if source.in_input_order else ["rank", "id", *by_row]
    numbered = work.write("documents", number(signed.where(there), by_place, "place"))
    work.remove("signed")
    in_rows = None
    if source.keep != "first":
        narrow = numbered.select("place", *by_row)
        in_rows = work.write("rows", number(narrow, [*by_row, "place"], "row").select("place", "row"))
    return Documents(source, numbered, in_rows, counts["documents"], counts["empty"], counts["skipped"])


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
    table = documents.table.where(~F.col("empty")).select(*IDENTITY, "place")
    sets = table.groupBy(*IDENTITY).agg(F.min("place").alias("representative"), F.count("*").alias("n"))
    several = sets.where("n > 1").drop("n")
    return table.join(several, IDENTITY).where("place != representative").select("place", "representative")


def shingle_sets(
    work: Work, documents: Documents, wanted: DataFrame, signatures: bool, sites: bool
) -> tuple[DataFrame, int]:
    """The shingle sets of the wanted places, from the input: place, size, shingles, and signature and
    site if these are wanted; and the size of the largest.

    Only they are read for it, and each once: by their ids and hashes of their contents. A set is
    bytes to Spark, eight for each shingle: it copies these at once, and numbers one by one.
    """
    source = documents.source
    recipe, key, is_html = source.recipe, source.key, source.html is not None
    (expected,) = wanted.agg(*[column.alias(name) for name, column in _which("place").items()]).collect()
    known = ["place"] + ["site"] * sites
    names = wanted.join(documents.table.select(*known, "id", *HASHES), "place")
    rows = source.with_hashes(source.rows().select("id", "content", "url").where(F.col("content").isNotNull()))
    texts = rows.join(few(names, expected["rows"]), ["id", *HASHES]).select(*known, "content", "url")

    def shingle(batches: Batches) -> Batches:
        for batch in batches:
            for some in _slices(batch):
                contents = _contents(is_html, some)
                sets = recipe.shingles_batch(**contents, key=key)
                columns = {name: some.column(name) for name in known}
                columns["size"], columns["shingles"] = pc.list_value_length(sets), words_to_bytes(sets)
                if signatures:
                    columns["signature"] = recipe.sign_batch(**contents, columns=["signature"])["signature"]
                yield pa.RecordBatch.from_pydict(columns)

    types = [*[f"{name} long" for name in known], "size int", "shingles binary", *["signature binary"] * signatures]
    with work.batches():
        made = texts.mapInArrow(shingle, ", ".join(types))
        sets, found = work.write_counting("sets", made, **_which("place"), largest=F.max("size"))
    if any(found[name] != expected[name] for name in ("rows", "places")):
        # Rows of the input that are equal are found once for each of them.
        sets = work.write("distinct-sets", sets.dropDuplicates(["place"]))
        different = sets.count()
        if different < expected["rows"]:
            raise Error(
                f"{expected['rows'] - different} of {expected['rows']} documents are not in the input any more; "
                "it must give the same rows each time that it is read (persist it if it does not)",
                "InputChanged",
            )
    return sets, found["largest"] or 0


def _which(name: str) -> dict[str, Column]:
    """Tells whether two tables have the same values, each once: how many, and all their hashes."""
    return {"rows": F.count("*"), "places": F.bit_xor(F.xxhash64(name))}


# Of texts whose sets are made at a time: they have no more shingles than bytes, and Arrow counts the
# bytes of a column with 31 bits.
_SLICE_BYTES = 1 << 27


def _slices(batch: pa.RecordBatch) -> Batches:
    """A batch in pieces of so many bytes of text, or of one row."""
    sizes = pc.fill_null(pc.binary_length(batch.column("content")), 0)
    ends = numpy.cumsum(sizes.to_numpy(zero_copy_only=False), dtype=numpy.int64)
    start = 0
    while start < batch.num_rows:
        before = ends[start - 1] if start else 0
        end = max(start + 1, int(numpy.searchsorted(ends, before + _SLICE_BYTES, side="right")))
        yield batch.slice(start, end - start)
        start = end
