"""Systems of equations in PyTorch's further forms: of tensors, of triangles, with codes."""

from __future__ import annotations

from math import prod
from typing import NamedTuple

from gradcli.diagnostics import GradcliError
from gradcli.graph import Node
from gradcli.ops.axes import matrix_transpose, movedim
from gradcli.ops.creation import eye
from gradcli.ops.factors import cholesky
from gradcli.ops.group import Group
from gradcli.ops.kinds import cast
from gradcli.ops.shapes import Axes, normalize_axis, show
from gradcli.ops.shaping import expand, reshape
from gradcli.ops.systems import SQUARE, cholesky_solve, inv, solve, solve_triangular, square
from gradcli.ops.table import Case, floats, full, full_floats

table = Group("linear algebra")

# --- of tensors ----------------------------------------------------------------------------


@table.function(
    cases=[
        Case("tensorinv(x)", {"x": (2, 1, 1, 2)}),
        Case("tensorinv(x, ind=1)", {"x": (4, 2, 2)}),
    ],
    autocast="float32",
    demands={"x": full_floats("linalg.inv")},
)
def tensorinv(x: Node, ind: int = 2) -> Node:
    """The inverse for `tensordot`: the first `ind` axes together are as long as the others."""
    if ind < 1:
        raise GradcliError("value", f"tensorinv: ind is {ind}; it is a count of axes")
    rows, columns = x.shape[:ind], x.shape[ind:]
    if prod(rows) != prod(columns):
        raise GradcliError(
            "shape",
            f"tensorinv: {show(rows)} and {show(columns)} do not hold equally many elements",
        )
    found = inv.build(reshape(x, (prod(rows), prod(columns))))
    return reshape(found, (*columns, *rows))


@table.function(
    cases=[
        Case("tensorsolve(x, y)", {"x": (2, 2, 4), "y": (2, 2)}),
        Case("tensorsolve(x, y, dims=(0,))", {"x": (4, 2, 2), "y": (2, 2)}),
    ],
    autocast="float32",
    demands={"a": floats("linalg.solve", "lu_cpu")},
)
def tensorsolve(a: Node, b: Node, dims: Axes | None = None) -> Node:
    """X with tensordot(A, X, X.ndim) = B; the axes `dims` of A are moved to its end before."""
    if dims is not None:
        axes = [normalize_axis("tensorsolve", each, a.ndim) for each in dims]
        a = movedim.build(a, tuple(axes), tuple(range(-len(axes), 0)))
    shape = a.shape[b.ndim :]
    if prod(shape) != b.size or a.size != b.size**2:
        raise GradcliError(
            "shape", f"tensorsolve: {show(a.shape)} has no solution for {show(b.shape)}"
        )
    found = solve.build(reshape(a, (b.size, b.size)), reshape(b, (b.size, 1)))
    return reshape(found, shape)


# --- of triangles --------------------------------------------------------------------------


class Solved(NamedTuple):
    """The result of `triangular_solve`."""

    solution: Node
    cloned_coefficient: Node


@table.function(
    cases=[
        Case("triangular_solve(y, x + 3*eye(3)).solution", {"x": (3, 3), "y": (3, 2)}),
        Case(
            "triangular_solve(y, x + 3*eye(3), upper=False, transpose=True)[0]",
            {"x": (3, 3), "y": (3, 2)},
        ),
    ],
    demands={"b": full("triangular_solve_cpu")},
)
def triangular_solve(
    b: Node, a: Node, upper: bool = True, transpose: bool = False, unitriangular: bool = False
) -> Solved:
    """X with A @ X = B, reading one triangle of A, or of its transpose; and A.

    `solve_triangular` is newer.
    """
    turned = matrix_transpose(a) if transpose else a
    found = solve_triangular.build(turned, b, upper=upper != transpose, unitriangular=unitriangular)
    return Solved(found, a)


@table.function(
    cases=[
        Case("cholesky_inverse(x + 3*eye(3))", SQUARE),
        Case("cholesky_inverse(x + 3*eye(2), upper=True)", {"x": (2, 2, 2)}),
    ],
    demands={"x": full("cholesky_inverse_out_cpu")},
)
def cholesky_inverse(x: Node, upper: bool = False) -> Node:
    """The inverse of a matrix, from its Cholesky factor."""
    x = square("cholesky_inverse", x)
    one = expand(eye(x.graph, x.shape[-1]), x.shape)
    return cholesky_solve(one, x, upper)


# --- with codes ----------------------------------------------------------------------------


class FactorWithInfo(NamedTuple):
    """The result of `cholesky_ex`."""

    L: Node
    info: Node


class InverseWithInfo(NamedTuple):
    """The result of `inv_ex`."""

    inverse: Node
    info: Node


class SolutionWithInfo(NamedTuple):
    """The result of `solve_ex`."""

    result: Node
    info: Node


def success(x: Node) -> Node:
    """PyTorch's code of success, 0, for each matrix: here a failure is an error."""
    return expand(cast(x.graph.constant(0.0), "int"), x.shape[:-2])


@table.function(
    cases=[Case("cholesky_ex(x @ x.mT + eye(3)).L", SQUARE)],
    demands={"x": floats("linalg.cholesky", "cholesky_cpu")},
)
def cholesky_ex(x: Node, *, upper: bool = False, check_errors: bool = False) -> FactorWithInfo:
    """`cholesky` with PyTorch's code of success, 0 for each matrix; a failure is an error here."""
    return FactorWithInfo(cholesky.build(x, upper=upper), success(x))


@table.function(
    cases=[Case("inv_ex(x).inverse", SQUARE)],
    autocast="float32",
    demands={"x": full_floats("linalg.inv")},
)
def inv_ex(x: Node, *, check_errors: bool = False) -> InverseWithInfo:
    """`inv` with PyTorch's code of success, 0 for each matrix; a failure is an error here."""
    return InverseWithInfo(inv.build(x), success(x))


@table.function(cases=[Case("solve_ex(x, y).result", {"x": (3, 3), "y": (3, 2)})])
def solve_ex(
    a: Node, b: Node, *, left: bool = True, check_errors: bool = False
) -> SolutionWithInfo:
    """`solve` with PyTorch's code of success, 0 for each matrix; a failure is an error here."""
    return SolutionWithInfo(solve.build(a, b, left=left), success(a))
