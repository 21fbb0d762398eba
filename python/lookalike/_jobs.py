"""The batch job: options as the command has them, results as Python has them."""

from __future__ import annotations

import inspect
import json
import os
import tempfile
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from . import _native
from ._native import Progress, Recipe
from ._progress import Bars
from ._tables import has_ids, stream
from .errors import ParameterError

if TYPE_CHECKING:
    import numpy
    import pyarrow

Verify = Literal["exact", "estimate", "none"]
Sites = Literal["label", "public-suffix"]
Cluster = Literal["anchored", "components"]
Pairs = Literal["needed", "all"]
Watcher = Callable[[Progress], object] | bool | None
AnyPath = str | os.PathLike[str]

# The key of a result's report in the metadata of its schema.
_REPORT = b"lookalike.report"
# The key of how many rows the table had.
_ROWS = b"lookalike.rows"


class _Values:
    """What JSON says, as attributes."""

    _values: dict[str, Any]

    def __init__(self, values: dict[str, Any]) -> None:
        self._values = values

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self._values[name]
        except KeyError:
            raise AttributeError(f"{type(self).__name__} has no attribute {name!r}") from None

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._values]

    def to_dict(self) -> dict[str, Any]:
        """All of it, as `json.loads` gives it."""
        return dict(self._values)

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self._values == other._values


class Report(_Values):
    """What a job did. It has all fields of `report.json` as attributes."""

    documents: int
    empty: int
    skipped: int
    exact_removed: int
    near_removed: int
    kept: int
    clusters: int
    candidates: int
    pairs: int
    bytes_read: int
    seconds: dict[str, float]
    peak_memory_bytes: int
    recipe_digest: str
    rounds: int

    out: Path | None
    """The folder of the results, if there is one."""

    def __init__(self, values: dict[str, Any], out: Path | None = None) -> None:
        super().__init__(values)
        self.out = out

    @staticmethod
    def read(out: AnyPath) -> Report:
        """The report of a finished job, from its folder."""
        path = Path(out)
        return Report(json.loads((path / "report.json").read_text("utf-8")), path)

    @staticmethod
    def of(clusters: pyarrow.Table) -> Report:
        """The report of the job that a result of `dedup_table` came from."""
        metadata = clusters.schema.metadata or {}
        if _REPORT not in metadata:
            raise ParameterError("the table is not a result of dedup_table", "Parameter")
        return Report(json.loads(metadata[_REPORT]))

    def read_clusters(self) -> pyarrow.Table:
        """`clusters.parquet`: a row for each document that is in a cluster."""
        return self._read("clusters.parquet")

    def read_pairs(self) -> pyarrow.Table:
        """`pairs.parquet`: the accepted pairs with their scores."""
        return self._read("pairs.parquet")

    def _read(self, name: str) -> pyarrow.Table:
        import pyarrow.parquet

        if self.out is None:
            raise ParameterError("the job left no folder", "Parameter")
        return pyarrow.parquet.read_table(self.out / name)

    def __repr__(self) -> str:
        return (
            f"<lookalike.Report: {self.kept} of {self.documents} documents kept, "
            f"{self.exact_removed} exact and {self.near_removed} near removed>"
        )


class Plan(_Values):
    """What a job would take."""

    sources: int
    stored_bytes: int
    documents: int
    text_bytes: int
    sampled_bytes: int
    result_bytes: int
    working_bytes: int
    memory_bytes_per_document: int
    least_memory_bytes: int

    def __repr__(self) -> str:
        return f"<lookalike.Plan: about {self.documents} documents in {self.sources} sources>"


def _inputs(inputs: AnyPath | Iterable[AnyPath]) -> list[str]:
    several = [inputs] if isinstance(inputs, (str, os.PathLike)) else inputs
    return [os.fspath(path) for path in several]


def _per_source(limit: str | tuple[str, float] | None) -> tuple[str, float] | None:
    if not isinstance(limit, str):
        return limit
    field, _, share = limit.rpartition("=")
    try:
        return field, float(share)
    except ValueError:
        message = f"max_removed_per_source is {limit!r}, but must be as in 'source=0.5'"
        raise ParameterError(message, "Parameter") from None


def dedup(
    inputs: AnyPath | Iterable[AnyPath],
    out: AnyPath,
    *,
    recipe: Recipe | AnyPath = "text",
    threshold: float | None = None,
    recall: float | None = None,
    ngram: int | None = None,
    verify: Verify | None = None,
    sites: Sites | None = None,
    templates: str | None = None,
    keep: str = "first",
    cluster: Cluster = "anchored",
    pairs: Pairs = "needed",
    exact_only: bool = False,
    max_removed: float | None = None,
    max_removed_per_source: str | tuple[str, float] | None = None,
    no_write: bool = False,
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
    """Finds look-alikes in files, and leaves the corpus without them in the folder `out`.

    The options are those of `lookalike dedup`, by the same names. `progress` is called with a
    `Progress` several times a second, on the calling thread; `True` shows bars of tqdm. Ctrl-C
    stops the job; what is complete by then stays, and `resume=True` goes on from there.
    """
    options = _job_options(
        recipe=recipe,
        threshold=threshold,
        recall=recall,
        ngram=ngram,
        verify=verify,
        sites=sites,
        templates=templates,
        keep=keep,
        cluster=cluster,
        pairs=pairs,
        exact_only=exact_only,
        max_removed=max_removed,
        max_removed_per_source=_per_source(max_removed_per_source),
        no_write=no_write,
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
    )
    with Bars.watching(progress) as watcher:
        report = _native.dedup(_inputs(inputs), Path(out), options, watcher)
    return Report(json.loads(report), Path(out))


def plan(
    inputs: AnyPath | Iterable[AnyPath],
    *,
    recipe: Recipe | AnyPath = "text",
    threshold: float | None = None,
    recall: float | None = None,
    ngram: int | None = None,
    verify: Verify | None = None,
    templates: str | None = None,
    keep: str = "first",
    exact_only: bool = False,
    format: str | None = None,
    text_field: str = "text",
    html_field: str = "html",
    id_field: str = "id",
    url_field: str = "url",
) -> Plan:
    """What `dedup` would take; `lookalike dedup --dry-run`. Nothing is written."""
    options = _job_options(
        recipe=recipe,
        threshold=threshold,
        recall=recall,
        ngram=ngram,
        verify=verify,
        templates=templates,
        keep=keep,
        exact_only=exact_only,
        format=format,
        text_field=text_field,
        html_field=html_field,
        id_field=id_field,
        url_field=url_field,
    )
    return Plan(json.loads(_native.plan(_inputs(inputs), options)))


def _job_options(**given: object) -> dict[str, object]:
    """The options of a job, with the defaults of `dedup`."""
    parameters = inspect.signature(dedup).parameters.values()
    options = [each for each in parameters if each.default is not each.empty]
    return {each.name: each.default for each in options if each.name != "progress"} | given


def dedup_table(
    table: Any,
    text: str | None = "text",
    id: str | None = "id",
    url: str | None = None,
    *,
    html: str | None = None,
    recipe: Recipe | AnyPath = "text",
    threshold: float | None = None,
    recall: float | None = None,
    ngram: int | None = None,
    verify: Verify | None = None,
    sites: Sites | None = None,
    templates: str | None = None,
    keep: str = "first",
    cluster: Cluster = "anchored",
    exact_only: bool = False,
    strict: bool = False,
    memory: int | str | None = None,
    threads: int | None = None,
    temp: AnyPath | None = None,
    progress: Watcher = None,
) -> pyarrow.Table:
    """Finds look-alikes in a table: pyarrow, polars, pandas, Hugging Face, or any other that has
    `__arrow_c_stream__`, or a list of texts or of dicts. Views count as what they show: a data set
    that was filtered or shuffled has the rows that are left, in their order.

    `text` (or `html` instead), `id` and `url` name columns; with `id=None`, and in a list without
    ids, the ids are the numbers of rows, from 0. Gives the columns of `clusters.parquet`, with a row for each
    document that is in a cluster; `kept_mask` makes a mask of it, and `Report.of` has the counts.
    """
    import pyarrow.parquet

    if text is None and html is None:
        raise ParameterError("either text or html must name a column", "Parameter")
    if id is not None and not has_ids(table, id):
        id = None
    # Of a text and a page, the page counts.
    names = [name for name in (html or text, id, url) if name]
    # Columns that are named by an option besides.
    rows = stream(table, names, f"{keep} {templates or ''}")
    options = _job_options(
        recipe=recipe,
        threshold=threshold,
        recall=recall,
        ngram=ngram,
        verify=verify,
        sites=sites,
        templates=templates,
        keep=keep,
        cluster=cluster,
        exact_only=exact_only,
        strict=strict,
        memory=memory,
        threads=threads,
        # A column that is not named is one that no table has.
        text_field=text if html is None else "\0",
        html_field=html or "\0",
        id_field=id or "",
        url_field=url or "\0",
    )
    with tempfile.TemporaryDirectory(prefix="lookalike-", dir=temp) as folder:
        out = Path(folder) / "run"
        with Bars.watching(progress) as watcher:
            report, row_count = _native.dedup_table(rows, out, options, watcher)
        # Not mapped into memory: the folder goes.
        clusters = pyarrow.parquet.read_table(out / "clusters.parquet", memory_map=False)
    skipped = json.loads(report)["skipped"]
    if skipped:
        warnings.warn(f"{skipped} rows without a text were skipped", stacklevel=2)
    metadata = {_REPORT: report.encode(), _ROWS: str(row_count).encode()}
    return clusters.replace_schema_metadata(metadata)


def kept_mask(clusters: pyarrow.Table, rows: int) -> numpy.ndarray[Any, numpy.dtype[numpy.bool_]]:
    """Which rows of the table stay, as a mask of booleans: all but the look-alikes of others.

    `clusters` is what `dedup_table` gave, and `rows` is how many rows the table has; another number
    of rows is another table, and refused.
    """
    import numpy
    import pyarrow.compute

    had = (clusters.schema.metadata or {}).get(_ROWS)
    if had is not None and int(had) != rows:
        message = f"rows is {rows}, but the table that the clusters are of had {int(had)}"
        raise ParameterError(message, "Parameter")
    mask = numpy.ones(rows, dtype=bool)
    gone = clusters.filter(pyarrow.compute.invert(clusters["kept"]))
    mask[gone["record"].to_numpy() - 1] = False
    return mask
