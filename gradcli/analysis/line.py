"""One element of a leaf: how far it can move within a smooth piece, and what the outputs do."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from gradcli.analysis.differences import LEVELS, Estimate, extrapolate
from gradcli.analysis.judge import AGREES, EPS, NEGLIGIBLE, USEFUL, Claim, disagree, judge
from gradcli.analysis.kinks import Kink
from gradcli.analysis.probe import NotAnalyticError, OutsideError, Probe
from gradcli.analysis.verdict import Finding, Index, Verdict, element
from gradcli.graph import Array

FIRST_STEP = 2.0**-3
"""The longest step, as a part of the element."""
SHORTEST = 2.0**-36
"""A piece shorter than this part of the element is too short to measure in."""
LEAST = 1e-3
"""Smaller elements, as a part of the leaf's largest, move as if they had this size."""
COMPLEX_STEP = 1e-30
SHORTER = (2.0**-10, 2.0**-20)
"""A gradient that fails must fail for steps that are shorter by these factors, too."""


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """How far a smooth piece reaches from the point in one direction, and what ends it."""

    reach: float
    end: Kink | None


class Lines:
    """Lines through a point along the elements of a leaf called `name`.

    `weights` are the v of the outputs; `gradient` is the leaf's gradient, `base` its value here,
    and `unit` the precision that was computed in. `sensitivity` is how much the outputs change,
    at most, by a relative change of one element of any leaf.
    """

    def __init__(
        self,
        name: str,
        outputs: Probe,
        weights: Sequence[Array],
        gradient: Probe,
        base: Array,
        unit: float,
        sensitivity: float,
    ) -> None:
        self.name = name
        self._outputs = outputs
        self._weights = weights
        self._gradient = gradient
        self.gradient = base
        self.unit = unit
        self._sensitivity = sensitivity
        self._point = outputs.point
        self._here = outputs.surroundings(self._point)
        self._noise = outputs.noise(self._point, EPS)
        self.noise = gradient.noise(self._point, unit)[0]
        sizes = np.abs(self._point[np.isfinite(self._point) & (self._point != 0)])
        self._typical = float(np.max(sizes)) if sizes.size else 1.0
        self._analytic = True

    def check(self, index: Index) -> Finding:
        """The verdict on one element."""
        first = FIRST_STEP * self._size(index)
        sides = [self._side(index, sign * first) for sign in (1, -1)]
        for side in sides:
            if side.reach == 0 and side.end is not None:
                return self._at_kink(index, first, side.end)
        nearer, farther = sorted(sides, key=lambda side: side.reach)
        claim = self._claim(index, nearer.reach)
        central = self._central(index, self._point, nearer.reach)
        if not math.isfinite(claim.value):
            return _not_finite(index, claim, central)
        finding = judge(index, claim, central, self._complex(index))
        if finding.verdict == "inconclusive" and farther.reach > 4 * nearer.reach:
            sign = 1 if farther is sides[0] else -1
            again = judge(index, claim, self._one_sided(index, sign * farther.reach))
            finding = finding if again.verdict == "inconclusive" else again
        if finding.verdict == "fail":
            finding = self._doubted(finding, claim, sides)
        if finding.verdict != "pass" and nearer.end is not None:
            return replace(finding, reason=nearer.end.describe(element(self.name, index)))
        return finding

    def curve(self, index: Index) -> tuple[tuple[float, float], ...]:
        """Steps, from long to short, and the central difference quotient that each gives."""
        self._look_around(index, FIRST_STEP * self._size(index))
        steps = [FIRST_STEP * self._size(index) / 2**level for level in range(LEVELS)]
        return tuple((step, self._symmetric(index, self._point, step)[0]) for step in steps)

    # --- the claim ---

    def _claim(self, index: Index, reach: float) -> Claim:
        """The gradient's element, what of it may be rounding, and the size that is usual here."""
        noise, size = float(self.noise[index]), self._size(index)
        natural = sum(
            float(np.sum(np.abs(w * y)))
            for w, y in zip(self._weights, self._outputs.base, strict=True)
        )
        scales = (
            self._look_around(index, reach),
            self._sensitivity / size,
            min(noise / self.unit, natural / size),  # of numbers that may have cancelled
        )
        return Claim(float(self.gradient[index]), noise, max(filter(math.isfinite, scales)))

    def _look_around(self, index: Index, step: float) -> float:
        """The size that the derivative has a step away, and what depends on the element at all."""
        here = self._outputs.base
        ahead, behind = (self._outputs.at(_moved(self._point, index, s * step)) for s in (1, -1))
        self._counted = [(a != y) | (b != y) for a, y, b in zip(ahead, here, behind, strict=True)]
        with np.errstate(all="ignore"):
            slope = self._weigh(a - b for a, b in zip(ahead, behind, strict=True)) / 2
            bend = self._weigh(a - 2 * y + b for a, y, b in zip(ahead, here, behind, strict=True))
        return max(abs(slope), abs(bend)) / step if step else 0.0

    def _weigh(self, arrays: Iterable[Array]) -> float:
        """v·arrays as one number."""
        return sum(float(np.sum(w * a)) for w, a in zip(self._weights, arrays, strict=True))

    # --- where ---

    def _size(self, index: Index) -> float:
        size = abs(float(self._point[index]))
        return max(size if math.isfinite(size) else 0.0, LEAST * self._typical)

    def _shortest(self, index: Index) -> float:
        size = abs(float(self._point[index]))
        return SHORTEST * (size if math.isfinite(size) and size else self._typical)

    def _side(self, index: Index, first: float) -> Side:
        """How far one can go, at most the step `first`, within the smooth piece here."""
        step, end = first, None
        while abs(step) > self._shortest(index):
            there = _moved(self._point, index, step)
            kink = self._outputs.kink_before(self._here, there, abs(step))
            if kink is None:
                return Side(abs(step), end)
            end = kink
            if kink.distance == 0:
                break
            step = math.copysign(min(abs(step) / 4, kink.distance / 2), step)
        return Side(0.0, end)

    def _beside(self, index: Index, first: float) -> float | None:
        """A step off a kink to the middle of the piece on that side."""
        step = first
        while abs(step) > self._shortest(index):
            try:
                foot = self._outputs.surroundings(_moved(self._point, index, step / 4096))
            except OutsideError:
                return None
            there = _moved(self._point, index, step)
            if self._outputs.kink_before(foot, there, abs(step)) is None:
                return step / 2
            step /= 4
        return None

    # --- references ---

    def _central(self, index: Index, point: Array, first: float) -> Estimate:
        return extrapolate(lambda step: self._symmetric(index, point, step), first, order=2)

    def _one_sided(self, index: Index, first: float) -> Estimate:
        def quotient(step: float) -> tuple[float, float]:
            return self._quotient(index, _moved(self._point, index, step), self._point)

        return extrapolate(quotient, first, order=1)

    def _symmetric(self, index: Index, point: Array, step: float) -> tuple[float, float]:
        ahead = _moved(point, index, step)
        behind = _moved(point, index, float(point[index] - ahead[index]))
        return self._quotient(index, ahead, behind)

    def _quotient(self, index: Index, a: Array, b: Array) -> tuple[float, float]:
        """The difference quotient of v·outputs, and the part of it that may be rounding."""
        width = float(a[index] - b[index])
        if width == 0:
            return math.nan, math.inf
        ahead, behind = self._outputs.at(a), self._outputs.at(b)
        with np.errstate(all="ignore"):
            change = self._weigh(x - y for x, y in zip(ahead, behind, strict=True))
            noise = sum(
                float(np.sum(np.abs(w) * counted * (n + EPS * (np.abs(x) + np.abs(y)))))
                for w, counted, n, x, y in zip(
                    self._weights, self._counted, self._noise, ahead, behind, strict=True
                )
            )
        return change / width, noise / abs(width)

    def _complex(self, index: Index) -> float:
        """The derivative by complex step; nan where an op is not analytic."""
        if not self._analytic:
            return math.nan
        step = COMPLEX_STEP * self._size(index)
        moved = self._point.astype(np.complex128)
        moved[index] += 1j * step
        try:
            outputs = self._outputs.complex_at(moved)
        except NotAnalyticError:
            self._analytic = False
            return math.nan
        with np.errstate(all="ignore"):
            return self._weigh(np.imag(y) for y in outputs) / step

    # --- where differences alone cannot tell ---

    def _doubted(self, finding: Finding, claim: Claim, sides: Sequence[Side]) -> Finding:
        """A failure that stands only if shorter steps and steps to either side say the same."""
        index = finding.index
        reach = min(side.reach for side in sides)
        for factor in SHORTER:
            again = judge(index, claim, self._central(index, self._point, factor * reach))
            if again.verdict == "pass":
                return replace(again, verdict="inconclusive", reason="longer steps say otherwise")
        right, left = (
            self._one_sided(index, sign * side.reach)
            for sign, side in zip((1, -1), sides, strict=True)
        )
        if disagree(right, left):
            reason = f"it is {right.value:.6g} to the right and {left.value:.6g} to the left"
            return replace(finding, verdict="inconclusive", reason=reason)
        return finding

    def _at_kink(self, index: Index, first: float, kink: Kink) -> Finding:
        """On a kink: one-sided derivatives, and the gradient's own rule on both sides of it."""
        claim = self._claim(index, first)
        place = kink.describe(element(self.name, index))
        slopes: list[Estimate] = []
        beside: list[Finding] = []
        for sign in (1.0, -1.0):
            step = self._beside(index, sign * first)
            if step is None:
                continue
            slopes.append(self._one_sided(index, 2 * step))
            point = _moved(self._point, index, step)
            value = float(self._gradient.at(point)[0][index])
            noise = float(self._gradient.noise(point, EPS)[0][index])
            if math.isfinite(value):
                there = Claim(value, noise, claim.scale)
                beside.append(judge(index, there, self._central(index, point, abs(step) / 2)))
        for each in beside:
            if each.verdict == "fail":
                return replace(each, reason=f"beside {place}")
        return _between(index, claim, slopes, beside, place)


def _moved(point: Array, index: Index, step: float) -> Array:
    moved = point.copy()
    moved[index] += step
    return moved


def _between(
    index: Index, claim: Claim, slopes: list[Estimate], beside: list[Finding], place: str
) -> Finding:
    """A claim at a kink passes if it lies between the derivatives to either side, and the rule
    is right on both.
    """
    known = [each for each in slopes if each.known]
    low = min((each.value - each.error for each in known), default=math.nan)
    high = max((each.value + each.error for each in known), default=math.nan)
    slack = claim.noise + AGREES * max(abs(low), abs(high))
    clear = len(known) == len(beside) == 2 and all(
        each.error <= max(USEFUL * abs(each.value), NEGLIGIBLE * claim.scale) for each in known
    )
    right = all(each.verdict == "pass" for each in beside)
    verdict: Verdict = "inconclusive"
    if clear and right and low - slack <= claim.value <= high + slack:
        verdict = "pass"
    error = max((each.error for each in known), default=math.inf)
    digits = min((each.digits for each in beside), default=0.0)
    reference = min(max(claim.value, low), high) if known else math.nan
    return Finding(
        index, verdict, claim.value, reference, error, "one-sided differences", digits, place
    )


def _not_finite(index: Index, claim: Claim, central: Estimate) -> Finding:
    """No number to compare: wrong only where differences settle on one."""
    clear = central.known and central.error <= USEFUL * abs(central.value)
    return Finding(
        index, "fail" if clear else "inconclusive", claim.value, central.value, central.error,
        "differences", 0.0, "the gradient is not finite",
    )  # fmt: skip
