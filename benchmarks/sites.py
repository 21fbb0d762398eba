#!/usr/bin/env python3
"""What learning templates costs: `dedup --recipe sites` against `--recipe text`.

    benchmarks/sites.py BINARY DOCUMENTS...

For each file of documents with URLs, both recipes run in turn, on one thread; the
least processor time of each is taken, which other work on the machine disturbs
least. Also checks that the results are the same every time.
"""

import hashlib
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

RUNS = 3


def run(binary, documents, recipe, out):
    """Processor seconds of a run, and the digest of its clusters."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [binary, "dedup", documents, "--recipe", recipe, "--threads", "1", "--no-write", "--out", out]
    subprocess.run(command, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return seconds, hashlib.sha256(Path(out, "clusters.parquet").read_bytes()).hexdigest()


def main():
    binary, *files = sys.argv[1:]
    print("| documents | text, s | sites, s | ratio |\n| --- | --- | --- | --- |")
    for documents in files:
        best, digests = {}, {}
        with tempfile.TemporaryDirectory() as folder:
            for number in range(RUNS):
                for recipe in ("text", "sites"):
                    out = os.path.join(folder, f"{recipe}-{number}")
                    seconds, digest = run(binary, documents, recipe, out)
                    best[recipe] = min(seconds, best.get(recipe, seconds))
                    if digests.setdefault(recipe, digest) != digest:
                        sys.exit(f"{documents}: {recipe} gave two results")
        text, sites = best["text"], best["sites"]
        print(f"| {Path(documents).name} | {text:.2f} | {sites:.2f} | {sites / text:.2f} |", flush=True)


if __name__ == "__main__":
    main()
