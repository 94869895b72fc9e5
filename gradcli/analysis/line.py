"""One element of a gradient against its leaf's probe: smooth pieces, kinks, complex step."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gradcli.analysis.differences import Estimate, extrapolate
from gradcli.analysis.probe import Near, NotAnalyticError, Probe, Surroundings, crossed
from gradcli.analysis.verdict import Finding, Verdict, agreeing_digits, worst_of
from gradcli.graph import Array

FIRST_STEP = 2.0**-3
"""The longest step, as a part of the element."""
SHORTEST = 2.0**-36
"""A piece shorter than this part of the element is too short to measure in."""
COMPLEX_STEP = 1e-30
AGREES = 1e-8
"""Relative rounding that a right gradient may have by itself."""
USEFUL = 1e-4
"""A reference must be known to this part of the gradient to establish a pass."""
NEGLIGIBLE = 1e-7
"""Elements this much smaller than the leaf's largest are compared against that."""
CLEAR = 10.0
"""A failure is a difference of this many times the error of the reference."""
EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """How far a smooth piece reaches from the point in one direction, and what ends it."""

    reach: float
    end: Near | None


class Lines:
    """Lines through a point along the elements of a leaf.

    `weights` are the v of the probe's outputs, `gradient` the leaf's gradient as a probe.
    """

    def __init__(self, probe: Probe, weights: Sequence[Array], gradient: Probe) -> None:
        self._probe = probe
        self._weights = weights
        self._gradient = gradient
        self._here = probe.surroundings(probe.point)
        sizes = np.abs(probe.point[np.isfinite(probe.point) & (probe.point != 0)])
        self._typical = float(np.max(sizes)) if sizes.size else 1.0
        grads = np.abs(gradient.base[0])
        self._largest = float(np.max(grads, initial=0.0, where=np.isfinite(grads)))
        self._analytic = True
        self._counted: list[Array] = []

    def check(self, index: tuple[int, ...]) -> Finding:
        """The verdict on one element."""
        first = FIRST_STEP * self._scale(index)
        self._counted = self._changed(index, first)
        right, left = (self._side(index, s * first, self._probe.point, self._here) for s in (1, -1))
        value = float(self._gradient.base[0][index])
        on_kink = [s.end for s in (right, left) if s.end is not None and s.reach == 0]
        if on_kink:
            return self._at_kink(index, value, first, on_kink[0])
        if not math.isfinite(value):
            return self._not_finite(index, value, right, left)
        reach = min(right.reach, left.reach)
        finding = self._compare(index, value, self._central(index, self._probe.point, reach))
        farther = max(right, left, key=lambda side: side.reach)
        if finding.verdict == "inconclusive" and farther.reach > 4 * reach:
            sign = 1 if farther is right else -1
            again = self._one_sided(index, sign * farther.reach)
            finding = min(
                finding, self._compare(index, value, again), key=lambda each: each.verdict != "pass"
            )
        nearer = min(right, left, key=lambda side: side.reach)
        if finding.verdict != "pass" and nearer.end is not None:
            verdict: Verdict = finding.verdict
            reason = f"{describe(nearer.end)}"
            return _with(finding, verdict, reason)
        return finding

    # --- where ---

    def _scale(self, index: tuple[int, ...]) -> float:
        size = abs(float(self._probe.point[index]))
        return max(size if math.isfinite(size) else 0.0, 1e-3 * self._typical)

    def _shortest(self, index: tuple[int, ...]) -> float:
        size = abs(float(self._probe.point[index]))
        return SHORTEST * (size if math.isfinite(size) and size else self._typical)

    def _changed(self, index: tuple[int, ...], step: float) -> list[Array]:
        """Which elements of the outputs depend on the element; all, where none seems to."""
        there = self._probe.at(self._moved(self._probe.point, index, step))
        changed = [y != base for y, base in zip(there, self._probe.base, strict=True)]
        if any(each.any() for each in changed):
            return changed
        return [np.ones_like(each) for each in changed]

    def _moved(self, point: Array, index: tuple[int, ...], step: float) -> Array:
        moved = point.copy()
        moved[index] += step
        return moved

    def _side(self, index: tuple[int, ...], first: float, point: Array, here: Surroundings) -> Side:
        """How far one can go from a point, at most the step `first`, within its smooth piece."""
        step, end = first, None
        while abs(step) > self._shortest(index):
            there = self._probe.surroundings(self._moved(point, index, step))
            near = crossed(here, there, abs(step))
            if near is None:
                return Side(abs(step), end)
            end = near
            if near.distance == 0:
                break
            step = math.copysign(min(abs(step) / 4, near.distance / 2), step)
        return Side(0.0, end)

    # --- references ---

    def _central(self, index: tuple[int, ...], point: Array, first: float) -> Estimate:
        def quotient(step: float) -> tuple[float, float]:
            ahead, behind = (self._moved(point, index, s * step) for s in (1, -1))
            return self._quotient(index, ahead, behind)

        return extrapolate(quotient, first, order=2)

    def _one_sided(self, index: tuple[int, ...], first: float) -> Estimate:
        def quotient(step: float) -> tuple[float, float]:
            return self._quotient(
                index, self._moved(self._probe.point, index, step), self._probe.point
            )

        return extrapolate(quotient, first, order=1)

    def _quotient(self, index: tuple[int, ...], a: Array, b: Array) -> tuple[float, float]:
        """The difference quotient of v·outputs, and the part of it that may be rounding."""
        width = float(a[index] - b[index])
        if width == 0:
            return math.nan, math.inf
        total = rounding = 0.0
        with np.errstate(all="ignore"):
            for weight, counted, ya, yb in zip(
                self._weights, self._counted, self._probe.at(a), self._probe.at(b), strict=True
            ):
                total += float(np.sum(weight * (ya - yb)))
                rounding += float(
                    np.sum((np.abs(ya) + np.abs(yb))[counted] * np.abs(weight[counted]))
                )
        return total / width, EPS * rounding / abs(width)

    def _complex(self, index: tuple[int, ...]) -> float:
        """The derivative by complex step; nan where an op is not analytic."""
        if not self._analytic:
            return math.nan
        step = COMPLEX_STEP * self._scale(index)
        moved = self._probe.point.astype(np.complex128)
        moved[index] += 1j * step
        try:
            outputs = self._probe.complex_at(moved)
        except NotAnalyticError:
            self._analytic = False
            return math.nan
        with np.errstate(all="ignore"):
            return sum(
                float(np.sum(weight * np.imag(y))) / step
                for weight, y in zip(self._weights, outputs, strict=True)
            )

    # --- verdicts ---

    def _compare(self, index: tuple[int, ...], value: float, estimate: Estimate) -> Finding:
        """A gradient against differences, which alone can fail it, and against complex step.

        Complex step is right only where all ops are analytic, which nobody has promised: it
        counts where it lies within the error of the differences.
        """
        reference, error, method = estimate.value, estimate.error, "differences"
        finite = estimate.known
        if finite:
            exact = self._complex(index)
            if abs(exact - reference) <= error + AGREES * abs(reference) and abs(
                exact - value
            ) <= AGREES * max(abs(exact), abs(value)):
                reference, error, method = exact, EPS * abs(exact), "complex step"
        size = max(abs(value), abs(reference)) if finite else 0.0
        difference = abs(value - reference)
        scale = self._largest * NEGLIGIBLE
        useful = max(USEFUL * size, scale, NEGLIGIBLE * self._natural())
        allowed = error + AGREES * size + EPS * self._largest
        verdict: Verdict
        if not finite:
            verdict, reason = "inconclusive", "differences do not settle"
        elif difference > max(CLEAR * error, allowed):
            verdict, reason = "fail", ""
        elif error > useful:
            verdict, reason = "inconclusive", "rounding hides it from differences"
        elif difference > allowed:
            verdict, reason = "inconclusive", "the difference is as large as the error of both"
        else:
            verdict, reason = "pass", ""
        digits = agreeing_digits(value, reference, scale) if finite else 0.0
        return Finding(
            index, verdict, value, reference, error, method, digits, reason, estimate.ladder
        )

    def _natural(self) -> float:
        """The size that a gradient has when relative changes are alike in leaf and outputs."""
        total = sum(
            float(np.sum(np.abs(weight * y)))
            for weight, y in zip(self._weights, self._probe.base, strict=True)
        )
        return total / self._typical if math.isfinite(total) else 0.0

    def _at_kink(self, index: tuple[int, ...], value: float, first: float, kink: Near) -> Finding:
        """On a kink: one-sided derivatives, and the gradient's own rule on both sides of it."""
        reason = describe(kink)
        slopes: list[Estimate] = []
        beside: list[Finding] = []
        for sign in (1.0, -1.0):
            near = self._beside(index, sign * first)
            if near is None:
                continue
            slopes.append(self._one_sided(index, 2 * near))
            point = self._moved(self._probe.point, index, near)
            found = float(self._gradient.at(point)[0][index])
            if math.isfinite(found):
                estimate = self._central(index, point, abs(near) / 2)
                beside.append(self._compare(index, found, estimate))
        for each in beside:
            if each.verdict == "fail":
                return _with(each, "fail", f"beside {reason}")
        known = [each for each in slopes if each.known]
        within = len(known) == 2 and all(
            each.error <= USEFUL * max(abs(each.value), self._largest, self._natural())
            for each in known
        )
        low, high = (
            (
                min(each.value - each.error for each in known),
                max(each.value + each.error for each in known),
            )
            if known
            else (math.nan, math.nan)
        )
        slack = AGREES * max(abs(low), abs(high))
        both = worst_of([each.verdict for each in beside]) == "pass" and len(beside) == 2
        verdict: Verdict = (
            "pass" if within and both and low - slack <= value <= high + slack else "inconclusive"
        )
        nearest = min(known, key=lambda each: abs(each.value - value), default=None)
        reference = min(max(value, low), high) if known else math.nan
        digits = min((each.digits for each in beside), default=0.0)
        return Finding(
            index, verdict, value, reference, nearest.error if nearest else math.inf,
            "one-sided derivatives", digits, reason, nearest.ladder if nearest else (),
        )  # fmt: skip

    def _beside(self, index: tuple[int, ...], first: float) -> float | None:
        """A step off the kink that stays in the middle of the piece on that side."""
        step = first
        while abs(step) > self._shortest(index):
            foot = self._probe.surroundings(self._moved(self._probe.point, index, step / 4096))
            near = crossed(
                foot,
                self._probe.surroundings(self._moved(self._probe.point, index, step)),
                abs(step),
            )
            if near is None:
                return step / 2
            step /= 4
        return None

    def _not_finite(self, index: tuple[int, ...], value: float, right: Side, left: Side) -> Finding:
        """No number to compare: wrong only where differences settle on one."""
        reach = min(right.reach, left.reach)
        estimate = self._central(index, self._probe.point, reach)
        clear = estimate.known and estimate.error <= USEFUL * abs(estimate.value)
        return Finding(
            index,
            "fail" if clear else "inconclusive",
            value,
            estimate.value,
            estimate.error,
            "differences",
            0.0,
            "the gradient is not finite",
            estimate.ladder,
        )


def _with(finding: Finding, verdict: Verdict, reason: str) -> Finding:
    from dataclasses import replace

    return replace(finding, verdict=verdict, reason=reason)


def describe(near: Near) -> str:
    """`a kink of abs, 3e-9 away`."""
    what = f"a kink of {near.node.op.name}"
    return f"{what}, {near.distance:.1g} away" if near.distance else what
