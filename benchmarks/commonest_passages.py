#!/usr/bin/env python3
"""What repeats inside of documents, in real texts: the tables of `docs/passages.md`.

    python3 benchmarks/commonest_passages.py target/release/lookalike prose=prose.jsonl.zst pages=pages.jsonl.zst

Cuts each set by lines and by sentences, lets `ci/passages.py` check what was cut by lines, and lists the ten passages
with most copies, each by its first words. Of those that have five words in a row in common only the first is
listed: a notice that is broken into lines in twenty ways is one. Web pages (a field `html`) are made texts first, with a line for
each block. Needs numpy, pyarrow and `zstd`.
"""

import html.parser
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import pyarrow.parquet

CHECKER = Path(__file__).resolve().parent.parent / "ci/passages.py"
LISTED = 10
# Words of a passage.
WHOLE = 50
# Characters of scripts without spaces are words.
WORD = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff]|[^\W\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff]+")
# Characters of a passage that are shown.
SHOWN = 72
INLINE = set("a abbr b bdi bdo big cite code data del dfn em font i ins kbd label mark q s samp small span strike "
             "strong sub sup time tt u var wbr".split())


def main():
    binary, *sets = sys.argv[1:]
    shares, lists = [], []
    for name, path in (each.split("=", 1) for each in sets):
        with tempfile.TemporaryDirectory(prefix="lookalike-commonest-") as folder:
            folder = Path(folder)
            texts = folder / "texts.jsonl"
            write_texts(path, texts)
            lines, sentences = (run(binary, texts, folder, unit) for unit in ("lines", "sentences"))
            commonest = list(most_copies(texts, folder / "lines/passages.parquet"))
            checked = subprocess.run([sys.executable, CHECKER, texts, folder / "lines"], check=True,
                                     stdout=subprocess.PIPE, text=True).stdout
        share = [100 * each["words_cut"] / each["words"] for each in (lines, sentences)]
        print(f"{name}: {checked.strip()}", file=sys.stderr)
        shares.append(f"| {name} | {grouped(lines['words'])} | {share[0]:.1f} % | {share[1]:.1f} % | "
                      f"{grouped(lines['passages'])} | {checked.rsplit(': ', 1)[1].split()[0]} |")
        rows = [f"| {grouped(copies)} | {grouped(words)} | {beginning(text)} |" for copies, words, text in commonest]
        lists.append("\n".join([f"## {name.capitalize()}", "", "| copies | words | begins |", "| --- | --- | --- |", *rows]))
    print("| texts | words | cut by lines | by sentences | passages | violations |\n| --- | --- | --- | --- | --- | --- |")
    print("\n".join(shares) + "\n")
    print("\n\n".join(lists))


def write_texts(path, out):
    with subprocess.Popen(["zstd", "-qdc", path], stdout=subprocess.PIPE) as unpacked, open(out, "w", encoding="utf-8") as file:
        for line in unpacked.stdout:
            record = json.loads(line)
            text = record["text"] if "text" in record else Blocks.text(record["html"])
            file.write(json.dumps({"id": record["id"], "text": text}, ensure_ascii=False) + "\n")


def run(binary, texts, folder, unit):
    """What the report of a run says of passages."""
    out = folder / unit
    subprocess.run([binary, "passages", texts, "--out", out, "--cut", unit, "--quiet"], check=True)
    return json.loads((out / "report.json").read_text(encoding="utf-8"))["passages"]


def most_copies(texts, table):
    """The passages with most copies, the longest of equals first: copies, words and text."""
    columns = pyarrow.parquet.read_table(table, columns=["copies", "words", "keeper_row", "keeper_begin", "keeper_end"])
    rows = set(zip(*(column.to_pylist() for column in columns.columns)))
    # Shorter ones are parts of a cut whose other parts stay elsewhere.
    rows = sorted((row for row in rows if row[1] >= WHOLE), key=lambda row: (-row[0], -row[1], row))
    lines = texts.read_bytes().splitlines()
    listed, known = 0, set()
    for copies, words, keeper, begin, end in rows:
        text = json.loads(lines[keeper])["text"].encode()[begin:end].decode()
        found = WORD.findall(text.casefold())
        runs = {tuple(found[at:at + 5]) for at in range(len(found) - 4)}
        if runs and not runs & known:
            listed += 1
            yield copies, words, text
        known |= runs
        if listed == LISTED:
            break


def beginning(text):
    """The first words, as a cell of a table."""
    words = " ".join(text.split())
    if len(words) > SHOWN:
        # Scripts without spaces have no words to end with.
        words = (words[:SHOWN].rpartition(" ")[0] or words[:SHOWN]) + " ..."
    return "".join("\\" + character if character in "\\`*_|<[](#" else character for character in words)


def grouped(number):
    return f"{number:,}"


class Blocks(html.parser.HTMLParser):
    """The text of a page, a line for each block."""

    @classmethod
    def text(cls, page):
        blocks = cls()
        blocks.feed(page)
        blocks.close()
        lines = "".join(blocks.parts).split("\n")
        return "\n".join(filter(None, (" ".join(line.split()) for line in lines)))

    def __init__(self):
        super().__init__()
        self.parts, self.hidden = [], 0

    def handle_starttag(self, tag, attributes):
        self.hidden += tag in ("script", "style")
        self.block(tag)

    def handle_endtag(self, tag):
        self.hidden -= tag in ("script", "style") and self.hidden > 0
        self.block(tag)

    def block(self, tag):
        if tag not in INLINE:
            self.parts.append("\n")

    def handle_data(self, data):
        if not self.hidden:
            # A break in the source is no line.
            self.parts.append(data.replace("\n", " "))


if __name__ == "__main__":
    main()
