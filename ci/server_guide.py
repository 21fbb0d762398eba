#!/usr/bin/env python3
"""Runs the `curl` examples of a guide against a server, and compares what they print.

    server_guide.py GUIDE URL

Every `console` block is looked at; three dots stand for anything.
"""

import re
import subprocess
import sys


def examples(guide):
    for block in re.findall(r"```console\n(.*?)```", guide, re.S):
        for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
            # A command ends with the first line that does not end in a backslash.
            found = re.match(r"((?:[^\n]*\\\n)*[^\n]*)\n(.*)", part, re.S)
            command, expected = found.group(1), found.group(2)
            if "curl " in command:
                yield command, expected.strip()


def main():
    guide, url = sys.argv[1:]
    address = url.removeprefix("http://").rstrip("/")
    run = 0
    for command, expected in examples(open(guide).read()):
        done = subprocess.run(["bash", "-c", command.replace("localhost:7700", address)],
                              capture_output=True, text=True, timeout=60)
        pattern = ".*".join(re.escape(part) for part in expected.split("..."))
        if not re.fullmatch(pattern, done.stdout.strip(), re.S):
            sys.exit(f"{guide}: {command}\n--- is said to print\n{expected}\n--- and printed\n"
                     f"{done.stdout}{done.stderr}")
        run += 1
    assert run >= 8, f"only {run} examples were found"
    print(f"guide: {run} examples print what is shown")


main()
