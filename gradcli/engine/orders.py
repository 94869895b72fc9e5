"""Long rows that are put in order by several threads: each sorts a part that no other's elements
belong into, so that the same bits come out for any number of threads.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.engine.threads import spread
from gradcli.graph import Array

LONG = 1 << 20
"""From so many elements on, a row is worth several threads."""
MOST = 8
"""Into so many parts it is divided at most."""


class Sorter:
    """NumPy, except for what puts whole numbers in order."""

    def __init__(self, threads: int) -> None:
        self._threads = threads

    def __getattr__(self, name: str) -> Any:
        return getattr(np, name)

    def sort_in_place(self, numbers: Array) -> None:
        """`numbers.sort()` for a vector."""
        count = min(MOST, self._threads)
        if count == 1 or numbers.size < LONG:
            numbers.sort()
            return
        bounds = [numbers.size * part // count for part in range(count + 1)]
        numbers.partition(bounds[1:-1])

        def sort(part: int) -> None:
            numbers[bounds[part] : bounds[part + 1]].sort()

        spread(count, self._threads, lambda: sort)
