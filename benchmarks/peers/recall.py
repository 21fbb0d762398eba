#!/usr/bin/env python3
"""Compares a run of `lookalike dedup INPUT --pairs all --out DIR` with a file of all pairs.

    recall.py INPUT --run DIR --truth resemblance.jsonl.zst

For each range of resemblance: how many pairs there are, how many of them are in pairs.parquet,
and how many the filter's curve promises. The truth may cut words otherwise than we do: a pair
counts under the resemblance by our rule, computed here from the documents, and the share found
of all that the truth has is told beside it. Exit code 1 if the recall over all is under the
recipe's, if a range falls short of the curve by more than 3 %, or if a pair that was found is
under the threshold.
"""

import argparse
import json
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

import check_run
import job


def main():
    arguments = parse_arguments()
    run = Path(arguments.run)
    report = json.loads((run / "report.json").read_text())
    curve = np.array(report["filter_curve"]).T
    documents = (json.loads(line) for line in job.read_lines(arguments.input))
    sets = {document["id"]: shingles(document["text"]) for document in documents}

    found, copies = read_pairs(run / "pairs.parquet")
    under = [pair for pair in found if job.resemblance(*(sets[id] for id in pair)) < job.THRESHOLD]
    ranges = defaultdict(lambda: [0, 0, 0.0])
    in_truth = found_of_truth = 0
    for line in job.read_lines(arguments.truth):
        pair = json.loads(line)
        is_found = tuple(sorted((pair["a"], pair["b"]))) in found or copies.same(pair["a"], pair["b"])
        if pair[arguments.field] >= job.THRESHOLD:
            in_truth += 1
            found_of_truth += is_found
        ours = job.resemblance(sets[pair["a"]], sets[pair["b"]])
        if ours >= job.THRESHOLD:
            row = ranges[min(int(ours * 50 + 1e-9), 49)]
            row[0] += 1
            row[1] += is_found
            row[2] += np.interp(ours, *curve)

    print(f"{'resemblance':>14} {'pairs':>8} {'found':>8} {'promised':>9}")
    short = []
    for start, (pairs, hits, promised) in sorted(ranges.items()):
        print(f"  {start / 50:.2f} to {(start + 1) / 50:.2f} {pairs:8} {hits / pairs:8.4f} "
              f"{promised / pairs:9.4f}")
        if hits < promised - 0.03 * pairs:
            short.append(start / 50)
    pairs, hits = (sum(row[n] for row in ranges.values()) for n in (0, 1))
    print(f"\nat {job.THRESHOLD} or more by our words: {hits} of {pairs} found, {hits / pairs:.4f}")
    print(f"at {job.THRESHOLD} or more in the file:  {found_of_truth} of {in_truth} found, "
          f"{found_of_truth / in_truth:.4f}")
    print(f"pairs listed {len(found)}, under the threshold {len(under)}")
    if under or short or min(hits / pairs, found_of_truth / in_truth) < arguments.recall:
        sys.exit(f"falls short: ranges {short}, {len(under)} pairs under the threshold")


def shingles(text):
    """A sorted array of hashes, of tokens by our rule."""
    return np.unique(np.fromiter(map(hash, check_run.shingles(check_run.tokens(text), job.WIDTH)),
                                 dtype=np.int64))


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("input")
    parser.add_argument("--run", required=True, metavar="DIR")
    parser.add_argument("--truth", required=True, metavar="FILE")
    parser.add_argument("--field", default="jaccard_w5", help="of the truth, with the resemblance")
    parser.add_argument("--recall", type=float, default=0.95)
    return parser.parse_args()


def read_pairs(path):
    """The pairs by ids, and the identity sets that the exact ones make."""
    table = pq.read_table(path, columns=["a", "b", "kind"]).to_pydict()
    found, copies = set(), IdentitySets()
    for a, b, kind in zip(table["a"], table["b"], table["kind"]):
        found.add(tuple(sorted((a, b))))
        if kind == "exact":
            copies.join(a, b)
    return found, copies


class IdentitySets:
    def __init__(self):
        self.parent = {}

    def first(self, id):
        while self.parent.get(id, id) != id:
            id = self.parent[id]
        return id

    def join(self, a, b):
        self.parent[self.first(b)] = self.first(a)

    def same(self, a, b):
        return self.first(a) == self.first(b)


if __name__ == "__main__":
    main()
