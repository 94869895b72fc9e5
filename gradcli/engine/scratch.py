"""Memory for what is needed for a moment: used again and again, because to touch a page for the
first time takes longer than to compute what is written there.
"""

from __future__ import annotations

import math
import weakref
from contextlib import suppress
from functools import cache

import numpy as np

from gradcli.engine.plan import Plan, Single, nbytes
from gradcli.graph import Array, Shape

SMALL = 1 << 16
"""Arrays of fewer bytes are not worth it."""
ALIGNMENT = 1 << 6
"""Arrays begin at multiples of this many bytes."""


KEPT = 1 << 22
"""Half of what the process keeps of the memory that it has freed."""


@cache
def keep_freed_memory() -> None:
    """Have the C library of Linux keep freed memory for what is needed next. It gives back what is
    free at the end beyond twice the largest piece that was freed so far, and new pages have to be
    touched again: for plans of values of a few hundred KiB that was half of the time.
    """
    with suppress(MemoryError):
        np.empty(KEPT, np.uint8)  # freed at once, and not touched


class Scratch:
    """Arrays of one thread. The memory of arrays that are no longer used is used again."""

    def __init__(self, size: int) -> None:
        """`size` is in bytes; what has no room lies elsewhere."""
        self._size = size + ALIGNMENT
        self.clear()

    def clear(self) -> None:
        """Let go of the memory. It is taken when it is first needed."""
        self._memory: Array | None = None
        self._end = 0
        self._free: list[memoryview] = []

    def empty(self, shape: Shape, dtype: np.dtype[np.generic]) -> Array:
        """`numpy.empty`."""
        size = math.prod(shape) * dtype.itemsize
        part = self._part(size) if size >= SMALL else None
        if part is None:
            return np.empty(shape, dtype)
        array: Array = np.frombuffer(part[:size], dtype)  # which all views of it keep alive
        weakref.finalize(array, self._free.append, part).atexit = False
        return array.reshape(shape)

    def _part(self, size: int) -> memoryview | None:
        place = best_fit(size, [part.nbytes for part in self._free])
        if place is not None:
            return self._free.pop(place)
        if self._memory is None:
            memory = np.empty(self._size, np.uint8)
            self._memory = memory[-memory.__array_interface__["data"][0] % ALIGNMENT :]
        start, end = self._end, self._end + size
        if end > self._memory.size:
            return None
        self._end = -(-end // ALIGNMENT) * ALIGNMENT
        return self._memory[start:end].data


def best_fit(size: int, free: list[int]) -> int | None:
    """The number of the smallest part that has room, if any has."""
    fitting = (i for i, each in enumerate(free) if each >= size)
    return min(fitting, key=free.__getitem__, default=None)


def scratch_bytes(plan: Plan) -> int:
    """How large the scratch memory must be that a plan runs in."""
    free: list[int] = []
    parts: dict[object, int] = {}
    swept = [unit.work_bytes(1) for unit in plan.units if not isinstance(unit, Single)]
    total = max(swept, default=0)
    for _, born, gone in plan.lifetimes():
        for node in born:
            size = nbytes(node)
            place = best_fit(size, free)
            parts[node] = size if place is None else free.pop(place)
            total += size + ALIGNMENT if place is None else 0
        free += [parts[node] for node in gone if node.known is None]
    return total
