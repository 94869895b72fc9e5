"""Blocks: how large shapes are cut, and how the reductions of blocks are combined.

Where the blocks lie depends on the shape alone, and what they leave is combined in their order: the
same bits come out for any number of threads.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from gradcli.engine.swept import dtype_of_parts
from gradcli.graph import Array, Node, Shape
from gradcli.ops.shapes import Axes, reduced

BLOCK = 1 << 16
"""Elements of a block. A few buffers of that size stay in the cache, and a call on one takes much
longer than what is between two calls, where threads wait for each other."""

Place: TypeAlias = tuple[slice, ...]
Bounds: TypeAlias = tuple[tuple[int, int], ...]


def blocks(shape: Shape, size: int = BLOCK) -> list[Place]:
    """The shape cut into blocks of about `size` elements, in C order.

    Inner axes are whole, one axis is cut into ranges, the axes before it are taken one by one.
    """
    axis, inner = len(shape), 1
    while axis and inner * shape[axis - 1] <= size:
        axis -= 1
        inner *= shape[axis]
    if not axis:
        return [tuple(slice(0, length) for length in shape)]
    axis -= 1
    rows = max(1, size // inner)
    whole = tuple(slice(0, length) for length in shape[axis + 1 :])
    ranges = [slice(i, min(i + rows, shape[axis])) for i in range(0, shape[axis], rows)]
    return [
        (*(slice(i, i + 1) for i in outer), part, *whole)
        for outer in itertools.product(*(range(length) for length in shape[:axis]))
        for part in ranges
    ]


class Grid(Sequence[Place]):
    """The blocks of a shape or, where they shall have more elements, pieces that are whole blocks.

    Each is as many blocks in a row as there are in all but the last ones: pieces of one size lie in
    those of any larger size. Places are computed when they are asked for, as there may be millions.
    """

    def __init__(self, shape: Shape, size: int = BLOCK) -> None:
        """Pieces of at most `size` elements, but of one block at least."""
        self.lengths = _lengths(shape, size)
        """The extent of a place; those at the ends may have less."""
        self._shape = shape
        counts = [-(-n // m) for n, m in zip(shape, self.lengths, strict=True)]
        self._counts = counts
        self._count = math.prod(counts)
        self._last_first = [*zip(shape, self.lengths, counts, strict=True)][::-1]

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, number: Any) -> Any:
        place: list[slice] = []
        for n, length, count in self._last_first:
            number, i = divmod(number, count)
            start = i * length
            place.append(slice(start, min(start + length, n)))
        if number:
            raise IndexError
        place.reverse()
        return tuple(place)

    def start(self, place: Place) -> int:
        """The number, in C order, of the element that a place begins with."""
        start = 0
        for n, part in zip(self._shape, place, strict=True):
            start = start * n + part.start
        return start

    def inside(self, place: Place) -> range:
        """The numbers of the places that lie in a place of a grid of larger pieces."""
        first, inside = 0, 1
        for part, length, count in zip(place, self.lengths, self._counts, strict=True):
            first = first * count + part.start // length
            inside *= -(-(part.stop - part.start) // length)
        return range(first, first + inside)


def _lengths(shape: Shape, size: int) -> Shape:
    """The extent of blocks, doubled as often as `size` elements allow."""
    axis, inner = len(shape), 1
    while axis and inner * shape[axis - 1] <= BLOCK:
        axis -= 1
        inner *= shape[axis]
    lengths = [1] * axis + list(shape[axis:])
    rows = max(1, BLOCK // inner)
    while axis:
        axis -= 1
        while rows < shape[axis] and 2 * rows * inner <= size:
            rows *= 2
        lengths[axis] = min(rows, shape[axis])
        if rows < shape[axis]:
            break
        inner *= shape[axis]
        rows = 1
        if inner > size:
            break
    return tuple(lengths)


def bounds_of(place: Place, axes: Axes) -> Bounds:
    """Where a block goes in the result of a reduction, whose axes are kept at length 1."""
    return tuple(
        (0, 1) if i - len(place) in axes else (each.start, each.stop)
        for i, each in enumerate(place)
    )


def size_of(bounds: Bounds) -> int:
    """The elements that lie in some bounds."""
    return math.prod(stop - start for start, stop in bounds)


def combined(node: Node, shape: Shape, places: Sequence[Place], parts: Sequence[Array]) -> Array:
    """A reduction of a value of some shape, from the reductions of its blocks, in their order."""
    axes = node.op.axes(node)
    reduce, dtype = getattr(np, node.op.combine).reduce, dtype_of_parts(node)
    count = math.prod(shape[axis] for axis in axes) if node.op.averages else 1
    kept = reduced(shape, axes, keepdim=True)
    result = np.empty(kept, node.graph.dtype(node.kind))
    groups: dict[Bounds, list[Array]] = {}
    for place, part in zip(places, parts, strict=True):
        groups.setdefault(bounds_of(place, axes), []).append(part)
    for bounds, found in groups.items():
        target = result[tuple(slice(*each) for each in bounds)]
        total = reduce(np.stack(found), 0, dtype) if len(found) > 1 else found[0]
        target[...] = total / count if node.op.averages else total
    return result.reshape(node.shape)


def part_of(array: Array, place: Place) -> Array:
    """The part of an operand that goes into a block: axes that it lacks, or repeats, are whole."""
    lead = len(place) - array.ndim
    return array[
        tuple(
            part if length != 1 else slice(None)
            for part, length in zip(place[lead:], array.shape, strict=True)
        )
    ]
