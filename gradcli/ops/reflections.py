"""Products of Householder's reflections, as they are left by a QR decomposition."""

from __future__ import annotations

from collections.abc import Iterable

from gradcli.diagnostics import GradcliError
from gradcli.graph import Node
from gradcli.ops.axes import matrix_transpose
from gradcli.ops.creation import eye
from gradcli.ops.diagonals import tril
from gradcli.ops.group import Group
from gradcli.ops.shapes import show
from gradcli.ops.shaping import expand, part, unsqueeze
from gradcli.ops.systems import check_rows, matrices
from gradcli.ops.table import Case, full

table = Group("linear algebra")


def _reflected(vectors: Node, tau: Node, x: Node, order: Iterable[int]) -> Node:
    """x behind the reflections I - tau[i] * v[i] @ v[i].T, one after another."""
    for i in order:
        v, size = part(vectors, -1, i, 1), unsqueeze(part(tau, -1, i, 1), -1)
        x = x - v @ (size * (matrix_transpose(v) @ x))
    return x


def _vectors(name: str, a: Node, tau: Node) -> Node:
    """Columns that begin with a one on the diagonal, with zeros above it; one for each of tau."""
    a = matrices(name, a)
    rows, columns = a.shape[-2:]
    count = tau.shape[-1] if tau.ndim else columns + 1
    if count > columns or count > rows or tau.shape[:-1] != a.shape[:-2]:
        raise GradcliError(
            "shape",
            f"{name}: {show(tau.shape)} does not hold a number for columns of {show(a.shape)}",
        )
    a.graph.check_room(8 * count)
    return tril(part(a, -1, 0, count), -1) + eye(a.graph, rows, count)


@table.function(
    aliases=("orgqr",),
    cases=[
        Case("householder_product(x, y)", {"x": (3, 2), "y": (2,)}),
        Case("householder_product(x, y)", {"x": (2, 3, 3), "y": (2, 1)}),
    ],
    autocast="float32",
    demands={"a": full("orgqr_cpu")},
)
def householder_product(a: Node, tau: Node) -> Node:
    """The first columns of the product of reflections I - tau[i] * v[i] @ v[i].T.

    v[i] is column i of A below the diagonal, 1 on it and 0 above.
    """
    vectors = _vectors("householder_product", a, tau)
    rows, columns = a.shape[-2:]
    if columns > rows:
        raise GradcliError(
            "shape", f"householder_product: {show(a.shape)} has more columns than rows"
        )
    first = expand(eye(a.graph, rows, columns), a.shape)
    return _reflected(vectors, tau, first, reversed(range(tau.shape[-1])))


@table.function(
    cases=[
        Case("ormqr(x, y, z)", {"x": (3, 2), "y": (2,), "z": (3, 2)}),
        Case("ormqr(x, y, z, left=False, transpose=True)", {"x": (3, 2), "y": (2,), "z": (2, 3)}),
    ],
    autocast="float32",
)
def ormqr(a: Node, tau: Node, other: Node, left: bool = True, transpose: bool = False) -> Node:
    """Q @ `other`, for the square product Q of the reflections of `householder_product`.

    Q.mT in the place of Q with `transpose`, and `other` @ Q where not `left`.
    """
    vectors = _vectors("ormqr", a, tau)
    if not left:
        turned = ormqr.build(a, tau, matrix_transpose(other), transpose=not transpose)
        return matrix_transpose(turned)
    check_rows("ormqr", vectors, other)
    order = range(tau.shape[-1])
    return _reflected(vectors, tau, other, order if transpose else reversed(order))
