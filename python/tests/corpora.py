"""Corpora that are made. Benchmarks make them too, without pytest."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any


def make_rows(count: int, seed: int = 1) -> list[dict[str, Any]]:
    """Rows of which every third is like another: copies, and copies with a few other words."""
    chance = random.Random(seed)
    rows: list[dict[str, Any]] = []
    texts: list[list[str]] = []
    for number in range(count):
        if number % 3 == 2:
            words = list(chance.choice(texts[-200:]))
            for _ in range(chance.choice([0, 1, 1, 2, 6])):
                words[chance.randrange(len(words))] = f"new{chance.randrange(1000)}"
        else:
            words = [f"w{chance.randrange(5000)}" for _ in range(chance.randrange(20, 60))]
        texts.append(words)
        rows.append(
            {
                "id": f"document {number}",
                "text": " ".join(words),
                "url": f"https://www{number % 5}.example.org/{number}",
                "score": chance.randrange(1000),
            }
        )
    return rows


def write_rows(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path
