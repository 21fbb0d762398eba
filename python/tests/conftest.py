"""What the tests share: the repository and the command."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

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


@pytest.fixture(scope="session")
def session() -> Iterator[SparkSession]:
    """Spark in this process, for those tests that have it."""
    from pyspark.sql import SparkSession
    from spark_cluster import SETTINGS

    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master("local[2]")
    for name, value in SETTINGS.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()
