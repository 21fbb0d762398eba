"""Tables that are named by a path: files and folders of documents, and what a run kept.

Two kinds of runs are known by what they left: the engine's and this package's. Both have a folder `kept`,
which is read like any other; a run says besides whether that is all of it. Signatures are not taken
over from a run: what Spark reads of it is signed again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from ..errors import InputError, ParameterError

# What names of files end in, before they may have been compressed.
_ENDINGS = {"jsonl": "json", "ndjson": "json", "json": "json", "parquet": "parquet"}

# What Hadoop unpacks everywhere; zstd takes a library of the system's.
_PACKED = (".gz", ".bz2")

# Files that Spark does not read either.
_HIDDEN = ("_", ".")

# Where an index says that it is one.
_INDEX_MAGIC = b"LOOKINDX"

_INSTEAD = "hint: read them with Spark and give the DataFrame"


@dataclass(frozen=True)
class Files:
    """Files wherever Hadoop finds them."""

    spark: SparkSession

    @property
    def _context(self) -> Any:
        return self.spark.sparkContext

    def _path(self, name: str) -> Any:
        return self._context._jvm.org.apache.hadoop.fs.Path(name)

    def _system(self, path: Any) -> Any:
        return path.getFileSystem(self._context._jsc.hadoopConfiguration())

    def exists(self, name: str) -> bool:
        """Whether there is a file or folder of this name."""
        path = self._path(name)
        return bool(self._system(path).exists(path))

    def first_bytes(self, name: str, count: int) -> bytes:
        """The first bytes of a file; fewer if it has no more, none if there is no such file."""
        path = self._path(name)
        system = self._system(path)
        if not system.exists(path) or system.getFileStatus(path).isDirectory():
            return b""
        stream = system.open(path)
        try:
            # Bytes of Java have signs, and -1 is the end.
            read = (stream.read() for _ in range(count))
            return bytes(byte for byte in read if byte >= 0)
        finally:
            stream.close()

    def text(self, name: str) -> str:
        """All of a small file."""
        return str(self.spark.read.text(name, wholetext=True).collect()[0][0])

    def below(self, name: str) -> Iterator[str] | None:
        """The files that a name or pattern stands for, those of folders as paths within them; None if
        it stands for nothing."""
        path = self._path(name)
        system = self._system(path)
        found = system.globStatus(path)
        if not found:
            return None
        return (inner for status in found for inner in _within(system, status))


def _within(system: Any, status: Any) -> Iterator[str]:
    root = status.getPath()
    if status.isFile():
        yield root.getName()
        return
    start = len(root.toString().rstrip("/")) + 1
    listed = system.listFiles(root, True)
    while listed.hasNext():
        yield listed.next().getPath().toString()[start:]


def read_path(spark: SparkSession, name: str) -> DataFrame | None:
    """The documents that a path stands for: those that a run kept, or all that are there. None if a
    run kept none."""
    files = Files(spark)
    if files.first_bytes(f"{name}/index", len(_INDEX_MAGIC)) == _INDEX_MAGIC:
        message = f"`{name}` is an index, which is not known on Spark\nhint: `lookalike.dedup` knows indexes"
        raise ParameterError(message, "KnownIndex")
    folder = _kept_of_run(files, name)
    return _read(files, name if folder is None else folder, may_be_empty=folder is not None)


def _kept_of_run(files: Files, name: str) -> str | None:
    """The folder of what a run kept; None if a path is not that of a run."""
    manifest, kept = f"{name}/manifest.json", f"{name}/kept"
    if files.exists(manifest) and files.exists(f"{name}/recipe.toml"):
        try:
            finished = bool(json.loads(files.text(manifest))["finished"])
        except (ValueError, KeyError, TypeError) as error:
            raise InputError(f"`{manifest}` is not a manifest of a run: {error}", "Input") from error
    elif files.exists(f"{name}/clusters.parquet"):
        # One of Spark's writes what it kept last.
        finished = not files.exists(kept) or files.exists(f"{kept}/_SUCCESS")
    else:
        return None
    if not finished:
        raise _refused(name, "has not finished", "finish it first, or name its folder `kept`")
    if not files.exists(kept):
        raise _refused(
            name,
            "did not write what it kept",
            "run it so that it writes `kept`, or give a DataFrame of the documents that it kept",
        )
    return kept


def _refused(name: str, fault: str, hint: str) -> ParameterError:
    return ParameterError(f"`{name}` is a run that {fault}\nhint: {hint}", "KnownRun")


def _read(files: Files, name: str, may_be_empty: bool) -> DataFrame | None:
    listed = files.below(name)
    if listed is None:
        raise InputError(f"`{name}` is not there", "Input")
    formats: dict[str, str] = {}
    nested = False
    for inner in listed:
        *folders, file = inner.split("/")
        if any(part.startswith(_HIDDEN) for part in (*folders, file)):
            continue
        # What Spark takes for values of columns it must see as folders.
        nested |= any("=" not in folder for folder in folders)
        formats.setdefault(_format(name, file), file)
    if not formats:
        if may_be_empty:
            return None
        raise InputError(f"`{name}` has no documents", "Input")
    if len(formats) > 1:
        two = " and ".join(f"`{file}`" for file in formats.values())
        raise InputError(f"`{name}` has files of two formats, {two}\nhint: name them one by one", "Input")
    reader = files.spark.read.format(*formats)
    table = reader.option("recursiveFileLookup", str(nested).lower()).load(name)
    # Lines of JSON that are not there have no fields.
    return table if table.columns or not may_be_empty else None


def _format(name: str, file: str) -> str:
    plain = next((file.removesuffix(end) for end in _PACKED if file.endswith(end)), file)
    format = _ENDINGS.get(os.path.splitext(plain)[1].removeprefix("."))
    if format is None or (format == "parquet" and plain != file):
        inside = "" if name.endswith(file) else f" in `{name}`"
        raise InputError(
            f"`{file}`{inside} is not read on Spark: that takes Parquet, and JSON lines as they are or in .gz or .bz2\n"
            f"{_INSTEAD}",
            "Input",
        )
    return format
