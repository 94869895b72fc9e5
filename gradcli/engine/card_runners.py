"""What runs units on the GPU: regions are a kernel each, written by `gradcli.engine.cuda`. All else
is cupy's: contractions are cuBLAS, decompositions cuSOLVER. What cupy cannot do, or not in a fixed
order, NumPy does, and a note says so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from gradcli.diagnostics import GradcliError, Note
from gradcli.engine.card import card, kernel
from gradcli.engine.cpu import compute
from gradcli.engine.cuda import Sweep, second, sweep_of
from gradcli.engine.kernels import attributes_of
from gradcli.engine.layout import PACK_BYTES, PARTS, THREADS, Strides, SweepLayout, walk
from gradcli.engine.region import Region
from gradcli.graph import Array, Node, Shape

CardArray: TypeAlias = Any
"""A `cupy.ndarray`; cupy has no types."""

REFUSALS = (AttributeError, GradcliError, NotImplementedError, TypeError, ValueError)
"""What cupy raises where it lacks something or an operand is wrong (as singular matrices are), and
ops where they refuse one. NumPy is asked then: it can do it, or knows what is wrong."""


class NodeRunner:
    """A node on its own, made ready for the card; calling it computes its value."""

    def __init__(self, node: Node, notes: list[Note]) -> None:
        """`notes` are told what was computed elsewhere, once."""
        self.operands = node.inputs
        self._node = node
        self._notes = notes

    def __call__(self, *operands: CardArray) -> list[CardArray]:
        """The node's value, by cupy's functions, else by NumPy's."""
        node, xp = self._node, card().xp
        dtype = node.graph.dtype(node.kind)
        if not node.op.host:
            try:
                return [xp.asarray(node.op.forward(xp, *operands, *attributes_of(node)), dtype)]
            except REFUSALS:
                pass
        value = on_host(node, [operand.get() for operand in operands])
        note = Note("device", f"{node.op.name} was computed on the CPU")
        if note not in self._notes:
            self._notes.append(note)
        return [xp.asarray(value)]


def on_host(node: Node, operands: Sequence[Array]) -> Array:
    """A node's value by NumPy's functions, in its dtype."""
    with np.errstate(all="ignore"):
        return np.asarray(compute(node, operands), node.graph.dtype(node.kind))


class SweepRunner:
    """A region made ready for the card; calling it runs its kernel."""

    def __init__(self, region: Region, known: Mapping[Node, Array]) -> None:
        """Single values that are `known` are arguments of the kernel."""
        numbers = [node for node in region.operands if node in known and node.size == 1]
        self.region = region
        self.sweep = sweep_of(region, numbers)
        self.operands = tuple(node for node in region.operands if node not in numbers)
        self._precision = region.outputs[0].graph.precision
        self._float = np.dtype(self._precision).type
        self._known_nodes = numbers
        self.know(known)
        self._types = [node.graph.dtype(node.kind) for node in region.results]
        first = next(iter(region.reductions), None)  # all go along the same axes
        self._axes: Sequence[int] = () if first is None else first.op.axes(first)
        self._counts = [self._count(node) for node in region.reductions if node.op.averages]

    def know(self, known: Mapping[Node, Array]) -> None:
        """Take other numbers for those that are known."""
        self._numbers = [known[node].reshape(())[()] for node in self._known_nodes]

    def __call__(self, *operands: CardArray) -> list[CardArray]:
        """The region's results, then its reductions."""
        results, totals = self.part(self.region.shape, operands, self._counts)
        shapes = (node.shape for node in self.region.reductions)
        return results + [total.reshape(shape) for total, shape in zip(totals, shapes, strict=True)]

    def part(
        self, shape: Shape, operands: Sequence[CardArray], counts: Sequence[Any] | None = None
    ) -> tuple[list[CardArray], list[CardArray]]:
        """Results and reductions for some rows of the region; without `counts` nothing is averaged.

        Reductions are flat.
        """
        results = [card().xp.empty(shape, dtype) for dtype in self._types]
        counts = [self._float(1)] * len(self._counts) if counts is None else counts
        arguments = [*operands, *self._numbers, *results]
        totals = self._reduced(self.sweep, shape, self._axes, operands, arguments, counts)
        return results, totals

    def _reduced(
        self,
        sweep: Sweep,
        shape: Shape,
        axes: Sequence[int],
        operands: Sequence[CardArray],
        arguments: Sequence[Any],
        counts: Sequence[Any],
        parts: int = PARTS,
    ) -> list[CardArray]:
        """Run a kernel, and where several blocks share a place another one on what they leave."""
        layout = self._layout(shape, axes, operands, parts)
        empty = card().xp.empty
        left = [empty((layout.parts, layout.places), self._float) for _ in sweep.reductions]
        whole = layout.parts == 1
        divisors = iter(counts if whole else [self._float(1)] * len(counts))
        index = np.int64 if layout.wide else np.int32
        extents = map(index, (layout.places, layout.packs, layout.chunk))
        reductions = [
            argument
            for (_, _, averages), array in zip(sweep.reductions, left, strict=True)
            for argument in ((array, next(divisors)) if averages else (array,))
        ]
        run = kernel(sweep, layout, self._precision)
        run((layout.blocks,), (THREADS,), (*arguments, *reductions, *extents))
        if whole or not left:
            return left
        # A second kernel, with all parts of a place in one block.
        return self._reduced(second(sweep), left[0].shape, (-2,), left, left, counts, parts=1)

    def _layout(
        self, shape: Shape, axes: Sequence[int], operands: Sequence[CardArray], parts: int
    ) -> SweepLayout:
        itemsize = np.dtype(self._float).itemsize
        pack = PACK_BYTES // itemsize
        aligned = parts > 1 and all(
            each.data.ptr % (each.itemsize * pack) == 0 for each in operands
        )
        strides = tuple(_strides(each, shape) for each in operands)
        return walk(shape, tuple(axes), strides, itemsize, packs=aligned, parts=parts)

    def _count(self, node: Node) -> Any:
        return self._float(node.inputs[0].size // max(node.size, 1))


def _strides(array: CardArray, shape: Shape) -> Strides:
    """The strides of an operand along the axes of a shape that it broadcasts to."""
    strides: list[int] = [0] * (len(shape) - array.ndim)
    for length, stride in zip(array.shape, array.strides, strict=True):
        strides.append(0 if length == 1 else stride // array.itemsize)
    return tuple(strides)
