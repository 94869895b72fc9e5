"""Running a region with NumPy: block by block, so that all that is in work stays in the cache,
and over several threads, which take the next block when they are free.

Where the blocks lie depends on the shape alone, and partial results are combined in the order of
the blocks: the same bits come out for any number of threads.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from gradcli.engine.kernels import kernel, kernel_into
from gradcli.engine.mapped import Stored, stored
from gradcli.engine.regions import Region, dtype_of_parts
from gradcli.engine.threads import spread
from gradcli.graph import Array, Node, Shape
from gradcli.ops.shapes import Axes, reduced

BLOCK = 1 << 16
"""Elements of a block. A few buffers of that size stay in the cache, and a call on one takes much
longer than what is between two calls, where threads wait for each other."""

PARTIALS = 1 << 22
"""So many elements of partial results may wait at a time; where there are more, blocks in a row are
added up as they come."""
SPANS = 16
"""How many such rows there are at least, so that threads have work."""

Place: TypeAlias = tuple[slice, ...]
Bounds: TypeAlias = tuple[tuple[int, int], ...]
Parts: TypeAlias = dict[Bounds, tuple[Place, Array]]
"""By where it goes in a reduction's result: the first block that it is from, and a part of it."""
Empty: TypeAlias = Callable[[Shape, "np.dtype[Any]"], Array]
"""Makes an array whose elements are whatever lies there."""


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


def spans(region: Region) -> list[range]:
    """The numbers of the region's blocks, in rows that make one partial result each."""
    places = blocks(region.shape)
    rows = count = len(places)
    single = sum(_size(_bounds(places[0], node.op.axes(node))) for node in region.reductions)
    if count * single > PARTIALS:
        whole = sum(node.size for node in region.reductions)
        rows = min(count, max(SPANS, PARTIALS // whole))
    return [range(i * count // rows, (i + 1) * count // rows) for i in range(rows)]


def partial_bytes(region: Region) -> int:
    """The bytes of the partial results of a region's reductions."""
    places, rows = blocks(region.shape), spans(region)
    return sum(
        len(rows) * _size(bounds) * dtype_of_parts(node).itemsize
        for node in region.reductions
        for bounds in {_bounds(places[number], node.op.axes(node)) for number in rows[0]}
    )


def _bounds(place: Place, axes: Axes) -> Bounds:
    """Where a block goes in the result of a reduction, whose axes are kept at length 1."""
    return tuple(
        (0, 1) if i - len(place) in axes else (each.start, each.stop)
        for i, each in enumerate(place)
    )


def _size(bounds: Bounds) -> int:
    return math.prod(stop - start for start, stop in bounds)


def _add(node: Node, place: Place, part: Array, parts: Parts) -> None:
    """Take a block's part in a reduction to those that go to the same place."""
    bounds = _bounds(place, node.op.axes(node))
    if bounds in parts:
        _, before = parts[bounds]
        getattr(np, node.op.combine)(before, part, out=before)
    else:
        parts[bounds] = place, part


class RegionRunner:
    """A region made ready for NumPy; calling it runs it."""

    def __init__(self, region: Region, threads: int, empty: Empty = np.empty) -> None:
        """`empty` gives it memory."""
        self.region = region
        self.threads = threads
        self._empty = empty
        self.blocks = blocks(region.shape)
        self.spans = spans(region)
        sizes = [math.prod(part.stop - part.start for part in place) for place in self.blocks]
        self._starts = list(itertools.accumulate(sizes, initial=0))
        self._registers = {node: i for i, node in enumerate((*region.operands, *region.members))}
        self._results = {node: i for i, node in enumerate(region.results)}
        self._dtypes = [node.graph.dtype(node.kind) for node in region.members]
        self._calls = [self._call(node) for node in region.members]
        self._buffers = self._assign_buffers()

    def __call__(self, *operands: Array, targets: Mapping[Node, Array]) -> list[Array]:
        """The region's results, then its reductions, for the values of its operands.

        Results are written into `targets` where there is one.
        """
        region = self.region
        results = [
            targets[node]
            if node in targets
            else self._empty(region.shape, node.graph.dtype(node.kind))
            for node in region.results
        ]
        files = {
            node: file
            for node, array in zip(
                (*region.operands, *region.results), (*operands, *results), strict=True
            )
            if array.shape == region.shape and (file := stored(array)) is not None
        }
        partials: list[list[Parts]] = [[] for _ in self.spans]

        def begin() -> Callable[[int], None]:
            buffers: dict[int | Node, Array] = {}

            def span(number: int) -> None:
                found: list[Parts] = [{} for _ in region.reductions]
                for block in self.spans[number]:
                    parts = self._block(block, operands, results, files, buffers)
                    for node, part, kept in zip(region.reductions, parts, found, strict=True):
                        _add(node, self.blocks[block], part, kept)
                partials[number] = found

            return span

        spread(len(self.spans), self.threads, begin)
        totals = []
        for i, node in enumerate(region.reductions):
            entries = [entry for span in partials for entry in span[i].values()]
            places, parts = [place for place, _ in entries], [part for _, part in entries]
            totals.append(combined(node, region.shape, places, parts))
        return results + totals

    def reduced(self, operand: Array) -> Array:
        """The result of a region that is one reduction."""
        return self(operand, targets={})[0]

    # --- one block ---

    def _block(
        self,
        number: int,
        operands: Sequence[Array],
        results: list[Array],
        files: Mapping[Node, Stored],
        buffers: dict[int | Node, Array],
    ) -> list[Array]:
        """Compute one block; whole results are written, partial reductions returned.

        `files` are the operands and results that lie in files.
        """
        place, start = self.blocks[number], self._starts[number]
        shape = tuple(part.stop - part.start for part in place)
        values: list[Any] = []
        for node, array in zip(self.region.operands, operands, strict=True):
            if node in files:
                part = self._buffer(buffers, node, shape, array.dtype)
                files[node].read(start, part)
            else:
                part = part_of(array, place)
            values.append(part)
        for node, call, dtype, buffer in zip(
            self.region.members, self._calls, self._dtypes, self._buffers, strict=True
        ):
            result = self._results.get(node)
            if node in files:
                target = self._buffer(buffers, node, shape, dtype)
            elif result is not None:
                target = results[result][place]
            else:
                target = self._buffer(buffers, buffer, shape, dtype)
            call(values, target)
            values.append(target)
            if node in files:
                files[node].write(start, target)
        parts = []
        for node in self.region.reductions:
            reduce = getattr(np, node.op.combine).reduce
            value = values[self._registers[node.inputs[0]]]
            parts.append(reduce(value, node.op.axes(node), dtype_of_parts(node), keepdims=True))
        return parts

    def _call(self, node: Node) -> Callable[[list[Any], Array], Any]:
        """A function that computes a member from the registers into an array."""
        into = kernel_into(node)
        if into is None:
            call, before, after, count = kernel(node)
            places = [self._registers[operand] for operand in node.inputs[:count]]

            def compute(values: list[Any], target: Array) -> None:
                target[...] = call(*before, *[values[i] for i in places], *after)

            return compute
        function, count = into
        places = [self._registers[operand] for operand in node.inputs[:count]]
        if count == 1:
            (a,) = places
            return lambda values, target: function(values[a], out=target)
        if count == 2:
            a, b = places
            return lambda values, target: function(values[a], values[b], out=target)
        return lambda values, target: function(*[values[i] for i in places], out=target)

    def _buffer(
        self,
        buffers: dict[int | Node, Array],
        key: int | Node,
        shape: Shape,
        dtype: np.dtype[Any],
    ) -> Array:
        """A thread's buffer in the shape of the block."""
        buffer = buffers.get(key)
        if buffer is None:
            buffer = buffers[key] = self._empty((BLOCK,), dtype)
        return buffer[: math.prod(shape)].reshape(shape)

    def _assign_buffers(self) -> list[int]:
        """For each member the number of a buffer that holds nothing needed any more."""
        last: dict[Node, int] = {}
        for i, node in enumerate(self.region.members):
            for operand in node.inputs:
                last[operand] = i
        for node in self.region.reductions:
            last[node.inputs[0]] = len(self.region.members)
        free: dict[Any, list[int]] = {}
        numbers: list[int] = []
        owner: dict[Node, int] = {}
        count = 0
        for i, (node, dtype) in enumerate(zip(self.region.members, self._dtypes, strict=True)):
            # A ufunc may write onto an operand that dies here; other functions may not.
            dying = [o for o in dict.fromkeys(node.inputs) if last[o] == i and o in owner]
            in_place = isinstance(kernel(node)[0], np.ufunc)
            if in_place:
                for operand in dying:
                    free.setdefault(operand.graph.dtype(operand.kind), []).append(owner[operand])
            spare = free.setdefault(dtype, [])
            if spare:
                number = spare.pop()
            else:
                number, count = count, count + 1
            numbers.append(number)
            if node not in self._results:
                owner[node] = number
            else:
                spare.append(number)
            if not in_place:
                for operand in dying:
                    free.setdefault(operand.graph.dtype(operand.kind), []).append(owner[operand])
        return numbers


def combined(node: Node, shape: Shape, places: Sequence[Place], parts: Sequence[Array]) -> Array:
    """A reduction of a value of some shape, from the reductions of its blocks, in their order."""
    axes = node.op.axes(node)
    reduce, dtype = getattr(np, node.op.combine).reduce, dtype_of_parts(node)
    count = math.prod(shape[axis] for axis in axes) if node.op.averages else 1
    kept = reduced(shape, axes, keepdim=True)
    result = np.empty(kept, node.graph.dtype(node.kind))
    groups: dict[Bounds, list[Array]] = {}
    for place, part in zip(places, parts, strict=True):
        groups.setdefault(_bounds(place, axes), []).append(part)
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
