#!/usr/bin/env python3
"""How often recipes are right on pairs that a reader judged: the tables of docs/accuracy.md.

    python3 benchmarks/judged.py [--docs docs/accuracy.md]
    python3 benchmarks/judged.py --sets FOLDER [--program target/release/lookalike]

The pairs are in docs/judged, with a label, a reason and how many pairs each stands for. Without options it prints
the tables; with --docs it fails unless each of their lines stands in that page. With the sets at hand there is
another table, of what a cut of resemblance says of the same pairs; and `lookalike eval` reads the same files beside the
documents, and its numbers must be these.
"""

import argparse
import json
import math
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

JUDGED = Path(__file__).resolve().parent.parent / "docs" / "judged"
SETS = {
    "web-docs": "web-docs/documents.jsonl.zst",
    "web-terms": "web-terms/documents.jsonl.zst",
    "sites": "sites/*/documents.jsonl.zst",
}
DRAWS = {"papers": ["henzinger-b", "henzinger-c", "henzinger-combined"], "presets": ["pages", "sites"]}
WHERE = {"all": None, "same site": "same", "different sites": "different"}
LABELS = ["correct", "incorrect", "undecided"]
Z = 1.959963984540054  # of a 95 % interval


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


def draws():
    """What was drawn of each set, and from which recipes."""
    for name in SETS:
        for draw, recipes in DRAWS.items():
            yield name, draw, recipes, JUDGED / f"{name}-{draw}.jsonl"


def wilson(share, number):
    """The interval of a share that was observed in so many trials."""
    square = Z * Z / number
    middle = (share + square / 2) / (1 + square)
    spread = Z / (1 + square) * math.sqrt(share * (1 - share) / number + square / (4 * number))
    return max(middle - spread, 0), min(middle + spread, 1)


def share(pairs, chosen):
    """The share of the chosen pairs by weight, and its interval: of as many as an even sample would take to say as
    much, which is Kish's effective size."""
    weights = [pair["weight"] for pair in pairs]
    of_all = sum(pair["weight"] for pair in pairs if chosen(pair)) / sum(weights)
    return of_all, *wilson(of_all, sum(weights) ** 2 / sum(weight**2 for weight in weights))


def returned(pairs, recipe, where):
    """The judged pairs that a recipe returns, of one site, of two, or all."""
    return [pair for pair in pairs if recipe in pair["recipes"] and where in (None, pair["sites"])]


def cells(pairs):
    """How many pairs these are and stand for, and the share of each label; last that of the correct in all that are
    decided, which is the precision of `eval`."""
    decided = [pair for pair in pairs if pair["label"] != "undecided"]
    parts = [(pairs, label) for label in LABELS] + [(decided, "correct")] * bool(decided)
    shares = [share(of, lambda pair: pair["label"] == label) for of, label in parts]
    stand_for = round(sum(pair["weight"] for pair in pairs))
    shown = [f"{of_all:.2f} [{low:.2f}, {high:.2f}]" for of_all, low, high in shares]
    return [str(len(pairs)), f"{stand_for:,}", *shown, *[""] * (4 - len(shown))]


def shares_table():
    yield "| pairs of | recipe | sites | judged | stand for | correct | incorrect | undecided | of decided |"
    yield "| --- | --- | --- | --- | --- | --- | --- | --- | --- |"
    for name, _, recipes, path in draws():
        pairs = lines(path)
        for recipe in recipes:
            for kind, where in WHERE.items():
                here = returned(pairs, recipe, where)
                if not here or (where and len(here) == len(returned(pairs, recipe, None))):
                    continue  # no such pair, or all are, as the row above says
                yield "| " + " | ".join([name, f"`{recipe}`", kind, *cells(here)]) + " |"


def similarities_table():
    """As tables 2 and 5 of the paper: by B-similarity for B, by C-similarity for C."""
    yield "| pairs of | similarity | judged | stand for | correct | incorrect | undecided | of decided |"
    yield "| --- | --- | --- | --- | --- | --- | --- | --- |"
    rows = [("henzinger-b", "b_similarity", "B", n, n) for n in range(2, 7)]
    rows += [("henzinger-c", "c_similarity", "C", *ends) for ends in [(382, 384), (379, 381), (376, 378), (372, 375)]]
    for name, draw, _, path in draws():
        if draw != "papers" or name == "web-terms":  # of which there are too few
            continue
        for recipe, field, letter, low, high in rows:
            here = [pair for pair in returned(lines(path), recipe, None) if low <= pair[field] <= high]
            shown = f"{letter}, {low}" if low == high else f"{letter}, {low} to {high}"
            if here:
                yield "| " + " | ".join([name, shown, *cells(here)]) + " |"


def reasons_table():
    """As tables 3, 4, 6 and 7 of the paper, but with shares of all pairs of a recipe, by weight."""
    recipes = [recipe for of_draw in DRAWS.values() for recipe in of_draw]
    yield "| pairs of | reason | read | " + " | ".join(f"`{recipe}`" for recipe in recipes) + " |"
    yield "| --- | --- | --- |" + " --- |" * len(recipes)
    for name in SETS:
        of_set = [(of_draw, lines(path)) for of, _, of_draw, path in draws() if of == name]
        read = Counter((pair["label"], pair["reason"]) for pair in once(pairs for _, pairs in of_set).values())
        columns = [returned(pairs, recipe, None) for of_draw, pairs in of_set for recipe in of_draw]
        for label in LABELS:
            for reason in sorted((r for of, r in read if of == label), key=lambda r: (-read[label, r], r)):
                given = lambda pair: (pair["label"], pair["reason"]) == (label, reason)
                shares = [share(here, given)[0] for here in columns]
                shown = [f"{of_all:.2f}" if of_all else "" for of_all in shares]
                yield "| " + " | ".join([name, f"{label}: {reason}", str(read[label, reason]), *shown]) + " |"


def once(drawn):
    """Each pair once, of what was drawn at different times."""
    return {(pair["a"], pair["b"]): pair for pairs in drawn for pair in pairs}


def agreement(field):
    """Cohen's kappa between the two readings: pairs, how many agree, and how far beyond chance."""
    first = once(lines(path) for *_, path in draws())
    both = [(first[pair["a"], pair["b"]][field], pair[field]) for pair in lines(JUDGED / "again.jsonl")]
    equal = sum(one == other for one, other in both)
    of_first, of_second = (Counter(column) for column in zip(*both))
    chance = sum(of_first[value] * of_second[value] for value in of_first) / len(both) ** 2
    return len(both), equal, (equal / len(both) - chance) / (1 - chance)


def agreement_table():
    yield "| read twice | pairs | agree | Cohen's kappa |"
    yield "| --- | --- | --- | --- |"
    for field in ["label", "reason"]:
        pairs, equal, kappa = agreement(field)
        yield f"| {field} | {pairs} | {equal} | {kappa:.2f} |"


def cut_table(sets):
    """What a cut of the main contents' resemblance, the other labels of docs/accuracy.md, says of pairs of one
    site: correct from 0.9 on, undecided from 0.6. Not weighted; its files have no pairs across sites."""
    yield "| pairs of | by resemblance | read | " + " | ".join(LABELS) + " |"
    yield "| --- | --- | --- |" + " --- |" * len(LABELS)
    for name in ["web-docs", "sites"]:
        resemblance = {}
        for path in sets.glob(SETS[name].replace("documents", "main_resemblance")):
            unpacked = subprocess.run(["zstd", "-dc", path], check=True, stdout=subprocess.PIPE).stdout
            for pair in map(json.loads, unpacked.splitlines()):
                resemblance[frozenset((pair["a"], pair["b"]))] = pair["jaccard_w5"]
        counts = Counter()
        for pair in once(lines(path) for of, *_, path in draws() if of == name).values():
            alike = resemblance.get(frozenset((pair["a"], pair["b"])), 0)
            cut = "correct" if alike >= 0.9 else "undecided" if alike >= 0.6 else "incorrect"
            if pair["sites"] == "same":
                counts[cut, pair["label"]] += 1
        for cut in LABELS:
            here = [counts[cut, label] for label in LABELS]
            yield "| " + " | ".join([name, cut, str(sum(here)), *map(str, here)]) + " |"


def each_once(documents, folder):
    """The same documents, where a file without those that an earlier one has takes the place of one that repeats some:
    a label must name one document."""
    seen = set()
    for number, path in enumerate(documents):
        unpacked = subprocess.run(["zstd", "-dc", path], check=True, stdout=subprocess.PIPE).stdout
        new = {json.loads(line)["id"]: line for line in unpacked.splitlines()}
        if seen.isdisjoint(new):
            yield path
        else:
            rest = Path(folder, f"{number}.jsonl")
            rest.write_bytes(b"".join(line + b"\n" for name, line in new.items() if name not in seen))
            yield str(rest)
        seen.update(new)


def evaluate(program, sets):
    """Compares the shares with those of `eval`, from the documents."""
    different = 0
    for name, draw, recipes, path in draws():
        documents = sorted(map(str, sets.glob(SETS[name])))
        if not documents:
            sys.exit(f"{sets}: has no {SETS[name]}")
        with tempfile.TemporaryDirectory() as out:
            drawn_from, documents = documents, list(each_once(documents, out))
            # What `sites` learns also depends on pages that stand there twice, as they did when pairs were drawn.
            near = 1e-6 if documents == drawn_from else 0.02
            command = [program, "eval", "--documents", *documents, "--labels", path, "--recipes", ",".join(recipes)]
            command += ["--differences", "1", "--json", "--out", f"{out}/evaluation"]
            told = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
        pairs = lines(path)
        for recipe in told["recipes"]:
            rows = {row["name"]: row for row in recipe["rows"]}
            for kind, where in WHERE.items():
                here = returned(pairs, recipe["name"], where)
                for label in LABELS if here else []:
                    ours, theirs = share(here, lambda pair: pair["label"] == label), rows[kind][label]
                    theirs = tuple(theirs[end] for end in ["share", "low", "high"])
                    if max(abs(a - b) for a, b in zip(ours, theirs)) > near:
                        print(f"{path.name}: {recipe['name']}, {kind}, {label}: {ours} here, {theirs} by eval")
                        different += 1
        print(f"{path.name}: {len(pairs)} pairs, {', '.join(recipes)}", flush=True)
    if different:
        sys.exit(f"{different} shares differ")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--docs", type=Path, help="a page that must have the tables")
    parser.add_argument("--program", help="the binary that evaluates")
    parser.add_argument("--sets", type=Path, help="the folder of the sets of documents")
    given = parser.parse_args()
    if given.program and not given.sets:
        parser.error("--program needs --sets")
    tables = [list(table()) for table in [shares_table, similarities_table, reasons_table, agreement_table]]
    if given.sets:
        tables.append(list(cut_table(given.sets)))
    if given.docs:
        page = set(given.docs.read_text().splitlines())
        missing = [line for table in tables for line in table if line not in page]
        if missing:
            sys.exit("\n".join([f"{given.docs}: has no line", *missing]))
    elif not given.program:
        print("\n\n".join("\n".join(table) for table in tables))
    if given.program:
        evaluate(given.program, given.sets)


if __name__ == "__main__":
    main()
