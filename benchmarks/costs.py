#!/usr/bin/env python3
"""What a document costs in each recipe: bytes of its signature, of a signature file, and of an index without texts.

    python3 benchmarks/costs.py PROGRAM CORPUS... [--documents 20000]

Signs the first documents of a corpus under each preset, and under `altavista` with nothing but its features kept, and adds them
to a compacted index without contents. An index has the id, the URL, the postings and the counters of a document
besides; ids are `d` and a number. Needs the tool `zstd` for packed corpora, and no packages.
"""

import argparse
import json
import subprocess
import tempfile
from pathlib import Path

from end_to_end import lines

PRESETS = "text pages noisy altavista henzinger-b henzinger-c henzinger-combined henzinger-sites pugh".split()
BARE = 'base = "altavista"\nname = "48 bytes"\n\n[exact]\nkeep = false\n'


def told(*command):
    return subprocess.run([*map(str, command)], check=True, capture_output=True, text=True).stdout


def folder_bytes(folder):
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=Path)
    parser.add_argument("corpus", type=Path, nargs="+")
    parser.add_argument("--documents", type=int, default=20_000)
    asked = parser.parse_args()

    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        corpus, count = scratch / "documents.jsonl", 0
        with corpus.open("w") as out:
            for path in asked.corpus:
                for line in lines(path):
                    if count == asked.documents:
                        break
                    out.write(json.dumps({"id": f"d{count}", "text": json.loads(line)["text"]}) + "\n")
                    count += 1
        bare = scratch / "bare.toml"
        bare.write_text(BARE)
        print(f"{count} documents, bytes of each")
        print(f"{'recipe':20} {'signature':>10} {'file':>8} {'index':>8}")
        for recipe in [*PRESETS, bare]:
            signatures, index = scratch / "signatures", scratch / f"index-{Path(recipe).stem}"
            told(asked.program, "sketch", corpus, "-o", signatures, "--recipe", recipe, "--force")
            width = json.loads(told(asked.program, "info", signatures, "--json"))["bytes_per_document"]
            told(asked.program, "index", "create", index, "--no-text", "--recipe", recipe)
            told(asked.program, "index", "add", index, corpus)
            told(asked.program, "index", "compact", index)
            of_file, of_index = signatures.stat().st_size / count, folder_bytes(index) / count
            print(f"{Path(recipe).stem:20} {width:10} {of_file:8.1f} {of_index:8.1f}", flush=True)


if __name__ == "__main__":
    main()
