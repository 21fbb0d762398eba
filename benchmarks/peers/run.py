#!/usr/bin/env python3
"""Runs the same job with Lookalike and with other libraries, one after another, and compares
time, memory and what became of the documents with the exact truth.

    target/peers-venv/bin/python benchmarks/peers/run.py INPUT --ours target/release/lookalike

INPUT is JSONL, plain, .gz or .zst. The README of benchmarks says how to make the environment
and what the columns mean.
"""

import argparse
import csv
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import job

HERE = Path(__file__).resolve().parent
PEERS = [("datasketch", "verified"), ("datasketch", "candidates"), ("rensa", "verified"),
         ("rensa", "candidates"), ("rensa", "deduplicator")]
COLUMNS = ["tool", "seconds", "to_ours", "cpu_seconds", "peak_mib", "documents", "candidates", "pairs",
           "pair_recall", "removed", "wrongly_removed", "missed", "precision", "recall"]


def main():
    arguments = parse_arguments()
    work = Path(tempfile.mkdtemp(prefix="lookalike-peers-", dir=arguments.work))
    try:
        source = subset(arguments, work)
        started = time.perf_counter()
        truth = Truth(source, arguments.text_field)
        print(f"truth: {len(truth.ids)} documents, {len(truth.pairs)} pairs at or above "
              f"{job.THRESHOLD}, {time.perf_counter() - started:.1f} s", file=sys.stderr)
        truth.compare_with_file(Path(arguments.input).parent / "resemblance.jsonl.zst")
        rounds = []
        for _ in range(arguments.runs):
            rounds.append([])
            for tool, command, out, read in tools(arguments, source, work):
                print(f"running {tool}", file=sys.stderr)
                shutil.rmtree(out, ignore_errors=True)
                row = measure(tool, command, read, truth, arguments.pairs == "all")
                rounds[-1].append(row)
        write([summed_up(rows, rounds) for rows in zip(*rounds)], arguments.csv)
    finally:
        shutil.rmtree(work)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("input")
    parser.add_argument("--ours", metavar="BINARY", help="lookalike; without it only the others")
    parser.add_argument("--limit-mb", type=float, metavar="N", help="only the first N MB of lines")
    parser.add_argument("--runs", type=int, default=1, metavar="N",
                        help="of each tool, in turns; times are medians")
    parser.add_argument("--pairs", choices=["needed", "all"], default="needed",
                        help="all: every tool looks for all pairs, not only those it needs")
    parser.add_argument("--only", metavar="NAMES", help="tools whose names begin so, by commas")
    parser.add_argument("--text-field", default="text")
    parser.add_argument("--csv", metavar="FILE", help="where to keep the table")
    parser.add_argument("--work", metavar="DIR", help="where to put outputs for the time being")
    return parser.parse_args()


def subset(arguments, work):
    """The input, or the beginning of it as a file of its own in the same compression."""
    if arguments.limit_mb is None:
        return arguments.input
    left = arguments.limit_mb * 1e6
    path = str(work / Path(arguments.input).name)
    with job.open_output(path) as out:
        for line in job.read_lines(arguments.input):
            left -= len(line)
            if left < 0:
                break
            out.write(line)
    return path


# --- the truth ---


class Truth:
    """All pairs at or above the threshold, by comparing sets that could reach it.

    Two sets of a resemblance of at least t share an element among the first n - ceil(t n) + 1
    of each, whatever one order both are sorted by. So only those are looked up, and nothing is
    missed. Rare shingles come first, which keeps the lists short.
    """

    def __init__(self, source, text_field):
        shingler = job.Shingler()
        self.ids, self.sets = [], []
        for number, line in enumerate(job.read_lines(source), 1):
            record = json.loads(line)
            self.ids.append(str(record.get("id", f"{source}#{number}")))
            self.sets.append(shingler.shingles(record[text_field]))
        self.rows = {id: row for row, id in enumerate(self.ids)}
        if len(self.rows) < len(self.ids):
            sys.exit(f"`{source}`: ids are not unique, so results cannot be told apart")
        self.pairs = self.all_pairs()
        self.partners = {}
        for a, b in self.pairs:
            self.partners.setdefault(a, []).append(b)
            self.partners.setdefault(b, []).append(a)

    def all_pairs(self):
        np = job.np
        everything = np.concatenate(self.sets) if self.sets else np.empty(0, dtype=np.uint64)
        values, counts = np.unique(everything, return_counts=True)
        del everything
        # Copies have the same set: compare one of them, then tell of all.
        groups = {}
        for row, shingles in enumerate(self.sets):
            if len(shingles):
                groups.setdefault(shingles.tobytes(), []).append(row)
        groups = sorted(groups.values())
        holders, pairs = {}, set()
        for at, rows in enumerate(groups):
            shingles = self.sets[rows[0]]
            order = np.lexsort((shingles, counts[np.searchsorted(values, shingles)]))
            size = len(shingles)
            prefix = shingles[order[: size - int(np.ceil(job.THRESHOLD * size - 1e-9)) + 1]]
            found = set()
            for shingle in prefix.tolist():
                others = holders.setdefault(shingle, [])
                found.update(others)
                others.append(at)
            similar = [rows] + [
                groups[other] for other in found
                if job.resemblance(shingles, self.sets[groups[other][0]]) >= job.THRESHOLD]
            for row in rows:
                pairs.update((min(row, other), max(row, other))
                             for others in similar for other in others if other != row)
        return pairs

    def compare_with_file(self, path):
        """Says how this truth and the one beside the documents agree, where there is one."""
        if not path.exists():
            return
        known = [json.loads(line) for line in job.read_lines(str(path))]
        known = {tuple(sorted((self.rows[pair["a"]], self.rows[pair["b"]]))) for pair in known
                 if pair["jaccard_w5"] >= job.THRESHOLD
                 and pair["a"] in self.rows and pair["b"] in self.rows}
        print(f"truth beside the documents: {len(known)} pairs, "
              f"{len(known & self.pairs)} of them in ours", file=sys.stderr)

    def judge(self, removed):
        """Removals without a look-alike that stays; documents that stay beside an earlier one."""
        wrong = sum(all(other in removed for other in self.partners.get(row, []))
                    for row in removed)
        missed = sum(any(other < row and other not in removed for other in others)
                     for row, others in self.partners.items() if row not in removed)
        return wrong, missed


# --- the tools ---


def tools(arguments, source, work):
    """(name, command, output, how to read the result) of each tool to run."""
    wanted = tuple(arguments.only.split(",")) if arguments.only else ("",)
    if arguments.ours:
        for name, threads in [("lookalike", []), ("lookalike, 1 thread", ["--threads", "1"])]:
            out = work / name.replace(", ", "-").replace(" ", "-")
            command = [arguments.ours, "dedup", source, "--out", str(out), "--keep", "first",
                       "--pairs", arguments.pairs, "--text-field", arguments.text_field, *threads]
            if name.startswith(wanted):
                yield name, command, out, lambda truth, out=out: read_ours(out, truth)
    for library, variant in PEERS:
        if not f"{library}, {variant}".startswith(wanted):
            continue
        if arguments.pairs == "all" and variant == "deduplicator":
            continue
        out = work / f"{library}-{variant}"
        command = [sys.executable, str(HERE / f"peer_{library}.py"), source, "--out", str(out),
                   "--variant", variant, "--pairs", arguments.pairs,
                   "--text-field", arguments.text_field]
        yield f"{library}, {variant}", command, out, lambda _, out=out: read_peer(out)


def read_peer(out):
    result = json.loads((out / "result.json").read_text())
    print("  " + ", ".join(f"{stage} {seconds:.1f} s"
                           for stage, seconds in result["seconds"].items()), file=sys.stderr)
    pairs = None if result["pairs"] is None else {tuple(pair) for pair in result["pairs"]}
    return result["documents"], {row for row, _ in result["removed"]}, pairs, result["candidates"]


def read_ours(out, truth):
    import pyarrow.parquet as parquet

    report = json.loads((out / "report.json").read_text())
    clusters = parquet.read_table(out / "clusters.parquet", columns=["id", "kept"]).to_pylist()
    pairs = parquet.read_table(out / "pairs.parquet", columns=["a", "b"]).to_pylist()
    removed = {truth.rows[row["id"]] for row in clusters if not row["kept"]}
    pairs = {(truth.rows[pair["a"]], truth.rows[pair["b"]]) for pair in pairs}
    print("  " + ", ".join(f"{stage} {seconds:.1f} s"
                           for stage, seconds in report["seconds"].items()), file=sys.stderr)
    return report["documents"], removed, pairs, report["candidates"]


# Runs a command and says what it took. A process of its own, because on Linux a child's peak
# memory is at least what its parent had when it was started, and the truth is large.
LAUNCHER = """
import json, os, sys, time
started = time.perf_counter()
child = os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ)
_, status, usage = os.wait4(child, 0)
seconds = time.perf_counter() - started
print(json.dumps([os.waitstatus_to_exitcode(status), seconds, usage.ru_utime + usage.ru_stime,
                  usage.ru_maxrss]))
"""


def measure(tool, command, read, truth, all_pairs):
    # The same hashes in each run, and no threads that libraries start on their own.
    environment = {**os.environ, "PYTHONHASHSEED": "0", "OMP_NUM_THREADS": "1"}
    launched = subprocess.run([sys.executable, "-S", "-c", LAUNCHER, *command], env=environment,
                              stdout=subprocess.PIPE, check=True, text=True)
    code, seconds, cpu_seconds, peak = json.loads(launched.stdout.splitlines()[-1])
    if code != 0:
        sys.exit(f"{tool} exited with {code}: {' '.join(command)}")
    documents, removed, pairs, candidates = read(truth)
    assert documents == len(truth.ids), (tool, documents, len(truth.ids))
    wrong, missed = truth.judge(removed)
    right = len(removed) - wrong
    share = lambda part, whole: f"{part / whole:.4f}" if whole else "-"
    return {
        "tool": tool,
        "seconds": seconds,
        "cpu_seconds": cpu_seconds,
        # Linux counts KiB, macOS bytes.
        "peak_mib": f"{peak / (1024 if sys.platform != 'darwin' else 1 << 20):.0f}",
        "documents": documents,
        "candidates": "-" if candidates is None else candidates,
        "pairs": "-" if pairs is None else len(pairs),
        "pair_recall": share(len(pairs & truth.pairs), len(truth.pairs)) if all_pairs else "-",
        "removed": len(removed),
        "wrongly_removed": wrong,
        "missed": missed,
        "precision": share(right, len(removed)),
        "recall": share(right, right + missed),
    }


def summed_up(rows, rounds):
    """The row of a tool, with the medians of its times and of their ratios to ours, turn by turn."""
    middle = lambda column: statistics.median(row[column] for row in rows)
    ratio = statistics.median(row["seconds"] / ours[0]["seconds"] for row, ours in zip(rows, rounds))
    has_ours = rounds[0][0]["tool"] == "lookalike"
    return rows[-1] | {
        "seconds": f"{middle('seconds'):.2f}",
        "cpu_seconds": f"{middle('cpu_seconds'):.2f}",
        "to_ours": f"{ratio:.1f}" if has_ours else "-",
    }


def write(rows, path):
    table = [COLUMNS] + [[str(row[column]) for column in COLUMNS] for row in rows]
    widths = [max(len(line[at]) for line in table) for at in range(len(COLUMNS))]
    for line in table:
        print("  ".join(cell.ljust(width) if at == 0 else cell.rjust(width)
                        for at, (cell, width) in enumerate(zip(line, widths))))
    if path:
        with open(path, "w", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(table)


if __name__ == "__main__":
    main()
