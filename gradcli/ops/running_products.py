"""Products of many numbers along an axis: of all of them, and of those so far."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from gradcli.graph import Array, Node
from gradcli.ops.axes import flip
from gradcli.ops.cells import over_axes, ranges
from gradcli.ops.group import Group
from gradcli.ops.kinds import NUMBERS, General, Reduction
from gradcli.ops.recurrences import RECURRENCE, delayed, scan
from gradcli.ops.reductions import cases_of, reduce_axes
from gradcli.ops.shapes import Axes, normalize_axes
from gradcli.ops.shaping import reshape
from gradcli.ops.sums import rounded, wide, wide_copies
from gradcli.ops.table import Case

if TYPE_CHECKING:
    from gradcli.graph import ArrayNamespace

reductions = Group("reduction")
scans = Group("scan")


def _cumprod(xp: ArrayNamespace, x: Array, axis: int) -> Array:
    return rounded(x.cumprod(axis, wide(x.dtype)), x.dtype)


def _running_cells(node: Node, operand: Array) -> Array:
    (axis,) = node.attributes
    lines = np.moveaxis(operand, axis, -1)
    found = np.empty(lines.shape, object)
    for place in np.ndindex(lines.shape):
        *line, last = place
        found[place] = f"PRODUCT({ranges(lines[(*line, slice(last + 1))])})"
    return np.moveaxis(found, -1, axis)


CUMPROD: General = General(
    "cumprod",
    infer=lambda x, axis: (x.shape, x.kind),
    forward=_cumprod,
    # y[k] = x[k] · y[k-1], so no division: right at zeros.
    adjoints=(
        lambda change, y, x, axis: RECURRENCE.backwards(x, change, axis) * delayed(y, axis, 1.0),
    ),
    forward_rule=lambda tangents, y, x, axis: RECURRENCE.of(
        x, tangents[0] * delayed(y, axis, 1.0), axis
    ),
    batched=lambda y, x, axis: x.graph.apply(CUMPROD, (x,), (axis,)),
    work=wide_copies,
    takes=NUMBERS,
    cell=_running_cells,
)


@scans.function(
    takes_dtype=True,
    op=CUMPROD,
    cases=[Case("cumprod(x, 0)"), Case("cumprod(x, dim=-1)")],
    numpy="np.cumprod",
    torch="torch.cumprod",
    gradients={
        "x": "flip(cumsum(flip(cotangent * result, dim), dim), dim) / x",
    },
    keeps_integers=True,
)
def cumprod(x: Node, dim: int) -> Node:
    """Running products along `dim`."""
    return scan(CUMPROD, x, dim)


def _products_of_others(x: Node, axis: int) -> Node:
    """For each element, of those before it times those after it: right at zeros, at every order."""
    before = delayed(cumprod(x, axis), axis, 1.0)
    after = delayed(cumprod(flip(x, axis), axis), axis, 1.0)
    return before * flip(after, axis)


def _prod(xp: ArrayNamespace, x: Array, axes: Axes, keepdim: bool) -> Array:
    return rounded(x.prod(axes, wide(x.dtype), keepdims=keepdim), x.dtype)


PROD = Reduction(
    "prod",
    forward=_prod,
    derivative=lambda y, x, axes, keepdim: _products_of_others(x, axes[0]),
    combine="multiply",
    takes=NUMBERS,
    by_book=lambda y, x, axes, keepdim: y / x,
    cell=over_axes(lambda cells: f"PRODUCT({ranges(cells)})"),
)


@reductions.function(
    takes_dtype=True,
    op=PROD,
    cases=cases_of("prod"),
    formula="x[0] * x[1] * …",
    numpy="np.prod",
    gradients={
        "x": (
            "cotangent * result / x",
            "unsqueeze(cotangent * result, dim) / x",
        ),
    },
    overloaded=True,
    autocast="float32",
    keeps_integers=True,
)
def prod(x: Node, dim: int | None = None, keepdim: bool = False) -> Node:
    """Product of all elements, or along `dim`."""
    if not x.ndim or (dim is None and x.ndim > 1):
        normalize_axes("prod", dim, x.ndim)
        return prod(reshape(x, x.size), -1)
    return reduce_axes(PROD, x, dim, keepdim)


@reductions.function(
    "math.prod", cases=[Case("math.prod(x)", {"x": (3,)})], formula="x[0] * x[1] * …"
)
def math_prod(x: Node) -> Node:
    """`prod` as Python has it: the product of the items along the first axis."""
    return prod(x, 0)
