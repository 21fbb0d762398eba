"""The job with rensa: R-MinHash in bulk, RMinHashLSH with our bands.

Variants: `verified` by exact resemblance; `candidates`, which takes every candidate for a
look-alike; `deduplicator`, rensa's own RMinHashDeduplicator, which checks candidates by the
estimate of their sketches and tells only whether a document stays.
"""

import itertools
import json
import time
from pathlib import Path

import job
from rensa import RMinHash, RMinHashDeduplicator, RMinHashLSH

SEED = 42


class Rensa:
    def __init__(self):
        self.index = RMinHashLSH(job.THRESHOLD, job.PERMUTATIONS, job.BANDS)

    def sign(self, sets):
        # The bulk call that gives sketches to query with takes bytes, not numbers.
        return RMinHash.from_token_sets(map(byte_strings, sets), job.PERMUTATIONS, SEED)

    def query(self, signature):
        return self.index.query(signature)

    def insert(self, row, signature):
        self.index.insert(row, signature)


def byte_strings(shingles):
    data = shingles.tobytes()
    return [data[at : at + 8] for at in range(0, len(data), 8)]


def deduplicate(arguments):
    """The job as rensa does it alone."""
    started = time.perf_counter()
    out = Path(arguments.out)
    out.mkdir(parents=True, exist_ok=True)
    shingler = job.Shingler()
    keeper = RMinHashDeduplicator(job.THRESHOLD, job.PERMUTATIONS, True, job.BANDS, SEED)
    survivors = job.open_output(str(out / Path(arguments.input).name))
    removed, row, lines = [], 0, job.read_lines(arguments.input)
    while chunk := list(itertools.islice(lines, job.CHUNK)):
        sets = [shingler.shingles(json.loads(line)[arguments.text_field]) for line in chunk]
        # Documents without words resemble nothing.
        asked = [at for at, shingles in enumerate(sets) if len(shingles)]
        stays = [True] * len(chunk)
        sketches = RMinHash.from_token_sets(
            (byte_strings(sets[at]) for at in asked), job.PERMUTATIONS, SEED)
        answers = keeper.add_pairs([(str(row + at), s) for at, s in zip(asked, sketches)])
        for at, answer in zip(asked, answers):
            stays[at] = answer
        for line, stay in zip(chunk, stays):
            if stay:
                survivors.write(line)
            else:
                removed.append((row, None))
            row += 1
    survivors.close()
    result = {"documents": row, "removed": removed, "pairs": None, "candidates": None,
              "seconds": {"total": time.perf_counter() - started}}
    (out / "result.json").write_text(json.dumps(result))


if __name__ == "__main__":
    arguments = job.parse_arguments(
        __doc__.splitlines()[0], ["verified", "candidates", "deduplicator"])
    if arguments.variant == "deduplicator":
        deduplicate(arguments)
    else:
        job.run(arguments, Rensa())
