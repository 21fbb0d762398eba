#!/usr/bin/env python3
"""Writes examples/crawls: the pages of a small site as three yearly crawls found them.

    python3 examples/make_crawls.py            write 2024.jsonl, 2025.jsonl and 2026.jsonl
    python3 examples/make_crawls.py --check    exit with 1 if the files differ from what it writes

Python's standard library only, and the same bytes each time. Of the pages of a crawl, some are as they
were, some had a few words edited since, and some are new; each crawl has one page under two addresses.
"""

import argparse
import json
import random
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent / "crawls"
NOUNS = """harbour lantern orchard kettle ferry meadow bridge violin ladder market cellar window garden
letter wagon tower bakery river saddle clock island mirror basket chapel anchor pepper library candle
canal thimble""".split()
VERBS = "passes finds follows keeps carries repairs paints remembers opens leaves reaches borrows".split()
PLACES = "behind the mill, near the station, at the lake, above the town, beside the school".split(", ")


def page(number: int) -> list[str]:
    """The words of a page: twelve sentences."""
    draw = random.Random(number)
    words: list[str] = []
    for _ in range(12):
        a, b, c = draw.sample(NOUNS, 3)
        words += f"The {a} {draw.choice(VERBS)} the {b} of the {c} {draw.choice(PLACES)}.".split()
    return words


def edited(words: list[str], year: int) -> list[str]:
    """The same page with two words that were changed in a year."""
    changed = list(words)
    changed[10], changed[70] = f"{year}", f"{year}"
    return changed


def crawls() -> dict[str, list[dict[str, str]]]:
    pages = {number: page(number) for number in range(1, 11)}
    found = {}
    for year in (2024, 2025, 2026):
        if year > 2024:
            for number in (2, 5):
                pages[number] = edited(page(number), year)
            first = max(pages) + 1
            pages |= {number: page(number) for number in range(first, first + 3)}
        lines = [
            {"url": f"https://example.org/{number}", "date": f"{year}-03-01", "text": " ".join(words)}
            for number, words in pages.items()
        ]
        lines.append(lines[-1] | {"url": f"https://example.org/print/{max(pages)}"})
        found[f"{year}.jsonl"] = lines
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args().check
    for name, lines in crawls().items():
        text = "".join(json.dumps(line) + "\n" for line in lines)
        path = FOLDER / name
        if check:
            if path.read_text() != text:
                print(f"{path} is not what this writes", file=sys.stderr)
                return 1
        else:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)
    return 0


sys.exit(main())
