"""Sums of exponentials without overflow: logsumexp, softmax."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import reduce
from operator import sub
from typing import TYPE_CHECKING

import numpy as np

from gradcli.graph import Array, Node, Split
from gradcli.ops.cells import exponentials, over_axes, ranges
from gradcli.ops.control import detach
from gradcli.ops.exponential import exp, log
from gradcli.ops.extremes import amax
from gradcli.ops.group import Group
from gradcli.ops.kinds import General, Reduction, cast
from gradcli.ops.reductions import cases_of, peak, reduce_axes, sum_
from gradcli.ops.selection import maximum, minimum
from gradcli.ops.shapes import Axes, Dims, broadcast, normalize_axes, normalize_axis, reduced
from gradcli.ops.shaping import expand, reshape
from gradcli.ops.splits import axes_to_split
from gradcli.ops.sums import total
from gradcli.ops.table import Case, Function, kernel

if TYPE_CHECKING:
    from gradcli.graph import ArrayNamespace

table = Group("reduction")


def _logsumexp(xp: ArrayNamespace, x: Array, axes: Axes, keepdim: bool) -> Array:
    largest = peak(xp, x, axes, -math.inf)
    shift = xp.where(xp.isfinite(largest), largest, xp.zeros((), x.dtype))
    found = xp.log(total(xp, xp.exp(x - shift), axes, True)) + shift
    return found if keepdim else xp.squeeze(found, axis=axes)


def _logsumexp_parts(x: Node, axes: Axes, _keepdim: bool) -> Node:
    most = float(np.finfo(x.graph.dtype("float")).max)
    # An infinite element is shifted by less than it is, so that the others vanish.
    shift = minimum(maximum(amax(x, axes, True), -most), most)
    return log(sum_(exp(x - shift), axes, True)) + shift


LOGSUMEXP = Reduction(
    "logsumexp",
    forward=_logsumexp,
    derivative=lambda y, x, axes, keepdim: exp(x - y),
    parts=_logsumexp_parts,
    cell=over_axes(lambda cells: f"MAX({ranges(cells)})+LN({exponentials(cells)})"),
)


@table.function(
    op=LOGSUMEXP,
    cases=cases_of("logsumexp"),
    formula="log(sum(exp(x)))",
    confused=("sum",),
    gradients={
        "x": (
            "cotangent * exp(x - result)",
            "cotangent * softmax(x, dim=dim)",
            "unsqueeze(cotangent, dim) * softmax(x, dim=dim)",
        ),
    },
)
def logsumexp(x: Node, dim: Dims = None, keepdim: bool = False) -> Node:
    """log(sum(exp(x))) without overflow."""
    return reduce_axes(LOGSUMEXP, x, dim, keepdim)


@table.function(
    "scipy.special.logsumexp",
    aliases=("jax.nn.logsumexp",),
    cases=[
        Case("scipy.special.logsumexp(x)"),
        Case(
            "scipy.special.logsumexp(x, axis=1, b=y, keepdims=True)",
            {"x": (2, 3), "y": (3,)},
            (0.1, 0.9),
        ),
    ],
    formula="log(sum(b * exp(x)))",
)
def scipy_logsumexp(
    x: Node, dim: Dims = None, b: Node | None = None, keepdim: bool = False
) -> Node:
    """`logsumexp` as SciPy has it: the exponentials are weighed by `b`."""
    if b is None:
        return logsumexp(x, dim, keepdim)
    x, b = (expand(each, broadcast("logsumexp", [x.shape, b.shape])) for each in (x, b))
    largest = detach(amax(x, dim, True))
    found = log(sum_(b * exp(x - largest), dim, True)) + largest
    return (
        found
        if keepdim
        else reshape(found, reduced(x.shape, normalize_axes("logsumexp", dim, x.ndim), False))
    )


def _softmax(xp: ArrayNamespace, x: Array, axis: int) -> Array:
    powers = xp.exp(x - peak(xp, x, (axis,), -math.inf))
    return powers / total(xp, powers, (axis,), True)


def _softmax_cells(node: Node, x: Array) -> Array:
    found = np.empty(x.shape, object)
    (axis,) = node.attributes
    rows = np.moveaxis(x, axis, -1).reshape(-1, x.shape[axis])
    written = [
        [f"EXP({cell}-MAX({ranges(row)}))/({exponentials(row)})" for cell in row]
        for row in rows.tolist()
    ]
    along = np.moveaxis(found, axis, -1)
    along[...] = np.array(written, object).reshape(along.shape)
    return found


def _softmax_change(change: Node, y: Node, axis: int) -> Node:
    """The Jacobian of softmax is symmetric, so this is its VJP and its JVP."""
    return y * (change - sum_(change * y, axis, True))


def _softmax_parts(x: Node, axis: int) -> Node:
    powers = exp(x - amax(x, (axis,), True))
    return powers / sum_(powers, (axis,), True)


def _softmax_splits(node: Node) -> Iterator[Split]:
    for axis in axes_to_split(node.shape):
        if axis != node.attributes[0]:
            yield Split(axis, (axis,))


SOFTMAX = General(
    "softmax",
    infer=lambda x, axis: (x.shape, "float"),
    forward=_softmax,
    adjoints=(lambda change, y, x, axis: _softmax_change(change, y, axis),),
    forward_rule=lambda tangents, y, x, axis: _softmax_change(tangents[0], y, axis),
    parts=_softmax_parts,
    splits=_softmax_splits,
    cell=_softmax_cells,
)


@table.function(
    takes_dtype=True,
    op=SOFTMAX,
    cases=[Case("softmax(x)"), Case("softmax(x, dim=0)"), Case("x.softmax(-1)")],
    formula="exp(x) / sum(exp(x), dim=dim, keepdim=True)",
    jax="jax.nn.softmax",
    gradients={"x": "result * (cotangent - sum(cotangent * result, dim=dim, keepdim=True))"},
    confused=("sigmoid", "log_softmax"),
    needs=("dim",),
    demands={"x": kernel("softmax_lastdim_kernel_impl")},
)
def softmax(x: Node, dim: int = -1) -> Node:
    """Positive weights that sum to 1 along `dim` (the last axis without it)."""
    x = cast(x, "float")
    axis = normalize_axis("softmax", dim, x.ndim)
    if not x.ndim:
        return reshape(softmax(reshape(x, 1)), ())
    return x.graph.apply(SOFTMAX, (x,), (axis,))


@table.function(
    takes_dtype=True,
    cases=[Case("log_softmax(x)"), Case("log_softmax(x, dim=0)")],
    formula="x - log(sum(exp(x), dim=dim, keepdim=True))",
    gradients={"x": "cotangent - softmax(x, dim=dim) * sum(cotangent, dim=dim, keepdim=True)"},
    confused=("softmax", "logsigmoid"),
    needs=("dim",),
    by_book=lambda x, dim=-1: x - logsumexp(x, (dim,), True),
    demands={"x": kernel("log_softmax_lastdim_kernel_impl")},
)
def log_softmax(x: Node, dim: int = -1) -> Node:
    """log(softmax(x)) without overflow; shifted by the largest element to keep its digits."""
    axis = normalize_axis("log_softmax", dim, x.ndim)
    if not x.ndim:
        return reshape(log_softmax(reshape(x, 1)), ())
    return reduce(sub, normalizers(x, axis), x)


def normalizers(x: Node, axis: int) -> tuple[Node, ...]:
    """What makes scores x log-probabilities along an axis when it is taken off, one after the
    other: the largest score, and the logarithm of the sum of what is left.
    """
    if not x.shape[axis]:
        return ()  # without elements there is no largest one
    largest = detach(amax(x, axis, True))
    return largest, log(sum_(exp(x - largest), axis, True))


@table.function(
    takes_dtype=True,
    cases=[Case("softmin(x)"), Case("softmin(x, dim=0)")],
    formula="exp(-x) / sum(exp(-x), dim=dim, keepdim=True)",
    gradients={"x": "result * (sum(cotangent * result, dim=dim, keepdim=True) - cotangent)"},
)
def softmin(x: Node, dim: int = -1) -> Node:
    """softmax(-x)."""
    return softmax(-x, dim)


@table.function(
    "scipy.special.softmax",
    cases=[Case("scipy.special.softmax(x)"), Case("scipy.special.softmax(x, axis=1)")],
    formula="exp(x) / sum(exp(x))",
)
def scipy_softmax(x: Node, dim: Dims = None) -> Node:
    """`softmax` as SciPy has it: over all elements without `dim`."""
    powers = exp(x - detach(amax(x, dim, True)))
    return powers / sum_(powers, dim, True)


@table.function(
    "scipy.special.log_softmax",
    cases=[Case("scipy.special.log_softmax(x)"), Case("scipy.special.log_softmax(x, axis=1)")],
    formula="x - log(sum(exp(x)))",
)
def scipy_log_softmax(x: Node, dim: Dims = None) -> Node:
    """`log_softmax` as SciPy has it: over all elements without `dim`."""
    shifted = x - detach(amax(x, dim, True))
    return shifted - logsumexp(shifted, dim, True)


def _without_dim(name: str, function: Function) -> Function:
    def entry(x: Node, dim: int | None = None) -> Node:
        return function(x, (0 if x.ndim in (0, 1, 3) else 1) if dim is None else dim)

    entry.__doc__ = f"`{name}` as torch.nn.functional has it: without `dim` along 0 or 1."
    cases = [Case(f"F.{name}(x)"), Case(f"F.{name}(x)", {"x": (2, 2, 3)})]
    return table.function(f"F.{name}", cases=cases, takes_dtype=True, demands=function.demands)(
        entry
    )


for _function in (softmax, log_softmax, softmin):
    _without_dim(_function.name, _function)
