"""Integers that passes of loops have by their number, also those of loops in loops."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from gradcli.graph import EMPTY, Array, Op
from gradcli.tuples import NamedTuple

MOST = 1 << 20
"""Numbers of so many passes of loops in each other are looked at, at most."""


class PassNumbers(NamedTuple):
    """A number that is another one in each pass: a sum of what each loop adds to the first."""

    first: float
    """What it is in the first pass of all these loops."""
    along: Mapping[int, Array] = EMPTY
    """What it is in the passes of one loop, while all others are in their first; by how deep that
    loop is nested.
    """

    def further(self, depth: int) -> Array:
        """How far it is from the first one in each pass of a loop."""
        return self.along[depth] - self.first if depth in self.along else np.zeros(1)

    def alone(self, depth: int) -> Array | None:
        """The numbers in the passes of one loop, if they do not depend on any other."""
        return self.along[depth] if self.along.keys() == {depth} else None

    def without(self, depth: int) -> PassNumbers:
        """The numbers in the first pass of one loop, and in all passes of the others."""
        return PassNumbers(self.first, {at: each for at, each in self.along.items() if at != depth})

    def over(self, depths: Sequence[int]) -> Array:
        """The numbers in all passes of some loops, with an axis for each of these."""
        behind = {depth: [1] * (len(depths) - 1 - axis) for axis, depth in enumerate(depths)}
        if len(self.along) == 1:  # as they are: a sum might be rounded
            ((depth, numbers),) = self.along.items()
            return numbers.reshape(-1, *behind[depth])
        found = np.asarray(self.first)
        for depth in self.along:
            found = found + self.further(depth).reshape(-1, *behind[depth])
        return found

    def ends(self) -> tuple[float, float]:
        """The least and the largest of all."""
        further = [self.further(depth) for depth in self.along]
        least, largest = (sum(float(end(each)) for each in further) for end in (np.min, np.max))
        return self.first + least, self.first + largest

    def moves_with(self, other: PassNumbers) -> bool:
        """Whether the difference of the two is the same in all passes."""
        depths = {*self.along, *other.along}
        return all((self.further(each) == other.further(each)).all() for each in depths)

    def are_integers(self) -> bool:
        """Whether all are."""
        values = [np.asarray(self.first), *self.along.values()]
        return all(bool((each == np.floor(each)).all()) for each in values)


def of_loop(depth: int, numbers: Array) -> PassNumbers:
    """The numbers in the passes of one loop."""
    return PassNumbers(float(numbers[0]), {depth: numbers})


def computed(
    op: Op, operands: Sequence[PassNumbers], attributes: Sequence[object]
) -> PassNumbers | None:
    """What an op makes of such numbers; None where it is no sum of what each loop adds to it, or
    where there are many.
    """
    lengths = {depth: each.size for given in operands for depth, each in given.along.items()}
    depths = sorted(lengths)
    if math.prod(lengths.values()) > MOST and len(depths) > 1:
        return None
    found = np.asarray(op.forward(np, *(each.over(depths) for each in operands), *attributes))
    if found.ndim != len(depths):
        return None
    along = {
        depth: np.moveaxis(found, axis, 0).reshape(lengths[depth], -1)[:, 0]
        for axis, depth in enumerate(depths)
    }
    sums = PassNumbers(float(found.flat[0]), along)
    is_sum = len(depths) < 2 or bool((sums.over(depths) == found).all())
    return sums if is_sum else None
