"""Lines along the elements of a leaf: the length of smooth pieces, and changes of the outputs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from gradcli.analysis.differences import LEVELS, Estimate, extrapolate
from gradcli.analysis.fitted import fitted
from gradcli.analysis.kinks import Kink, crossings
from gradcli.analysis.probe import NotAnalyticError, OutsideError, Probed
from gradcli.analysis.verdict import Index
from gradcli.graph import Array

FIRST_STEP = 2.0**-3
"""The longest first step, relative to the element."""
SHORTEST = 2.0**-36
"""The least length of a piece, relative to the element, for differences."""
LEAST = 1e-3
"""Elements smaller than this, relative to the leaf's largest, count as this large."""
FOOT = 2.0**-12
"""The distance from a kink for one-sided differences, relative to the step."""
FEW_LEVELS = 1
"""Along directions of all elements, whose derivatives are smooth sums and cost much, so many levels
without a better estimate are enough.
"""
COMPLEX_STEP, LONGEST = 1e-30, 1e-8
"""Complex step, and the longest that rounding hides the error of, relative to the element."""
EPS = float(np.finfo(np.float64).eps)
TINY = float(np.finfo(np.float64).tiny)
"""Smaller numbers lose digits."""


@dataclass(frozen=True, slots=True, eq=False)
class Reach:
    """The length of the smooth piece from the point in one direction, and the kink at its end."""

    reach: float
    end: Kink | None


class Lines:
    """Lines through the point of a probe; `weights` are the v of its nodes."""

    def __init__(self, outputs: Probed, weights: Sequence[Array]) -> None:
        self._outputs = outputs
        self._weights = weights
        self._point = outputs.point
        self._here = outputs.surroundings(self._point)
        self._noise = outputs.noise(self._point, EPS)
        self._analytic = not outputs.foreign
        sizes = np.abs(self._point[np.isfinite(self._point) & (self._point != 0)])
        self._typical = float(np.max(sizes)) if sizes.size else 1.0
        self.total = self._sizes(np.abs(y) for y in outputs.base)
        """|v|·|outputs|."""
        self.finite = outputs.finite
        self.work = outputs.work
        self.foreign = outputs.foreign
        self.noisy = outputs.noisy
        self.rounded = any(each.any() for each in outputs.rounded)
        """Whether the outputs are rounded to few digits."""

    # --- where ---

    def size(self, index: Index) -> float:
        """The size that an element has, for steps."""
        size = abs(float(self._point[index]))
        return max(size if math.isfinite(size) else 0.0, LEAST * self._typical)

    def moved(self, index: Index, step: float) -> Array:
        """The point with one element changed."""
        return _moved(self._point, index, step)

    def side(self, index: Index, first: float) -> Reach:
        """The longest step within the smooth piece here, at most `first`."""
        step, end = first, None
        while abs(step) > self._shortest(index):
            kink = self._outputs.kink_before(self._here, self.moved(index, step), abs(step))
            if kink is None:
                return Reach(abs(step), end)
            end = kink
            if kink.distance <= EPS * self.size(index):
                return Reach(0.0, replace(kink, distance=0.0))
            step /= 4
        return Reach(0.0, end)

    def off_kink(self, index: Index, first: float) -> float | None:
        """A step off a kink to the middle of the piece on that side, if it is long enough."""
        step = first
        while abs(step) > self._shortest(index):
            try:
                foot = self._outputs.surroundings(self.moved(index, step * FOOT))
            except OutsideError:
                return None
            if self._outputs.kink_before(foot, self.moved(index, step), abs(step)) is None:
                return step / 2
            step /= 4
        return None

    def _shortest(self, index: Index) -> float:
        size = abs(float(self._point[index]))
        return SHORTEST * (size if math.isfinite(size) and size else self._typical)

    # --- all elements at once ---

    def sizes(self) -> Array:
        """The size of every element, for steps."""
        sizes = np.where(np.isfinite(self._point), np.abs(self._point), 0.0)
        return np.maximum(sizes, LEAST * self._typical)

    def met(self, direction: Array, step: float) -> Array | None:
        """The elements that meet a kink within a step along a direction to either side: none of
        them by name where another than an elementwise op meets it; None where there is no kink.
        """
        found = None
        for sign in (1, -1):
            try:
                there = self._outputs.surroundings(self._point + sign * step * direction)
            except OutsideError:
                return np.zeros(self._point.shape, bool)
            crossed = crossings(self._here, there, self._point.shape)
            if crossed is not None:
                found = crossed if found is None else found | crossed
        return found

    def along(self, direction: Array, first: float, enough: float, shift: float) -> Estimate:
        """The derivative along a direction, by central differences with an error of `enough`.

        `shift` is what rounding of the moved elements does to the outputs.
        """

        def quotient(step: float) -> tuple[float, float]:
            moved = step * direction
            change, noise = self._change(self._point + moved, self._point - moved)
            return change / (2 * step), (noise + shift) / (2 * step)

        return extrapolate(quotient, first, 2, enough=enough, patience=FEW_LEVELS)

    # --- derivatives ---

    def central(self, index: Index, first: float, at: float = 0.0, least: int = 0) -> Estimate:
        """By central differences at the point, or at the one that is the step `at` away from it."""
        point = self.moved(index, at)
        return extrapolate(lambda step: self._symmetric(index, point, step), first, 2, least)

    def fitted(self, index: Index, lengths: Sequence[float], enough: float) -> Estimate:
        """By fits to noisy values on both sides of the point."""

        def value(step: float) -> float:
            return self._weigh(self._outputs.at(self.moved(index, step)))

        with np.errstate(all="ignore"):
            rounded = self._sizes(self._outputs.rounded)
            return fitted(value, self._sizes(self._noise), lengths, enough, rounded)

    def one_sided(self, index: Index, first: float) -> Estimate:
        """By one-sided differences, on the left if `first` is negative."""

        def quotient(step: float) -> tuple[float, float]:
            return self._quotient(index, self.moved(index, step), self._point)

        return extrapolate(quotient, first, 1)

    def complex_step(self, index: Index) -> float:
        """By complex step; nan where an op is not analytic, or a step would be nothing."""
        if not self._analytic:
            return math.nan
        step = max(COMPLEX_STEP * self.size(index), TINY)
        if step > LONGEST * self.size(index):
            return math.nan
        moved = self._point.astype(np.complex128)
        moved[index] += 1j * step
        try:
            outputs = self._outputs.complex_at(moved)
        except NotAnalyticError:
            self._analytic = False
            return math.nan
        with np.errstate(all="ignore"):
            return self._weigh(np.imag(y) for y in outputs) / step

    def usual(self, index: Index, step: float) -> float:
        """The size that the derivative has between the point and one that is a step away."""
        ahead, behind = (self._outputs.at(self.moved(index, s * step)) for s in (1, -1))
        here = self._outputs.base
        with np.errstate(all="ignore"):
            slope = self._weigh(a - b for a, b in zip(ahead, behind, strict=True)) / 2
            bend = self._weigh(a - 2 * y + b for a, y, b in zip(ahead, here, behind, strict=True))
        return max(abs(slope), abs(bend)) / step if step else 0.0

    def curve(self, index: Index) -> tuple[tuple[float, float], ...]:
        """Steps, from long to short, and the central difference quotient that each gives."""
        steps = [FIRST_STEP * self.size(index) / 2**level for level in range(LEVELS)]
        return tuple((step, self._symmetric(index, self._point, step)[0]) for step in steps)

    def _symmetric(self, index: Index, point: Array, step: float) -> tuple[float, float]:
        ahead = _moved(point, index, step)
        behind = _moved(point, index, float(point[index] - ahead[index]))
        return self._quotient(index, ahead, behind)

    def _quotient(self, index: Index, a: Array, b: Array) -> tuple[float, float]:
        """The difference quotient of v·outputs, and the part of it that may be rounding."""
        width = float(a[index] - b[index])
        if width == 0:
            return math.nan, math.inf
        far = abs(width) > self.size(index)  # terms that cancel there are larger than at the point
        change, noise = self._change(a, b, self._outputs.noise(a, EPS) if far else None)
        return change / width, noise / abs(width)

    def _change(
        self, a: Array, b: Array, rounding: Sequence[Array] | None = None
    ) -> tuple[float, float]:
        """The change of v·outputs between two points, and the part of it that may be rounding."""
        ahead, behind = self._outputs.at(a), self._outputs.at(b)
        with np.errstate(all="ignore"):
            change = self._weigh(x - y for x, y in zip(ahead, behind, strict=True))
            noise = self._sizes(
                n + EPS * (np.abs(x) + np.abs(y)) + TINY  # what is smaller may have become 0
                for n, x, y in zip(rounding or self._noise, ahead, behind, strict=True)
            )
        return change, noise

    def _weigh(self, arrays: Iterable[Array]) -> float:
        """v·arrays."""
        return sum(float(np.sum(w * a)) for w, a in zip(self._weights, arrays, strict=True))

    def _sizes(self, arrays: Iterable[Array]) -> float:
        """|v|·arrays, which are not negative."""
        return sum(float(np.sum(np.abs(w) * a)) for w, a in zip(self._weights, arrays, strict=True))


def _moved(point: Array, index: Index, step: float) -> Array:
    moved = point.copy()
    moved[index] += step
    return moved
