#!/usr/bin/env python3
"""Snapshots of a corpus, cleaned in three ways: the same must stay, found as often.

    python3 benchmarks/snapshots.py PROGRAM SNAPSHOT.jsonl...
    python3 benchmarks/snapshots.py PROGRAM --versions DOCUMENTS.jsonl[.zst] [--years 2022-2026]
    python3 benchmarks/snapshots.py PROGRAM --pages DOCUMENTS.jsonl[.zst] [--parts 5]

One job over all snapshots; a job for each, with all before it as `--known`; and `index filter`, one after another. What
stays must be the same to the byte, and so must `copies` and `exact_copies` of each document that stays: those of the chain
are added up over its runs. Told are documents, what stays of them, and seconds of processors, of the program and of the
system on its behalf: of each job of the chain, of each filter, and of the one job over everything. Of the latter two
the fastest of `--rounds`.

Snapshots are files whose names are in the order of their dates, or are made: of texts with a `chain` and a `date`, at the end
of each year the last version of each chain, as a crawl would find them; of pages whose ids are `site|version|path`, the
versions of each site in so many parts, the earlier first. An id in them has the snapshot in front: the
same page of two years is two documents. Needs pyarrow, and the tool `zstd` for packed corpora.
"""

import argparse
import json
import re
import shutil
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

import pyarrow.parquet
from noisy import lines
from side_by_side import existing, processor_seconds


def versions_by_year(path, first, last):
    """At the end of each year the last version of each chain that there is by then."""
    chains = defaultdict(list)
    for document in map(json.loads, lines(path)):
        chains[document["chain"]].append(document)
    for year in range(first, last + 1):
        snapshot = []
        for name in sorted(chains):
            by_then = [version for version in chains[name] if version["date"][:4] <= str(year)]
            snapshot += sorted(by_then, key=lambda version: version["date"])[-1:]
        yield str(year), snapshot


def pages_by_version(path, parts):
    """The versions of each site in so many parts."""
    sites = defaultdict(lambda: defaultdict(list))
    for page in map(json.loads, lines(path)):
        site, version, _ = page["id"].split("|", 2)
        sites[site][version].append(page)
    snapshots = [[] for _ in range(parts)]
    for versions in sites.values():
        in_order = sorted(versions, key=lambda version: [int(number) for number in re.findall(r"\d+", version)])
        for number, version in enumerate(in_order):
            snapshots[number * parts // len(in_order)] += versions[version]
    yield from ((str(number), snapshot) for number, snapshot in enumerate(snapshots, 1))


def write(folder, snapshots):
    folder.mkdir()
    for name, documents in snapshots:
        path = folder / f"{name}.jsonl"
        with path.open("w") as file:
            for document in documents:
                file.write(json.dumps(document | {"id": f"{name}/{document['id']}"}) + "\n")
        yield path


def fastest(command, out, rounds):
    taken = []
    for _ in range(rounds):
        shutil.rmtree(out, ignore_errors=True)
        taken.append(processor_seconds(command))
    return min(taken)


def stayed(out, snapshots):
    """The bytes of what stays of each snapshot, in whatever folder they were left."""
    return [b"".join(path.read_bytes() for path in out(each).rglob(each.name)) for each in snapshots]


def counted(runs):
    """How often each document that stays was found, and how often word for word: of those that were found again.

    Each run adds what it found, which is one less than it says: the document itself."""
    counts = defaultdict(lambda: [1, 1])
    for run in runs:
        table = pyarrow.parquet.read_table(run / "clusters.parquet", columns=["id", "kept", "copies", "exact_copies"])
        for row in table.to_pylist():
            if row["kept"]:
                counts[row["id"]][0] += row["copies"] - 1
                counts[row["id"]][1] += row["exact_copies"] - 1
    return dict(counts)


def exported(path):
    rows = map(json.loads, path.open())
    return {row["id"]: [row["copies"], row["exact_copies"]] for row in rows if row["copies"] > 1}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=existing)
    parser.add_argument("snapshots", nargs="*", type=existing)
    parser.add_argument("--versions", type=existing)
    parser.add_argument("--years", default="2022-2026")
    parser.add_argument("--pages", type=existing)
    parser.add_argument("--parts", type=int, default=5)
    parser.add_argument("--recipe", default="text")
    parser.add_argument("--rounds", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        snapshots = options.snapshots
        if options.versions:
            years = map(int, options.years.split("-"))
            snapshots = list(write(folder / "in", versions_by_year(options.versions, *years)))
        elif options.pages:
            snapshots = list(write(folder / "in", pages_by_version(options.pages, options.parts)))
        compare(options, folder, snapshots)


def compare(options, folder, snapshots):
    program, recipe = options.program, ["--recipe", options.recipe]
    dedup = [program, "dedup", *recipe]
    whole = folder / "all"
    over_all = fastest([*dedup, *snapshots, "--out", whole], whole, options.rounds)
    runs, jobs, filters = [], [], []
    for snapshot in snapshots:
        out = folder / "chain" / snapshot.stem
        known = [word for run in runs for word in ("--known", run)]
        rounds = options.rounds if snapshot is snapshots[-1] else 1
        jobs.append(fastest([*dedup, snapshot, "--out", out, *known], out, rounds))
        runs.append(out)
    index = folder / "index"
    processor_seconds([program, "index", "create", index, *recipe])
    for snapshot in snapshots:
        filters.append(processor_seconds(
            [program, "index", "filter", index, snapshot, "--out", folder / "filtered" / snapshot.stem]
        ))  # fmt: skip
    processor_seconds([program, "index", "export", index, "--out", folder / "export.jsonl"])

    kept = {
        "one job": stayed(lambda _: whole / "kept", snapshots),
        "--known": stayed(lambda snapshot: folder / "chain" / snapshot.stem / "kept", snapshots),
        "index filter": stayed(lambda snapshot: folder / "filtered" / snapshot.stem, snapshots),
    }
    counts = {
        "one job": counted([whole]),
        "--known": counted(runs),
        "index filter": exported(folder / "export.jsonl"),
    }
    print(f"{'snapshot':12} {'documents':>9} {'stay':>7} {'--known s':>9} {'filter s':>9}")
    for number, snapshot in enumerate(snapshots):
        documents = sum(1 for _ in snapshot.open("rb"))
        stay = kept["one job"][number].count(b"\n")
        print(f"{snapshot.stem:12} {documents:9,} {stay:7,} {jobs[number]:9.2f} {filters[number]:9.2f}")
    print(f"one job over all: {over_all:.2f} s; the last with --known: {jobs[-1]:.2f} s")
    found = len(counts["one job"])
    for way in ("--known", "index filter"):
        if kept[way] != kept["one job"]:
            sys.exit(f"{way}: other documents stay than in one job")
        if counts[way] != counts["one job"]:
            other = {id for id in counts[way].keys() | counts["one job"].keys()
                     if counts[way].get(id) != counts["one job"].get(id)}  # fmt: skip
            sys.exit(f"{way}: other counts than in one job of {len(other)} documents, as of {min(other)}")
    print(f"the same stay in all three ways, and the same {found:,} were found again, as often")


if __name__ == "__main__":
    main()
