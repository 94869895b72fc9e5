"""Systems of equations, and inverses, of matrices along the last two axes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from gradcli.diagnostics import GradcliError, RefusedError
from gradcli.graph import Array, Node, Shape
from gradcli.language.construct import call
from gradcli.ops import cells
from gradcli.ops.axes import matrix_transpose, movedim
from gradcli.ops.creation import eye
from gradcli.ops.diagonals import tril, triu
from gradcli.ops.group import Group
from gradcli.ops.kinds import General, Work, cast
from gradcli.ops.shapes import broadcast, show
from gradcli.ops.shaping import reshape, squeeze, sum_to, unsqueeze
from gradcli.ops.table import Alike, Case, floats, full, full_floats

if TYPE_CHECKING:
    from gradcli.graph import ArrayNamespace

table = Group("linear algebra")

SQUARE = {"x": (3, 3)}
BATCH = {"x": (2, 2, 2)}


def square(name: str, x: Node) -> Node:
    """x as floats; the error `shape` if it holds no square matrices."""
    check_square(name, x)
    return cast(x, "float")


def check_square(name: str, x: Node) -> None:
    """Raise `shape` if x holds no square matrices."""
    if x.ndim < 2 or x.shape[-1] != x.shape[-2]:
        raise GradcliError("shape", f"{name} takes square matrices; this is {show(x.shape)}")


def matrices(name: str, x: Node) -> Node:
    """x as floats; the error `shape` if it has no matrices along its last two axes."""
    if x.ndim < 2:
        raise GradcliError("shape", f"{name} takes matrices; this is {show(x.shape)}")
    return cast(x, "float")


def copies(whole: float, single: float) -> Work:
    """The work of an op on matrices: so many copies of its operand, and of one matrix of it."""

    def work(node: Node) -> float:
        (a, *_) = node.inputs
        return whole * a.size + single * math.prod(a.shape[-2:])

    return work


# --- singular matrices ---------------------------------------------------------------------


def on_host(a: Array) -> Array:
    """a in NumPy's memory, wherever it is: there the details of an error are found."""
    return a.get() if hasattr(a, "get") else a


def _invertible(a: Array) -> bool:
    try:
        np.linalg.inv(a)
    except np.linalg.LinAlgError:
        return False
    return True


def _singular(name: str, a: Array) -> GradcliError:
    """The error for the first singular matrix among `a`."""
    a = on_host(a)
    place = next(each for each in np.ndindex(a.shape[:-2]) if not _invertible(a[each]))
    which = f" at [{', '.join(map(str, place))}]" if place else ""
    return GradcliError(
        "singular",
        f"{name}: the matrix{which} is singular: its pivot {_smallest_pivot(a[place])} is 0",
        hint="pinv and lstsq take singular matrices",
    )


def _smallest_pivot(a: Array) -> int:
    """Which pivot of Gaussian elimination with row exchanges is the smallest, counted from 1."""
    a = np.array(a, np.float64)
    for k in range(len(a) - 1):
        row = k + int(np.argmax(np.abs(a[k:, k])))
        a[[k, row]] = a[[row, k]]
        if a[k, k]:
            a[k + 1 :] -= np.outer(a[k + 1 :, k] / a[k, k], a[k])
    return int(np.argmin(np.abs(np.diagonal(a)))) + 1


# --- solve ---------------------------------------------------------------------------------

MANY = 128
"""From this many rows on, triangular systems are solved in blocks."""
ROWS = 64
"""The number of rows of a block."""


def _solve(xp: ArrayNamespace, a: Array, b: Array) -> Array:
    batch = broadcast("solve", [a.shape[:-2], b.shape[:-2]])
    a = xp.broadcast_to(a, (*batch, *a.shape[-2:]))
    b = xp.broadcast_to(b, (*batch, *b.shape[-2:]))
    if a.shape[-1] >= MANY and xp.__name__ == "numpy":  # looking would make a GPU wait
        upper = not np.tril(a, -1).any()
        if (upper or not np.triu(a, 1).any()) and np.diagonal(a, 0, -2, -1).all():
            return _substituted(xp, a, b, upper)
    try:
        return xp.linalg.solve(a, b)  # type: ignore[no-any-return]
    except np.linalg.LinAlgError:
        raise _singular("solve", a) from None


def _substituted(xp: ArrayNamespace, a: Array, b: Array, upper: bool) -> Array:
    """inv(a) @ b of triangular a: blocks of rows, each after those that it depends on, so that
    nearly all of the work is products.
    """
    x = xp.empty(b.shape, b.dtype)
    starts = range(0, a.shape[-1], ROWS)
    for start in reversed(starts) if upper else starts:
        rows = slice(start, start + ROWS)
        known = slice(start + ROWS, None) if upper else slice(start)
        rest = b[..., rows, :] - xp.matmul(a[..., rows, known], x[..., known, :])
        x[..., rows, :] = xp.linalg.solve(a[..., rows, rows], rest)
    return x


def _solve_shape(a: Node, b: Node) -> tuple[Shape, Any]:
    return (*broadcast("solve", [a.shape[:-2], b.shape[:-2]]), *b.shape[-2:]), "float"


def _solve_tangent(tangents: list[Node | None], y: Node, a: Node, b: Node) -> Node:
    change_a, change_b = tangents
    right = None if change_a is None else -(change_a @ y)
    if change_b is not None:
        right = change_b if right is None else right + change_b
    assert right is not None, "one of the operands changes"
    return _solved(a, right)


def _batched(y: Node, a: Node, b: Node) -> Node:
    """Right sides with a batch axis become more columns, so that each matrix is factored once."""
    columns = movedim(b, (0,), (-2,))
    *around, count, width = columns.shape
    found = _solved(a, reshape(columns, (*around, count * width)))
    return movedim(reshape(found, (*found.shape[:-1], count, width)), (-2,), (0,))


SOLVE = General(
    "solve",
    infer=_solve_shape,
    forward=_solve,
    refuses=True,
    adjoints=(
        lambda change, y, a, b: sum_to(
            -(_solved(matrix_transpose(a), change) @ matrix_transpose(y)), a.shape
        ),
        lambda change, y, a, b: sum_to(_solved(matrix_transpose(a), change), b.shape),
    ),
    forward_rule=_solve_tangent,
    batched=_batched,
    cell=cells.of_matrices(lambda a, b: cells.over_determinant(cells.cofactors(a).T @ b, a)),
    contracts=True,
    work=lambda node: sum(math.prod(each.shape[-2:]) for each in node.inputs),
)


def _solved(a: Node, b: Node) -> Node:
    return a.graph.apply(SOLVE, (a, b))


@table.function(
    op=SOLVE,
    cases=[
        Case("solve(x, y)", {"x": (3, 3), "y": (3, 2)}),
        Case("solve(x, y)", {"x": (3, 3), "y": (3,)}),
        Case("solve(x, y)", {"x": (2, 2, 2), "y": (2, 1)}),
        Case("solve(x, y)", {"x": (2, 2, 2), "y": (2, 2)}),
        Case("solve(x, y, left=False)", {"x": (3, 3), "y": (2, 3)}),
    ],
    formula="inv(a) @ b",
    numpy="np.linalg.solve",
    torch="torch.linalg.solve",
    gradients={
        "a": (
            "-(solve(a.mT, cotangent) @ result.mT)",
            "-outer(solve(a.mT, cotangent), result)",
            "-(result.mT @ solve(a.mT, cotangent, left=False))",
            "-(unsqueeze(solve(a.mT, cotangent), -1) @ unsqueeze(result, -2))",
        ),
        "b": (
            "solve(a.mT, cotangent)",
            "solve(a.mT, cotangent, left=False)",
            "sum(solve(a.mT, cotangent), dim=0)",
        ),
    },
    demands={
        "a": floats("linalg.solve", "lu_cpu"),
        "a, b": Alike(
            "linalg.solve: Expected A and B to have the same dtype, but found A of "
            "type {Type} and B of type {Other} instead"
        ),
    },
    autocast="float32",
)
def solve(a: Node, b: Node, *, left: bool = True) -> Node:
    """X with A @ X = B, or X @ A = B where not `left`. The error `singular` names the pivot."""
    a, b = square("solve", a), cast(b, "float")
    column = is_vector(a, b)
    b = unsqueeze(b, -1) if column else b
    if not left:
        a, b = matrix_transpose(a), matrix_transpose(matrices("solve", b))
    check_rows("solve", a, b)
    x = _solved(a, b)
    x = x if left else matrix_transpose(x)
    return squeeze(x, (-1,)) if column else x


def is_vector(a: Node, b: Node) -> bool:
    """Whether b is a right side of one column, or a batch of them, as PyTorch tells it."""
    return b.ndim == 1 or (b.ndim == a.ndim - 1 and b.shape == a.shape[:-1])


def check_rows(name: str, a: Node, b: Node) -> None:
    """Raise `shape` unless a and b have equally many rows."""
    if b.ndim < 2 or a.shape[-2] != b.shape[-2]:
        said = (
            f"linalg.{name}: Incompatible shapes of A and B for the equation AX = B "
            f"({a.shape[-2]}x{a.shape[-1]} and {b.shape[-2]}x{b.shape[-1]})"
            if b.ndim > 1 and name != "lstsq"
            else "torch.linalg.lstsq: input.size(-2) should match other.size(-2)"
        )
        raise RefusedError(
            ("RuntimeError", said),
            "shape",
            f"{name}: {show(a.shape)} and {show(b.shape)} must have equally many rows",
        )


@table.function(
    cases=[
        Case("solve_triangular(x + 3*eye(3), y, upper=True)", {"x": (3, 3), "y": (3, 2)}),
        Case("solve_triangular(x + 3*eye(2), y, upper=False)", {"x": (2, 2, 2), "y": (2, 1)}),
        Case(
            "solve_triangular(x, y, upper=True, left=False, unitriangular=True)",
            {"x": (3, 3), "y": (2, 3)},
        ),
    ],
    unlike={"scipy.linalg.solve_triangular": "solve_triangular(A, B, upper=True)"},
    demands={"a": full("triangular_solve_cpu")},
)
def solve_triangular(
    a: Node, b: Node, *, upper: bool, left: bool = True, unitriangular: bool = False
) -> Node:
    """X with A @ X = B (X @ A = B where not `left`), reading one triangle of A only.

    With `unitriangular` the diagonal counts as ones and is not read either.
    """
    a = square("solve_triangular", a)
    inside = int(unitriangular)
    a = triu(a, inside) if upper else tril(a, -inside)
    if unitriangular:
        a = a + eye(a.graph, a.shape[-1])
    if b.ndim < 2:
        raise GradcliError("shape", f"solve_triangular: B must be a matrix, not {show(b.shape)}")
    b = cast(b, "float")
    if not left:
        a, b = matrix_transpose(a), matrix_transpose(b)
    check_rows("solve_triangular", a, b)
    x = _solved(a, b)
    return x if left else matrix_transpose(x)


@table.function(
    cases=[
        Case("cholesky_solve(y, x + 3*eye(3))", {"x": (3, 3), "y": (3, 2)}),
        Case("cholesky_solve(y, x + 3*eye(2), upper=True)", {"x": (2, 2, 2), "y": (2, 1)}),
    ],
    demands={
        "b, factor": Alike(
            "Expected b and A to have the same dtype, but found b of type {Type} and "
            "A of type {Other} instead."
        ),
        "b": full("cholesky_solve_cpu"),
    },
)
def cholesky_solve(b: Node, factor: Node, upper: bool = False) -> Node:
    """X with A @ X = B, where `factor` is the Cholesky factor of A; `cholesky` makes it."""
    factor = square("cholesky_solve", factor)
    turned = matrix_transpose(factor)
    lower, raised = (turned, factor) if upper else (factor, turned)
    half = solve_triangular.build(lower, b, upper=False)
    return solve_triangular(raised, half, upper=True)


# --- inverses ------------------------------------------------------------------------------


def _inv(xp: ArrayNamespace, a: Array) -> Array:
    try:
        return xp.linalg.inv(a)  # type: ignore[no-any-return]
    except np.linalg.LinAlgError:
        raise _singular("inv", a) from None


def _inverse_change(change: Node, y: Node) -> Node:
    return -(y @ change @ y)


def inverse(name: str, forward: Any, *, refuses: bool) -> General:
    """An op with the derivative of inverses."""
    return General(
        name,
        infer=lambda a: (a.shape, "float"),
        forward=forward,
        refuses=refuses,
        adjoints=(lambda change, y, a: _inverse_change(change, matrix_transpose(y)),),
        forward_rule=lambda tangents, y, a: _inverse_change(tangents[0], y),
        contracts=True,
        work=copies(0, 2),
        spell=lambda node, a: call("inv", a),
        cell=cells.of_matrices(lambda a: cells.over_determinant(cells.cofactors(a).T, a)),
    )


INV = inverse("inv", _inv, refuses=True)


@table.function(
    aliases=("inverse",),
    op=INV,
    latex="{0}^{{-1}}",
    cases=[Case("inv(x)", SQUARE), Case("inv(x)", BATCH)],
    formula="inv(x)",
    numpy="np.linalg.inv",
    torch="torch.linalg.inv",
    confused=("pinv",),
    gradients={
        "x": "-(result.mT @ cotangent @ result.mT)",
    },
    demands={"x": full_floats("linalg.inv")},
    autocast="float32",
)
def inv(x: Node) -> Node:
    """The inverse of square matrices. The error `singular` names the pivot that is 0."""
    return x.graph.apply(INV, (square("inv", x),))
