"""Corpora that make wrong removals likely, for ci/oracle.sh: written into the folder that is named.

- chains: each document is the one before it with a few words changed, so that neighbours resemble each
  other and the ends do not. Whoever hands being alike on removes what resembles nothing that stays.
- templates: pages of one frame, whose own words are few. Whoever stops at the frame removes them all.
- copies: the same words in other case, spacing, punctuation and normal form, in many scripts and formats,
  ids that occur twice, empty documents and records that are none.

The same bytes each time: all choices come from one seed.
"""

import csv
import gzip
import json
import random
import sys
import unicodedata
from pathlib import Path

import pyarrow
import pyarrow.parquet

WORDS = [first + last for first in ("ba", "ce", "di", "fo", "gu", "ha", "ke", "li", "mo", "nu", "pa", "re", "si", "to")
         for last in ("l", "m", "n", "r", "s", "t", "x", "lan", "mer", "nis", "rod", "sul", "tar", "ven")]
SCRIPTS = [
    "\u0421\u0442\u0430\u0440\u044b\u0439 \u043c\u0430\u044f\u043a \u0433\u043e\u0440\u0435\u043b \u0432\u0441\u044e \u043d\u043e\u0447\u044c \u0438 \u043d\u0435 \u0433\u0430\u0441",
    "\u706f\u5854\u5728\u591c\u91cc\u53d1\u5149\uff0c\u8239\u6ca1\u6709\u56de\u7b54",
    "Gr\u00f6\u00dfe und Stra\u00dfe, na\u00efve caf\u00e9s in \u00c5ngstr\u00f6m",
    "\u0e1b\u0e23\u0e30\u0e20\u0e32\u0e04\u0e32\u0e23\u0e2a\u0e48\u0e2d\u0e07\u0e41\u0e2a\u0e07",
    "see https://www.example.org/a/page.html?x=1 and http://example.org/b for more of it",
]  # fmt: skip


def text(choice, words):
    return " ".join(choice.choices(WORDS, k=words))


def changed(choice, document, words):
    document = document.split(" ")
    for place in choice.sample(range(len(document)), words):
        document[place] = choice.choice(WORDS)
    return " ".join(document)


def chains(choice):
    for chain in range(40):
        document = text(choice, choice.randrange(60, 400))
        for link in range(25):
            yield f"chain-{chain}-{link}", document
            # About a tenth of the shingles go with each step.
            document = changed(choice, document, max(len(document.split(" ")) // 50, 1))


def templates(choice):
    for site in range(6):
        frame = text(choice, 120).split(" ")
        for page in range(200):
            # Some are nearly nothing but frame, some mostly their own.
            own = text(choice, choice.choice([1, 2, 3, 5, 8, 13, 40, 120]))
            yield f"site-{site}-{page}", " ".join([*frame[:60], own, *frame[60:]])


def copies(choice):
    documents = [text(choice, choice.randrange(1, 80)) for _ in range(60)] + SCRIPTS
    for number in range(600):
        document = choice.choice(documents)
        form = choice.randrange(6)
        if form == 1:
            document = document.upper() if "://" not in document else document + "."
        elif form == 2:
            document = document.replace(" ", "  ")
        elif form == 3 and "://" not in document:
            document = document.replace(" ", " -- ")
        elif form == 4:
            document = unicodedata.normalize("NFD", document)
        elif form == 5 and number % 2:
            document = choice.choice(["", " ", "...", changed(choice, document, 1)])
        # Ids that occur twice are allowed.
        yield f"copy-{number % 550}", document


def write_jsonl(path, rows, opener=open):
    with opener(path, "wb") as file:
        for number, (id, body) in enumerate(rows):
            file.write(json.dumps({"id": id, "text": body, "n": number}, ensure_ascii=number % 2 == 0).encode() + b"\n")
            if number % 97 == 0:
                file.write(b"{\"id\": \"no text\"}\n\n")


def write_csv(path, rows):
    with open(path, "w", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerow(["id", "text"])
        table.writerows(rows)


def write_parquet(path, rows):
    ids, texts = zip(*rows)
    table = pyarrow.table({"id": ids, "text": texts, "n": list(range(len(ids)))})
    pyarrow.parquet.write_table(table, path, row_group_size=100)


def write_texts(folder, rows):
    folder.mkdir()
    for id, body in rows:
        (folder / f"{id}.txt").write_bytes(body.encode())


def main():
    folder = Path(sys.argv[1])
    for name, rows in (("chains", chains), ("templates", templates), ("copies", copies)):
        made = list(rows(random.Random(f"{name} 17")))
        into = folder / name
        into.mkdir(parents=True)
        # Every format has some of everything; ids that occur twice stay in one file.
        parts = [made[at::5] for at in range(5)] if name != "copies" else [
            made[at * 120 : (at + 1) * 120] for at in range(5)]
        write_texts(into / "a", dict(parts[0]).items())
        write_csv(into / "b.csv", parts[1])
        write_jsonl(into / "c.jsonl", parts[2])
        write_jsonl(into / "d.jsonl.gz", parts[3], gzip.open)
        write_parquet(into / "e.parquet", parts[4])


if __name__ == "__main__":
    main()
