"""What the tests share: the repository and the command."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

# Who runs tests in the background has Ctrl-C ignored, and so would the programs that tests interrupt.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def root() -> Path:
    return ROOT


@pytest.fixture(scope="session")
def command() -> Callable[..., str]:
    """Runs the command `lookalike`, which LOOKALIKE_COMMAND names."""
    program = os.environ.get("LOOKALIKE_COMMAND")
    if not program:
        pytest.skip("LOOKALIKE_COMMAND does not name the command to compare with")

    def run(*arguments: str | Path) -> str:
        done = subprocess.run(
            [program, *map(str, arguments)], capture_output=True, text=True, check=False
        )
        assert done.returncode in (0, 3), done.stderr
        return done.stdout

    return run
