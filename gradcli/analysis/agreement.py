"""Does the user's own gradient agree with the gradient, as closely as both are known?

A formula must agree to the rounding of the two computations, which is measured for every element.
Where that is too large to tell a small mistake, both are computed once more in a longer precision.
Numbers must agree as exactly as they were given: see `evidence`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

import numpy as np

from gradcli.analysis.diagnosis.claim import Claim, Point
from gradcli.analysis.diagnosis.double import in_double, unrounded
from gradcli.analysis.diagnosis.typed import MISFITS
from gradcli.analysis.evidence import Evidence
from gradcli.analysis.judge import CLEAR, NEGLIGIBLE, TINY
from gradcli.analysis.montecarlo import ROUNDINGS, RandomRounding
from gradcli.analysis.precise import NotPreciseError, Steps
from gradcli.analysis.verdict import Agreement, Tolerance, Verdict
from gradcli.diagnostics import Source
from gradcli.graph import Array, Node

NEEDED = {"float64": 2e-10, "float32": 1e-3, "float16": 1e-1}
"""The relative error with which a gradient must be known to confirm numbers of a precision. A
formula must be confirmed as numbers in float64 must.
"""
FOREIGN = 0.7
"""Another program's rounding is not known: of its digits it may have lost three in ten."""
UNMEASURED = 2.0**12
"""Where there is no room to measure rounding: it is taken for this many units of the last place."""
MANY, FEW = 10_000, 1e-2
"""Of so many elements, this part may be so small that rounding hides some of their digits: they are
as right as can be seen next to elements of the usual size."""
LONGER = np.dtype(np.longdouble)
AFFORDABLE, QUICK = 1 << 20, 1 << 15
"""The most elements that are computed in long double, which no library speeds up: where it decides,
and where it may only doubt.
"""
SINGLE = 2 * float(np.finfo(np.float32).eps)
"""What float32 cannot show of a mistake that float64 does show."""


@dataclass(frozen=True, slots=True, eq=False)
class Compared:
    """Two computations of a gradient at a point, element by element."""

    mine: Array
    right: Array
    mine_noise: Array
    noise: Array
    """The part of the other that may be rounding."""

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


def agreement(
    claim: Claim,
    evidence: Evidence,
    tolerance: Tolerance | None = None,
    nothing: Sequence[Array] = (),
) -> Agreement:
    """Whether the user's gradient is right; `tolerance` is what the user asks for instead.

    The shapes are equal. `nothing` tells, for the points of the claim, which elements were no more
    than rounding in a shorter precision: of their digits none is asked for in this one.
    """
    told = tolerance.told if tolerance else evidence.told
    judged: list[Judged] = []
    for compared, hidden in zip_longest(_compared(claim, evidence), nothing, fillvalue=None):
        if compared is None:
            break
        each = _judge(compared, claim, evidence, tolerance, hidden)
        if each.verdict == "fail":
            found = each.told(told)
            return replace(found, verdict="inconclusive", coincidence=True) if judged else found
        judged.append(each)
    finer = _finer(claim, evidence, judged) if tolerance is None else None
    return finer or judged[0].told(told)


def _judge(
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
        zero = np.abs(compared.mine) <= CLEAR * compared.mine_noise
        nothing = (np.abs(compared.right) <= room) & zero
        if hidden is not None:
            nothing |= hidden
        vanishes = nothing & (compared.noise <= NEGLIGIBLE * claim.scale)
        unclear = ~wrong & ~vanishes & ~(room <= known)
        if tolerance is not None:
            unclear |= ~wrong & ~vanishes & (compared.difference > asked)
    if tolerance is None and wrong.size >= MANY and np.count_nonzero(unclear) <= FEW * wrong.size:
        with np.errstate(all="ignore"):
            unclear &= ~(room <= needed * np.mean(np.abs(compared.right)))
    if claim.mine is claim.grad and claim.walk.problem.options.precision == "float64":
        unclear = np.zeros_like(unclear)  # the same computation: there is nothing to be known
    return Judged(wrong, unclear, nothing, compared, allowed)


def _precision(claim: Claim, evidence: Evidence) -> str:
    """The coarser precision of the two computations."""
    both = {claim.walk.problem.options.precision, evidence.dtype} - {None}
    return next(name for name in reversed(NEEDED) if name in both)


def _compared(claim: Claim, evidence: Evidence) -> Iterator[Compared]:
    """Both gradients at every point of the claim, in the precision of the run."""
    unit = float(np.finfo(_precision(claim, evidence)).eps)
    for number, point in enumerate(claim.points):
        if number == 0:
            mine, right = claim.theirs, claim.right
        else:
            mine, right = (np.asarray(point.value(each)) for each in (claim.mine, claim.grad))
        own, noise = _noise(claim, point, unit, mine, right)
        yield Compared(mine, right, own if evidence.formula else noise, noise)


def _noise(
    claim: Claim, point: Point, unit: float, mine: Array, right: Array
) -> tuple[Array, Array]:
    """What rounding does to both, in steps of a precision."""
    try:
        steps = Steps([claim.mine, claim.grad], _feeds(claim, point), np.dtype(np.float64))
        own, noise = steps.noise(unit)
    except (*MISFITS, NotPreciseError):
        own, noise = (UNMEASURED * unit * np.abs(each) for each in (mine, right))
    return own, noise


def _feeds(claim: Claim, point: Point) -> Mapping[Node, Array]:
    """What is exact at a point: the inputs and the leaf."""
    value = point.value(claim.leaf)
    return claim.walk.feeds if value is None else claim.walk.feeds | {claim.leaf: value}


# --- longer precision ----------------------------------------------------------------------


def _finer(claim: Claim, evidence: Evidence, judged: Sequence[Judged]) -> Agreement | None:
    """The answer of a longer precision, if it knows more."""
    if evidence.formula is None:
        return None
    unclear = judged[0].verdict == "inconclusive"
    nothing = [each.nothing for each in judged]
    if claim.walk.problem.options.precision == "float32":
        return _in_double(claim, evidence.formula, evidence, nothing) if unclear else None
    longer = _in_long_double(claim, evidence, nothing, AFFORDABLE if unclear else QUICK)
    if unclear and longer and all(each.verdict == "pass" for each in longer):
        return longer[0].told(f"{evidence.told}, in long double")
    wrong = next((each for each in longer if each.verdict == "fail"), None)
    if unclear or wrong is None:
        return None
    return replace(wrong.told(evidence.told), verdict="inconclusive")


def _in_double(
    claim: Claim, source: Source, evidence: Evidence, nothing: Sequence[Array]
) -> Agreement | None:
    """The same formula for the same program in float64: a mistake that is larger than rounding in
    float32 is one, a smaller one is below what float32 can show.
    """
    try:
        twin = in_double(claim, source)
        found = agreement(twin, evidence, nothing=nothing)
    except MISFITS:
        return None
    if found.verdict != "fail":
        return replace(found, told=f"{evidence.told}, in float64")
    compared = next(_compared(twin, evidence))
    allowed = compared.room + SINGLE * compared.size
    wrong = compared.difference > allowed
    unclear = ~wrong & ~(compared.difference <= compared.room)  # it may be nan in float64 alone
    judged = Judged(wrong, unclear, np.zeros_like(wrong), compared, allowed)
    return judged.told("the rounding of float32")


def _in_long_double(
    claim: Claim, evidence: Evidence, nothing: Sequence[Array], affordable: int
) -> list[Judged]:
    """Both computed in long double at every point; nothing where it is no longer than float64, has
    not every op, or would compute more elements.
    """
    unit = float(np.finfo(LONGER).eps)
    if unit >= np.finfo(np.float64).eps:
        return []
    judged: list[Judged] = []
    for point, hidden in zip(claim.points, nothing, strict=True):
        feeds = {node: unrounded(each, LONGER) for node, each in _feeds(claim, point).items()}
        try:
            steps = Steps([claim.mine, claim.grad], feeds, LONGER)
            if steps.elements > affordable:
                return []
            values = steps.values()
            noise = steps.noise(unit, float(np.finfo(np.float64).eps) / 2)
            found = Compared(*values, *noise)
            each = _judge(found, claim, evidence, None, hidden)
            if each.verdict == "fail":
                moved = _moved_by_inputs(claim, feeds, found.mine - found.right)
                wider = replace(found, noise=found.noise + moved)
                each = _judge(wider, claim, evidence, None, hidden)
        except (*MISFITS, NotPreciseError):
            return []
        judged.append(each)
    return judged


def _moved_by_inputs(claim: Claim, feeds: Mapping[Node, Array], apart: Array) -> Array:
    """How far the difference of both moves where the inputs do so in the last place of float64.

    That of a wrong formula hardly does; but one that is right for vectors of length 1 alone
    differs by what these are rounded by.
    """
    found = np.zeros_like(apart)
    for seed in range(ROUNDINGS):
        rounding = RandomRounding(float(np.finfo(np.float64).eps) / 2, seed)
        moved = {
            node: value if value.dtype.kind != "f" else np.where(value % 1, rounding(value), value)
            for node, value in feeds.items()
        }
        mine, right = Steps([claim.mine, claim.grad], moved, LONGER).values()
        found = np.fmax(found, np.abs(mine - right - apart))
    return found
