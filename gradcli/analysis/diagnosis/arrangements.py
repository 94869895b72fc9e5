"""The right numbers in the wrong place, shape or sign: changes of a finished gradient."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import permutations
from typing import Any, Literal, TypeAlias

import numpy as np

from gradcli.graph import Array, Shape
from gradcli.ops.shapes import show

Change: TypeAlias = Callable[[Array], Array]
"""Raises ValueError where it is not possible for the numbers."""
Arrangement: TypeAlias = tuple[str, str, Change]
"""Code, sentence, and what was done to the gradient."""
Order: TypeAlias = Literal["C", "F"]
AXES = 4
"""Orders of axes are tried up to this rank."""
SHIFTS = (1, -1, 2, -2)


def arrangements(right: Shape, mine: Shape) -> Iterator[Arrangement]:
    """Changes that may make the user's numbers, of another shape, of the gradient."""
    yield from _orders(right, mine)
    if right == mine:
        yield "sign", "the sign is wrong", np.negative
        yield from _moved(right)
        yield "absolute", "it is the absolute value of the gradient: signs are lost", np.abs
        yield "reciprocal", "it is 1/gradient: the derivative the other way round", _reciprocal
        yield "squared", "it is the gradient squared", np.square
        text = "it is the gradient divided by its norm: its direction only"
        yield "normalised", text, _normalised
    else:
        yield from _shapes(right, mine)
    yield from _combined(right, mine)


def _orders(right: Shape, mine: Shape) -> Iterator[Arrangement]:
    ndim = len(right)
    for axes in permutations(range(ndim)) if ndim <= AXES else ():
        if axes != tuple(range(ndim)) and tuple(right[axis] for axis in axes) == mine:
            how = f": its axes are {axes} of the gradient's" if ndim > 2 else ""
            if right != mine:
                how += f", of shape {show(mine)} instead of {show(right)}"
            yield "transposed", f"it is transposed{how}", partial(np.transpose, axes=axes)


def _moved(shape: Shape) -> Iterator[Arrangement]:
    for axis, length in enumerate(shape):
        along = f" along axis {axis}" if len(shape) > 1 else ""
        text = f"the elements are in reverse order{along}"
        yield "permuted", text, partial(np.flip, axis=axis)
        for shift in SHIFTS if length > 2 else ():
            places = f"{abs(shift)} place{'s' if abs(shift) > 1 else ''}"
            text = f"the elements are shifted by {places}{along}"
            yield "permuted", text, partial(np.roll, shift=shift, axis=axis)
    if len(shape) > 1:
        yield "permuted", "the elements are in reverse order", np.flip
        text = "the elements were written column by column: they count row by row"
        yield "permuted", text, partial(_reordered, read="F", written="C")
        yield "permuted", text, partial(_reordered, read="C", written="F")


def _shapes(right: Shape, mine: Shape) -> Iterator[Arrangement]:
    has = f"the shape is {show(mine)}, the leaf's is {show(right)}"
    how = "flattened" if len(mine) == 1 else "arranged in another shape"
    text = f"{has}: the numbers are right, but {how}"
    yield "shape", text, partial(np.reshape, shape=mine)
    text = f"{has}: the numbers are right, but transposed and {how}"
    yield "shape", text, partial(_reordered, read="F", written="C", shape=mine)
    text = f"{has}: it repeats the gradient along another axis"
    yield "shape", text, partial(np.broadcast_to, shape=mine)
    text = f"{has}: the numbers are right if they are repeated"
    yield "shape", text, partial(_unrepeated, shape=mine)
    if len(right) == 1:
        yield "shape", f"{has}: the gradient stands on a diagonal", np.diag
    if right and mine == right[1:]:
        for row in dict.fromkeys((0, right[0] - 1)):
            text = f"{has}: only row {row} of the gradient is there"
            yield "shape", text, partial(np.take, indices=row, axis=0)


def _combined(right: Shape, mine: Shape) -> Iterator[Arrangement]:
    """Sums and means over axes that should have been kept, reduced or repeated."""
    axes: list[int | None] = [None, *(range(len(right)) if len(right) > 1 else ())]
    for axis in axes:
        over = "all axes" if axis is None else f"axis {axis}"
        for function, done in ((np.sum, "summed"), (np.mean, "averaged")):
            text = f"it is {done} over {over} of {show(right)}, whose elements stay apart"
            combine = partial(_combine, function=function, axis=axis)
            if mine == right:
                yield done, text, partial(_repeated, combine=combine)
            else:
                yield done, text, partial(combine, keepdims=False)
                yield done, text, combine


def _combine(
    gradient: Array, function: Callable[..., Any], axis: int | None, keepdims: bool = True
) -> Array:
    return np.asarray(function(gradient, axis=axis, keepdims=keepdims))


def _repeated(gradient: Array, combine: Change) -> Array:
    if gradient.size < 2:
        raise ValueError("nothing to combine")
    return np.broadcast_to(combine(gradient), gradient.shape)


def _unrepeated(gradient: Array, shape: Shape) -> Array:
    """One of the equal copies that an array consists of."""
    lead = gradient.ndim - len(shape)
    if lead < 0:
        raise ValueError("more axes than the gradient")
    one = np.asarray(gradient[(0,) * lead])
    for axis, length in enumerate(shape):
        one = one.take([0], axis) if length == 1 else one
    if not np.allclose(np.broadcast_to(one, gradient.shape), gradient, rtol=1e-9, atol=0):
        raise ValueError("the copies differ")
    return one


def _reordered(gradient: Array, read: Order, written: Order, shape: Shape | None = None) -> Array:
    flat = np.ravel(gradient, order=read)
    return np.reshape(flat, shape or gradient.shape, order=written)


def _normalised(gradient: Array) -> Array:
    if gradient.size < 2 or not gradient.any():
        raise ValueError("neither a single value nor 0 has a direction")
    return np.asarray(gradient / np.linalg.norm(gradient))


def _reciprocal(gradient: Array) -> Array:
    with np.errstate(all="ignore"):
        return np.asarray(1.0 / gradient)
