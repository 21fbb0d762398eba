"""Whether other tools read what `--annotate` adds, in every format, and find nothing else changed.

    annotated.py LOOKALIKE FOLDER

Makes one corpus in each format, has it annotated, and reads it with pandas, polars, DuckDB and pyarrow. What they find
is what clusters.parquet says.
"""

import json
import subprocess
import sys
from pathlib import Path

import duckdb
import pandas
import polars
import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.ipc
import pyarrow.parquet

FIELDS = ["cluster", "copies", "keeper", "kind", "resemblance", "kept"]
ROWS = 400


def corpus():
    """Documents, of which some are copies or versions of others, beside columns of all sorts."""
    texts = []
    for number in range(ROWS):
        family = number % 130
        words = [f"w{(family * 7919 + at * 31) % 2000}" for at in range(60)]
        if number >= 130 and number % 3 == 0:
            words[number % 60] = f"edited{number}"
        texts.append(" ".join(words) + (', "quoted"\n' if number % 5 == 0 else ""))
    plain = {
        "id": pa.array([f"d{number}" for number in range(ROWS)]),
        "text": pa.array(texts),
        "n": pa.array([None if number % 7 == 0 else number for number in range(ROWS)], pa.int64()),
    }
    rich = {
        "lang": pa.array([["en", "de"][number % 2] for number in range(ROWS)]).dictionary_encode(),
        "meta": pa.array([{"tags": ["a"] * (number % 3), "at": number} for number in range(ROWS)]),
    }
    return pa.table(plain), pa.table(plain | rich)


def write_files(folder):
    plain, rich = corpus()
    folder.mkdir(parents=True)
    lines = (json.dumps(row, ensure_ascii=False) for row in rich.to_pylist())
    (folder / "lines.jsonl").write_text("".join(line + "\n" for line in lines))
    pyarrow.csv.write_csv(plain, folder / "cells.csv")
    tabs = pyarrow.csv.WriteOptions(delimiter="\t")
    pyarrow.csv.write_csv(plain, folder / "tabs.tsv", tabs)
    pyarrow.parquet.write_table(rich, folder / "groups.parquet", row_group_size=90, compression="zstd")
    with pyarrow.ipc.new_file(folder / "file.arrow", rich.schema) as out:
        out.write_table(rich, max_chunksize=70)
    with pyarrow.ipc.new_stream(folder / "stream.arrow", rich.schema) as out:
        out.write_table(rich, max_chunksize=70)
    return plain, rich


def value(found):
    """A value as JSON has it: tools have several kinds of nothing."""
    return None if found is None or found != found else found


def readings(path):
    """Each tool's rows of a file: all columns, with the added ones by the names of FIELDS."""
    name = str(path)
    if path.suffix == ".jsonl":
        yield "pandas", pandas.read_json(path, lines=True, precise_float=True).to_dict("records")
        yield "polars", polars.read_ndjson(path, infer_schema_length=None).to_dicts()
        query = f"select * from read_json('{name}', sample_size=-1)"
    elif path.suffix in (".csv", ".tsv"):
        separator = "," if path.suffix == ".csv" else "\t"
        yield "pandas", pandas.read_csv(path, sep=separator).to_dict("records")
        yield "polars", polars.read_csv(path, separator=separator, infer_schema_length=None).to_dicts()
        query = f"select * from read_csv('{name}', sample_size=-1)"
    elif path.suffix == ".parquet":
        yield "pandas", pandas.read_parquet(path).to_dict("records")
        yield "polars", polars.read_parquet(path).to_dicts()
        yield "pyarrow", pyarrow.parquet.read_table(path).to_pylist()
        query = f"select * from '{name}'"
    else:
        open_it = pyarrow.ipc.open_file if path.name == "file.arrow" else pyarrow.ipc.open_stream
        batches = open_it(pa.memory_map(name)).read_all()
        yield "pyarrow", batches.to_pylist()
        read = polars.read_ipc if path.name == "file.arrow" else polars.read_ipc_stream
        yield "polars", read(path).to_dicts()
        yield "pandas", batches.to_pandas().to_dict("records")
        query = "select * from batches"
    cursor = duckdb.sql(query)
    yield "duckdb", [dict(zip(cursor.columns, row)) for row in cursor.fetchall()]


def added(row):
    if "lookalike" in row:
        return {field: value(row["lookalike"][field]) for field in FIELDS}
    return {field: value(row[f"lookalike_{field}"]) for field in FIELDS}


def check(path, out, original):
    clusters = pyarrow.parquet.read_table(out / "clusters.parquet").to_pylist()
    clusters = {row["id"]: row for row in clusters}
    nothing = dict.fromkeys(FIELDS) | {"copies": 1, "kept": True}
    assert any(not row["kept"] for row in clusters.values()), path
    tools = []
    for tool, rows in readings(path):
        assert len(rows) == ROWS, (tool, path, len(rows))
        for row, before in zip(rows, original.to_pylist()):
            member = clusters.get(row["id"])
            expected = nothing
            if member:
                expected = {field: member["size" if field == "copies" else field] for field in FIELDS}
            assert added(row) == expected, (tool, path, row["id"], added(row), expected)
            for column in ["id", "text", "n"]:
                assert value(row[column]) == before[column], (tool, path, column, row[column])
        tools.append(tool)
    return tools


def check_passages(lookalike, folder, out):
    """The spans of passages are lists that all of them read."""
    command = [lookalike, "passages", folder / "groups.parquet", "--out", out, "--annotate", "--cut", "words", "--quiet"]
    subprocess.run(command, check=True)
    path = out / "kept/groups.parquet"
    texts = {row["id"]: row["text"].encode() for row in pyarrow.parquet.read_table(path).to_pylist()}
    seen = 0
    for tool, rows in readings(path):
        for row in rows:
            for span in row["lookalike_passages"]:
                own = texts[row["id"]][span["begin"] : span["end"]].decode().split()
                there = texts[span["keeper"]][span["keeper_begin"] : span["keeper_end"]].decode().split()
                assert own[0] == there[0] and len(own) == span["words"] == len(there), (tool, row["id"], span)
                seen += 1
    assert seen > 0
    return seen


def main():
    lookalike, folder = sys.argv[1], Path(sys.argv[2])
    plain, rich = write_files(folder / "in")
    for path in sorted((folder / "in").iterdir()):
        out = folder / path.stem
        subprocess.run([lookalike, "dedup", path, "--out", out, "--write", "all", "--annotate", "--quiet"], check=True)
        original = plain if path.suffix in (".csv", ".tsv") else rich
        print(path.name, "is read by", ", ".join(check(out / "all" / path.name, out, original)))
    print("passages:", check_passages(lookalike, folder / "in", folder / "passages"), "spans read")


main()
