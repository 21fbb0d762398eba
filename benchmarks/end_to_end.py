#!/usr/bin/env python3
"""Times whole `dedup` jobs beside `zstd -dc | wc` on the same file, in one run.

    python3 benchmarks/end_to_end.py CORPUS.jsonl.zst --ours target/release/lookalike [--times 10]

The corpus as it is, then the same packed anew, then one that is `--times` as large: copies in
which the letters of each script are exchanged for one another, so that no copy resembles
another, but documents, words and letters are as long and as frequent. Needs the tools `zstd`
and `wc`, and no packages.
"""

import argparse
import functools
import json
import os
import shutil
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

# First and last letter of each alphabet.
ALPHABETS = [(0x61, 0x7A), (0x430, 0x44F), (0x3B1, 0x3C9), (0x5D0, 0x5EA), (0x627, 0x64A),
             (0x905, 0x939), (0x3041, 0x3093), (0x30A1, 0x30F3), (0x4E00, 0x9FA5),
             (0xAC00, 0xD7A3)]


def main():
    arguments = parse_arguments()
    work = Path(tempfile.mkdtemp(prefix="lookalike-end-to-end-", dir=arguments.work))
    try:
        corpora = [("as it is", Path(arguments.corpus), text_bytes(arguments.corpus))]
        for times in [1, arguments.times]:
            path = work / f"{times}.jsonl.zst"
            corpora.append((f"times {times}", path, make(arguments.corpus, times, path)))
        measured = {name: measure(arguments, path, work) for name, path, _ in corpora}
        print(f"{'corpus':10} {'text MB':>8} {'seconds':>8} {'MB/s':>6} {'zstd -dc | wc':>14} "
              f"{'ratio':>6} {'peak MiB':>9} {'kept':>9}")
        for name, _, size in corpora:
            ours, theirs, ratio, peak, kept = measured[name]
            print(f"{name:10} {size / 1e6:8.1f} {ours:8.2f} {size / 1e6 / ours:6.1f} "
                  f"{theirs:14.2f} {ratio:6.2f} {peak:9.0f} {kept:9}")
        (_, _, small), (_, _, large) = corpora[1], corpora[2]
        cost = [measured[name][0] / size for name, _, size in corpora[1:]]
        ratio = [measured[name][2] for name, _, _ in corpora[1:]]
        print(f"\nCost of a MB in {large / 1e6:.0f} MB over that in {small / 1e6:.0f} MB: "
              f"{cost[1] / cost[0]:.2f} by seconds, {ratio[1] / ratio[0]:.2f} by the ratios")
    finally:
        shutil.rmtree(work)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpus", help="JSONL, packed with zstd")
    parser.add_argument("--ours", required=True, metavar="BINARY", help="lookalike")
    parser.add_argument("--times", type=int, default=10, help="how large the large corpus is")
    parser.add_argument("--runs", type=int, default=5, help="of each, one beside the other")
    parser.add_argument("--threads", default="2")
    parser.add_argument("--memory", default="512MiB")
    parser.add_argument("--work", metavar="DIR", help="where to put corpora and outputs")
    return parser.parse_args()


def lines(path):
    if not str(path).endswith(".zst"):
        with open(path, "rb") as file:
            yield from file
        return
    with subprocess.Popen(["zstd", "-qdc", str(path)], stdout=subprocess.PIPE) as unpacked:
        yield from unpacked.stdout


def text_bytes(path):
    return sum(len(json.loads(line)["text"].encode()) for line in lines(path))


def make(corpus, times, path):
    """Writes the corpus so many times, each with letters of its own. Returns the bytes of text."""
    size = 0
    with open(path, "wb") as file:
        packer = subprocess.Popen(["zstd", "-qc", "-3", "-T0"], stdin=subprocess.PIPE, stdout=file)
        for copy in range(times):
            for line in lines(corpus):
                record = in_other_letters(json.loads(line), copy)
                size += len(record["text"].encode())
                packer.stdin.write(json.dumps(record, ensure_ascii=False).encode() + b"\n")
        packer.stdin.close()
        if packer.wait():
            raise SystemExit("zstd failed")
    return size


def in_other_letters(record, copy):
    """A record as it is in this copy; in the first one as it is."""
    if copy == 0:
        return record
    text = record["text"].lower().translate(exchanged(copy))
    return record | {"text": text, "id": id_in_copy(record["id"], copy)}


def id_in_copy(id, copy):
    """What the record with this id is called in a copy."""
    return f"{id}/{copy}" if copy else id


@functools.cache
def exchanged(copy):
    """What each letter becomes in this copy: x goes to p x + q, where p has no divisor in common
    with the size of the alphabet."""
    letters = {}
    for first, last in ALPHABETS:
        size = last - first + 1
        factors = [p for p in range(1, min(size, 200)) if coprime(p, size)]
        factor = factors[copy % len(factors)]
        shift = copy * 7 + 3
        for x in range(size):
            letters[first + x] = first + (x * factor + shift) % size
    return letters


def coprime(a, b):
    while b:
        a, b = b, a % b
    return a == 1


def measure(arguments, path, work):
    """Medians of our seconds, of theirs, and of their ratio run by run; our peak memory."""
    ours, theirs, peak = [], [], 0
    for _ in range(arguments.runs):
        out = work / "out"
        shutil.rmtree(out, ignore_errors=True)
        command = [arguments.ours, "dedup", str(path), "--out", str(out), "--threads",
                   arguments.threads, "--memory", arguments.memory]
        seconds, memory = timed(command)
        ours.append(seconds)
        peak = max(peak, memory)
        theirs.append(timed(["sh", "-c", f"zstd -dc '{path}' | wc > '{work}/counts'"])[0])
    kept = json.loads((out / "report.json").read_text())["kept"]
    shutil.rmtree(out)
    ratio = statistics.median(a / b for a, b in zip(ours, theirs))
    return statistics.median(ours), statistics.median(theirs), ratio, peak / 2**20, kept


def timed(command):
    started = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{command[0]} ended with {process.returncode}")
    return time.perf_counter() - started, usage.ru_maxrss * 1024


if __name__ == "__main__":
    main()
