"""Pseudoinverses and least squares: equations with too many rows, too few, or singular ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gradcli.graph import Array, Node
from gradcli.language.construct import call, number
from gradcli.language.syntax import Expression
from gradcli.ops.axes import matrix_transpose
from gradcli.ops.comparison import gt
from gradcli.ops.control import detach
from gradcli.ops.diagonals import tril
from gradcli.ops.extremes import amax
from gradcli.ops.group import Group
from gradcli.ops.kinds import General, cast
from gradcli.ops.packing import lapack_svd
from gradcli.ops.reductions import peak, sum_
from gradcli.ops.shaping import squeeze, unsqueeze
from gradcli.ops.spectra import svdvals
from gradcli.ops.systems import check_rows, copies, is_vector, matrices, square
from gradcli.ops.table import FULL, Alike, Case, Demand

if TYPE_CHECKING:
    from gradcli.graph import ArrayNamespace

table = Group("linear algebra")


def _relative_cutoff(a: Node, rtol: float | None, atol: float | None = None) -> float:
    """Singular values up to this part of the largest count as 0, as in PyTorch."""
    if rtol is not None:
        return rtol
    return 0.0 if atol else max(a.shape[-2:]) * float(np.finfo(a.graph.precision).eps)


def _pinv(xp: ArrayNamespace, a: Array, rtol: float, atol: float) -> Array:
    u, s, vh = lapack_svd("pinv", xp, a, full_matrices=False)
    largest = peak(xp, s, (-1,), 0.0)
    kept = s > xp.maximum(rtol * largest, atol)
    factor = xp.where(kept, 1 / s, xp.zeros((), s.dtype))
    return xp.swapaxes((u * factor[..., None, :]) @ vh, -1, -2)


def _pinv_adjoint(change: Node, y: Node, a: Node, *_: float) -> Node:
    """Golub and Pereyra (1973), for changes that keep the rank."""
    change_t, yt = matrix_transpose(change), matrix_transpose(y)
    rows = change_t @ (y @ yt)
    columns = (yt @ y) @ change_t
    inside = yt @ (change @ yt)
    return rows - a @ (y @ rows) + columns - (columns @ y) @ a - inside


def _pinv_tangent(tangents: Sequence[Node], y: Node, a: Node, *_: float) -> Node:
    (change,) = tangents
    change_t, yt = matrix_transpose(change), matrix_transpose(y)
    rows = (y @ yt) @ change_t
    columns = change_t @ (yt @ y)
    return rows - (rows @ a) @ y + columns - y @ (a @ columns) - y @ (change @ y)


def _pinv_spelled(node: Node, a: Expression) -> Expression:
    """What is meant where nothing is said is left out: it is another number for each shape."""
    rtol, atol = node.attributes
    said = {"rtol": rtol} if rtol != _relative_cutoff(node.inputs[0], None, atol) else {}
    said |= {"atol": atol} if atol else {}
    return call("pinv", a, **{title: number(value) for title, value in said.items()})


PINV = General(
    "pinv",
    infer=lambda a, rtol, atol: ((*a.shape[:-2], a.shape[-1], a.shape[-2]), "float"),
    forward=_pinv,
    refuses=True,
    adjoints=(_pinv_adjoint,),
    forward_rule=_pinv_tangent,
    contracts=True,
    work=copies(3, 4),
    attributes=("rtol", "atol"),
    spell=_pinv_spelled,
)


def _mirrored(x: Node) -> Node:
    """The lower triangle and its mirror image; the gradient is that of a matrix that has both."""
    read = tril(x) + matrix_transpose(tril(x, -1))
    return x + detach(read - x)


@table.function(
    aliases=("pinverse",),
    op=PINV,
    cases=[
        Case("pinv(x)", {"x": (3, 2)}),
        Case("pinv(x)", {"x": (2, 2, 3)}),
        Case("pinv(x[:, :1] @ x[:1])", {"x": (3, 3)}),
        Case("pinv(x + x.mT + 9*eye(3), hermitian=True)", {"x": (3, 3)}),
    ],
    torch="torch.linalg.pinv",
    confused=("inv",),
    demands={
        "x": Demand(
            "linalg.pinv({Type}{{{sizes}}}): expected a tensor with 2 or more dimensions of float, "
            "double, cfloat or cdouble types",
            FULL,
        )
    },
)
def pinv(
    x: Node,
    rtol: float | None = None,
    hermitian: bool = False,
    *,
    atol: float | None = None,
) -> Node:
    """The pseudoinverse. Singular values up to max(atol, rtol * the largest) count as 0.

    The derivative is for changes that keep the rank. With `hermitian` x is taken to be symmetric:
    the lower triangle is read, and the gradient is that of the whole.
    """
    x = _mirrored(square("pinv", x)) if hermitian else matrices("pinv", x)
    return x.graph.apply(PINV, (x,), (_relative_cutoff(x, rtol, atol), atol or 0.0))


class LeastSquares(NamedTuple):
    """What `lstsq` gives."""

    solution: Node
    residuals: Node
    rank: Node
    singular_values: Node


@table.function(
    cases=[
        Case("lstsq(x, y).solution", {"x": (4, 2), "y": (4, 2)}),
        Case("lstsq(x, y).solution", {"x": (2, 3), "y": (2, 1)}),
        Case("lstsq(x, y).residuals", {"x": (4, 2), "y": (4,)}),
        Case("lstsq(x, y)[0]", {"x": (2, 3, 2), "y": (2, 3, 1)}),
    ],
    demands={
        "a, b": Alike(
            "torch.linalg.lstsq: Expected input and other to have the same dtype, but "
            "got input's dtype {Type} and other's dtype {Other}"
        ),
        "a": Demand("This function doesn't handle types other than float and double", FULL),
    },
    autocast="float32",
)
def lstsq(
    a: Node, b: Node, rcond: float | None = None, *, driver: str | None = None
) -> LeastSquares:
    """The X of least norm among those that make norm(A @ X - B) smallest.

    Also the squared residuals by column, the rank, and the singular values of A; those up to rcond
    times the largest count as 0.
    """
    a, b = matrices("lstsq", a), cast(b, "float")
    vector = is_vector(a, b)
    if vector:
        b = unsqueeze(b, -1)
    check_rows("lstsq", a, b)
    cutoff = _relative_cutoff(a, rcond)
    solution = pinv.build(a, cutoff) @ b
    rest = a @ solution - b
    residuals = sum_(rest * rest, (-2,))
    values = svdvals.build(a)
    large = gt(values, cutoff * amax(values, (-1,), True)) if min(a.shape[-2:]) else gt(values, 0.0)
    rank = cast(sum_(large, (-1,)), "int")
    if vector:
        solution, residuals = squeeze(solution, (-1,)), squeeze(residuals, (-1,))
    return LeastSquares(solution, residuals, rank, values)
