"""Jobs: options as the command has them, results as Python has them."""

from __future__ import annotations

import inspect
import json
import os
import tempfile
import warnings
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from . import _native
from ._native import Explanation, Filter, Findings, MirrorFindings, Recipe, Step
from ._progress import Bars, Watcher
from ._report import PAIRS, REPORT, ROWS, AnyPath, Plan, Report
from ._tables import has_ids, stream
from .errors import ParameterError

if TYPE_CHECKING:
    import numpy
    import numpy.typing as npt
    import pyarrow

Verify = Literal["exact", "estimate", "difference", "none"]
Sites = Literal["label", "public-suffix"]
Cluster = Literal["anchored", "components"]
Pairs = Literal["needed", "all"]
Write = Literal["kept", "all", "removed", "none"]
Cut = Literal["words", "lines", "sentences", "paragraphs"]
Within = Literal["corpus", "document"]


# A policy, or several of which each decides between documents that are equal in those before it.
Keep = str | Sequence[str]


def policy(keep: Keep) -> str:
    """A keep policy as the command has it in one argument."""
    return keep if isinstance(keep, str) else " then ".join(keep)


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


def _lost(lost: float | None, threshold: float | None, recall: float | None = None) -> float | None:
    if lost is not None and (threshold is not None or recall is not None):
        raise ParameterError("lost goes by containment, for which threshold and recall mean nothing", "Parameter")
    return lost


def _repeats(repeat: str | Mapping[int, int] | None) -> str | None:
    if repeat is None or isinstance(repeat, str):
        return repeat
    return ",".join(f"{copies}:{times}" for copies, times in sorted(repeat.items()))


def dedup(
    inputs: AnyPath | Iterable[AnyPath],
    out: AnyPath,
    *,
    recipe: Recipe | AnyPath | None = None,
    threshold: float | None = None,
    recall: float | None = None,
    ngram: int | None = None,
    verify: Verify | None = None,
    sites: Sites | None = None,
    templates: str | None = None,
    keep: Keep | None = None,
    keep_count: int = 1,
    lost: float | None = None,
    cluster: Cluster = "anchored",
    pairs: Pairs = "needed",
    exact_only: bool = False,
    known: AnyPath | Iterable[AnyPath] = (),
    max_removed: float | None = None,
    max_removed_per_source: str | tuple[str, float] | None = None,
    count: str | None = None,
    date_field: str | None = None,
    write: Write = "kept",
    passages: bool = False,
    min_words: int | None = None,
    cut: Cut | None = None,
    max_copies: int | None = None,
    min_documents: int | None = None,
    within: Within | None = None,
    min_left: int | None = None,
    max_cut: float | None = None,
    no_write: bool = False,
    annotate: bool = False,
    annotate_as: str | None = None,
    repeat: str | Mapping[int, int] | None = None,
    weight: bool = False,
    write_revisits: bool = False,
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
    set_field: str | None = None,
    id_field: str = "id",
    url_field: str = "url",
    progress: Watcher = None,
) -> Report:
    """Finds look-alikes in files, and leaves the corpus without them in the folder `out`.

    The options are those of `lookalike dedup`, by the same names; `repeat` may be a dict of copies and
    times, `{1: 1, 2: 2, 10: 3}`. `known` has folders of finished runs, files or folders of documents that
    are there already, and stay. `progress` is called with a
    `Progress` several times a second, on the calling thread; `True` shows bars of tqdm. Ctrl-C
    stops the job; what is complete by then stays, and `resume=True` goes on from there. With `passages`,
    what repeats inside of the documents that stay is cut, too, by the options of `passages`.
    """
    rule = passage_options(locals())
    given = [name for name, value in rule.items() if value is not None]
    if given and not passages:
        raise ParameterError(f"{given[0]} has a meaning with passages=True only", "Parameter")
    options = _job_options(
        recipe=recipe,
        threshold=threshold,
        recall=recall,
        ngram=ngram,
        verify=verify,
        sites=sites,
        templates=templates,
        keep=None if keep is None else policy(keep),
        keep_count=keep_count,
        lost=_lost(lost, threshold, recall),
        cluster=cluster,
        pairs=pairs,
        exact_only=exact_only,
        known=_inputs(known),
        max_removed=max_removed,
        max_removed_per_source=_per_source(max_removed_per_source),
        count=count,
        date_field=date_field,
        write=write,
        passages=passages,
        no_write=no_write,
        annotate=annotate,
        annotate_as=annotate_as,
        repeat=_repeats(repeat),
        weight=weight,
        write_revisits=write_revisits,
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
        set_field=set_field,
        id_field=id_field,
        url_field=url_field,
        **rule,
    )
    with Bars.watching(progress) as watcher:
        report = _native.dedup(_inputs(inputs), Path(out), options, watcher)
    return Report.from_json(report, Path(out))


def plan(
    inputs: AnyPath | Iterable[AnyPath],
    *,
    recipe: Recipe | AnyPath | None = None,
    threshold: float | None = None,
    recall: float | None = None,
    ngram: int | None = None,
    verify: Verify | None = None,
    templates: str | None = None,
    keep: Keep | None = None,
    lost: float | None = None,
    exact_only: bool = False,
    known: AnyPath | Iterable[AnyPath] = (),
    passages: bool = False,
    min_words: int | None = None,
    format: str | None = None,
    text_field: str = "text",
    html_field: str = "html",
    set_field: str | None = None,
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
        keep=None if keep is None else policy(keep),
        lost=_lost(lost, threshold, recall),
        exact_only=exact_only,
        known=_inputs(known),
        passages=passages,
        min_words=min_words,
        format=format,
        text_field=text_field,
        html_field=html_field,
        set_field=set_field,
        id_field=id_field,
        url_field=url_field,
    )
    return Plan(**json.loads(_native.plan(_inputs(inputs), options)))


def decide(
    run: AnyPath,
    out: AnyPath,
    *,
    threshold: float | None = None,
    lost: float | None = None,
    keep: Keep | None = None,
    keep_count: int | None = None,
    cluster: Cluster | None = None,
    approximate: bool = False,
    max_removed: float | None = None,
    max_removed_per_source: str | tuple[str, float] | None = None,
    count: str | None = None,
    date_field: str | None = None,
    write: Write = "kept",
    no_write: bool = False,
    annotate: bool = False,
    annotate_as: str | None = None,
    repeat: str | Mapping[int, int] | None = None,
    weight: bool = False,
    write_revisits: bool = False,
    resume: bool = False,
    memory: int | str | None = None,
    threads: int | None = None,
    temp: AnyPath | None = None,
    progress: Watcher = None,
) -> Report:
    """Decides again from a finished run: another threshold, another policy.

    What is not given is as in the run, and the threshold can only rise. The options are those of
    `lookalike decide`: unless the run stored all pairs, look-alikes are compared again, or with
    `approximate` more may stay than after a new run.
    """
    options = {
        "threshold": threshold,
        "lost": _lost(lost, threshold),
        "keep": None if keep is None else policy(keep),
        "keep_count": keep_count,
        "cluster": cluster,
        "approximate": approximate,
        "max_removed": max_removed,
        "max_removed_per_source": _per_source(max_removed_per_source),
        "count": count,
        "date_field": date_field,
        "write": write,
        "no_write": no_write,
        "annotate": annotate,
        "annotate_as": annotate_as,
        "repeat": _repeats(repeat),
        "weight": weight,
        "write_revisits": write_revisits,
        "resume": resume,
        "memory": memory,
        "threads": threads,
        "temp": temp,
    }
    with Bars.watching(progress) as watcher:
        report = _native.decide(Path(run), Path(out), options, watcher)
    return Report.from_json(report, Path(out))


def against(
    references: AnyPath | Iterable[AnyPath],
    inputs: AnyPath | Iterable[AnyPath],
    *,
    out: AnyPath | None = None,
    clean: AnyPath | None = None,
    recipe: Recipe | AnyPath = "text",
    threshold: float | None = None,
    containment: float | None = 0.8,
    ngram: int | None = None,
    passages: int | None = None,
    min_tokens: int = 8,
    strict: bool = False,
    drop_unreadable: bool = False,
    force: bool = False,
    memory: int | str | None = None,
    threads: int | None = None,
    temp: AnyPath | None = None,
    format: str | None = None,
    text_field: str = "text",
    html_field: str = "html",
    id_field: str = "id",
    url_field: str = "url",
    progress: Watcher = None,
) -> Findings:
    """Finds the documents of `inputs` that resemble or contain one of `references`: test questions
    in training data, for one.

    The options are those of `lookalike against`; `containment=None` is its `off`. With `ngram=13`, any
    run of 13 words in common makes a match, and `Finding.passage` has the longest; with `passages=50`, each
    run of 50 words or more is a match of its own, with its bytes on both sides. Matches are in `Findings.found`, or in the file `out`, .jsonl or .parquet, if there may be very many.
    """
    options = _job_options(
        recipe=recipe,
        threshold=threshold,
        containment=containment,
        ngram=ngram,
        passages=passages,
        min_tokens=min_tokens,
        out=out,
        clean=clean,
        strict=strict,
        drop_unreadable=drop_unreadable,
        force=force,
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
        return _native.against(_inputs(references), _inputs(inputs), options, watcher)


def mirrors(
    inputs: AnyPath | Iterable[AnyPath],
    *,
    min_pages: int = 3,
    min_share: float = 0.5,
    limit: int = 1000,
    recipe: Recipe | AnyPath | None = None,
    threshold: float | None = None,
    recall: float | None = None,
    ngram: int | None = None,
    verify: Verify | None = None,
    sites: Sites | None = None,
    strict: bool = False,
    memory: int | str | None = None,
    threads: int | None = None,
    temp: AnyPath | None = None,
    format: str | None = None,
    text_field: str = "text",
    html_field: str = "html",
    set_field: str | None = None,
    id_field: str = "id",
    url_field: str = "url",
    progress: Watcher = None,
) -> MirrorFindings:
    """Finds hosts and folders that replicate each other. The options are those of `lookalike mirrors`."""
    options = _job_options(
        min_pages=min_pages,
        min_share=min_share,
        limit=limit,
        recipe=recipe,
        threshold=threshold,
        recall=recall,
        ngram=ngram,
        verify=verify,
        sites=sites,
        strict=strict,
        memory=memory,
        threads=threads,
        temp=temp,
        format=format,
        text_field=text_field,
        html_field=html_field,
        set_field=set_field,
        id_field=id_field,
        url_field=url_field,
    )
    with Bars.watching(progress) as watcher:
        return _native.mirrors(_inputs(inputs), options, watcher)


def tune(
    threshold: float | None = None,
    recall: float = 0.95,
    *,
    permutations: int | None = None,
    bytes: int | None = None,
    unwanted: float | None = None,
    k: int | None = None,
    s: int | None = None,
    r: int | None = None,
    recipe: Recipe | AnyPath | None = None,
    sample: AnyPath | Iterable[AnyPath] | None = None,
    sample_limit: int = 2000,
    seed: int | None = None,
    seeds: int = 1,
    format: str | None = None,
    text_field: str = "text",
    html_field: str = "html",
    set_field: str | None = None,
    id_field: str = "id",
    url_field: str = "url",
) -> Filter:
    """A filter for a threshold and a recall, a given one (k, s and r), or that of a recipe.

    With `sample`, `Filter.sample` has what it does on those documents: the recall with its interval, over
    `seeds` seeds from `seed` on, by the tokens and shingles of the recipe. `lookalike tune`.
    """
    found = _native.tune(
        threshold, recall, permutations=permutations, bytes=bytes, unwanted=unwanted, k=k, s=s, r=r, recipe=recipe
    )
    if sample is None:
        return found
    options = _job_options(
        recipe=recipe,
        sample_limit=sample_limit,
        seed=seed,
        seeds=seeds,
        format=format,
        text_field=text_field,
        html_field=html_field,
        set_field=set_field,
        id_field=id_field,
        url_field=url_field,
    )
    return found.measured_on(_inputs(sample), options)


def why(run: AnyPath, id: str) -> list[Explanation]:
    """Why a document of a finished run stayed or went; `id` is its id or its URL.

    One explanation, unless several documents have the id: then one for each, at most 100. `compare`
    of an explanation shows what differs between the document and its keeper.
    """
    return _native.why(Path(run), id)


def path_between(run: AnyPath, a: str, b: str) -> list[Step] | None:
    """The shortest path of stored pairs that joins two documents of a finished run, by their ids or
    URLs; None if nothing does. `lookalike why` with two ids."""
    return _native.path_between(Path(run), a, b)


def _job_options(**given: object) -> dict[str, object]:
    """The options of a job, with the defaults of `dedup`."""
    parameters = inspect.signature(dedup).parameters.values()
    defaults = [each for each in parameters if each.default is not each.empty]
    options = {each.name: each.default for each in defaults if each.name != "progress"} | given
    if options["recipe"] is None:
        options["recipe"] = "text" if options["set_field"] is None else "sets"
    return options


# What says which runs of words are passages, and what of them is cut.
PASSAGE_OPTIONS = ["min_words", "cut", "max_copies", "min_documents", "within", "min_left", "max_cut"]


def passage_options(arguments: Mapping[str, object]) -> dict[str, object]:
    """Those of a function that has all of them: of its `locals()`."""
    return {name: arguments[name] for name in PASSAGE_OPTIONS}


def dedup_table(
    table: object,
    text: str | None = "text",
    id: str | None = "id",
    url: str | None = None,
    *,
    html: str | None = None,
    sets: str | None = None,
    recipe: Recipe | AnyPath | None = None,
    threshold: float | None = None,
    recall: float | None = None,
    ngram: int | None = None,
    verify: Verify | None = None,
    sites: Sites | None = None,
    templates: str | None = None,
    keep: Keep | None = None,
    keep_count: int = 1,
    lost: float | None = None,
    cluster: Cluster = "anchored",
    pairs: Pairs | None = None,
    exact_only: bool = False,
    known: object = None,
    count: str | None = None,
    date_field: str | None = None,
    strict: bool = False,
    memory: int | str | None = None,
    threads: int | None = None,
    temp: AnyPath | None = None,
    progress: Watcher = None,
) -> pyarrow.Table:
    """Finds look-alikes in a table: pyarrow, polars, pandas, Hugging Face, or any other that has
    `__arrow_c_stream__`, or a list of texts or of dicts. Views count as what they show: a data set
    that was filtered or shuffled has the rows that are left, in their order.

    `text` (or `html`, or `sets` for lists of items, instead), `id` and `url` name columns, in which dots reach into structs and
    brackets into lists: `messages[].content`. With `id=None`, and in a list without
    ids, the ids are the numbers of rows, from 0. Gives the columns of `clusters.parquet`, with a row for each
    document that is in a cluster; `known`, another table with these columns, or a path of a run or of
    documents, or a list of `Path`s (a list of strings is one of texts), has those that are there already, and stay: their
    rows are `known`. `kept_mask` makes a mask of it, and `Report.of` has the counts.
    With `pairs`, "needed" or "all" as for the command, `pairs_of` has the pairs.
    """
    import pyarrow.parquet

    if text is None and html is None and sets is None:
        raise ParameterError("one of text, html and sets must name a column", "Parameter")
    if html is not None and sets is not None:
        raise ParameterError("only one of html and sets can name a column", "Parameter")
    if id is not None and not has_ids(table, id):
        id = None
    # Of a text and a page or a set, those count.
    names = [name for name in (html or sets or text, id, url) if name]
    asked = None if keep is None else policy(keep)
    # Columns that are named by an option besides.
    rows = stream(table, names, " ".join(filter(None, [asked, templates, count, date_field])))
    paths = _known_paths(known)
    known_rows = stream(known, names, "") if known is not None and paths is None else None
    options = _job_options(
        recipe=recipe,
        threshold=threshold,
        recall=recall,
        ngram=ngram,
        verify=verify,
        sites=sites,
        templates=templates,
        keep=asked,
        keep_count=keep_count,
        lost=_lost(lost, threshold, recall),
        cluster=cluster,
        pairs=pairs or "needed",
        exact_only=exact_only,
        known=paths or [],
        count=count,
        date_field=date_field,
        strict=strict,
        memory=memory,
        threads=threads,
        # A column that is not named is one that no table has.
        text_field="\0" if html or sets else text,
        html_field=html or "\0",
        set_field=sets,
        id_field=id or "",
        url_field=url or "\0",
    )
    with tempfile.TemporaryDirectory(prefix="lookalike-", dir=temp) as folder:
        out = Path(folder) / "run"
        with Bars.watching(progress) as watcher:
            report, row_count = _native.dedup_table(rows, known_rows, out, options, watcher)
        # Not mapped into memory: the folder goes.
        clusters = pyarrow.parquet.read_table(out / "clusters.parquet", memory_map=False)
        skipped = Report.from_json(report).skipped
        metadata = {REPORT: report.encode(), ROWS: str(row_count).encode()}
        if pairs is not None:
            metadata[PAIRS] = _pairs_as_bytes(out, skipped)
    if skipped:
        warnings.warn(f"{skipped} rows without a text were skipped", stacklevel=2)
    return clusters.replace_schema_metadata(metadata)


def _known_paths(known: object) -> list[str] | None:
    """The known side of a table, if it is paths: one, or a list of them."""
    if isinstance(known, (str, os.PathLike)):
        return [os.fspath(known)]
    if isinstance(known, (list, tuple)) and known and all(isinstance(each, os.PathLike) for each in known):
        return [os.fspath(each) for each in known]
    return None


def _pairs_as_bytes(out: Path, skipped: int) -> bytes:
    """The pairs of a job on a table, by the positions of rows, as a stream of Arrow's."""
    import pyarrow.parquet

    table = pyarrow.parquet.read_table(out / "pairs.parquet", memory_map=False)
    # The job's rows are those that it could read; most often all of them.
    for name in ["row_a", "row_b"] if skipped else []:
        records = _native.records_of_rows(out, table[name].to_pylist())
        positions = pyarrow.array([record - 1 for record in records], pyarrow.uint64())
        table = table.set_column(table.column_names.index(name), name, positions)
    sink = pyarrow.BufferOutputStream()
    options = pyarrow.ipc.IpcWriteOptions(compression="zstd")
    with pyarrow.ipc.new_stream(sink, table.schema, options=options) as writer:
        writer.write_table(table)
    return bytes(sink.getvalue())


def pairs_of(clusters: pyarrow.Table) -> pyarrow.Table:
    """The pairs of a result of `dedup_table` that was asked for them: the columns of `pairs.parquet`,
    of which `row_a` and `row_b` are the positions of the rows in the table, from 0."""
    import pyarrow

    stored = (clusters.schema.metadata or {}).get(PAIRS)
    if stored is None:
        message = "the table has no pairs\nhint: dedup_table(..., pairs=\"needed\") keeps them"
        raise ParameterError(message, "Parameter")
    return pyarrow.ipc.open_stream(stored).read_all()


def kept_mask(clusters: pyarrow.Table, rows: int) -> npt.NDArray[numpy.bool_]:
    """Which rows of the table stay, as a mask of booleans: all but the look-alikes of others.

    `clusters` is what `dedup_table` gave, and `rows` is how many rows the table has; another number
    of rows is another table, and refused.
    """
    import numpy
    import pyarrow.compute

    had = (clusters.schema.metadata or {}).get(ROWS)
    if had is not None and int(had) != rows:
        message = f"rows is {rows}, but the table that the clusters are of had {int(had)}"
        raise ParameterError(message, "Parameter")
    mask = numpy.ones(rows, dtype=bool)
    gone = clusters.filter(pyarrow.compute.invert(clusters["kept"]))
    mask[gone["record"].to_numpy() - 1] = False
    return mask
