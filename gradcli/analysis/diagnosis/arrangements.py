"""The right numbers in the wrong place, shape or sign: changes of a finished gradient."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import permutations

from gradcli.analysis.diagnosis.claim import Claim, close
from gradcli.analysis.diagnosis.slips import Consequence
from gradcli.analysis.diagnosis.typed import Tolerant
from gradcli.graph import Node, Shape
from gradcli.ops import FUNCTIONS
from gradcli.ops.axes import flip, permute, roll, transpose
from gradcli.ops.diagonals import diag
from gradcli.ops.norms import norm
from gradcli.ops.parting import select
from gradcli.ops.reductions import mean, sum_
from gradcli.ops.shapes import show
from gradcli.ops.shaping import expand, reshape, sum_to

AXES = 4
"""Orders of axes are tried up to this rank."""
SHIFTS = (1, -1, 2, -2)


def arrangements(claim: Claim) -> Iterator[Consequence]:
    """Changes that may make the user's numbers, of another shape, of the gradient."""
    right, mine = claim.grad, claim.mine.shape
    yield from _orders(right, mine)
    if right.shape == mine:
        yield Consequence("sign", "the sign is wrong", -right)
        yield from _moved(right)
        known = (point.value(right) for point in claim.points)
        if any(each is not None and (each < 0).any() for each in known):
            text = "it is the absolute value of the gradient: signs are lost"
            yield Consequence("absolute", text, FUNCTIONS["abs"](right))
        text = "it is 1/gradient: the derivative the other way round"
        yield Consequence("reciprocal", text, 1.0 / right)
        yield Consequence("squared", "it is the gradient squared", right * right)
        text = "it is the gradient divided by its norm: its direction only"
        if right.size > 1 and claim.right.any():
            yield Consequence("normalised", text, right / norm(right))
    else:
        yield from _shapes(claim)
    yield from _combined(right)


def _orders(right: Node, mine: Shape) -> Iterator[Consequence]:
    for axes in permutations(range(right.ndim)) if right.ndim <= AXES else ():
        if axes != tuple(range(right.ndim)) and tuple(right.shape[axis] for axis in axes) == mine:
            how = f": its axes are {axes} of the gradient's" if right.ndim > 2 else ""
            if right.shape != mine:
                how += f", of shape {show(mine)} instead of {show(right.shape)}"
            yield Consequence("transposed", f"it is transposed{how}", permute(right, *axes))


def _moved(right: Node) -> Iterator[Consequence]:
    for axis, length in enumerate(right.shape):
        along = f" along axis {axis}" if right.ndim > 1 else ""
        text = f"the elements are in reverse order{along}"
        yield Consequence("permuted", text, flip(right, (axis,)))
        for shift in SHIFTS if length > 2 else ():
            places = f"{abs(shift)} place{'s' if abs(shift) > 1 else ''}"
            text = f"the elements are shifted by {places}{along}"
            yield Consequence("permuted", text, roll(right, (shift,), (axis,)))
    if right.ndim > 1:
        yield Consequence("permuted", "the elements are in reverse order", flip(right))
        text = "the elements were written column by column: they count row by row"
        yield Consequence("permuted", text, reshape(transpose(right), *right.shape))
        yield Consequence("permuted", text, transpose(reshape(right, *right.shape[::-1])))


def _shapes(claim: Claim) -> Iterator[Consequence]:
    right, mine = claim.grad, claim.mine.shape
    has = f"the shape is {show(mine)}, the leaf's is {show(right.shape)}"
    if right.size == claim.mine.size:
        how = "flattened" if len(mine) == 1 else "arranged in another shape"
        text = f"{has}: the numbers are right, but {how}"
        yield Consequence("shape", text, reshape(right, *mine))
        text = f"{has}: the numbers are right, but transposed and {how}"
        yield Consequence("shape", text, reshape(transpose(right), *mine))
    with Tolerant():
        text = f"{has}: it repeats the gradient along another axis"
        yield Consequence("shape", text, expand(right, *mine))
    with Tolerant():
        one = sum_to(right, *mine) / (right.size / math.prod(mine))
        if close(claim.known(expand(one, *right.shape)), claim.right, claim.rtol):
            text = f"{has}: the numbers are right if they are repeated"
            yield Consequence("shape", text, one)
    if right.ndim == 1:
        yield Consequence("shape", f"{has}: the gradient stands on a diagonal", diag(right))
    for row in dict.fromkeys((0, right.shape[0] - 1)) if right.ndim else ():
        text = f"{has}: only row {row} of the gradient is there"
        yield Consequence("shape", text, select(right, 0, row))


def _combined(right: Node) -> Iterator[Consequence]:
    """Sums and means over axes that should have been kept, reduced or repeated."""
    axes: list[int | None] = [None, *(range(right.ndim) if right.ndim > 1 else ())]
    for axis in axes if right.size > 1 else ():
        over = "all axes" if axis is None else f"axis {axis}"
        for combine, done in ((sum_, "summed"), (mean, "averaged")):
            text = f"it is {done} over {over} of {show(right.shape)}, whose elements stay apart"
            kept = combine(right, axis, True)
            for each in (expand(kept, *right.shape), kept, combine(right, axis)):
                yield Consequence(done, text, each)
