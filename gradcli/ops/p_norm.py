"""The p-norm along axes, the op of which norms of vectors and matrices are made."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gradcli.graph import Array, Node
from gradcli.ops.cells import NotWrittenError, over_axes, ranges, written
from gradcli.ops.comparison import eq, isfinite, logical_and
from gradcli.ops.extremes import amax, amin, shared_ties, tie_edge
from gradcli.ops.kinds import Reduction, cast
from gradcli.ops.powers import sqrt
from gradcli.ops.reductions import peak, sum_
from gradcli.ops.selection import abs_, maximum, sign, where
from gradcli.ops.shapes import Axes
from gradcli.ops.sums import total

if TYPE_CHECKING:
    from gradcli.graph import ArrayNamespace


def _norm(xp: ArrayNamespace, x: Array, axes: Axes, keepdim: bool, p: float) -> Array:
    size = xp.abs(x)
    if p == math.inf or p == -math.inf:
        extreme = xp.max if p > 0 else xp.min
        return extreme(size, axis=axes, keepdims=keepdim)
    if p == 0:
        return total(xp, (size != 0).astype(x.dtype), axes, keepdim)
    if p == 1:
        return total(xp, size, axes, keepdim)
    # Scaled, so that powers neither overflow nor vanish: by the largest element or, where squares
    # might, by a power of two.
    largest = peak(xp, size, axes, 0.0)
    if p == 2:
        far = _far(x.dtype)
        scale = xp.where(largest > far, _scale(x.dtype), xp.ones((), x.dtype))
        scale = xp.where(largest < 1 / far, 1 / _scale(x.dtype), scale)
        found = xp.sqrt(total(xp, (x * scale) ** 2, axes, True)) / scale
    else:
        unit = xp.where((largest > 0) & xp.isfinite(largest), largest, xp.ones((), x.dtype))
        found = total(xp, (size / unit) ** p, axes, True) ** (1 / p) * unit
    return found if keepdim else xp.squeeze(found, axis=axes)


def _far(dtype: np.dtype[Any]) -> Any:
    """The squares of many numbers between this and its inverse are added up without a scale."""
    return np.ldexp(dtype.type(1), np.finfo(dtype).maxexp * 5 // 16)


def _scale(dtype: np.dtype[Any]) -> Any:
    """What brings all larger ones there, and its inverse all smaller ones."""
    return np.ldexp(dtype.type(1), -np.finfo(dtype).maxexp * 5 // 8)


def _norm_derivative(y: Node, x: Node, axes: Axes, keepdim: bool, p: float) -> Node | None:
    if p in (math.inf, -math.inf):
        size = abs_(x)
        return sign(x) * shared_ties(y, size, axes, keepdim)
    if p == 0:
        return None  # it counts
    if p == 1:
        return sign(x)
    if p == 2:
        return where(eq(y, 0.0), 0.0, x / y)
    nothing = eq(y if p > 1 else x, 0.0)
    return where(nothing, 0.0, sign(x) * (abs_(x) / y) ** (p - 1))


def _by_book(y: Node, x: Node, axes: Axes, keepdim: bool, p: float) -> Node:
    if p == 2:
        return x / y
    if p in (math.inf, -math.inf):
        return sign(x) * shared_ties(y, abs_(x), axes, keepdim)
    return sign(x) * (abs_(x) / y) ** (p - 1) if 1 < p < math.inf else sign(x)


def _norm_edge(xp: ArrayNamespace, x: Array, axes: Axes, keepdim: bool, p: float) -> Array:
    """A norm has a kink at 0; those of order 1 and inf have more."""
    size = _norm(xp, x, axes, True, p)
    if p in (math.inf, -math.inf):
        return tie_edge(xp, xp.abs(x), size, axes)
    return x if p <= 1 else size


def _norm_parts(x: Node, axes: Axes, _keepdim: bool, p: float) -> Node:
    size = abs_(x)
    if math.isinf(p):
        return amax(size, axes, True) if p > 0 else amin(size, axes, True)
    if p == 0:
        return sum_(cast(cast(size, "bool"), "float"), axes, True)
    if p == 1:
        return sum_(size, axes, True)
    if len(axes) == x.ndim:  # two extremes take less than to make all elements positive
        largest = maximum(amax(x, axes, True), -amin(x, axes, True))
    else:
        largest = amax(size, axes, True)
    if p == 2:
        dtype = x.graph.dtype("float")
        far, small = float(_far(dtype)), float(_scale(dtype))
        scale = where(largest > far, small, where(largest < 1 / far, 1 / small, 1.0))
        return sqrt(sum_((x * scale) ** 2, axes, True)) / scale
    unit = where(logical_and(largest > 0, isfinite(largest)), largest, 1.0)
    return sum_((size / unit) ** p, axes, True) ** (1 / p) * unit


def _in_cells(node: Node, operand: Array) -> Array:
    p = node.attributes[2]
    if p <= 0:
        raise NotWrittenError

    def norm(cells: Sequence[str]) -> str:
        every = ranges(cells)
        if p == 2:
            return f"SQRT(SUMSQ({every}))"
        if p == math.inf:
            return f"MAX(MAX({every}),-MIN({every}))"
        powers = "+".join(f"SUMPRODUCT(ABS({each})^{written(p)})" for each in every.split(","))
        return f"({powers})^(1/{written(p)})"

    return over_axes(norm)(node, operand)


NORM = Reduction(
    "norm",
    forward=_norm,
    derivative=_norm_derivative,
    edge=_norm_edge,
    cell=_in_cells,
    parts=_norm_parts,
    by_book=_by_book,
    attributes=("dim", "keepdim", "p"),
)
