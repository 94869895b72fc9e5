"""Points of other scales, where what stands next to much larger numbers in the run does not.

A number that is added to them, such as the small one under the root of a normalisation, changes
nothing in the run, and random points near it show it no better. So the leaf is made
much smaller and larger. Other inputs are not: a formula may have a number for what does not change,
as 5 for the sum of weights. No choice may change on the way: what is one function over all of it is
right in all of it, or wrong.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gradcli.analysis.branches import chosen, is_choice
from gradcli.analysis.diagnosis.claim import Claim, Point
from gradcli.analysis.diagnosis.fresh import LOOKS, alike
from gradcli.graph import Array, ancestors

FACTORS = (1e-12, 1e-9, 1e-6, 1e-3, 1e3, 1e6, 1e9, 1e12)
ELEMENTS = 1 << 15
"""The most elements of all steps."""


def scaled(claim: Claim) -> Iterator[Point]:
    """Points at which the leaf is smaller or larger than in the run."""
    order = ancestors([claim.mine, claim.grad, *claim.walk.outputs])
    if sum(each.size for each in order) > ELEMENTS:
        return
    choices = [each for each in order if is_choice(each)]
    usual = [chosen(each, claim.points[0]) for each in choices]
    value = claim.known(claim.leaf)
    if _is_direction(value):
        return
    for factor in FACTORS:
        point = claim.walk.point({claim.leaf: alike(factor * value, value)})
        there = (chosen(each, point) for each in choices)
        if claim.goes_on(point) and all(map(_equal, usual, there)):
            yield point


def _is_direction(value: Array) -> bool:
    """Whether its rows have length 1."""
    return np.allclose(np.linalg.norm(np.atleast_1d(value), axis=-1), 1.0, LOOKS, 0.0)


def _equal(usual: Array | None, there: Array | None) -> bool:
    return usual is not None and there is not None and np.array_equal(usual, there)
