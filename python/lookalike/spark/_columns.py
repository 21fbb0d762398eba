"""Columns of numbers in the Python workers: Arrow's as numpy's, runs and pieces of them, and lists of
numbers as Spark can have them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy
import pyarrow as pa
import pyarrow.compute as pc

from ..errors import InputError

Batches = Iterator[pa.RecordBatch]
Numbers = numpy.ndarray[Any, numpy.dtype[numpy.int64]]


def numbers(batch: pa.RecordBatch, null: int = 0) -> list[Numbers]:
    """The columns of a batch, with something in the place of nulls."""
    return [pc.fill_null(column, null).to_numpy() for column in batch.columns]


def changes(*keys: Numbers) -> numpy.ndarray[Any, numpy.dtype[numpy.bool_]]:
    """Whether a row differs from the one before it in these; the first does."""
    changed = numpy.zeros(len(keys[0]), bool)
    changed[:1] = True
    for key in keys:
        changed[1:] |= key[1:] != key[:-1]
    return changed


def runs(keys: Numbers) -> tuple[Numbers, Numbers]:
    """Where runs of equal keys start, and how long they are."""
    starts = numpy.flatnonzero(changes(keys))
    return starts, numpy.diff(numpy.concatenate([starts, [len(keys)]]))


def pieces(counts: Numbers, most: int) -> Iterator[slice]:
    """Cuts rows where about so many come of them."""
    cuts = numpy.flatnonzero(numpy.diff(numpy.cumsum(counts) // most)) + 1
    ends = [0, *cuts.tolist(), len(counts)]
    return (slice(start, end) for start, end in zip(ends[:-1], ends[1:], strict=True))


def words(lists: pa.Array, flipped: int | numpy.uint64 = 0) -> pa.Array:
    """Lists of unsigned numbers as Spark can have them: the same bits with a sign, some of them
    flipped."""
    if isinstance(lists, pa.ChunkedArray):
        lists = lists.combine_chunks()
    values = lists.flatten()
    if flipped:
        values = pa.array(values.to_numpy(zero_copy_only=False) ^ flipped)
    values = values.view(pa.int64())
    lengths = pc.fill_null(pc.list_value_length(lists), 0)
    ends = numpy.cumsum(lengths.to_numpy(zero_copy_only=False), dtype=numpy.int32)
    offsets = pa.array(numpy.concatenate([[0], ends]).astype(numpy.int32))
    mask = lists.is_null() if lists.null_count else None
    return pa.ListArray.from_arrays(offsets, values, mask=mask)


def words_to_bytes(lists: pa.Array) -> pa.Array:
    """Lists of numbers as bytes, eight for each. Nothing is copied but the lengths."""
    starts = lists.offsets.to_numpy().astype(numpy.int64) * 8
    if starts[-1] >= 1 << 31:
        raise InputError("a document has more than 2^28 shingles, which no row of Spark can hold", "Record")
    offsets = pa.py_buffer(starts.astype(numpy.int32))
    return pa.Array.from_buffers(pa.binary(), len(lists), [None, offsets, lists.values.buffers()[1]])


def bytes_to_words(values: pa.Array) -> pa.Array:
    """What `words_to_bytes` was given."""
    offsets = numpy.frombuffer(values.buffers()[1], dtype=numpy.int32)[values.offset : values.offset + len(values) + 1]
    data = values.buffers()[2] or pa.py_buffer(b"")
    flat = pa.Array.from_buffers(pa.uint64(), data.size // 8, [None, data])
    return pa.ListArray.from_arrays(pa.array(offsets // 8), flat)
