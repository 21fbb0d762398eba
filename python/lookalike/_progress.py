"""Progress as bars of tqdm."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ._native import Progress

Watcher = Callable[[Progress], object] | bool | None


class Bars:
    """A bar for each stage, in permille where the end is known."""

    def __init__(self) -> None:
        self._bar: Any = None
        self._stage = ""

    @staticmethod
    @contextmanager
    def watching(progress: Watcher) -> Iterator[Callable[[Progress], object] | None]:
        """What the engine calls: the callback itself, bars for `True`, nothing else."""
        if not isinstance(progress, bool):
            yield progress
            return
        if not progress:
            yield None
            return
        bars = Bars()
        try:
            yield bars
        finally:
            bars.close()

    def __call__(self, progress: Progress) -> None:
        from tqdm.auto import tqdm

        if progress.stage != self._stage:
            self.close()
            self._stage = progress.stage
            self._bar = tqdm(total=None, desc=progress.stage, unit=" documents")
        bar = self._bar
        if progress.share:
            bar.total = int(progress.documents / progress.share)
        bar.update(progress.documents - bar.n)

    def close(self) -> None:
        """Ends the bar at hand."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None
