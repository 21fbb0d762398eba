"""What a job did, and what one would take.

Numbers are attributes; what has parts of its own is a dict as `report.json` has it, whose keys its
type names.
"""

from __future__ import annotations

import html
import json
import os
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypedDict, Union

from . import _native
from .errors import ParameterError

if TYPE_CHECKING:
    import pyarrow

AnyPath = str | os.PathLike[str]
Json = Union[None, bool, int, float, str, list["Json"], dict[str, "Json"]]

# The keys of a result of `dedup_table` in the metadata of its schema: its report, how many rows the
# table had, and its pairs if they were asked for.
REPORT = b"lookalike.report"
ROWS = b"lookalike.rows"
PAIRS = b"lookalike.pairs"


def framed(title: str, page: str) -> str:
    """A page as a notebook shows it, in a frame."""
    style = "width: 100%; height: 36em; border: 1px solid rgba(128, 128, 128, .4)"
    return f'<iframe sandbox title="{title}" style="{style}" srcdoc="{html.escape(page)}"></iframe>'


class FilterSummary(TypedDict):
    """k features of s minvalues, r of which a candidate has in common."""

    k: int
    s: int
    r: int


class RecipeSummary(TypedDict, total=False):
    """What a report says of the recipe; `recall` is that at exactly the threshold."""

    name: str
    threshold: float
    verify: Literal["exact", "estimate", "difference", "none"]
    tokens: Literal["words", "characters", "lines", "sentences", "paragraphs", "items"]
    filter: FilterSummary
    recall: float


class NearMiss(TypedDict):
    """Two documents that are nearly look-alikes."""

    a: str
    b: str
    resemblance: float


class SourceCounts(TypedDict):
    """A file, or another place that documents came from."""

    name: str
    documents: int
    removed: int
    skipped: int


class Repeated(TypedDict, total=False):
    """A document that stays, and how often it was found; without what is not known of it."""

    id: str
    url: str
    copies: int
    exact_copies: int
    sources: int
    first: str
    last: str


class Counts(TypedDict, total=False):
    """How often the documents that stay were found: how many have so many copies, and so many sources."""

    by: str
    date_field: str
    copies: list[list[int]]
    sources: list[list[int]]
    most_repeated: list[Repeated]


class KnownSide(TypedDict):
    """A side of known documents: a run, an index, or documents that were read."""

    name: str
    kind: Literal["run", "documents", "index"]
    documents: int


class Known(TypedDict):
    """Documents that were known and stay, and how many were removed for one of them."""

    documents: int
    removed: int
    sides: list[KnownSide]


class Lost(TypedDict):
    """What went with documents by containment: the share that was allowed, the shingles of those that went for
    one that is not their copy, and those of them that are not in their keeper."""

    share: float
    shingles: int
    shingles_lost: int


class FaultCount(TypedDict):
    """How often a fault made a record unreadable."""

    fault: str
    records: int


class ClusterMember(TypedDict):
    """A document that was removed, or with `keep_count` stays beside its keeper, and how it resembles that."""

    id: str
    kind: Literal["exact", "near"]
    resemblance: float | None


class Cluster(TypedDict):
    """One of the largest clusters, with some of its members."""

    size: int
    keeper: str
    members: list[ClusterMember]


class PassageCounts(TypedDict):
    """What was cut of documents; `words_lost` are those that went with documents of which too few words were left,
    and may stand nowhere else."""

    rule: str
    alone: bool
    annotated: bool
    words: int
    words_cut: int
    cuts: int
    documents: int
    documents_gone: int
    words_lost: int


@dataclass(frozen=True)
class Report:
    """What a job did: the fields of `report.json`. `to_dict` has those of them besides that only the
    page shows."""

    documents: int
    """Documents that could be read."""
    empty: int
    """Those of them without a word: they resemble nothing, and stay."""
    skipped: int
    """Records and files that could not be read."""
    exact_removed: int
    """Removed: the same words in the same order as one that stays."""
    near_removed: int
    """Removed: similar to one that stays."""
    kept: int
    """Documents that stay."""
    clusters: int
    """Clusters of two documents or more."""
    candidates: int
    """Pairs that were compared."""
    pairs: int
    """Pairs that are listed."""
    bytes_read: int
    """Bytes as they are stored."""
    seconds: dict[str, float]
    """How long each stage took, by its name, and `total`."""
    peak_memory_bytes: int
    """The most memory that was used, where the system tells."""
    recipe_digest: str
    """Identifies all parameters of the recipe."""
    text_bytes: int = 0
    """Bytes of text."""
    kept_beside: int = 0
    """Documents that stay beside the one that stands for them, with `keep_count`."""
    lost: Lost | None = None
    """What went with documents that are contained in others, with `lost`."""
    known: Known | None = None
    """The known side, if there was one. The other counts leave its documents out."""
    rounds: int = 0
    """Rounds that the decision took."""
    version: str = ""
    """The release that ran the job."""
    verified: bool = False
    """Whether every pair was verified by the documents themselves."""
    recipe: RecipeSummary = field(default_factory=RecipeSummary)
    """The recipe, in short."""
    cluster_sizes: list[list[int]] = field(default_factory=list)
    """Sizes of clusters, and how many have each."""
    counts: Counts = field(default_factory=Counts)
    """How often the documents that stay were found, and those of most copies."""
    near_misses: list[NearMiss] = field(default_factory=list)
    """Pairs that were nearly accepted."""
    sources: list[SourceCounts] = field(default_factory=list)
    """What became of the documents of each source, of those of most documents."""
    skipped_examples: list[str] = field(default_factory=list)
    """The first faults of what was skipped."""
    skipped_by_fault: list[FaultCount] = field(default_factory=list)
    """How often there was which fault."""
    passed_over: dict[str, int] = field(default_factory=dict)
    """Records that are not documents, by the reason."""
    largest_clusters: list[Cluster] = field(default_factory=list)
    """The largest clusters."""
    passages: PassageCounts | None = None
    """What was cut of documents, if that was asked for."""
    notes: list[str] = field(default_factory=list)
    """What else there is to know."""
    written: str | None = None
    """The documents that were written, "all" or "removed"; None if those that stay."""
    out: Path | None = field(default=None, compare=False)
    """The folder of the results, if there is one."""
    _json: str = field(default="", repr=False)

    @staticmethod
    def from_json(text: str, out: Path | None = None) -> Report:
        """A report from the text of a `report.json`."""
        values = json.loads(text)
        known = {each.name: values[each.name] for each in fields(Report) if each.name in values}
        return Report(**known | {"out": out, "_json": json.dumps(values, sort_keys=True)})

    @staticmethod
    def read(out: AnyPath) -> Report:
        """The report of a finished job, from its folder."""
        path = Path(out)
        return Report.from_json((path / "report.json").read_text("utf-8"), path)

    @staticmethod
    def of(clusters: pyarrow.Table) -> Report:
        """The report of the job that a result of `dedup_table` came from."""
        metadata = clusters.schema.metadata or {}
        if REPORT not in metadata:
            raise ParameterError("the table is not a result of dedup_table", "Parameter")
        return Report.from_json(metadata[REPORT].decode())

    def to_dict(self) -> dict[str, Json]:
        """All of `report.json`."""
        values: dict[str, Json] = json.loads(self._json)
        return values

    def read_clusters(self) -> pyarrow.Table:
        """`clusters.parquet`: a row for each document that is in a cluster."""
        return self._read("clusters.parquet")

    def read_pairs(self) -> pyarrow.Table:
        """`pairs.parquet`: the accepted pairs with their scores."""
        return self._read("pairs.parquet")

    def read_passages(self) -> pyarrow.Table:
        """`passages.parquet`: what was cut of documents, and where it stays."""
        return self._read("passages.parquet")

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

    def _repr_html_(self) -> str:
        """The page `report.html`, in a frame of its own: no style of it reaches the notebook, and no
        script runs in it."""
        return framed("Report", _native.report_page(self._json))


@dataclass(frozen=True)
class Plan:
    """What a job would take."""

    sources: int
    """Files."""
    stored_bytes: int
    """Bytes as they are stored."""
    documents: int
    """Documents, about."""
    known_documents: int
    """Documents of the known side: those of runs, and others about."""
    text_bytes: int
    """Bytes of text, about."""
    sampled_bytes: int
    """Stored bytes that were looked at to tell."""
    result_bytes: int
    """Disk for results besides the survivors."""
    working_bytes: int
    """Disk for working files, at most."""
    passage_bytes: int
    """Disk for passages, at most: a part of the working files."""
    memory_bytes_per_document: int
    """Memory for each document."""
    least_memory_bytes: int
    """Memory that the job needs at least."""

    def to_dict(self) -> dict[str, int]:
        """All of it."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    def __repr__(self) -> str:
        return f"<lookalike.Plan: about {self.documents} documents in {self.sources} sources>"
