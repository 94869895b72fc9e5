"""Triangular factors of matrices along the last two axes: Cholesky and QR."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gradcli.diagnostics import GradcliError
from gradcli.graph import Array, Node, Shape
from gradcli.language.construct import call
from gradcli.ops.axes import matrix_transpose
from gradcli.ops.creation import zeros
from gradcli.ops.diagonals import diag_embed, diagonal, tril, triu
from gradcli.ops.group import Group
from gradcli.ops.joining import cat
from gradcli.ops.kinds import General
from gradcli.ops.packing import lapack, pack, packed, packed_shape, skew, unpack
from gradcli.ops.shapes import show
from gradcli.ops.shaping import take_slices
from gradcli.ops.systems import SOLVE, copies, matrices, on_host, square
from gradcli.ops.table import Case, floats

if TYPE_CHECKING:
    from gradcli.graph import ArrayNamespace

table = Group("linear algebra")

# --- Cholesky ------------------------------------------------------------------------------


def _cholesky(xp: ArrayNamespace, a: Array) -> Array:
    try:
        return xp.linalg.cholesky(a)  # type: ignore[no-any-return]
    except np.linalg.LinAlgError:
        raise _indefinite(a) from None


def _definite(a: Array) -> bool:
    try:
        np.linalg.cholesky(a)
    except np.linalg.LinAlgError:
        return False
    return True


def _indefinite(a: Array) -> GradcliError:
    """The error for the first matrix that has no Cholesky factor, with the pivot that stops it."""
    a = on_host(a)
    place = next(each for each in np.ndindex(a.shape[:-2]) if not _definite(a[each]))
    good, bad = 0, a.shape[-1]
    while bad - good > 1:
        middle = (good + bad) // 2
        if _definite(a[place][:middle, :middle]):
            good = middle
        else:
            bad = middle
    which = f" at [{', '.join(map(str, place))}]" if place else ""
    return GradcliError(
        "singular",
        f"cholesky: the matrix{which} is not positive definite: its pivot {bad} is not positive",
        hint="x @ x.mT + 1e-6 * eye(n) is positive definite for any real x",
    )


def _half(x: Node) -> Node:
    """The lower triangle with half of the diagonal."""
    return tril(x) - diag_embed(diagonal(x, 0, -2, -1)) / 2


def _divide(a: Node, b: Node) -> Node:
    """inv(a) @ b."""
    return a.graph.apply(SOLVE, (a, b))


def _cholesky_adjoint(change: Node, y: Node, a: Node) -> Node:
    """Murray, Differentiation of the Cholesky decomposition (2016), symmetrised as in PyTorch."""
    up = matrix_transpose(y)
    inner = _divide(up, _half(up @ change))
    found = _divide(up, matrix_transpose(inner))
    return (found + matrix_transpose(found)) / 2


def _cholesky_tangent(tangents: Sequence[Node], y: Node, a: Node) -> Node:
    (change,) = tangents
    change = (change + matrix_transpose(change)) / 2
    left = _divide(y, change)
    return y @ _half(_divide(y, matrix_transpose(left)))


CHOLESKY = General(
    "cholesky",
    infer=lambda a: (a.shape, "float"),
    forward=_cholesky,
    refuses=True,
    adjoints=(_cholesky_adjoint,),
    forward_rule=_cholesky_tangent,
    contracts=True,
    symmetric=True,
    work=copies(0, 1),
)


@table.function(
    op=CHOLESKY,
    cases=[
        Case("cholesky(x @ x.mT + eye(3))", {"x": (3, 3)}),
        Case("cholesky(x @ x.mT + eye(2), upper=True)", {"x": (2, 2, 2)}),
    ],
    unlike={"scipy.linalg.cholesky": "cholesky(x, upper=True)"},
    numpy="np.linalg.cholesky",
    torch="torch.linalg.cholesky",
    gradients={
        "x": (
            (
                "inv(result).mT"
                " @ (tril(result.mT @ cotangent) + tril(result.mT @ cotangent, -1).mT)"
                " @ inv(result) / 2"
            ),
            (
                "inv(result) @ (triu(cotangent @ result.mT) + triu(cotangent @ result.mT, 1).mT)"
                " @ inv(result).mT / 2"
            ),
        ),
    },
    demands={"x": floats("linalg.cholesky", "cholesky_cpu")},
    autocast="float32",
)
def cholesky(x: Node, *, upper: bool = False) -> Node:
    """The lower triangular L with L @ L.mT = x, or L.mT where `upper`.

    x is taken to be symmetric: its lower triangle is read, its gradient is symmetric. The error
    `singular` names the pivot that is not positive.
    """
    lower = x.graph.apply(CHOLESKY, (square("cholesky", x),))
    return matrix_transpose(lower) if upper else lower


# --- QR ------------------------------------------------------------------------------------


def _qr_shapes(a: Node) -> tuple[Shape, Shape]:
    rows, columns = a.shape[-2:]
    return (rows, columns), (columns, columns)


def _qr(xp: ArrayNamespace, a: Array) -> Array:
    return pack(xp, lapack("qr", xp.linalg.qr, a), a.shape[:-2])


def _right_divide(x: Node, r: Node) -> Node:
    """x @ inv(r)."""
    return matrix_transpose(_divide(matrix_transpose(r), matrix_transpose(x)))


def _qr_adjoint(change: Node, y: Node, a: Node) -> Node:
    """Walter and Lehmann, Algorithmic differentiation of linear algebra functions (2012)."""
    shapes = _qr_shapes(a)
    q, r = unpack(y, shapes)
    change_q, change_r = unpack(change, shapes)
    inner = triu(change_r @ matrix_transpose(r) - matrix_transpose(q) @ change_q)
    inner = inner + matrix_transpose(triu(inner, 1))
    return _right_divide(change_q + q @ inner, matrix_transpose(r))


def _qr_tangent(tangents: Sequence[Node], y: Node, a: Node) -> Node:
    (change,) = tangents
    shapes = _qr_shapes(a)
    q, r = unpack(y, shapes)
    along = matrix_transpose(q) @ change
    turn = skew(tril(_right_divide(along, r), -1))
    across = _right_divide(change - q @ along, r)
    return packed([q @ turn + across, along - turn @ r], shapes)


QR = General(
    "packed_qr",
    infer=lambda a: packed_shape(a.shape[:-2], _qr_shapes(a)),
    forward=_qr,
    refuses=True,
    adjoints=(_qr_adjoint,),
    forward_rule=_qr_tangent,
    contracts=True,
    work=copies(1, 1.6),
    spell=lambda node, a: call("qr", a),
    fields=lambda a: tuple(zip(OrthogonalTriangular._fields, _qr_shapes(a), strict=True)),
)
"""For at least as many rows as columns."""


def _complement_shape(q: Node) -> tuple[Shape, Any]:
    rows, columns = q.shape[-2:]
    return (*q.shape[:-1], rows - columns), "float"


COMPLEMENT = General(
    "orthogonal_complement",
    infer=_complement_shape,
    forward=lambda xp, q: xp.linalg.qr(q, mode="complete")[0][..., q.shape[-1] :],
    adjoints=(lambda change, y, q: -(y @ (matrix_transpose(change) @ q)),),
    forward_rule=lambda tangents, y, q: -(q @ (matrix_transpose(tangents[0]) @ y)),
    contracts=True,
    work=lambda node: (
        2 * node.inputs[0].size * node.inputs[0].shape[-2] / max(1, node.inputs[0].shape[-1])
    ),
)
"""The columns may be rotated; the derivative is that of the choice with the least rotation."""


@table.function(
    op=COMPLEMENT, cases=[Case("orthogonal_complement(qr(x).Q)**2 @ [1]", {"x": (3, 2)})]
)
def orthogonal_complement(q: Node) -> Node:
    """Orthonormal columns that make a square matrix of the orthonormal columns of q."""
    q = matrices("orthogonal_complement", q)
    if q.shape[-1] > q.shape[-2]:
        raise GradcliError(
            "shape", f"orthogonal_complement: {show(q.shape)} has more columns than rows"
        )
    return q.graph.apply(COMPLEMENT, (q,))


class OrthogonalTriangular(NamedTuple):
    """What `qr` gives."""

    Q: Node
    R: Node


@table.function(
    cases=[
        Case("qr(x).Q", {"x": (3, 3)}),
        Case("qr(x).R", {"x": (4, 2)}),
        Case("qr(x)[0] @ (2 * qr(x)[1] + 1)", {"x": (2, 3, 2)}),
        Case("qr(x).R", {"x": (2, 4)}),
        Case("qr(x, 'r').R", {"x": (3, 2)}),
        Case("qr(x, mode='complete').Q**2 @ [1, 2, 2, 2]", {"x": (4, 1)}, smooth=False),
    ],
    unlike={"scipy.linalg.qr": "qr(x, 'complete')"},
    numpy="np.linalg.qr",
    torch="torch.linalg.qr",
    demands={"x": floats("linalg.qr", "geqrf_cpu")},
    autocast="float32",
)
def qr(x: Node, mode: str = "reduced") -> OrthogonalTriangular:
    """Q with orthonormal columns and upper triangular R with Q @ R = x.

    Modes: reduced; complete, where Q is square (derivatives hold for what does not depend on the
    choice of its last columns); r, where Q is empty.
    """
    x = matrices("qr", x)
    rows, columns = x.shape[-2:]
    if mode not in ("reduced", "complete", "r"):
        raise GradcliError("value", f"qr: mode is 'reduced', 'complete' or 'r', not {mode!r}")
    lead = tuple((0, length, 1) for length in x.shape[:-2])
    left = take_slices(x, (*lead, (0, rows, 1), (0, min(rows, columns), 1)))
    q, r = unpack(x.graph.apply(QR, (left,)), _qr_shapes(left))
    if columns > rows:
        rest = take_slices(x, (*lead, (0, rows, 1), (rows, columns - rows, 1)))
        r = cat([r, matrix_transpose(q) @ rest], -1)
    if mode == "r":
        return OrthogonalTriangular(zeros(x.graph, 0), r)
    if mode == "complete" and rows > columns:
        q = cat([q, orthogonal_complement.build(q)], -1)
        r = cat([r, zeros(x.graph, (*x.shape[:-2], rows - columns, columns))], -2)
    return OrthogonalTriangular(q, r)


@table.function(
    "np.linalg.qr",
    cases=[
        Case("np.linalg.qr(x)[1]", {"x": (3, 3)}),
        Case("np.linalg.qr(x, mode='r')", {"x": (4, 2)}),
    ],
)
def numpy_qr(x: Node, mode: str = "reduced") -> OrthogonalTriangular | Node:
    """`qr` as in NumPy: with the mode r, only R."""
    found: OrthogonalTriangular = qr.build(x, mode)
    return found.R if mode == "r" else found
