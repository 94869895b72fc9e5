"""The elements of one leaf's gradient, checked one by one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from gradcli.analysis.differences import LEVELS, Estimate
from gradcli.analysis.judge import (
    AGREES,
    CLEAR_OF_NOISE,
    NEGLIGIBLE,
    NOISY,
    USEFUL,
    ElementClaim,
    disagree,
    judge,
)
from gradcli.analysis.kinks import Kink
from gradcli.analysis.line import EPS, FIRST_STEP, Lines, Reach
from gradcli.analysis.probe import Probed
from gradcli.analysis.verdict import Finding, Index, Verdict
from gradcli.diagnostics import Source
from gradcli.graph import Array
from gradcli.ops.shapes import element

LONGER = (2.0**10, 2.0**20, 2.0**30)
"""Where rounding is too large, steps that are longer by these factors are tried."""
FARTHER = tuple(2.0**k for k in range(-2, 7))
"""The same for values that are noisy."""
_OF_NOISE = (
    "noise hides",
    "with the same random numbers in every answer, or with means of more, it would be less",
)
_OF_ROUNDING = ("the values' few digits hide", "with all digits it would be less")
"""What hides a mistake, and what would help."""


@dataclass(frozen=True, slots=True, eq=False)
class LeafGradient:
    """The gradient of a leaf: as it was computed, and as a function for other points."""

    leaf: str
    source: Source
    value: Array
    noise: Array
    """The part of it that may be rounding error."""
    unit: float
    """The precision that it was computed in."""
    probe: Probed


class Elements:
    """Checks elements of a gradient against the change of the outputs along `lines`.

    `sensitivity` is how much the outputs change, at most, by a relative change of one element of
    any leaf.
    """

    def __init__(self, gradient: LeafGradient, lines: Lines, sensitivity: float) -> None:
        self._gradient = gradient
        self._lines = lines
        self._sensitivity = sensitivity
        self._failed = False
        self._longer = () if lines.foreign else LONGER
        self._useful = NOISY if lines.noisy else USEFUL

    def check(self, index: Index) -> Finding:
        """The verdict on one element."""
        first = FIRST_STEP * self._lines.size(index)
        sides = [self._lines.side(index, sign * first) for sign in (1, -1)]
        for side in sides:
            if side.reach == 0 and side.end is not None:
                return self._at_kink(index, first, self._describe(side.end, index))
        finding = self._between(index, sides)
        for factor in self._longer:
            if finding.verdict != "inconclusive" or any(side.end for side in sides):
                break  # they would cross the kinks that are near
            sides = [self._lines.side(index, sign * factor * first) for sign in (1, -1)]
            again = self._between(index, sides)
            known = (Estimate(each.reference, each.error) for each in (finding, again))
            if again.verdict != "inconclusive" and not disagree(*known):
                return again
        unclear = finding.verdict == "inconclusive" and not any(side.end for side in sides)
        return self._through_noise(finding, first) if unclear and self._lines.noisy else finding

    def _through_noise(self, finding: Finding, first: float) -> Finding:
        """The verdict by many values that are farther apart, where differences know less."""
        claim = self._claim(finding.index, first)
        lengths = [factor * first for factor in FARTHER]
        estimate = self._lines.fitted(finding.index, lengths, NOISY / 2)
        method, own = "fits", Estimate(finding.reference, finding.error)
        if own.error <= min(estimate.error, claim.noise):  # it is the gradient that is noisy
            method, estimate = finding.method, own
        if not (math.isfinite(claim.value) and estimate.error <= finding.error):
            return finding
        judged = judge(finding.index, claim, estimate, clear=CLEAR_OF_NOISE)
        found = replace(judged, method=method)
        if found.verdict != "inconclusive":
            return found
        hides, remedy = _OF_NOISE if not self._lines.rounded else _OF_ROUNDING
        hidden = f"{hides} a mistake of less than {10**-found.digits:.0%}"
        reason = f"as far as can be told it agrees, but {hidden}: {remedy}"
        return replace(found, reason=reason, short=True)

    def _claim(self, index: Index, reach: float) -> ElementClaim:
        """The number that is checked, and the size of derivatives here."""
        noise, size = float(self._gradient.noise[index]), self._lines.size(index)
        scales = (
            self._lines.usual(index, reach),
            self._sensitivity / size,
            min(
                noise / self._gradient.unit, self._lines.total / size
            ),  # terms that may have cancelled
        )
        value = float(self._gradient.value[index])
        scale = max(filter(math.isfinite, scales), default=0.0)
        return ElementClaim(value, noise, scale, self._useful)

    def _between(self, index: Index, sides: Sequence[Reach]) -> Finding:
        """The verdict by steps that stay within the piece between two sides."""
        nearer, farther = sorted(sides, key=lambda side: side.reach)
        claim = self._claim(index, nearer.reach)
        central = self._lines.central(index, nearer.reach)
        if not math.isfinite(claim.value):
            return self._not_finite(index, claim, central)
        exact = self._lines.complex_step(index)
        finding = judge(index, claim, central, exact)
        if finding.verdict == "inconclusive" and farther.reach > 4 * nearer.reach:
            sign = 1 if farther is sides[0] else -1
            again = judge(index, claim, self._lines.one_sided(index, sign * farther.reach))
            finding = finding if again.verdict == "inconclusive" else again
        doubtful = finding.verdict == "fail" or math.isfinite(exact)
        if doubtful and finding.method == "differences" and not self._failed:
            central = self._lines.central(index, nearer.reach, least=LEVELS)
            finding = judge(index, claim, central, exact)
            if finding.verdict == "fail":
                finding = self._doubted(finding, sides)
            self._failed = finding.verdict == "fail"  # one clear result is enough
        if finding.verdict != "pass" and nearer.end is not None:
            return replace(finding, reason=self._describe(nearer.end, index))
        if finding.verdict == "inconclusive" and not (central.known or self._lines.finite):
            return replace(finding, reason="a value on the way from the leaf is not finite")
        return finding

    def _doubted(self, finding: Finding, sides: Sequence[Reach]) -> Finding:
        """A failure, unless there is a kink that no op reports."""
        right, left = (
            self._lines.one_sided(finding.index, sign * side.reach)
            for sign, side in zip((1, -1), sides, strict=True)
        )
        if not disagree(right, left):
            return finding
        reason = f"it is {right.value:.6g} to the right and {left.value:.6g} to the left"
        if self._lines.foreign:  # no op of it could report a kink
            return self._at_kink(finding.index, min(side.reach for side in sides), reason)
        return replace(finding, verdict="inconclusive", reason=reason)

    def _not_finite(self, index: Index, claim: ElementClaim, central: Estimate) -> Finding:
        """A gradient that is not finite: wrong only if nothing overflows and differences find a
        number.
        """
        settled = central.known and central.error < self._useful * abs(central.value)
        verdict: Verdict = "fail" if settled and self._lines.finite else "inconclusive"
        return Finding(
            index, verdict, claim.value, central.value, central.error,
            "differences", 0.0, "the gradient is not finite",
        )  # fmt: skip

    def _at_kink(self, index: Index, first: float, place: str) -> Finding:
        """A gradient at a kink passes if it is between the derivatives on both sides, and the rule
        for the gradient is right on both.
        """
        claim = self._claim(index, first)
        slopes: list[Estimate] = []
        nearby: list[Finding] = []
        for sign in (1.0, -1.0):
            step = self._lines.off_kink(index, sign * first)
            if step is not None:
                slopes.append(self._lines.one_sided(index, 2 * step))
                nearby.append(self._off_kink(index, step, claim.scale))
        for each in nearby:
            if each.verdict == "fail":
                return replace(each, reason=f"next to {place}")
        known = [each for each in slopes if each.known]
        low = min((each.value - each.error for each in known), default=math.nan)
        high = max((each.value + each.error for each in known), default=math.nan)
        slack = claim.noise + AGREES * max(abs(low), abs(high))
        clear = len(known) == 2 and all(
            each.error <= max(self._useful * abs(each.value), NEGLIGIBLE * claim.scale)
            for each in known
        )
        right = all(each.verdict == "pass" for each in nearby)
        within = low - slack <= claim.value <= high + slack
        return Finding(
            index,
            "pass" if clear and right and within else "inconclusive",
            claim.value,
            min(max(claim.value, low), high) if clear else math.nan,
            max((each.error for each in known), default=math.inf),
            "one-sided differences",
            min((each.digits for each in nearby), default=0.0),
            place,
        )

    def _off_kink(self, index: Index, step: float, scale: float) -> Finding:
        """The verdict on the gradient a step away from the point."""
        point = self._lines.moved(index, step)
        probe = self._gradient.probe
        value, noise = float(probe.at(point)[0][index]), float(probe.noise(point, EPS)[0][index])
        central = self._lines.central(index, abs(step) / 2, at=step)
        return judge(index, ElementClaim(value, noise, scale, self._useful), central)

    def _describe(self, kink: Kink, index: Index) -> str:
        return kink.describe(self._gradient.source, element(self._gradient.leaf, index))
