"""What only the wheel is: built without object stores."""

from pathlib import Path

import lookalike as la
import pytest


def test_object_stores_are_not_in_it(tmp_path: Path) -> None:
    with pytest.raises(la.Error, match=r"s3://bucket/a\.txt`: is in an object store"):
        la.dedup("s3://bucket/a.txt", tmp_path / "bucket")
