"""Arrays that lie in files. Pages of a map count as memory once they were touched, until the
system is told that they are no longer needed; what was written to them stays in the file.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator

import numpy as np

from gradcli.graph import Array

PIECE = 1 << 21
"""Elements of a piece that is looked at as a whole."""


def mapping(array: Array) -> mmap.mmap | None:
    """The map that an array's elements lie in, if they lie in a file."""
    base: object = array
    while isinstance(base, np.ndarray):
        base = base.base
    return base if isinstance(base, mmap.mmap) else None


def release(array: Array, start: int, stop: int) -> None:
    """Give up the memory of elements `start` to `stop` (in C order) of a contiguous array."""
    pages = mapping(array)
    if pages is None:
        return
    origin = np.frombuffer(pages, np.uint8).ctypes.data
    first = array.ctypes.data - origin + start * array.itemsize
    last = array.ctypes.data - origin + stop * array.itemsize
    first -= first % mmap.PAGESIZE
    last = min(len(pages), last + -last % mmap.PAGESIZE)
    if last > first:
        pages.madvise(mmap.MADV_DONTNEED, first, last - first)


def pieces(array: Array) -> Iterator[Array]:
    """All elements, in pieces whose memory is given up after use; other arrays are one piece."""
    if mapping(array) is None or not array.flags.c_contiguous:
        yield array
        return
    flat = array.reshape(-1)
    for start in range(0, flat.size, PIECE):
        stop = min(start + PIECE, flat.size)
        yield flat[start:stop]
        release(flat, start, stop)
