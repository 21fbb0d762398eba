#!/usr/bin/env python3
"""Examples of what recipes get wrong on labelled pages: pairs that they return and should not, and
pairs that they should and do not, drawn at random with a fixed seed.

    python3 benchmarks/failures.py documents.jsonl.zst similarities.jsonl.zst --ours target/release/lookalike

Documents are pages with the fields `id` and `html`; labels have `a`, `b` and a similarity of their main
contents. Needs zstd and pyarrow (benchmarks/peers/requirements.txt).
"""

import argparse
import json
import random
import subprocess
import tempfile
from pathlib import Path

import pyarrow.parquet

RECIPES = ["henzinger-b", "henzinger-c", "henzinger-combined", "henzinger-sites", "pugh", "text"]


def lines(path):
    with subprocess.Popen(["zstd", "-dc", path], stdout=subprocess.PIPE) as unpacked:
        yield from map(json.loads, unpacked.stdout)


def returned(ours, documents, recipe, folder):
    """The pairs that a recipe makes, as sets of two ids."""
    out = folder / recipe
    command = [ours, "dedup", documents, "--recipe", recipe, "--pairs", "all", "--no-write", "--out", out]
    subprocess.run(command, check=True, capture_output=True)
    table = pyarrow.parquet.read_table(out / "pairs.parquet", columns=["a", "b"])
    return {frozenset(pair) for pair in zip(*(table[name].to_pylist() for name in "ab"))}


def scores(ours, pages, pair, folder):
    """Similarities of the whole pages: resemblance of five words, B, C, term difference."""
    files = [folder / f"{n}.html" for n in range(2)]
    for file, page in zip(files, pair):
        file.write_text(pages[page])
    of = lambda recipe: json.loads(
        subprocess.run([ours, "compare", *files, "--json", "--recipe", recipe], check=True, capture_output=True).stdout
    )
    text, combined = of("text"), of("henzinger-combined")
    return f"{text['resemblance']:.2f}\t{combined['b_similarity']}\t{combined['c_similarity']}\t{text['term_difference']}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("documents")
    parser.add_argument("labels")
    parser.add_argument("--ours", required=True, help="the binary")
    parser.add_argument("--similarity-field", default="jaccard_w5")
    parser.add_argument("--correct-at", type=float, default=0.9)
    parser.add_argument("--undecided-at", type=float, default=0.6)
    parser.add_argument("--examples", type=int, default=3)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    pages = {page["id"]: page["html"] for page in lines(given.documents)}
    truth = {frozenset((pair["a"], pair["b"])): pair[given.similarity_field] for pair in lines(given.labels)}
    print("recipe\tfault\tmain\twhole\tB\tC\tdifference\ta\tb")
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        for recipe in RECIPES:
            found = {pair for pair in returned(given.ours, given.documents, recipe, folder) if len(pair) == 2}
            faults = {
                "wrong": [pair for pair in found if truth.get(pair, 0) < given.undecided_at],
                "missed": [pair for pair, main in truth.items() if main >= given.correct_at and pair not in found],
            }
            for fault, pairs in faults.items():
                pairs = sorted(map(sorted, pairs))
                random.Random(given.seed).shuffle(pairs)
                for pair in pairs[: given.examples]:
                    main_content = truth.get(frozenset(pair), 0)
                    print(recipe, fault, main_content, scores(given.ours, pages, pair, folder), *pair, sep="\t")


if __name__ == "__main__":
    main()
