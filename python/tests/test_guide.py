"""The examples of the guide print what it shows."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest


def test_the_guide(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    guide = (root / "docs/guide/python.md").read_text("utf-8")
    blocks = re.findall(r"```python\n(.*?)```", guide, re.S)
    assert len(blocks) >= 6
    (tmp_path / "examples").symlink_to(root / "examples")
    monkeypatch.chdir(tmp_path)
    test = doctest.DocTestParser().get_doctest("".join(blocks), {}, "python.md", None, None)
    assert len(test.examples) >= 25
    said: list[str] = []
    flags = doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL
    failed = doctest.DocTestRunner(optionflags=flags).run(test, out=said.append).failed
    assert not failed, "".join(said)
