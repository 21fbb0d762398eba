"""Whether the queries of docs/guide/snapshots.md add up over a chain of runs what one job over all crawls counts.

    crawls.py LOOKALIKE FOLDER

Makes crawls, some of whose pages come again, edited, under other addresses and from other vendors; cleans each with
all before it as `--known`; and runs the queries in DuckDB, beside one job over all of them.
"""

import json
import random
import re
import subprocess
import sys
from pathlib import Path

import duckdb
import pyarrow.parquet

GUIDE = Path(__file__).parent.parent / "docs/guide/snapshots.md"
YEARS = ["2024", "2025", "2026"]
COLUMNS = ["copies", "exact_copies", "sources", "first", "last"]


def write_crawls(folder, draw):
    """Crawls of pages of which each is of a family: the same words, or some of them replaced."""
    families = [[f"w{draw.randrange(3000)}" for _ in range(150)] for _ in range(60)]
    folder.mkdir(parents=True)
    for year in YEARS:
        pages = []
        for number in range(80):
            words = list(draw.choice(families))
            for _ in range(draw.choice([0, 0, 1, 2])):
                words[draw.randrange(len(words))] = f"edited{draw.randrange(10**6)}"
            page = {"id": f"{year}-{number}", "text": " ".join(words)}
            # Some say nothing of where and when they were found.
            if draw.random() < 0.9:
                page["vendor"] = draw.choice("abcd")
            if draw.random() < 0.9:
                page["date"] = f"{year}-{draw.randint(1, 12):02}-{draw.randint(1, 28):02}"
            pages.append(json.dumps(page) + "\n")
        (folder / f"{year}.jsonl").write_text("".join(pages))


def counted(folder):
    """What one job says of each document that was found again."""
    rows = pyarrow.parquet.read_table(folder / "all/clusters.parquet").to_pylist()
    kept = (row for row in rows if row["kept"])
    return {(row["source"], row["record"]): {name: row[name] for name in COLUMNS} for row in kept}


def day(value):
    return value and value.strftime("%Y-%m-%d")


def main():
    lookalike, folder = Path(sys.argv[1]).resolve(), Path(sys.argv[2])
    write_crawls(folder / "crawls", random.Random(22))

    def dedup(*words):
        subprocess.run([lookalike, "dedup", *words, "--quiet"], cwd=folder, check=True)

    for number, year in enumerate(YEARS):
        known = [word for before in YEARS[:number] for word in ("--known", before)]
        dedup(f"crawls/{year}.jsonl", "--out", year, *known)
    dedup("crawls", "--out", "all", "--count", "vendor", "--date-field", "date")
    dedup("crawls", "--out", "by-file")

    duckdb.sql(f"SET file_search_path = '{folder.resolve()}'")
    members, fields = (
        {row[:2]: dict(zip(query.columns[2:], row[2:])) for row in query.fetchall()}
        for query in map(duckdb.sql, re.findall(r"```sql\n(.*?)```", GUIDE.read_text(), re.DOTALL))
    )
    wanted = counted(folder)
    assert len(wanted) > 20, "pages come again"
    found = {place: members[place] | fields[place] for place in members.keys() | fields.keys()}
    for place, row in wanted.items():
        for name in COLUMNS:
            one, all_runs = (day(of[name]) if name in ("first", "last") else of[name] for of in (row, found[place]))
            assert one == all_runs, f"{place}: {name} is {one} of one job, and {all_runs} of its crawls"
    by_file = pyarrow.parquet.read_table(folder / "by-file/clusters.parquet").to_pylist()
    files = {(row["source"], row["record"]): row["sources"] for row in by_file if row["kept"]}
    assert files == {place: row["files"] for place, row in found.items()}
    print(f"crawls: {len(found)} documents were found again, as often as one job says")


if __name__ == "__main__":
    main()
