"""The examples of guides, run: they must print what the guide shows."""

from __future__ import annotations

import doctest
import re
from pathlib import Path
from typing import Any

# The heading of docs/guide/coming-from.md below which examples need a Spark session.
ON_SPARK = "## Spark MLlib\n"


def read_guide(root: Path, name: str) -> str:
    return (root / "docs/guide" / name).read_text("utf-8")


def check_examples(guide: str, least: int, **names: Any) -> None:
    """Runs what has a prompt in the Python blocks of a guide, with these names, `least` examples or more."""
    # An empty line between blocks: without one, code that is only shown would be output to expect.
    blocks = "\n".join(re.findall(r"```python\n(.*?)```", guide, re.S))
    test = doctest.DocTestParser().get_doctest(blocks, names, "guide", None, None)
    assert len(test.examples) >= least
    said: list[str] = []
    flags = doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL
    failed = doctest.DocTestRunner(optionflags=flags).run(test, out=said.append).failed
    assert not failed, "".join(said)
