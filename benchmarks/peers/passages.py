#!/usr/bin/env python3
"""Cuts repeated text out of a JSONL corpus: ours, and a suffix array as the papers have it, in turns.

    pip install pydivsufsort numpy pyarrow zstandard
    python benchmarks/peers/passages.py CORPUS.jsonl.zst --ours target/release/lookalike --limit-mb 40

The tools of the papers are not in the registries: `deduplicate-text-datasets` has to be built from its
repository, and the package `text-dedup` calls that. What is there is the array: `pydivsufsort`, a binding of
libdivsufsort. The job around it is ExactSubstr of Lee et al. (2022): texts one after another, the array,
the common prefix of neighbours in it, and all ranges of `--bytes` or more that stand twice are struck, both
copies, as their README says. Unless told otherwise `--bytes` is what fifty words take in the corpus, so
that both look for about the same. Reading and writing are in Python, and told apart.

Who cut what is judged by the same words, windows of 50 of them, for both: a word that was cut is *lost* if no
window of its text that it is in stands in what was kept.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy

WIDTH = 50
SOLO = r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
WORD = re.compile(rf"[{SOLO}]|[^\W_{SOLO}]+")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpus")
    parser.add_argument("--ours", required=True, metavar="BINARY")
    parser.add_argument("--limit-mb", type=float, default=40)
    parser.add_argument("--bytes", type=int)
    parser.add_argument("--memory", default="512MiB")
    parser.add_argument("--peer", nargs=3, metavar=("INPUT", "OUT", "BYTES"), help=argparse.SUPPRESS)
    if "--peer" in sys.argv:
        at = sys.argv.index("--peer")
        return strike(Path(sys.argv[at + 1]), Path(sys.argv[at + 2]), int(sys.argv[at + 3]))
    arguments = parser.parse_args()
    numpy.seterr(over="ignore")
    with tempfile.TemporaryDirectory(prefix="lookalike-peers-") as folder:
        folder = Path(folder)
        corpus = folder / "documents.jsonl"
        texts = take(arguments.corpus, arguments.limit_mb * 1e6, corpus)
        size = sum(len(text.encode()) for text in texts)
        tokens = [windows(text) for text in texts]
        all_words = sum(len(own[0]) for own in tokens)
        length = arguments.bytes or round(WIDTH * size / all_words)
        print(f"{len(texts)} texts, {size / 1e6:.1f} MB, {all_words} words; ranges of {length} bytes")
        print(f"{'':24} {'seconds':>8} {'cpu s':>7} {'peak MiB':>9} {'disk/text':>9} {'cut':>7} {'lost words':>10}")
        ours = [arguments.ours, "passages", corpus, "--out", folder / "ours", "--memory", arguments.memory, "--quiet"]
        for unit in ("lines", "words"):
            shutil.rmtree(folder / "ours", ignore_errors=True)
            cost = run([*ours, "--cut", unit], folder / "ours")
            kept = {json.loads(line)["id"]: json.loads(line)["text"]
                    for line in open(folder / "ours/kept/documents.jsonl", encoding="utf-8")}
            left = [kept.get(str(number), "") for number in range(len(texts))]
            show(f"lookalike --cut {unit}", cost, size, texts, tokens, left, spans_of(folder / "ours", texts))
        (folder / "peer").mkdir()
        cost = run([sys.executable, __file__, "--peer", corpus, folder / "peer", str(length)], folder / "peer")
        left = [json.loads(line) for line in open(folder / "peer/kept.jsonl", encoding="utf-8")]
        spans = [json.loads(line) for line in open(folder / "peer/spans.jsonl", encoding="utf-8")]
        show("suffix array", cost, size, texts, tokens, left, spans)
        print((folder / "peer/stages.txt").read_text())


def take(path, limit, out):
    """The first texts, also as a file, with numbers for ids."""
    texts, size = [], 0
    with subprocess.Popen(["zstd", "-qdc", path], stdout=subprocess.PIPE) as unpacked, open(out, "w", encoding="utf-8") as file:
        for line in unpacked.stdout:
            text = json.loads(line)["text"]
            size += len(text.encode())
            if size > limit:
                unpacked.kill()
                break
            file.write(json.dumps({"id": str(len(texts)), "text": text}, ensure_ascii=False) + "\n")
            texts.append(text)
    return texts


def run(command, folder):
    """Seconds, those of processors, the peak of memory and of the folder."""
    started = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    most, ended = [0], threading.Event()

    def watch():
        while not ended.wait(0.02):
            used = 0
            for root, _, files in os.walk(folder):
                for name in files:
                    try:
                        # What is written last is the result and no working file.
                        used += 0 if "kept" in os.path.join(root, name) else os.stat(os.path.join(root, name)).st_size
                    except FileNotFoundError:
                        pass
            most[0] = max(most[0], used)

    watcher = threading.Thread(target=watch)
    watcher.start()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    ended.set()
    watcher.join()
    if process.returncode:
        sys.exit(f"{command[0]} ended with {process.returncode}")
    return time.perf_counter() - started, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, most[0]


def show(name, cost, size, texts, tokens, left, spans):
    """A line of the table."""
    cut, lost = judge(texts, tokens, left, spans)
    seconds, processor, peak, disk = cost
    all_words = sum(len(own[0]) for own in tokens)
    print(f"{name:24} {seconds:8.1f} {processor:7.1f} {peak:9.0f} {disk / size:9.3f} {100 * cut / all_words:6.2f}% {lost:10}",
          flush=True)


def windows(text):
    """The places of a text's words in bytes, and a number for each run of 50."""
    found = list(WORD.finditer(text))
    codes = numpy.array([hash(match.group().casefold()) for match in found], numpy.int64).astype(numpy.uint64)
    codes ^= codes >> numpy.uint64(29)
    if text.isascii():
        places = numpy.array([match.span() for match in found], numpy.int64).reshape(-1, 2)
    else:
        bytes_before = numpy.zeros(len(text) + 1, numpy.int64)
        lengths = numpy.array([1 if c < "\x80" else 2 if c < "\u0800" else 3 if c < "\U00010000" else 4 for c in text])
        numpy.cumsum(lengths, out=bytes_before[1:])
        places = bytes_before[numpy.array([match.span() for match in found], numpy.int64).reshape(-1, 2)]
    count = max(len(codes) - WIDTH + 1, 0)
    sums = numpy.zeros(count, numpy.uint64)
    for at in range(WIDTH if count else 0):
        sums = sums * numpy.uint64(0x9E3779B97F4A7C15) + codes[at:at + count]
    return places, sums


def judge(texts, tokens, left, spans):
    """How many words were cut, and how many of them stand in no window that was kept."""
    standing = numpy.unique(numpy.concatenate([windows(text)[1] for text in left]))
    cut_words = lost = 0
    for (places, sums), ranges in zip(tokens, spans):
        if not ranges:
            continue
        cut = numpy.zeros(len(places), bool)
        for begin, end in ranges:
            cut |= (places[:, 0] < end) & (places[:, 1] > begin)
        stands = numpy.zeros(len(places) + 1, numpy.int64)
        nearest = numpy.minimum(numpy.searchsorted(standing, sums), len(standing) - 1)
        known = (standing[nearest] == sums).nonzero()[0]
        numpy.add.at(stands, known, 1)
        numpy.add.at(stands, known + WIDTH, -1)
        cut_words += int(cut.sum())
        lost += int((cut & (numpy.cumsum(stands)[:-1] == 0)).sum())
    return cut_words, lost


def spans_of(out, texts):
    """What we cut, by texts."""
    import pyarrow.parquet

    spans = [[] for _ in texts]
    for row in pyarrow.parquet.read_table(out / "passages.parquet", columns=["row", "begin", "end"]).to_pylist():
        spans[row["row"]].append((row["begin"], row["end"]))
    return spans


def strike(corpus, out, length):
    """The peer: ExactSubstr with a suffix array in memory."""
    import pydivsufsort

    stages, began = [], time.perf_counter()

    def stage(name):
        nonlocal began
        stages.append(f"{name} {time.perf_counter() - began:.1f} s")
        began = time.perf_counter()

    texts = [json.loads(line)["text"].encode() for line in open(corpus, encoding="utf-8")]
    # Between texts stands what no text has, so that no range goes from one into the next but by chance of length.
    data = numpy.frombuffer(bytearray(b"\xff\xff".join(texts)), numpy.uint8)
    starts = numpy.cumsum([0] + [len(text) + 2 for text in texts])
    stage("read")
    array = pydivsufsort.divsufsort(data)
    stage("suffix array")
    common = pydivsufsort.kasai(data, array)
    stage("common prefixes")
    change = numpy.zeros(len(data) + 1, numpy.int32)
    for neighbour in (0, 1):
        places = array[neighbour:len(array) - 1 + neighbour]
        repeated = common[:len(places)] >= length
        begin = places[repeated].astype(numpy.int64)
        numpy.add.at(change, begin, 1)
        numpy.add.at(change, begin + common[:len(places)][repeated], -1)
    struck = numpy.cumsum(change[:-1]) > 0
    stage("ranges")
    with open(out / "kept.jsonl", "w", encoding="utf-8") as kept, open(out / "spans.jsonl", "w", encoding="utf-8") as spans:
        for number, text in enumerate(texts):
            own = struck[starts[number]:starts[number] + len(text)]
            edges = numpy.flatnonzero(numpy.diff(own.astype(numpy.int8), prepend=0, append=0))
            spans.write(json.dumps(edges.reshape(-1, 2).tolist()) + "\n")
            left = data[starts[number]:starts[number] + len(text)][~own].tobytes()
            kept.write(json.dumps(left.decode("utf-8", "replace"), ensure_ascii=False) + "\n")
    stage("write")
    (out / "stages.txt").write_text("suffix array: " + ", ".join(stages))


if __name__ == "__main__":
    main()
