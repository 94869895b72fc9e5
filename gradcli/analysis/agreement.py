"""Does the user's own gradient agree with the gradient, as closely as both are known?

A formula must agree to the rounding of the two computations, which is measured for every element.
Where that is too large to tell a small mistake, both are computed once more in a longer precision.
Numbers must agree as exactly as they were given: see `evidence`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest

import numpy as np

from gradcli.analysis.branches import Branches, Discrepancy
from gradcli.analysis.diagnosis.claim import Claim, Point
from gradcli.analysis.diagnosis.double import by_book, elsewhere, in_double, unrounded
from gradcli.analysis.diagnosis.typed import MISFITS, Tolerant
from gradcli.analysis.evidence import Evidence
from gradcli.analysis.judged import Compared, Judged, both_computed, exact_at, judge_all
from gradcli.analysis.montecarlo import ROUNDINGS, RandomRounding
from gradcli.analysis.precise import NotPreciseError, Steps
from gradcli.analysis.scales import scaled
from gradcli.analysis.unseen import unseen
from gradcli.analysis.verdict import Agreement, Elsewhere, Tolerance
from gradcli.diagnostics import Source
from gradcli.graph import Array, Node
from gradcli.ops import FUNCTIONS

LONGER = np.dtype(np.longdouble)
AFFORDABLE, QUICK = 1 << 20, 1 << 15
"""The most elements that are computed in long double, which no library speeds up: where it decides,
and where it may only doubt.
"""
NEARLY = 1e-8
"""How much a function may differ from its textbook's, relative to the largest element."""
SINGLE = 2 * float(np.finfo(np.float32).eps)
HIDDEN = "the rounding of float32"
"""What float32 cannot show of a mistake that float64 does show, and what hides it."""


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
    found = _agreement(claim, evidence, tolerance, nothing)
    if found.verdict == "fail" and found.elsewhere is None:
        return _in_single_alone(claim, evidence, tolerance, found) or found
    return found


def _agreement(
    claim: Claim, evidence: Evidence, tolerance: Tolerance | None, nothing: Sequence[Array] = ()
) -> Agreement:
    """The same in the precision of the run."""
    told = tolerance.told if tolerance else evidence.told
    judged: list[Judged] = []
    for compared, hidden in zip_longest(both_computed(claim, evidence), nothing, fillvalue=None):
        if compared is None:
            break
        each = judge_all(compared, claim, evidence, tolerance, hidden)
        if each.verdict == "fail":
            found = each.told(told)
            if judged:  # or it is wrong here, too, by less than rounding in float32 allows
                finer = _in_double_too(claim, evidence, tolerance, judged)
                return finer or replace(found, verdict="inconclusive", coincidence=True)
            return _by_book(claim, evidence, tolerance) or found
        judged.append(each)
    finer = _finer(claim, evidence, judged) if tolerance is None else None
    found = finer or judged[0].told(told)
    doubted = found.verdict == "inconclusive" and judged[0].verdict == "pass"
    if evidence.formula is None or not (doubted or found.verdict == "pass"):
        return found
    if claim.walk.problem.options.precision == "float64":
        return _not_here(claim, evidence, tolerance) or found
    if finer is not None:
        return found  # it is that of float64
    twin = in_double(claim, evidence.formula)
    return _unless_slight(_not_here(twin, evidence, tolerance)) or found


def _in_single_alone(
    claim: Claim, evidence: Evidence, tolerance: Tolerance | None, wrong: Agreement
) -> Agreement | None:
    """That a formula which is wrong in float32 is right in float64: there, other conditions hold
    than rounding makes of them in float32.
    """
    if evidence.formula is None or claim.walk.problem.options.precision == "float64":
        return None
    with Tolerant():
        found = agreement(in_double(claim, evidence.formula), evidence, tolerance)
        if found.verdict != "fail":
            return replace(found, verdict="inconclusive", told=HIDDEN, allowed=wrong.difference)
    return None


def _by_book(claim: Claim, evidence: Evidence, tolerance: Tolerance | None) -> Agreement | None:
    """How a formula agrees with the gradient of functions as textbooks define them, if it does and
    that is nearly the same: softplus(x) is x from 20 on, by 2e-9 less than log(1 + exp(x)).
    """
    if evidence.formula is None or claim.walk.problem.options.table is not FUNCTIONS:
        return None
    try:
        twin = by_book(claim, evidence.formula)
        here, there = (each.points[0].value(each.grad) for each in (claim, twin))
        if here is None or there is None or not _are_near(here, there):
            return None
        found = _agreement(twin, evidence, tolerance)
    except MISFITS:
        return None
    told = f"{found.told}, of functions as textbooks define them"
    return None if found.verdict == "fail" else replace(found, told=told)


def _are_near(here: Array, there: Array) -> bool:
    with np.errstate(all="ignore"):
        size = np.max(np.abs(here), initial=0.0)
        return bool((np.abs(here - there) <= NEARLY * size).all())


def _not_here(claim: Claim, evidence: Evidence, tolerance: Tolerance | None) -> Agreement | None:
    """The disagreement of a formula that is right at the points of the claim alone."""
    found = _elsewhere(claim, evidence, tolerance)
    return found or (None if tolerance else _in_scale(claim, evidence) or _hidden(claim, evidence))


def _hidden(claim: Claim, evidence: Evidence) -> Agreement | None:
    """That a part of the formula may be wrong, and rounding hide it."""
    found = unseen(claim)
    if found is None:
        return None
    here = _judged_at(claim, evidence, None).told(evidence.told)
    return replace(here, verdict="inconclusive", allowed=found.known, unseen=found)


def _in_scale(claim: Claim, evidence: Evidence) -> Agreement | None:
    """The disagreement where an input has another scale, if it is no matter of range or rounding:
    it shows in long double, too.
    """
    for point in scaled(claim):
        here = claim.at_points([point])
        if not here.is_finite or here.is_same:
            continue
        judged = _judged_at(here, evidence, None)
        longer = judged.wrong.any() and _in_long_double(here, evidence, [judged.nothing], QUICK)
        if longer and (longer[0].wrong & judged.wrong).any():
            return replace(
                judged.told(evidence.told), elsewhere=Elsewhere(claim.walk.named(point), 1.0)
            )
    return None


def _elsewhere(claim: Claim, evidence: Evidence, tolerance: Tolerance | None) -> Agreement | None:
    """The disagreement with a gradient that takes other branches, if it does."""

    def difference(point: Point) -> Discrepancy | None:
        here = _posed_at(claim, evidence, point)
        if here is None or not here.is_finite:
            return None
        if here.is_same:
            return Discrepancy()
        found = _judged_at(here, evidence, tolerance)
        unknown = found.verdict == "inconclusive"
        return None if unknown else Discrepancy(found.largest, found.farthest)

    apart = Branches(claim, difference).apart()
    here = None if apart is None else _posed_at(claim, evidence, apart.point)
    if apart is None or here is None or (tolerance and apart.reach <= tolerance.rtol):
        return None
    told = tolerance.told if tolerance else evidence.told
    found = _judged_at(here, evidence, tolerance).told(told)
    return replace(found, elsewhere=Elsewhere(claim.walk.named(apart.point), apart.reach))


def _posed_at(claim: Claim, evidence: Evidence, point: Point) -> Claim | None:
    """The claim at a point; None where it cannot be posed there."""
    if claim.goes_on(point):
        return claim.at_points([point])
    with Tolerant():
        assert evidence.formula is not None
        return elsewhere(claim, evidence.formula, claim.walk.named(point))
    return None


def _judged_at(here: Claim, evidence: Evidence, tolerance: Tolerance | None) -> Judged:
    """The claim at its first point."""
    return judge_all(next(both_computed(here, evidence)), here, evidence, tolerance)


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


def _in_double_too(
    claim: Claim, evidence: Evidence, tolerance: Tolerance | None, judged: Sequence[Judged]
) -> Agreement | None:
    """The failure in float64 of a formula that rounding in float32 hides at the point of the run,
    and at no other.
    """
    single = claim.walk.problem.options.precision == "float32"
    hidden = single and tolerance is None and judged[0].verdict == "inconclusive"
    finer = _finer(claim, evidence, judged) if hidden else None
    return finer if finer is not None and finer.verdict == "fail" else None


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
    if found.elsewhere is not None:
        return _unless_slight(found)
    compared = next(both_computed(twin, evidence))
    allowed = compared.room + SINGLE * compared.size
    wrong = compared.difference > allowed
    unclear = ~wrong & ~(compared.difference <= compared.room)  # it may be nan in float64 alone
    judged = Judged(wrong, unclear, np.zeros_like(wrong), compared, allowed)
    return judged.told(HIDDEN)


def _unless_slight(found: Agreement | None) -> Agreement | None:
    """A disagreement elsewhere, inconclusive where float32 cannot show it."""
    if found is None or found.elsewhere is None:
        return None
    slight = min(found.elsewhere.reach, found.difference) <= SINGLE
    return replace(found, verdict="inconclusive", told=HIDDEN, elsewhere=None) if slight else found


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
        feeds = {node: unrounded(each, LONGER) for node, each in exact_at(claim, point).items()}
        try:
            steps = Steps([claim.mine, claim.grad], feeds, LONGER)
            if steps.elements > affordable:
                return []
            values = steps.values()
            noise = steps.noise(unit, float(np.finfo(np.float64).eps) / 2)
            found = Compared(*values, *noise)
            each = judge_all(found, claim, evidence, None, hidden)
            if each.verdict == "fail":
                moved = _moved_by_inputs(claim, feeds, found.mine - found.right)
                wider = replace(found, noise=found.noise + moved)
                each = judge_all(wider, claim, evidence, None, hidden)
            if each.verdict == "inconclusive":  # what both have in common moves both alike
                steps = Steps([claim.mine - claim.grad], feeds, LONGER)
                apart = steps.noise(unit, float(np.finfo(np.float64).eps) / 2)[0]
                nearer = replace(found, mine_noise=np.zeros_like(apart), noise=apart)
                again = judge_all(nearer, claim, evidence, None, hidden)
                each = again if again.verdict == "pass" else each
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
