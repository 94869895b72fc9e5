"""Decompositions of matrices along the last two axes: Cholesky, QR, SVD, eigenvectors.

One LAPACK call makes several results and one node holds one array, so the op of a decomposition
packs its results side by side into a row, and the function takes them out with slices. What
flows back is packed in the same way, whichever of the results were used.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any, NamedTuple

import numpy as np

from gradcli.diagnostics import GradcliError
from gradcli.graph import Array, Node, Op, Shape
from gradcli.ops.arithmetic import scale
from gradcli.ops.axes import matrix_transpose
from gradcli.ops.comparison import eq
from gradcli.ops.creation import zeros
from gradcli.ops.diagonals import diag_embed, diagonal, tril, triu
from gradcli.ops.extremes import spacing
from gradcli.ops.joining import cat
from gradcli.ops.kinds import General
from gradcli.ops.linalg import SOLVE, matrices, on_host, square
from gradcli.ops.reductions import sum_
from gradcli.ops.selection import where
from gradcli.ops.shapes import show
from gradcli.ops.shaping import reshape, take_slices, unsqueeze
from gradcli.ops.table import Case, function

# --- several results of one node -----------------------------------------------------------


def _pack(xp: Any, parts: Sequence[Array], batch: Shape) -> Array:
    rows = [xp.reshape(part, (*batch, prod(part.shape[len(batch) :]))) for part in parts]
    return xp.concat(rows, axis=-1)  # type: ignore[no-any-return]


def _packed_shape(batch: Shape, shapes: Sequence[Shape]) -> tuple[Shape, Any]:
    return (*batch, sum(map(prod, shapes))), "float"


def _packed(parts: Sequence[Node], shapes: Sequence[Shape]) -> Node:
    """Nodes side by side in a row, as `_pack` does with arrays."""
    rows = []
    for part, shape in zip(parts, shapes, strict=True):
        batch = part.shape[: part.ndim - len(shape)]
        rows.append(reshape(part, (*batch, prod(shape))))
    return cat(rows, -1)


def _unpack(row: Node, shapes: Sequence[Shape]) -> list[Node]:
    """The results of the given shapes, behind the batch axes."""
    batch = row.shape[:-1]
    lead = tuple((0, length, 1) for length in batch)
    parts = []
    first = 0
    for shape in shapes:
        part = take_slices(row, (*lead, (first, prod(shape), 1)))
        parts.append(reshape(part, (*batch, *shape)))
        first += prod(shape)
    return parts


def lapack(name: str, decompose: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
    try:
        return decompose(*arguments, **options)
    except np.linalg.LinAlgError:
        raise GradcliError(
            "value", f"{name} did not converge", hint="does the matrix hold nan or infinities?"
        ) from None


def _gaps(values: Node) -> Node:
    """1 / (values[j] - values[i]); 0 on the diagonal, nan where two values are the same."""
    same = np.eye(values.shape[-1])
    gaps = unsqueeze(values, -2) - unsqueeze(values, -1) + values.graph.constant(same)
    found = where(eq(gaps, 0.0), np.nan, 1.0 / gaps)
    return where(values.graph.constant(same > 0), 0.0, found)


def _skew(x: Node) -> Node:
    return x - matrix_transpose(x)


# --- Cholesky ------------------------------------------------------------------------------


def _cholesky(xp: Any, a: Array) -> Array:
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
    adjoints=(_cholesky_adjoint,),
    forward_rule=_cholesky_tangent,
    contracts=True,
)


@function(
    "cholesky",
    "linear algebra",
    op=CHOLESKY,
    cases=[
        Case("cholesky(x @ x.mT + eye(3))", {"x": (3, 3)}),
        Case("cholesky(x @ x.mT + eye(2), upper=True)", {"x": (2, 2, 2)}),
    ],
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


def _qr(xp: Any, a: Array) -> Array:
    return _pack(xp, lapack("qr", xp.linalg.qr, a), a.shape[:-2])


def _right_divide(x: Node, r: Node) -> Node:
    """x @ inv(r)."""
    return matrix_transpose(_divide(matrix_transpose(r), matrix_transpose(x)))


def _qr_adjoint(change: Node, y: Node, a: Node) -> Node:
    """Walter and Lehmann, Algorithmic differentiation of linear algebra functions (2012)."""
    shapes = _qr_shapes(a)
    q, r = _unpack(y, shapes)
    change_q, change_r = _unpack(change, shapes)
    inner = triu(change_r @ matrix_transpose(r) - matrix_transpose(q) @ change_q)
    inner = inner + matrix_transpose(triu(inner, 1))
    return _right_divide(change_q + q @ inner, matrix_transpose(r))


def _qr_tangent(tangents: Sequence[Node], y: Node, a: Node) -> Node:
    (change,) = tangents
    shapes = _qr_shapes(a)
    q, r = _unpack(y, shapes)
    along = matrix_transpose(q) @ change
    turn = _skew(tril(_right_divide(along, r), -1))
    across = _right_divide(change - q @ along, r)
    return _packed([q @ turn + across, along - turn @ r], shapes)


QR = General(
    "packed_qr",
    infer=lambda a: _packed_shape(a.shape[:-2], _qr_shapes(a)),
    forward=_qr,
    adjoints=(_qr_adjoint,),
    forward_rule=_qr_tangent,
    contracts=True,
)
"""For at least as many rows as columns."""


def _complement_shape(q: Node) -> tuple[Shape, Any]:
    rows, columns = q.shape[-2:]
    return (*q.shape[:-1], rows - columns), "float"


COMPLEMENT = General(
    "complement",
    infer=_complement_shape,
    forward=lambda xp, q: xp.linalg.qr(q, mode="complete")[0][..., q.shape[-1] :],
    adjoints=(lambda change, y, q: -(y @ (matrix_transpose(change) @ q)),),
    forward_rule=lambda tangents, y, q: -(q @ (matrix_transpose(tangents[0]) @ y)),
    contracts=True,
)
"""They are free to turn among each other: the derivative is that of the choice that turns least."""


@function(
    "orthogonal_complement",
    "linear algebra",
    op=COMPLEMENT,
    cases=[Case("orthogonal_complement(qr(x).Q)**2 @ [1]", {"x": (3, 2)})],
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


@function(
    "qr",
    "linear algebra",
    cases=[
        Case("qr(x).Q", {"x": (3, 3)}),
        Case("qr(x).R", {"x": (4, 2)}),
        Case("qr(x)[0] @ (2 * qr(x)[1] + 1)", {"x": (2, 3, 2)}),
        Case("qr(x).R", {"x": (2, 4)}),
        Case("qr(x, 'r').R", {"x": (3, 2)}),
        Case("qr(x, mode='complete').Q**2 @ [1, 2, 2, 2]", {"x": (4, 1)}, smooth=False),
    ],
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
    q, r = _unpack(x.graph.apply(QR, (left,)), _qr_shapes(left))
    if columns > rows:
        rest = take_slices(x, (*lead, (0, rows, 1), (rows, columns - rows, 1)))
        r = cat([r, matrix_transpose(q) @ rest], -1)
    if mode == "r":
        return OrthogonalTriangular(zeros(x.graph, 0), r)
    if mode == "complete" and rows > columns:
        q = cat([q, orthogonal_complement.build(q)], -1)
        r = cat([r, zeros(x.graph, (*x.shape[:-2], rows - columns, columns))], -2)
    return OrthogonalTriangular(q, r)


# --- singular values -----------------------------------------------------------------------


def _svd_shapes(a: Node) -> tuple[Shape, Shape, Shape]:
    rows, columns = a.shape[-2:]
    count = min(rows, columns)
    return (rows, count), (count,), (count, columns)


def _svd(xp: Any, a: Array) -> Array:
    return _pack(xp, lapack("svd", xp.linalg.svd, a, full_matrices=False), a.shape[:-2])


def _svd_edge(xp: Any, a: Array) -> Array:
    """A singular value of 0 or a repeated one."""
    s = xp.linalg.svd(a, compute_uv=False)
    return xp.concat([s, spacing(xp, s, -1)], axis=-1)  # type: ignore[no-any-return]


def _svd_gaps(s: Node) -> Node:
    """1 / (s[j]² - s[i]²), from the factors of the difference so that no digits are lost."""
    return _gaps(s) / (unsqueeze(s, -2) + unsqueeze(s, -1))


def _svd_adjoint(change: Node, y: Node, a: Node) -> Node:
    """Townsend, Differentiating the singular value decomposition (2016).

    `scale` keeps what was not asked for at 0 where singular values are repeated or 0.
    """
    shapes = _svd_shapes(a)
    u, s, vh = _unpack(y, shapes)
    change_u, change_s, change_vh = _unpack(change, shapes)
    ut, v, change_v = (matrix_transpose(each) for each in (u, vh, change_vh))
    row, gaps = unsqueeze(s, -2), _svd_gaps(s)
    turn_u, turn_v = ut @ change_u, vh @ change_v
    inner = scale(_skew(turn_u), gaps) * row + unsqueeze(s, -1) * scale(_skew(turn_v), gaps)
    total = u @ (inner + diag_embed(change_s)) @ vh
    if a.shape[-2] > s.shape[-1]:
        total = total + scale(change_u - u @ turn_u, 1 / row) @ vh
    if a.shape[-1] > s.shape[-1]:
        total = total + u @ matrix_transpose(scale(change_v - v @ turn_v, 1 / row))
    return total


def _svd_tangent(tangents: Sequence[Node], y: Node, a: Node) -> Node:
    (change,) = tangents
    shapes = _svd_shapes(a)
    u, s, vh = _unpack(y, shapes)
    ut, v = matrix_transpose(u), matrix_transpose(vh)
    row, gaps = unsqueeze(s, -2), _svd_gaps(s)
    inner = ut @ change @ v
    mirrored = matrix_transpose(inner)
    column = unsqueeze(s, -1)
    change_u = u @ scale(inner * row + column * mirrored, gaps)
    change_v = v @ scale(column * inner + mirrored * row, gaps)
    if a.shape[-2] > s.shape[-1]:
        across = change @ v
        change_u = change_u + (across - u @ (ut @ across)) / row
    if a.shape[-1] > s.shape[-1]:
        across = matrix_transpose(change) @ u
        change_v = change_v + (across - v @ (vh @ across)) / row
    parts = [change_u, diagonal(inner, 0, -2, -1), matrix_transpose(change_v)]
    return _packed(parts, shapes)


SVD = General(
    "packed_svd",
    infer=lambda a: _packed_shape(a.shape[:-2], _svd_shapes(a)),
    forward=_svd,
    adjoints=(_svd_adjoint,),
    forward_rule=_svd_tangent,
    contracts=True,
    edge=_svd_edge,
)


def _svdvals_adjoint(change: Node, y: Node, a: Node) -> Node:
    u, _, vh = thin_svd(a)
    return (u * unsqueeze(change, -2)) @ vh


def _svdvals_tangent(tangents: Sequence[Node], y: Node, a: Node) -> Node:
    u, _, vh = thin_svd(a)
    return sum_(u * (tangents[0] @ matrix_transpose(vh)), (-2,))


SVDVALS = General(
    "svdvals",
    infer=lambda a: ((*a.shape[:-2], min(a.shape[-2:])), "float"),
    forward=lambda xp, a: lapack("svdvals", xp.linalg.svd, a, compute_uv=False),
    adjoints=(_svdvals_adjoint,),
    forward_rule=_svdvals_tangent,
    contracts=True,
    edge=_svd_edge,
)


def thin_svd(x: Node) -> list[Node]:
    """U, S and Vh with as many columns, values and rows as x has of the fewer."""
    return _unpack(x.graph.apply(SVD, (x,)), _svd_shapes(x))


class SingularVectors(NamedTuple):
    """What `svd` gives."""

    U: Node
    S: Node
    Vh: Node


@function(
    "svd",
    "linear algebra",
    cases=[
        Case("svd(x).S", {"x": (3, 2)}),
        Case("svd(x).U", {"x": (3, 3)}),
        Case("svd(x, full_matrices=False).U", {"x": (4, 2)}),
        Case("svd(x, full_matrices=False).Vh", {"x": (2, 3)}),
        Case("svd(x).Vh", {"x": (2, 2, 2)}),
        Case("svd(x).U[:, 1:]**2 @ [1, 1]", {"x": (3, 1)}),
    ],
    kink="nan in the gradients of U and Vh where singular values are repeated",
)
def svd(x: Node, full_matrices: bool = True) -> SingularVectors:
    """U, falling S and Vh with U @ diag(S) @ Vh = x.

    Gradients of U and Vh hold for what does not depend on the signs of the vectors and, with
    `full_matrices`, on the choice of those without a singular value.
    """
    x = matrices("svd", x)
    u, s, vh = thin_svd(x)
    if full_matrices:
        rows, columns = x.shape[-2:]
        if rows > columns:
            u = cat([u, orthogonal_complement.build(u)], -1)
        elif columns > rows:
            rest = orthogonal_complement.build(matrix_transpose(vh))
            vh = cat([vh, matrix_transpose(rest)], -2)
    return SingularVectors(u, s, vh)


@function(
    "svdvals",
    "linear algebra",
    op=SVDVALS,
    cases=[Case("svdvals(x)", {"x": (3, 2)}), Case("svdvals(x)", {"x": (2, 2, 2)})],
)
def svdvals(x: Node) -> Node:
    """The singular values, the largest first."""
    return x.graph.apply(SVDVALS, (matrices("svdvals", x),))


# --- eigenvalues ---------------------------------------------------------------------------


def _eigh_shapes(a: Node) -> tuple[Shape, Shape]:
    return a.shape[-1:], a.shape[-2:]


def _eigh(xp: Any, a: Array, uplo: str) -> Array:
    return _pack(xp, lapack("eigh", xp.linalg.eigh, a, uplo), a.shape[:-2])


def _eigh_edge(xp: Any, a: Array, uplo: str) -> Array:
    """A repeated eigenvalue."""
    return spacing(xp, xp.linalg.eigvalsh(a, uplo), -1)


def _eigh_adjoint(change: Node, y: Node, a: Node, uplo: str) -> Node:
    """Giles, Collected matrix derivative results (2008)."""
    shapes = _eigh_shapes(a)
    values, vectors = _unpack(y, shapes)
    change_values, change_vectors = _unpack(change, shapes)
    turned = matrix_transpose(vectors)
    inner = scale(turned @ change_vectors, _gaps(values)) + diag_embed(change_values)
    return vectors @ inner @ turned


def _eigh_tangent(tangents: Sequence[Node], y: Node, a: Node, uplo: str) -> Node:
    (change,) = tangents
    shapes = _eigh_shapes(a)
    values, vectors = _unpack(y, shapes)
    inner = matrix_transpose(vectors) @ change @ vectors
    change_vectors = vectors @ scale(inner, _gaps(values))
    return _packed([diagonal(inner, 0, -2, -1), change_vectors], shapes)


EIGH = General(
    "packed_eigh",
    infer=lambda a, uplo: _packed_shape(a.shape[:-2], _eigh_shapes(a)),
    forward=_eigh,
    adjoints=(_eigh_adjoint,),
    forward_rule=_eigh_tangent,
    contracts=True,
    edge=_eigh_edge,
)


def _eigvalsh_adjoint(change: Node, y: Node, a: Node, uplo: str) -> Node:
    _, vectors = _unpack(a.graph.apply(EIGH, (a,), (uplo,)), _eigh_shapes(a))
    return (vectors * unsqueeze(change, -2)) @ matrix_transpose(vectors)


def _eigvalsh_tangent(tangents: Sequence[Node], y: Node, a: Node, uplo: str) -> Node:
    _, vectors = _unpack(a.graph.apply(EIGH, (a,), (uplo,)), _eigh_shapes(a))
    return sum_(vectors * (tangents[0] @ vectors), (-2,))


EIGVALSH = General(
    "eigvalsh",
    infer=lambda a, uplo: (a.shape[:-1], "float"),
    forward=lambda xp, a, UPLO: lapack(  # noqa: N803 — how the argument is called
        "eigvalsh", xp.linalg.eigvalsh, a, UPLO
    ),
    adjoints=(_eigvalsh_adjoint,),
    forward_rule=_eigvalsh_tangent,
    contracts=True,
    edge=_eigh_edge,
)


class Eigenvectors(NamedTuple):
    """What `eigh` gives."""

    eigenvalues: Node
    eigenvectors: Node


def _triangle(name: str, uplo: str) -> str:
    if uplo not in ("L", "U"):
        raise GradcliError("value", f"{name}: UPLO is 'L' or 'U', not {uplo!r}")
    return uplo


@function(
    "eigh",
    "linear algebra",
    cases=[
        Case("eigh(x + x.mT).eigenvectors", {"x": (3, 3)}),
        Case("eigh(x + x.mT).eigenvalues", {"x": (3, 3)}),
        Case("eigh(x + x.mT, 'U')[1]", {"x": (2, 2, 2)}),
    ],
    kink="nan in the gradient of the eigenvectors where eigenvalues are repeated",
)
def eigh(x: Node, UPLO: str = "L") -> Eigenvectors:  # noqa: N803 — PyTorch's name
    """Rising eigenvalues and, in columns, eigenvectors of symmetric matrices.

    One triangle of x is read, the lower one unless UPLO is 'U'; the gradient is that of a
    symmetric x. Gradients of eigenvectors hold for what does not depend on their signs.
    """
    x = square("eigh", x)
    return Eigenvectors(
        *_unpack(x.graph.apply(EIGH, (x,), (_triangle("eigh", UPLO),)), _eigh_shapes(x))
    )


@function(
    "eigvalsh",
    "linear algebra",
    op=EIGVALSH,
    cases=[
        Case("eigvalsh(x + x.mT)", {"x": (3, 3)}),
        Case("eigvalsh(x + x.mT, UPLO='U')", {"x": (2, 2, 2)}),
    ],
)
def eigvalsh(x: Node, UPLO: str = "L") -> Node:  # noqa: N803 — PyTorch's name
    """The eigenvalues of symmetric matrices, rising."""
    return x.graph.apply(EIGVALSH, (square("eigvalsh", x),), (_triangle("eigvalsh", UPLO),))


FIELDS: dict[Op, tuple[tuple[str, ...], Callable[[Node], tuple[Shape, ...]]]] = {
    QR: (OrthogonalTriangular._fields, _qr_shapes),
    SVD: (SingularVectors._fields, _svd_shapes),
    EIGH: (Eigenvectors._fields, _eigh_shapes),
}
"""What the packed results are called, and their shapes behind the batch axes, for an operand."""
