#!/usr/bin/env python3
"""Whether passages are found wherever they stand: plants some in real texts and looks at what is cut.

    python3 benchmarks/passages_recall.py BINARY CORPUS.jsonl.zst [--each 200]

A first run says which documents have nothing that repeats. Runs of 40, 49, 50, 51, 60, 100 and 1,000 words are taken
out of some of these, from a random word on, and put between two words of others that come later. Then of each
that has 50 words or more all words must be cut there, of each that has fewer none, and in the documents
without any just what was cut before. Words are this script's own, as are the places; runs are taken where
nobody divides words in another way (no addresses, marks or underscores). Needs pyarrow and `zstd`.
"""

import argparse
import json
import random
import re
import subprocess
import sys
import tempfile
import unicodedata
from collections import Counter
from pathlib import Path

import pyarrow.parquet

WIDTH = 50
LENGTHS = [40, 49, 50, 51, 60, 100, 1000]
SOLO = r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
WORD = re.compile(rf"[{SOLO}]|[^\W_{SOLO}]+")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("binary", type=lambda path: Path(path).resolve(strict=True))
    parser.add_argument("corpus", help="JSONL, packed with zstd")
    parser.add_argument("--each", type=int, default=200, help="how many of each length")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    unpacked = subprocess.run(["zstd", "-qdc", arguments.corpus], stdout=subprocess.PIPE, check=True).stdout
    texts = [json.loads(line)["text"] for line in unpacked.splitlines()]
    with tempfile.TemporaryDirectory(prefix="lookalike-recall-") as folder:
        before, keepers = cuts(arguments.binary, texts, Path(folder) / "before")
        planted, texts = plant(texts, before.keys() | keepers, arguments)
        after, _ = cuts(arguments.binary, texts, Path(folder) / "after")
    found, right, partly = Counter(), Counter(), 0
    for row, (length, places) in planted.items():
        is_cut = [any(begin < end_of and begin_of < end for begin, end in after.get(row, []))
                  for begin_of, end_of in places]
        found[length] += all(is_cut)
        right[length] += all(is_cut) if length >= WIDTH else not any(is_cut)
        partly += any(is_cut) and not all(is_cut)
    number = Counter(length for length, _ in planted.values())
    for length in LENGTHS:
        print(f"{length:5} words: {found[length]:5} of {number[length]} found")
    others = {row for row in before.keys() | after.keys() if row not in planted and before.get(row) != after.get(row)}
    print(f"{partly} found in part; {len(others)} of {len(texts) - len(planted)} other documents with other cuts than before")
    if right != number or partly or others:
        sys.exit("a passage is missing, or something shorter was cut")


def cuts(binary, texts, folder):
    """What a run cuts: ranges of bytes, by the numbers of texts; and the texts in which the same words stay."""
    folder.mkdir()
    with open(folder / "texts.jsonl", "w", encoding="utf-8") as file:
        for number, text in enumerate(texts):
            file.write(json.dumps({"id": str(number), "text": text}, ensure_ascii=False) + "\n")
    subprocess.run([binary, "passages", folder / "texts.jsonl", "--out", folder / "out", "--cut", "words",
                    "--min-words", str(WIDTH), "--no-write", "--quiet"], check=True)
    found, keepers = {}, set()
    table = pyarrow.parquet.read_table(folder / "out/passages.parquet", columns=["row", "keeper_row", "begin", "end"])
    for row in table.to_pylist():
        found.setdefault(row["row"], []).append((row["begin"], row["end"]))
        keepers.add(row["keeper_row"])
    return found, keepers


def plant(texts, touched, arguments):
    """Texts with passages put in, where nothing repeats; and by number, how many words one has and where they are, in bytes."""
    numbers = random.Random(arguments.seed)
    free = [number for number in range(len(texts)) if number not in touched]
    sources, hosts = free[: len(free) // 2], free[len(free) // 2:]
    planted, texts = {}, list(texts)
    for length in LENGTHS * arguments.each:
        taken = place = None
        while taken is None:
            source = numbers.choice(sources)
            taken = some_words(texts[source], length, numbers)
        while place is None:
            host = hosts.pop(numbers.randrange(len(hosts)))
            place = some_place(texts[host], taken, numbers)
        passage, head = taken[0], texts[host][:place] + " "
        texts[host] = f"{head}{passage} {texts[host][place:]}"
        planted[host] = length, [(size(head + passage[: match.start()]), size(head + passage[: match.end()]))
                                 for match in WORD.finditer(passage)]
    return planted, texts


def size(text):
    return len(text.encode())


def some_words(text, length, numbers):
    """So many words of a text, from a random one on, and those before and behind them; nothing if there are fewer, or
    others might count them otherwise."""
    words = list(WORD.finditer(text))
    if len(words) < length:
        return None
    first = numbers.randrange(len(words) - length + 1)
    begin, end = words[first].start(), words[first + length - 1].end()
    passage = text[begin:end]
    # With all of what it begins and ends in: an address may begin long before.
    around = re.search(r"\S*\Z", text[:begin]).group() + passage + re.match(r"\S*", text[end:]).group()
    odd = re.search(r"_|://|www\.", around)
    plain = all(unicodedata.category(c)[0] in "LZP" or c.isascii() for c in passage)
    same = unicodedata.normalize("NFKC", around) == around
    return (passage, word(words, first - 1), word(words, first + length)) if plain and same and not odd else None


def some_place(text, taken, numbers):
    """Where words can be put into a text, so that it has others before and behind them than they had; None if
    that is nowhere."""
    words = list(WORD.finditer(text))
    # Not within an address.
    gaps = [number for number in range(1, len(words))
            if re.fullmatch(r"\s*", text[words[number - 1].end():words[number].start()])]
    numbers.shuffle(gaps)
    for number in gaps:
        if word(words, number - 1) != taken[1] and word(words, number) != taken[2]:
            return words[number].start()
    return None


def word(words, number):
    return words[number].group().casefold() if 0 <= number < len(words) else None


if __name__ == "__main__":
    main()
