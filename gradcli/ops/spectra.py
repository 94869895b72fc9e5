"""Singular values, eigenvalues and their vectors, of matrices along the last two axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from gradcli.diagnostics import GradcliError
from gradcli.graph import Array, Node, Shape
from gradcli.language.construct import argument, call
from gradcli.ops.arithmetic import scale
from gradcli.ops.axes import matrix_transpose
from gradcli.ops.diagonals import diag_embed, diagonal
from gradcli.ops.extremes import spacing
from gradcli.ops.factors import orthogonal_complement
from gradcli.ops.group import Group
from gradcli.ops.joining import cat
from gradcli.ops.kinds import General, zeros_like
from gradcli.ops.packing import (
    SIGNED,
    gaps,
    lapack,
    lapack_svd,
    pack,
    packed,
    packed_shape,
    skew,
    unpack,
)
from gradcli.ops.reductions import sum_
from gradcli.ops.shaping import unsqueeze
from gradcli.ops.systems import copies, matrices, square
from gradcli.ops.table import Case, everywhere, floats, full

if TYPE_CHECKING:
    from gradcli.graph import ArrayNamespace

table = Group("linear algebra")

# --- singular values -----------------------------------------------------------------------


def _svd_shapes(a: Node) -> tuple[Shape, Shape, Shape]:
    rows, columns = a.shape[-2:]
    count = min(rows, columns)
    return (rows, count), (count,), (count, columns)


def _svd(xp: ArrayNamespace, a: Array) -> Array:
    return pack(xp, lapack_svd("svd", xp, a, full_matrices=False), a.shape[:-2])


def _svd_edge(xp: ArrayNamespace, a: Array) -> Array:
    """A singular value of 0 or a repeated one."""
    s = lapack_svd("svd", xp, a, compute_uv=False)
    return xp.concat([s, spacing(xp, s, -1)], axis=-1)


def _svd_gaps(s: Node) -> Node:
    """1 / (s[j]² - s[i]²), from the factors of the difference so that no digits are lost."""
    return gaps(s) / (unsqueeze(s, -2) + unsqueeze(s, -1))


def _svd_adjoint(change: Node, y: Node, a: Node) -> Node:
    """Townsend, Differentiating the singular value decomposition (2016).

    `scale` keeps gradients of unused results at 0 where singular values are repeated or 0.
    """
    shapes = _svd_shapes(a)
    u, s, vh = unpack(y, shapes)
    change_u, change_s, change_vh = unpack(change, shapes)
    ut, v, change_v = (matrix_transpose(each) for each in (u, vh, change_vh))
    row, gaps = unsqueeze(s, -2), _svd_gaps(s)
    turn_u, turn_v = ut @ change_u, vh @ change_v
    inner = scale(skew(turn_u), gaps) * row + unsqueeze(s, -1) * scale(skew(turn_v), gaps)
    total = u @ (inner + diag_embed(change_s)) @ vh
    if a.shape[-2] > s.shape[-1]:
        total = total + scale(change_u - u @ turn_u, 1 / row) @ vh
    if a.shape[-1] > s.shape[-1]:
        total = total + u @ matrix_transpose(scale(change_v - v @ turn_v, 1 / row))
    return total


def _svd_tangent(tangents: Sequence[Node], y: Node, a: Node) -> Node:
    (change,) = tangents
    shapes = _svd_shapes(a)
    u, s, vh = unpack(y, shapes)
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
    return packed(parts, shapes)


SVD = General(
    "packed_svd",
    infer=lambda a: packed_shape(a.shape[:-2], _svd_shapes(a)),
    forward=_svd,
    host=SIGNED,
    refuses=True,
    adjoints=(_svd_adjoint,),
    forward_rule=_svd_tangent,
    contracts=True,
    work=copies(2, 4),
    edge=_svd_edge,
    spell=lambda node, a: call("svd", a, full_matrices=argument(False)),
    fields=lambda a: tuple(zip(SingularVectors._fields, _svd_shapes(a), strict=True)),
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
    forward=lambda xp, a: lapack_svd("svdvals", xp, a, compute_uv=False),
    refuses=True,
    adjoints=(_svdvals_adjoint,),
    forward_rule=_svdvals_tangent,
    contracts=True,
    work=copies(0, 1),
    edge=_svd_edge,
)


def thin_svd(x: Node) -> list[Node]:
    """U, S and Vh with as many columns, values and rows as x has of the fewer."""
    return unpack(x.graph.apply(SVD, (x,)), _svd_shapes(x))


class SingularVectors(NamedTuple):
    """What `svd` gives."""

    U: Node
    S: Node
    Vh: Node


@table.function(
    cases=[
        Case("svd(x).S", {"x": (3, 2)}),
        Case("svd(x).U", {"x": (3, 3)}),
        Case("svd(x, full_matrices=False).U", {"x": (4, 2)}),
        Case("svd(x, full_matrices=False).Vh", {"x": (2, 3)}),
        Case("svd(x).Vh", {"x": (2, 2, 2)}),
        Case("svd(x).U[:, 1:]**2 @ [1, 1]", {"x": (3, 1)}),
    ],
    elsewhere={
        "torch": "nan (by U and Vh)",
        "jax": "nan (by U and Vh)",
        "tensorflow": "finite (the pair counts for nothing)",
    },
    kink="nan in the gradients of U and Vh where singular values are repeated",
    numpy="np.linalg.svd",
    torch="torch.linalg.svd",
    gradients={
        "x": ("(svd(x, full_matrices=False).U * cotangent.S) @ svd(x, full_matrices=False).Vh",),
    },
    demands={"x": floats("linalg.svd", "linalg_svd_cpu")},
    autocast="float32",
)
def svd(x: Node, full_matrices: bool = True, *, driver: str | None = None) -> SingularVectors:
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


class OlderSingularVectors(NamedTuple):
    """The result of `torch.svd`."""

    U: Node
    S: Node
    V: Node


@table.function(
    "torch.svd",
    cases=[
        Case("torch.svd(x).V", {"x": (2, 3)}),
        Case("torch.svd(x, some=False).S", {"x": (3, 2)}),
    ],
    kink="nan in the gradients of U and V where singular values are repeated",
)
def older_svd(x: Node, some: bool = True, compute_uv: bool = True) -> OlderSingularVectors:
    """U, falling S and V with U @ diag(S) @ V.mT = x; U and V are square unless `some`.

    `svd` and torch.linalg.svd give Vh, which is V.mT. Without `compute_uv` U and V are zeros.
    """
    u, s, vh = svd.build(x, full_matrices=not (some and compute_uv))
    v = matrix_transpose(vh)
    return (
        OlderSingularVectors(u, s, v)
        if compute_uv
        else OlderSingularVectors(zeros_like(u), s, zeros_like(v))
    )


@table.function(
    op=SVDVALS,
    cases=[Case("svdvals(x)", {"x": (3, 2)}), Case("svdvals(x)", {"x": (2, 2, 2)})],
    numpy="np.linalg.svdvals",
    torch="torch.linalg.svdvals",
    kink="repeated values share as LAPACK orders their vectors",
    elsewhere=everywhere("by LAPACK's vectors, as here"),
    autocast="float32",
    demands={"x": floats("linalg.svd", "linalg_svd_cpu")},
)
def svdvals(x: Node, *, driver: str | None = None) -> Node:
    """The singular values, the largest first."""
    return x.graph.apply(SVDVALS, (matrices("svdvals", x),))


# --- eigenvalues ---------------------------------------------------------------------------


def _eigh_shapes(a: Node) -> tuple[Shape, Shape]:
    return a.shape[-1:], a.shape[-2:]


def _eigh(xp: ArrayNamespace, a: Array, uplo: str) -> Array:
    return pack(xp, lapack("eigh", xp.linalg.eigh, a, uplo), a.shape[:-2])


def _eigh_edge(xp: ArrayNamespace, a: Array, uplo: str) -> Array:
    """A repeated eigenvalue."""
    return spacing(xp, xp.linalg.eigvalsh(a, uplo), -1)


def _eigh_adjoint(change: Node, y: Node, a: Node, uplo: str) -> Node:
    """Giles, Collected matrix derivative results (2008), symmetrised as that of `cholesky` is."""
    shapes = _eigh_shapes(a)
    values, vectors = unpack(y, shapes)
    change_values, change_vectors = unpack(change, shapes)
    turned = matrix_transpose(vectors)
    inner = scale(turned @ change_vectors, gaps(values))
    inner = (inner + matrix_transpose(inner)) / 2 + diag_embed(change_values)
    return vectors @ inner @ turned


def _eigh_tangent(tangents: Sequence[Node], y: Node, a: Node, uplo: str) -> Node:
    (change,) = tangents
    shapes = _eigh_shapes(a)
    values, vectors = unpack(y, shapes)
    change = (change + matrix_transpose(change)) / 2
    inner = matrix_transpose(vectors) @ change @ vectors
    change_vectors = vectors @ scale(inner, gaps(values))
    return packed([diagonal(inner, 0, -2, -1), change_vectors], shapes)


EIGH = General(
    "packed_eigh",
    infer=lambda a, uplo: packed_shape(a.shape[:-2], _eigh_shapes(a)),
    forward=_eigh,
    host=SIGNED,
    refuses=True,
    adjoints=(_eigh_adjoint,),
    forward_rule=_eigh_tangent,
    contracts=True,
    work=copies(1, 2),
    symmetric=True,
    edge=_eigh_edge,
    spell=lambda node, a: call("eigh", a, UPLO=argument(node.attributes[0])),
    fields=lambda a: tuple(zip(Eigenvectors._fields, _eigh_shapes(a), strict=True)),
)


def _eigvalsh_adjoint(change: Node, y: Node, a: Node, uplo: str) -> Node:
    _, vectors = unpack(a.graph.apply(EIGH, (a,), (uplo,)), _eigh_shapes(a))
    return (vectors * unsqueeze(change, -2)) @ matrix_transpose(vectors)


def _eigvalsh_tangent(tangents: Sequence[Node], y: Node, a: Node, uplo: str) -> Node:
    _, vectors = unpack(a.graph.apply(EIGH, (a,), (uplo,)), _eigh_shapes(a))
    return sum_(vectors * (tangents[0] @ vectors), (-2,))


EIGVALSH = General(
    "eigvalsh",
    infer=lambda a, uplo: (a.shape[:-1], "float"),
    forward=lambda xp, a, UPLO: lapack(  # noqa: N803 — the argument's name
        "eigvalsh", xp.linalg.eigvalsh, a, UPLO
    ),
    refuses=True,
    adjoints=(_eigvalsh_adjoint,),
    forward_rule=_eigvalsh_tangent,
    contracts=True,
    work=copies(0, 1),
    symmetric=True,
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


@table.function(
    cases=[
        Case("eigh(x + x.mT).eigenvectors", {"x": (3, 3)}),
        Case("eigh(x + x.mT).eigenvalues", {"x": (3, 3)}),
        Case("eigh(x + x.mT, 'U')[1]", {"x": (2, 2, 2)}),
    ],
    elsewhere=everywhere(
        "nan (by the eigenvectors)", tensorflow="finite (the pair counts for nothing)"
    ),
    kink="nan in the gradient of the eigenvectors where eigenvalues are repeated",
    numpy="np.linalg.eigh",
    torch="torch.linalg.eigh",
    gradients={
        "x": (
            "(eigh(x, UPLO).eigenvectors * cotangent.eigenvalues) @ eigh(x, UPLO).eigenvectors.mT",
        ),
    },
    demands={"x": full("linalg_eigh_cpu")},
    autocast="float32",
)
def eigh(x: Node, UPLO: str = "L") -> Eigenvectors:  # noqa: N803 — PyTorch's name
    """Rising eigenvalues and, in columns, eigenvectors of symmetric matrices.

    One triangle of x is read, the lower one unless UPLO is 'U'; the gradient is that of a
    symmetric x. Gradients of eigenvectors hold for what does not depend on their signs.
    """
    x = square("eigh", x)
    return Eigenvectors(
        *unpack(x.graph.apply(EIGH, (x,), (_triangle("eigh", UPLO),)), _eigh_shapes(x))
    )


@table.function(
    op=EIGVALSH,
    cases=[
        Case("eigvalsh(x + x.mT)", {"x": (3, 3)}),
        Case("eigvalsh(x + x.mT, UPLO='U')", {"x": (2, 2, 2)}),
    ],
    numpy="np.linalg.eigvalsh",
    torch="torch.linalg.eigvalsh",
    kink="repeated values share as LAPACK orders their vectors",
    elsewhere=everywhere("by LAPACK's vectors, as here"),
    demands={"x": full("linalg_eigh_cpu")},
    autocast="float32",
)
def eigvalsh(x: Node, UPLO: str = "L") -> Node:  # noqa: N803 — PyTorch's name
    """The eigenvalues of symmetric matrices, rising."""
    return x.graph.apply(EIGVALSH, (square("eigvalsh", x),), (_triangle("eigvalsh", UPLO),))
