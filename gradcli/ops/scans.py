"""Scans: running sums and extremes along an axis; differences and trapezoids."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from gradcli.diagnostics import GradcliError
from gradcli.graph import Array, Node
from gradcli.language.construct import attribute, call, number
from gradcli.language.syntax import Expression
from gradcli.ops.axes import flip
from gradcli.ops.comparison import eq, logical_xor
from gradcli.ops.exponential import exp
from gradcli.ops.extremes import spacing
from gradcli.ops.group import Group
from gradcli.ops.joining import cat
from gradcli.ops.kinds import FLOATS, NUMBERS, General, Linear, cast
from gradcli.ops.recurrences import DECAY, delayed, scan
from gradcli.ops.reductions import sum_
from gradcli.ops.scattering import take_along_dim
from gradcli.ops.selection import where
from gradcli.ops.shapes import normalize_axis
from gradcli.ops.shaping import part, reshape
from gradcli.ops.sums import rounded, wide, wide_copies
from gradcli.ops.table import Case, kernel

if TYPE_CHECKING:
    from gradcli.graph import ArrayNamespace

table = Group("scan")

# --- sums ----------------------------------------------------------------------------------


def _cumsum(xp: ArrayNamespace, x: Array, axis: int) -> Array:
    return rounded(x.cumsum(axis, wide(x.dtype)), x.dtype)


def _cumsum_of_units(rows: Array, position: int, places: Array, values: Array, axis: int) -> None:
    """0 in front of the place, the value from there on."""
    for row, place, value in zip(rows, places, values, strict=True):
        row[place:] = value


CUMSUM: Linear = Linear(
    "cumsum",
    infer=lambda x, axis: x.shape,
    forward=_cumsum,
    adjoints=(
        lambda change, y, x, axis: flip(
            x.graph.apply(CUMSUM, (flip(change, axis),), (axis,)), axis
        ),
    ),
    of_units=_cumsum_of_units,
    work=wide_copies,
    takes=NUMBERS,
)


@table.function(
    takes_dtype=True,
    op=CUMSUM,
    cases=[Case("cumsum(x, 0)"), Case("cumsum(x, dim=-1)")],
    numpy="np.cumsum",
    torch="torch.cumsum",
    confused=("cumprod",),
    gradients={
        "x": "flip(cumsum(flip(cotangent, dim), dim), dim)",
    },
)
def cumsum(x: Node, dim: int) -> Node:
    """Running sums along `dim`."""
    return scan(CUMSUM, x, dim)


def _running(xp: ArrayNamespace, name: str, x: Array, axis: int) -> Array:
    """Running results of a ufunc along an axis; where it has no loop for them, by doubling too."""
    combine = getattr(xp, name)
    if xp.__name__ == "numpy":
        return combine.accumulate(x, axis=axis)  # type: ignore[no-any-return]
    y = xp.array(xp.moveaxis(x, axis, -1))
    span = 1
    while span < y.shape[-1]:
        y[..., span:] = combine(y[..., span:], y[..., :-span])
        span *= 2
    return xp.moveaxis(y, -1, axis)


# --- sums of exponentials ------------------------------------------------------------------


def _loss(y: Node, axis: int) -> Node:
    """The logarithm of the weight of dy[k-1] in dy[k]."""
    before = delayed(y, axis, -math.inf)
    return where(eq(before, math.inf), 0.0, before - y)


def _logcumsumexp(xp: ArrayNamespace, x: Array, axis: int) -> Array:
    operand = x.astype(wide(x.dtype), copy=False)
    return _running(xp, "logaddexp", operand, axis).astype(x.dtype, copy=False)


LOGCUMSUMEXP = General(
    "logcumsumexp",
    infer=lambda x, axis: (x.shape, "float"),
    forward=_logcumsumexp,
    takes=FLOATS,
    # dy[k] = exp(x[k] - y[k]) · dx[k] + exp(y[k-1] - y[k]) · dy[k-1]: no factor is above 1.
    adjoints=(
        lambda change, y, x, axis: DECAY.backwards(_loss(y, axis), change, axis) * exp(x - y),
    ),
    forward_rule=lambda tangents, y, x, axis: DECAY.of(
        _loss(y, axis), tangents[0] * exp(x - y), axis
    ),
)


@table.function(
    op=LOGCUMSUMEXP,
    cases=[Case("logcumsumexp(x, 0)"), Case("logcumsumexp(x, dim=-1)")],
    formula="log(cumsum(exp(x)))",
    torch="torch.logcumsumexp",
    demands={"x": kernel("logcumsumexp_out_cpu")},
)
def logcumsumexp(x: Node, dim: int) -> Node:
    """log(cumsum(exp(x))) without overflow."""
    return scan(LOGCUMSUMEXP, x, dim)


# --- extremes ------------------------------------------------------------------------------


class RunningExtremes(NamedTuple):
    """The result of `cummax` and `cummin`."""

    values: Node
    indices: Node


def _last_places(extreme: str) -> Callable[..., Array]:
    """The index of the running extreme: of equal elements the last one, as in PyTorch."""

    def forward(xp: ArrayNamespace, x: Array, axis: int) -> Array:
        lanes = xp.moveaxis(x, axis, -1)
        reached = (lanes == _running(xp, extreme, lanes, -1)) | xp.isnan(lanes)
        places = xp.where(reached, xp.arange(lanes.shape[-1]), 0)
        return xp.moveaxis(_running(xp, "maximum", places, -1), -1, axis)

    return forward


def _indices_of(function: str) -> Callable[..., Expression]:
    def spell(node: Node, x: Expression) -> Expression:
        return attribute(call(function, x, number(node.attributes[0] + node.ndim)), "indices")

    return spell


CUMARGMAX = General(
    "cumargmax",
    infer=lambda x, axis: (x.shape, "int"),
    forward=_last_places("maximum"),
    edge=spacing,
    spell=_indices_of("cummax"),
)
CUMARGMIN = General(
    "cumargmin",
    infer=lambda x, axis: (x.shape, "int"),
    forward=_last_places("minimum"),
    edge=spacing,
    spell=_indices_of("cummin"),
)


@table.function(
    cases=[Case("cummax(x, 0).values"), Case("cummax(x, dim=1)[0]")],
    elsewhere={"torch": "the last gets all"},
    kink="at a tie the last one gets all",
    torch="torch.cummax",
)
def cummax(x: Node, dim: int) -> RunningExtremes:
    """The largest element so far along `dim`: a pair of values and indices."""
    return _extremes(CUMARGMAX, "cummax", x, dim)


@table.function(
    cases=[Case("cummin(x, 0).values"), Case("cummin(x, dim=1)[0]")],
    elsewhere={"torch": "the last gets all"},
    kink="at a tie the last one gets all",
    torch="torch.cummin",
)
def cummin(x: Node, dim: int) -> RunningExtremes:
    """The smallest element so far along `dim`: a pair of values and indices."""
    return _extremes(CUMARGMIN, "cummin", x, dim)


def _extremes(op: General, name: str, x: Node, dim: int) -> RunningExtremes:
    axis = normalize_axis(name, dim, x.ndim)
    row = x if x.ndim else reshape(x, 1)
    places = x.graph.apply(op, (row,), (axis,))
    values = take_along_dim(row, places, axis)
    return RunningExtremes(reshape(values, x.shape), reshape(places, x.shape))


# --- differences and trapezoids ------------------------------------------------------------


@table.function(
    cases=[
        Case("diff(x)"),
        Case("diff(x, n=2, dim=0)", {"x": (4, 2)}),
        Case("diff(x, prepend=y)", {"x": (2, 3), "y": (2, 1)}),
    ],
    formula="x[1:] - x[:-1]",
    own_memory=True,
    keeps_integers=True,
)
def diff(
    x: Node, n: int = 1, dim: int = -1, prepend: Node | None = None, append: Node | None = None
) -> Node:
    """Differences of neighbours along `dim`, taken `n` times."""
    if not x.ndim:
        raise GradcliError("shape", "diff: a single value has no neighbours")
    if n < 0:
        raise GradcliError("value", f"diff: n is a count, not {n}")
    axis = normalize_axis("diff", dim, x.ndim)
    if not n:
        return x
    parts = [each for each in (prepend, x, append) if each is not None]
    x = cat(parts, axis) if len(parts) > 1 else x
    for _ in range(min(n, x.shape[axis])):
        count = max(0, x.shape[axis] - 1)
        after, before = part(x, axis, x.shape[axis] - count, count), part(x, axis, 0, count)
        x = logical_xor(after, before) if x.kind == "bool" else after - before
    return x


@table.function(
    aliases=("trapz",),
    cases=[
        Case("trapezoid(y)", {"y": (2, 3)}),
        Case("trapezoid(y, dx=0.5, dim=0)", {"y": (3, 2)}),
        Case("trapezoid(y, x)", {"y": (2, 3), "x": (3,)}),
    ],
    formula="sum((y[1:] + y[:-1]) / 2 * dx)",
    gradients={
        "y": (
            "dx * unsqueeze(cotangent, dim) * cat([[0.5], ones(y.shape[-1] - 2), [0.5]])",
            "dx * unsqueeze(cotangent, dim) * cat([[0.5], ones(y.shape[0] - 2), [0.5]])[:, None]",
            "unsqueeze(cotangent, dim) * (cat([x[1:], x[-1:]]) - cat([x[:1], x[:-1]])) / 2",
        ),
    },
    overloaded=True,
)
def trapezoid(y: Node, x: Node | None = None, dx: float = 1.0, dim: int = -1) -> Node:
    """The integral of y along `dim` by the trapezoidal rule, at the places x or in steps of dx."""
    axis, pieces, unit = _trapezoids("trapezoid", y, x, dx, dim)
    return sum_(pieces, axis) * unit


@table.function(
    cases=[
        Case("cumulative_trapezoid(y)", {"y": (2, 3)}),
        Case("cumulative_trapezoid(y, dx=0.5, dim=0)", {"y": (3, 2)}),
        Case("cumulative_trapezoid(y, x)", {"y": (2, 3), "x": (3,)}),
    ],
    formula="cumsum((y[1:] + y[:-1]) / 2 * dx)",
    overloaded=True,
)
def cumulative_trapezoid(y: Node, x: Node | None = None, dx: float = 1.0, dim: int = -1) -> Node:
    """The integrals of y along `dim` from its first place to each other one, as `trapezoid`'s."""
    axis, pieces, unit = _trapezoids("cumulative_trapezoid", y, x, dx, dim)
    return cumsum(pieces, axis) * unit


def _trapezoids(name: str, y: Node, x: Node | None, dx: float, dim: int) -> tuple[int, Node, float]:
    """The axis, the areas between neighbours along it, and the unit of areas."""
    if not y.ndim:
        raise GradcliError("shape", f"{name}: a single value has no neighbours")
    axis = normalize_axis(name, dim, y.ndim)
    y = cast(y, "float")
    count = max(0, y.shape[axis] - 1)
    pairs = part(y, axis, y.shape[axis] - count, count) + part(y, axis, 0, count)
    if x is None:
        return axis, pairs, dx / 2
    if x.ndim == 1:
        x = reshape(x, -1, *[1] * (-1 - axis))
    return axis, pairs * diff(x, 1, axis), 0.5
