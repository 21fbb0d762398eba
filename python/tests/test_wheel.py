"""What only the wheel is: built without object stores, and with the command."""

import subprocess
import sys
from pathlib import Path

import lookalike as la
import pytest


def test_object_stores_are_not_in_it(tmp_path: Path) -> None:
    with pytest.raises(la.Error, match=r"s3://bucket/a\.txt`: is in an object store"):
        la.dedup("s3://bucket/a.txt", tmp_path / "bucket")


def test_it_brings_the_command() -> None:
    command = Path(sys.executable).with_name("lookalike")
    done = subprocess.run([command, "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"lookalike {la.__version__}\n"
    assert subprocess.run([command, "dedup"], capture_output=True, check=False).returncode == 2
