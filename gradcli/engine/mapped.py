"""Arrays that lie in files. They are maps of the file, so that they serve as any other array. Work
that goes over all elements reads and writes pieces of the file instead: a page of a map counts as
memory once it was touched, and each first touch costs more than the copy.
"""

from __future__ import annotations

import mmap
import os
from collections.abc import Callable, Iterator
from typing import BinaryIO

import numpy as np

from gradcli.diagnostics import GradcliError
from gradcli.graph import Array

PIECE = 1 << 21
"""Elements of a piece that is looked at as a whole."""


class FileMap(mmap.mmap):
    """A whole file as memory, and the file itself for reading and writing without it."""

    name: str
    descriptor: int
    address: int
    """Where in memory the file begins."""
    finite: bool
    """Whether the file was new and only finite numbers have been written to it."""

    def __del__(self) -> None:
        os.close(self.descriptor)


def map_file(stream: BinaryIO, *, new: bool = False) -> Array:
    """The bytes of a file that is not empty; they can be written where it is `new`."""
    access = mmap.ACCESS_WRITE if new else mmap.ACCESS_READ
    pages = FileMap(stream.fileno(), 0, access=access)
    pages.name = stream.name
    pages.descriptor = os.dup(stream.fileno())
    pages.finite = new
    array = np.ndarray(len(pages), np.uint8, pages)
    pages.address = _address(array)
    return array


class Stored:
    """The elements of an array in C order, as they lie in a file."""

    def __init__(self, array: Array, pages: FileMap) -> None:
        self._pages = pages
        self._offset = _address(array) - pages.address
        self._itemsize = array.itemsize

    @property
    def finite(self) -> bool:
        """Whether all elements are known to be finite."""
        return self._pages.finite

    def read(self, start: int, into: Array) -> None:
        """Fill a C-contiguous array with the elements from number `start` on."""
        self._move(os.preadv, start, into)

    def write(self, start: int, values: Array) -> None:
        """Write a C-contiguous array over the elements from number `start` on."""
        self._move(os.pwritev, start, values)
        # A finite sum of what is in the cache proves it; anything else is for others to look at.
        with np.errstate(all="ignore"):
            if self._pages.finite and not np.isfinite(np.add.reduce(values, None)):
                self._pages.finite = False

    def _move(self, move: Callable[..., int], start: int, array: Array) -> None:
        rest = array.reshape(-1).view(np.uint8).data
        place = self._offset + start * self._itemsize
        while rest:
            count = move(self._pages.descriptor, [rest], place)
            if not count:
                raise GradcliError("file", f"{self._pages.name!r} was cut short while it was read")
            rest, place = rest[count:], place + count


def stored(array: Array) -> Stored | None:
    """Where an array's elements lie, if they lie in a file one after another."""
    pages = mapping(array)
    return Stored(array, pages) if pages is not None and array.flags.c_contiguous else None


def mapping(array: Array) -> FileMap | None:
    """The map that an array's elements lie in, if they lie in a file."""
    base: object = array
    while isinstance(base, np.ndarray):
        base = base.base
    return base if isinstance(base, FileMap) else None


def pieces(array: Array, size: int = PIECE) -> Iterator[Array]:
    """All elements, read in pieces of `size` from a file; arrays in memory are one piece."""
    file = stored(array)
    if file is None:
        yield array
        return
    buffer = np.empty(min(size, array.size), array.dtype)
    for start in range(0, array.size, size):
        piece = buffer[: array.size - start]
        file.read(start, piece)
        yield piece


def _address(array: Array) -> int:
    return int(array.__array_interface__["data"][0])
