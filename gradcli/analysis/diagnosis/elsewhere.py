"""Why a formula is wrong that is right at the point of the run: it takes another branch, or what is
wrong does not show next to larger numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice

import numpy as np

from gradcli.analysis.agreement import agreement
from gradcli.analysis.diagnosis.alternatives import Slip
from gradcli.analysis.diagnosis.claim import Claim, Point, close
from gradcli.analysis.diagnosis.double import elsewhere, in_double
from gradcli.analysis.diagnosis.fresh import alike, fresh, moves
from gradcli.analysis.diagnosis.mutation import Mutation
from gradcli.analysis.diagnosis.typed import Tolerant, Typed
from gradcli.analysis.diagnosis.wording import wording
from gradcli.analysis.evidence import from_formula, two_numbers
from gradcli.analysis.switches import is_switch
from gradcli.analysis.verdict import Cause, Elsewhere, Index, Verdict
from gradcli.diagnostics import Source
from gradcli.graph import Array
from gradcli.language.printer import print_expression
from gradcli.ops.shapes import element
from gradcli.walks import ancestors

ALONG = (0.5, 1.0, 1.5, 2.0)
"""Places on the line through the point of the run and the other one, which are at 0 and 1."""
FAR = (-3.0, -1.0, -0.3, 0.3, 3.0)
"""Factors for the leaf by which most elements are on another side of what switches."""
SIZES, LARGER, MOVED = 6, 3.0, 0.2
"""So often all inputs are made so much larger or smaller, each by another factor, and moved."""
TRIED = 24
"""So many formulas that are right at the points that are known are compared in all branches."""


def branch(claim: Claim, there: Elsewhere, index: Index) -> Cause:
    """The mistake in a formula that shows at another point, in this element of the gradient."""
    if claim.typed is not None and claim.walk.problem.options.precision == "float32":
        claim = in_double(claim, claim.typed.source)
    point = claim.walk.elsewhere(there.inputs)
    here = claim.at_points([point])
    if claim.typed is not None and not claim.goes_on(point):
        here = elsewhere(claim, claim.typed.source, there.inputs) or here
    theirs, right = two_numbers(here.theirs[index], here.right[index], digits=10)
    told = f"where {place_of(claim, point)}, yours is {theirs}, and the gradient {right}"
    slip = next(_slips(claim, claim.typed, there), None) if claim.typed else None
    if slip is None or claim.typed is None:
        return Cause("branch", f"it is right at this point, but not everywhere: {told}")
    own = slip.cause(claim.typed.source)
    return replace(own, message=f"{own.message}; {told}")


def _slips(claim: Claim, typed: Typed, there: Elsewhere) -> Iterator[Slip]:
    """Slips without which the formula is right in all branches, the most likely first."""
    point = claim.walk.elsewhere(there.inputs)
    known = [point] if claim.goes_on(point) else []
    further = claim.at_points([claim.points[0], *fresh(claim), *known])
    for slip in islice(Mutation(further, typed, wording(claim)).singles(), TRIED):
        source = _without(slip, typed)
        if verdict_without(slip, claim, typed) == "pass" and all(
            _is_right(claim, source, each) for each in _along(claim, there)
        ):
            yield slip


def verdict_without(slip: Slip, claim: Claim, typed: Typed) -> Verdict:
    """That of the formula without the slip, in its other branches, too."""
    other = Claim(claim.walk, claim.name, claim.leaf, typed.value(slip.formula))
    return agreement(other, from_formula(_without(slip, typed))).verdict


def holds_in_other_ways(slip: Slip, claim: Claim, typed: Typed) -> bool:
    """Whether the formula without the slip is right where the program goes another way, if the
    formula has branches as the program has.
    """
    if not claim.walk.problem.looked or not any(map(is_switch, ancestors([claim.mine]))):
        return True
    there = [factor * claim.known(claim.leaf) for factor in FAR]
    moved = [{claim.name: value} for value in there if not claim.goes_on(claim.at(value))]
    return all(_is_right(claim, _without(slip, typed), each) for each in moved)


def wide(claim: Claim) -> list[Point]:
    """Points where all inputs have other sizes: there shows what is next to nothing near the run.
    None where choices are made, which may be other ones there.
    """
    if any(map(is_switch, ancestors([*claim.walk.outputs, claim.grad, claim.mine]))):
        return []
    found: list[Point] = []
    for number in range(SIZES):
        generator = np.random.default_rng(number)
        moved = {}
        for node, value in moves(claim, generator, MOVED):
            size = LARGER ** generator.uniform(-1.0, 1.0)
            moved[node] = alike(size * value, claim.known(node)).astype(value.dtype)
        point = claim.walk.point(moved)
        if claim.goes_on(point) and claim.at_points([point]).is_finite:
            found.append(point)
    return found


def _without(slip: Slip, typed: Typed) -> Source:
    return Source(typed.source.name, print_expression(slip.formula))


def _along(claim: Claim, there: Elsewhere) -> Iterator[dict[str, Array]]:
    """Places on the way to the point, and beyond it."""
    for part in ALONG:
        moved = {}
        for name, value in there.inputs.items():
            usual = claim.known(claim.walk.inputs[name])
            moved[name] = usual + part * (value - usual)
        yield moved


def _is_right(claim: Claim, source: Source, moved: Mapping[str, Array]) -> bool:
    """Whether a formula is right where some inputs have other values, as far as is known."""
    with Tolerant():
        here = elsewhere(claim, source, moved)
        known = here is not None and np.isfinite(here.right).all()
        return here is None or not known or close(here.theirs, here.right, here.rtol)
    return True


def place_of(claim: Claim, point: Point) -> str:
    """The element of an input that has moved most."""
    moved, nodes = claim.walk.named(point), claim.walk.inputs
    distances = {name: np.abs(value - claim.known(nodes[name])) for name, value in moved.items()}
    name = max(moved, key=lambda each: float(distances[each].max()))
    index = np.unravel_index(int(distances[name].argmax()), moved[name].shape)
    place = tuple(map(int, index))
    return f"{element(name, place)} is {moved[name][place]:.10g}"
