"""What the scripts for the other libraries have in common: reading, shingling, verifying and
writing. All of it is vectorised or done in one regular expression, so that the libraries are
measured and not the glue.

The job: of a JSONL corpus keep each document that has no look-alike (exact resemblance of the
5-word shingle sets at least 0.8) among those kept before it. Candidates come from 13 bands of
7 minvalues, 91 permutations, as in Lookalike's recipe `text`.
"""

import argparse
import gzip
import io
import json
import re
import time
import unicodedata
from pathlib import Path

import numpy as np
import zstandard

WIDTH = 5
BANDS, ROWS = 13, 7
PERMUTATIONS = BANDS * ROWS
THRESHOLD = 0.8
# Documents a call of the bulk APIs gets.
CHUNK = 1000

# Han, kana, Thai, Lao, Burmese and Khmer: a character is a token, as in Lookalike.
SOLO = (
    "\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\U00020000-\U000323af"
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ece\u1000-\u103f\u1780-\u17d3"
)
# Words first: most tokens are.
TOKEN = re.compile(rf"[^\W_{SOLO}]+|[{SOLO}]")


def read_lines(path):
    """The lines of a JSONL file, plain or compressed, as bytes."""
    with open(path, "rb") as file:
        if path.endswith(".zst"):
            file = io.BufferedReader(zstandard.ZstdDecompressor().stream_reader(file), 1 << 20)
        elif path.endswith(".gz"):
            file = gzip.open(file)
        for line in file:
            if line.strip():
                yield line


def open_output(path):
    file = open(path, "wb")
    if path.endswith(".zst"):
        return zstandard.ZstdCompressor(level=3).stream_writer(file, closefd=True)
    return gzip.open(file, "wb") if path.endswith(".gz") else file


class Shingler:
    """Shingle sets as sorted arrays of 64-bit hashes."""

    # Odd multipliers for the positions in a shingle.
    MULTIPLIERS = np.array(
        [0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0xD6E8FEB86659FD93,
         0xA0761D6478BD642F], dtype=np.uint64)

    def tokens(self, text):
        if not text.isascii():
            text = unicodedata.normalize("NFKC", text)
        return TOKEN.findall(text.casefold())

    def shingles(self, text):
        words = self.tokens(text)
        # Python's own hash of a string: kept with the string, and good enough after mixing.
        values = np.fromiter(map(hash, words), dtype=np.int64, count=len(words))
        values = mixed(values.astype(np.uint64))
        if 0 < len(values) < WIDTH:
            values = np.concatenate([values, np.zeros(WIDTH - len(values), dtype=np.uint64)])
        count = len(values) - WIDTH + 1
        if count < 1:
            return np.empty(0, dtype=np.uint64)
        sums = np.zeros(count, dtype=np.uint64)
        for at, multiplier in enumerate(self.MULTIPLIERS):
            sums += values[at : at + count] * multiplier
        return np.unique(mixed(sums))


def mixed(values):
    """SplitMix64's finaliser."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


def resemblance(a, b):
    """Of two sorted sets."""
    if not len(a) or not len(b):
        return 0.0
    if min(len(a), len(b)) < THRESHOLD * max(len(a), len(b)):
        return 0.0  # Cannot reach the threshold, and nobody asks how far below it is.
    places = np.searchsorted(a, b)
    places[places == len(a)] = 0
    shared = int(np.count_nonzero(a[places] == b))
    return shared / (len(a) + len(b) - shared)


def parse_arguments(description, variants):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("input", help="JSONL, plain, .gz or .zst")
    parser.add_argument("--out", required=True, help="folder for the survivors and result.json")
    parser.add_argument("--variant", choices=variants, default=variants[0])
    parser.add_argument("--pairs", choices=["needed", "all"], default="needed",
                        help="all: candidates among all documents, not only those kept")
    parser.add_argument("--text-field", default="text")
    return parser.parse_args()


def run(arguments, library):
    """Runs the job. `library` has `sign(chunk of shingle sets) -> signatures`,
    `query(signature) -> row numbers` and `insert(row number, signature)`."""
    started = time.perf_counter()
    out = Path(arguments.out)
    out.mkdir(parents=True, exist_ok=True)
    verifies, all_pairs = arguments.variant == "verified", arguments.pairs == "all"
    shingler, sets, kept = Shingler(), [], []
    removed, pairs, candidates = [], [], 0
    seconds = {"read and shingle": 0.0, "sign": 0.0, "match": 0.0, "verify": 0.0, "write": 0.0}
    lines = read_lines(arguments.input)
    name = Path(arguments.input).name
    survivors = open_output(str(out / name))
    row = 0
    while True:
        clock = Clock(seconds)
        chunk = []
        for line in lines:
            chunk.append((line, shingler.shingles(json.loads(line)[arguments.text_field])))
            if len(chunk) == CHUNK:
                break
        clock.lap("read and shingle")
        if not chunk:
            break
        signatures = library.sign([shingles for _, shingles in chunk])
        clock.lap("sign")
        for (line, shingles), signature in zip(chunk, signatures):
            keeper = None
            if len(shingles):
                found = library.query(signature)
                candidates += len(found)
                clock.lap("match")
                for other in sorted(found):
                    if verifies and resemblance(shingles, sets[other]) < THRESHOLD:
                        continue
                    pairs.append((other, row))
                    if keeper is None and kept[other]:
                        keeper = other
                        if not all_pairs:
                            break
                clock.lap("verify")
            stays = keeper is None
            if len(shingles) and (stays or all_pairs):
                library.insert(row, signature)
            clock.lap("match")
            if stays:
                survivors.write(line)
                clock.lap("write")
            else:
                removed.append((row, keeper))
            kept.append(stays)
            sets.append(shingles if verifies and (stays or all_pairs) else None)
            row += 1
    survivors.close()
    result = {"documents": row, "removed": removed, "pairs": pairs, "candidates": candidates,
              "seconds": {**seconds, "total": time.perf_counter() - started}}
    (out / "result.json").write_text(json.dumps(result))


class Clock:
    """Adds the time since the last lap to a stage."""

    def __init__(self, seconds):
        self.seconds, self.last = seconds, time.perf_counter()

    def lap(self, stage):
        now = time.perf_counter()
        self.seconds[stage] += now - self.last
        self.last = now
