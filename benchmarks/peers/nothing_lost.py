#!/usr/bin/env python3
"""What the recipe `sites` loses where there is no frame, against plain exact resemblance.

    nothing_lost.py --ours target/release/lookalike CORPUS.jsonl.zst...

Each corpus (`id`, `text`, without URLs) is judged at a resemblance of 0.8 by `text`, by `sites`, and by
`sites` with templates learned by source: what stands in the id before the first `/` or `|`. The truth is
every pair of that plain resemblance. Exit code 1 if the recall or the precision of `sites` is more than
0.01 below that of `text`; what learning by source does is told beside it, and judged by nobody, since a
text that a whole source shares is template by its definition.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import job
import run

SITES = ["--recipe", "sites", "--threshold", str(job.THRESHOLD)]
VARIANTS = {
    "text": [],
    "sites": SITES,
    "sites, by source": [*SITES, "--templates", "by-field:source"],
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpus", nargs="+")
    parser.add_argument("--ours", required=True, metavar="BINARY")
    arguments = parser.parse_args()
    print("| corpus | recipe | pairs | recall | precision | template shingles |")
    print("| --- | --- | --- | --- | --- | --- |")
    lost = []
    for corpus in arguments.corpus:
        name = Path(corpus).parent.name or corpus
        with tempfile.TemporaryDirectory() as folder:
            source = with_sources(corpus, Path(folder))
            truth = run.Truth(str(source), "text")
            figures = {variant: judge(arguments.ours, source, options, truth, Path(folder, variant))
                       for variant, options in VARIANTS.items()}
        for variant, (pairs, recall, precision, templates) in figures.items():
            print(f"| {name} | {variant} | {pairs} | {recall:.4f} | {precision:.4f} "
                  f"| {templates.get('shingles', 0)} |", flush=True)
        (_, *text, _), (_, *sites, _) = figures["text"], figures["sites"]
        lost += [name for before, after in zip(text, sites) if after < before - 0.01]
    if lost:
        sys.exit(f"`sites` loses on {', '.join(lost)}")


def with_sources(corpus, folder):
    """The corpus with a field `source`."""
    path = folder / "documents.jsonl"
    with open(path, "w", encoding="utf-8") as out:
        for line in job.read_lines(corpus):
            record = json.loads(line)
            source = re.split(r"[/|]", record["id"])[0]
            fields = {"id": record["id"], "source": source, "text": record["text"]}
            out.write(json.dumps(fields, ensure_ascii=False) + "\n")
    return path


def judge(ours, source, options, truth, out):
    """Pairs of a recipe, their recall and precision, and what the report says of templates."""
    command = [ours, "dedup", str(source), "--pairs", "all", "--no-write", "--out", str(out), *options]
    subprocess.run(command, check=True, capture_output=True)
    _, _, pairs, _ = run.read_ours(out, truth)
    pairs = {(min(pair), max(pair)) for pair in pairs}
    right = len(pairs & truth.pairs)
    templates = json.loads((out / "report.json").read_text()).get("templates") or {}
    share = lambda whole: right / whole if whole else 1.0
    return len(pairs), share(len(truth.pairs)), share(len(pairs)), templates


if __name__ == "__main__":
    main()
