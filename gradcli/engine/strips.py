"""Strips: a part of a graph that is computed on a few rows at a time, as a plan of its own, whose
sums are added up.

Rows lie along whatever axis can be followed through the ops, such as the columns of a transpose.
How many make a strip depends on shapes alone, and sums are added in the order of the strips and
then of their shares: the same bits come out for any number of threads.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from gradcli.engine import regions
from gradcli.engine.kernels import Runner
from gradcli.engine.mapped import stored
from gradcli.engine.plan import Plan, Resources
from gradcli.engine.scratch import Scratch, scratch_bytes
from gradcli.engine.swept import LARGE, dtype_of_parts
from gradcli.engine.threads import spread
from gradcli.graph import CONSTANT, Array, Graph, Node, Shape, Split
from gradcli.ops.elementwise import Elementwise
from gradcli.ops.reductions import SUM

ELEMENTS, ROWS = 1 << 19, 1 << 8
"""About how many elements of the widest value a strip has, and its least number of rows: products
of fewer are slow."""
CACHED = LARGE - 1
"""The elements of the widest value of a strip that multiplies no matrices and takes no elements:
its values lie in a core's own cache, so that each is computed as a whole."""
DEPTH, PANEL = 384, 1 << 17
"""The rows of the right operand, and about the elements of the left one, that BLAS packs."""
SHARES, MOST_SHARES = 4, 32
"""The least and the greatest number of shares of the strips. Each share has its own sums, so that
the bits do not depend on the number of threads."""
SHARED, PARTIALS = 128, 1 << 22
"""Where a share would have more strips than that, there are more shares, as long as their sums have
no more elements."""


class Strips:
    """Nodes that run together, on a strip of rows at a time."""

    view = False

    def __init__(
        self,
        length: int,
        splits: Mapping[Node, Split],
        results: tuple[Node, ...],
        rows: int | None = None,
    ) -> None:
        """`length` is the number of rows, `splits` has the nodes, operands first, and how their
        work is split along the rows; those in `results` are needed outside as whole arrays. Strips
        have so many `rows`, by default as many as stay in the cache.
        """
        self.splits = splits
        self.results = results
        self.sums = tuple(node for node, split in splits.items() if split.axis is None)
        """Nodes to which every strip adds."""
        self.outputs = (*results, *self.sums)
        """The values that the strips compute for others."""
        self.cuts = tuple(
            dict.fromkeys(
                (operand, axis)
                for node, split in splits.items()
                for operand, axis in zip(node.inputs, split.operands, strict=True)
                if operand not in splits
            )
        )
        """Values from outside, and the axes along which they are cut; None for whole ones."""
        self.operands = tuple(dict.fromkeys(node for node, _ in self.cuts))
        """Values from outside."""
        rows = rows or self._rows_of_one(length)
        self._length, self._rows = length, rows
        self.count = -(-length // rows)
        """How many strips there are: of an array of 10**12 elements, millions."""
        counts = {place.stop - place.start for place in map(self.place, (0, self.count - 1))}
        self.plans = {rows: Strip(self, rows) for rows in counts}
        """By number of rows, what is computed of a strip."""
        self.shares = self._shares()
        """The strips, by number, that one share of the work has."""

    def place(self, number: int) -> slice:
        """The rows of a strip."""
        start = number * self._rows
        return slice(start, min(start + self._rows, self._length))

    def work_bytes(self, threads: int) -> int:
        """The memory that strips take in addition to their operands and to what is there after
        them.
        """
        sums = sum(node.size * dtype_of_parts(node).itemsize for node in self.sums)
        strip = max(strip.scratch_bytes + strip.packed_bytes for strip in self.plans.values())
        return min(threads, len(self.shares)) * strip + (len(self.shares) - 1) * sums

    def runner(self, resources: Resources) -> Runner:
        """What runs them, in shares for each thread."""
        return StripRunner(self, resources), (), (), len(self.operands)

    def _rows_of_one(self, length: int) -> int:
        cut = [node for node, axis in self.cuts if axis is not None]
        rowwise = [node for node, split in self.splits.items() if split.axis is not None]
        widest = max(node.size for node in (*cut, *rowwise)) // length
        if not any(map(_needs_many_rows, self.splits)):
            return max(1, min(CACHED // widest, length // SHARES))
        most = min(ELEMENTS // widest, length // SHARES)
        return max(ROWS, 1 << max(most, 1).bit_length() - 1)

    def _shares(self) -> list[range]:
        """As many as there may be without their sums taking much more than what is read. All but
        the last have the same number of strips, a power of two.
        """
        count = self.count
        sums = max(1, sum(node.size for node in self.sums))
        read = sum(node.size for node, axis in self.cuts if axis is not None)
        allowed = max(MOST_SHARES, min(count // SHARED, PARTIALS // sums))
        shares = min(count, max(SHARES, min(read // (8 * sums), allowed)))
        each = 1 << (-(-count // shares) - 1).bit_length()
        return [range(i, min(i + each, count)) for i in range(0, count, each)]


def _needs_many_rows(node: Node) -> bool:
    """Whether an op multiplies matrices, or takes elements to other places."""
    op = node.op
    moves = op.selects and not (op.view or op.combine or isinstance(op, Elementwise))
    return op.contracts or moves


class Strip:
    """The plan for a strip of this many rows."""

    def __init__(self, strips: Strips, rows: int) -> None:
        outside = strips.outputs[0].graph
        graph = Graph(outside.precision, shares=False)
        inside: dict[tuple[Node, int | None], Node] = {}
        self.operands: list[tuple[Node, int | None, Node]] = []
        """Values from outside, the axes along which they are cut, and what stands for the parts."""
        numbers = {node.inputs[1] for node in strips.splits if node.op.by_number is not None}
        for node, axis in strips.cuts:
            fixed = node.op is CONSTANT or node in numbers
            known = outside.look(node) if fixed and axis is None else None
            if known is not None:
                inside[node, axis] = graph.constant(known)
            else:
                inside[node, axis] = graph.input("part", _cut(node.shape, axis, rows), node.kind)
                self.operands.append((node, axis, inside[node, axis]))
        for node, split in strips.splits.items():
            graph.span, graph.origin = node.span, node.origin
            op = SUM if split.axis is None and node.op.averages else node.op
            attributes = node.attributes
            if op.shaped:
                attributes = (_cut(node.shape, split.axis, rows), *attributes[1:])
            operands = zip(node.inputs, split.operands, strict=True)
            inputs = tuple([inside[operand] for operand in operands])
            inside[node, split.axis] = graph.apply(op, inputs, attributes)
        outputs = [inside[node, strips.splits[node].axis] for node in strips.outputs]
        self.plan = Plan(outputs, partial(regions.units, patience=regions.SHORT_PATIENCE))
        self.scratch_bytes = scratch_bytes(self.plan)
        """The memory for its values."""
        self.packed_bytes = max(map(_packed_bytes, self.plan.nodes))
        """What BLAS takes to pack an operand, about."""


def _packed_bytes(node: Node) -> int:
    if not node.op.contracts or node.inputs[1].ndim < 2:
        return 0
    *_, depth, columns = node.inputs[1].shape
    return (min(depth, DEPTH) * columns + PANEL) * node.graph.dtype(node.kind).itemsize


def _cut(shape: Shape, axis: int | None, rows: int) -> Shape:
    """The shape with this many rows along an axis."""
    if axis is None:
        return shape
    return (*shape[:axis], rows, *shape[len(shape) + axis + 1 :])


# --- running them --------------------------------------------------------------------------


class StripWorker:
    """What one thread works with: memory, and what runs strips, by their number of rows."""

    def __init__(self, strips: Strips, resources: Resources) -> None:
        self.scratch = Scratch(max(strip.scratch_bytes for strip in strips.plans.values()))
        self.engines = {
            rows: resources.inside(strip.plan, self.scratch.empty)
            for rows, strip in strips.plans.items()
        }
        self.buffers: dict[Node, Array] = {}
        """For what is read from files."""


class StripRunner:
    """Strips made ready for NumPy; calling it runs them."""

    def __init__(self, strips: Strips, resources: Resources) -> None:
        self.strips = strips
        self._resources = resources
        self._idle: list[StripWorker] = []

    def __call__(self, *operands: Array, targets: Mapping[Node, Array]) -> list[Array]:
        """The results, then the sums, for the values of the operands.

        Results are written into `targets` where there is one.
        """
        strips = self.strips
        values = dict(zip(strips.operands, operands, strict=True))
        results = {
            node: targets[node]
            if node in targets
            else self._resources.empty(node.shape, node.graph.dtype(node.kind))
            for node in strips.results
        }
        sums = self.sweep(range(len(strips.shares)), values, results)
        return [*results.values(), *self.totals(sums)]

    def sweep(
        self, numbers: range, values: Mapping[Node, Array], results: Mapping[Node, Array]
    ) -> list[list[Array]]:
        """Compute some shares: write the results there, and return the sums of each."""
        shares = self.strips.shares
        sums: list[list[Array]] = [[] for _ in numbers]
        busy: list[StripWorker] = []

        def begin() -> Callable[[int], None]:
            worker = self._worker()
            busy.append(worker)

            def share(number: int) -> None:
                for each in shares[numbers[number]]:
                    parts = self._strip(worker, self.strips.place(each), values, results)
                    self._add(sums[number], parts)

            return share

        spread(len(numbers), self._resources.threads, begin)
        for worker in busy:
            worker.scratch.clear()
            worker.buffers.clear()
        self._idle += busy
        return sums

    def totals(self, sums: Sequence[list[Array]]) -> list[Array]:
        """What all shares add up to, from their sums in their order."""
        for other in sums[1:]:
            self._add(sums[0], other)
        totals = []
        for node, total in zip(self.strips.sums, sums[0], strict=True):
            if node.op.averages:
                count = math.prod(node.inputs[0].shape[axis] for axis in node.op.axes(node))
                np.divide(total, count, out=total)
            totals.append(total.astype(node.graph.dtype(node.kind), copy=False))
        return totals

    def _worker(self) -> StripWorker:
        """A worker that no other thread has; threads may ask at the same time."""
        try:
            return self._idle.pop()
        except IndexError:
            return StripWorker(self.strips, self._resources)

    def _strip(
        self,
        worker: StripWorker,
        place: slice,
        values: Mapping[Node, Array],
        results: Mapping[Node, Array],
    ) -> list[Array]:
        """Compute the rows of a place: write results, and return what goes into the sums."""
        rows = place.stop - place.start
        strip = self.strips.plans[rows]
        inputs = {}
        for node, axis, part in strip.operands:
            array = values[node] if axis is None else values[node][_index(axis, place)]
            file = stored(array) if axis is not None else None
            if file is not None:
                if part not in worker.buffers:
                    worker.buffers[part] = np.empty(part.shape, array.dtype)
                array = worker.buffers[part]
                file.read(0, array)
            inputs[part] = array
        targets = {
            inside: array[_index(self.strips.splits[node].axis, place)]
            for inside, (node, array) in zip(strip.plan.outputs, results.items(), strict=False)
        }
        return worker.engines[rows].run(inputs, targets)[len(targets) :]

    def _add(self, sums: list[Array], parts: Sequence[Array]) -> None:
        """Add parts to the sums, which they become if there are none."""
        if not sums:
            sums += [  # copies, as the parts lie in scratch memory
                part.astype(dtype_of_parts(node))
                for node, part in zip(self.strips.sums, parts, strict=True)
            ]
            return
        for node, total, part in zip(self.strips.sums, sums, parts, strict=True):
            getattr(np, node.op.combine or "add")(total, part, out=total)


def _index(axis: int | None, place: slice) -> tuple[Any, ...]:
    """What takes a place along an axis, counted from the right."""
    return (..., place, *(slice(None),) * (-1 - (axis or 0)))
