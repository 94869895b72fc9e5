"""Two computations of a gradient, element by element: where do they disagree, and by how much may
rounding drive them apart?
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from gradcli.analysis.diagnosis.claim import Claim, Point
from gradcli.analysis.diagnosis.typed import MISFITS
from gradcli.analysis.evidence import Evidence
from gradcli.analysis.judge import CLEAR, NEGLIGIBLE
from gradcli.analysis.line import TINY
from gradcli.analysis.precise import NotPreciseError, Steps
from gradcli.analysis.verdict import Agreement, Tolerance, Verdict
from gradcli.graph import Array, Node
from gradcli.walks import upstream

NEEDED = {"float64": 2e-10, "float32": 1e-3, "float16": 1e-1}
"""The relative error with which a gradient must be known to confirm numbers of a precision. A
formula must be confirmed as numbers in float64 must.
"""
FOREIGN = 0.7
"""Another program's rounding is not known: of its digits it may have lost three in ten."""
UNMEASURED = 2.0**12
"""Where there is no room to measure rounding: it is taken for this many units of the last place."""
WHOLE, ROUNDED = 1e-2, 0.2
"""A whole number that is not the gradient confirms it if half a unit is so little of it; one with
decimals, which were rounded alike, if it is so little of the largest element."""
MANY, FEW = 10_000, 1e-2
"""Of so many elements, this part may be so small that rounding hides some of their digits: they are
as right as can be seen next to elements of the usual size."""


@dataclass(frozen=True, slots=True, eq=False)
class Compared:
    """Two computations of a gradient at a point, element by element."""

    mine: Array
    right: Array
    mine_noise: Array
    noise: Array
    """The part of the other that may be rounding."""
    is_lost: Array | bool = False
    """Where the gradient is not a number as a value on the way to the output is infinite: there
    nothing can be said of a number."""

    @property
    def difference(self) -> Array:
        with np.errstate(all="ignore"):
            same = (self.mine == self.right) | (np.isnan(self.mine) & np.isnan(self.right))
            apart = np.abs(self.mine - self.right)
            return np.where(same, 0.0, np.where(np.isfinite(apart), apart, np.inf))

    @property
    def room(self) -> Array:
        """How far apart rounding alone may drive them."""
        return CLEAR * (self.mine_noise + self.noise) + TINY

    @property
    def size(self) -> Array:
        return np.maximum(np.abs(self.mine), np.abs(self.right))


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """The elements of a gradient that disagree, and those that are not known well enough."""

    wrong: Array
    unclear: Array
    nothing: Array
    """Those that are no more than rounding, and may be 0."""
    compared: Compared
    allowed: Array

    @property
    def verdict(self) -> Verdict:
        return "fail" if self.wrong.any() else "inconclusive" if self.unclear.any() else "pass"

    @property
    def largest(self) -> float:
        """The largest difference of a wrong element, relative to it."""
        with np.errstate(all="ignore"):
            parts = self.compared.difference / self.compared.size
        return float(np.max(parts, initial=0.0, where=self.wrong))

    @property
    def farthest(self) -> float:
        """The largest difference of a wrong element."""
        return float(np.max(self.compared.difference, initial=0.0, where=self.wrong))

    def told(self, told: str) -> Agreement:
        """The verdict, and the element that is farthest from agreement."""
        found = self.compared
        with np.errstate(all="ignore"):
            if self.wrong.any():
                key = np.where(self.wrong, found.difference / self.allowed, -1)
            elif self.unclear.any():
                key = np.where(self.unclear, self.allowed / found.size, -1)
            else:
                key = np.where(found.size > found.room, found.difference / found.size, 0)
        if not key.size:
            return Agreement("pass", told, (), 0.0, 0.0, self.wrong)
        place = int(np.argmax(np.where(np.isnan(key), np.inf, key)))
        index = tuple(map(int, np.unravel_index(place, key.shape)))
        size = float(found.size[index]) or 1.0
        difference, allowed = float(found.difference[index]), float(self.allowed[index])
        return Agreement(self.verdict, told, index, difference / size, allowed / size, self.wrong)


def judge_all(
    compared: Compared,
    claim: Claim,
    evidence: Evidence,
    tolerance: Tolerance | None,
    hidden: Array | None = None,
) -> Judged:
    room, size = compared.room, compared.size
    computed = evidence.formula is not None
    asked: Array | float
    needed = NEEDED["float64" if computed else _precision(claim, evidence)]
    if tolerance is not None:
        asked = tolerance.rtol * np.abs(compared.right) + tolerance.atol
        known = np.maximum(asked, 0.0)
    else:
        asked = evidence.slack_of(compared.mine.shape)
        if evidence.dtype is not None:
            unit = float(np.finfo(evidence.dtype).eps)
            asked = np.maximum(asked, unit**FOREIGN * np.abs(compared.right))
        known = np.maximum(needed * size, asked)
    allowed = asked + room
    with np.errstate(all="ignore"):
        wrong = ~(compared.difference <= allowed) | np.isinf(compared.difference)
        wrong &= compared.difference > 0  # where both are nan, so is what is allowed
        wrong &= ~np.asarray(compared.is_lost)
        zero = np.abs(compared.mine) <= CLEAR * compared.mine_noise
        nothing = (np.abs(compared.right) <= room) & zero
        if hidden is not None:
            nothing |= hidden
        vanishes = nothing & (compared.noise <= NEGLIGIBLE * claim.scale)
        unclear = ~wrong & ~vanishes & ~(room <= known)
        if tolerance is not None:
            unclear |= ~wrong & ~vanishes & (compared.difference > asked)
        elif evidence.dtype is None:
            unclear |= ~wrong & (compared.difference > room) & _is_coarse(evidence, compared)
    if tolerance is None and wrong.size >= MANY and np.count_nonzero(unclear) <= FEW * wrong.size:
        with np.errstate(all="ignore"):
            unclear &= ~(room <= needed * np.mean(np.abs(compared.right)))
    if claim.mine is claim.grad and claim.walk.problem.options.precision == "float64":
        unclear = np.zeros_like(unclear)  # the same computation: there is nothing to be known
    return Judged(wrong, unclear, nothing, compared, allowed)


def _is_coarse(evidence: Evidence, compared: Compared) -> Array:
    """Where numbers were written with so few digits that they are as good as no number: 1 is 1.4,
    too.
    """
    half, right = evidence.slack_of(compared.right.shape), np.abs(compared.right)
    largest = np.max(right, initial=0.0, where=np.isfinite(right))
    return half > np.where(half < 0.5, ROUNDED * largest, WHOLE * right)


def _precision(claim: Claim, evidence: Evidence) -> str:
    """The coarser precision of the two computations."""
    both = {claim.walk.problem.options.precision, evidence.dtype} - {None}
    return next(name for name in reversed(NEEDED) if name in both)


def both_computed(claim: Claim, evidence: Evidence) -> Iterator[Compared]:
    """Both gradients at every point of the claim, in the precision of the run."""
    unit = float(np.finfo(_precision(claim, evidence)).eps)
    for number, point in enumerate(claim.points):
        if number == 0:
            mine, right = claim.theirs, claim.right
        else:
            mine, right = (np.asarray(point.value(each)) for each in (claim.mine, claim.grad))
        own, noise = _noise(claim, point, unit, mine, right)
        is_lost = np.isnan(right) & np.isfinite(mine)
        if is_lost.any():
            is_lost &= _has_infinite(claim, point)
        yield Compared(mine, right, own if evidence.formula else noise, noise, is_lost)


def _has_infinite(claim: Claim, point: Point) -> bool:
    """Whether a value on the way to the outputs is infinite at a point."""
    values = (point.value(node) for node in upstream(claim.walk.outputs))
    return any(value is not None and np.isinf(value).any() for value in values)


def _noise(
    claim: Claim, point: Point, unit: float, mine: Array, right: Array
) -> tuple[Array, Array]:
    """What rounding does to both, in steps of a precision."""
    try:
        steps = Steps([claim.mine, claim.grad], exact_at(claim, point), np.dtype(np.float64))
        own, noise = steps.noise(unit)
    except (*MISFITS, NotPreciseError):
        own, noise = (UNMEASURED * unit * np.abs(each) for each in (mine, right))
    return own, noise


def exact_at(claim: Claim, point: Point) -> Mapping[Node, Array]:
    """What is exact at a point: the inputs and the leaf."""
    value = point.value(claim.leaf)
    return point.feeds if value is None else {**point.feeds, claim.leaf: value}
