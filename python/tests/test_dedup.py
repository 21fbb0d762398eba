"""The batch job on files: what the command gives; progress, Ctrl-C, errors."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
import threading
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet
import pytest
from corpora import make_rows, write_rows

import lookalike as la


def files(folder: Path) -> dict[str, bytes]:
    """All results that no circumstance may change."""
    changing = {"report.json", "report.html", "manifest.json"}
    paths = [path for path in folder.rglob("*") if path.is_file() and path.name not in changing]
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


def test_what_the_command_gives(root: Path, command: Callable[..., str], tmp_path: Path) -> None:
    corpus = root / "examples/corpus"
    command("dedup", corpus, "--out", tmp_path / "command", "--keep", "longest")
    report = la.dedup(corpus, tmp_path / "python", keep="longest")
    assert files(tmp_path / "python") == files(tmp_path / "command")
    assert len(files(tmp_path / "python")) > 5
    expected = la.Report.read(tmp_path / "command")
    assert report.exact_removed == expected.exact_removed > 0
    assert report.recipe_digest == expected.recipe_digest
    assert set(report.to_dict()) == set(expected.to_dict())
    assert la.Report.read(tmp_path / "python") == report


def test_every_option_is_the_commands(command: Callable[..., str], tmp_path: Path) -> None:
    corpus = write_rows(tmp_path / "rows.jsonl", [
        {"name": row["id"], "body": row["text"], "link": row["url"], "score": row["score"]}
        for row in make_rows(600)
    ])  # fmt: skip
    flags = (
        "--recipe text --threshold 0.7 --recall 0.9 --verify exact --sites public-suffix "
        "--keep max:score --cluster components --pairs all --max-removed 0.9 "
        "--max-removed-per-source score=1 --count score --date-field score --no-write --strict --memory 256MiB --threads 1 "
        "--format jsonl --text-field body --id-field name --url-field link --html-field page"
    )
    command("dedup", corpus, "--out", tmp_path / "command", "--temp", tmp_path / "t1", *flags.split())
    report = la.dedup(
        [corpus],
        out=tmp_path / "python",
        recipe="text",
        threshold=0.7,
        recall=0.9,
        verify="exact",
        sites="public-suffix",
        keep="max:score",
        cluster="components",
        pairs="all",
        max_removed=0.9,
        max_removed_per_source="score=1",
        count="score",
        date_field="score",
        no_write=True,
        strict=True,
        memory="256MiB",
        threads=1,
        temp=tmp_path / "t2",
        format="jsonl",
        text_field="body",
        id_field="name",
        url_field="link",
        html_field="page",
    )
    assert report.near_removed > 50
    assert files(tmp_path / "python") == files(tmp_path / "command")
    assert report.read_clusters().num_rows == pyarrow.parquet.read_table(
        tmp_path / "command/clusters.parquet"
    ).num_rows
    assert report.read_pairs().num_rows == report.pairs


def test_progress_and_the_lock(tmp_path: Path) -> None:
    corpus = write_rows(tmp_path / "rows.jsonl", make_rows(30_000))
    calls: list[la.Progress] = []
    turns = 0
    stop = threading.Event()

    def count() -> None:
        nonlocal turns
        while not stop.wait(0.001):
            turns += 1

    counting = threading.Thread(target=count)
    counting.start()
    la.dedup(corpus, tmp_path / "out", progress=calls.append, threads=1)
    stop.set()
    counting.join()
    assert calls and calls[-1].stage == "write"
    assert all(0 <= (call.share or 0) <= 1 for call in calls)
    assert [call.seconds for call in calls] == sorted(call.seconds for call in calls)
    # Another thread had its turns while the job ran, and not only when that called back.
    assert turns > 3 * len(calls)


def test_bars_of_tqdm(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    corpus = write_rows(tmp_path / "rows.jsonl", make_rows(300))
    la.dedup(corpus, tmp_path / "out", progress=True)
    assert "write" in capsys.readouterr().err


def test_a_callback_that_fails_stops_the_job(tmp_path: Path) -> None:
    corpus = write_rows(tmp_path / "rows.jsonl", make_rows(3000))

    def fail(progress: la.Progress) -> None:
        raise RuntimeError(progress.stage)

    with pytest.raises(RuntimeError):
        la.dedup(corpus, tmp_path / "out", progress=fail)


def test_interrupted_and_resumed(tmp_path: Path) -> None:
    rows = make_rows(60_000)
    corpus = write_rows(tmp_path / "rows.jsonl", rows)
    program = textwrap.dedent("""
        import sys
        import lookalike as la
        try:
            la.dedup(sys.argv[1], sys.argv[2], threads=1,
                     progress=lambda progress: print(progress.stage, flush=True))
        except KeyboardInterrupt:
            print("interrupted", flush=True)
            sys.exit(42)
    """)
    arguments = [sys.executable, "-c", program, str(corpus), str(tmp_path / "out")]
    process = subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "sign\n"
    process.send_signal(signal.SIGINT)
    rest, _ = process.communicate(timeout=60)
    assert process.returncode == 42 and rest.endswith("interrupted\n"), rest
    assert not list((tmp_path / "out").rglob("*.partial"))
    assert not (tmp_path / "out/report.json").exists()
    # What is there already is not done twice, and the end is the same.
    la.dedup(corpus, tmp_path / "out", resume=True)
    la.dedup(corpus, tmp_path / "fresh")
    assert files(tmp_path / "out") == files(tmp_path / "fresh")
    with pytest.raises(la.ExistsError) as caught:
        la.dedup(corpus, tmp_path / "out")
    assert caught.value.kind == "RunExists"
    assert la.dedup(corpus, tmp_path / "out", exact_only=True, force=True).near_removed == 0


def test_an_interrupted_batch_ends_soon() -> None:
    program = textwrap.dedent("""
        import os, signal, sys, threading, time
        import lookalike as la
        import pyarrow as pa

        def column(rows):
            text = pa.array(["many words that take a while to sign " * 5_000])
            return pa.DictionaryArray.from_arrays(pa.array([0] * rows, pa.int32()), text)

        recipe = la.Recipe.preset("text")
        began = time.monotonic()
        recipe.sign_batch(column(20))
        twenty = time.monotonic() - began
        threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
        began = time.monotonic()
        try:
            recipe.sign_batch(column(20_000))
        except KeyboardInterrupt:
            # All of them would take a thousand times as long.
            sys.exit(42 if time.monotonic() - began < 500 * twenty else 1)
    """)
    done = subprocess.run([sys.executable, "-c", program], timeout=300, check=False)
    assert done.returncode == 42


def test_errors_mirror_the_engines(tmp_path: Path) -> None:
    corpus = write_rows(tmp_path / "rows.jsonl", make_rows(300))
    with pytest.raises(la.IoError) as missing:
        la.dedup(tmp_path / "missing.jsonl", tmp_path / "out")
    assert isinstance(missing.value, OSError) and missing.value.errno == 2
    assert "missing.jsonl" in str(missing.value)
    with pytest.raises(la.RemovalError) as removal:
        la.dedup(corpus, tmp_path / "budget", max_removed=0.01)
    assert removal.value.kind == "RemovesTooMuch"
    (tmp_path / "bad.jsonl").write_text('{"id": 1}\n{"id": 2, "text": "x"}\n')
    with pytest.raises(la.InputError, match="line 1: field `text` is missing"):
        la.dedup(tmp_path / "bad.jsonl", tmp_path / "strict", strict=True)
    assert la.dedup(tmp_path / "bad.jsonl", tmp_path / "lenient").skipped == 1
    assert issubclass(la.ParameterError, ValueError) and issubclass(la.Error, Exception)
    for wrong in (
        {"keep": "last"},
        {"verify": "maybe"},
        {"cluster": "all"},
        {"pairs": "some"},
        {"memory": "1KiB"},
        {"memory": "lots"},
        {"threads": 0},
        {"format": "doc"},
        {"threshold": 1.5},
        {"recipe": "pugh", "recall": 0.5},
        {"max_removed": 2.0},
        {"max_removed_per_source": "source"},
    ):
        with pytest.raises(la.ParameterError):
            la.dedup(corpus, tmp_path / "wrong", **wrong)  # type: ignore[arg-type]
    for wrong in ({"recipe": 7}, {"memory": []}, {"keep": 7}):
        with pytest.raises(TypeError):
            la.dedup(corpus, tmp_path / "wrong", **wrong)  # type: ignore[arg-type]
    assert not os.path.exists(tmp_path / "wrong")


def test_a_plan(tmp_path: Path) -> None:
    corpus = write_rows(tmp_path / "rows.jsonl", make_rows(300))
    plan = la.plan(corpus)
    assert plan.documents == 300 and plan.sources == 1 and plan.working_bytes > 0
    with pytest.raises(AttributeError):
        plan.nothing  # noqa: B018


def test_a_damaged_parquet_file_is_skipped(tmp_path: Path) -> None:
    """Some flips make the decoder panic: the file is skipped, and nothing hangs or is raised."""
    folder = tmp_path / "in"
    folder.mkdir()
    pa, pq = pyarrow, pyarrow.parquet
    texts = [" ".join(f"w{(7 * n + m * m) % 991}" for m in range(120)) for n in range(40)]
    (folder / "a.jsonl").write_text("".join(json.dumps({"text": t}) + "\n" for t in texts))
    pq.write_table(pa.table({"text": texts}), tmp_path / "whole.parquet")
    whole = (tmp_path / "whole.parquet").read_bytes()
    for at in range(4, len(whole), max(1, len(whole) // 60)):
        damaged = bytearray(whole)
        damaged[at] ^= 0x55
        (folder / "b.parquet").write_bytes(damaged)
        report = la.dedup([str(folder)], out=tmp_path / f"out-{at}")
        assert report.documents >= 40, at


def test_the_victim_of_a_forger_stays(root: Path, tmp_path: Path) -> None:
    file = root / "tests/fixtures/forged/documents.jsonl"
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    assert la.dedup(file, tmp_path / "files").kept == len(rows) == 3
    clusters = la.dedup_table(pyarrow.Table.from_pylist(rows))
    assert la.kept_mask(clusters, 3).all()
    assert la.Recipe.preset("text").compare(rows[0]["text"], rows[2]["text"]).resemblance == 0
    with la.Index.create(tmp_path / "index", "text") as index:
        for row in rows:
            assert index.check_and_add(row["id"], row["text"]).added is not None
