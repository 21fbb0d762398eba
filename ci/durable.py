"""The order of writes, syncs and renames of a command, under strace.

A name that a power cut may leave must lead to what was written. So, of every
rename to a final name:

1. the file was synced after its last write, and before the rename;
2. its folder was synced after the rename, and before the command says that
   something is complete: before the next rename of a file whose name is given
   by --says (a manifest), and before the end.

    python3 ci/durable.py [--says NAME]... [--below FOLDER]... -- COMMAND...

What is not so is said, and the end is 1. The test of the test: the same trace is
played without each of its syncs in turn. Without that of a file it must fail;
that of a folder may be followed by another in time.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile

from synced import joined

CALLS = "write,pwrite64,writev,ftruncate,rename,renameat,renameat2,fsync,fdatasync"
LINE = re.compile(r"^\d+ +(\w+)\((.*)\) += (\d+)")
FD = re.compile(r"^\d+<([^>]*)>")
NAMES = re.compile(r'"((?:[^"\\]|\\.)*)"')


def trace(command: list[str]) -> list[tuple[str, list[str]]]:
    """The calls that succeeded, in order: name, and the paths that they are about."""
    with tempfile.NamedTemporaryFile("r", suffix=".strace") as log:
        strace = ["strace", "-f", "-y", "-s", "4096", "-e", f"trace={CALLS}", "-o", log.name]
        done = subprocess.run([*strace, *command], stdout=subprocess.DEVNULL, check=False)
        if done.returncode not in (0, 3):
            sys.exit(f"the command ended with {done.returncode}")
        calls = []
        unfinished: dict[str, str] = {}
        for line in log:
            match = LINE.match(joined(line, unfinished) or "")
            if not match:
                continue
            call, arguments, _ = match.groups()
            if call.startswith("rename"):
                paths = [os.path.abspath(name) for name in NAMES.findall(arguments)]
            else:
                held = FD.match(arguments)
                paths = [held[1]] if held else []
            calls.append((call, paths))
        return calls


def faults(calls: list[tuple[str, list[str]]], says: set[str], below: list[str]) -> list[str]:
    """What a power cut could lose."""
    dirty: set[str] = set()
    unsafe: dict[str, str] = {}  # folder -> a name that is not safe there yet
    found = []

    def matters(path: str) -> bool:
        return not below or any(path.startswith(folder + "/") for folder in below)

    def check(moment: str) -> None:
        found.extend(f"{name}: its folder was not synced {moment}" for name in unsafe.values())
        unsafe.clear()

    for call, paths in calls:
        if not paths or not matters(paths[-1]) and call not in ("fsync", "fdatasync"):
            continue
        if call in ("fsync", "fdatasync"):
            dirty.discard(paths[0])
            unsafe.pop(paths[0], None)
        elif call.startswith("rename"):
            old, new = paths
            if os.path.basename(new) in says:
                check(f"before `{os.path.basename(new)}` said so")
            if old in dirty:
                found.append(f"{new}: was not synced before it had its name")
                dirty.discard(old)
            unsafe[os.path.dirname(new)] = new
        else:
            dirty.add(paths[0])
    check("before the end")
    return found


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--says", action="append", default=[])
    parser.add_argument("--below", action="append", default=[])
    parser.add_argument("command", nargs="+")
    arguments = parser.parse_args()
    below = [os.path.realpath(folder) for folder in arguments.below]
    calls = trace(arguments.command)
    says = set(arguments.says)
    found = faults(calls, says, below)
    for fault in found:
        print(fault, file=sys.stderr)
    if found:
        sys.exit(1)
    # The test of the test: without any one sync that comes before a rename is safe, it is found.
    renamed = {path for call, paths in calls if call.startswith("rename") for path in paths}
    needed = renamed | {os.path.dirname(path) for path in renamed}
    syncs = [
        number
        for number, (call, paths) in enumerate(calls)
        if call in ("fsync", "fdatasync") and paths and paths[0] in needed
    ]
    folders = {os.path.dirname(path) for path in renamed}
    unnoticed = [
        calls[number][1][0]
        for number in syncs
        if not faults(calls[:number] + calls[number + 1 :], says, below)
    ]
    for path in (path for path in unnoticed if path not in folders):
        print(f"{path}: nothing notices if it is not synced", file=sys.stderr)
        found.append(path)
    names = sum(call.startswith("rename") for call, _ in calls)
    print(f"{names} names, {len(syncs)} syncs, {len(unnoticed)} of them of folders synced again")
    sys.exit(1 if found or not names or not syncs else 0)


if __name__ == "__main__":
    main()
