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


def decided(run: Path) -> float:
    report: la.Report = la.decide(run, run / "again", threshold=0.9, cluster="components")
    sizes: list[list[int]] = report.cluster_sizes
    threshold: float = report.recipe["threshold"]
    names: list[str] = [cluster["keeper"] for cluster in report.largest_clusters]
    plan: int = la.plan(run).documents
    return threshold + len(sizes) + len(names) + plan


def explained(run: Path) -> str:
    for explanation in la.why(run, "a"):
        fate: Literal["alone", "kept", "beside", "removed", "gone"] = explanation.fate
        if explanation.removal is not None:
            keeper: str = explanation.removal.keeper.id
            kind: Literal["exact", "near"] = explanation.removal.kind
            differs: int = explanation.compare().term_difference
            return f"{fate} {keeper} {kind} {differs}"
    path = la.path_between(run, "a", "b")
    return "" if path is None else path[0].b.id


def searched(folder: Path) -> list[tuple[str, float]]:
    found = la.against(folder / "questions.jsonl", [folder], containment=None)
    hosts: list[str] = [mirror.a for mirror in la.mirrors(folder).mirrors]
    point: tuple[float, float] = la.tune(threshold=0.8).curve[0]
    passage: la.Passage | None = found.found[0].passage
    measured: la.FilterMeasurement | None = la.tune(0.8, sample=folder, seeds=3).sample
    evaluation: la.Evaluation = la.evaluate(folder, folder / "labels.jsonl", recipes=["text"])
    precision = evaluation.recipes[0].quality["precision"]
    if passage and measured and precision:
        print(passage.words, measured.recall, precision["low"])
    items: la.Signature = la.sign_items({"a", b"b", 3})
    return [(each.input, each.resemblance) for each in found.found] + [(hosts[0], point[1]), ("", items.tokens)]


def without_passages(folder: Path) -> list[str | None]:
    report = la.passages([folder], out=folder / "out", cut="sentences", max_copies=2)
    share: float = report.passages["words_cut"] / report.passages["words"] if report.passages else 0.0
    cut: la.CutTable = la.passages_table(["some text"], min_words=30, within="document")
    texts: list[str | None] = cut.text.to_pylist()
    print(share, cut.spans.num_rows, cut.kept.sum(), cut.report.kept)
    return texts
