#!/usr/bin/env python3
"""`lookalike dedup --known`: few new documents beside many known ones.

    python3 benchmarks/known.py PROGRAM [--known 1000000] [--new 10000]

Generated documents of about 200 words. The known ones are a run of their own. Of the new ones a quarter are copies
of known ones, a quarter have two words edited, half are new. Told are seconds of processors, of the program and of the system
on its behalf, the time of each stage, and the most memory: of signing the new ones, of a job on them alone, and of one
that knows the run. As many must go as were planted, give or take what the filter misses.
"""

import argparse
import json
import random
import sys
import tempfile
import time
from pathlib import Path

from side_by_side import existing, processor_seconds

WORDS = 200
# Edited documents at a resemblance near 0.9, of which the filter finds nearly all.
LEAST_FOUND = 0.97


def words(draw):
    return [f"w{draw.getrandbits(16)}" for _ in range(WORDS)]


def write(path, texts):
    with path.open("w") as out:
        for number, text in texts:
            out.write(json.dumps({"id": f"{path.stem}-{number}", "text": " ".join(text)}) + "\n")


def known_text(number):
    return words(random.Random(number))


def new_text(number, known):
    draw = random.Random(f"new {number}")
    if number % 4 >= 2:
        return words(draw)
    text = known_text(draw.randrange(known))
    for at in (50, 150) if number % 4 else ():
        text[at] = "edited"
    return text


def measured(what, command, out=None):
    began = time.monotonic()
    seconds = processor_seconds(command)
    line = f"{what:34} {seconds:8.2f} {time.monotonic() - began:8.2f}"
    if out is None:
        print(line, flush=True)
        return None
    report = json.loads((out / "report.json").read_text())
    stages = ", ".join(f"{stage} {spent:.2f}" for stage, spent in report["seconds"].items() if spent >= 0.005)
    print(f"{line} {report['peak_memory_bytes'] / 2**20:8.0f}  {stages}", flush=True)
    return report


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=existing)
    parser.add_argument("--known", type=int, default=1_000_000)
    parser.add_argument("--new", type=int, default=10_000)
    parser.add_argument("--memory", default="512MiB")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        old, new = folder / "old.jsonl", folder / "new.jsonl"
        write(old, ((number, known_text(number)) for number in range(options.known)))
        write(new, ((number, new_text(number, options.known)) for number in range(options.new)))
        dedup = [options.program, "dedup", "--memory", options.memory]
        print(f"{'':34} {'seconds':>8} {'clock':>8} {'MiB':>8}  stages")
        run, alone, both = folder / "run", folder / "alone", folder / "both"
        measured(f"the run of {options.known:,}", [*dedup, old, "--out", run, "--no-write"], run)
        measured(f"signing {options.new:,}", [options.program, "sketch", new, "-o", folder / "new.signatures"])
        measured(f"dedup of {options.new:,}", [*dedup, new, "--out", alone], alone)
        report = measured("the same with --known", [*dedup, new, "--out", both, "--known", run], both)
        planted = len([number for number in range(options.new) if number % 4 < 2])
        found = report["known"]["removed"]
        print(f"{found:,} of {planted:,} planted look-alikes went")
        if not LEAST_FOUND * planted <= found <= planted:
            sys.exit("other than was planted")


if __name__ == "__main__":
    main()
