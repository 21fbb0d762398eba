"""Finds documents that are roughly the same, and proves it.

Candidates come from MinHash LSH (features) or SimHash (projections); a pair has an exact resemblance, the
Jaccard similarity of word n-grams. The same engine as the command line, with the same bits. The guide is
`docs/guide/python.md`; `docs/guide/coming-from.md` is for who knows datasketch or the like.
"""

from ._compare import compare, containment, resemblance
from ._jobs import Plan, Report, dedup, dedup_table, kept_mask, plan
from ._native import (
    VERSION as __version__,
    Added,
    Answer,
    CheckedAndAdded,
    Comparison,
    Index,
    Match,
    Progress,
    Rebuilt,
    Recipe,
    Record,
    Records,
    Signature,
)
from .errors import (
    CorruptionError,
    Error,
    ExistsError,
    InputError,
    IoError,
    MismatchError,
    ParameterError,
    RemovalError,
)

__all__ = [
    "Added",
    "Answer",
    "CheckedAndAdded",
    "Comparison",
    "CorruptionError",
    "Error",
    "ExistsError",
    "Index",
    "InputError",
    "IoError",
    "Match",
    "MismatchError",
    "ParameterError",
    "Plan",
    "Progress",
    "Rebuilt",
    "Recipe",
    "Record",
    "Records",
    "RemovalError",
    "Report",
    "Signature",
    "__version__",
    "compare",
    "containment",
    "dedup",
    "dedup_table",
    "kept_mask",
    "plan",
    "resemblance",
]
