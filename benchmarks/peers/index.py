"""The index beside datasketch's MinHashLSH, in memory and on a Redis server, in one run.

All get signatures that are made already: 91 minvalues in 13 bands of 7, as in the recipe `text`.
One document in ten shares bands with an earlier one. Each system adds them in its fastest way,
then is asked about documents one by one, half of them new and half look-alikes of known ones,
and must find what was planted.

    python benchmarks/peers/index.py --ours target/release/lookalike-benchmarks
"""

import argparse
import resource
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from datasketch import MinHash, MinHashLSH

BANDS, ROWS = 13, 7
PERMUTATIONS = BANDS * ROWS
CHECKS = 20_000
BATCH = 1000


def planted(number):
    """Which earlier document a document shares bands with, or None."""
    return number // 2 if number % 10 == 9 else None


def minvalues(number):
    """As good as random, the same at every call; of a look-alike four bands are another's."""
    values = np.random.default_rng(number).integers(0, 1 << 32, PERMUTATIONS, dtype=np.uint32)
    of = planted(number)
    if of is not None:
        values[: 4 * ROWS] = minvalues(of)[: 4 * ROWS]
    return values


def signature(number):
    return MinHash(num_perm=PERMUTATIONS, hashvalues=minvalues(number), scheme="affine32")


class InMemory:
    name = "datasketch 2.0.0, in memory"
    kept = "of memory, nothing on disk"

    def __init__(self):
        self.before = resident()
        self.index = MinHashLSH(num_perm=PERMUTATIONS, params=(BANDS, ROWS))

    def add(self, batch):
        for key, value in batch:
            self.index.insert(key, value, check_duplication=False)

    def bytes(self):
        return resident() - self.before

    def end(self):
        pass


class OnRedis:
    name = "datasketch 2.0.0, on Redis"
    kept = "of Redis's memory; its log is synced once a second"

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="lookalike-redis-")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.server = subprocess.Popen(
            ["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--dir", self.folder,
             "--save", "", "--appendonly", "yes", "--appendfsync", "everysec"],
            stdout=subprocess.DEVNULL)
        storage = {"type": "redis", "basename": b"bench",
                   "redis": {"host": "127.0.0.1", "port": port}}
        import redis

        self.client = redis.Redis("127.0.0.1", port)
        for _ in range(100):
            try:
                self.client.ping()
                break
            except redis.exceptions.ConnectionError:
                time.sleep(0.1)
        self.index = MinHashLSH(
            num_perm=PERMUTATIONS, params=(BANDS, ROWS), storage_config=storage)

    def add(self, batch):
        with self.index.insertion_session(buffer_size=BATCH) as session:
            for key, value in batch:
                session.insert(key, value, check_duplication=False)

    def bytes(self):
        return self.client.info("memory")["used_memory"]

    def end(self):
        self.server.terminate()
        self.server.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


def resident():
    for line in open("/proc/self/status"):
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) << 10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10


def measure(system, documents):
    seconds = 0.0
    for first in range(0, documents, BATCH):
        batch = [(n, signature(n)) for n in range(first, min(first + BATCH, documents))]
        start = time.perf_counter()
        system.add(batch)
        seconds += time.perf_counter() - start
    times = [[], []]
    asked = documents
    checks = min(CHECKS, documents // 10)
    while min(map(len, times)) < checks // 2:
        of = planted(asked)
        kind = 0 if of is None else 1
        if len(times[kind]) < checks // 2 and (of is None or of < documents):
            value = signature(asked)
            start = time.perf_counter()
            found = system.index.query(value)
            times[kind].append(time.perf_counter() - start)
            if (of in found) != (of is not None):
                sys.exit(f"{system.name}: document {asked} has other matches")
        asked += 1
    both = np.array(times[0] + times[1]) * 1e6
    print(f"{system.name}, {documents} documents")
    print(f"{'  add, batches of 1000':28}{seconds:10.2f} s{documents / seconds:34.0f} documents/s")
    print(f"{'  check':28}{np.median(both):10.1f} us median, {np.percentile(both, 99):.1f} us at 99 %")
    print(f"{'  bytes':28}{system.bytes() / documents:10.1f} bytes/document {system.kept}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ours", required=True, type=Path, help="the program lookalike-benchmarks")
    parser.add_argument("--documents", type=int, default=5_000_000, help="for ours")
    parser.add_argument("--peer-documents", type=int, default=500_000,
                        help="for all: the others would need hours, or more memory than there is")
    arguments = parser.parse_args()
    if shutil.which("redis-server") is None:
        sys.exit("index.py: `redis-server` is missing; install Debian's package redis-server")
    for documents in sorted({arguments.peer_documents, arguments.documents}):
        subprocess.run([arguments.ours, "index", "--documents", str(documents)], check=True)
        print(flush=True)
    for system in (InMemory, OnRedis):
        running = system()
        try:
            measure(running, arguments.peer_documents)
        finally:
            running.end()


if __name__ == "__main__":
    main()
