"""Sorting. The permutation is an integer result, and the values are gathered with it, so that
gradients are permuted back with it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gradcli.diagnostics import GradcliError
from gradcli.graph import Array, Node, Shape
from gradcli.language.construct import WHOLE, argument, call, number, places, subscript
from gradcli.language.syntax import Expression
from gradcli.ops.extremes import spacing, tie_edge
from gradcli.ops.group import Group
from gradcli.ops.kinds import General
from gradcli.ops.orders import (
    first_elements,
    first_places,
    order_elements,
    order_of,
    places_along,
    rank_elements,
)
from gradcli.ops.scattering import gather
from gradcli.ops.shapes import normalize_axis, reduced, show
from gradcli.ops.shaping import flatten, reshape, squeeze
from gradcli.ops.table import Case, everywhere

if TYPE_CHECKING:
    from gradcli.graph import ArrayNamespace

table = Group("indexing")


ARGSORT = General(
    "argsort",
    infer=lambda x, axis, descending: (x.shape, "int"),
    orders=True,
    forward=order_of,
    edge=lambda xp, x, axis, descending: spacing(xp, x, axis),
    work=lambda node: max(
        order_elements(node.size, node.shape[node.attributes[0]]), node.size * node.attributes[1]
    ),
)


def _spelled(node: Node, x: Expression, first: int, count: int, descending: bool) -> Expression:
    """So many places from one on, in the order along an axis."""
    axis = node.attributes[0]
    shape = node.inputs[0].shape
    order = call("argsort", x, number(axis), *[argument(True)] * descending)
    return subscript(order, [WHOLE] * (axis % len(shape)) + [places(first, count, 1, shape[axis])])


def _kth(xp: ArrayNamespace, x: Array, axis: int, rank: int) -> Array:
    return places_along(xp, x, axis, xp.full((1,) * x.ndim, rank))


ARGKTH = General(
    "argkth",
    infer=lambda x, axis, rank: (reduced(x.shape, (axis,), keepdim=True), "int"),
    forward=_kth,
    edge=lambda xp, x, axis, rank: tie_edge(
        xp, x, xp.take_along_axis(x, _kth(xp, x, axis, rank), axis=axis), (axis,)
    ),
    work=lambda node: rank_elements(node.inputs[0].shape, node.attributes[0], node.size),
    spell=lambda node, x: _spelled(node, x, node.attributes[1], 1, descending=False),
)


def _shortened(shape: Shape, axis: int, length: int) -> Shape:
    place = axis % len(shape)
    return (*shape[:place], length, *shape[place + 1 :])


ARGTOP = General(
    "argtop",
    infer=lambda x, axis, count, descending: (_shortened(x.shape, axis, count), "int"),
    forward=first_places,
    edge=lambda xp, x, axis, count, descending: spacing(xp, x, axis),
    work=lambda node: first_elements(node.inputs[0].shape, *node.attributes),
    spell=lambda node, x: _spelled(node, x, 0, *node.attributes[1:]),
)


class Ordered(NamedTuple):
    """The result of `sort`, `topk` and `kthvalue`."""

    values: Node
    indices: Node


@table.function(
    op=ARGSORT,
    cases=[Case("argsort(x)", smooth=False), Case("x.argsort(0, True)", smooth=False)],
    torch="torch.argsort",
    overloaded=True,
    order="kept",
)
def argsort(x: Node, dim: int = -1, descending: bool = False, stable: bool = True) -> Node:
    """The places of the elements along `dim` in rising order; ties keep their order."""
    axis = normalize_axis("argsort", dim, x.ndim)
    if not x.shape:
        return reshape(argsort(reshape(x, (1,)), 0), ())
    return x.graph.apply(ARGSORT, (x,), (axis, descending))


@table.function(
    cases=[
        Case("sort(x).values"),
        Case("sort(x, dim=0, descending=True).values"),
        Case("x.sort()[0]", {"x": (4,)}),
    ],
    elsewhere=everywhere("by the order of the elements"),
    kink="ties keep their order, and gradients follow the elements",
    gradients={
        "x": ("gather(cotangent.values, dim, argsort(argsort(x, dim, descending), dim))",),
    },
    overloaded=True,
    order="kept",
)
def sort(x: Node, dim: int = -1, descending: bool = False, stable: bool = True) -> Ordered:
    """The elements along `dim` in rising order, and where they were; ties keep their order."""
    places = argsort(x, dim, descending, stable)
    if not x.shape:
        return Ordered(x, places)
    return Ordered(gather(x, dim, places), places)


@table.function(
    cases=[Case("msort(x)")],
    elsewhere=everywhere("by the order of the elements"),
    kink="ties keep their order",
    order="kept",
)
def msort(x: Node) -> Node:
    """The elements along the first axis in rising order."""
    return sort.build(x, 0).values  # type: ignore[no-any-return]


@table.function(
    "np.sort",
    cases=[Case("np.sort(x)"), Case("np.sort(x, axis=0)"), Case("np.sort(x, None)")],
    kink="ties keep their order, and gradients follow the elements",
)
def numpy_sort(x: Node, dim: int | None = -1) -> Node:
    """`sort` as in NumPy: only the elements, all in one row where `dim` is None."""
    row: Ordered = sort.build(flatten(x)) if dim is None else sort.build(x, dim)
    return row.values


@table.function(
    cases=[
        Case("topk(x, 2).values"),
        Case("topk(x, 1, dim=0, largest=False)[0]"),
        Case("x.topk(3).values", {"x": (4,)}),
    ],
    elsewhere={"torch": "the first gets all", "jax": "the first gets all"},
    kink="of ties the first ones are taken",
)
def topk(x: Node, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> Ordered:
    """The k largest (or least) elements along `dim` in order, and where they were."""
    axis = normalize_axis("topk", dim, x.ndim)
    length = x.shape[axis] if x.shape else 1
    if not 0 <= k <= length:
        raise GradcliError(
            "value",
            f"topk: there are no {k} elements along axis {dim} of {show(x.shape)}",
        )
    if not x.shape:  # as in PyTorch, whatever k is
        return sort.build(x)  # type: ignore[no-any-return]
    first = x.graph.apply(ARGTOP, (x,), (axis, k, largest))
    return Ordered(gather(x, axis, first), first)


@table.function(
    cases=[
        Case("kthvalue(x, 2).values"),
        Case("kthvalue(x, 1, dim=0, keepdim=True)[0]"),
        Case("x.kthvalue(3).values", {"x": (4,)}),
    ],
    kink="of ties the one that comes k-th in a stable order is taken",
)
def kthvalue(x: Node, k: int, dim: int = -1, keepdim: bool = False) -> Ordered:
    """The k-th least element along `dim`, counted from 1, and where it was."""
    axis = normalize_axis("kthvalue", dim, x.ndim)
    length = x.shape[axis] if x.shape else 1
    if not 1 <= k <= length:
        raise GradcliError(
            "value",
            f"kthvalue: k is {k}; along axis {dim} of {show(x.shape)} it is 1 to {length}",
        )
    if not x.shape:
        return sort.build(x)  # type: ignore[no-any-return]
    place = x.graph.apply(ARGKTH, (x,), (axis, k - 1))
    value = gather(x, axis, place)
    if keepdim:
        return Ordered(value, place)
    return Ordered(squeeze(value, (axis,)), squeeze(place, (axis,)))
