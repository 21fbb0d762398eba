"""The other jobs: what the command gives, with types."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import pyarrow.feather
import pyarrow.ipc
import pyarrow.parquet
import pytest
from corpora import make_rows, write_rows
from test_dedup import files

import lookalike as la

Command = Callable[..., str]


@pytest.fixture(scope="module")
def clean(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("jobs") / "clean"
    la.dedup(root / "examples/corpus", out, pairs="all")
    return out


def test_decide(clean: Path, command: Command, tmp_path: Path) -> None:
    command("decide", clean, "--out", tmp_path / "command", "--threshold", "0.9", "--keep", "longest",
            "--cluster", "components", "--memory", "256MiB", "--threads", "1")  # fmt: skip
    stages: list[str] = []
    report = la.decide(
        clean, tmp_path / "python", threshold=0.9, keep="longest", cluster="components",
        memory="256MiB", threads=1, progress=lambda progress: stages.append(progress.stage),
    )  # fmt: skip
    assert files(tmp_path / "python") == files(tmp_path / "command")
    assert report.kept == la.Report.read(tmp_path / "command").kept > la.Report.read(clean).kept
    assert stages[-1] == "write" and report.recipe["threshold"] == 0.9
    assert not (la.decide(clean, tmp_path / "only", no_write=True).out or clean).joinpath("kept").exists()
    with pytest.raises(la.ParameterError):
        la.decide(clean, tmp_path / "looser", threshold=0.5)
    with pytest.raises(la.ParameterError, match="threshold is 1.5"):
        la.decide(clean, tmp_path / "wrong", threshold=1.5)
    with pytest.raises(la.RemovalError):
        la.decide(clean, tmp_path / "budget", max_removed=0.01)
    with pytest.raises(la.ExistsError):
        la.decide(clean, tmp_path / "python")


def test_several_of_a_cluster_stay(root: Path, command: Command, tmp_path: Path) -> None:
    corpus = root / "examples/corpus"
    command("dedup", corpus, "--out", tmp_path / "command", "--keep-count", "2", "--keep", "longest")
    report = la.dedup(corpus, tmp_path / "python", keep_count=2, keep="longest")
    assert files(tmp_path / "python") == files(tmp_path / "command")
    table = pyarrow.parquet.read_table(tmp_path / "python" / "clusters.parquet")
    beside = [row for row in table.to_pylist() if row["kept"] and row["kind"] != "keeper"]
    assert report.kept_beside == len(beside) > 0
    (explanation,) = la.why(tmp_path / "python", beside[0]["id"])
    assert explanation.removal is not None
    assert (explanation.fate, explanation.removal.keeper.id) == ("beside", beside[0]["keeper"])
    (explanation,) = la.why(tmp_path / "python", beside[0]["keeper"])
    assert explanation.first[0].kept
    again = la.decide(tmp_path / "python", tmp_path / "again", keep_count=1)
    assert again.kept == report.kept - report.kept_beside
    with pytest.raises(la.ParameterError, match="keep_count is 0"):
        la.dedup(corpus, tmp_path / "none", keep_count=0)


def test_documents_that_are_in_others_go(root: Path, command: Command, tmp_path: Path) -> None:
    corpus = root / "examples/corpus"
    command("dedup", corpus, "--out", tmp_path / "command", "--lost", "0.1")
    report = la.dedup(corpus, tmp_path / "python", lost=0.1)
    assert files(tmp_path / "python") == files(tmp_path / "command")
    lost = report.lost
    assert lost is not None and lost["share"] == 0.1
    assert 0 < lost["shingles_lost"] <= 0.1 * lost["shingles"]
    decided = la.decide(tmp_path / "python", tmp_path / "decided", lost=0.02)
    assert decided.kept > report.kept
    words = [f"word{n}" for n in range(60)]
    table = {"id": ["part", "whole"], "text": [" ".join(words[:30]), " ".join(words)]}
    clusters = la.dedup_table(pyarrow.table(table), lost=0)
    assert clusters.select(["id", "keeper", "kept"]).to_pylist() == [
        {"id": "whole", "keeper": "whole", "kept": True},
        {"id": "part", "keeper": "whole", "kept": False},
    ]
    for options in [{"threshold": 0.9}, {"recall": 0.9}, {"keep": "first"}, {"cluster": "components"}]:
        with pytest.raises(la.ParameterError):
            la.dedup(corpus, tmp_path / "refused", lost=0.1, **options)  # type: ignore[arg-type]
    with pytest.raises(la.ParameterError):
        la.decide(tmp_path / "python", tmp_path / "refused", lost=0.1, threshold=0.9)
    assert la.plan(corpus, lost=0.02).working_bytes > 0


def test_what_is_written(clean: Path, root: Path, command: Command, tmp_path: Path) -> None:
    flags = ["--write", "all", "--annotate", "--annotate-as", "seen", "--repeat", "1:1,2:2", "--weight"]
    command("decide", clean, "--out", tmp_path / "command", *flags)
    la.decide(
        clean, tmp_path / "python", write="all", annotate=True, annotate_as="seen", repeat={2: 2, 1: 1}, weight=True
    )
    assert files(tmp_path / "python") == files(tmp_path / "command")
    command("dedup", root / "examples/corpus/notes.jsonl", "--out", tmp_path / "twice", "--repeat", "2:3")
    la.dedup(root / "examples/corpus/notes.jsonl", tmp_path / "again", repeat="2:3")
    assert files(tmp_path / "twice") == files(tmp_path / "again")
    with pytest.raises(la.ParameterError, match="write is `some`"):
        la.decide(clean, tmp_path / "wrong", write="some")  # type: ignore[arg-type]
    with pytest.raises(la.ParameterError, match="times must be"):
        la.decide(clean, tmp_path / "wrong", repeat={2: 0})


def test_decide_from_needed_pairs(root: Path, tmp_path: Path) -> None:
    run = tmp_path / "needed"
    la.dedup(root / "examples/corpus", run, threshold=0.5)
    exact = la.decide(run, tmp_path / "exact", keep="longest")
    assert exact.kept == la.dedup(root / "examples/corpus", tmp_path / "new", threshold=0.5, keep="longest").kept
    quick = la.decide(run, tmp_path / "quick", keep="longest", approximate=True)
    assert quick.kept >= exact.kept and exact.notes == [] and "Approximate" in quick.notes[0]


def test_against(root: Path, command: Command, tmp_path: Path) -> None:
    questions, letters = root / "examples/questions.jsonl", root / "examples/letters"
    printed = command("against", questions, "--input", letters, "--json", "--clean", tmp_path / "command")
    expected = [json.loads(line) for line in printed.splitlines()]
    findings = la.against(questions, letters, clean=tmp_path / "python")
    names = list(expected[0])
    assert [{name: getattr(each, name) for name in names} for each in findings.found] == expected
    assert findings.matches == len(expected) == 5 and findings.references_found == 2
    assert files(tmp_path / "python") == files(tmp_path / "command") != {}
    assert "scaffold" in repr(findings.found[0]) and "5 matches" in repr(findings)

    file = tmp_path / "matches.parquet"
    stored = la.against([questions], [letters], out=file)
    assert stored.found == [] and stored.matches == 5
    assert pyarrow.parquet.read_table(file).to_pylist() == expected
    with pytest.raises(la.ExistsError):
        la.against(questions, letters, out=file)
    assert la.against(questions, letters, out=file, force=True).matches == 5
    assert la.against(questions, letters, containment=None).found == []
    passages = la.against(questions, letters, ngram=13).found
    expected = json.loads(command("against", questions, "--input", letters, "--json", "--ngram", "13").splitlines()[3])
    passage = passages[3].passage
    assert passage is not None and passage.words == expected["words"]
    assert (passage.input_word, passage.reference_word) == (expected["input_word"], expected["reference_word"])
    assert (passage.input_text, passage.reference_text) == (expected["input_passage"], expected["reference_passage"])
    assert findings.found[0].passage is None and "razor" in repr(passage)
    every = la.against(questions, letters, passages=13).found
    printed = command("against", questions, "--input", letters, "--json", "--passages", "--min-words", "13")
    places = ["words", "input_begin", "input_end", "reference_begin", "reference_end"]
    told = [[getattr(each.passage, name) for name in places] for each in every]
    assert told == [[json.loads(line)[name] for name in places] for line in printed.splitlines()] != []
    for wrong in ({"ngram": 0}, {"passages": 0}, {"passages": 5, "ngram": 5}, {"ngram": 5, "threshold": 0.5}, {"containment": 0.0}, {"min_tokens": 0}, {"out": "matches.csv"}, {"threshold": 2.0}):
        with pytest.raises(la.ParameterError):
            la.against(questions, letters, **wrong)  # type: ignore[arg-type]


def test_interrupted_jobs_leave_nothing(tmp_path: Path) -> None:
    corpus = write_rows(tmp_path / "rows.jsonl", make_rows(60_000))
    (tmp_path / "work").mkdir()
    program = textwrap.dedent("""
        import sys
        import lookalike as la
        try:
            la.against(sys.argv[1], sys.argv[1], out=sys.argv[2], temp=sys.argv[3], threads=1,
                       progress=lambda progress: print(progress.stage, flush=True))
        except KeyboardInterrupt:
            sys.exit(42)
    """)
    file, work = tmp_path / "matches.jsonl", tmp_path / "work"
    arguments = [sys.executable, "-c", program, str(corpus), str(file), str(work)]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stdout.readline()
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        assert process.returncode == 42
    assert not file.exists() and list(work.iterdir()) == []
    assert [path.name for path in tmp_path.iterdir() if "matches" in path.name] == []


def test_mirrors(root: Path, command: Command) -> None:
    pages = root / "examples/pages/documents.jsonl"
    expected = json.loads(command("mirrors", pages, "--min-pages", "2", "--json"))
    found = la.mirrors(pages, min_pages=2)
    assert len(found.mirrors) == len(expected["mirrors"]) > 0
    for mirror, as_json in zip(found.mirrors, expected["mirrors"], strict=True):
        examples = [tuple(example) for example in as_json.pop("examples")]
        assert mirror.examples == examples
        assert {name: getattr(mirror, name) for name in as_json} == as_json
    for name in set(expected) - {"mirrors", "seconds", "peak_memory_bytes"}:
        assert getattr(found, name) == expected[name], name
    assert "www.news.example/" in repr(found.mirrors[0]) and "mirrors in" in repr(found)
    with pytest.raises(la.ParameterError):
        la.mirrors(pages, min_share=0.0)
    with pytest.raises(la.ParameterError):
        la.mirrors(pages, min_pages=0)


def test_why(clean: Path, command: Command) -> None:
    clusters = la.Report.read(clean).read_clusters().to_pylist()
    near = next(row for row in clusters if row["kind"] == "near")
    [explanation] = la.why(clean, near["id"])
    [expected] = json.loads(command("why", clean, near["id"], "--json"))["documents"]
    removal = explanation.removal
    assert removal is not None and removal.scores is not None
    assert (explanation.fate, removal.kind) == (expected["fate"], expected["kind"]) == ("removed", "near")
    assert removal.keeper.id == expected["keeper"]["id"] == near["keeper"]
    assert removal.scores.resemblance == expected["resemblance"] == near["resemblance"]
    assert removal.shared_features == expected["shared_features"]
    assert (removal.features, removal.cluster_size) == (expected["features"], expected["cluster_size"])
    assert explanation.document.record == expected["record"]
    assert near["id"] in repr(explanation) and near["keeper"] in repr(explanation)

    pair = explanation.compare()
    assert pair.resemblance == near["resemblance"] and pair.containment_a == expected["containment_a"]
    assert "<del>" in pair._repr_html_() or "<ins>" in pair._repr_html_()

    [keeper] = la.why(clean, near["keeper"])
    assert keeper.fate == "kept" and keeper.removal is None and keeper.stands_for >= 1
    assert near["id"] in [member.document.id for member in keeper.first]
    with pytest.raises(la.ParameterError, match="no other document for its keeper"):
        keeper.compare()
    with pytest.raises(la.ParameterError, match="had no document `nobody`"):
        la.why(clean, "nobody")

    assert removal is not None and explanation.cuts == [] and explanation.words_cut == 0
    path = la.path_between(clean, near["id"], near["keeper"])
    assert path is not None
    assert [(step.a.id, step.b.id) for step in path] == [(near["id"], near["keeper"])]
    assert path[0].scores == removal.scores
    other = next(row for row in clusters if row["cluster"] != near["cluster"])
    assert la.path_between(clean, near["id"], other["id"]) is None
    with pytest.raises(la.ParameterError, match="name two"):
        la.path_between(clean, near["id"], near["id"])


def test_tune(command: Command) -> None:
    for flags, found in (
        ("--threshold 0.9 --recall 0.99 --bytes 64", la.tune(0.9, 0.99, bytes=64)),
        ("--threshold 0.7 --permutations 100 --unwanted 0.5", la.tune(0.7, permutations=100, unwanted=0.5)),
        ("--k 6 --s 14 --r 2", la.tune(k=6, s=14, r=2)),
    ):
        expected = json.loads(command("tune", *flags.split(), "--json"))
        # What only the command tells.
        for name in ("to_verify", "error", "features_in_common"):
            expected.pop(name, None)
        expected["curve"] = [tuple(point) for point in expected["curve"]]
        assert {name: getattr(found, name) for name in expected} == expected
    assert la.tune(k=6, s=14, r=2).threshold is None
    assert la.tune(0.8).probability(1.0) == 1.0
    assert repr(la.tune(k=6, s=14, r=2)) == "<lookalike.Filter [6, 14, 2], 84 permutations>"
    for wrong in ({}, {"threshold": 0.8, "k": 6}, {"k": 6, "s": 14}, {"threshold": 1.5}):
        with pytest.raises(la.ParameterError):
            la.tune(**wrong)  # type: ignore[arg-type]


def test_tune_on_a_sample(root: Path, command: Command) -> None:
    letters = root / "examples/corpus"
    for flags, found in (
        (["--threshold", "0.8", "--seeds", "3"], la.tune(0.8, sample=letters, seeds=3)),
        (["--recipe", "text", "--seed", "7"], la.tune(recipe="text", sample=[letters], seed=7)),
    ):
        expected = json.loads(command("tune", *flags, "--sample", letters, "--json"))["sample"]
        bins = expected.pop("bins")
        measured = found.sample
        assert measured is not None and measured.pairs > 0
        assert {name: getattr(measured, name) for name in expected} == expected
        for each, as_json in zip(measured.bins, bins, strict=True):
            assert (each.start, each.end) == (as_json.pop("from"), as_json.pop("to"))
            assert {name: getattr(each, name) for name in as_json} == as_json
        assert "documents, recall 0." in repr(measured) or "recall 1." in repr(measured)
    assert la.tune(0.8).sample is None and la.tune(recipe="text").threshold == 0.8
    for wrong in ({"recipe": "henzinger-c"}, {"threshold": 0.8, "sample": letters, "seeds": 0}):
        with pytest.raises(la.ParameterError):
            la.tune(**wrong)  # type: ignore[arg-type]
    with pytest.raises(la.Error, match="nowhere"):
        la.tune(0.8, sample="nowhere.jsonl")


def test_evaluate(root: Path, command: Command, tmp_path: Path) -> None:
    pages = root / "examples/pages"
    documents, labels = pages / "documents.jsonl", pages / "labels.jsonl"
    expected = json.loads(command(
        "eval", "--documents", documents, "--labels", labels, "--out", tmp_path / "command", "--json",
        "--recipes", "text,henzinger-b,simhash", "--repeats", "2",
    ))  # fmt: skip
    found = la.evaluate(
        documents, labels, recipes=["text", la.Recipe.preset("henzinger-b"), "simhash"], repeats=2,
        out=tmp_path / "python",
    )  # fmt: skip
    values = found.to_dict()
    # Times and memory are those of the run.
    for of in (values, expected):
        for recipe in of["recipes"]:  # type: ignore[union-attr]
            recipe.pop("cost")  # type: ignore[union-attr]
    assert values == expected
    text, b, simhash = found.recipes
    assert (text.name, b.name, simhash.name) == ("text", "henzinger-b", "simhash")
    assert text.quality == expected["recipes"][0]["quality"] and text.quality["right"] > 0
    f1 = text.quality["f1"]
    assert f1 is not None and f1["low"] <= f1["share"] <= f1["high"]
    assert text.curve is not None and text.curve["basis"] == "labelled" and b.curve is None
    assert text.clusters is not None and text.clusters["b_cubed"]["f1"] is not None
    assert text.over_seeds is not None and len(text.over_seeds["runs"]) == 2
    best = found.best()
    assert best is not None and best.name in ("text", "henzinger-b", "simhash")
    assert found.to_csv().count("\n") > 20 and "<iframe sandbox" in found._repr_html_()
    assert (tmp_path / "python/eval.html").exists() and found.out == tmp_path / "python"
    with pytest.raises(la.ExistsError):
        la.evaluate(documents, labels, out=tmp_path / "python")
    with pytest.raises(la.InputError):
        la.evaluate(documents, documents)
    for wrong in ({"absent": "no"}, {"identical": "no"}, {"recipes": ["none"]}, {"correct": ["incorrect"]}):
        with pytest.raises(la.ParameterError):
            la.evaluate(documents, labels, **wrong)  # type: ignore[arg-type]


def test_arrow_files(root: Path, command: Command, tmp_path: Path) -> None:
    table = pyarrow.table({
        "id": ["a", "b", "c"],
        "body": ["one two three four five six seven eight nine", "some other words altogether, and more of them",
                 "One two three, four five six seven eight NINE"],
        "stars": [1, 2, 3],
    })  # fmt: skip
    inputs = tmp_path / "inputs"
    inputs.mkdir()
    with pyarrow.ipc.new_stream(inputs / "cache.arrow", table.schema) as writer:
        writer.write_table(table, max_chunksize=2)
    pyarrow.feather.write_feather(table, inputs / "table.feather", compression="zstd")
    pyarrow.feather.write_feather(table, inputs / "packed.feather", compression="lz4")
    for file in sorted(inputs.iterdir()):
        out = tmp_path / file.name
        report = la.dedup(file, out, text_field="body")
        assert (report.documents, report.kept, report.exact_removed) == (3, 2, 1)
        kept = out / "kept" / file.name
        if file.suffix == ".arrow":
            with pyarrow.ipc.open_stream(kept) as reader:
                written = reader.read_all()
        else:
            written = pyarrow.feather.read_table(kept, memory_map=False)
        assert written == table.slice(0, 2)
    command("sketch", inputs, "--text-field", "body", "-o", tmp_path / "signatures")
    command("index", "create", tmp_path / "index")
    command("index", "add", tmp_path / "index", inputs / "cache.arrow", "--text-field", "body")
    with la.Index.open(tmp_path / "index") as index:
        assert sorted(record.id for record in index) == ["a", "b", "c"]
    bad = tmp_path / "bad.arrow"
    bad.write_bytes((inputs / "table.feather").read_bytes()[:-40])
    with pytest.raises(la.InputError, match="is broken"):
        la.dedup(bad, tmp_path / "bad", text_field="body", strict=True)


def test_sets_of_items() -> None:
    words = [f"w{number}" for number in range(300)]
    a, b = set(words[:200]), set(words[50:])
    signed = la.sign_items(a)
    # As the text that has these words: what an item is hashed to is no secret.
    plain = la.Recipe.load("text", ngram=1)
    words_of_text = plain.sign(" ".join(sorted(a)))
    assert la.sign_items(a, plain) == words_of_text and words_of_text.tokens == len(a)
    assert list(signed.features) == list(words_of_text.features) and signed.recipe.name == "sets"
    # Neither order nor repeats nor the type of a text matter.
    assert la.sign_items([*reversed(sorted(a)), *words[:10]]) == signed
    assert la.sign_items(word.encode() for word in a) == signed
    assert la.sign_items(range(100)) == la.sign_items(str(number) for number in range(100))
    assert la.sign_items([True, 3.0, None, 0.5]) == la.sign_items(["true", "3", "0.5"])
    estimate = signed.estimate(la.sign_items(b))
    jaccard = len(a & b) / len(a | b)
    permutations = plain.permutations or 0
    assert estimate is not None and permutations > 0
    # Five times the standard deviation of so many permutations.
    assert abs(estimate - jaccard) < 5 * (jaccard * (1 - jaccard) / permutations) ** 0.5
    assert la.sign_items([]).empty
    with pytest.raises(la.ParameterError, match="sets"):
        la.Recipe.preset("text").sign_items(a)
    for wrong in ([[1]], [{}], "text"):
        with pytest.raises(TypeError, match="must be"):
            la.sign_items(wrong)  # type: ignore[arg-type]
    with pytest.raises(la.ParameterError, match="no number"):
        la.sign_items([float("nan")])


def test_sets_in_files_tables_and_indexes(root: Path, tmp_path: Path) -> None:
    playlists = root / "examples/playlists.jsonl"
    expected = json.loads((root / "examples/playlists.expected.json").read_text("utf-8"))
    rows = [json.loads(line) for line in playlists.read_text("utf-8").splitlines()]
    report = la.dedup(playlists, tmp_path / "out", set_field="tracks", keep="first")
    assert report.recipe["name"] == "sets" and report.documents - report.kept == len(expected["removed"])
    # Strings, numbers and truth values in one list have no type in Arrow, and lists of one have.
    for table in (pyarrow.Table.from_pylist(rows), rows):
        clusters = la.dedup_table(table, sets="tracks", keep="first")
        gone = clusters.filter(pyarrow.compute.invert(clusters["kept"]))["id"].to_pylist()
        assert sorted(gone) == expected["removed"]
    with pytest.raises(la.Error, match="set-field"):
        la.dedup(playlists, tmp_path / "no", recipe="sets")
    with pytest.raises(la.ParameterError, match="only one of"):
        la.dedup_table(rows, html="name", sets="tracks")

    sets = la.Recipe.preset("sets")
    tracks = {row["id"]: row["tracks"] for row in rows}
    with la.Index.in_memory(sets) as index:
        index.add_batch({"id": id, "items": items} for id, items in tracks.items() if id not in expected["removed"])
        for pair in expected["pairs"]:
            assert not index.check(items=reversed(tracks[pair["b"]])).is_new
        assert index.add("new", items=["a", 1]).replaced is False
        assert index.check(signature=la.sign_items([1, "a"])).keeper.id == "new"  # type: ignore[union-attr]
        with pytest.raises(la.Error, match="sets of items"):
            index.check("a text")
    pair = expected["pairs"][0]
    compared = sets.compare_items(tracks[pair["a"]], tracks[pair["b"]])
    assert round(compared.resemblance, 6) == pair["resemblance"]
    for refused in (sets.sign, lambda text: sets.compare(text, text), lambda text: sets.sign_batch([text])):
        with pytest.raises(la.ParameterError, match="tokens"):
            refused("a text")
    with pytest.raises(la.ParameterError, match="of texts"):
        la.Recipe.preset("text").compare_items([1], [1])


def test_why_of_cuts(root: Path, command: Command, tmp_path: Path) -> None:
    command("passages", root / "examples/corpus", "--out", tmp_path / "cut")
    [explanation] = la.why(tmp_path / "cut", "page-067")
    [expected] = json.loads(command("why", tmp_path / "cut", "page-067", "--json"))["documents"]
    passages = expected["passages"]
    assert explanation.words_cut == passages["words_cut"] > 0 and explanation.fate == expected["fate"]
    names = ["begin", "end", "words", "copies", "keeper_begin", "keeper_end"]
    told = [[getattr(cut, name) for name in names] for cut in explanation.cuts]
    assert told == [[cut[name] for name in names] for cut in passages["cuts"]]
    keeper = explanation.cuts[0].keeper
    assert keeper.id == passages["cuts"][0]["keeper"]["id"] and keeper.id in repr(explanation.cuts[0])
    [kept] = la.why(tmp_path / "cut", keeper.id)
    assert "page-067" in [cut.document.id for cut in kept.kept_pieces]
