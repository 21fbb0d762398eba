#!/usr/bin/env python3
"""What `dedup --lost` misses: its answer beside an exact join of containment, on a sample of a corpus.

    python3 benchmarks/lost.py PROGRAM CORPUS.jsonl[.zst] [--documents 3000] [--lost 0,0.02,0.1,0.3] [--plant 0]

Of the documents that stay, those have been missed of which another that stays and is no shorter has all but the
share of `--lost`; of those that go, each must have its keeper so. Recall is what went, copies left out, out of that and what was
missed. The join is exact: of a document with n shingles of which m may be lost, whoever has the others has one of
any m + 1, so the m + 1 that fewest documents have find all of them, and sets of shingles are compared. With
`--plant N`, N stretches of documents, some of whose words are replaced, are added: for corpora without any. The
sample, what is planted, and so the answer are the same for the same `--seed`. Texts are written as words with
spaces between, so that no rule of tokens is between the two. Needs the tool `zstd` for packed corpora, and no
packages. Fails if a document went that its keeper does not have.
"""

import argparse
import json
import random
import re
import subprocess
import sys
import tempfile
import time
import unicodedata
from collections import defaultdict
from pathlib import Path

from end_to_end import lines

WIDTH = 5
# Written without spaces: a character is a word.
ALONE = re.compile("([\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u30ff\u3400-\u9fff\uf900-\ufaff]|[\U00020000-\U0003ffff])")


def words(text):
    return re.findall(r"[^\W_]+", ALONE.sub(r" \1 ", unicodedata.normalize("NFKC", text).casefold()))


def shingles(document):
    if len(document) < WIDTH:
        return {tuple(document)} if document else set()
    return {tuple(document[at : at + WIDTH]) for at in range(len(document) - WIDTH + 1)}


def planted(documents, draw, number):
    """A stretch of a document with some of its words replaced."""
    document = draw.choice(documents)
    length = draw.randint(min(60, len(document)), len(document))
    begin = draw.randint(0, len(document) - length)
    stretch = document[begin : begin + length]
    for edit in range(draw.randint(0, 1 + length // 100)):
        stretch[draw.randrange(length)] = f"planted{number}x{edit}"
    return stretch


def containers(sets, lost):
    """For each document those that have all of it but the share that may be lost, itself left out."""
    holders = defaultdict(list)
    for number, elements in enumerate(sets):
        for element in elements:
            holders[element].append(number)
    for number, elements in enumerate(sets):
        may_be_lost = int(lost * len(elements) + 1e-9)
        rarest = sorted(elements, key=lambda element: (len(holders[element]), element))[: may_be_lost + 1]
        candidates = {holder for element in rarest for holder in holders[element]} - {number}
        yield [other for other in candidates if len(elements - sets[other]) <= may_be_lost]


def decided(program, texts, lost, folder):
    """Who goes for whom, by number, and what it took."""
    corpus, out = folder / "corpus.jsonl", folder / f"out-{lost}"
    with corpus.open("w") as file:
        for number, text in enumerate(texts):
            file.write(json.dumps({"id": f"{number:08}", "text": " ".join(text)}) + "\n")
    began = time.monotonic()
    command = [program, "dedup", corpus, "--out", out, "--lost", str(lost), "--write", "all", "--annotate", "--json"]
    report = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    seconds = time.monotonic() - began
    goes = {}
    for line in (out / "all" / "corpus.jsonl").open():
        record = json.loads(line)
        if not record["lookalike"]["kept"]:
            goes[int(record["id"])] = (int(record["lookalike"]["keeper"]), record["lookalike"]["kind"])
    return goes, report, seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=lambda path: Path(path).resolve(strict=True))
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--documents", type=int, default=3000)
    parser.add_argument("--lost", default="0,0.02,0.1,0.3", help="shares, with commas between")
    parser.add_argument("--plant", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    draw = random.Random(options.seed)
    texts = [words(json.loads(line)["text"]) for line in lines(options.corpus)]
    texts = draw.sample(texts, min(options.documents, len(texts)))
    sources = [text for text in texts if len(text) >= WIDTH]
    texts += [planted(sources, draw, number) for number in range(options.plant)]
    sets = [shingles(text) for text in texts]
    print(f"{options.corpus}: {len(texts)} documents, {sum(map(len, texts))} words")
    print("  lost  of another  went near  copies  missed  recall  of shingles lost  candidates  limited  seconds")
    wrong = 0
    for lost in map(float, options.lost.split(",")):
        with tempfile.TemporaryDirectory() as folder:
            goes, report, seconds = decided(options.program, texts, lost, Path(folder))
        inside = list(containers(sets, lost))
        near = [number for number, (_, kind) in goes.items() if kind == "near"]
        wrong += sum(keeper not in inside[number] for number, (keeper, _) in goes.items())

        def before(other, number):
            """The longer one first, then the smaller id, which is the number."""
            return (-len(texts[other]), other) < (-len(texts[number]), number)

        def stays_before(other, number):
            return other not in goes and before(other, number)

        stay = (number for number, elements in enumerate(sets) if elements and number not in goes)
        missed = [number for number in stay if any(stays_before(other, number) for other in inside[number])]
        of_another = sum(any(before(other, number) for other in others) for number, others in enumerate(inside))
        recall = len(near) / (len(near) + len(missed)) if near or missed else 1
        told = report["lost"]
        share = told["shingles_lost"] / max(1, told["shingles"])
        limited = report.get("limited", {}).get("documents", 0)
        print(
            f"{lost:6} {of_another:11} {len(near):10} {len(goes) - len(near):7} {len(missed):7} {recall:7.4f}"
            f" {share:17.4%} {report['candidates']:11} {limited:8} {seconds:8.1f}"
        )
    if wrong:
        sys.exit(f"{wrong} documents went for one that does not have them")


if __name__ == "__main__":
    main()
