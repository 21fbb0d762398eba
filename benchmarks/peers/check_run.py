#!/usr/bin/env python3
"""Proves from the outside that a finished `lookalike dedup` removed nothing it should not have.

    check_run.py INPUT... --run DIR        check a run of `lookalike dedup INPUT... --out DIR`
    check_run.py --self-test               check the checker, on runs good and broken

It reads only the inputs and what the run wrote, and shares no code with Lookalike: tokens,
shingles and resemblance are computed here, from the definition. Exit code 1 if anything is
wrong, 2 if it cannot be checked. Needs pyarrow, and zstandard for `.zst`.

What is checked:

- each input document is in kept/, or has a row in clusters.parquet with `kept` = false; kept/ has
  the inputs' files, and in them the documents that stay, in order, the same bytes (the same
  values and schema in Parquet)
- each removed document has a keeper that stays, and an exact resemblance with it of at least the
  threshold, equal to the one that is written; for `exact` the token sequences are equal
- each removed document has a row in pairs.parquet with its keeper, or with the first document of
  its own token sequence
- each pair is at or above the threshold, its scores are right, and its documents are in order
- no two documents with the same token sequence both stay
- the counts of report.json add up

Where Python's Unicode data could read a character otherwise than Lookalike's newer data, a
difference is counted as doubtful and is no fault.
"""

import argparse
import bz2
import csv
import functools
import gzip
import hashlib
import io
import json
import lzma
import os
import re
import sys
import tomllib
import unicodedata
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path

# --- tokens, from the definition ---

# Scripts without spaces between words: Han, kana, Thai, Lao, Burmese, Khmer.
SOLO_RANGES = [
    (0x0E01, 0x0E3A), (0x0E40, 0x0E4E), (0x0E81, 0x0ECE), (0x0EDC, 0x0EDF), (0x1000, 0x109F),
    (0x1780, 0x17DD), (0x2E80, 0x2FD5), (0x3005, 0x3007), (0x3021, 0x3029), (0x3031, 0x3035),
    (0x3038, 0x303C), (0x3041, 0x309F), (0x30A1, 0x30FA), (0x30FC, 0x30FF), (0x31F0, 0x31FF),
    (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xA9E0, 0xA9FE), (0xAA60, 0xAA7F), (0xF900, 0xFAFF),
    (0xFF66, 0xFF9D), (0x16FF0, 0x16FF1), (0x1AFF0, 0x1B16F), (0x20000, 0x3FFFF),
]
# Alphabetic symbols that are letters by no other sign.
ALPHABETIC_SYMBOLS = [(0x24B6, 0x24E9), (0x1F130, 0x1F149), (0x1F150, 0x1F169), (0x1F170, 0x1F189)]
# Default ignorable code points, which the canonical form does not have.
IGNORABLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
ASCII_WORD = re.compile("[0-9a-z]+")
# Visible ASCII without the characters that enclose URLs.
URL = re.compile(r"[A-Za-z0-9]+://[!#$%&*+,\-./0-9:;=?@A-Z_a-z~]*")


def within(code, ranges):
    return any(first <= code <= last for first, last in ranges)


@functools.cache
def patterns():
    """Tokens, characters of words, and characters that may be read in two ways."""
    solo, word, doubtful = [], [], []
    for code in range(sys.maxunicode + 1):
        category = unicodedata.category(chr(code))
        letter = category[0] in "LM" or category == "Nl" or within(code, ALPHABETIC_SYMBOLS)
        if letter and within(code, SOLO_RANGES):
            solo.append(code)
        elif letter or category[0] == "N":
            word.append(code)
        if category == "Cn":
            doubtful.append(code)
    solo, word, doubtful = (character_class(codes) for codes in (solo, word, doubtful))
    return re.compile(f"[{word}]+|[{solo}]"), re.compile(f"[{word}]"), re.compile(f"[{doubtful}]")


def character_class(codes):
    ranges, start = [], codes[0]
    for code, following in zip(codes, codes[1:] + [None]):
        if following != code + 1:
            ranges.append(f"\\U{start:08x}-\\U{code:08x}")
            start = following
    return "".join(ranges)


def canonical(text):
    """Unicode's NFKC_Casefold, as the standard composes it."""
    text = IGNORABLE.sub("", text)
    text = unicodedata.normalize("NFKC", unicodedata.normalize("NFD", text).casefold())
    return IGNORABLE.sub("", unicodedata.normalize("NFKC", text.casefold()))


def words_of(text):
    """The tokens of text without URLs."""
    if text.isascii():
        return ASCII_WORD.findall(text.lower())
    return patterns()[0].findall(canonical(text))


def tokens(text):
    """The words of a text, and the characters of scripts without spaces; URLs in pieces."""
    word = patterns()[1]
    found, done, match = [], 0, URL.search(text)
    while match:
        start = match.start()
        before = canonical(text[max(done, start - 8) : start])
        if before and word.match(before[-1]):
            # Only the end of a word stands before `://`.
            match = URL.search(text, text.index("://", start) + 3)
            continue
        found += words_of(text[done:start])
        for piece in re.split(r"[/.]", match.group()):
            piece = re.sub(r"^[^A-Za-z0-9]+|[^A-Za-z0-9]+$", "", piece)
            if piece:
                found.append(piece.lower())
        done = match.end()
        match = URL.search(text, done)
    return found + words_of(text[done:])


def is_doubtful(text):
    return not text.isascii() and patterns()[2].search(text) is not None


def shingles(words, width):
    if not words:
        return frozenset()
    return frozenset(tuple(words[at : at + width]) for at in range(max(len(words) - width + 1, 1)))


# --- documents ---

FORMATS = {"txt": "text", "md": "text", "jsonl": "jsonl", "ndjson": "jsonl", "json": "jsonl",
           "csv": "csv", "tsv": "tsv", "parquet": "parquet"}
OPENERS = {"": lambda data: data, "gz": gzip.decompress, "bz2": bz2.decompress,
           "xz": lzma.decompress}


@dataclass
class Source:
    path: Path
    name: str
    format: str
    compression: str


@dataclass
class Record:
    """A record of a file; `id` is None for one that is no document."""

    id: str | None
    text: str
    raw: bytes


def sources(inputs):
    """The files that inputs stand for, in order, with the names of their mirrors."""
    names = set()
    for given in inputs:
        path = Path(given)
        if path.is_dir():
            files = sorted(walk(path), key=lambda file: [os.fsencode(part) for part in file.parts])
            found = [(file, file.relative_to(path).as_posix()) for file in files]
        elif path.is_file():
            found = [(path, path.name)]
        else:
            raise Unusable(f"`{given}`: there is no such file")
        for file, name in found:
            format, compression = kind(name)
            if format is None:
                if path.is_dir():
                    continue
                raise Unusable(f"`{given}`: the name does not say what it holds")
            free, number = name, 2
            while free in names:
                bare = name.removesuffix("." + compression) if compression else name
                stem, dot, extension = bare.rpartition(".")
                free = f"{stem}~{number}{dot}{extension}{name[len(bare):]}"
                number += 1
            names.add(free)
            yield Source(file, free, format, compression)


def walk(folder):
    for entry in folder.iterdir():
        if entry.name.startswith("."):
            continue
        if entry.is_dir():
            if not entry.is_symlink():
                yield from walk(entry)
        elif entry.is_file():
            yield entry


def kind(name):
    parts = name.lower().split(".")
    compression = parts.pop() if parts[-1] in ("gz", "zst", "bz2", "xz") else ""
    return (FORMATS.get(parts[-1]) if len(parts) > 1 else None), compression


def content(source, path):
    data = path.read_bytes()
    if source.compression == "zst":
        import zstandard

        return zstandard.ZstdDecompressor().stream_reader(data, read_across_frames=True).read()
    return OPENERS[source.compression](data)


def records(source, path, fields):
    """Everything before the first record, and the records, of a source or of its mirror."""
    data = content(source, path)
    if source.format == "parquet":
        return parquet_records(source, data, fields)
    if source.format == "text":
        text = data.removeprefix(b"\xef\xbb\xbf").decode(errors="replace")
        return b"", [Record(path_id(source), text, data)]
    mark = b"\xef\xbb\xbf" if data.startswith(b"\xef\xbb\xbf") else b""
    data = data[len(mark):]
    if source.format == "jsonl":
        return mark, [json_record(source, number, line, fields)
                      for number, line in enumerate(split_lines(data), 1)]
    return table_records(source, mark, data, fields)


def split_lines(data):
    lines = data.split(b"\n")
    ended = [line + b"\n" for line in lines[:-1]] + lines[-1:]
    return [line for line in ended if line.strip()]


def path_id(source, number=None):
    path = source.path.as_posix()
    return path if number is None else f"{path}#{number}"


def field(record, path):
    if path in record:
        return record[path]
    for name in path.split("."):
        if not isinstance(record, dict) or name not in record:
            return None
        record = record[name]
    return record


def document(source, number, record, fields, raw):
    text, id = field(record, fields["text"]), field(record, fields["id"])
    if not isinstance(text, str) or isinstance(id, (bool, float, list, dict)):
        return Record(None, "", raw)
    return Record(path_id(source, number) if id is None else str(id), text, raw)


def json_record(source, number, line, fields):
    try:
        record = json.loads(line.decode(errors="replace"))
    except ValueError:
        return Record(None, "", line)
    if not isinstance(record, dict):
        return Record(None, "", line)
    return document(source, number, record, fields, line)


def table_records(source, mark, data, fields):
    """Records of CSV or TSV with their bytes; a record goes on while a quote is open."""
    rows, open_row = [], b""
    for line in data.split(b"\n"):
        open_row += line + b"\n"
        if open_row.count(b'"') % 2 == 0:
            rows.append(open_row)
            open_row = b""
    if rows and not data.endswith(b"\n"):
        rows[-1] = rows[-1][:-1]
    rows = [row for row in rows if row.strip(b"\r\n")]
    delimiter = "," if source.format == "csv" else "\t"
    parse = lambda row: next(csv.reader(io.StringIO(row.decode(errors="replace"), newline=""),
                                        delimiter=delimiter))
    if not rows:
        return mark, []
    csv.field_size_limit(1 << 30)
    columns, found = parse(rows[0]), []
    for number, raw in enumerate(rows[1:], 1):
        cells = parse(raw)
        record = dict(zip(columns, cells))
        # An empty cell is how CSV writes nothing.
        if fields["id"] in record and not record[fields["id"]]:
            del record[fields["id"]]
        found.append(document(source, number, record, fields, raw)
                     if len(cells) == len(columns) else Record(None, "", raw))
    return mark + rows[0], found


def parquet_records(source, data, fields):
    import pyarrow
    import pyarrow.parquet as parquet

    table = parquet.read_table(pyarrow.BufferReader(data))
    rows = table.to_pylist()
    schema = str(table.schema.remove_metadata()).encode()
    return schema, [document(source, number, row, fields, repr(row).encode())
                    for number, row in enumerate(rows, 1)]


# --- the check ---


class Unusable(Exception):
    """The run cannot be checked at all."""


class Check:
    """A run, what is right about it and what is not."""

    SHOWN = 5

    def __init__(self, inputs, run, fields):
        self.inputs, self.run, self.fields = inputs, Path(run), fields
        self.passed, self.violations, self.doubtful = Counter(), defaultdict(list), Counter()
        self.sets = functools.lru_cache(maxsize=4096)(self.shingles_of)

    def note(self, what, right, detail, doubtful=False):
        """Counts something that was checked."""
        if right:
            self.passed[what] += 1
        elif doubtful:
            self.doubtful[what] += 1
        else:
            self.violations[what].append(detail)

    def check(self):
        self.read_outputs()
        self.read_inputs()
        self.check_clusters()
        self.check_pairs()
        self.check_removed()
        self.check_copies()
        self.check_report()
        return not self.violations

    def read_outputs(self):
        import pyarrow.parquet as parquet

        try:
            recipe = tomllib.loads((self.run / "recipe.toml").read_text())
            self.report = json.loads((self.run / "report.json").read_text())
            self.clusters = parquet.read_table(self.run / "clusters.parquet").to_pylist()
            self.pairs = parquet.read_table(self.run / "pairs.parquet").to_pylist()
        except (OSError, ValueError) as error:
            raise Unusable(f"the run cannot be read: {error}") from error
        shingling = recipe.get("shingles", {})
        if recipe.get("tokens", "words") != "words" or shingling.get("count", "set") != "set":
            raise Unusable("only recipes over sets of words can be checked")
        self.width = shingling.get("width", 5)
        self.threshold = recipe.get("verify", {}).get("threshold", 0.8)
        self.rows = defaultdict(list)
        for row in self.clusters:
            self.rows[row["id"]].append(row)

    def read_inputs(self):
        """Reads every document once, and compares each file with its mirror."""
        named = set(self.rows) | {pair[side] for pair in self.pairs for side in "ab"}
        self.documents = self.empty = self.bad = self.kept = 0
        # Of documents that the run names: place in the input, text. Ids need not be unique.
        self.named = defaultdict(list)
        self.places_of_tokens, self.kept_places = defaultdict(list), set()
        mirrors = set()
        for source in sources(self.inputs):
            preamble, found = records(source, source.path, self.fields)
            first = self.documents
            for record in found:
                if record.id is None:
                    self.bad += 1
                    continue
                words = tokens(record.text)
                if words:
                    digest = hashlib.blake2b("\0".join(words).encode(errors="replace")).digest()
                    self.places_of_tokens[digest[:16]].append(self.documents)
                else:
                    self.empty += 1
                if record.id in named:
                    self.named[record.id].append((self.documents, record.text))
                self.documents += 1
            mirrors.add(source.name)
            self.compare_with_mirror(source, preamble, found, first)
        folder = self.run / "kept"
        there = {path.relative_to(folder).as_posix() for path in folder.rglob("*")
                 if path.is_file()} if folder.is_dir() else set()
        for name in sorted(there - mirrors):
            self.note("files of kept/ stand for inputs", False, f"kept/{name} mirrors no input")

    def compare_with_mirror(self, source, preamble, found, place):
        what = "documents of kept/ are those of the inputs, in order"
        path = self.run / "kept" / source.name
        mirrored = []
        if path.is_file():
            head, mirrored = records(source, path, self.fields)
            self.note("files of kept/ begin as their inputs", head == preamble,
                      f"kept/{source.name}: another header or schema")
        elif source.format != "text":
            self.note("files of kept/ stand for inputs", False, f"kept/{source.name} is missing")
        at = 0
        for number, record in enumerate(found, 1):
            same = at < len(mirrored) and mirrored[at].raw == record.raw
            if record.id is None:
                at += same  # Whether bad records are mirrored is a matter of options.
                continue
            removals = sum(not row["kept"] for row in self.rows.get(record.id, []))
            others = len(self.named.get(record.id, [])) or 1
            # Of several documents under one id, which of them goes shows only here.
            stays = removals == 0 or (removals < others and same)
            if stays:
                self.note(what, same, f"{source.name}#{number} (`{record.id}`) has no removed row "
                                      "and is not the next in kept/")
                if same:
                    at += 1
                    self.kept += 1
                    self.kept_places.add(place)
            place += 1
        for extra in mirrored[at:]:
            self.note(what, False, f"kept/{source.name} has `{extra.id}`, which should not be there")

    def check_clusters(self):
        sizes = Counter(row["cluster"] for row in self.clusters)
        exact = Counter(row["cluster"] for row in self.clusters if row["kind"] != "near")
        keepers = defaultdict(list)
        for row in self.clusters:
            if row["kept"]:
                keepers[row["cluster"]].append(row["id"])
        self.keepers = keepers
        for row in self.clusters:
            id = row["id"]
            self.note("ids of clusters.parquet are documents", id in self.named,
                      f"`{id}` is no input document")
            self.note("clusters have the size they say",
                      row["size"] == sizes[row["cluster"]] >= 2,
                      f"cluster {row['cluster']}: size {row['size']}, "
                      f"rows {sizes[row['cluster']]}")
            self.note("copies are the documents of clusters",
                      (row["copies"], row["exact_copies"])
                      == (sizes[row["cluster"]], exact[row["cluster"]]),
                      f"`{id}`: {row['copies']} copies, {row['exact_copies']} of them exact")
            self.note("kinds and kept agree", row["kept"] == (row["kind"] == "keeper")
                      and row["kind"] in ("keeper", "exact", "near"),
                      f"`{id}`: kind {row['kind']}, kept {row['kept']}")
            self.note("keepers stay, in the same cluster",
                      row["keeper"] in keepers[row["cluster"]]
                      and any(place in self.kept_places
                              for place, _ in self.named.get(row["keeper"], [])),
                      f"`{id}`: its keeper `{row['keeper']}` does not stay in its cluster")
            if row["kept"]:
                self.note("keepers stand for themselves", row["keeper"] == id,
                          f"`{id}` is kept and has the keeper `{row['keeper']}`")
            else:
                self.check_removal(row)

    def check_removal(self, row):
        """The promise: a verified look-alike of what goes is kept."""
        what = "removed documents resemble their keepers"
        judged = [self.judge(a, b) for _, a in self.named.get(row["id"], [])
                  for _, b in self.named.get(row["keeper"], [])]
        if not judged:
            return  # Told already.
        best = max(judged, key=lambda scores: scores["resemblance"])
        detail = (f"`{row['id']}` and its keeper `{row['keeper']}`: resemblance "
                  f"{best['resemblance']:.6f}, threshold {self.threshold}")
        self.note(what, best["resemblance"] >= self.threshold, detail, best["doubtful"])
        if row["kind"] == "exact":
            self.note("exact copies have the same tokens", best["same"],
                      f"`{row['id']}` and `{row['keeper']}`", best["doubtful"])
        self.note_score("resemblance", row, best, f"`{row['id']}` in clusters.parquet")

    def note_score(self, name, row, scores, where):
        value = row[name]
        right = value is not None and abs(value - scores[name]) < 1e-9
        self.note("scores are right", right, f"{where}: {name} {value}, computed {scores[name]}",
                  scores["doubtful"])

    def check_pairs(self):
        for pair in self.pairs:
            sides = [self.named.get(pair[side], []) for side in "ab"]
            name = f"`{pair['a']}` and `{pair['b']}`"
            self.note("ids of pairs.parquet are documents", all(sides), name)
            if not all(sides):
                continue
            judged = [(self.judge(a, b), first < second) for first, a in sides[0]
                      for second, b in sides[1] if first != second]
            best, ordered = max(judged, key=lambda scores: (scores[0]["resemblance"], scores[1]),
                                default=({"resemblance": 0, "doubtful": False}, False))
            self.note("pairs are in the order of the input", ordered, name)
            self.note("pairs are at or above the threshold",
                      best["resemblance"] >= self.threshold,
                      f"{name}: {best['resemblance']:.6f}", best["doubtful"])
            if not judged:
                continue
            for score in ["resemblance", "containment_a", "containment_b"]:
                self.note_score(score, pair, best, f"{name} in pairs.parquet")
            self.note("kinds of pairs are right", (pair["kind"] == "exact") == best["same"],
                      f"{name}: kind {pair['kind']}", best["doubtful"])

    def check_removed(self):
        """Each removal has its evidence among the pairs."""
        linked = {(pair["a"], pair["b"]) for pair in self.pairs}
        linked |= {(b, a) for a, b in linked}
        first = {pair["b"]: pair["a"] for pair in self.pairs if pair["kind"] == "exact"}
        for row in self.clusters:
            if row["kept"]:
                continue
            id, keeper = row["id"], row["keeper"]
            # The keep policy may prefer a later copy: then the keeper is a copy of the first.
            chain = {first.get(id, id), id}, {first.get(keeper, keeper), keeper}
            right = (id, keeper) in linked or any(
                a == b or (a, b) in linked for a in chain[0] for b in chain[1])
            self.note("removed documents have their pair", right,
                      f"`{id}`: no pair with `{keeper}` or through the first of its copies")

    def check_copies(self):
        for places in self.places_of_tokens.values():
            if len(places) > 1:
                stay = sum(place in self.kept_places for place in places)
                self.note("of copies at most one stays", stay <= 1,
                          f"documents {[place + 1 for place in places[:4]]} of the input have the "
                          f"same tokens, and {stay} of them stay")

    def check_report(self):
        kinds = Counter(row["kind"] for row in self.clusters)
        counted = {"documents": self.documents, "empty": self.empty, "skipped": self.bad,
                   "exact_removed": kinds["exact"], "near_removed": kinds["near"],
                   "kept": self.kept, "clusters": len(self.keepers), "pairs": len(self.pairs)}
        for name, count in counted.items():
            self.note("counts of report.json are right", self.report.get(name) == count,
                      f"{name}: {self.report.get(name)}, counted {count}")
        report = Counter({name: value for name, value in self.report.items()
                          if isinstance(value, int)})
        self.note("counts of report.json are right",
                  report["kept"] + report["exact_removed"] + report["near_removed"]
                  == report["documents"], "kept and removed are not all documents")
        for name in ["candidates", "bytes_read", "seconds", "peak_memory_bytes", "recipe_digest"]:
            self.note("report.json is complete", name in self.report, f"{name} is missing")

    def shingles_of(self, text):
        words = tokens(text)
        return words, shingles(words, self.width)

    def judge(self, a, b):
        (words_a, a_set), (words_b, b_set) = self.sets(a), self.sets(b)
        shared = len(a_set & b_set)
        share = lambda whole: shared / whole if whole else 0.0
        return {"resemblance": share(len(a_set | b_set)), "containment_a": share(len(a_set)),
                "containment_b": share(len(b_set)), "same": words_a == words_b and bool(words_a),
                "doubtful": is_doubtful(a) or is_doubtful(b)}

    def print(self):
        print(f"{self.documents} documents, {self.kept} kept, {len(self.clusters)} in "
              f"{len(self.keepers)} clusters, {len(self.pairs)} pairs, threshold {self.threshold}")
        for what in sorted(set(self.passed) | set(self.doubtful) | set(self.violations)):
            wrong, doubtful = self.violations.get(what, []), self.doubtful[what]
            outcome = f"{self.passed[what]} right"
            outcome += f", {doubtful} doubtful" if doubtful else ""
            outcome += f", {len(wrong)} WRONG" if wrong else ""
            print(f"  {what}: {outcome}")
            for detail in wrong[: self.SHOWN]:
                print(f"    {detail}")
            if len(wrong) > self.SHOWN:
                print(f"    and {len(wrong) - self.SHOWN} more")
        print("FAILED" if self.violations else "passed")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("inputs", nargs="*", metavar="INPUT", help="as they were given to dedup, "
                        "from the same folder: files and folders")
    parser.add_argument("--run", metavar="DIR", help="what --out was")
    parser.add_argument("--text-field", default="text")
    parser.add_argument("--id-field", default="id")
    parser.add_argument("--self-test", action="store_true")
    arguments = parser.parse_args()
    if arguments.self_test:
        import check_run_self_test

        sys.exit(check_run_self_test.run())
    if not arguments.inputs or not arguments.run:
        parser.error("name the inputs and the run, or --self-test")
    fields = {"text": arguments.text_field, "id": arguments.id_field}
    check = Check(arguments.inputs, arguments.run, fields)
    try:
        right = check.check()
    except Unusable as error:
        print(f"check_run: {error}", file=sys.stderr)
        sys.exit(2)
    check.print()
    sys.exit(0 if right else 1)


if __name__ == "__main__":
    main()
