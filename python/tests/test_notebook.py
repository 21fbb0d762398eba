"""What notebooks show: marked, escaped, and apart from the rest of the page."""

from __future__ import annotations

import html
from html.parser import HTMLParser
from pathlib import Path

import lookalike as la


class Elements(HTMLParser):
    """The elements of a fragment, and the texts of those that mark something."""

    def __init__(self, fragment: str) -> None:
        super().__init__()
        self.names: list[str] = []
        self.marked: list[tuple[str, str]] = []
        self._open = ""
        self.attributes: dict[str, str | None] = {}
        self.feed(fragment)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.append(tag)
        self.attributes |= dict(attrs)
        self._open = tag

    def handle_endtag(self, tag: str) -> None:
        self._open = ""

    def handle_data(self, data: str) -> None:
        if self._open in ("del", "ins"):
            self.marked.append((self._open, data))


def test_a_comparison_marks_what_differs() -> None:
    same = "one two three four five six seven eight nine ten"
    pair = la.compare(f"{same} <script>alert(1)</script>", f"{same} & more")
    shown = Elements(pair._repr_html_())
    assert "script" not in shown.names
    assert shown.marked == [("del", "script>alert(1)</script>"), ("ins", "more")]
    assert f"Resemblance {pair.resemblance:.4f}" in pair._repr_html_()
    # A page is shown as its visitors see it.
    pages = la.Recipe.preset("text").compare_html(f"<p>{same} old", f"<p>{same} <b>new</b>")
    assert Elements(pages._repr_html_()).marked == [("del", "old"), ("ins", "new")]
    assert "No word differs" in la.compare(same, same.upper())._repr_html_()


def test_a_report_is_its_page_in_a_frame(root: Path, tmp_path: Path) -> None:
    report = la.dedup(root / "examples/corpus", tmp_path / "out")
    shown = Elements(report._repr_html_())
    assert shown.names == ["iframe"] and "sandbox" in shown.attributes
    page = (tmp_path / "out/report.html").read_text("utf-8")
    assert shown.attributes["srcdoc"] == page
    # Also without a folder, and whatever the ids are.
    texts = ["a b c d e f g h"] * 2
    clusters = la.dedup_table([{"id": f"<img src=x>{n}", "text": text} for n, text in enumerate(texts)])
    framed = Elements(la.Report.of(clusters)._repr_html_())
    assert framed.names == ["iframe"]
    within = Elements(framed.attributes["srcdoc"] or "")
    assert "img" not in within.names and html.escape("<img src=x>0") in (framed.attributes["srcdoc"] or "")
