"""What runs units on the GPU: regions are a kernel each, written by `gradcli.engine.cuda`. All else
is cupy's: contractions are cuBLAS, decompositions cuSOLVER. What cupy cannot do, or not in a fixed
order, NumPy does, and a note says so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from gradcli.diagnostics import GradcliError, Note
from gradcli.engine.bodies import runner
from gradcli.engine.card import kernel, refusing
from gradcli.engine.card_places import PlaceRunner, has_kernel
from gradcli.engine.cpu import HOST, compute
from gradcli.engine.cuda import Sweep, second, sweep_of
from gradcli.engine.kernels import attributes_of
from gradcli.engine.layout import PACK_BYTES, PARTS, THREADS, Strides, SweepLayout, walk
from gradcli.engine.loops import Passes
from gradcli.engine.region import Region
from gradcli.graph import Array, Node, Precision, Shape

CardArray: TypeAlias = Any
"""A `cupy.ndarray`; cupy has no types."""

ALIGNMENT = 64
"""Bytes; whether an address can be divided by them says all of it that a kernel depends on."""

REFUSALS = (AttributeError, GradcliError, NotImplementedError, TypeError, ValueError)
"""What cupy raises where it lacks something or an operand is wrong (as singular matrices are), and
ops where they refuse one. NumPy is asked then: it can do it, or knows what is wrong."""


class NodeRunner:
    """A node on its own, made ready for the card; calling it computes its value."""

    def __init__(self, node: Node, xp: Any, notes: list[Note]) -> None:
        """`xp` is cupy; `notes` are told what was computed elsewhere, once."""
        self.operands = node.inputs
        self._xp = xp
        self._node = node
        self._notes = notes
        self._places = PlaceRunner(node, xp) if has_kernel(node) else None

    def __call__(self, *operands: CardArray) -> list[CardArray]:
        """The node's value, by a kernel of our own or cupy's functions, else by NumPy's."""
        found = self._places and self._places(*operands)
        if found:
            return found
        node, xp = self._node, self._xp
        dtype = node.graph.dtype(node.kind)
        if node.size > node.op.host:
            with suppress(*REFUSALS), refusing() if node.op.refuses else nullcontext():
                return [xp.asarray(node.op.forward(xp, *operands, *attributes_of(node)), dtype)]
        value = on_host(node, [operand.get() for operand in operands])
        _note(self._notes, f"{node.op.name} was computed on the CPU")
        return [xp.asarray(value)]


class LoopRunner:
    """A loop made ready; the CPU runs it, as a pass of its small values is over before a kernel of
    it would have begun. Passes over large values are no loop, but kernels that are compiled once.
    """

    def __init__(self, unit: Passes, xp: Any, notes: list[Note]) -> None:
        """The arguments are those of `NodeRunner`."""
        self.operands = unit.operands
        self._xp = xp
        self._notes = notes
        self._run = runner(unit.outputs, HOST)

    def __call__(self, *operands: CardArray) -> list[CardArray]:
        """The results of the loop."""
        found = self._run(*(operand.get() for operand in operands))
        _note(self._notes, "a loop was computed on the CPU")
        return [self._xp.asarray(value) for value in found]


CardRunner: TypeAlias = "NodeRunner | LoopRunner | SweepRunner"


def _note(notes: list[Note], message: str) -> None:
    """Say once what was computed elsewhere."""
    note = Note("device", message)
    if note not in notes:
        notes.append(note)


def on_host(node: Node, operands: Sequence[Array]) -> Array:
    """A node's value by NumPy's functions, in its dtype."""
    with np.errstate(all="ignore"):
        return np.asarray(compute(node, operands), node.graph.dtype(node.kind))


class SweepRunner:
    """A region made ready for the card; calling it runs its kernel."""

    def __init__(self, region: Region, xp: Any, known: Mapping[Node, Array]) -> None:
        """Single values that are `known` are arguments of the kernel."""
        numbers = [node for node in region.operands if node in known and node.size == 1]
        self.region = region
        self.operands = tuple(node for node in region.operands if node not in numbers)
        precision = region.outputs[0].graph.precision
        self._float = np.dtype(precision).type
        self._known_nodes = numbers
        self.know(known)
        self._types = [node.graph.dtype(node.kind) for node in region.results]
        first = next(iter(region.reductions), None)  # all go along the same axes
        axes: Sequence[int] = () if first is None else first.op.axes(first)
        self._xp = xp
        self._launcher = Launcher(sweep_of(region, numbers), axes, precision, xp)
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
        results = [self._xp.empty(shape, dtype) for dtype in self._types]
        counts = [self._float(1)] * len(self._counts) if counts is None else counts
        arguments = [*operands, *self._numbers, *results]
        return results, self._launcher(shape, operands, arguments, counts)

    def _count(self, node: Node) -> Any:
        return self._float(node.inputs[0].size // max(node.size, 1))


@dataclass(frozen=True, slots=True)
class Launch:
    """A kernel for operands that lie in memory in one way, and what its launch is given."""

    run: Any
    layout: SweepLayout
    grid: tuple[int]
    extents: tuple[Any, ...]
    """The last arguments."""


class Launcher:
    """What runs a sweep. The launch for operands that lie as earlier ones did is made ready once:
    a card computes 10⁷ numbers in the time that this takes.
    """

    def __init__(
        self, sweep: Sweep, axes: Sequence[int], precision: Precision, xp: Any, parts: int = PARTS
    ) -> None:
        self._sweep = sweep
        self._axes = tuple(axes)
        self._precision = precision
        self._float = np.dtype(precision).type
        self._xp = xp
        self._parts = parts
        self._launches: dict[tuple[Any, ...], Launch] = {}
        self._second: Launcher | None = None

    def __call__(
        self,
        shape: Shape,
        operands: Sequence[CardArray],
        arguments: Sequence[Any],
        counts: Sequence[Any],
    ) -> list[CardArray]:
        """Run the kernel, and where several blocks share a place another one on what they leave."""
        lying = [(each.shape, each.strides, each.data.ptr % ALIGNMENT) for each in operands]
        key = (shape, *lying)
        launch = self._launches.get(key)
        if launch is None:
            launch = self._launches[key] = self._made_ready(shape, operands)
        layout = launch.layout
        left = [
            self._xp.empty((layout.parts, layout.places), self._float)
            for _ in self._sweep.reductions
        ]
        whole = layout.parts == 1
        divisors = iter(counts if whole else [self._float(1)] * len(counts))
        reductions = [
            argument
            for (_, _, averages), array in zip(self._sweep.reductions, left, strict=True)
            for argument in ((array, next(divisors)) if averages else (array,))
        ]
        launch.run(launch.grid, (THREADS,), (*arguments, *reductions, *launch.extents))
        if whole or not left:
            return left
        if self._second is None:  # with all parts of a place in one block
            self._second = Launcher(second(self._sweep), (-2,), self._precision, self._xp, parts=1)
        return self._second(left[0].shape, left, left, counts)

    def _made_ready(self, shape: Shape, operands: Sequence[CardArray]) -> Launch:
        itemsize = np.dtype(self._float).itemsize
        pack = PACK_BYTES // itemsize
        aligned = self._parts > 1 and all(
            each.data.ptr % (each.itemsize * pack) == 0 for each in operands
        )
        strides = tuple(_strides(each, shape) for each in operands)
        layout = walk(shape, self._axes, strides, itemsize, packs=aligned, parts=self._parts)
        index = np.int64 if layout.wide else np.int32
        extents = tuple(map(index, (layout.places, layout.packs, layout.chunk)))
        run = kernel(self._sweep, layout, self._precision)
        return Launch(run, layout, (layout.blocks,), extents)


def _strides(array: CardArray, shape: Shape) -> Strides:
    """The strides of an operand along the axes of a shape that it broadcasts to."""
    strides: list[int] = [0] * (len(shape) - array.ndim)
    for length, stride in zip(array.shape, array.strides, strict=True):
        strides.append(0 if length == 1 else stride // array.itemsize)
    return tuple(strides)
