"""The checker, checked: a small run made by hand must pass, and each way to break it must fail.

The run is decided by hand below; only its scores are computed, by splitting at spaces.
"""

import contextlib
import gzip
import io
import json
import os
import tempfile
from pathlib import Path

import pyarrow
import pyarrow.parquet as parquet

from check_run import Check, Unusable, tokens

STORY = ("the miller counted his sacks twice and found one more than yesterday so he opened it "
         "and there was a cat inside who had eaten nothing and looked at him with great calm")
NEAR = STORY + " indeed"
FAR = STORY.replace("one more than yesterday so he opened it", "a hole in the wall behind them")
OTHER = "a ferry leaves the island every morning at six unless the fog is thick or the pilot asleep"
JAPANESE = "渡し船は朝の六時に島を出ます。"

# File, id, text, keeper (of what goes), kind. In the order of the input: letters come first.
DOCUMENTS = [
    ("letters/one.txt", "letters/one.txt", STORY, None, "keeper"),
    ("letters/two.txt", "letters/two.txt", STORY.upper() + "!", "letters/one.txt", "exact"),
    ("notes.jsonl", "near", NEAR, "letters/one.txt", "near"),
    ("notes.jsonl", "far", FAR, None, None),
    ("notes.jsonl", "empty", "", None, None),
    ("notes.jsonl", "near-copy", NEAR.replace(" ", ", "), "letters/one.txt", "near"),
    ("packed.jsonl.gz", "ferry", OTHER, None, "keeper"),
    ("packed.jsonl.gz", "twice", "some words", None, None),
    ("packed.jsonl.gz", "twice", "quite other words", None, None),
    ("rows.parquet", "ja", JAPANESE, None, "keeper"),
    ("rows.parquet", "ferry-again", "A " + OTHER[2:], "ferry", "exact"),
    ("table.csv", "table.csv#1", OTHER + ", \"again\"\n", "ferry", "near"),
    ("table.csv", "ja-copy", "渡し船は、朝の六時に 島を出ます", "ja", "exact"),
]
# The first of copies, or of those that resemble, and the later one.
PAIRS = [("letters/one.txt", "letters/two.txt", "exact"), ("letters/one.txt", "near", "near"),
         ("near", "near-copy", "exact"), ("ferry", "ferry-again", "exact"),
         ("ferry", "table.csv#1", "near"), ("ja", "ja-copy", "exact")]


def plain_set(text):
    """Shingles of text in words of ASCII letters, or of Japanese."""
    cleaned = "".join(c if c.isalpha() else " " for c in text.lower())
    words = cleaned.split() if text.isascii() else [c for c in cleaned if c != " "]
    return {tuple(words[at : at + 5]) for at in range(max(len(words) - 4, 1))}


class Run:
    """The tables of the run, to be broken before they are written."""

    def __init__(self):
        texts = {id: text for _, id, text, _, _ in DOCUMENTS}
        self.removed = {id for _, id, _, keeper, _ in DOCUMENTS if keeper}
        self.clusters, self.pairs = [], []
        members = [(id, keeper or id, kind) for _, id, _, keeper, kind in DOCUMENTS if kind]
        for id, keeper, kind in members:
            size = sum(other == keeper for _, other, _ in members)
            exact = sum(other == keeper and how != "near" for _, other, how in members)
            a, b = plain_set(texts[id]), plain_set(texts[keeper])
            self.clusters.append({
                "id": id, "cluster": sorted({k for _, k, _ in members}).index(keeper),
                "size": size, "keeper": keeper, "kept": id == keeper, "kind": kind,
                "copies": size, "exact_copies": exact, "resemblance": len(a & b) / len(a | b)})
        for first, second, kind in PAIRS:
            a, b = plain_set(texts[first]), plain_set(texts[second])
            shared = len(a & b)
            self.pairs.append({
                "a": first, "b": second, "kind": kind, "b_similarity": 9, "c_similarity": None,
                "estimate": 0.9, "resemblance": shared / len(a | b),
                "containment_a": shared / len(a), "containment_b": shared / len(b)})
        self.report = {
            "documents": 13, "empty": 1, "skipped": 1, "exact_removed": 3, "near_removed": 3,
            "kept": 7, "clusters": 3, "candidates": 9, "pairs": 6, "bytes_read": 1, "seconds": {},
            "peak_memory_bytes": 1, "recipe_digest": "0"}
        self.threshold = 0.8

    def write(self, folder):
        folder.mkdir()
        write_documents(folder / "kept", self.removed)
        recipe = f'version = 1\n[shingles]\nwidth = 5\n[verify]\nthreshold = {self.threshold}\n'
        (folder / "recipe.toml").write_text(recipe)
        (folder / "report.json").write_text(json.dumps(self.report))
        for name, rows in [("clusters", self.clusters), ("pairs", self.pairs)]:
            parquet.write_table(pyarrow.Table.from_pylist(rows), folder / f"{name}.parquet")

    def row(self, id):
        return next(row for row in self.clusters if row["id"] == id)


def write_documents(folder, removed=frozenset()):
    """The inputs, or the part of them that stays. One line of the notes is no JSON."""
    (folder / "letters").mkdir(parents=True)
    files = {"notes.jsonl": [], "packed.jsonl.gz": [], "rows.parquet": [], "table.csv": []}
    for file, id, text, _, _ in DOCUMENTS:
        if id in removed:
            continue
        if file.startswith("letters/"):
            (folder / file).write_text(text)
        else:
            files[file].append((id, text))
    for file in ["notes.jsonl", "packed.jsonl.gz"]:
        lines = [json.dumps({"id": id, "text": text, "n": [1]}) + "\n" for id, text in files[file]]
        if file == "notes.jsonl" and not removed:
            lines.insert(1, "{broken\n")
        data = "".join(lines).encode()
        (folder / file).write_bytes(gzip.compress(data) if file.endswith(".gz") else data)
    rows = [{"id": id, "text": text, "n": 1.5} for id, text in files["rows.parquet"]]
    parquet.write_table(pyarrow.Table.from_pylist(rows), folder / "rows.parquet")
    own = lambda id: "" if id.startswith("table.csv#") else id
    quoted = ["{},\"{}\"\n".format(own(id), text.replace('"', '""'))
              for id, text in files["table.csv"]]
    (folder / "table.csv").write_text("id,text\n" + "".join(quoted))


def broken_runs():
    """(name, what is expected to fail, change of the tables, change of the files)."""
    nothing = lambda _: None
    edit = lambda path, change: path.write_bytes(change(path.read_bytes()))

    def keeper_goes(run):
        run.removed.add("ferry")

    def chain(run):
        # `far` is removed for `near`, which goes itself.
        run.removed.add("far")
        run.clusters.append({**run.row("near"), "id": "far", "keeper": "near", "size": 5})
        for row in run.clusters[:4]:
            row["size"] = 5

    def too_far(run):
        run.removed.add("far")
        run.clusters.append({**run.row("near"), "id": "far", "size": 5, "resemblance": 0.81})
        for row in run.clusters:
            row["size"] = 5 if row["keeper"] == "letters/one.txt" else row["size"]

    def set_row(id, /, **values):
        return lambda run: run.row(id).update(values)

    def set_pair(at, **values):
        return lambda run: run.pairs[at].update(values)

    def cut_row(id):
        return lambda run: run.clusters.remove(run.row(id))

    def swap(data):
        lines = data.splitlines(keepends=True)
        return b"".join([lines[1], lines[0], *lines[2:]])

    resembles = "removed documents resemble their keepers"
    mirrored = "documents of kept/ are those of the inputs, in order"
    return [
        ("a keeper goes", "keepers stay, in the same cluster", keeper_goes, nothing),
        ("a chain", "keepers stay, in the same cluster", chain, nothing),
        ("a removal without resemblance", resembles, too_far, nothing),
        ("near called exact", "exact copies have the same tokens",
         set_row("near", kind="exact"), nothing),
        ("a wrong number of copies", "copies are the documents of clusters",
         set_row("near", copies=9), nothing),
        ("a wrong resemblance", "scores are right", set_row("near", resemblance=0.99), nothing),
        ("an unverified removal", "scores are right", set_row("near", resemblance=None), nothing),
        ("a removal without a row", mirrored, cut_row("ferry-again"), nothing),
        ("a row without a document", "ids of clusters.parquet are documents",
         set_row("near", id="nobody"), nothing),
        ("a wrong size", "clusters have the size they say", set_row("ja", size=3), nothing),
        ("kept, but not a keeper", "kinds and kept agree", set_row("ja", kind="near"), nothing),
        ("a pair is missing", "removed documents have their pair",
         lambda run: run.pairs.pop(1), nothing),
        ("the pair of a copy is missing", "removed documents have their pair",
         lambda run: run.pairs.pop(2), nothing),
        ("a pair below the threshold", "pairs are at or above the threshold",
         lambda run: run.pairs.append({**run.pairs[1], "b": "far"}), nothing),
        ("a pair in the wrong order", "pairs are in the order of the input",
         set_pair(1, a="near", b="letters/one.txt"), nothing),
        ("a pair of another kind", "kinds of pairs are right", set_pair(1, kind="exact"), nothing),
        ("a wrong containment", "scores are right", set_pair(1, containment_a=0.5), nothing),
        ("a wrong count", "counts of report.json are right",
         lambda run: run.report.update(kept=8), nothing),
        ("a count is missing", "report.json is complete",
         lambda run: run.report.pop("candidates"), nothing),
        ("another threshold", resembles, lambda run: setattr(run, "threshold", 0.99), nothing),
        ("a copy stays", "of copies at most one stays",
         lambda run: (run.removed.remove("ja-copy"), cut_row("ja-copy")(run), cut_row("ja")(run)),
         nothing),
        ("kept in another order", mirrored, nothing,
         lambda kept: edit(kept / "notes.jsonl", swap)),
        ("kept with other spaces", mirrored, nothing,
         lambda kept: edit(kept / "notes.jsonl", lambda data: data.replace(b": ", b":"))),
        ("kept without a field", mirrored, nothing,
         lambda kept: edit(kept / "packed.jsonl.gz", lambda data: gzip.compress(
             gzip.decompress(data).replace(b', "n": [1]', b"")))),
        ("kept without a record", mirrored, nothing,
         lambda kept: edit(kept / "notes.jsonl", lambda data: data.split(b"\n", 1)[1])),
        ("kept with one too many", mirrored, nothing,
         lambda kept: edit(kept / "notes.jsonl", lambda data: data + data)),
        ("a letter is missing", mirrored, nothing,
         lambda kept: (kept / "letters/one.txt").unlink()),
        ("a letter is changed", mirrored, nothing,
         lambda kept: edit(kept / "letters/one.txt", bytes.upper)),
        ("a file is missing", "files of kept/ stand for inputs", nothing,
         lambda kept: (kept / "table.csv").unlink()),
        ("a file too many", "files of kept/ stand for inputs", nothing,
         lambda kept: (kept / "new.txt").write_text("new")),
        ("another header", "files of kept/ begin as their inputs", nothing,
         lambda kept: edit(kept / "table.csv", lambda data: data.replace(b"id,", b"ID,", 1))),
        ("another schema", "files of kept/ begin as their inputs", nothing,
         lambda kept: parquet.write_table(
             parquet.read_table(kept / "rows.parquet").drop_columns("n"), kept / "rows.parquet")),
    ]


TOKENS = [
    ("It's 3/4 done; naïve CAFÉ", "it s 3 4 done naïve café"),
    ("STRASSE Straße ﬁne Ⅳ ½", "strasse strasse fine iv 1 2"),
    ("see https://www.a-b.example/x_y/Z.html?q=1, ok", "see https www a-b example x_y z html?q=1 ok"),
    ("(http://a.b/c)d éhttp://a.b", "http a b c d éhttp a b"),
    ("éhttp://a-b,http://a-b", "éhttp a b http a-b"),
    ("[http://a.b/c-d](http://a.b/c-d)", "http a b c-d http a b c-d"),
    ("日本語とEnglish、ｶﾀｶﾅ", "日 本 語 と english カ タ カ ナ"),
    ("हिन्दी में 42", "हिन्दी में 42"),
    ("co\u00adoperate zero\u200bwidth under_score", "cooperate zerowidth under score"),
    ("", ""),
]


def run():
    faults = [f"tokens of {text!r}: {tokens(text)}" for text, expected in TOKENS
              if tokens(text) != expected.split()]
    cases = [("a good run", None, lambda _: None, lambda _: None), *broken_runs()]
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            write_documents(Path("in"))
            # The ids of files are their paths as given, so the folder is given as `.`.
            os.chdir("in")
            for number, (name, expected, change_tables, change_files) in enumerate(cases):
                tables = Run()
                change_tables(tables)
                out = Path("..") / f"run-{number}"
                tables.write(out)
                change_files(out / "kept")
                fault = judge(out, expected)
                if fault:
                    faults.append(f"{name}: {fault}")
        finally:
            os.chdir(before)
    for fault in faults:
        print(fault)
    print(f"{len(TOKENS)} texts, {len(cases)} runs, {len(faults)} faults")
    return 1 if faults else 0


def judge(out, expected):
    check = Check(["."], out, {"text": "text", "id": "id"})
    printed = io.StringIO()
    try:
        right = check.check()
        with contextlib.redirect_stdout(printed):
            check.print()
    except Unusable as error:
        return f"cannot be checked: {error}"
    if expected is None:
        return None if right else "did not pass\n" + printed.getvalue()
    if expected not in check.violations:
        return f"expected a violation of `{expected}`, found {dict(check.violations)}"
    return None
