"""Strips: a part of a graph that is computed on a few rows at a time, as a plan of its own.

Rows lie along whatever axis can be followed through the ops, such as the columns of a transpose.
How many make a strip depends on shapes alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

from gradcli.engine import regions
from gradcli.engine.plan import Plan
from gradcli.engine.regions import dtype_of_parts
from gradcli.engine.scratch import scratch_bytes
from gradcli.graph import CONSTANT, Graph, Node, Shape, Split
from gradcli.ops.reductions import SUM

ELEMENTS, ROWS = 1 << 19, 1 << 8
"""A strip has about so many elements of the widest value, but at least so many rows: products of
fewer are slow."""
DEPTH, PANEL = 384, 1 << 17
"""BLAS packs so many rows of the right operand, and about so many elements of the left one."""
SHARES, MOST_SHARES = 4, 32
"""Into how many shares strips are dealt out. Each adds up sums of its own, whatever the threads."""


class Strips:
    """Nodes that run together, on a strip of rows at a time."""

    def __init__(
        self, length: int, splits: Mapping[Node, Split], results: tuple[Node, ...]
    ) -> None:
        """`length` is the number of rows, `splits` has the nodes, operands first, and how their
        work is split along the rows; those in `results` are needed outside as whole arrays.
        """
        self.splits = splits
        self.results = results
        self.sums = tuple(node for node, split in splits.items() if split.axis is None)
        """Nodes to which every strip adds."""
        self.nodes = (*results, *self.sums)
        """What is there after the strips have run."""
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
        rows = self._rows(length)
        self.places = [slice(i, min(i + rows, length)) for i in range(0, length, rows)]
        """The rows of each strip."""
        counts = {place.stop - place.start for place in self.places}
        self.plans = {rows: Strip(self, rows) for rows in counts}
        """By number of rows, what is computed of a strip."""
        self.shares = self._shares()
        """The strips, by number, that one share of the work has."""

    def work_bytes(self, threads: int) -> int:
        """The memory that strips take beside their operands and what is there after them."""
        sums = sum(node.size * dtype_of_parts(node).itemsize for node in self.sums)
        strip = max(strip.scratch_bytes + strip.packed_bytes for strip in self.plans.values())
        return min(threads, len(self.shares)) * strip + (len(self.shares) - 1) * sums

    def _rows(self, length: int) -> int:
        cut = [node for node, axis in self.cuts if axis is not None]
        rowwise = [node for node, split in self.splits.items() if split.axis is not None]
        widest = max(node.size for node in (*cut, *rowwise)) // length
        most = min(ELEMENTS // widest, length // SHARES)
        return max(ROWS, 1 << max(most, 1).bit_length() - 1)

    def _shares(self) -> list[range]:
        """As many as there may be without their sums taking much more than what is read."""
        count = len(self.places)
        read = sum(node.size for node, axis in self.cuts if axis is not None)
        most = read // (8 * max(1, sum(node.size for node in self.sums)))
        shares = min(count, max(SHARES, min(most, MOST_SHARES)))
        return [range(*each) for each in pairwise(i * count // shares for i in range(shares + 1))]


class Strip:
    """What is computed of so many rows."""

    def __init__(self, strips: Strips, rows: int) -> None:
        outside = strips.nodes[0].graph
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
        outputs = [inside[node, strips.splits[node].axis] for node in strips.nodes]
        self.plan = Plan(outputs, regions.units)
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
    """The shape with so many rows along an axis."""
    if axis is None:
        return shape
    return (*shape[:axis], rows, *shape[len(shape) + axis + 1 :])
