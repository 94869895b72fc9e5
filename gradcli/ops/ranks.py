"""Medians and quantiles without nan, and the most frequent element."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from gradcli.graph import Array, Node
from gradcli.language.construct import argument, attribute, call, number
from gradcli.language.syntax import Expression
from gradcli.ops.comparison import isnan, logical_not
from gradcli.ops.extremes import Extremes, check_not_empty, chosen, shared_ties, spacing, tie_edge
from gradcli.ops.group import Group
from gradcli.ops.kinds import NUMBERS, General, Reduction
from gradcli.ops.orders import places_along, rank_elements, stable_order
from gradcli.ops.reductions import reduce_axes, sum_
from gradcli.ops.selection import clamp_min
from gradcli.ops.shapes import Axes, normalize_axes, reduced
from gradcli.ops.shaping import flatten, reshape
from gradcli.ops.statistics import parts_of, quantile_of
from gradcli.ops.table import Case

if TYPE_CHECKING:
    from gradcli.graph import ArrayNamespace

table = Group("reduction")


def _indices_of(function: str) -> Callable[[Node, Expression], Expression]:
    """How a node of places that are kept is written: `mode(x, dim, keepdim=True).indices`."""

    def spell(node: Node, x: Expression) -> Expression:
        found = call(function, x, number(node.attributes[0]), keepdim=argument(True))
        return attribute(found, "indices")

    return spell


# --- without nan ---------------------------------------------------------------------------


def _argnanmedian(xp: ArrayNamespace, x: Array, axis: int) -> Array:
    """Where the lower middle of the numbers is along the axis, kept; the first nan without any."""
    numbers = xp.sum(~xp.isnan(x), axis=axis, keepdims=True)
    return places_along(xp, x, axis, xp.maximum(numbers - 1, 0) // 2)


def _nanmedian(xp: ArrayNamespace, x: Array, axes: Axes, keepdim: bool) -> Array:
    (axis,) = axes
    found = xp.take_along_axis(x, _argnanmedian(xp, x, axis), axis=axis)
    return found if keepdim else xp.squeeze(found, axis=axis)


NANMEDIAN = Reduction(
    "nanmedian",
    forward=_nanmedian,
    derivative=shared_ties,
    selects=True,
    takes=NUMBERS,
    splits=None,
    edge=lambda xp, x, axes, keepdim: tie_edge(xp, x, _nanmedian(xp, x, axes, True), axes),
)
ARGNANMEDIAN = General(
    "argnanmedian",
    infer=lambda x, axis: (reduced(x.shape, (axis,), keepdim=True), "int"),
    forward=_argnanmedian,
    work=lambda node: rank_elements(node.inputs[0].shape, node.attributes[0], node.size),
    edge=lambda xp, x, axis: tie_edge(xp, x, _nanmedian(xp, x, (axis,), True), (axis,)),
    spell=_indices_of("nanmedian"),
)


@table.function(
    op=NANMEDIAN,
    cases=[Case("nanmedian(x)"), Case("nanmedian(x, 0).values"), Case("nanmedian(x, 1, True)[0]")],
    unlike={"np.nanmedian": "nanquantile(x, 0.5, interpolation='midpoint')"},
    kink="ties share equally; with dim one of them gets all",
    torch="torch.nanmedian",
)
def nanmedian(x: Node, dim: int | None = None, keepdim: bool = False) -> Node | Extremes:
    """`median` of the elements that are not nan; nan where all are."""
    check_not_empty("nanmedian", x, normalize_axes("nanmedian", dim, x.ndim))
    if dim is None:
        return reduce_axes(NANMEDIAN, flatten(x), -1, False)
    row = x if x.ndim else reshape(x, (1,))
    (axis,) = normalize_axes("nanmedian", dim, row.ndim)
    places = row.graph.apply(ARGNANMEDIAN, (row,), (axis,))
    return chosen(x, dim, keepdim, places if x.ndim else reshape(places, ()))


@table.function(
    takes_numbers=("q",),
    cases=[
        Case("nanquantile(x, 0.3)"),
        Case("nanquantile(x, [0.2, 0.7], dim=1)"),
        Case("nanquantile(x, 0.6, dim=0, keepdim=True, interpolation='nearest')"),
    ],
    formula="sort(x)[q * (n - 1)]",
    kink="at a tie the order of the elements decides",
    overloaded=True,
    autocast="float32",
)
def nanquantile(
    x: Node,
    q: Node,
    dim: int | None = None,
    keepdim: bool = False,
    interpolation: str = "linear",
) -> Node:
    """`quantile` of the elements that are not nan; nan where all are."""
    return quantile_of("nanquantile", x, q, dim, keepdim, interpolation, _without_nan)


def _without_nan(lanes: Node, q: Node) -> Node:
    """The ranks of the parts q among the numbers of each lane, which come first in its order."""
    count = sum_(logical_not(isnan(lanes)), -1, True)
    return parts_of(q, 1) * clamp_min(count - 1, 0.0)


# --- the most frequent element -------------------------------------------------------------


def _argmode(xp: ArrayNamespace, x: Array, axis: int) -> Array:
    """Where the last one of the most frequent elements is along the axis, kept; of several equally
    frequent ones the smallest. Each nan counts alone, before all other single ones.
    """
    lanes = xp.moveaxis(x, axis, -1)
    order = stable_order(xp, lanes, -1)
    ordered = xp.take_along_axis(lanes, order, axis=-1)
    places = xp.arange(lanes.shape[-1])
    starts = xp.ones(lanes.shape, bool)
    starts[..., 1:] = ordered[..., 1:] != ordered[..., :-1]
    begins = xp.where(starts, places, 0)
    span = 1
    while span < places.size:  # a running maximum, which cupy has not
        begins[..., span:] = xp.maximum(begins[..., span:], begins[..., :-span])
        span *= 2
    rank = 2 * (places - begins) + xp.isnan(ordered)
    best = xp.argmax(rank, axis=-1)[..., None]
    return xp.moveaxis(xp.take_along_axis(order, best, axis=-1), -1, axis)


ARGMODE = General(
    "argmode",
    infer=lambda x, axis: (reduced(x.shape, (axis,), keepdim=True), "int"),
    forward=_argmode,
    work=lambda node: 4.0 * node.inputs[0].size,
    edge=spacing,
    spell=_indices_of("mode"),
)


@table.function(
    cases=[Case("mode(x).values"), Case("mode(x, 0, True)[0]")],
    unlike={"scipy.stats.mode": "mode(x, 0)"},
    kink="of equal elements the last one gets all",
    torch="torch.mode",
)
def mode(x: Node, dim: int = -1, keepdim: bool = False) -> Extremes:
    """The most frequent element along `dim`, the smallest of several, and where the last one is."""
    axes = normalize_axes("mode", dim, x.ndim)
    check_not_empty("mode", x, axes)
    row = x if x.ndim else reshape(x, (1,))
    (axis,) = normalize_axes("mode", dim, row.ndim)
    places = row.graph.apply(ARGMODE, (row,), (axis,))
    return chosen(x, dim, keepdim, places if x.ndim else reshape(places, ()))
