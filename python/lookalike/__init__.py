"""Finds documents that are roughly the same, and proves it.

The same engine as the command line, with the same bits. The guide is `docs/guide/python.md`.
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
