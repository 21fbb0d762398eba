"""The command as the package brings it: `python -m lookalike`, and what ends it."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from corpora import make_rows, write_rows

import lookalike as la

COMMAND = [sys.executable, "-m", "lookalike"]


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*COMMAND, *map(str, arguments)], capture_output=True, text=True, check=False)


def test_version_and_usage() -> None:
    version = run("--version")
    assert (version.returncode, version.stdout, version.stderr) == (0, f"lookalike {la.__version__}\n", "")
    wrong = run("dedup")
    assert (wrong.returncode, wrong.stdout) == (2, "")
    # By the name of the command, not that of the file which Python runs.
    assert "Usage: lookalike dedup" in wrong.stderr


def test_exit_codes(root: Path, tmp_path: Path) -> None:
    letters = root / "examples/letters"
    same = run("compare", letters / "a.txt", letters / "a.txt", "--exit-code", "--json")
    assert same.returncode == 0 and '"resemblance":1.0' in same.stdout
    assert run("compare", letters / "a.txt", letters / "g.txt", "--exit-code").returncode == 1
    missing = run("compare", letters / "a.txt", letters / "none.txt")
    assert missing.returncode == 2 and "none.txt" in missing.stderr and not missing.stdout
    (tmp_path / "bad.jsonl").write_text('{"text": "a b c"}\nno json\n')
    assert run("dedup", tmp_path / "bad.jsonl", "--out", tmp_path / "out").returncode == 3


def test_it_is_the_engine_of_the_package(tmp_path: Path) -> None:
    corpus = write_rows(tmp_path / "rows.jsonl", make_rows(300))
    done = run("dedup", corpus, "--out", tmp_path / "command", "--quiet")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    report = la.dedup(corpus, tmp_path / "python")
    assert report.read_clusters().equals(la.Report.read(tmp_path / "command").read_clusters())


def test_a_reader_that_goes_away_is_no_error() -> None:
    recipe = subprocess.Popen([*COMMAND, "recipe", "text"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert recipe.stdout is not None and recipe.stderr is not None
    recipe.stdout.close()
    assert recipe.wait(60) == 0 and recipe.stderr.read() == b""
    recipe.stderr.close()


def test_ctrl_c_ends_a_job_that_waits(tmp_path: Path) -> None:
    out = tmp_path / "out"
    arguments = [*COMMAND, "dedup", "-", "--format", "jsonl", "--out", str(out)]
    with subprocess.Popen(arguments, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        end = time.monotonic() + 60
        while not out.exists() and time.monotonic() < end:
            time.sleep(0.01)
        # Once to ask, and once more, since it waits for standard input.
        for _ in range(2):
            process.send_signal(signal.SIGINT)
            time.sleep(0.2)
        assert process.wait(60) == 130
        assert process.stderr is not None
        told = process.stderr.read()
    assert "lookalike: interrupted" in told and "--resume" in told and "Traceback" not in told


@pytest.mark.parametrize("ignored", [False, True])
def test_ctrl_c_ends_a_command_without_a_handler(ignored: bool, root: Path) -> None:
    letter = root / "examples/letters/a.txt"
    arguments = [*COMMAND, "compare", str(letter), "-"]
    before = signal.getsignal(signal.SIGINT)
    if ignored:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        process = subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    finally:
        signal.signal(signal.SIGINT, before)
    assert process.stdin is not None
    # More than a pipe holds: once it is written, the command reads.
    process.stdin.write(b"word " * 100_000)
    process.stdin.flush()
    process.send_signal(signal.SIGINT)
    if ignored:
        time.sleep(0.2)
        assert process.poll() is None
        stdout, stderr = process.communicate(timeout=60)
        assert process.returncode == 0 and b"resemblance" in stdout
    else:
        # As the system ends it: no Python is there to be asked first.
        assert process.wait(60) == -signal.SIGINT
        stdout, stderr = process.communicate()
        assert stdout == b""
    assert b"Traceback" not in stderr
