"""How the units of a plan are parted: regions by their blocks, strips by their shares."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol, cast

from gradcli.engine.blocks import BLOCK, Grid, Place
from gradcli.engine.plan import Resources, Unit
from gradcli.engine.region import Parts, Region, RegionRunner, spans
from gradcli.engine.strips import StripRunner, Strips
from gradcli.graph import Array, Node, Shape
from gradcli.sweep.task import Sums
from gradcli.sweep.window import StoreWindow

PART = 1 << 22
"""Elements of a part, unless there would be too many parts."""
SLAB = 1 << 20
"""Elements that are read, or written, at a time; the chunks of a gradient have as many."""


class Parted(Protocol):
    """A unit of a plan that is done in parts."""

    outputs: tuple[Node, ...]
    """As those of the unit: first the results, which have rows, then what is reduced."""
    results: tuple[Node, ...]

    def parts(self, most: int) -> Iterator[range]:
        """The rows of each part, of which there are `most`, at most."""

    def place(self, node: Node, rows: range) -> Place | None:
        """Which place of an operand or result some rows need; None for all of it."""

    def lengths(self, node: Node) -> Shape:
        """The steps in which an operand or result is read or written."""

    def sweep(
        self,
        resources: Resources,
        rows: range,
        operands: Mapping[Node, Array | StoreWindow],
        results: Mapping[Node, Array | StoreWindow],
    ) -> Sums:
        """Do some rows: write the results, and return the sums."""

    def totals(self, resources: Resources, sums: Sums) -> list[Array]:
        """What is reduced, from the sums of all rows in their order."""


def parted(unit: Unit) -> Parted | None:
    """The unit in parts, if it can be parted."""
    if isinstance(unit, Region):
        return RegionParts(unit)
    return StripParts(unit) if isinstance(unit, Strips) else None


class RegionParts:
    """A region in pieces of whole blocks."""

    def __init__(self, region: Region) -> None:
        self._region = region
        self.outputs = region.outputs
        self.results = region.results
        self._rows = spans(region).rows
        self._slab = Grid(region.shape, SLAB).lengths

    def parts(self, most: int) -> Iterator[range]:
        """See `Parted`: a part is some rows, or one that is larger."""
        size = PART
        while len(Grid(self._region.shape, size)) > most:
            size *= 2
        parts = Grid(self._region.shape, size)
        if len(self._rows) <= len(parts):
            yield from (range(i, i + 1) for i in range(len(self._rows)))
        else:
            yield from (self._rows.inside(place) for place in parts)

    def place(self, node: Node, rows: range) -> Place | None:
        """See `Parted`."""
        first, last = self._rows[rows[0]], self._rows[rows[-1]]
        box = [slice(a.start, b.stop) for a, b in zip(first, last, strict=True)]
        return tuple(
            slice(0, 1) if n == 1 else part
            for part, n in zip(box[len(box) - node.ndim :], node.shape, strict=True)
        )

    def lengths(self, node: Node) -> Shape:
        """See `Parted`."""
        slab = self._slab[len(self._slab) - node.ndim :]
        return tuple(min(n, m) for n, m in zip(node.shape, slab, strict=True))

    def sweep(
        self,
        resources: Resources,
        rows: range,
        operands: Mapping[Node, Array | StoreWindow],
        results: Mapping[Node, Array | StoreWindow],
    ) -> Sums:
        """See `Parted`."""
        given = _arrays([operands[node] for node in self._region.operands])
        into = _arrays([results[node] for node in self._region.results])
        return RegionRunner(self._region, resources.threads).sweep(rows, given, into)

    def totals(self, resources: Resources, sums: Sums) -> list[Array]:
        """See `Parted`."""
        return RegionRunner(self._region, 1).totals(cast("list[list[Parts]]", sums))


class StripParts:
    """Strips by their shares."""

    def __init__(self, strips: Strips) -> None:
        self._strips = strips
        self.outputs = strips.outputs
        self.results = strips.results
        axes: dict[Node, set[int | None]] = {}
        for node, axis in strips.cuts:
            axes.setdefault(node, set()).add(axis)
        for node in strips.results:
            axes[node] = {strips.splits[node].axis}
        self._axes = {
            node: next(iter(each)) if len(each) == 1 else None for node, each in axes.items()
        }

    def parts(self, most: int) -> Iterator[range]:
        """See `Parted`."""
        count = len(self._strips.shares)
        step = -(-count // most)
        yield from (range(i, min(i + step, count)) for i in range(0, count, step))

    def place(self, node: Node, rows: range) -> Place | None:
        """See `Parted`."""
        axis = self._axes[node]
        if axis is None:
            return None
        place, shares = self._strips.place, self._strips.shares
        start, stop = place(shares[rows[0]][0]).start, place(shares[rows[-1]][-1]).stop
        found = [slice(0, n) for n in node.shape]
        found[axis] = slice(start, stop)
        return tuple(found)

    def lengths(self, node: Node) -> Shape:
        """See `Parted`: as many strips as a slab and a share have room for, a power of two."""
        axis = self._axes[node]
        assert axis is not None
        strip = self._strips.place(0).stop
        row = node.size // node.shape[axis]
        count = 1
        while 2 * count <= len(self._strips.shares[0]) and 2 * count * strip * row <= SLAB:
            count *= 2
        found = list(node.shape)
        found[axis] = min(count * strip, node.shape[axis])
        return tuple(found)

    def sweep(
        self,
        resources: Resources,
        rows: range,
        operands: Mapping[Node, Array | StoreWindow],
        results: Mapping[Node, Array | StoreWindow],
    ) -> Sums:
        """See `Parted`."""
        return StripRunner(self._strips, resources).sweep(
            rows, cast("Mapping[Node, Array]", operands), cast("Mapping[Node, Array]", results)
        )

    def totals(self, resources: Resources, sums: Sums) -> list[Array]:
        """See `Parted`."""
        return StripRunner(self._strips, resources).totals(cast("list[list[Array]]", sums))


def _arrays(values: Sequence[Any]) -> Sequence[Array]:
    """Windows are as much of an array as runners use."""
    return values


def slab(shape: Shape) -> Shape:
    """The chunks of an array that no unit writes."""
    return (
        Grid(shape, SLAB).lengths if math.prod(shape) > BLOCK else tuple(max(1, n) for n in shape)
    )
