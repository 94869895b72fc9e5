"""Descriptions of numbers that no single mistake explains: which are wrong, and how."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from gradcli.analysis.diagnosis.claim import Claim, agreeing, distinct
from gradcli.analysis.diagnosis.constants import ratio
from gradcli.analysis.diagnosis.mutation import distance
from gradcli.analysis.diagnosis.sides import Jump, kinks
from gradcli.analysis.evidence import rounding, two_numbers
from gradcli.analysis.verdict import Cause
from gradcli.graph import Array
from gradcli.ops.shapes import element, show

LISTED = 4
"""The most elements that are listed."""
SMALL, NEARLY = (0.02, 0.01), 0.1
"""Factors for a leaf that is nearly 0, and how near a power is to a whole number there."""
SAME = 2e-9
"""How exactly numbers have one factor."""
CLOSE = 0.1
"""Numbers that are no farther off than this were computed badly."""


def described(claim: Claim) -> Cause:
    """The simplest description that fits."""
    mine, right = claim.theirs, claim.right
    if mine.shape != right.shape:
        text = f"the shape is {show(mine.shape)}, the leaf's is {show(right.shape)}"
        return Cause("shape", text)
    bad = ~np.isfinite(mine) & np.isfinite(right)
    if bad.any():
        return Cause("nan", f"not a finite number at {_places(bad, claim.name)}")
    if (mine != 0).any() and (right != 0).any() and ((mine != 0) == (right == 0)).all():
        text = "it is 0 exactly where the gradient is not: a condition is the wrong way round"
        return Cause("mask", text)
    if not mine.any():
        return Cause("zero", "it is 0 everywhere: no path from the leaf was followed")
    wrong = ~agreeing(mine, right, claim.rtol, rounding(mine))
    if 0 < wrong.sum() <= wrong.size // 2:
        return elements(claim, wrong, kinks(claim, wrong))
    with np.errstate(all="ignore"):
        difference, quotient = mine - right, mine / right
    offset = ratio(difference, np.ones_like(difference), SAME)
    if wrong.size > 2 and offset and distinct(right, claim.rtol) > 1:
        text = f"a constant {abs(offset):.6g} is {'added to' if offset > 0 else 'taken from'} it"
        return Cause("offset", text, {"offset": offset})
    if mine.size > 1 and np.allclose(np.sort(mine, None), np.sort(right, None), claim.rtol, 0):
        return Cause("permuted", "the same numbers, in another order")
    order = _order(claim) if claim.typed is not None else 0
    if order > 1:  # whatever is right at 0 is off by the first power
        error = f"its relative error goes with {claim.name}**{order}"
        text = f"it is right only as {claim.name} goes to 0, where {error}"
        return Cause("series", f"{text}: a series that ends too soon?")
    return _by_axis(mine, right) or _unexplained(claim, wrong, quotient)


def _order(claim: Claim) -> int:
    """The power of a small leaf by which the formula is off, relative to the gradient; 0 where
    there is none.
    """
    apart = []
    for size in SMALL:
        there = claim.at_points([claim.at(size * claim.known(claim.leaf))])
        if not (claim.goes_on(there.points[0]) and there.is_finite):
            return 0
        apart.append(distance(there.theirs, there.right))
    if not 0 < apart[1] < apart[0] < 1:
        return 0
    power = math.log(apart[0] / apart[1]) / math.log(SMALL[0] / SMALL[1])
    return round(power) if abs(power - round(power)) < NEARLY else 0


def _unexplained(claim: Claim, wrong: Array, quotient: Array) -> Cause:
    if claim.theirs[~wrong].any():
        return elements(claim, wrong, kinks(claim, wrong))
    apart = distance(claim.theirs, claim.right)
    if apart < CLOSE:
        digits = f"{-math.log10(apart):.1f} digits"
        return Cause("approximate", f"it is close, to {digits}: rounded early, or by differences?")
    known = quotient[np.isfinite(quotient)]
    spread = ""
    if known.size > 1:
        spread = f": yours is {known.min():.4g} to {known.max():.4g} times the gradient"
    return Cause("unexplained", f"no single mistake that was tried gives these numbers{spread}")


def elements(claim: Claim, wrong: Array, found: Sequence[Jump]) -> Cause:
    """Only some elements are wrong: where they are, what they have in common; those `found` are at
    kinks.
    """
    mine, right = claim.theirs, claim.right
    where = _described(claim, wrong)
    only = " only" if wrong.sum() <= wrong.size // 2 else ""
    places = _places(wrong, claim.name)
    text = f"wrong in {wrong.sum():,} of {wrong.size:,} elements{only}: {places}"
    if where:
        text += f", {where}"
    if wrong.sum() == 1:
        is_now, should_be = two_numbers(mine[wrong][0], right[wrong][0])
        text += f", which is {is_now} instead of {should_be}"
    how = _common(mine[wrong], right[wrong])
    if how and "gradient is 0" not in where:
        text += f"; there {how}"
    if found:
        ops = ", ".join(dict.fromkeys(each.op for each in found))
        text += f"; at a kink of {ops}, where the derivative is a matter of choice"
    indices = [list(map(int, index)) for index in np.argwhere(wrong)[:100]]
    return Cause("elements", text, {"indices": indices, "kinks": [each.index for each in found]})


def _common(mine: Array, right: Array) -> str:
    """How the wrong elements differ from the right ones, if all differ in the same way."""
    if mine.size < 2:
        return ""
    if not mine.any():
        return "yours is 0"
    if not right.any():
        return "the gradient is 0"
    k = ratio(mine, right, SAME)
    if k is None:
        return ""
    times, _ = two_numbers(k, 1.0)
    return "the sign is wrong" if np.isclose(k, -1) else f"yours is {times} times the gradient"


def _described(claim: Claim, wrong: Array) -> str:
    """What the wrong elements have in common, if that is simple."""
    leaf, several = claim.known(claim.leaf), wrong.sum() > 1
    sets: list[tuple[str, Array]] = [
        (f"where {claim.name} is 0", leaf == 0),
        (f"where {claim.name} is negative", leaf < 0),
        ("where the gradient is 0", claim.right == 0),
    ]
    if several:
        sets += [
            (f"where {claim.name} is positive", leaf > 0),
            ("where the gradient is negative", claim.right < 0),
        ]
    if wrong.ndim == 2 and several:
        below = np.subtract.outer(*map(np.arange, wrong.shape))  # row - column
        sets += [
            ("the diagonal", below == 0),
            ("all off the diagonal", below != 0),
            ("above the diagonal", below < 0),
            ("below the diagonal", below > 0),
        ]
        for axis, word in enumerate(("row", "column")):
            places = np.indices(wrong.shape)[axis]
            sets += [(f"{word} {place}", places == place) for place in np.unique(places[wrong])]
    return next((words for words, members in sets if np.array_equal(members, wrong)), "")


def _by_axis(mine: Array, right: Array) -> Cause | None:
    """One factor for each row, or each column."""
    for axis in range(right.ndim):
        rows = (np.moveaxis(each, axis, 0) for each in (mine, right))
        factors = [ratio(one, other, SAME) for one, other in zip(*rows, strict=True)]
        if right.size > len(factors) and all(factors):
            shown = ", ".join(f"{each:.6g}" for each in factors[:LISTED])
            more = ", …" if len(factors) > LISTED else ""
            text = f"one factor along axis {axis}: yours is the gradient times {shown}{more}"
            return Cause("factor-by-axis", f"{text}, each for its own index", {"axis": axis})
    return None


def _places(chosen: Array, name: str) -> str:
    indices = np.argwhere(chosen)
    shown = [element(name, index) for index in indices[:LISTED].tolist()]
    return ", ".join(shown) + (", …" if len(indices) > LISTED else "")
