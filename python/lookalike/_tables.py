"""Tables of every library as Arrow has them, with the rows that their users see, in that order.

What comes back speaks of rows by their numbers (`kept_mask`), so a view that has other rows than the
table under it must be followed, and what has no fixed rows is refused.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

from .errors import ParameterError

# The rows of a data set that are gathered at once: a chunk of Arrow's holds at most 2 GiB of text.
_ROWS = 1000


def stream(table: Any, names: Sequence[str], keep: str) -> Any:
    """The table as something with `__arrow_c_stream__`.

    `names` are those of the columns that must be there, and `keep` may name one more. Of what must
    be copied, the others are left out.
    """
    if isinstance(table, (list, tuple)):
        return _rows(table, names, keep)
    if _is_of("datasets", "Dataset", table):
        return _data_set(table, names, keep)
    if hasattr(table, "__arrow_c_stream__"):
        return table
    raise TypeError(_refusal(table))


def has_ids(table: Any, id: str) -> bool:
    """Whether the rows of a list have ids: texts have none, and neither have dicts without the key."""
    return not isinstance(table, (list, tuple)) or any(isinstance(row, dict) and id in row for row in table)


def _rows(rows: Sequence[Any], names: Sequence[str], keep: str) -> Any:
    """A list of texts, which are the column that is named first, or of dicts."""
    import pyarrow

    if all(isinstance(row, str) for row in rows):
        return pyarrow.table({names[0]: pyarrow.array(rows, pyarrow.large_string())})
    for number, row in enumerate(rows):
        if not isinstance(row, dict):
            found = f"row {number} is of the type {type(row).__name__}"
            raise TypeError(f"the rows of a list must all be str or all be dict, and {found}")
    keys = dict.fromkeys(key for row in rows for key in row)
    columns = _needed(list(keys), names, keep)
    return pyarrow.table({key: pyarrow.array([row.get(key) for row in rows]) for key in columns})


def _needed(columns: list[str], names: Sequence[str], keep: str) -> list[str]:
    """The columns that are named, or all if one of the names is none of them."""
    wanted = {part for name in names for part in (name, _outermost(name))}
    # Rather a column too many than one too few: what is not there is for the job to say.
    needed = [name for name in columns if name in wanted or name in keep]
    found = all(name in needed or _outermost(name) in needed for name in names)
    return needed if found else columns


def _outermost(name: str) -> str:
    """The column that `meta.text` or `messages[].content` is in."""
    return name.partition(".")[0].removesuffix("[]")


def _is_of(module: str, name: str, value: Any) -> bool:
    """Whether a value is of a type of a library, which is not imported for that."""
    kind = getattr(sys.modules.get(module), name, None)
    return isinstance(kind, type) and isinstance(value, kind)


def _data_set(data: Any, names: Sequence[str], keep: str) -> Any:
    """A data set of Hugging Face: what `filter`, `shuffle` and `select` left of it is a list of
    indices into a table that has all rows still."""
    if data.format["type"] == "custom":
        message = "the data set makes its values anew each time they are read (`set_transform`)"
        hint = "hint: make them once with `map`, or go without them by `reset_format()`"
        raise ParameterError(f"{message}\n{hint}", "Parameter")
    whole = data.data.table
    # A library that has its indices elsewhere is asked for every row.
    if getattr(data, "_indices", whole) is None and len(data) == whole.num_rows:
        return whole

    import pyarrow

    rows = data.with_format("arrow", columns=_needed(data.column_names, names, keep))
    # At least one piece, for the columns' types. The library gives a chunk for each row.
    starts = range(0, max(len(data), 1), _ROWS)
    pieces = [rows[start : start + _ROWS].combine_chunks() for start in starts]
    return pyarrow.concat_tables(pieces)


def _refusal(table: Any) -> str:
    """Why something is no table, and what to give instead."""
    found = type(table).__name__
    refused = [
        ("polars", "LazyFrame", "it has no rows yet, and may have them in another order each time",
         "collect it first, and use what you collected: `frame = lazy.collect()`"),
        ("datasets", "IterableDataset", "its rows are there one after the other only, once each",
         "make a table of it first: `Dataset.from_list(list(stream))`, or `dedup` its files"),
        ("datasets", "DatasetDict", "it has several tables",
         "give one of them, as in `data[\"train\"]`, or `concatenate_datasets` them"),
        ("datasets", "IterableDatasetDict", "it has several streams, and no tables",
         "give one table: `Dataset.from_list(list(data[\"train\"]))`, or `dedup` the files"),
        ("pyarrow.dataset", "Dataset", "its rows are still in files",
         "read it first: `dataset.to_table()`, or `dedup` the files"),
    ]  # fmt: skip
    for module, name, fault, hint in refused:
        if _is_of(module, name, table):
            return f"{found} is not a table: {fault}\nhint: {hint}"
    return f"a table must have `__arrow_c_stream__`, as pyarrow's have; {found} has not"
