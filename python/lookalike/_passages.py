"""Passages: what repeats inside of documents, cut out of files and out of tables."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import _native
from ._jobs import Cut, Keep, Within, Write, _inputs, _job_options, passage_options, policy
from ._progress import Bars, Watcher
from ._report import AnyPath, Report
from ._tables import has_ids, stream
from .errors import ParameterError

if TYPE_CHECKING:
    import numpy
    import numpy.typing as npt
    import pyarrow


def passages(
    inputs: AnyPath | Iterable[AnyPath],
    out: AnyPath,
    *,
    min_words: int = 50,
    cut: Cut = "lines",
    max_copies: int = 1,
    min_documents: int = 1,
    within: Within = "corpus",
    min_left: int = 1,
    max_cut: float | None = None,
    keep: Keep = "first",
    write: Write = "kept",
    no_write: bool = False,
    annotate: bool = False,
    annotate_as: str | None = None,
    resume: bool = False,
    force: bool = False,
    strict: bool = False,
    drop_unreadable: bool = False,
    memory: int | str | None = None,
    threads: int | None = None,
    temp: AnyPath | None = None,
    format: str | None = None,
    text_field: str = "text",
    html_field: str = "html",
    id_field: str = "id",
    url_field: str = "url",
    progress: Watcher = None,
) -> Report:
    """Cuts what repeats inside of documents, and keeps one copy of it: `lookalike passages`, whose options
    these are. No document is compared with another as a whole; `dedup(..., passages=True)` does both.

    `Report.passages` has the counts, and `Report.read_passages` what was cut and where it stays.
    `progress` and Ctrl-C are as with `dedup`.
    """
    rule = passage_options(locals())
    options = _job_options(
        passages=True,
        keep=policy(keep),
        write=write,
        no_write=no_write,
        annotate=annotate,
        annotate_as=annotate_as,
        resume=resume,
        force=force,
        strict=strict,
        drop_unreadable=drop_unreadable,
        memory=memory,
        threads=threads,
        temp=temp,
        format=format,
        text_field=text_field,
        html_field=html_field,
        id_field=id_field,
        url_field=url_field,
        **rule,
    )
    with Bars.watching(progress) as watcher:
        report = _native.passages(_inputs(inputs), Path(out), options, watcher)
    return Report.from_json(report, Path(out))


@dataclass(frozen=True)
class CutTable:
    """What `passages_table` cut of a table."""

    spans: pyarrow.Table
    """What was cut, and where it stays: the columns of `passages.parquet`, of which `row` and `keeper_row` are
    the positions of the rows in the table, from 0."""
    text: pyarrow.ChunkedArray
    """The column of texts without what was cut, in the table's rows. Null where a row goes, and where there was no
    text."""
    kept: npt.NDArray[numpy.bool_]
    """Which rows stay: all but those of which too few words are left."""
    report: Report
    """The counts."""

    def __repr__(self) -> str:
        gone = len(self.kept) - int(self.kept.sum())
        return f"<lookalike.CutTable: {len(self.spans)} cuts, {gone} of {len(self.kept)} rows go>"


def passages_table(
    table: object,
    text: str = "text",
    id: str | None = "id",
    *,
    min_words: int = 50,
    cut: Cut = "lines",
    max_copies: int = 1,
    min_documents: int = 1,
    within: Within = "corpus",
    min_left: int = 1,
    max_cut: float | None = None,
    keep: Keep = "first",
    strict: bool = False,
    memory: int | str | None = None,
    threads: int | None = None,
    temp: AnyPath | None = None,
    progress: Watcher = None,
) -> CutTable:
    """Cuts what repeats inside of the texts of a table, and keeps one copy of it.

    Tables are those that `dedup_table` takes, and `text` and `id` name columns as there; dots reach into structs,
    but texts that are put together of a list cannot be cut. The table itself is left as it is:
    `CutTable.text` is its column without what was cut, and `CutTable.kept` a mask of the rows that stay.
    """
    import pyarrow

    if "[]" in text:
        raise ParameterError(f"the texts of `{text}` are put together of a list, and cannot be cut", "Parameter")
    if id is not None and not has_ids(table, id):
        id = None
    # It is read twice, and some can be read only once.
    source = stream(table, [name for name in (text, id) if name], policy(keep))
    rows = pyarrow.RecordBatchReader.from_stream(source).read_all()
    rule = passage_options(locals())
    options = _job_options(
        passages=True,
        keep=policy(keep),
        no_write=True,
        strict=strict,
        memory=memory,
        threads=threads,
        text_field=text,
        # A column that is not named is one that no table has.
        html_field="\0",
        id_field=id or "",
        url_field="\0",
        **rule,
    )
    with tempfile.TemporaryDirectory(prefix="lookalike-", dir=temp) as folder:
        out = Path(folder) / "run"
        with Bars.watching(progress) as watcher:
            report = Report.from_json(_native.passages_table(rows, out, options, watcher))
        spans, gone = _found(out, report.skipped)
    if report.skipped:
        warnings.warn(f"{report.skipped} rows without a text were left as they are", stacklevel=2)
    kept = _kept(rows.num_rows, gone)
    return CutTable(spans, _without(_column(rows, text), spans, kept), kept, report)


def _found(out: Path, skipped: int) -> tuple[pyarrow.Table, npt.NDArray[numpy.uint64]]:
    """What a job on a table cut, and the rows that go, by the positions of rows."""
    import numpy
    import pyarrow.parquet

    # Not mapped into memory: the folder goes.
    spans = pyarrow.parquet.read_table(out / "passages.parquet", memory_map=False)
    gone = numpy.array(_native.rows_cut_whole(out), numpy.uint64)
    if not skipped:
        return spans, gone

    # The job's rows are those that it could read; most often all of them.
    def positions(rows: Any) -> npt.NDArray[numpy.uint64]:
        distinct, inverse = numpy.unique(rows, return_inverse=True)
        records = numpy.array(_native.records_of_rows(out, distinct.tolist()), numpy.uint64)
        found: npt.NDArray[numpy.uint64] = (records - numpy.uint64(1))[inverse]
        return found

    for name in ["row", "keeper_row"]:
        column = pyarrow.array(positions(spans[name].to_numpy()), pyarrow.uint64())
        spans = spans.set_column(spans.column_names.index(name), spans.schema.field(name), column)
    return spans, positions(gone)


def _kept(rows: int, gone: npt.NDArray[numpy.uint64]) -> npt.NDArray[numpy.bool_]:
    import numpy

    kept = numpy.ones(rows, dtype=bool)
    kept[gone.astype(numpy.int64)] = False
    return kept


def _column(table: pyarrow.Table, name: str) -> pyarrow.ChunkedArray:
    """A column, or a field of structs, as text with large offsets; bytes stay bytes."""
    import pyarrow
    import pyarrow.compute

    if name in table.column_names:
        column = table[name]
    else:
        outermost, *fields = name.split(".")
        column = pyarrow.compute.struct_field(table[outermost], fields)
    kind = column.type.value_type if pyarrow.types.is_dictionary(column.type) else column.type
    is_binary = "binary" in str(kind)
    return column.cast(pyarrow.large_binary() if is_binary else pyarrow.large_string())


def _without(
    texts: pyarrow.ChunkedArray, spans: pyarrow.Table, kept: npt.NDArray[numpy.bool_]
) -> pyarrow.ChunkedArray:
    """The texts without the spans, which come in order and do not overlap."""
    import numpy
    import pyarrow

    rows, begins, ends = (spans[name].to_numpy().astype(numpy.int64) for name in ("row", "begin", "end"))
    chunks, first = [], 0
    for chunk in texts.chunks:
        own = slice(*numpy.searchsorted(rows, [first, first + len(chunk)]))
        valid = kept[first : first + len(chunk)] & chunk.is_valid().to_numpy(zero_copy_only=False)
        chunks.append(_chunk_without(chunk, rows[own] - first, begins[own], ends[own], valid))
        first += len(chunk)
    return pyarrow.chunked_array(chunks, texts.type)


def _chunk_without(
    texts: pyarrow.Array,
    rows: npt.NDArray[numpy.int64],
    begins: npt.NDArray[numpy.int64],
    ends: npt.NDArray[numpy.int64],
    valid: npt.NDArray[numpy.bool_],
) -> pyarrow.Array:
    import numpy
    import pyarrow

    if not len(texts):
        return texts
    _, places, stored = texts.buffers()
    offsets = numpy.frombuffer(places, numpy.int64)[texts.offset : texts.offset + len(texts) + 1]
    data = numpy.frombuffer(stored or b"", numpy.uint8)[offsets[0] : offsets[-1]]
    offsets = offsets - offsets[0]
    # Whether each byte is cut, as the difference to the one before it.
    change = numpy.zeros(len(data) + 1, numpy.int8)
    change[offsets[rows] + begins] += 1
    change[offsets[rows] + ends] -= 1
    left = data[numpy.cumsum(change[:-1], dtype=numpy.int8) == 0]
    cut = numpy.zeros(len(texts) + 1, numpy.int64)
    numpy.add.at(cut, rows + 1, ends - begins)
    offsets -= numpy.cumsum(cut)
    buffers = [pyarrow.array(valid).buffers()[1], pyarrow.py_buffer(offsets), pyarrow.py_buffer(left)]
    return pyarrow.Array.from_buffers(texts.type, len(texts), buffers)
