"""Integers that passes of loops have by their number, also those of loops in loops."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from gradcli.graph import EMPTY, Array, Op
from gradcli.tuples import NamedTuple

_SIGNS = {"add": 1.0, "sub": -1.0}
"""Of the ops that sum up two numbers: the sign of the second one."""


class PassNumbers(NamedTuple):
    """A number that is another one in each pass: a sum of what each loop adds to the first."""

    first: float
    """What it is in the first pass of all these loops."""
    further: Mapping[int, Array] = EMPTY
    """How far it is from the first one in each pass of a loop, by how deep that loop is nested."""

    def along(self, depth: int) -> Array:
        """The numbers in the passes of one loop, while all others are in their first."""
        return self.first + self.further[depth]

    def alone(self, depth: int) -> Array | None:
        """The numbers in the passes of one loop, if they do not depend on any other."""
        return self.along(depth) if self.further.keys() == {depth} else None

    def without(self, depth: int) -> PassNumbers:
        """The numbers in the first pass of one loop, and in all passes of the others."""
        further = {other: more for other, more in self.further.items() if other != depth}
        return PassNumbers(self.first, further)

    def ends(self) -> tuple[float, float]:
        """The least and the largest of all."""
        least = sum(float(more.min()) for more in self.further.values())
        return self.first + least, self.first + sum(float(m.max()) for m in self.further.values())

    def moves_with(self, other: PassNumbers) -> bool:
        """Whether the difference of the two is the same in all passes."""
        return all(not more.any() for more in _sum(self, other, -1.0).further.values())

    def are_integers(self) -> bool:
        """Whether all are."""
        values = [np.asarray(self.first), *self.further.values()]
        return all(bool((each == np.floor(each)).all()) for each in values)


def of_loop(depth: int, numbers: Array) -> PassNumbers:
    """The numbers in the passes of one loop."""
    return PassNumbers(float(numbers[0]), {depth: numbers - numbers[0]})


def computed(
    op: Op, operands: Sequence[PassNumbers], attributes: Sequence[object]
) -> PassNumbers | None:
    """What an op makes of such numbers; None where what several loops add to it is no sum."""
    depths = sorted({depth for each in operands for depth in each.further})
    if len(depths) <= 1:
        given = [each.along(*depths) if each.further else each.first for each in operands]
        found = np.asarray(op.forward(np, *given, *attributes))
        if found.ndim > len(depths):
            return None
        return of_loop(*depths, found) if depths else PassNumbers(float(found))
    if len(operands) != 2:
        return None
    first, second = operands
    if op.name in _SIGNS:
        return _sum(first, second, _SIGNS[op.name])
    if op.name == "mul" and not (first.further and second.further):
        factor = second.first if first.further else first.first
        return _sum(PassNumbers(0.0), first if first.further else second, factor)
    return None


def _sum(first: PassNumbers, second: PassNumbers, factor: float) -> PassNumbers:
    """The first, and `factor` times the second."""
    further = dict(first.further)
    for depth, more in second.further.items():
        further[depth] = further.get(depth, 0.0) + factor * more
    return PassNumbers(first.first + factor * second.first, further)
