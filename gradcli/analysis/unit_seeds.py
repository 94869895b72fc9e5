"""Unit vectors as seeds: as long as they stay single elements, no zeros are computed with.

The Jacobian of sin(x) * (W @ x) + cumsum(x) is made of diagonals, of rows of W, and of rows that
are 0 and then 1. To put the identity through all ops would take nearly all of the time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from gradcli.graph import Array, Node
from gradcli.ops.elementwise import Elementwise
from gradcli.tuples import NamedTuple
from gradcli.walks import ancestors

MOST = 8
"""Arrays that are made for the same unit vectors, at most: all are in memory together."""


class UnitEntry(NamedTuple):
    """A node at which unit vectors become arrays: what it is for each of them is put there."""

    node: Node
    vector: Node
    """The node, or its operand: for each unit vector all its elements, or all but one, are 0."""
    places: Array
    """Where that is; -1 where there is none."""
    others: tuple[Node, ...] = ()
    """The node's other operands."""

    def rows(self, start: int, stop: int, known: Mapping[Node, Array]) -> Array:
        """What the node is for these unit vectors, one in a row, from what the vector, where all
        seeds are 1, and the others are known to be.
        """
        vector = known[self.vector].reshape(-1)
        rows = np.zeros((stop - start, self.node.size), vector.dtype)
        (hit,) = np.nonzero(self.places[start:stop] >= 0)
        places = self.places[start:stop][hit]
        if self.node is self.vector:
            rows[hit, places] = vector[places]
            return rows
        assert self.node.op.of_units is not None
        others = [known[other] for other in self.others]
        at = self.node.inputs.index(self.vector)
        found = rows if len(hit) == len(rows) else rows[hit]
        self.node.op.of_units(found, at, places, vector[places], *others, *self.node.attributes)
        if found is not rows:
            rows[hit] = found
        return rows


def entries(seeds: Sequence[Node], results: Sequence[Node]) -> list[UnitEntry]:
    """Where the unit vectors of all seeds together, on their way to the results, first meet what
    makes several elements of one.
    """
    found = _Walk(seeds).to(results)
    return found if 0 < len(found) <= MOST else _Walk(seeds).to(seeds)


class _Walk:
    """Through the nodes that depend on seeds, as far as each element is that of one unit vector."""

    def __init__(self, seeds: Sequence[Node]) -> None:
        stops = np.cumsum([seed.size for seed in seeds])
        self._total = sum(seed.size for seed in seeds)
        self._units = {
            seed: np.arange(stop - seed.size, stop).reshape(seed.shape)
            for seed, stop in zip(seeds, stops, strict=True)
        }
        """By node the number of the unit vector by which each element may be other than 0."""
        self._entries: dict[Node, UnitEntry] = {}

    def to(self, results: Sequence[Node]) -> list[UnitEntry]:
        """The entries."""
        moving = set(self._units)
        for node in ancestors(results):
            operands = [each for each in node.inputs if each in moving]
            if node in moving or not operands:
                continue
            moving.add(node)
            units = self._moved(node, operands)
            if units is not None:
                self._units[node] = units
            elif not self._enter_behind(node, operands):
                self._enter(operands)
        self._enter(results)
        return list(self._entries.values())

    def _moved(self, node: Node, operands: Sequence[Node]) -> Array | None:
        """Where the units are in a node; None where one may be in several places, or two in one."""
        if node.kind != "float" or not all(each in self._units for each in operands):
            return None
        first, *more = (self._units[each] for each in operands)
        if isinstance(node.op, Elementwise):
            alike = all(each is first or np.array_equal(each, first) for each in more)
            return first if alike and node.shape == first.shape else None
        if node.op.view and len(node.inputs) == 1 and node.size <= first.size:
            return node.op.forward(np, first, *node.attributes)
        return None

    def _enter_behind(self, node: Node, operands: Sequence[Node]) -> bool:
        """Whether it is known what the node is for a unit vector: then that is put there."""
        (vector, *more) = operands
        known = (
            node.op.of_units
            and not more
            and vector in self._units
            and node.ndim == vector.ndim == 1
        )
        if known:
            others = tuple(each for each in node.inputs if each is not vector)
            self._entries[node] = UnitEntry(node, vector, self._places(vector), others)
        return bool(known)

    def _enter(self, nodes: Sequence[Node]) -> None:
        """Put arrays in the place of these nodes where that was not done before."""
        for node in nodes:
            if node in self._units and node not in self._entries:
                self._entries[node] = UnitEntry(node, node, self._places(node))

    def _places(self, node: Node) -> Array:
        """Where each unit vector is in a node, -1 where it is not."""
        places = np.full(self._total, -1)
        units = self._units[node]
        places[units.reshape(-1)] = np.arange(units.size)
        return places
