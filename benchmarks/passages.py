#!/usr/bin/env python3
"""What cutting passages costs: `passages --no-write` beside `dedup --no-write`, in turns.

    python3 benchmarks/passages.py BINARY CORPUS.jsonl.zst [--times 10] [--memory 512MiB]

The corpus as it is, and one that is `--times` as large (letters exchanged, as in `end_to_end.py`); as much of one
repeated line, and as much without any repeat. What counts is the time of the processor, in the programs and in the
system for them, since the clock also counts what others do with the machine; all figures are medians of rounds. Disk
is the most that was in the folders of working files and of results. Fails if a run cuts other words than the ones before it, or
too few: those of the large corpus are about those of its copies, of the repeated line one is left, and nothing of
what has no repeats.
"""

import argparse
import hashlib
import itertools
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from end_to_end import id_in_copy, in_other_letters, lines

JOBS = {"dedup": ["dedup"], "passages": ["passages"], "both": ["dedup", "--passages"]}
# Letters, and a space for every seventh, a line for every 64th.
LETTERS = bytes(10 if n % 64 == 9 else 32 if n % 7 == 0 else 97 + n % 26 for n in range(256))
LINE = " ".join(f"word{n}" for n in range(60)) + "\n"


def main():
    arguments = parse_arguments()
    jobs = arguments.jobs
    with tempfile.TemporaryDirectory(prefix="lookalike-passages-", dir=arguments.work) as folder:
        folder = Path(folder)
        print(f"{'corpus':10} {'MB':>7} {'words cut':>11} |" + "".join(f" {job + ' s':>10}" for job in jobs)
              + " |" + "".join(f" {job + ' /':>10}" for job in jobs[1:])
              + f" | {'us/kB':>6} {'disk/text':>9} {'peak MiB':>8}", flush=True)
        costs, cuts = {}, {}
        for name, write in corpora(arguments):
            path = folder / "documents.jsonl"
            with open(path, "wb") as file:
                size = sum(write(file))
            found = measure(arguments, path, folder)
            middle = {job: statistics.median(run.seconds for run in runs) for job, runs in found.items()}
            ratios = [statistics.median(a.seconds / b.seconds for a, b in zip(found[job], found["dedup"]))
                      for job in jobs[1:]]
            costs[name] = middle["passages"] / size * 1e9
            cuts[name] = found["passages"][0].cut, found["passages"][0].words
            disk = max(run.disk for run in found["passages"]) / size
            peak = max(run.peak for run in found["passages"])
            print(f"{name:10} {size / 1e6:7.0f} {cuts[name][0]:11} |"
                  + "".join(f" {middle[job]:10.2f}" for job in jobs) + " |"
                  + "".join(f" {ratio:10.2f}" for ratio in ratios)
                  + f" | {costs[name]:6.1f} {disk:9.3f} {peak / 2**20:8.0f}", flush=True)
        print()
        for name, cost in costs.items():
            print(f"A kB of {name} costs {cost / costs['as it is']:.2f} times one of the corpus as it is")
        check(cuts, arguments.times)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("binary", type=lambda path: Path(path).resolve(strict=True))
    parser.add_argument("corpus", help="JSONL, packed with zstd")
    parser.add_argument("--times", type=int, default=10, help="how large the large corpora are")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", default="2")
    parser.add_argument("--memory", default="512MiB")
    parser.add_argument("--only", nargs="*", help="the corpus and, of the others, those of these names")
    parser.add_argument("--jobs", nargs="*", choices=JOBS, default=list(JOBS), help="dedup and passages at least")
    parser.add_argument("--work", metavar="DIR", help="where to put corpora and outputs")
    return parser.parse_args()


def corpora(arguments):
    """Names of corpora, and what writes each and gives bytes of texts."""
    large = arguments.times
    all_of_them = {
        "as it is": lambda file: copies(arguments.corpus, 1, file),
        f"times {large}": lambda file: copies(arguments.corpus, large, file),
        "one line": lambda file: repeated(large * 16_000, file),
        "no repeats": lambda file: random_texts(large * 16_000, file),
    }
    wanted = all_of_them if arguments.only is None else arguments.only
    return [(name, write) for name, write in all_of_them.items() if name in wanted or name == "as it is"]


def put(file, id, text):
    file.write(json.dumps({"id": id, "text": text}, ensure_ascii=False).encode() + b"\n")
    return len(text.encode())


def copies(corpus, times, file):
    for copy in range(times):
        for line in lines(corpus):
            record = json.loads(line)
            yield put(file, id_in_copy(record["id"], copy), in_other_letters(record, copy)["text"])


def repeated(count, file):
    """About 7 kB each."""
    for number in range(count):
        yield put(file, str(number), LINE * 17)


def random_texts(count, file):
    numbers = random.Random(7)
    for number in range(count):
        yield put(file, str(number), numbers.randbytes(7000).translate(LETTERS).decode())


class Run:
    """One run of a job, and what it took."""

    def __init__(self, arguments, job, path, folder):
        out, temp = folder / "out", folder / "temp"
        for old in (out, temp):
            shutil.rmtree(old, ignore_errors=True)
        temp.mkdir()
        command = [arguments.binary, *JOBS[job], path, "--no-write", "--out", out, "--temp", temp,
                   "--threads", arguments.threads, "--memory", arguments.memory]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.disk, ended = 0, threading.Event()
        watcher = threading.Thread(target=self.watch, args=((temp, out), ended))
        watcher.start()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        ended.set()
        watcher.join()
        if process.returncode:
            sys.exit(f"{' '.join(map(str, command))} ended with {process.returncode}")
        self.seconds, self.peak = usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024
        passages = json.loads((out / "report.json").read_text()).get("passages", {})
        self.cut, self.words = passages.get("words_cut", 0), passages.get("words", 0)
        table = out / "passages.parquet"
        self.digest = hashlib.sha256(table.read_bytes()).hexdigest() if table.exists() else None

    def watch(self, folders, ended):
        """Looks at what is in the folders until the job has ended."""
        while not ended.is_set():
            used = 0
            for root, _, files in itertools.chain.from_iterable(map(os.walk, folders)):
                for file in files:
                    try:
                        used += os.stat(os.path.join(root, file)).st_size
                    except FileNotFoundError:
                        pass
            self.disk = max(self.disk, used)
            time.sleep(0.02)


def measure(arguments, path, folder):
    """Runs of each job, in turns."""
    found = {job: [] for job in arguments.jobs}
    for number in range(arguments.rounds):
        for job in arguments.jobs[:: 1 if number % 2 else -1]:
            found[job].append(Run(arguments, job, path, folder))
            if found[job][0].digest != found[job][-1].digest:
                sys.exit(f"{job} gave two results")
    return found


def check(cuts, times):
    """Whether what was cut can be right."""
    cut, _ = cuts["as it is"]
    large, _ = cuts.get(f"times {times}", (cut * times, 0))
    # Numbers are the same in all copies, so that tables of them repeat from one to the next.
    if not 0.98 * cut * times <= large <= 1.05 * cut * times:
        sys.exit(f"{large} words of the large corpus are cut, but {cut} of one of its {times} copies")
    if "one line" in cuts and cuts["one line"][1] - cuts["one line"][0] != 60:
        sys.exit("other than one line is left of it")
    if "no repeats" in cuts and cuts["no repeats"][0]:
        sys.exit("something is cut that has no repeats")


if __name__ == "__main__":
    main()
