"""Random points at which formulas are compared that agree at the point of the run.

Every input moves, not the leaf alone, but what it looks like stays: a symmetric matrix is symmetric
there, probabilities add up to 1, and zeros and ones that tell cases apart are the same, as are
numbers that the program looks at: indices and counts.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gradcli.analysis.diagnosis.claim import Claim, Point
from gradcli.graph import Array, Node
from gradcli.walks import ancestors

COUNT = 3
DISTANCES = (0.2, 0.05, 0.01, 0.002)
"""How far inputs move, relative to their elements: as far as the program goes the same way."""
LOOKS, ROUNDED = 1e-9, 4.0
"""How far numbers are from what they look like, relative, or in units of their last place."""


def fresh(claim: Claim) -> list[Point]:
    """Points where the gradient is known and finite; none where the program allows none."""
    found: list[Point] = []
    for number, distance in enumerate(DISTANCES * COUNT):
        generator = np.random.default_rng(number)
        point = claim.walk.point(dict(moves(claim, generator, distance)))
        grad = point.value(claim.grad) if claim.goes_on(point) else None
        if grad is not None and np.isfinite(grad).all():
            found.append(point)
        if len(found) == COUNT:
            break
    return found


def moves(
    claim: Claim, generator: np.random.Generator, distance: float
) -> Iterator[tuple[Node, Array]]:
    """Other values for the inputs, so far away."""
    problem, fixed = claim.walk.problem, counted(claim)
    for node in dict.fromkeys([*problem.leaves.values(), *claim.walk.feeds]):
        value = claim.points[0].value(node)
        if value is None or node.kind != "float" or node in fixed:
            continue
        told_apart = node is not claim.leaf and value.size > 1
        if told_apart and np.isin(value, (0.0, 1.0)).all():
            continue
        dtype = node.graph.dtype("float")
        moved = near(value.astype(dtype, copy=False), generator, distance)
        if node is not claim.leaf:
            moved = alike(np.where((value == 0) & (value.size > 1), 0.0, moved), value)
        yield node, moved.astype(dtype)


def counted(claim: Claim) -> set[Node]:
    """What the program looks at as numbers: indices and counts."""
    looked = claim.walk.problem.looked
    return set(ancestors([node for node in looked if node.kind == "float"]))


def near(value: Array, generator: np.random.Generator, distance: float) -> Array:
    """Other numbers that look like these."""
    size, usual = np.abs(value), usual_size(value)
    moves = distance * generator.uniform(-1.0, 1.0, value.shape)
    return alike(value + moves * np.where(size > 0, size, 0.3 * usual), value)


def usual_size(value: Array) -> float:
    """That of an element; 1 where all are 0."""
    return float(np.abs(value).mean()) if value.any() else 1.0


def alike(numbers: Array, value: Array) -> Array:
    """Numbers near others, made what these are within rounding: a symmetric matrix, rows, columns
    or a whole that adds up to 1.
    """
    slack = max(LOOKS, ROUNDED * float(np.finfo(value.dtype).eps))
    square = value.ndim >= 2 and value.shape[-1] == value.shape[-2]
    if square and np.allclose(value, value.swapaxes(-1, -2), slack, 0.0):
        numbers = (numbers + numbers.swapaxes(-1, -2)) / 2
    for axes in (-1, -2, None) if value.size > 1 else ():  # rows, columns, or all together
        known = axes is None or value.ndim >= -axes
        if known and np.allclose(value.sum(axes), 1.0, slack, 0.0):
            return np.asarray(numbers / numbers.sum(axes, keepdims=True))
    return np.asarray(numbers)
