#!/usr/bin/env python3
"""Checks the promise about passages from outside: with its own words and its own search.

    ci/passages.py INPUT OUT [--min-words 50]

INPUT is what `lookalike passages INPUT --out OUT` read: a file of JSON lines (also .gz, .zst), a CSV
file, a text file, or a folder of such. Each word that was cut must lie in a run of so many words, all
of them cut, that stands word for word in OUT/kept; the texts there must be those of INPUT without
the bytes that OUT/passages.parquet lists, and the words at each `keeper` those that were cut. Prints what
was found; ends with 1 at any violation.
"""

import argparse
import csv
import gzip
import io
import json
import re
import sys
import unicodedata
from pathlib import Path

import numpy
import pyarrow.parquet

# Characters of scripts without spaces stand alone, as in the definition of words; all else is finer or
# the same here, so that a run of words there has at least as many here.
SOLO = r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
# Marks that are ignored wherever they are, such as those that choose the picture of an emoji.
IGNORED = re.compile("[\u034f\u17b4\u17b5\u180b-\u180d\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]")
MARKS = "".join(char for char in map(chr, range(0x110000)) if unicodedata.category(char)[0] == "M")
# A mark is a part of its letter's word, and a word of its own where there is no letter: `\u02d9` is a space and one.
WORD = re.compile(rf"[{SOLO}]|[{MARKS}]|[^\W_{SOLO}]+")
FACTOR = numpy.uint64(0x9E3779B97F4A7C15)


def documents(path):
    """The texts of a file or folder, in order: (file, text)."""
    files = [path] if path.is_file() else sorted(
        (file for file in path.rglob("*") if file.is_file()), key=lambda file: file.relative_to(path).parts)
    for file in files:
        name = file.name
        data = file.read_bytes()
        if name.endswith(".gz"):
            name, data = name[:-3], gzip.decompress(data)
        elif name.endswith(".zst"):
            import zstandard
            name, data = name[:-4], zstandard.ZstdDecompressor().stream_reader(io.BytesIO(data)).read()
        where = "" if path.is_file() else file.relative_to(path).as_posix()
        if name.endswith((".jsonl", ".json")):
            for line in data.split(b"\n"):
                if line.strip():
                    yield where, json.loads(line)["text"].encode("utf-8", "surrogatepass")
        elif name.endswith(".csv"):
            for row in csv.DictReader(io.StringIO(data.decode(), newline="")):
                yield where, row["text"].encode()
        else:
            yield where, data


def words(text):
    """The words of a text."""
    text = IGNORED.sub("", unicodedata.normalize("NFKC", text.decode("utf-8", "replace")).casefold())
    return WORD.findall(text)


def windows(tokens, width):
    """A number for each run of so many words."""
    codes = numpy.array([hash(token) for token in tokens], dtype=numpy.int64).astype(numpy.uint64)
    count = len(codes) - width + 1
    if count <= 0:
        return numpy.zeros(0, numpy.uint64)
    codes ^= codes >> numpy.uint64(29)
    sums = numpy.zeros(count, numpy.uint64)
    for at in range(width):
        sums = sums * FACTOR + codes[at:at + count]
    return sums


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("input", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--min-words", type=int, default=50)
    arguments = parser.parse_args()
    width = arguments.min_words
    numpy.seterr(over="ignore")

    originals = list(documents(arguments.input))
    kept_path = arguments.out / "kept"
    if arguments.input.is_file():
        kept_path = kept_path / arguments.input.name
    kept = list(documents(kept_path)) if kept_path.exists() else []
    standing = [windows(words(text), width) for _, text in kept]
    standing = numpy.unique(numpy.concatenate(standing)) if standing else numpy.zeros(0, numpy.uint64)
    cuts = {}
    for row in pyarrow.parquet.read_table(arguments.out / "passages.parquet").to_pylist():
        cuts.setdefault(row["row"], []).append(row)

    faults, cut_words, all_words, left = [], 0, 0, iter(kept)
    for number, (where, text) in enumerate(originals):
        all_words += len(words(text))
        rows = cuts.get(number, [])
        rest, at, runs = b"", 0, []
        for row in rows:
            begin, end = row["begin"], row["end"]
            if not at <= begin < end <= len(text):
                faults.append(f"{row['id']}: a cut of {begin} to {end} after {at} of {len(text)} bytes")
            rest += text[at:begin]
            if runs and at == begin:
                runs[-1] = (runs[-1][0], end)
            else:
                runs.append((begin, end))
            at = end
            keeper = originals[row["keeper_row"]][1]
            if words(text[begin:end]) != words(keeper[row["keeper_begin"]:row["keeper_end"]]):
                faults.append(f"{row['id']}: other words than its keeper at {begin}")
        rest += text[at:]
        for begin, end in runs:
            run = words(text[begin:end])
            cut_words += len(run)
            covered = numpy.zeros(len(run) + 1, numpy.int64)
            own = windows(run, width)
            places = numpy.minimum(numpy.searchsorted(standing, own), max(len(standing) - 1, 0))
            for start in numpy.nonzero(standing[places] == own)[0] if len(standing) else []:
                covered[start] += 1
                covered[min(start + width, len(run))] -= 1
            if (numpy.cumsum(covered)[:len(run)] == 0).any():
                faults.append(f"document {number}: a word between {begin} and {end} stands nowhere")
        if rows and not words(rest):
            continue
        found = next(left, None)
        if found != (where, rest):
            faults.append(f"document {number}: what is kept is not the text without its cuts")
            break
    if next(left, None) is not None and not faults:
        faults.append("kept/ has more documents than stay")
    for fault in faults[:10]:
        print(f"passages: {fault}", file=sys.stderr)
    share = 100 * cut_words / max(all_words, 1)
    print(f"{len(originals)} documents, {all_words} words, {cut_words} cut ({share:.2f} %) in "
          f"{sum(map(len, cuts.values()))} pieces: {len(faults)} violations")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
