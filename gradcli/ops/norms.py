"""Norms, distances and directions."""

from __future__ import annotations

import math

import numpy as np

from gradcli.diagnostics import GradcliError
from gradcli.graph import Node
from gradcli.ops.group import Group
from gradcli.ops.indexing import check_places, index_along
from gradcli.ops.p_norm import NORM
from gradcli.ops.reductions import cases_of, reduce_axes, sum_
from gradcli.ops.selection import clamp_min
from gradcli.ops.shapes import Dims, broadcast, normalize_axes, normalize_axis, show
from gradcli.ops.shaping import expand, unsqueeze
from gradcli.ops.table import SCALAR, Case, Demand, everywhere, floats

linear_algebra = Group("linear algebra")
reductions = Group("reduction")


def _turned(x: str, other: str) -> str:
    """The part of the other vector that is at right angles to x, by their lengths."""
    length, along = (f"norm({each}, dim=dim, keepdim=True)" for each in (x, other))
    return (
        f"unsqueeze(cotangent, dim) * ({other} / ({length} * {along})"
        f" - unsqueeze(result, dim) * {x} / {length}**2)"
    )


@reductions.function(
    takes_dtype=True,
    op=NORM,
    cases=[
        *cases_of("norm"),
        Case("norm(x, 1)"),
        Case("norm(x, p=3, dim=1)"),
        Case("norm(x, inf)"),
        Case("norm(x, p='fro')"),
        Case("norm(x, 'nuc')"),
    ],
    formula="sum(abs(x)**p) ** (1/p)",
    elsewhere=everywhere("nan (of p = 2)", torch="0"),
    kink="0 where the norm is 0; ties of the inf-norm share equally",
    torch="torch.linalg.vector_norm",
    gradients={
        "x": (
            "cotangent * x / result",
            "unsqueeze(cotangent, dim) * x / unsqueeze(result, dim)",
            "zeros_like(x)",
            "cotangent * sign(x)",
            "unsqueeze(cotangent, dim) * sign(x)",
            "cotangent * x * abs(x)**(p - 2) / result**(p - 1)",
            "unsqueeze(cotangent, dim) * x * abs(x)**(p - 2) / unsqueeze(result, dim)**(p - 1)",
            "cotangent * sign(x) * (abs(x) == result)",
            "cotangent * svd(x, full_matrices=False).U @ svd(x, full_matrices=False).Vh",
        ),
    },
    demands={"x": floats("linalg.vector_norm")},
)
def norm(x: Node, p: float | str | None = 2.0, dim: Dims = None, keepdim: bool = False) -> Node:
    """The p-norm of all elements, or along `dim`; 'fro' is p = 2, 'nuc' is `matrix_norm`'s."""
    p = 2.0 if p is None else p
    if p == "nuc":
        from gradcli.ops.matrix_functions import matrix_norm  # most programs start faster without

        axes = tuple(range(-x.ndim, 0)) if dim is None else dim
        return matrix_norm(x, "nuc", axes, keepdim)
    if isinstance(p, str):
        if p != "fro":
            raise GradcliError("value", f"norm: p is a number, 'fro' or 'nuc', not {p!r}")
        p = 2.0
    empty = any(x.shape[axis] == 0 for axis in normalize_axes("norm", dim, x.ndim))
    if empty and (p < 0 or p == math.inf):
        raise GradcliError("value", f"norm with p={p:g} of nothing: {show(x.shape)}")
    return reduce_axes(NORM, x, dim, keepdim, float(p))


@reductions.function(
    takes_dtype=True,
    cases=[Case("vector_norm(x)"), Case("vector_norm(x, ord=3, dim=1, keepdim=True)")],
    formula="sum(abs(x)**ord) ** (1/ord)",
    elsewhere=everywhere("nan (of p = 2)", torch="0"),
    kink="0 where the norm is 0; ties of the inf-norm share equally",
    demands={"x": floats("linalg.vector_norm")},
)
def vector_norm(x: Node, ord: float = 2.0, dim: Dims = None, keepdim: bool = False) -> Node:
    """The norm of order `ord` of all elements, or along `dim`."""
    return norm(x, ord, dim, keepdim)


@linear_algebra.function(
    "linalg.norm",
    takes_dtype=True,
    aliases=("torch.linalg.norm", "np.linalg.norm", "scipy.linalg.norm"),
    cases=[
        Case("linalg.norm(x)", {"x": (2, 3)}),
        Case("linalg.norm(x, 2)", {"x": (2, 3)}),
        Case("linalg.norm(x, 3)", {"x": (4,)}),
        Case("torch.linalg.norm(x, 1, dim=0)", {"x": (2, 3)}),
        Case("np.linalg.norm(x, 'nuc', axis=(0, 2), keepdims=True)", {"x": (2, 2, 3)}),
    ],
    kink="as `matrix_norm` and `vector_norm`",
    demands={"x": floats("linalg.vector_norm")},
)
def linalg_norm(
    x: Node,
    ord: float | str | None = None,
    dim: tuple[int, ...] | None = None,
    keepdim: bool = False,
) -> Node:
    """The norm that torch.linalg.norm and np.linalg.norm give: `matrix_norm` of order `ord` for
    matrices, `vector_norm` for vectors; without `ord` the root of the sum of the squares.
    """
    if ord is None and dim != ():
        return norm(x, 2.0, dim, keepdim)
    axes = tuple(range(x.ndim)) if dim is None else dim
    if len(axes) not in (1, 2):
        raise GradcliError(
            "shape",
            f"linalg.norm is for a vector or a matrix, not {len(axes)} axes of {show(x.shape)}",
            hint="dim=… names one axis or two; vector_norm takes any number",
        )
    if len(axes) == 2:
        from gradcli.ops.matrix_functions import matrix_norm  # most programs start faster without

        return matrix_norm(x, ord, axes, keepdim)
    return norm(x, ord, axes, keepdim)


@reductions.function(
    cases=[Case("dist(x, y)", {"x": (2, 3), "y": (3,)}), Case("dist(x, 0.3, p=1)")],
    formula="norm(input - other, p)",
    kink="0 where the distance is 0",
    elsewhere={"torch": "0"},
)
def dist(input: Node, other: Node, p: float = 2.0) -> Node:
    """The p-norm of the difference."""
    return norm(input - other, p)


@reductions.function(
    cases=[Case("normalize(x)"), Case("normalize(x, p=1, dim=0)")],
    formula="x / maximum(norm(x, p, dim), eps)",
    by_book=lambda x, p=2.0, dim=(1,), eps=1e-12: x / norm(x, p, dim, True),
    order="kept",
)
def normalize(x: Node, p: float = 2.0, dim: Dims = (1,), eps: float = 1e-12) -> Node:
    """x over its p-norm along `dim`, so that the norm is 1."""
    return x / clamp_min(norm(x, p, dim, True), eps)


@reductions.function(
    cases=[
        Case("cosine_similarity(x, y)", {"x": (2, 3), "y": (2, 3)}),
        Case("cosine_similarity(x, y, dim=0)", {"x": (2, 3), "y": (2, 1)}),
    ],
    formula="sum(x1 * x2) / (norm(x1) * norm(x2))",
    gradients={
        "x1": _turned("x1", "x2"),
        "x2": (_turned("x2", "x1"), f"sum({_turned('x2', 'x1')}, dim=1, keepdim=True)"),
    },
    by_book=lambda x1, x2, dim=1, eps=1e-8: (
        sum_(x1 * x2, (dim,)) / (norm(x1, 2.0, (dim,)) * norm(x2, 2.0, (dim,)))
    ),
    demands={
        "x1, x2": Demand("expected common dtype to be floating point, yet common dtype is {Type}")
    },
)
def cosine_similarity(x1: Node, x2: Node, dim: int = 1, eps: float = 1e-8) -> Node:
    """Cosine of the angle between x1 and x2 along `dim`; norms count as `eps` at least."""
    ndim = max(x1.ndim, x2.ndim)
    axis = normalize_axis("cosine_similarity", dim, ndim)
    x1, x2 = (
        expand(each, broadcast("cosine_similarity", [x1.shape, x2.shape])) for each in (x1, x2)
    )
    return sum_(normalize(x1, 2.0, (axis,), eps) * normalize(x2, 2.0, (axis,), eps), (axis,))


@linear_algebra.function(
    cases=[
        Case("cdist(x, y)", {"x": (2, 3), "y": (4, 3)}),
        Case("cdist(x, y, p=1)", {"x": (2, 2, 3), "y": (3, 3)}),
        Case("cdist(x, y, p=3)", {"x": (2, 3), "y": (2, 3)}),
        Case("cdist(x, y, p=inf)", {"x": (2, 3), "y": (2, 3)}),
    ],
    formula="norm(x1[i] - x2[j], p)",
    kink="0 where two rows are equal",
    elsewhere={"torch": "0"},
    demands={
        "x1": Demand("cdist only supports floating-point dtypes, X1 got: {Type}", halves="cdist"),
        "x1, x2": SCALAR,
    },
    autocast="float32",
)
def cdist(x1: Node, x2: Node, p: float = 2.0, compute_mode: str | None = None) -> Node:
    """The distance of every row of one matrix from every row of another; batches broadcast."""
    if x1.ndim < 2 or x2.ndim < 2 or x1.shape[-1] != x2.shape[-1]:
        raise GradcliError(
            "shape",
            f"cdist takes rows of one length; these are {show(x1.shape)} and {show(x2.shape)}",
        )
    if p < 0:
        raise GradcliError("value", f"cdist: p is {p:g}; it cannot be negative")
    return norm(unsqueeze(x1, -2) - unsqueeze(x2, -3), p, -1)


@linear_algebra.function(
    cases=[Case("pdist(x)", {"x": (3, 2)}), Case("pdist(x, 1)", {"x": (3, 2)})],
    formula="norm(x[i] - x[j], p), for i < j",
    kink="0 where two rows are equal",
    demands={"input": Demand("pdist only supports floating-point dtypes", halves="pdist")},
)
def pdist(input: Node, p: float = 2.0) -> Node:
    """The distance of every two rows of a matrix: (0, 1), (0, 2), …, (1, 2), …"""
    if input.ndim != 2:
        raise GradcliError("shape", f"pdist takes a matrix; this is {show(input.shape)}")
    if p < 0:
        raise GradcliError("value", f"pdist: p is {p:g}; it cannot be negative")
    count = input.shape[0]
    check_places(input.graph, "pdist", count * (count - 1))
    first, second = (
        index_along(input, -2, input.graph.constant(each)) for each in np.triu_indices(count, 1)
    )
    return norm(first - second, p, -1)
