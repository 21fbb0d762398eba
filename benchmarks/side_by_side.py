#!/usr/bin/env python3
"""Two builds of `lookalike` on the same corpora, in turns: by how much is one slower?

    python3 benchmarks/side_by_side.py OLD NEW CORPUS... [--rounds 9]

Each round runs both, in the other order each time, on one thread: `sketch` for signing, `dedup` for a
whole job. What counts is the time of the processor, of the program and of the system on its behalf,
since the clock also counts what others do with the machine. The ratio of the fastest rounds is the
cost of the code; the median of the rounds' ratios says how far to trust it.
"""

import argparse
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path


def processor_seconds(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in (0, 3):  # 3: some records could not be read
        sys.exit(f"{' '.join(map(str, command))}\n{done.stderr}")
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def job(program, what, corpus, folder):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    results = {"sketch": ["-o", folder / "signatures"], "dedup": ["--out", folder / "out", "--threads", "1"]}
    return [program, what, corpus, *results[what]]


def existing(path):
    return Path(path).resolve(strict=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("old", type=existing)
    parser.add_argument("new", type=existing)
    parser.add_argument("corpora", type=Path, nargs="+", metavar="CORPUS")
    parser.add_argument("--rounds", type=int, default=9)
    options = parser.parse_args()
    print(f"{'':24} {'old s':>8} {'new s':>8} {'fastest':>8} {'median':>8}")
    with tempfile.TemporaryDirectory() as scratch:
        for corpus in options.corpora:
            for what in ["sketch", "dedup"]:
                old, new = [], []
                for number in range(options.rounds):
                    turns = [(options.old, old), (options.new, new)]
                    for program, taken in turns if number % 2 else turns[::-1]:
                        taken.append(processor_seconds(job(program, what, corpus, Path(scratch, "run"))))
                ratio = statistics.median(b / a for a, b in zip(old, new))
                name = f"{corpus.name.split('.')[0]} {what}"
                print(f"{name:24} {min(old):8.3f} {min(new):8.3f} {min(new) / min(old):8.3f} {ratio:8.3f}", flush=True)


if __name__ == "__main__":
    main()
