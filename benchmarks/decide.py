#!/usr/bin/env python3
"""`lookalike decide` from a default run, from one with all pairs, and approximately.

    python3 benchmarks/decide.py PROGRAM CORPUS... [--threshold 0.9]

A run at 0.8, decided again at the threshold: documents that go, and seconds of processors, of the program and of
the system on its behalf. All but the approximate decision must remove the same documents.
"""

import argparse
import json
import sys
import tempfile
from pathlib import Path

from side_by_side import existing, processor_seconds


def removed(out):
    report = json.loads((out / "report.json").read_text())
    return report["exact_removed"] + report["near_removed"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=existing)
    parser.add_argument("corpora", type=existing, nargs="+", metavar="CORPUS")
    parser.add_argument("--threshold", default="0.9")
    options = parser.parse_args()
    for corpus in options.corpora:
        print(f"{corpus.name.split('.')[0]:38} {'go':>8} {'seconds':>8} {'pairs.parquet':>14}")
        with tempfile.TemporaryDirectory() as scratch:
            exact = set()
            for pairs, ways in [("needed", [[], ["--approximate"]]), ("all", [[]])]:
                run = Path(scratch, pairs)
                seconds = processor_seconds([options.program, "dedup", corpus, "--out", run, "--pairs", pairs, "--no-write"])
                size = (run / "pairs.parquet").stat().st_size
                print(f"dedup --pairs {pairs:24} {removed(run):8,} {seconds:8.2f} {size:12,} B")
                for way in ways:
                    out = Path(scratch, f"{pairs}-{len(way)}")
                    command = [options.program, "decide", run, "--out", out, "--threshold", options.threshold, "--no-write"]
                    seconds = processor_seconds(command + way)
                    print(f"  {' '.join(['decide', *way]):36} {removed(out):8,} {seconds:8.2f}", flush=True)
                    if not way:
                        exact.add(removed(out))
            if len(exact) != 1:
                sys.exit(f"{corpus}: decisions differ: {exact}")


if __name__ == "__main__":
    main()
