"""Blocks: how large shapes are cut, and how the reductions of blocks are combined.

Where the blocks lie depends on the shape alone, and what they leave is combined in their order: the
same bits come out for any number of threads.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import TypeAlias

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
