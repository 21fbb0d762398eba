"""The job as it is submitted, on a true cluster: the engine's answer, also if a worker is killed."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet
import pyspark
import pytest
from spark_cluster import SETTINGS, Cluster
from spark_corpora import CLUSTERS, PAIRS, from_engine, mixed_rows, tuples


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with Cluster(tmp_path_factory.mktemp("cluster")) as cluster:
        yield cluster


def start(command: list[str], arguments: tuple[str | Path, ...], environment: dict[str, str]) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*command, *map(str, arguments)], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        encoding="utf-8",
    )  # fmt: skip


def submit(cluster: Cluster, *arguments: str | Path) -> subprocess.Popen[str]:
    """By spark-submit, as on a cluster."""
    command = [str(Path(pyspark.__file__).parent / "bin/spark-submit"), "--master", cluster.master]
    # A task that would do better the second time is a fault where nobody is killed.
    for name, value in (SETTINGS | {"spark.task.maxFailures": "1"}).items():
        command += ["--conf", f"{name}={value}"]
    job = find_spec("lookalike.spark.__main__")
    assert job is not None and job.origin is not None
    return start([*command, job.origin, "dedup"], arguments, cluster.environment)


def run_module(cluster: Cluster, *arguments: str | Path) -> subprocess.Popen[str]:
    """By Python alone."""
    command = [sys.executable, "-m", "lookalike.spark", "dedup", "--master", cluster.master]
    return start(command, arguments, cluster.python_environment(SETTINGS))


def ended(job: subprocess.Popen[str], code: int) -> str:
    output, errors = job.communicate(timeout=600)
    assert job.returncode == code, errors[-5000:]
    return output


def read(path: Path) -> pa.Table:
    return pyarrow.parquet.read_table(path)


def write_rows(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def test_two_workers(cluster: Cluster, tmp_path: Path) -> None:
    rows = [row for row in mixed_rows() if row["id"] < "hot 000100"]
    clusters, pairs, _ = from_engine(rows, tmp_path, keep="max:score")
    for part in range(3):
        pyarrow.parquet.write_table(pa.Table.from_pylist(rows[part::3]), tmp_path / f"part{part}.parquet")
    out = tmp_path / "spark"
    inputs = sorted(tmp_path.glob("part*.parquet"))
    counts = json.loads(
        ended(submit(cluster, "--input", *inputs, "--output", out, "--keep", "max:score", "--no-write"), 0)
    )
    assert tuples(read(out / "clusters.parquet"), CLUSTERS) == clusters
    assert tuples(read(out / "pairs.parquet"), PAIRS) == pairs
    assert counts["documents"] == len(rows) and not (out / "kept").exists()


def test_a_worker_killed_in_the_middle(cluster: Cluster, tmp_path: Path) -> None:
    rows = [row for row in mixed_rows() if row["id"] < "hot 000300" or row["id"] > "hot 9"]
    clusters, pairs, report = from_engine(rows, tmp_path)
    for part in range(4):
        write_rows(tmp_path / f"part{part}.jsonl", rows[part::4])
    out, work = tmp_path / "spark", tmp_path / "work"
    work.mkdir()
    job = run_module(cluster, "--input", *sorted(tmp_path.glob("part*.jsonl")), "--output", out, "--work", work)
    # Groups are known, and nothing is decided yet.
    while job.poll() is None and not list(work.glob("*/members/_SUCCESS")):
        time.sleep(0.05)
    assert not list(work.glob("*/clusters/_SUCCESS")), "the job was faster than the test"
    cluster.kill_worker(0)
    counts = json.loads(ended(job, 0))
    assert tuples(read(out / "clusters.parquet"), CLUSTERS) == clusters
    assert tuples(read(out / "pairs.parquet"), PAIRS) == pairs
    assert counts["kept"] == report.kept
    gone = {row[0] for row in clusters if not row[4]}
    kept = [json.loads(line) for path in (out / "kept").glob("*.json") for line in path.read_text("utf-8").splitlines()]
    assert {row["id"] for row in kept} == {row["id"] for row in rows} - gone
    assert list(work.glob("[!.]*")) == []
