"""Statistics: variances, medians, quantiles."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from gradcli.diagnostics import GradcliError
from gradcli.graph import Array, Node, Shape
from gradcli.language.construct import binary, call, number
from gradcli.ops.arithmetic import lerp
from gradcli.ops.axes import movedim
from gradcli.ops.cells import over_axes, ranges, written
from gradcli.ops.comparison import eq, isnan
from gradcli.ops.extremes import (
    Extremes,
    amax,
    argmax,
    check_not_empty,
    chosen,
    shared_ties,
    spacing,
    tie_edge,
)
from gradcli.ops.group import Group
from gradcli.ops.kinds import NUMBERS, General, Reduction, cast
from gradcli.ops.orders import among_few, places_along, rank_elements
from gradcli.ops.p_norm import NORM
from gradcli.ops.powers import sqrt, square
from gradcli.ops.reductions import average, cases_of, mean, reduce_axes, sum_
from gradcli.ops.rounding import ceil, floor, rint
from gradcli.ops.scattering import gather
from gradcli.ops.selection import where
from gradcli.ops.shapes import Axes, Dims, normalize_axes, reduced, show
from gradcli.ops.shaping import expand, flatten, reshape, unsqueeze
from gradcli.ops.sums import total
from gradcli.ops.table import FULL, Alike, Case, Demand, everywhere

if TYPE_CHECKING:
    from gradcli.graph import ArrayNamespace

table = Group("reduction")
SPREAD = "x.numel() / result.numel() - correction"
"""What a variance is divided by."""
DEVIATION = "x - mean(x, dim=dim, keepdim=True)"

# --- variances -----------------------------------------------------------------------------


def _var(xp: ArrayNamespace, x: Array, axes: Axes, keepdim: bool, correction: float) -> Array:
    squares = xp.square(x - average(xp, x, axes, keepdim=True))
    freedom = freedom_of(x.shape, axes, correction)
    return total(xp, squares, axes, keepdim) / freedom


def freedom_of(shape: Shape, axes: Axes, correction: float) -> float:
    """The count that squares are divided by, never below 0."""
    return max(0.0, math.prod(shape[axis] for axis in axes) - correction)


def _var_parts(x: Node, axes: Axes, _keepdim: bool, correction: float) -> Node:
    squares = square(x - mean(x, axes, True))
    return sum_(squares, axes, True) / freedom_of(x.shape, axes, correction)


def _var_cells(node: Node, operand: Array) -> Array:
    axes, _, correction = node.attributes
    freedom = freedom_of(operand.shape, axes, correction)
    return over_axes(lambda cells: f"DEVSQ({ranges(cells)})/{written(freedom)}")(node, operand)


# Its own rule: through the mean flows 0 in sum, but nan as soon as one element is infinite.
VAR = Reduction(
    "var",
    forward=_var,
    derivative=lambda y, x, axes, keepdim, correction: (
        2 * (x - mean(x, axes, True)) / freedom_of(x.shape, axes, correction)
    ),
    parts=_var_parts,
    attributes=("dim", "keepdim", "correction"),
    cell=_var_cells,
)


def _older(dim: Dims | bool, correction: float | None, unbiased: bool) -> tuple[Dims, float]:
    """Axes and correction, where a truth value instead of axes is `unbiased`: `std(x, False)`."""
    correction = 1 if correction is None else correction
    if isinstance(dim, bool):
        return None, correction if dim and unbiased else 0
    return dim, correction if unbiased else 0


@table.function(
    op=VAR,
    cases=[*cases_of("var"), Case("var(x, correction=0)"), Case("var(x, False)")],
    formula="sum((x - mean(x))**2) / (n - correction)",
    torch="torch.var",
    confused=("std",),
    gradients={
        "x": (
            f"cotangent * (2 * (x - mean(x))) / ({SPREAD})",
            f"unsqueeze(cotangent, dim) * (2 * ({DEVIATION})) / ({SPREAD})",
            f"cotangent * (2 * ({DEVIATION})) / ({SPREAD})",
            "cotangent * (2 * (x - mean(x))) / x.numel()",
        ),
    },
    demands={"x": Demand("std and var only support floating point and complex dtypes")},
    overloaded=True,
)
def var(
    x: Node,
    dim: Dims | bool = None,
    correction: float | None = 1,
    keepdim: bool = False,
    unbiased: bool = True,
) -> Node:
    """Variance; `correction` is taken from the count (1 as in PyTorch, 0 as in NumPy)."""
    axes, taken = _older(dim, correction, unbiased)
    return reduce_axes(VAR, x, axes, keepdim, taken)


@table.function(
    cases=[*cases_of("std"), Case("std(x, correction=0)")],
    formula="sqrt(var(x))",
    elsewhere=everywhere("nan", torch="0"),
    kink="0 where all elements are equal",
    torch="torch.std",
    confused=("var",),
    gradients={
        "x": (
            f"cotangent * (x - mean(x)) / ({SPREAD}) / result",
            f"unsqueeze(cotangent, dim) * ({DEVIATION}) / ({SPREAD}) / unsqueeze(result, dim)",
            f"cotangent * ({DEVIATION}) / ({SPREAD}) / result",
            "cotangent * (x - mean(x)) / x.numel() / result",
        ),
    },
    by_book=lambda x, dim=None, correction=1, keepdim=False, unbiased=True: sqrt(
        var(x, dim, correction, keepdim, unbiased)
    ),
    demands={"x": Demand("std and var only support floating point and complex dtypes")},
    overloaded=True,
)
def std(
    x: Node,
    dim: Dims | bool = None,
    correction: float | None = 1,
    keepdim: bool = False,
    unbiased: bool = True,
) -> Node:
    """Standard deviation: the root of `var`."""
    dims, taken = _older(dim, correction, unbiased)
    axes = normalize_axes("std", dims, x.ndim)
    freedom = freedom_of(x.shape, axes, taken)
    return reduce_axes(NORM, x - mean(x, axes, True), axes, keepdim, 2.0) / math.sqrt(freedom)


@table.function(
    "np.var",
    cases=[Case("np.var(x)"), Case("np.var(x, axis=1, ddof=1, keepdims=True)")],
    formula="sum((x - mean(x))**2) / (n - correction)",
)
def numpy_var(x: Node, dim: Dims = None, *, correction: float = 0, keepdim: bool = False) -> Node:
    """Variance as NumPy has it: without `correction` the squares are divided by the count."""
    return var(x, dim, correction, keepdim)


@table.function(
    "np.std",
    cases=[Case("np.std(x)"), Case("np.std(x, axis=1, ddof=1, keepdims=True)")],
    formula="sqrt(np.var(x))",
    elsewhere=everywhere("nan", torch="0"),
    kink="0 where all elements are equal",
)
def numpy_std(x: Node, dim: Dims = None, *, correction: float = 0, keepdim: bool = False) -> Node:
    """Standard deviation as NumPy has it: the root of `np.var`."""
    return std(x, dim, correction, keepdim)


@table.function(cases=[Case("var_mean(x)[0]"), Case("var_mean(x, dim=1)[1]")], overloaded=True)
def var_mean(
    x: Node,
    dim: Dims | bool = None,
    correction: float | None = 1,
    keepdim: bool = False,
    unbiased: bool = True,
) -> tuple[Node, Node]:
    """Variance and mean, as a pair."""
    axes, taken = _older(dim, correction, unbiased)
    return var(x, axes, taken, keepdim), mean(x, axes, keepdim)


@table.function(cases=[Case("std_mean(x)[0]"), Case("std_mean(x, dim=1)[1]")], overloaded=True)
def std_mean(
    x: Node,
    dim: Dims | bool = None,
    correction: float | None = 1,
    keepdim: bool = False,
    unbiased: bool = True,
) -> tuple[Node, Node]:
    """Standard deviation and mean, as a pair."""
    axes, taken = _older(dim, correction, unbiased)
    return std(x, axes, taken, keepdim), mean(x, axes, keepdim)


# --- order statistics ----------------------------------------------------------------------


def median_along(xp: ArrayNamespace, x: Array, axes: Axes, keepdim: bool) -> Array:
    """The middle element along an axis, the lower one of two; nan where one is."""
    (axis,) = axes
    count = x.shape[axis]
    place = (count - 1) // 2
    found = among_few(x, place) if xp is np and x.ndim == 1 else None
    if found is None:
        found = xp.take(xp.partition(x, place, axis), xp.asarray([place]), axis=axis)
    last = xp.max(x, axis=axis, keepdims=True)  # nan if an element is
    found = xp.where(xp.isnan(last), last, found)
    return found if keepdim else xp.squeeze(found, axis=axis)


MEDIAN = Reduction(
    "median",
    forward=median_along,
    derivative=shared_ties,
    selects=True,
    takes=NUMBERS,
    splits=None,
    edge=lambda xp, x, axes, keepdim: tie_edge(xp, x, median_along(xp, x, axes, True), axes),
)


@table.function(
    op=MEDIAN,
    cases=[Case("median(x)"), Case("median(x, 0).values"), Case("median(x, 1, keepdim=True)[0]")],
    formula="sort(x)[(n - 1) // 2]",
    elsewhere={
        "torch": "shared equally (with dim one gets all)",
        "jax": "the element in the middle gets all",
    },
    kink="ties share equally; with dim one of them gets all",
    torch="torch.median",
    confused=("mean",),
)
def median(x: Node, dim: int | None = None, keepdim: bool = False) -> Node | Extremes:
    """The middle element, the lower one of two; with `dim` a pair of values and indices."""
    if dim is None and not x.size:
        return sum_(x) + math.nan
    check_not_empty("median", x, normalize_axes("median", dim, x.ndim))
    if dim is None:
        return reduce_axes(MEDIAN, flatten(x), -1, False)
    if not x.ndim:
        return chosen(x, dim, keepdim, argmax(x, dim))
    places = x.graph.apply(ARGMEDIAN, (x,), normalize_axes("median", dim, x.ndim))
    return chosen(x, dim, keepdim, places)


def _argmedian(xp: ArrayNamespace, x: Array, axis: int) -> Array:
    """Where the lower middle is along the axis, kept; the first nan if there is one."""
    numbers = xp.sum(~xp.isnan(x), axis=axis, keepdims=True)
    count = x.shape[axis]
    return places_along(xp, x, axis, xp.where(numbers < count, numbers, (count - 1) // 2))


ARGMEDIAN = General(
    "argmedian",
    infer=lambda x, axis: (reduced(x.shape, (axis,), keepdim=True), "int"),
    forward=_argmedian,
    work=lambda node: rank_elements(node.inputs[0].shape, node.attributes[0], node.size),
    edge=lambda xp, x, axis: tie_edge(xp, x, median_along(xp, x, (axis,), True), (axis,)),
)


ARGRANKS = General(
    "argranks",
    infer=lambda x, ranks: (ranks.shape, "int"),
    forward=lambda xp, x, ranks: places_along(xp, x, -1, ranks),
    edge=lambda xp, x, ranks: spacing(xp, x, -1),
    work=lambda node: rank_elements(node.inputs[0].shape, -1, node.size),
    spell=lambda node, x, ranks: call("gather", call("argsort", x), number(node.ndim - 1), ranks),
)
"""The places that have some ranks in the order of the last axis, the smallest first, nan last."""


INTERPOLATIONS = ("linear", "lower", "higher", "midpoint", "nearest")


@table.function(
    takes_numbers=("q",),
    cases=[
        Case("quantile(x, 0.3)"),
        Case("quantile(x, [0.2, 0.7], dim=1)"),
        Case("quantile(x, 0.6, dim=0, keepdim=True, interpolation='midpoint')"),
    ],
    formula="sort(x)[q * (n - 1)]",
    kink="at a tie the order of the elements decides",
    demands={
        "x": Demand("quantile() input tensor must be either float or double dtype", FULL),
        "x, q": Alike("quantile() q tensor must be same dtype as the input tensor"),
    },
    overloaded=True,
    autocast="float32",
)
def quantile(
    x: Node,
    q: Node,
    dim: int | None = None,
    keepdim: bool = False,
    interpolation: str = "linear",
) -> Node:
    """The value below which a part `q` of the elements lies; several `q` are a new first axis."""
    return quantile_of("quantile", x, q, dim, keepdim, interpolation, _with_nan)


def _with_nan(lanes: Node, q: Node) -> Node:
    """The ranks of the parts q; those of a lane that holds nan are where it is: at its end."""
    last = lanes.shape[-1] - 1
    return where(isnan(amax(lanes, -1, True)), float(last), parts_of(q, last))


def quantile_of(
    name: str,
    x: Node,
    q: Node,
    dim: int | None,
    keepdim: bool,
    interpolation: str,
    ranks_of: Callable[[Node, Node], Node],
) -> Node:
    """The values at the ranks that `ranks_of(lanes, q)` gives."""
    if interpolation not in INTERPOLATIONS:
        raise GradcliError("value", f"{name}: interpolation is one of {', '.join(INTERPOLATIONS)}")
    axes = normalize_axes(name, dim, x.ndim)
    check_not_empty(name, x, tuple(range(-x.ndim, 0)))
    if q.ndim > 1:
        raise GradcliError("shape", f"{name}: q is a number or a vector, not {show(q.shape)}")
    lanes = flatten(x) if dim is None or not x.ndim else movedim(x, axes, (-1,))
    found = _interpolated(lanes, ranks_of(lanes, reshape(q, -1)), interpolation)
    found = movedim(found, (-1,), (0,))  # one value of q after another
    if keepdim:
        places = range(x.ndim) if dim is None or not x.ndim else (axes[0],)
        for place in places:
            found = unsqueeze(found, place + 1 if place >= 0 else place)
    return found if q.ndim else reshape(found, found.shape[1:])


def _ranks(xp: ArrayNamespace, q: Array, last: int) -> Array:
    """The positions of the parts q of 0 … last. The values of a computed q are known only here."""
    if not bool(((q >= 0) & (q <= 1)).all()):
        raise GradcliError("value", "quantile: q is a part of the elements, from 0 to 1")
    return q * last


RANKS = General(
    "ranks",
    infer=lambda q, last: (q.shape, "float"),
    forward=_ranks,
    refuses=True,
    adjoints=(lambda change, y, q, last: change * last,),
    forward_rule=lambda tangents, y, q, last: tangents[0] * last,
    spell=lambda node, q: binary("*", q, number(node.attributes[0])),
)


def parts_of(q: Node, last: int) -> Node:
    """The positions of the parts q of 0 … last; the error `value` where they are no parts."""
    return q.graph.apply(RANKS, (q,), (last,))


def _interpolated(lanes: Node, ranks: Node, interpolation: str) -> Node:
    """Values at positions in the order of the last axis, which comes to hold one for each."""
    below = floor(ranks)
    if interpolation == "nearest":
        return _at(lanes, rint(ranks))
    if interpolation == "lower":
        return _at(lanes, below)
    if interpolation == "higher":
        return _at(lanes, ceil(ranks))
    weight = where(eq(below, ranks), 0.0, 0.5) if interpolation == "midpoint" else ranks - below
    return lerp(_at(lanes, below), _at(lanes, ceil(ranks)), weight)


def _at(lanes: Node, ranks: Node) -> Node:
    each = expand(cast(ranks, "int"), (*lanes.shape[:-1], ranks.shape[-1]))
    return gather(lanes, -1, lanes.graph.apply(ARGRANKS, (lanes, each)))


@table.function(
    "np.median",
    cases=[Case("np.median(x)"), Case("np.median(x, axis=1, keepdims=True)")],
    formula="quantile(x, 0.5)",
    kink="at a tie the order of the elements decides",
)
def numpy_median(x: Node, dim: int | None = None, *, keepdim: bool = False) -> Node:
    """The median as NumPy has it: the mean of the two in the middle where the count is even."""
    return quantile(x, x.graph.constant(0.5), dim, keepdim, "midpoint")
