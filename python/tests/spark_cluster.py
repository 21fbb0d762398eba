"""A true cluster on this machine: a standalone master and workers, each a process on loopback."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from types import TracebackType

import pyspark

# Much is compiled for little data: the quick compiler, plans as they are, and nothing generated for them.
SETTINGS = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.memory": "1g",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.executor.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.executor.memory": "600m",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    # Partitions of so little cost more than they bring.
    "spark.sql.shuffle.partitions": "3",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


class Cluster:
    """Started by `with`, and stopped after it, whatever happens."""

    def __init__(self, folder: Path, workers: int = 2, memory: str = "1g") -> None:
        self._folder = folder
        self._count = workers
        self._memory = memory
        self._port, self._page = free_port(), free_port()
        self._processes: list[subprocess.Popen[bytes]] = []
        self.environment = os.environ | {
            "SPARK_LOCAL_IP": "127.0.0.1",
            "SPARK_DAEMON_MEMORY": "256m",
            "SPARK_DAEMON_JAVA_OPTS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
            "PYSPARK_PYTHON": sys.executable,
        }

    @property
    def master(self) -> str:
        return f"spark://127.0.0.1:{self._port}"

    def __enter__(self) -> Cluster:
        try:
            self._start("master.Master", "--port", str(self._port), "--webui-port", str(self._page))
            self._wait(lambda: self._alive() >= 0, "the master does not answer")
            for number in range(self._count):
                self._start(
                    "worker.Worker", "--cores", "1", "--memory", self._memory, "--webui-port", "0", "--work-dir",
                    str(self._folder / f"worker-{number}"), self.master,
                )  # fmt: skip
            self._wait(lambda: self._alive() == self._count, "the workers do not come")
        except BaseException:
            self._stop()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop()

    def python_environment(self, settings: dict[str, str]) -> dict[str, str]:
        """What a Python program has that starts a session with these settings."""
        arguments = " ".join(f"--conf '{name}={value}'" for name, value in settings.items())
        return self.environment | {"PYSPARK_SUBMIT_ARGS": f"{arguments} pyspark-shell"}

    def kill_worker(self, number: int) -> None:
        """Kills a worker and its executors, with all that they have in memory."""
        process = self._processes[1 + number]
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def _start(self, what: str, *arguments: str) -> None:
        program = Path(pyspark.__file__).parent / "bin/spark-class"
        log = self._folder / f"{len(self._processes)}.log"
        with log.open("wb") as output:
            self._processes.append(
                subprocess.Popen(
                    [program, f"org.apache.spark.deploy.{what}", "--host", "127.0.0.1", *arguments],
                    env=self.environment,
                    stdout=output,
                    stderr=output,
                    # A group of its own, which executors are in, too.
                    start_new_session=True,
                )
            )

    def _alive(self) -> int:
        """How many workers there are; -1 if there is no master, or none that knows yet."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self._page}/json/", timeout=10) as page:
                return int(json.load(page)["aliveworkers"])
        except (OSError, ValueError):
            return -1

    def _wait(self, ready: object, failure: str) -> None:
        end = time.monotonic() + 180
        while not ready():  # type: ignore[operator]
            ended = any(process.poll() is not None for process in self._processes)
            if ended or time.monotonic() > end:
                logs = "".join(path.read_text("utf-8", "replace") for path in self._folder.glob("*.log"))
                raise RuntimeError(f"{failure}: {logs[-2000:]}")
            time.sleep(0.1)

    def _stop(self) -> None:
        for process in reversed(self._processes):
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
