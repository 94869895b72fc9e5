"""Reductions: sums, means, counts along axes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from gradcli.graph import Array, Node, Op
from gradcli.ops.comparison import isnan, logical_not
from gradcli.ops.group import Group
from gradcli.ops.kinds import FLOATS, NUMBERS, Linear, restore_axes
from gradcli.ops.promotion import promoted
from gradcli.ops.selection import where
from gradcli.ops.shapes import Axes, Dims, normalize_axes, reduced
from gradcli.ops.splits import reduction
from gradcli.ops.sums import total
from gradcli.ops.table import Case, Demand

if TYPE_CHECKING:
    from gradcli.graph import ArrayNamespace

table = Group("reduction")

CASES = (Case("{}(x)"), Case("{}(x, dim=1)"), Case("{}(x, dim=0, keepdim=True)"))


def cases_of(name: str) -> list[Case]:
    """Calls of a reduction over all axes, one, and one kept."""
    return [Case(case.program.format(name)) for case in CASES]


# --- sums ----------------------------------------------------------------------------------

SUM = Linear(
    "sum",
    infer=lambda x, axes, keepdim: reduced(x.shape, axes, keepdim),
    forward=total,
    adjoints=(lambda change, y, x, axes, keepdim: restore_axes(change, x.shape, axes),),
    combine="add",
    splits=reduction,
    takes=NUMBERS,
)


def average(xp: ArrayNamespace, x: Array, axes: Axes, keepdim: bool) -> Array:
    """The mean along axes; nan of nothing, without the warning of NumPy's own."""
    count = math.prod(x.shape[axis] for axis in axes)
    return total(xp, x, axes, keepdim) / count  # type: ignore[no-any-return]


def peak(xp: ArrayNamespace, x: Array, axes: Axes, least: float) -> Array:
    """The largest element along axes, which are kept; `least` where there is none."""
    if not all(x.shape[axis] for axis in axes):
        return xp.full(reduced(x.shape, axes, keepdim=True), least, x.dtype)
    return xp.max(x, axis=axes, keepdims=True)


MEAN = Linear(
    "mean",
    infer=lambda x, axes, keepdim: reduced(x.shape, axes, keepdim),
    forward=average,
    adjoints=(
        lambda change, y, x, axes, keepdim: restore_axes(change, x.shape, axes) / count_of(x, axes),
    ),
    combine="add",
    averages=True,
    splits=reduction,
    takes=FLOATS,
)


def count_of(x: Node, axes: Axes) -> float:
    """How many elements are reduced to one."""
    return float(math.prod(x.shape[axis] for axis in axes))


FLOATS_TO_AVERAGE = Demand(
    "mean(): could not infer output dtype. Input dtype must be either a floating point or complex "
    "dtype. Got: {Type}"
)


@table.function(
    takes_dtype=True,
    op=SUM,
    cases=cases_of("sum"),
    formula="sum(x)",
    numpy="np.sum",
    torch="torch.sum",
    confused=("mean",),
    overloaded=True,
    keeps_integers=True,
)
def sum_(x: Node, dim: Dims = None, keepdim: bool = False) -> Node:
    """Sum of all elements, or along `dim`."""
    return reduce_axes(SUM, x, dim, keepdim)


@table.function(
    takes_dtype=True,
    op=MEAN,
    cases=cases_of("mean"),
    formula="sum(x) / n",
    numpy="np.mean",
    torch="torch.mean",
    confused=("sum",),
    demands={"x": FLOATS_TO_AVERAGE},
    overloaded=True,
)
def mean(x: Node, dim: Dims = None, keepdim: bool = False) -> Node:
    """Mean of all elements, or along `dim`."""
    return reduce_axes(MEAN, x, dim, keepdim)


def reduce_axes(op: Op, x: Node, dim: Axes | int | None, keepdim: bool, *more: Any) -> Node:
    """A node of the reduction `op`, over all axes unless `dim` names some."""
    (x,) = promoted(op, (x,))
    axes = normalize_axes(op.name, dim, x.ndim)
    return x.graph.apply(op, (x,), (axes, keepdim, *more))


@table.function(
    takes_dtype=True,
    cases=cases_of("nansum"),
    formula="sum(where(isnan(x), 0, x))",
    kink="0 at nan",
)
def nansum(x: Node, dim: Dims = None, keepdim: bool = False) -> Node:
    """Sum of the elements that are not nan, of all or along `dim`."""
    if x.kind != "float":
        return sum_(x, dim, keepdim)
    return sum_(where(isnan(x), 0.0, x), dim, keepdim)


@table.function(
    takes_dtype=True,
    cases=cases_of("nanmean"),
    formula="nansum(x) / sum(not isnan(x))",
    kink="0 at nan",
)
def nanmean(x: Node, dim: Dims = None, keepdim: bool = False) -> Node:
    """Mean of the elements that are not nan, of all or along `dim`."""
    return nansum(x, dim, keepdim) / sum_(logical_not(isnan(x)), dim, keepdim)
