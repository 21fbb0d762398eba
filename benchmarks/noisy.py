#!/usr/bin/env python3
"""What the recipe `noisy` costs beside `text`, and how that grows with the corpus.

    python3 benchmarks/noisy.py PROGRAM CORPUS.jsonl[.zst] [--parts 4,2,1] [--recipes text,noisy]

A `dedup` of every fourth document, of every second one and of all, by each recipe: seconds of processors, of the
program and of the system on its behalf; the most memory; the most disk at once, looked at ten times a second,
without the inputs and what stays (`--no-write`); and candidates for each document. The latter grow with the corpus
where unrelated documents meet by chance. Needs the tool `zstd` for packed corpora, and no packages.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from end_to_end import lines


def bytes_below(folder):
    """Of all files that are there at this moment; a job removes some while it is looked at."""
    total = 0
    for at, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.stat(os.path.join(at, name)).st_blocks * 512
            except FileNotFoundError:
                pass
    return total


def measured(command, folder):
    """Seconds of processors, most memory and most disk of a job that works in this folder."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    disk = 0
    while True:
        ended, status, usage = os.wait4(process.pid, os.WNOHANG)
        if ended:
            break
        disk = max(disk, bytes_below(folder))
        time.sleep(0.1)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{' '.join(map(str, command))} ended with {process.returncode}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, disk


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=lambda path: Path(path).resolve(strict=True))
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--parts", default="4,2,1", help="one document in so many")
    parser.add_argument("--recipes", default="text,noisy")
    parser.add_argument("--memory", default="512MiB")
    options = parser.parse_args()
    print(f"{'recipe':8} {'documents':>9} {'text MB':>8} {'seconds':>8} {'MB/s':>7} {'peak MiB':>9} {'disk MB':>8} "
          f"{'bytes a document':>17} {'candidates':>11} {'a document':>11} {'go':>7} {'limited':>8}")
    with tempfile.TemporaryDirectory() as scratch:
        part, run = Path(scratch, "part.jsonl"), Path(scratch, "run")
        for step in map(int, options.parts.split(",")):
            with part.open("wb") as file:
                file.writelines(line for number, line in enumerate(lines(options.corpus)) if number % step == 0)
            for recipe in options.recipes.split(","):
                command = [options.program, "dedup", part, "--recipe", recipe, "--out", run,
                           "--memory", options.memory, "--no-write", "--force"]
                seconds, peak, disk = measured(command, run)
                report = json.loads((run / "report.json").read_text())
                documents, size = report["documents"], report["text_bytes"]
                go = report["exact_removed"] + report["near_removed"]
                limited = report.get("limited", {}).get("groups", 0)
                print(f"{Path(recipe).stem:8} {documents:9,} {size / 1e6:8.1f} {seconds:8.2f} {size / 1e6 / seconds:7.1f} "
                      f"{peak / 2**20:9.0f} {disk / 1e6:8.1f} {disk / documents:17,.0f} {report['candidates']:11,} "
                      f"{report['candidates'] / documents:11.2f} {go:7,} {limited:8,}", flush=True)


if __name__ == "__main__":
    main()
