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


KEPT = 3 << 22
"""Half of what the process keeps of the memory that it has freed."""


@cache
def keep_freed_memory() -> None:
    """Have the C library of Linux keep freed memory for what is needed next. It gives back what is
    free at the end beyond twice the largest piece that was freed so far, and new pages have to be
    touched again: for plans of values of a few hundred KiB that was half of the time, for what 100
    passes over 64 × 128 numbers leave a tenth.
    """
    with suppress(MemoryError):
        np.empty(KEPT, np.uint8)  # freed at once, and not touched


LEAST_SPARE, MOST_SPARE = 1 << 22, 1 << 27
"""Results of so many bytes leave their memory to the next ones."""
SLACK = 5 / 4
"""How much larger the memory may be than what lies in it."""


class Spare:
    """The memory of a large result that nobody holds any more, for the next one of about its size:
    steps of a descent ask for the same gradients again and again, and the system would have to
    clear new memory for each. One piece is kept at most.
    """

    def __init__(self) -> None:
        self._kept: list[Array] = []  # threads put and take at once, as do finalizers

    def keep(self, most: int) -> None:
        """Give back what is more than so many bytes."""
        self._kept[:] = [memory for memory in self._kept if memory.size <= most]

    def empty(self, shape: Shape, dtype: np.dtype[np.generic]) -> Array:
        """`numpy.empty`."""
        size = math.prod(shape) * dtype.itemsize
        if not LEAST_SPARE <= size <= MOST_SPARE:
            return np.empty(shape, dtype)
        memory = self._taken(size)
        array: Array = np.frombuffer(memory.data[:size], dtype)  # which all views of it keep alive
        weakref.finalize(array, self._put, memory).atexit = False
        return array.reshape(shape)

    def _taken(self, size: int) -> Array:
        try:
            memory = self._kept.pop()
        except IndexError:
            return aligned(size)
        if size <= memory.size <= SLACK * size:
            return memory
        del memory  # before there is more
        return aligned(size)

    def _put(self, memory: Array) -> None:
        self._kept[:] = [memory]


SPARE = Spare()
"""That of the process."""


def spare_bytes(plan: Plan, threads: int) -> int:
    """How much may be kept for a plan's first large results until they are there: so much that its
    peak does not rise by more than what is too little to be kept.
    """
    live = peak = sum(map(nbytes, plan.sources))
    for unit, born, gone in plan.lifetimes():
        if not isinstance(unit, Single) and any(nbytes(node) >= LEAST_SPARE for node in born):
            return plan.peak_bytes(threads=threads) - peak + LEAST_SPARE
        live += sum(map(plan.bytes_of, born))
        peak = max(peak, live + unit.work_bytes(threads))
        live -= sum(map(plan.bytes_of, gone))
    return 0


def aligned(size: int) -> Array:
    """So many bytes, which begin where a line of the cache does."""
    memory = np.empty(size + ALIGNMENT, np.uint8)
    start = -memory.__array_interface__["data"][0] % ALIGNMENT
    return memory[start : start + size]


class Scratch:
    """Arrays of one thread. The memory of arrays that are no longer used is used again."""

    def __init__(self, size: int) -> None:
        """`size` is in bytes; what has no room lies elsewhere."""
        self._size = size
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
            self._memory = aligned(self._size)
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
