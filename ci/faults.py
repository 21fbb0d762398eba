"""A job whose system calls fail, each in turn, under strace: it ends with code 2 and names the file,
and `--resume` then gives the bytes of a job that nothing happened to.

    python3 ci/faults.py LOOKALIKE INPUT [EVERY]

EVERY: only each so many-th call, for a quick look.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

# What fails, and how a disk says so.
FAULTS = [("write", "ENOSPC"), ("fsync", "EIO"), ("rename", "EIO"), ("mkdir", "EACCES")]
VARYING = {"report.json", "report.html", "manifest.json"}


def results(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    named = {str(path.relative_to(folder)): path for path in files}
    return {name: path.read_bytes() for name, path in named.items() if name not in VARYING}


def main() -> None:
    program, source = sys.argv[1:3]
    every = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    with tempfile.TemporaryDirectory() as scratch:
        fresh, out, log = (Path(scratch) / name for name in ("fresh", "out", "log"))

        def job(at: Path, *more: str) -> list[str]:
            return [program, "dedup", source, "--out", str(at), "--threads", "1", *more]

        subprocess.run(job(fresh), check=True, capture_output=True)
        expected = results(fresh)
        wrong = []
        for call, error in FAULTS:
            traced = ["strace", "-f", "-e", f"trace={call}", "-o", str(log)]
            shutil.rmtree(out, ignore_errors=True)
            subprocess.run([*traced, *job(out)], check=True, capture_output=True)
            calls = sum(f" {call}(" in line for line in log.read_text().splitlines())
            failed = 0
            for number in range(1, calls + 1, every):
                shutil.rmtree(out, ignore_errors=True)
                inject = [*traced, "-e", f"inject={call}:error={error}:when={number}"]
                run = subprocess.run([*inject, *job(out)], capture_output=True, text=True)
                where = f"{call} {number} of {calls}: {error}"
                failed += run.returncode == 2
                if run.returncode not in (0, 2):
                    wrong.append(f"{where}: code {run.returncode}: {run.stderr.strip()}")
                if run.returncode == 2 and "`" not in run.stderr:
                    wrong.append(f"{where}: names no file: {run.stderr.strip()}")
                more = ["--resume"] if (out / "manifest.json").exists() else []
                again = subprocess.run(job(out, *more), capture_output=True, text=True)
                if again.returncode != 0:
                    wrong.append(f"{where}: does not go on: {again.stderr.strip()}")
                elif results(out) != expected:
                    wrong.append(f"{where}: other results")
            print(f"{call}: {error} at each of {calls} calls; {failed} ended the job")
            if failed == 0:
                wrong.append(f"{call}: nothing failed, so nothing was tested")
        print(*wrong, sep="\n", file=sys.stderr)
        sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
