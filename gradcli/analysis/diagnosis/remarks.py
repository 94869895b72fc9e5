"""What is remarked on a formula that agrees here, and is not the gradient everywhere.

The verdict is about the run: a formula may leave out a branch that does not occur, and have numbers
for what does not change. Nobody should take it for more, so other inputs are tried: beyond the
points where program or formula take another branch, and those that are whole numbers here.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gradcli.analysis.branches import switches_alone
from gradcli.analysis.diagnosis.claim import Claim, Point, agreeing
from gradcli.analysis.diagnosis.elsewhere import place_of
from gradcli.analysis.diagnosis.fresh import alike, near
from gradcli.analysis.diagnosis.wording import Wording
from gradcli.analysis.evidence import two_numbers
from gradcli.analysis.switches import Steering, is_switch
from gradcli.analysis.verdict import Cause, Index
from gradcli.graph import Array, Node
from gradcli.walks import ancestors

NUMBERS, MOVED = 4, 0.3
"""So many inputs that are whole numbers are moved, by so much."""
SWITCHES, LINES = 6, 2
"""So many switches are crossed, of each the elements of so many places,"""
REACHES = (0.3, 3e-3, 3e-6)
"""so far to both sides, relative to what moves there."""
FAR = (-1.0, -3.0, 0.3, 3.0)
"""Factors for the leaf by which other elements are on another side."""
PLAINLY = 1e-6
"""A function may be another one far out that differs by less."""
ELEMENTS = 1 << 15
"""The most elements of all steps."""
LONGEST = 60


def remarks(claim: Claim, words: Wording) -> Iterator[Cause]:
    """The remarks on a formula that passes; none on numbers."""
    if claim.typed is not None:
        yield from _one_sided(claim, words)
        yield from _for_these_numbers(claim)


# --- branches --------------------------------------------------------------------------------


def _one_sided(claim: Claim, words: Wording) -> Iterator[Cause]:
    """It has another branch than the gradient, or lacks one."""
    own, whole = ancestors([claim.mine]), ancestors(claim.walk.outputs)
    mine = [each for each in own if is_switch(each)]
    theirs = [each for each in whole if is_switch(each) and each not in mine]
    small = sum(each.size for each in {*own, *whole}) <= ELEMENTS
    moving = set(claim.walk.inputs.values())
    alone = switches_alone(claim)
    unknown = {each for each in alone if not moving.isdisjoint(ancestors([each]))}
    for node in [*mine, *theirs][:SWITCHES]:
        tried = list(_beyond(claim, node)) if small else []
        apart = next((point for point in tried if _worst(claim, point) is not None), None)
        if apart is not None or (node in unknown and not tried):
            told = words.spelled(words.plain(node)) if node in mine else words.place(node)
            told = told if told and len(told) <= LONGEST else "a condition"
            where = "on the other side it may be wrong" if apart is None else _at(claim, apart)
            if node in mine:
                text = f"{told} changes at a point where the gradient does not: {where}"
            else:
                text = f"{told} changes in the program, and yours has no other branch: {where}"
            yield Cause("one-sided", text)
            return
    for factor in FAR if small and (mine or theirs) else ():
        point = claim.at(factor * claim.known(claim.leaf))
        if _is_known(claim, point) and _worst(claim, point) is not None:
            text = f"it is right at this point, but not everywhere: {_at(claim, point)}"
            yield Cause("one-sided", text)
            return


def _beyond(claim: Claim, node: Node) -> Iterator[Point]:
    """Points on both sides of a switch where all is known."""
    for line in Steering(claim, node).crossings(LINES):
        for reach in REACHES:
            for side in (-reach, reach):
                point = claim.walk.point(line.at(side * line.size))
                if _is_known(claim, point):
                    yield point


def _is_known(claim: Claim, point: Point) -> bool:
    """Whether the program goes the same way at a point, and all is finite there."""
    return claim.goes_on(point) and claim.at_points([point]).is_finite


def _worst(claim: Claim, point: Point) -> Index | None:
    """The element in which both differ most at a point; None where they agree."""
    here = claim.at_points([point])
    mine, right = here.theirs, here.right
    if agreeing(mine, right, max(claim.rtol, PLAINLY)).all():
        return None
    return tuple(map(int, np.unravel_index(int(np.abs(mine - right).argmax()), mine.shape)))


def _at(claim: Claim, point: Point) -> str:
    return f"where {place_of(claim, point)}, {_both(claim, point)}"


def _both(claim: Claim, point: Point) -> str:
    """What both are in the element in which they differ most."""
    here, index = claim.at_points([point]), _worst(claim, point)
    assert index is not None
    theirs, right = two_numbers(here.theirs[index], here.right[index], digits=10)
    return f"yours is {theirs}, and the gradient {right}"


# --- numbers ---------------------------------------------------------------------------------


def _for_these_numbers(claim: Claim) -> Iterator[Cause]:
    """It is right for the numbers that an input has, and wrong for others."""
    order = ancestors([claim.mine])
    known = [
        (name, each, claim.known(each))
        for name, each in claim.walk.inputs.items()
        if each.kind == "float" and each is not claim.leaf and each.size
    ]
    read = [each for each in known if _may_move(each[2], is_read=each[1] in order)]
    for name, node, value in sorted(read, key=lambda found: found[1].size)[:NUMBERS]:
        moved = _moved(value)
        point = claim.walk.point({node: moved.astype(node.graph.dtype("float"))})
        if _is_known(claim, point) and _worst(claim, point) is not None:
            yield Cause("one-number", f"{_told(name, value, moved)}, {_both(claim, point)}")


def _may_move(value: Array, *, is_read: bool) -> bool:
    """Whether other numbers say more: zeros and ones may tell cases apart, and for what does not
    change a formula may have numbers, but hardly if it is 1.
    """
    apart = value.size > 1 and np.isin(value, (0.0, 1.0)).all() and np.ptp(value) > 0
    return not apart and bool(np.isfinite(value).all() if is_read else (value == 1).all())


def _are_whole(value: Array) -> bool:
    return not (value % 1).any()


def _moved(value: Array) -> Array:
    if not _are_whole(value):
        return near(value, np.random.default_rng(0), MOVED)
    if value.size == 1:
        return np.asarray(value + MOVED)
    moves = MOVED * np.random.default_rng(0).uniform(0.3, 1.0, value.shape)
    return alike(value + moves, value)


def _told(name: str, value: Array, moved: Array) -> str:
    if value.size == 1:
        return f"{name} is {value.item():.10g} here; where it is {moved.item():.10g}"
    example = f"{moved.flat[0]:.4g} for {value.flat[0]:.4g}"
    kind = "whole numbers" if _are_whole(value) else "these numbers"
    return f"{name} has {kind} here; where it has others, as {example}"
