"""From rows to documents: places, identity sets, shingle sets.

A document's place is its number in the order of the keep policy, the preferred first; its row is
its number in the order of the input, which the caller gives by a column. Known documents come first:
their places are below 0, and their rows after all others.

Two rows that are equal in the column of the order and in their ids are told apart by what they
have: their fingerprints, ranks and sites. Rows that are equal even in these are the same to every
decision, so no result depends on how the table was partitioned.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, reduce

import numpy
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from ..errors import Error
from ._columns import Batches, words_to_bytes
from ._known import FIRST_KNOWN, KnownDocuments, Side, features, is_known, read_known
from ._source import HASHES, IDENTITY, Source, by_row, contents, count_through, number, signed_rows
from ._work import Work, few

# After all places.
_END = (1 << 63) - 1


@dataclass(frozen=True)
class Documents:
    """The documents of a job."""

    source: Source
    # place, id, high, low, same_high, same_low, empty, site, keys, and the hashes; perhaps signature,
    # counted, date. Of the known ones those that have anything in common with others.
    table: DataFrame
    # place, row, if rows are in another order than places
    rows: DataFrame | None
    # Those that are decided about, the known ones not among them.
    count: int
    empty: int
    skipped: int
    known: KnownDocuments | None = None

    @property
    def skipped_rows(self) -> dict[str, int]:
        """Rows without a text, of the inputs that have any."""
        decided = {self.source.where: self.skipped} if self.skipped else {}
        return decided | (self.known.skipped if self.known else {})

    @property
    def sides(self) -> list[Side]:
        """All inputs of the documents."""
        return [*(self.known.sides if self.known else []), Side(self.source, 0, _END)]

    @cached_property
    def _counted_rows(self) -> Callable[[Column], Column]:
        """Makes rows with gaps into rows from 0 on."""
        decided = self.table.where(~is_known("place")).select("place")
        return count_through(*((decided, "place") if self.rows is None else (self.rows, "row")))

    def named(self) -> DataFrame:
        """The ids and rows of places, rows counted from 0 on: place, id, row."""
        table = self.table.select("place", "id")
        if self.rows is None:
            return table.withColumn("row", self._row(F.col("place")))
        return table.join(self.rows, "place", "left").withColumn("row", self._row(F.col("row")))

    def _row(self, number: Column) -> Column:
        row = self._counted_rows(number)
        if self.known is None:
            return row
        known = F.lit(self.count) + self.known.counted_places(F.col("place") - F.lit(FIRST_KNOWN))
        return F.when(is_known("place"), known).otherwise(row)


def read_documents(
    work: Work, source: Source, known: list[Source], signatures: bool, strict: bool, exact_only: bool = False
) -> Documents:
    """Signs and numbers the documents, the known ones among them."""
    signed, counts = signed_rows(work, "signed", source, signatures, strict)
    # Among documents of the same ranks (and id), this is the order of rows.
    in_row = by_row(signed)
    by_place = ["rank", *in_row] if source.in_input_order else ["rank", "id", *in_row]
    numbered = work.write("documents", number(signed, by_place, "place"))
    work.remove("signed")
    in_rows = None
    if source.keep != "first":
        narrow = numbered.select("place", *in_row)
        in_rows = work.write("rows", number(narrow, [*in_row, "place"], "row").select("place", "row"))
    stay = None
    if known:
        stay = read_known(work, known, features(numbered, exact_only), signatures, strict, exact_only)
        numbered = numbered.unionByName(stay.table, allowMissingColumns=True)
    return Documents(source, numbered, in_rows, counts["documents"], counts["empty"], counts["skipped"], stay)


def copies(documents: Documents) -> DataFrame:
    """Documents with the token sequence of an earlier one: place, representative."""
    table = documents.table.where(~F.col("empty")).select(*IDENTITY, "place")
    sets = table.groupBy(*IDENTITY).agg(F.min("place").alias("representative"), F.count("*").alias("n"))
    several = sets.where("n > 1").drop("n")
    with_first = table.join(several, IDENTITY).where("place != representative")
    # Known documents with the same words all stay.
    return with_first.where(~is_known("place")).select("place", "representative")


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
    kept = ["place"] + ["site"] * sites
    names = wanted.join(documents.table.select(*kept, "id", *HASHES), "place")

    def shingle(batches: Batches) -> Batches:
        for batch in batches:
            for some in _slices(batch):
                content = contents(is_html, some)
                sets = recipe.shingles_batch(**content, key=key)
                columns = {name: some.column(name) for name in kept}
                columns["size"], columns["shingles"] = pc.list_value_length(sets), words_to_bytes(sets)
                if signatures:
                    columns["signature"] = recipe.sign_batch(**content, columns=["signature"])["signature"]
                yield pa.RecordBatch.from_pydict(columns)

    types = [*[f"{name} long" for name in kept], "size int", "shingles binary", *["signature binary"] * signatures]

    def of_side(side: Side) -> DataFrame:
        there = side.source.rows().select("id", "content", "url").where(F.col("content").isNotNull())
        of_it = few(names.where(side.has("place")), expected["rows"])
        texts = source.with_hashes(there).join(of_it, ["id", *HASHES])
        return texts.select(*kept, "content", "url").mapInArrow(shingle, ", ".join(types))

    with work.batches():
        made = reduce(DataFrame.union, map(of_side, documents.sides))
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
