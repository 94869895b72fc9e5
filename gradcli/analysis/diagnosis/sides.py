"""Elements of a leaf where the gradient jumps: at a kink, every number between the derivatives on
its two sides is a valid derivative.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gradcli.analysis.diagnosis.claim import Claim, Point
from gradcli.analysis.verdict import Index
from gradcli.graph import Array
from gradcli.walks import ancestors

MOST = 50
"""The most elements that are examined."""
ELEMENTS = 5_000_000
"""About how many elements are computed for that."""
STEP = 1e-6
"""The distance of the points on both sides, relative to the element."""
JUMP = 1e-3
"""A smaller relative change over this distance is not a jump,"""
FARTHER = 8.0
"""nor is one that is twice as large at a distance so much longer: that is a slope."""


@dataclass(frozen=True, slots=True)
class Jump:
    """An element where the gradient jumps, the op that makes it jump, and whether the user's
    number lies between the two sides.
    """

    index: list[int]
    op: str
    between: bool


def kinks(claim: Claim, among: Array) -> list[Jump]:
    """The elements of the leaf, among these, where the gradient jumps."""
    here = claim.points[0].value(claim.leaf)
    if here is None or here.shape != among.shape:
        return []
    mine = claim.theirs
    found = []
    size = sum(node.size for node in ancestors([claim.grad]))
    for place in np.argwhere(among)[: min(MOST, 1 + ELEMENTS // size)]:
        index = tuple(map(int, place))
        step = np.zeros(here.shape)
        step[index] = STEP * max(1e-3, abs(float(here[index])))
        near = [claim.at(here + sign * step) for sign in (-1, 1)]
        low, high = _sides(claim, near, index)
        margin = JUMP * max(abs(low), abs(high))
        if high - low > margin and not _is_slope(claim, here, FARTHER * step, index, high - low):
            between = low - margin <= mine[index] <= high + margin
            found.append(Jump(list(index), _crossed(claim, *near), bool(between)))
    return found


def _is_slope(claim: Claim, here: Array, step: Array, index: Index, change: float) -> bool:
    """Whether an element of the gradient changes by much more than this over a longer step."""
    low, high = _sides(claim, [claim.at(here + sign * step) for sign in (-1, 1)], index)
    return high - low >= 2 * change


def _sides(claim: Claim, points: Sequence[Point], index: Index) -> tuple[float, float]:
    """An element of the gradient at two points, the smaller first; nan where there is none."""
    values = [point.value(claim.grad) for point in points]
    low, high = sorted(math.nan if each is None else float(each[index]) for each in values)
    return low, high


def _crossed(claim: Claim, low: Point, high: Point) -> str:
    """The op that is not smooth between two points."""
    for node in ancestors(claim.walk.outputs):
        if node.op.edge is None:
            continue
        before, after = (
            np.sign(node.op.edge(np, *map(point.value, node.inputs), *node.attributes))
            for point in (low, high)
        )
        if not np.array_equal(before, after):
            return node.op.name
    return "a condition"
