"""Determinants, of matrices along the last two axes, and their derivatives where they are 0."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gradcli.graph import NUMPY, Array, Node
from gradcli.language.construct import attribute, call
from gradcli.ops import cells
from gradcli.ops.axes import matrix_transpose
from gradcli.ops.comparison import lt
from gradcli.ops.creation import eye
from gradcli.ops.diagonals import diag_embed, diagonal
from gradcli.ops.group import Group
from gradcli.ops.kinds import General
from gradcli.ops.reductions import sum_
from gradcli.ops.running_products import prod
from gradcli.ops.selection import maximum, where
from gradcli.ops.shaping import expand, squeeze, unsqueeze
from gradcli.ops.spectra import svd
from gradcli.ops.systems import BATCH, SQUARE, copies, inv, inverse, square
from gradcli.ops.table import Case, floats, full_floats

if TYPE_CHECKING:
    from gradcli.graph import ArrayNamespace

table = Group("linear algebra")

WELL = 1e6
"""Beyond this condition an inverse has lost too many digits."""


def _cofactors(xp: ArrayNamespace, a: Array) -> Array:
    """det(A)·inv(A).T, and its limit where that loses digits or does not exist."""
    if xp.__name__ != "numpy":  # reading the condition would make the GPU wait
        return _cofactors_in_turn(xp, a)
    try:
        inverses = np.linalg.inv(a)
    except np.linalg.LinAlgError:
        return _cofactors_in_turn(NUMPY, a)
    det = np.linalg.det(a)[..., None, None]
    sizes = [np.linalg.norm(each, axis=(-2, -1), keepdims=True) for each in (a, inverses)]
    condition = sizes[0] * sizes[1]
    exact = (condition < WELL) & np.isfinite(det) & (np.abs(det) > np.finfo(a.dtype).tiny)
    found: Array = det * np.swapaxes(inverses, -1, -2)
    inexact = ~exact[..., 0, 0]
    if inexact.any():
        found[inexact] = _cofactors_in_turn(NUMPY, a[inexact])
    return found


def _cofactors_in_turn(xp: ArrayNamespace, a: Array) -> Array:
    """Cofactors without a division, so that they hold for singular matrices: for
    A = U·diag(s)·Vh they are det(U)·det(Vh) · U·diag(products of the other s)·Vh.
    """
    finite = xp.isfinite(a).all(axis=(-2, -1), keepdims=True)
    u, s, vh = xp.linalg.svd(xp.where(finite, a, xp.zeros((), a.dtype)))
    sign = xp.round(xp.linalg.det(u) * xp.linalg.det(vh))[..., None, None]
    count = a.shape[-1]
    rest = xp.where(xp.eye(count, dtype=bool), xp.ones((), a.dtype), s[..., None, :]).prod(axis=-1)
    result = sign * ((u * rest[..., None, :]) @ vh)
    return xp.where(finite, result, xp.full((), np.nan, a.dtype))


def _cofactors_change(change: Node, a: Node) -> Node:
    """The second derivative of det along `change`: a symmetric map, so its own adjoint.

    In the bases of the singular vectors A is diagonal. There a cofactor on the diagonal changes
    with the other diagonal elements, and one off the diagonal only with the mirrored element;
    both are times the products of all singular values except two.
    """
    u, s, vh = svd.build(a)
    count = a.shape[-1]
    turned = matrix_transpose(u) @ change @ matrix_transpose(vh)
    same = eye(a.graph, count)
    left_out = maximum(unsqueeze(same, -2), same)
    others = prod(where(left_out, 1.0, unsqueeze(unsqueeze(s, -2), -2)), -1) * (1.0 - same)
    on_diagonal = others @ unsqueeze(diagonal(turned, 0, -2, -1), -1)
    inner = diag_embed(squeeze(on_diagonal, (-1,))) - others * matrix_transpose(turned)
    sign = unsqueeze(unsqueeze(det(u) * det(vh), -1), -1)
    found: Node = sign * (u @ inner @ vh)
    return found


COFACTORS = General(
    "cofactors",
    infer=lambda a: (a.shape, "float"),
    forward=_cofactors,
    cell=cells.of_matrices(cells.cofactors),
    adjoints=(lambda change, y, a: _cofactors_change(change, a),),
    forward_rule=lambda tangents, y, a: _cofactors_change(tangents[0], a),
    contracts=True,
    work=copies(4, 3),
)


@table.function(
    op=COFACTORS,
    cases=[Case("cofactors(x)", SQUARE), Case("cofactors(x)", BATCH)],
    formula="det(x) * inv(x).mT",
)
def cofactors(x: Node) -> Node:
    """The cofactors of square matrices: the transposed adjugate, also where x is singular."""
    return x.graph.apply(COFACTORS, (square("cofactors", x),))


def _inv_or_limit(xp: ArrayNamespace, a: Array) -> Array:
    """Inverses; of a singular matrix its adjugate over 0."""
    try:
        return xp.linalg.inv(a)  # type: ignore[no-any-return]
    except np.linalg.LinAlgError:
        regular = (xp.linalg.slogdet(a)[0] != 0)[..., None, None]
        limit = xp.swapaxes(_cofactors_in_turn(xp, a), -1, -2) / xp.zeros((), a.dtype)
        inverses = xp.linalg.inv(xp.where(regular, a, xp.eye(a.shape[-1], dtype=a.dtype)))
        return xp.where(regular, inverses, limit)


INV_OR_LIMIT = inverse("inv_or_limit", _inv_or_limit, refuses=False)
"""The inverse for the derivative of log(abs(det)), where infinity is better than an error."""


def _of_matrix(change: Node, a: Node) -> Node:
    """One number for each matrix, shaped to multiply all of its elements."""
    return unsqueeze(unsqueeze(change, -1), -1)


DET = General(
    "det",
    infer=lambda a: (a.shape[:-2], "float"),
    forward=lambda xp, a: xp.linalg.det(a),
    adjoints=(lambda change, y, a: _of_matrix(change, a) * cofactors(a),),
    forward_rule=lambda tangents, y, a: sum_(tangents[0] * cofactors(a), (-2, -1)),
    contracts=True,
    work=copies(0, 1),
    by_book=lambda change, y, a: _of_matrix(change * y, a) * matrix_transpose(inv(a)),
    cell=cells.of_matrices(lambda a: str(cells.determinant(a))),
)
LOGABSDET = General(
    "logabsdet",
    infer=lambda a: (a.shape[:-2], "float"),
    forward=lambda xp, a: xp.linalg.slogdet(a)[1],
    cell=cells.of_matrices(lambda a: f"LN(ABS({cells.determinant(a)}))"),
    adjoints=(
        lambda change, y, a: (
            _of_matrix(change, a) * matrix_transpose(a.graph.apply(INV_OR_LIMIT, (a,)))
        ),
    ),
    forward_rule=lambda tangents, y, a: sum_(
        tangents[0] * matrix_transpose(a.graph.apply(INV_OR_LIMIT, (a,))), (-2, -1)
    ),
    contracts=True,
    work=copies(0, 1),
    spell=lambda node, a: attribute(call("slogdet", a), "logabsdet"),
    by_book=lambda change, y, a: _of_matrix(change, a) * matrix_transpose(inv(a)),
)
DETSIGN = General(
    "detsign",
    infer=lambda a: (a.shape[:-2], "float"),
    cell=cells.of_matrices(lambda a: f"SIGN({cells.determinant(a)})"),
    forward=lambda xp, a: xp.linalg.slogdet(a)[0],
    work=copies(0, 1),
    spell=lambda node, a: attribute(call("slogdet", a), "sign"),
)
"""The sign of the determinant: locally constant, so no gradient passes."""


class LogDeterminant(NamedTuple):
    """What `slogdet` gives."""

    sign: Node
    logabsdet: Node


@table.function(
    op=DET,
    latex=r"\det {0}",
    cases=[Case("det(x)", SQUARE), Case("det(x)", BATCH), Case("det(x[:, :1] @ x[:1])", SQUARE)],
    numpy="np.linalg.det",
    torch="torch.linalg.det",
    confused=("logdet", "trace"),
    gradients={
        "x": (
            "cotangent * result * inv(x).mT",
            "reshape(cotangent * result, -1, 1, 1) * inv(x).mT",
            "cotangent * cofactors(x)",
        ),
    },
    demands={"x": floats("linalg.det", "lu_cpu")},
)
def det(x: Node) -> Node:
    """The determinant of square matrices.

    At singular ones too its derivative is the adjugate, where PyTorch gives zeros.
    """
    return x.graph.apply(DET, (square("det", x),))


@table.function(
    cases=[Case("slogdet(x).logabsdet", SQUARE), Case("slogdet(x)[1]", BATCH)],
    kink="the adjugate over 0 at singular matrices: infinities, nan where that is 0/0",
    numpy="np.linalg.slogdet",
    torch="torch.linalg.slogdet",
    gradients={
        "x": (
            "cotangent.logabsdet * inv(x).mT",
            "reshape(cotangent.logabsdet, -1, 1, 1) * inv(x).mT",
        ),
    },
    demands={"x": full_floats("linalg.slogdet")},
)
def slogdet(x: Node) -> LogDeterminant:
    """The sign of the determinant and the logarithm of its absolute value."""
    x = square("slogdet", x)
    return LogDeterminant(x.graph.apply(DETSIGN, (x,)), x.graph.apply(LOGABSDET, (x,)))


@table.function(
    latex=r"\ln \det {0}",
    cases=[Case("logdet(x @ x.mT)", SQUARE), Case("logdet(x @ x.mT)", BATCH)],
    confused=("det",),
    gradients={
        "x": (
            "cotangent * inv(x).mT",
            "reshape(cotangent, -1, 1, 1) * inv(x).mT",
        ),
    },
    by_book=lambda x: slogdet.build(x).logabsdet,
    demands={"x": full_floats("logdet")},
)
def logdet(x: Node) -> Node:
    """The logarithm of the determinant: -inf where that is 0, nan where it is negative."""
    sign, size = slogdet.build(x)
    return where(lt(sign, 0.0), expand(x.graph.constant(np.nan), size.shape), size)
