"""Extremes and order statistics: max, argmax, median, quantile."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gradcli.diagnostics import GradcliError
from gradcli.graph import Array, Node, Split
from gradcli.ops.cells import over_axes, ranges
from gradcli.ops.comparison import eq
from gradcli.ops.group import Group
from gradcli.ops.kinds import ANY, General, Reduction, cast
from gradcli.ops.reductions import cases_of, reduce_axes, sum_
from gradcli.ops.scattering import take_along_dim
from gradcli.ops.selection import maximum, minimum
from gradcli.ops.shapes import Axes, Dims, normalize_axes, reduced, show
from gradcli.ops.shaping import (
    reshape,
    squeeze,
)
from gradcli.ops.splits import axes_to_split
from gradcli.ops.table import Case, Function, everywhere

if TYPE_CHECKING:
    from gradcli.graph import ArrayNamespace

table = Group("reduction")


def shared_ties(y: Node, x: Node, axes: Axes, keepdim: bool) -> Node:
    """1 over the number of ties where x is the extreme, 0 elsewhere."""
    ties = cast(eq(x, y), "float")
    return ties / sum_(ties, axes, True)


def tie_edge(xp: ArrayNamespace, x: Array, chosen: Array, axes: Axes) -> Array:
    """The distance of each element from the chosen one, and of that one from the next best.

    `chosen` has the reduced axes kept.
    """
    if not x.size:
        return x
    wins = x == chosen
    behind = xp.where(wins, math.inf, xp.abs(x - chosen))
    lead = xp.min(behind, axis=axes, keepdims=True)
    tied = xp.sum(wins, axis=axes, keepdims=True) > 1
    return xp.where(wins, xp.where(tied, 0.0, lead), x - chosen)


def spacing(xp: ArrayNamespace, x: Array, axis: int) -> Array:
    """The gaps between elements that are neighbours in order: 0 at a tie."""
    return xp.diff(xp.sort(x, axis=axis), axis=axis)


AMAX = Reduction(
    "amax",
    forward=lambda xp, x, axes, keepdim: xp.max(x, axis=axes, keepdims=keepdim),
    derivative=shared_ties,
    selects=True,
    combine="maximum",
    takes=ANY,
    cell=over_axes(lambda cells: f"MAX({ranges(cells)})"),
    edge=lambda xp, x, axes, keepdim: tie_edge(xp, x, xp.max(x, axis=axes, keepdims=True), axes),
)
AMIN = Reduction(
    "amin",
    forward=lambda xp, x, axes, keepdim: xp.min(x, axis=axes, keepdims=keepdim),
    derivative=shared_ties,
    selects=True,
    combine="minimum",
    takes=ANY,
    cell=over_axes(lambda cells: f"MIN({ranges(cells)})"),
    edge=lambda xp, x, axes, keepdim: tie_edge(xp, x, xp.min(x, axis=axes, keepdims=True), axes),
)


@table.function(
    op=AMAX,
    aliases=("np.max",),
    cases=[*cases_of("amax"), Case("np.max(x, axis=1)")],
    elsewhere=everywhere("shared equally"),
    kink="ties share equally",
    numpy="np.max",
    torch="torch.amax",
    confused=("amin",),
    gradients={
        "x": (
            "cotangent * (x == result)",
            "unsqueeze(cotangent, dim) * (x == unsqueeze(result, dim))",
            "cotangent * (x == result) / sum(x == result)",
        ),
    },
    keeps_integers=True,
)
def amax(x: Node, dim: Dims = None, keepdim: bool = False) -> Node:
    """The largest element, of all or along `dim`."""
    return _extreme(AMAX, x, dim, keepdim)


@table.function(
    op=AMIN,
    aliases=("np.min",),
    cases=[*cases_of("amin"), Case("np.min(x, axis=1)")],
    elsewhere=everywhere("shared equally"),
    kink="ties share equally",
    numpy="np.min",
    torch="torch.amin",
    confused=("amax",),
    gradients={
        "x": (
            "cotangent * (x == result)",
            "unsqueeze(cotangent, dim) * (x == unsqueeze(result, dim))",
            "cotangent * (x == result) / sum(x == result)",
        ),
    },
    keeps_integers=True,
)
def amin(x: Node, dim: Dims = None, keepdim: bool = False) -> Node:
    """The smallest element, of all or along `dim`."""
    return _extreme(AMIN, x, dim, keepdim)


def _extreme(op: Reduction, x: Node, dim: Axes | None, keepdim: bool) -> Node:
    check_not_empty(op.name, x, normalize_axes(op.name, dim, x.ndim))
    return reduce_axes(op, x, dim, keepdim)


def check_not_empty(name: str, x: Node, axes: Axes) -> None:
    """Raise `value` if an axis that is reduced has no elements."""
    if any(x.shape[axis] == 0 for axis in axes):
        raise GradcliError("value", f"{name} of nothing: the tensor is {show(x.shape)}")


SHORT = 64
"""Along an axis of so few places, other than the last one, NumPy's `argmax` takes ten times as long
as comparisons of whole arrays."""


def _work(node: Node) -> float:
    """The elements that `argmax` has in memory besides operand and result."""
    (x,), axis = node.inputs, node.attributes[0]
    if axis in (None, -1):
        return x.size if x.op.view else 0  # a copy where its elements do not lie in a row
    return 1.5 * node.size if x.shape[axis] <= SHORT else x.size


def _splits_of_places(node: Node) -> Iterator[Split]:
    """Along the other axes."""
    (x,), (axis, _) = node.inputs, node.attributes
    if axis is not None:
        for other in axes_to_split(x.shape):
            if other != axis:
                gone = node.ndim < x.ndim and other < axis
                yield Split(other + gone, (other,))


def _first_place(x: Array, chosen: Array, axis: int) -> Array | None:
    """Where along an axis the chosen elements are first, the axis kept; None if some are nan."""
    if chosen.dtype.kind == "f" and np.isnan(chosen).any():
        return None
    rows = np.split(x, x.shape[axis], axis)
    later = rows[0] != chosen
    place = later.astype(np.int8)
    for row in rows[1:-1]:
        later &= row != chosen
        place += later
    found: Array = place.astype(np.int64)
    return found


def _of_windows(x: Node, axis: int | None, keepdim: bool) -> Node | None:
    from gradcli.ops.windows import first_largest  # most programs start faster without

    return None if axis is None else first_largest(x, axis)


def _arg(name: str, choose: str, doc: str) -> Function:
    def forward(xp: ArrayNamespace, x: Array, axis: int | None, keepdim: bool) -> Array:
        if axis is None:
            x, axis = xp.reshape(x, (-1,)), 0
        if xp is np and axis % x.ndim < x.ndim - 1 and 1 < x.shape[axis] <= SHORT:
            found = _first_place(
                x, getattr(x, choose.replace("arg", ""))(axis, keepdims=True), axis
            )
            if found is not None:
                return found if keepdim else np.squeeze(found, axis)
        return getattr(xp, choose)(x, axis=axis, keepdims=keepdim)  # type: ignore[no-any-return]

    def edge(xp: ArrayNamespace, x: Array, axis: int | None, keepdim: bool) -> Array:
        axes = tuple(range(-x.ndim, 0)) if axis is None else (axis,)
        chosen = getattr(xp, choose.replace("arg", ""))(x, axis=axes, keepdims=True)
        return tie_edge(xp, x, chosen, axes)

    op = General(
        name,
        infer=lambda x, axis, keepdim: (
            () if axis is None else reduced(x.shape, (axis,), keepdim),
            "int",
        ),
        forward=forward,
        edge=edge,
        parts=_of_windows if choose == "argmax" else None,
        work=_work,
        splits=_splits_of_places,
    )

    def build(x: Node, dim: int | None = None, keepdim: bool = False) -> Node:
        axes = normalize_axes(name, dim, x.ndim)
        check_not_empty(name, x, axes)
        if dim is None or not x.ndim:
            place = x.graph.apply(op, (x,), (None, False))
            return reshape(place, reduced(x.shape, axes, keepdim))
        return x.graph.apply(op, (x,), (axes[0], keepdim))

    build.__doc__ = doc
    cases = [Case(f"{name}(x)", smooth=False), Case(f"{name}(x, dim=1)", smooth=False)]
    return table.function(name, op=op, cases=cases, numpy=f"np.{name}", torch=f"torch.{name}")(
        build
    )


argmax = _arg("argmax", "argmax", "Where the largest element is (the first one of a tie).")
argmin = _arg("argmin", "argmin", "Where the smallest element is (the first one of a tie).")


class Extremes(NamedTuple):
    """The result of `max(x, dim)`."""

    values: Node
    indices: Node


_WITH_PLACES = {
    "x": (
        "unsqueeze(cotangent.values, dim) * (x == unsqueeze(result.values, dim))",
        "cotangent.values * (x == result.values)",
        "cotangent * (x == result)",
        "cotangent * (x == result) / sum(x == result)",
    ),
}
"""The gradient of `max` and `min`: of a pair, with and without `keepdim`, and of one number."""


@table.function(
    cases=[
        Case("max(x)"),
        Case("max(x, 0).values"),
        Case("max(x, dim=1, keepdim=True)[0]"),
        Case("max(x, y)", {"x": (2, 3), "y": (3,)}),
    ],
    elsewhere=everywhere("shared equally", torch="shared equally (with dim the first gets all)"),
    kink="ties share equally; with dim the first one gets all",
    confused=("min",),
    gradients=_WITH_PLACES,
    overloaded=True,
    keeps_integers=True,
)
def max_(
    x: Node, dim: int | Node | None = None, keepdim: bool = False, *, other: Node | None = None
) -> Node | Extremes:
    """The largest element; with `dim` a pair of values and indices; of two tensors `maximum`."""
    second = _second("max", dim, other)
    if second is not None:
        return maximum(x, second)
    assert not isinstance(dim, Node)
    return amax(x) if dim is None else chosen(x, dim, keepdim, argmax(x, dim, True))


@table.function(
    cases=[
        Case("min(x)"),
        Case("min(x, 0).values"),
        Case("min(x, dim=1, keepdim=True)[0]"),
        Case("min(x, y)", {"x": (2, 3), "y": (3,)}),
    ],
    elsewhere=everywhere("shared equally", torch="shared equally (with dim the first gets all)"),
    kink="ties share equally; with dim the first one gets all",
    confused=("max",),
    gradients=_WITH_PLACES,
    overloaded=True,
    keeps_integers=True,
)
def min_(
    x: Node, dim: int | Node | None = None, keepdim: bool = False, *, other: Node | None = None
) -> Node | Extremes:
    """The smallest element; with `dim` a pair of values and indices; of two tensors `minimum`."""
    second = _second("min", dim, other)
    if second is not None:
        return minimum(x, second)
    assert not isinstance(dim, Node)
    return amin(x) if dim is None else chosen(x, dim, keepdim, argmin(x, dim, True))


def _second(name: str, dim: int | Node | None, other: Node | None) -> Node | None:
    """The other tensor of `max(x, y)`, if there is one."""
    if other is not None and dim is not None:
        raise GradcliError("type", f"{name} takes dim or other, not both")
    return dim if isinstance(dim, Node) else other


def chosen(x: Node, dim: int, keepdim: bool, places: Node) -> Extremes:
    """The elements at `places` (with `dim` kept) and the places, as `max(x, dim)` gives them."""
    values = take_along_dim(x, places, dim) if x.ndim else x
    if keepdim or not x.ndim:
        return Extremes(values, places)
    return Extremes(squeeze(values, dim), squeeze(places, dim))


class MinimumMaximum(NamedTuple):
    """The result of `aminmax`."""

    min: Node
    max: Node


@table.function(
    cases=[Case("aminmax(x).min"), Case("aminmax(x, dim=1, keepdim=True)[1]")],
    kink="ties share equally",
)
def aminmax(x: Node, *, dim: int | None = None, keepdim: bool = False) -> MinimumMaximum:
    """The smallest and the largest element, of all or along `dim`."""
    return MinimumMaximum(amin(x, dim, keepdim), amax(x, dim, keepdim))
