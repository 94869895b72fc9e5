"""Random errors in the last place of every number, to find what rounding does to a result.

Monte Carlo arithmetic, after Parker (1997): all steps are computed with random errors in their last
place, which later steps enlarge as they do rounding. Choices are not computed again, so that no
error moves a value across a jump.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from gradcli.graph import Array, Node

ROUNDINGS, FEW = 4, 2
"""How often values are computed with random roundings, to measure their rounding error: less often
where there are many errors to choose from."""
LARGE = 1 << 20
"""So many elements are many."""
ULPS = 2.0
"""By how much each is changed, in units of the last place."""
BLOCK = 1 << 16
"""How many random numbers are drawn at a time; they serve again from another place on."""

Rounding: TypeAlias = Callable[[Array], Array]


class RandomRounding:
    """Makes each number larger or smaller by a relative error of about `size`.

    The errors are all different, so that they do not cancel.
    """

    def __init__(self, size: float, seed: int) -> None:
        self._size = size
        self._generator = np.random.default_rng(seed)
        self._errors = np.empty(0)

    def __call__(self, array: Array, times: float = 1.0) -> Array:
        """The array rounded; an error of several roundings is `times` as large."""
        if array.dtype.kind != "f":
            return array
        size = array.dtype.type(times * self._size)
        if array.size <= BLOCK:
            factors = 1 + size * self._some(array.size).reshape(array.shape)
            return np.asarray(array * factors)
        rounded = np.ascontiguousarray(array).copy()
        flat = rounded.reshape(-1)
        for start in range(0, flat.size, BLOCK):
            part = flat[start : start + BLOCK]
            part *= 1 + size * self._some(part.size)
        return rounded

    def _some(self, count: int) -> Array:
        """Numbers of either sign between 0.5 and 1.5, in another order each time."""
        if self._errors.size < 2 * count:
            signs = self._generator.choice([-1, 1], max(2 * count, 1024))
            self._errors = signs * (0.5 + self._generator.random(signs.size))
        start = int(self._generator.integers(self._errors.size - count + 1))
        return self._errors[start : start + count]


def roundings(elements: int) -> int:
    """How often steps with so many elements in all are computed with random roundings."""
    return ROUNDINGS if elements < LARGE else FEW


def chooses(node: Node) -> bool:
    """Whether the values are integers, truth values or, as by `floor`, steps."""
    return node.kind != "float" or node.op.flat


def largest_change(found: Array, exact: Array) -> Array:
    """How far each number has moved; a number that was lost has moved without limit."""
    with np.errstate(all="ignore"):
        lost = ~np.isfinite(found) & np.isfinite(exact)
        return np.asarray(np.where(lost, np.inf, np.abs(found - exact)))
