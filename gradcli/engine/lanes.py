"""Copies of data to a GPU and back: through page-locked memory, in pieces, while the GPU works.

Two streams take turns, so that one copies while the other computes. Pieces depend on the shape
alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from gradcli.engine.blocks import Place, blocks
from gradcli.engine.mapped import stored
from gradcli.graph import Array, Shape

PIECE = 1 << 22
"""Elements of a piece."""


class Lane:
    """A stream, and the page-locked memory of what is on its way."""

    def __init__(self, xp: Any) -> None:
        self._xp = xp
        self.stream = xp.cuda.Stream()
        self._sent: list[Array] = []
        self._fetched: list[tuple[Array, Callable[[Array], None]]] = []

    def send(self, target: Any, fill: Callable[[Array], None]) -> None:
        """Have what `fill` writes copied to an array on the card."""
        pinned = self._pinned(target)
        fill(pinned)
        target.set(pinned, stream=self.stream)
        self._sent.append(pinned)

    def fetch(self, value: Any, take: Callable[[Array], None]) -> None:
        """Have an array copied from the card; `wait` hands it to `take`."""
        pinned = self._pinned(value)
        value.get(stream=self.stream, out=pinned, blocking=False)
        self._fetched.append((pinned, take))

    def _pinned(self, like: Any) -> Array:
        """Page-locked memory for an array's elements: a card reads and writes it by itself."""
        return np.ndarray(like.shape, like.dtype, self._xp.cuda.alloc_pinned_memory(like.nbytes))

    def wait(self) -> None:
        """Wait until all is done, and hand out what was fetched."""
        self.stream.synchronize()
        for pinned, take in self._fetched:
            take(pinned)
        self._sent.clear()
        self._fetched.clear()


class Lanes:
    """Two lanes that take turns, with pieces of `piece` elements."""

    def __init__(self, xp: Any, piece: int = PIECE) -> None:
        self.xp = xp
        self.piece = piece
        self._lanes: list[Lane] = []

    def over(self, shape: Shape, work: Callable[[Lane, int, Place], None]) -> None:
        """Do some work on each piece of a shape: its lane, its first element, and its place."""
        if not self._lanes:
            self._lanes = [Lane(self.xp) for _ in range(2)]
        for number, (start, place) in enumerate(self.pieces(shape)):
            lane = self._lanes[number % 2]
            lane.wait()
            with lane.stream:
                work(lane, start, place)
        for lane in self._lanes:
            lane.wait()

    def upload(self, array: Array) -> Any:
        """The array on the card."""
        if array.size <= self.piece:
            return self.xp.asarray(array)
        value = self.xp.empty(array.shape, array.dtype)
        read = reader(array)
        self.over(array.shape, lambda lane, *place: lane.send(value[place[1]], read(*place)))
        return value

    def download(self, value: Any, target: Array | None = None) -> Array:
        """The array from the card, in `target` if there is one."""
        if target is None and value.size <= self.piece:
            return value.get()  # type: ignore[no-any-return]
        into = np.empty(value.shape, value.dtype) if target is None else target
        write = writer(into)
        whole = self.xp.broadcast_to(value, into.shape)

        def fetch(lane: Lane, start: int, place: Place) -> None:
            lane.fetch(self.xp.ascontiguousarray(whole[place]), write(start, place))

        self.over(into.shape, fetch)
        return into

    def pieces(self, shape: Shape) -> Iterator[tuple[int, Place]]:
        """The pieces of a shape: the number of the first element, and the place."""
        start = 0
        for place in blocks(shape, self.piece):
            yield start, place
            start += math.prod(shape_of(place))


def reader(array: Array) -> Callable[[int, Place], Callable[[Array], None]]:
    """What fills an array with a piece of this one, by the piece's first element and place."""
    file = stored(array)
    if file is not None:
        return lambda start, place: lambda into: file.read(start, into)
    return lambda start, place: lambda into: np.copyto(into, array[place])


def writer(array: Array) -> Callable[[int, Place], Callable[[Array], None]]:
    """What puts a piece into this array."""
    file = stored(array)
    if file is not None:
        return lambda start, place: lambda piece: file.write(start, piece)
    return lambda start, place: lambda piece: np.copyto(array[place], piece)


def shape_of(place: Place) -> Shape:
    """The shape of a piece."""
    return tuple(part.stop - part.start for part in place)
