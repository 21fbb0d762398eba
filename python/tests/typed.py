"""What a program that is checked by mypy looks like; ci/python.sh checks it, nobody runs it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import lookalike as la


def clean(folder: Path) -> int:
    def tell(progress: la.Progress) -> None:
        print(progress.stage, progress.share)

    recipe: la.Recipe = la.Recipe.tune(threshold=0.8)
    report = la.dedup([folder], out=folder / "out", recipe=recipe, keep="longest", progress=tell)
    kept: int = report.kept
    return kept


def known(path: str) -> Iterator[str]:
    with la.Index.open(path) as index:
        index.add("a", "some text")
        answer = index.check(b"some text", url="https://example.org/")
        for match in answer.matches:
            score: float | None = match.resemblance
            kind: Literal["exact", "near"] = match.kind
            yield f"{match.id} {kind} {score}"


def bits(text: str) -> list[int]:
    signature = la.Recipe.preset("text").sign(text)
    try:
        signature.estimate(signature)
    except la.MismatchError as error:
        print(error.kind)
    return [int(word) for word in signature.features]
