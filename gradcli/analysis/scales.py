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
from gradcli.analysis.diagnosis.fresh import LOOKS, alike, usual_size
from gradcli.graph import Array, Node
from gradcli.walks import ancestors

FACTORS = (1e-12, 1e-9, 1e-6, 1e-3, 1e3, 1e6, 1e9, 1e12)
ELEMENTS = 1 << 15
"""The most elements of all steps."""
MODERATE = (0.01, 0.1, 10.0, 30.0, 100.0, -1.0, -10.0, -30.0, -100.0)
"""Further factors for the leaf, of which there may be an exponential."""
MANY = 6
"""The most inputs of which each is scaled alone."""


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


def resized(claim: Claim) -> Iterator[Point]:
    """Points at which inputs have other sizes, and the program goes the same way."""
    for moved in _resized(claim):
        point = claim.walk.point(moved)
        if claim.goes_on(point) and claim.at_points([point]).is_finite:
            yield point


def _resized(claim: Claim) -> Iterator[dict[Node, Array]]:
    """Inputs as large as in the run, or of size 1; one of them changed, or all but the leaf."""
    usual = _sized(claim)
    level = {node: alike(value / usual_size(value), value) for node, value in usual.items()}
    for start in (level, usual):
        yield start
        for node, value in (*start.items(),)[:MANY]:
            for factor in (*FACTORS, *(MODERATE if node is claim.leaf else ())):
                yield {**start, node: alike(factor * value, value)}
        leaf = {node: value for node, value in start.items() if node is claim.leaf}
        for factor in FACTORS:
            scaled = {node: alike(factor * value, value) for node, value in start.items()}
            yield {**scaled, **leaf}


def _sized(claim: Claim) -> dict[Node, Array]:
    """The inputs that have a size, the leaf first."""
    counted = ancestors([node for node in claim.walk.problem.looked if node.kind == "float"])
    found = {}
    for node in {claim.leaf: None, **dict.fromkeys(claim.walk.inputs.values())}:
        value = claim.points[0].value(node)
        if value is None or node.kind != "float" or node in counted or not value.any():
            continue
        if not (_is_direction(value) or np.isin(value, (0.0, 1.0)).all()):
            found[node] = value
    return found


def _is_direction(value: Array) -> bool:
    """Whether its rows have length 1."""
    return np.allclose(np.linalg.norm(np.atleast_1d(value), axis=-1), 1.0, LOOKS, 0.0)


def _equal(usual: Array | None, there: Array | None) -> bool:
    return usual is not None and there is not None and np.array_equal(usual, there)
