"""Adding up many numbers, or multiplying them: float32 in float64, which is rounded at the end.

NumPy adds neighbouring elements pairwise, but rows one after another, like running sums: in float32
such a sum of ones stops growing at 2**24.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from gradcli.graph import Array, Node
from gradcli.ops.shapes import Axes

if TYPE_CHECKING:
    from gradcli.graph import ArrayNamespace

WIDE = {np.dtype(np.float32): np.dtype(np.float64)}


def wide(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The type in which numbers of a type are added up: float64 for floats, else their own."""
    return WIDE.get(dtype, dtype)


def rounded(found: Array, dtype: np.dtype[Any]) -> Array:
    """What was added up in a wide type, in the type of its operands."""
    return found if found.dtype == dtype else found.astype(dtype)


def total(xp: ArrayNamespace, x: Array, axes: Axes, keepdim: bool) -> Array:
    """The sum along axes."""
    return rounded(x.sum(axis=axes, keepdims=keepdim, dtype=wide(x.dtype)), x.dtype)


def add_at(xp: ArrayNamespace, zeros: Array, places: tuple[Any, ...], x: Array) -> Array:
    """`zeros` with all of x added at places, of which some may be the same."""
    result = zeros.astype(wide(x.dtype), copy=False)
    xp.add.at(result, places, x.astype(result.dtype, copy=False))
    return rounded(result, x.dtype)


FEW = 128
"""Products of so few elements in all lose nothing, in whatever order they are added up."""


def product(xp: ArrayNamespace, a: Array, b: Array) -> Array:
    """The matrix product."""
    if a.size + b.size <= FEW:
        if a.ndim <= 2 and b.ndim <= 2:
            return a.dot(b)  # type: ignore[no-any-return] # a third of the time of `matmul`
    elif not (a.flags.forc and b.flags.forc):
        a, b = _for_blas(xp, a), _for_blas(xp, b)
    return xp.matmul(a, b)


def _for_blas(xp: ArrayNamespace, x: Array) -> Array:
    """x in an order that BLAS reads: through any other, NumPy adds up products one by one."""
    steps = x.strides[-2:]
    if min(steps) > 0 and (x.ndim == 1 or x.itemsize in steps):
        return x
    return xp.ascontiguousarray(x)


def wide_copies(node: Node) -> float:
    """The memory of a wide result and a wide operand, as `Op.work` counts it."""
    dtype = node.graph.dtype(node.kind)
    if wide(dtype) == dtype:
        return 0.0
    ratio = wide(dtype).itemsize // dtype.itemsize
    return float(ratio * max(node.size, *(operand.size for operand in node.inputs)))
