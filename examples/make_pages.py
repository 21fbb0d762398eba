#!/usr/bin/env python3
"""Writes examples/pages: web pages of four sites, what is right about them, and their links.

    python3 examples/make_pages.py            write documents.jsonl, labels.jsonl and links.csv
    python3 examples/make_pages.py --check    exit with 1 if the files differ from what it writes

Python's standard library only, and the same bytes each time. Sentences are composed from the words
below. Labels follow from how a page was made, not from what any program thinks of it: pages of one
story or one manual are the same, goods of a shop are not, however much of the frame they share.
"""

import argparse
import itertools
import json
import random
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent / "pages"

NOUNS = """harbour lantern orchard kettle ferry meadow bridge violin ladder market cellar window
garden letter wagon tower bakery river saddle clock island mirror basket chapel anchor pepper
library candle canal thimble""".split()
ADJECTIVES = """old quiet narrow bright heavy early painted wooden empty famous gentle crooked small
northern simple patient""".split()
VERBS = """passes finds follows keeps carries repairs paints remembers opens leaves reaches borrows
measures shelters answers counts""".split()
PLACES = """behind the mill, near the station, at the lake, above the town, beside the school, along
the coast, under the arches, across the square""".replace("\n", " ").split(", ")
SYLLABLES = "ba do fen gar hol im ka lu mor nis or pel ra sun tav ul ven wis yo zar".split()


class Writer:
    """Writes sentences with names of its own, so that no two writers use the same words."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        pick = self.random.choice
        self.names = ["".join(pick(SYLLABLES) for _ in range(3)).title() for _ in range(60)]

    def sentence(self):
        pick = self.random.choice
        names = [pick(self.names) for _ in range(4)]
        return (
            f"{names[0]} {pick(VERBS)} {pick(ADJECTIVES)} {pick(NOUNS)} {pick(PLACES)}; {names[1]} "
            f"{pick(VERBS)} {names[2]}, {pick(ADJECTIVES)} {pick(NOUNS)} of {names[3]}."
        )

    def text(self, sentences):
        return " ".join(self.sentence() for _ in range(sentences))


def shop(pages):
    """Ten goods in one frame: much text in common, and no two are the same."""
    frame = Writer("frame")
    before, after = frame.text(22), frame.text(26)
    for number in range(10):
        goods = Writer(f"goods {number}")
        text = f"{before} Number {7000 + number * 13}. {goods.text(4)} {after}"
        pages[f"shop-{number}"] = ("http://www.shop.example/goods/%d" % number, text)


def news(pages):
    """Eight reports on one site, six of them also on another with its name and another time."""
    for number in range(8):
        report = Writer(f"report {number}").text(30)
        text = f"{report} Sent on 3 May at 10:{10 + number}."
        pages[f"news-{number}"] = (f"http://www.news.example/{number}.html", text)
        if number < 6:
            text = f"{report} Sent on 4 May at 08:{20 + number}."
            pages[f"press-{number}"] = (f"http://www.press.example/{number}.html", text)


def manual(pages):
    """Six chapters in two versions: three differ in the version only, three in a paragraph."""
    for number in range(6):
        chapter = Writer(f"chapter {number}")
        start, paragraph, end = chapter.text(20), chapter.text(2), chapter.text(20)
        pages[f"manual-1-{number}"] = (
            f"http://docs.manual.example/1/{number}",
            f"Manual, version 1. {start} {paragraph} {end}",
        )
        if number >= 3:
            paragraph = Writer(f"chapter {number}, again").text(2)
        pages[f"manual-2-{number}"] = (
            f"http://docs.manual.example/2/{number}",
            f"Manual, version 2. {start} {paragraph} {end}",
        )


def others(pages):
    """A copy, a page without a URL, an empty one."""
    pages["copy-of-news-7"] = ("http://www.press.example/copy.html", pages["news-7"][1].upper())
    pages["nowhere"] = (None, Writer("nowhere").text(25))
    pages["empty"] = ("http://www.shop.example/empty", "")


def labels(pages):
    def label(a, b):
        if a.startswith("shop-") and b.startswith("shop-"):
            return "incorrect", "another product"
        if {a.split("-")[0], b.split("-")[0]} == {"news", "press"} and a[-2:] == b[-2:]:
            return "correct", "time stamp only"
        if a.startswith("manual-") and b.startswith("manual-") and a[-2:] == b[-2:]:
            changed = int(a[-1]) >= 3
            return ("undecided", "another paragraph") if changed else ("correct", "version only")
        return None

    for a, b in itertools.combinations(pages, 2):
        found = label(a, b)
        if found and "empty" not in (a, b):
            yield {"a": a, "b": b, "label": found[0], "reason": found[1]}


def links(pages):
    """Reports link to the one before on their site and the manual to the report on it, both versions
    of the manual from chapter to chapter, and the shop to the newer version; one link leads elsewhere."""
    url = {name: url for name, (url, _) in pages.items()}
    for site, last in (("news", 7), ("press", 5)):
        for number in range(1, last + 1):
            yield url[f"{site}-{number}"], url[f"{site}-{number - 1}"]
    for version, number in itertools.product((1, 2), range(5)):
        yield url[f"manual-{version}-{number}"], url[f"manual-{version}-{number + 1}"]
    for number in range(10):
        yield url[f"shop-{number}"], url["manual-2-0"]
    yield url["manual-1-0"], url["news-0"]
    yield url["manual-2-0"], url["press-0"]
    yield url["news-0"], "http://www.elsewhere.example/"


def files():
    pages = {}
    for part in (shop, news, manual, others):
        part(pages)
    documents = [{"id": name, "url": url, "text": text} for name, (url, text) in pages.items()]
    lines = lambda records: "".join(json.dumps(record) + "\n" for record in records)
    edges = "source,target\n" + "".join(f"{source},{target}\n" for source, target in links(pages))
    return {
        "documents.jsonl": lines(documents),
        "labels.jsonl": lines(labels(pages)),
        "links.csv": edges,
    }


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args().check
    FOLDER.mkdir(exist_ok=True)
    for name, text in files().items():
        path = FOLDER / name
        if not check:
            path.write_text(text, encoding="utf-8")
        elif path.read_text(encoding="utf-8") != text:
            sys.exit(f"{path}: differs from what is written")


if __name__ == "__main__":
    main()
