"""Reductions (many elements to one, along axes) and scans."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from gradcli.diagnostics import GradcliError
from gradcli.graph import Array, Node, Op
from gradcli.ops.comparison import eq
from gradcli.ops.control import detach
from gradcli.ops.exponential import exp
from gradcli.ops.indexing import take_along_dim
from gradcli.ops.selection import abs_, maximum, minimum, sign, where
from gradcli.ops.shaping import cat, flip, reshape, squeeze, take_slices, transpose
from gradcli.ops.table import (
    Axes,
    Case,
    Function,
    General,
    Linear,
    Reduction,
    cast,
    function,
    normalize_axes,
    normalize_axis,
    reduced,
    restore_axes,
    show,
)

CASES = (Case("{}(x)"), Case("{}(x, dim=1)"), Case("{}(x, dim=0, keepdim=True)"))


def _cases(name: str) -> list[Case]:
    return [Case(case.program.format(name)) for case in CASES]


# --- sums ----------------------------------------------------------------------------------

SUM = Linear(
    "sum",
    infer=lambda x, axes, keepdim: reduced(x.shape, axes, keepdim),
    forward=lambda xp, x, axes, keepdim: xp.sum(x, axis=axes, keepdims=keepdim),
    adjoints=(lambda change, y, x, axes, keepdim: restore_axes(change, x.shape, axes),),
    combine="add",
)
MEAN = Linear(
    "mean",
    infer=lambda x, axes, keepdim: reduced(x.shape, axes, keepdim),
    forward=lambda xp, x, axes, keepdim: xp.mean(x, axis=axes, keepdims=keepdim),
    adjoints=(
        lambda change, y, x, axes, keepdim: restore_axes(change, x.shape, axes) / _count(x, axes),
    ),
    combine="add",
    averages=True,
)


def _count(x: Node, axes: Axes) -> float:
    """How many elements are reduced to one."""
    return float(math.prod(x.shape[axis] for axis in axes))


@function("sum", "reduction", op=SUM, cases=_cases("sum"), formula="sum(x)")
def sum_(x: Node, dim: Axes | None = None, keepdim: bool = False) -> Node:
    """Sum of all elements, or along `dim`."""
    return _reduce(SUM, x, dim, keepdim)


@function("mean", "reduction", op=MEAN, cases=_cases("mean"), formula="sum(x) / n")
def mean(x: Node, dim: Axes | None = None, keepdim: bool = False) -> Node:
    """Mean of all elements, or along `dim`."""
    return _reduce(MEAN, x, dim, keepdim)


def _reduce(op: Op, x: Node, dim: Axes | int | None, keepdim: bool, *more: Any) -> Node:
    x = cast(x, "float")
    axes = normalize_axes(op.name, dim, x.ndim)
    return x.graph.apply(op, (x,), (axes, keepdim, *more))


@function(
    "var",
    "reduction",
    cases=[*_cases("var"), Case("var(x, correction=0)")],
    formula="sum((x - mean(x))**2) / (n - correction)",
)
def var(
    x: Node,
    dim: Axes | None = None,
    correction: float = 1,
    keepdim: bool = False,
    unbiased: bool = True,
) -> Node:
    """Variance; `correction` is taken from the count (1 as in PyTorch, 0 as in NumPy)."""
    centred = x - mean(x, dim, True)
    return sum_(centred * centred, dim, keepdim) / _freedom(x, dim, correction, unbiased)


@function(
    "std",
    "reduction",
    cases=[*_cases("std"), Case("std(x, correction=0)")],
    formula="sqrt(var(x))",
    kink="0 where all elements are equal",
)
def std(
    x: Node,
    dim: Axes | None = None,
    correction: float = 1,
    keepdim: bool = False,
    unbiased: bool = True,
) -> Node:
    """Standard deviation: the root of `var`."""
    spread = norm(x - mean(x, dim, True), 2.0, dim, keepdim)
    return spread / math.sqrt(_freedom(x, dim, correction, unbiased))


def _freedom(x: Node, dim: Axes | None, correction: float, unbiased: bool) -> float:
    """The count that squares are divided by, never below 0."""
    count = _count(x, normalize_axes("var", dim, x.ndim))
    return max(0.0, count - (correction if unbiased else 0))


# --- products ------------------------------------------------------------------------------


def exclusive_products(x: Node) -> Node:
    """For each element along the last axis, the product of all others, without a division.

    A tree: the first half is multiplied with the second, the products of the others are found
    for those pairs, and each element is multiplied by its partner. Right at zeros, at every order.
    """
    count = x.shape[-1]
    if count <= 1:
        return where(True, 1.0, x)
    lead = [(0, length, 1) for length in x.shape[:-1]]
    half = count // 2
    left = take_slices(x, (*lead, (0, half, 1)))
    right = take_slices(x, (*lead, (half, half, 1)))
    pairs = left * right
    others = exclusive_products(pairs)
    parts = [others * right, others * left]
    if count % 2:
        last = take_slices(x, (*lead, (count - 1, 1, 1)))
        parts = [part * last for part in parts]
        parts.append(prod(pairs, -1, True))
    return cat(parts, -1)


PROD = Reduction(
    "prod",
    forward=lambda xp, x, axes, keepdim: xp.prod(x, axis=axes, keepdims=keepdim),
    derivative=lambda y, x, axes, keepdim: transpose(
        exclusive_products(transpose(x, axes[0], -1)), axes[0], -1
    ),
    combine="multiply",
)


@function("prod", "reduction", op=PROD, cases=_cases("prod"), formula="x[0] * x[1] * …")
def prod(x: Node, dim: int | None = None, keepdim: bool = False) -> Node:
    """Product of all elements, or along `dim`."""
    if dim is None and x.ndim != 1:
        return prod(reshape(x, x.size), -1)
    return _reduce(PROD, x, dim, keepdim)


# --- extremes ------------------------------------------------------------------------------


def _shared_ties(y: Node, x: Node, axes: Axes, keepdim: bool) -> Node:
    """1 over the number of ties where x is the extreme, 0 elsewhere."""
    ties = cast(eq(x, y), "float")
    return ties / sum_(ties, axes, True)


AMAX = Reduction(
    "amax",
    forward=lambda xp, x, axes, keepdim: xp.max(x, axis=axes, keepdims=keepdim),
    derivative=_shared_ties,
    selects=True,
    combine="maximum",
)
AMIN = Reduction(
    "amin",
    forward=lambda xp, x, axes, keepdim: xp.min(x, axis=axes, keepdims=keepdim),
    derivative=_shared_ties,
    selects=True,
    combine="minimum",
)


@function("amax", "reduction", op=AMAX, cases=_cases("amax"), kink="ties share equally")
def amax(x: Node, dim: Axes | None = None, keepdim: bool = False) -> Node:
    """The largest element, of all or along `dim`."""
    return _extreme(AMAX, x, dim, keepdim)


@function("amin", "reduction", op=AMIN, cases=_cases("amin"), kink="ties share equally")
def amin(x: Node, dim: Axes | None = None, keepdim: bool = False) -> Node:
    """The smallest element, of all or along `dim`."""
    return _extreme(AMIN, x, dim, keepdim)


def _extreme(op: Reduction, x: Node, dim: Axes | None, keepdim: bool) -> Node:
    _check_not_empty(op.name, x, normalize_axes(op.name, dim, x.ndim))
    return _reduce(op, x, dim, keepdim)


def _check_not_empty(name: str, x: Node, axes: Axes) -> None:
    if any(x.shape[axis] == 0 for axis in axes):
        raise GradcliError("value", f"{name} of nothing: the tensor is {show(x.shape)}")


def _arg(name: str, choose: str, doc: str) -> Function:
    def forward(xp: Any, x: Array, axis: int | None, keepdim: bool) -> Array:
        if axis is None:
            x, axis = xp.reshape(x, (-1,)), 0
        return getattr(xp, choose)(x, axis=axis, keepdims=keepdim)  # type: ignore[no-any-return]

    op = General(
        name,
        infer=lambda x, axis, keepdim: (
            () if axis is None else reduced(x.shape, (axis,), keepdim),
            "int",
        ),
        forward=forward,
    )

    def build(x: Node, dim: int | None = None, keepdim: bool = False) -> Node:
        axes = normalize_axes(name, dim, x.ndim)
        _check_not_empty(name, x, axes)
        if not x.ndim:
            x, dim = reshape(x, 1), None
        return x.graph.apply(op, (x,), (None if dim is None else axes[0], keepdim))

    build.__doc__ = doc
    cases = [Case(f"{name}(x)", smooth=False), Case(f"{name}(x, dim=1)", smooth=False)]
    return function(name, "reduction", op=op, cases=cases)(build)


argmax = _arg("argmax", "argmax", "Where the largest element is (the first one of a tie).")
argmin = _arg("argmin", "argmin", "Where the smallest element is (the first one of a tie).")


class Extremes(NamedTuple):
    """What `max(x, dim)` gives."""

    values: Node
    indices: Node


@function(
    "max",
    "reduction",
    cases=[
        Case("max(x)"),
        Case("max(x, 0).values"),
        Case("max(x, dim=1, keepdim=True)[0]"),
        Case("max(x, y)", {"x": (2, 3), "y": (3,)}),
    ],
    kink="ties share equally; with dim the first one gets all",
)
def max_(x: Node, dim: int | Node | None = None, keepdim: bool = False) -> Node | Extremes:
    """The largest element; with `dim` a pair of values and indices; of two tensors `maximum`."""
    if isinstance(dim, Node):
        return maximum(x, dim)
    return amax(x) if dim is None else _chosen(x, dim, keepdim, argmax)


@function(
    "min",
    "reduction",
    cases=[
        Case("min(x)"),
        Case("min(x, 0).values"),
        Case("min(x, dim=1, keepdim=True)[0]"),
        Case("min(x, y)", {"x": (2, 3), "y": (3,)}),
    ],
    kink="ties share equally; with dim the first one gets all",
)
def min_(x: Node, dim: int | Node | None = None, keepdim: bool = False) -> Node | Extremes:
    """The smallest element; with `dim` a pair of values and indices; of two tensors `minimum`."""
    if isinstance(dim, Node):
        return minimum(x, dim)
    return amin(x) if dim is None else _chosen(x, dim, keepdim, argmin)


def _chosen(x: Node, dim: int, keepdim: bool, choose: Function) -> Extremes:
    if not x.ndim:
        normalize_axis(choose.name, dim, 0)
        return Extremes(x, choose(x))
    places = choose(x, dim, True)
    values = take_along_dim(x, places, dim)
    if keepdim:
        return Extremes(values, places)
    return Extremes(squeeze(values, dim), squeeze(places, dim))


# --- norms and exponential means -----------------------------------------------------------


def _norm(xp: Any, x: Array, axes: Axes, keepdim: bool, p: float) -> Array:
    size = xp.abs(x)
    if p == math.inf or p == -math.inf:
        extreme = xp.max if p > 0 else xp.min
        return extreme(size, axis=axes, keepdims=keepdim)  # type: ignore[no-any-return]
    if p == 0:
        return xp.sum((size != 0).astype(x.dtype), axis=axes, keepdims=keepdim)  # type: ignore[no-any-return]
    if p == 1:
        return xp.sum(size, axis=axes, keepdims=keepdim)  # type: ignore[no-any-return]
    # Scaled by the largest element, so that squares neither overflow nor vanish.
    largest = xp.max(size, axis=axes, keepdims=True, initial=0.0)
    unit = xp.where((largest > 0) & xp.isfinite(largest), largest, xp.ones((), x.dtype))
    total = xp.sum((size / unit) ** p, axis=axes, keepdims=True) ** (1 / p) * unit
    return total if keepdim else xp.squeeze(total, axis=axes)  # type: ignore[no-any-return]


def _norm_derivative(y: Node, x: Node, axes: Axes, keepdim: bool, p: float) -> Node:
    if p in (math.inf, -math.inf):
        size = abs_(x)
        return sign(x) * _shared_ties(y, size, axes, keepdim)
    if p == 0:
        return 0 * x
    if p == 1:
        return sign(x)
    if p == 2:
        return where(eq(y, 0.0), 0.0, x / y)
    return where(eq(y, 0.0), 0.0, sign(x) * (abs_(x) / y) ** (p - 1))


NORM = Reduction("norm", forward=_norm, derivative=_norm_derivative)


@function(
    "norm",
    "reduction",
    aliases=("vector_norm",),
    op=NORM,
    cases=[
        *_cases("norm"),
        Case("norm(x, 1)"),
        Case("norm(x, p=3, dim=1)"),
        Case("norm(x, inf)"),
        Case("norm(x, p='fro')"),
    ],
    formula="sum(abs(x)**p) ** (1/p)",
    kink="0 where the norm is 0; ties of the inf-norm share equally",
)
def norm(x: Node, p: float | str = 2.0, dim: Axes | None = None, keepdim: bool = False) -> Node:
    """The p-norm of all elements, or along `dim`."""
    if isinstance(p, str):
        if p != "fro":
            raise GradcliError("value", f"norm: p is a number or 'fro', not {p!r}")
        p = 2.0
    if not x.size and p < 0:
        raise GradcliError("value", f"norm with a negative p of nothing: {show(x.shape)}")
    return _reduce(NORM, x, dim, keepdim, float(p))


def _logsumexp(xp: Any, x: Array, axes: Axes, keepdim: bool) -> Array:
    largest = xp.max(x, axis=axes, keepdims=True, initial=-math.inf)
    shift = xp.where(xp.isfinite(largest), largest, xp.zeros((), x.dtype))
    total = xp.log(xp.sum(xp.exp(x - shift), axis=axes, keepdims=True)) + shift
    return total if keepdim else xp.squeeze(total, axis=axes)  # type: ignore[no-any-return]


LOGSUMEXP = Reduction(
    "logsumexp", forward=_logsumexp, derivative=lambda y, x, axes, keepdim: exp(x - y)
)


@function(
    "logsumexp",
    "reduction",
    op=LOGSUMEXP,
    cases=_cases("logsumexp"),
    formula="log(sum(exp(x)))",
)
def logsumexp(x: Node, dim: Axes | None = None, keepdim: bool = False) -> Node:
    """log(sum(exp(x))) without overflow."""
    return _reduce(LOGSUMEXP, x, dim, keepdim)


def _softmax(xp: Any, x: Array, axis: int) -> Array:
    powers = xp.exp(x - xp.max(x, axis=axis, keepdims=True, initial=-math.inf))
    return powers / xp.sum(powers, axis=axis, keepdims=True)  # type: ignore[no-any-return]


def _softmax_change(change: Node, y: Node, axis: int) -> Node:
    """The Jacobian of softmax is symmetric, so this is its VJP and its JVP."""
    return y * (change - sum_(change * y, axis, True))


SOFTMAX = General(
    "softmax",
    infer=lambda x, axis: (x.shape, "float"),
    forward=_softmax,
    adjoints=(lambda change, y, x, axis: _softmax_change(change, y, axis),),
    forward_rule=lambda tangents, y, x, axis: _softmax_change(tangents[0], y, axis),
)


@function(
    "softmax",
    "reduction",
    op=SOFTMAX,
    cases=[Case("softmax(x)"), Case("softmax(x, dim=0)"), Case("x.softmax(-1)")],
    formula="exp(x) / sum(exp(x))",
)
def softmax(x: Node, dim: int = -1) -> Node:
    """Positive weights that sum to 1 along `dim` (the last axis without it)."""
    x = cast(x, "float")
    axis = normalize_axis("softmax", dim, x.ndim)
    if not x.ndim:
        return reshape(softmax(reshape(x, 1)), ())
    return x.graph.apply(SOFTMAX, (x,), (axis,))


@function(
    "log_softmax",
    "reduction",
    cases=[Case("log_softmax(x)"), Case("log_softmax(x, dim=0)")],
    formula="x - log(sum(exp(x)))",
)
def log_softmax(x: Node, dim: int = -1) -> Node:
    """log(softmax(x)) without overflow; shifted by the largest element to keep its digits."""
    if not x.ndim:
        normalize_axis("log_softmax", dim, 0)
        return reshape(log_softmax(reshape(x, 1)), ())
    shifted = x - detach(amax(x, dim, True))
    return shifted - logsumexp(shifted, dim, True)


# --- truth -------------------------------------------------------------------------------


def _truth(name: str, doc: str) -> Function:
    op = General(
        name,
        infer=lambda x, axes, keepdim: (reduced(x.shape, axes, keepdim), "bool"),
        forward=lambda xp, x, axes, keepdim: getattr(xp, name)(x, axis=axes, keepdims=keepdim),
    )

    def build(x: Node, dim: Axes | None = None, keepdim: bool = False) -> Node:
        axes = normalize_axes(name, dim, x.ndim)
        return x.graph.apply(op, (cast(x, "bool"),), (axes, keepdim))

    build.__doc__ = doc
    return function(name, "reduction", op=op, cases=[Case(f"{name}(x > 0, dim=1)", smooth=False)])(
        build
    )


all_ = _truth("all", "Whether all elements are nonzero.")
any_ = _truth("any", "Whether any element is nonzero.")

# --- scans ---------------------------------------------------------------------------------

CUMSUM: Linear = Linear(
    "cumsum",
    infer=lambda x, axis: x.shape,
    forward=lambda xp, x, axis: xp.cumsum(x, axis=axis),
    adjoints=(
        lambda change, y, x, axis: flip(
            x.graph.apply(CUMSUM, (flip(change, axis),), (axis,)), axis
        ),
    ),
)


@function(
    "cumsum",
    "reduction",
    op=CUMSUM,
    cases=[Case("cumsum(x, 0)"), Case("cumsum(x, dim=-1)")],
)
def cumsum(x: Node, dim: int) -> Node:
    """Running sums along `dim`."""
    x = cast(x, "float")
    axis = normalize_axis("cumsum", dim, x.ndim)
    return x.graph.apply(CUMSUM, (x,), (axis,)) if x.ndim else x
