#!/usr/bin/env python3
"""Writes examples/playlists.jsonl: sets that are no text, and which of them are nearly the same.

    python3 examples/make_playlists.py            write playlists.jsonl and playlists.expected.json
    python3 examples/make_playlists.py --check    exit with 1 if the files differ from what it writes

Python's standard library only, and the same bytes each time. A playlist is a list of the numbers of tracks, most of
them among the thousand best known. Some are another one in another order, some are another one with few tracks
changed, and some have half of the tracks of another. What is right is computed by intersections of sets.
"""

import argparse
import json
import random
import sys
from itertools import combinations
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
MOODS = "slow loud late early winter summer rainy sunny long short".split()
PLACES = "road kitchen harbour train garden attic island market bridge meadow".split()
PLAYLISTS, THRESHOLD = 240, 0.8


def drawn(draw: random.Random, count: int) -> list[int]:
    """So many tracks, the well-known ones more often."""
    tracks: list[int] = []
    while len(tracks) < count:
        track = int(20_000 * draw.random() ** 3)
        if track not in tracks:
            tracks.append(track)
    return tracks


def changed(draw: random.Random, tracks: list[int], count: int) -> list[int]:
    """The tracks in another order, so many of them exchanged for ones that nobody else has."""
    kept = draw.sample(tracks, len(tracks) - count)
    return draw.sample(kept + [30_000 + draw.randrange(10_000) for _ in range(count)], len(tracks))


def playlists() -> list[dict[str, object]]:
    draw = random.Random(7)
    lists = [drawn(draw, draw.randint(24, 48)) for _ in range(PLAYLISTS)]
    for number in range(60):
        tracks = lists[4 * number]
        # One in twenty of the tracks, or none, or half of them.
        count = [len(tracks) // 20, 0, len(tracks) // 2][number % 3]
        lists.insert(draw.randrange(len(lists)), changed(draw, tracks, count))
    names = (f"{draw.choice(MOODS)} {draw.choice(PLACES)}" for _ in lists)
    return [
        {"id": f"p{number:03}", "name": name, "tracks": tracks}
        for number, (name, tracks) in enumerate(zip(names, lists, strict=True))
    ]


def expected(lists: list[dict[str, object]]) -> dict[str, object]:
    """The pairs that resemble each other, and who goes if the first stays."""
    sets = [(str(each["id"]), frozenset(each["tracks"])) for each in lists]  # type: ignore[call-overload]
    pairs, removed = [], []
    for (a, left), (b, right) in combinations(sets, 2):
        resemblance = len(left & right) / len(left | right)
        if resemblance >= THRESHOLD:
            pairs.append({"a": a, "b": b, "resemblance": round(resemblance, 6)})
            if a not in removed and b not in removed:
                removed.append(b)
    return {"threshold": THRESHOLD, "pairs": pairs, "removed": sorted(removed)}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args().check
    lists = playlists()
    files = {
        "playlists.jsonl": "".join(json.dumps(each) + "\n" for each in lists),
        "playlists.expected.json": json.dumps(expected(lists), indent=1) + "\n",
    }
    for name, text in files.items():
        path = FOLDER / name
        if not check:
            path.write_text(text)
        elif path.read_text() != text:
            print(f"{path} is not what this writes", file=sys.stderr)
            return 1
    return 0


sys.exit(main())
