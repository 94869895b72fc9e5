"""The p-norm along axes, the op of which norms of vectors and matrices are made."""

from __future__ import annotations

import math
from typing import Any

from gradcli.graph import Array, Node
from gradcli.ops.comparison import eq
from gradcli.ops.extremes import shared_ties, tie_edge
from gradcli.ops.kinds import Reduction
from gradcli.ops.reductions import peak
from gradcli.ops.selection import abs_, sign, where
from gradcli.ops.shapes import Axes
from gradcli.ops.sums import total


def _norm(xp: Any, x: Array, axes: Axes, keepdim: bool, p: float) -> Array:
    size = xp.abs(x)
    if p == math.inf or p == -math.inf:
        extreme = xp.max if p > 0 else xp.min
        return extreme(size, axis=axes, keepdims=keepdim)  # type: ignore[no-any-return]
    if p == 0:
        return total(xp, (size != 0).astype(x.dtype), axes, keepdim)
    if p == 1:
        return total(xp, size, axes, keepdim)
    # Scaled by the largest element, so that squares neither overflow nor vanish.
    largest = peak(xp, size, axes, 0.0)
    unit = xp.where((largest > 0) & xp.isfinite(largest), largest, xp.ones((), x.dtype))
    found = total(xp, (size / unit) ** p, axes, True) ** (1 / p) * unit
    return found if keepdim else xp.squeeze(found, axis=axes)  # type: ignore[no-any-return]


def _norm_derivative(y: Node, x: Node, axes: Axes, keepdim: bool, p: float) -> Node:
    if p in (math.inf, -math.inf):
        size = abs_(x)
        return sign(x) * shared_ties(y, size, axes, keepdim)
    if p == 0:
        return x.graph.constant(0.0)
    if p == 1:
        return sign(x)
    if p == 2:
        return where(eq(y, 0.0), 0.0, x / y)
    nothing = eq(y if p > 1 else x, 0.0)
    return where(nothing, 0.0, sign(x) * (abs_(x) / y) ** (p - 1))


def _norm_edge(xp: Any, x: Array, axes: Axes, keepdim: bool, p: float) -> Array:
    """A norm has a kink at 0; the sum and the extremes of sizes have more."""
    size = _norm(xp, x, axes, True, p)
    if p in (math.inf, -math.inf):
        return tie_edge(xp, xp.abs(x), size, axes)
    return x if p <= 1 else size


NORM = Reduction(
    "norm",
    forward=_norm,
    derivative=_norm_derivative,
    edge=_norm_edge,
    attributes=("dim", "keepdim", "p"),
)
