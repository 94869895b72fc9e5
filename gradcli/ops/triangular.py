"""Triangular factors by elimination with row exchanges (LU), and what is solved with them.

Which rows are exchanged is an integer result. The rows are put in that order, and the factors of
what is then eliminated without exchanges are differentiable.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from gradcli.diagnostics import GradcliError
from gradcli.graph import Array, Node
from gradcli.language.construct import argument, attribute, call, number
from gradcli.language.construct import index as as_index
from gradcli.language.syntax import Expression
from gradcli.ops.axes import matrix_transpose
from gradcli.ops.comparison import eq
from gradcli.ops.creation import arange, eye, zeros
from gradcli.ops.diagonals import tril, triu
from gradcli.ops.group import Group
from gradcli.ops.joining import cat
from gradcli.ops.kinds import General, cast
from gradcli.ops.scattering import take_along_dim
from gradcli.ops.shapes import broadcast
from gradcli.ops.shaping import expand, part, unsqueeze
from gradcli.ops.solutions import success
from gradcli.ops.sorting import argsort
from gradcli.ops.systems import check_rows, copies, matrices, solve_triangular, square
from gradcli.ops.table import Case, Index, floats, full

if TYPE_CHECKING:
    from gradcli.graph import ArrayNamespace

table = Group("linear algebra")

# --- elimination ---------------------------------------------------------------------------


def _eliminate(xp: ArrayNamespace, a: Array, k: int) -> None:
    """Take row k from those below it, in place; the multipliers stay in column k."""
    pivot = a[..., k, k, None]
    below = a[..., k + 1 :, k]
    below[...] = xp.where(below == 0, below, below / pivot)
    a[..., k + 1 :, k + 1 :] -= below[..., None] * a[..., k, None, k + 1 :]


def _pivots(xp: ArrayNamespace, a: Array) -> Array:
    """For each step the row, counted from 1, that comes to its place; LAPACK's `ipiv`."""
    a = xp.array(a)
    count = min(a.shape[-2:])
    found = xp.zeros((*a.shape[:-2], count), xp.int64)
    for k in range(count):
        row = k + xp.argmax(xp.abs(a[..., k:, k]), axis=-1)[..., None, None]
        found[..., k] = row[..., 0, 0] + 1
        here = xp.array(a[..., k : k + 1, :])
        places = xp.broadcast_to(row, here.shape)
        a[..., k, :] = xp.take_along_axis(a, places, axis=-2)[..., 0, :]
        xp.put_along_axis(a, places, here, axis=-2)
        _eliminate(xp, a, k)
    return found


def _row_order(xp: ArrayNamespace, pivots: Array, rows: int) -> Array:
    """Which row comes to each place when all exchanges are made."""
    if pivots.shape[-1] > rows or bool(((pivots < 1) | (pivots > rows)).any()):
        raise GradcliError(
            "index",
            f"the pivots of a matrix of {rows} rows are at most {rows} numbers from 1 to {rows}",
            hint="lu_factor gives them",
        )
    order = xp.array(xp.broadcast_to(xp.arange(rows), (*pivots.shape[:-1], rows)))
    for k in range(pivots.shape[-1]):
        there = pivots[..., k, None] - 1
        here = xp.array(order[..., k : k + 1])
        order[..., k : k + 1] = xp.take_along_axis(order, there, axis=-1)
        xp.put_along_axis(order, there, here, axis=-1)
    return order


def _eliminated(xp: ArrayNamespace, a: Array) -> Array:
    a = xp.array(a)
    with xp.errstate(all="ignore"):
        for k in range(a.shape[-1]):
            _eliminate(xp, a, k)
    return a


def _factors(y: Node) -> tuple[Node, Node]:
    """L with ones on its diagonal, and U."""
    return tril(y, -1) + eye(y.graph, y.shape[-1]), triu(y)


def _elimination_adjoint(change: Node, y: Node, a: Node) -> Node:
    """inv(L).T @ (tril(L.T @ dL, -1) + triu(dU @ U.T)) @ inv(U).T, by the tangent below."""
    lower, upper = _factors(y)
    inner = tril(matrix_transpose(lower) @ tril(change, -1), -1)
    inner = inner + triu(triu(change) @ matrix_transpose(upper))
    left = solve_triangular.build(matrix_transpose(lower), inner, upper=True, unitriangular=True)
    return solve_triangular(matrix_transpose(upper), left, upper=False, left=False)


def _elimination_tangent(tangents: Sequence[Node], y: Node, a: Node) -> Node:
    """For F = inv(L) @ dA @ inv(U): dL is L @ tril(F, -1), and dU is triu(F) @ U."""
    lower, upper = _factors(y)
    inner = solve_triangular.build(lower, tangents[0], upper=False, unitriangular=True)
    inner = solve_triangular.build(upper, inner, upper=True, left=False)
    return lower @ tril(inner, -1) + triu(inner) @ upper


def _row_order_spelled(node: Node, pivots: Expression) -> Expression:
    """Where the ones of the permutation are."""
    found = call("lu_unpack", call("eye", number(node.attributes[0])), as_index(pivots))
    return call("argmax", attribute(found, "P"), number(-2))


PIVOTS = General(
    "pivots",
    infer=lambda a: ((*a.shape[:-2], min(a.shape[-2:])), "int"),
    forward=_pivots,
    host=math.inf,
    work=copies(2, 0),
    spell=lambda node, a: attribute(call("lu_factor", a), "pivots"),
)
ROW_ORDER = General(
    "row_order",
    infer=lambda pivots, rows: ((*pivots.shape[:-1], rows), "int"),
    forward=_row_order,
    host=math.inf,
    refuses=True,
    spell=_row_order_spelled,
)
ELIMINATED = General(
    "eliminated",
    infer=lambda a: (a.shape, "float"),
    forward=_eliminated,
    adjoints=(_elimination_adjoint,),
    forward_rule=_elimination_tangent,
    contracts=True,
    host=math.inf,
    work=copies(1, 1),
    spell=lambda node, a: attribute(call("lu_factor", a, pivot=argument(False)), "LU"),
)
"""L without its diagonal, and U, of square matrices without row exchanges, in one matrix."""


def _packed(a: Node) -> Node:
    """The factors in one matrix: of the square part in front, and by solving, of the rest."""
    rows, columns = a.shape[-2:]
    count = min(rows, columns)
    first = part(part(a, -1, 0, count), -2, 0, count)
    found = a.graph.apply(ELIMINATED, (first,))
    if columns > rows:
        rest = part(a, -1, count, columns - count)
        right = solve_triangular.build(found, rest, upper=False, unitriangular=True)
        return cat([found, right], -1)
    if rows > columns:
        rest = part(a, -2, count, rows - count)
        below = solve_triangular.build(found, rest, upper=True, left=False)
        return cat([found, below], -2)
    return found


def _factored(name: str, a: Node, pivot: bool) -> tuple[Node, Node]:
    """The factors in one matrix, and the pivots."""
    a = matrices(name, a)
    if not pivot:
        count = min(a.shape[-2:])
        steps = cast(arange(a.graph, 1, count + 1), "int")
        return _packed(a), expand(steps, (*a.shape[:-2], count))
    pivots = a.graph.apply(PIVOTS, (a,))
    order = a.graph.apply(ROW_ORDER, (pivots,), (a.shape[-2],))
    return _packed(take_along_dim(a, unsqueeze(order, -1), -2)), pivots


class Factored(NamedTuple):
    """The result of `lu_factor`."""

    LU: Node
    pivots: Node


class FactoredWithInfo(NamedTuple):
    """The result of `lu_factor_ex`."""

    LU: Node
    pivots: Node
    info: Node


class Factors(NamedTuple):
    """The result of `linalg.lu` and `lu_unpack`."""

    P: Node
    L: Node
    U: Node


SQUARE, TALL, WIDE = {"x": (3, 3)}, {"x": (3, 2)}, {"x": (2, 3)}


@table.function(
    cases=[
        Case("lu_factor(x).LU", SQUARE),
        Case("lu_factor(x)[0]", TALL),
        Case("lu_factor(x).LU", WIDE),
        Case("lu_factor(x + 4*eye(2), pivot=False).LU", {"x": (2, 2, 2)}),
    ],
    unlike={"scipy.linalg.lu_factor": "torch.linalg.lu_factor(x)"},
    kink="an exchange of rows is a jump",
    demands={"a": full("lu_cpu")},
)
def lu_factor(a: Node, *, pivot: bool = True) -> Factored:
    """L below the diagonal and U on and above it, in one matrix, and the pivots: row k and row
    pivots[k] - 1 are exchanged, one after another.
    """
    return Factored(*_factored("lu_factor", a, pivot))


@table.function(cases=[Case("lu_factor_ex(x).LU", SQUARE)], kink="an exchange of rows is a jump")
def lu_factor_ex(a: Node, *, pivot: bool = True, check_errors: bool = False) -> FactoredWithInfo:
    """`lu_factor` with PyTorch's code of success, 0 for each matrix."""
    return FactoredWithInfo(*_factored("lu_factor_ex", a, pivot), success(a))


@table.function(
    cases=[Case("torch.lu(x)[0]", SQUARE)],
    unlike={"scipy.linalg.lu": "torch.linalg.lu(x)"},
    kink="an exchange of rows is a jump",
    demands={"a": full("lu_cpu")},
)
def lu(a: Node, pivot: bool = True, get_infos: bool = False) -> tuple[Node, ...]:
    """`lu_factor` as torch.lu has it; with `get_infos` the codes of success come third."""
    found = _factored("lu", a, pivot)
    return (*found, success(a)) if get_infos else found


@table.function(
    "linalg.lu",
    aliases=("torch.linalg.lu",),
    cases=[
        Case("torch.linalg.lu(x).L", SQUARE),
        Case("torch.linalg.lu(x).U", {"x": (2, 3, 2)}),
        Case("torch.linalg.lu(x)[1]", WIDE),
    ],
    kink="an exchange of rows is a jump",
)
def linalg_lu(a: Node, *, pivot: bool = True) -> Factors:
    """P, L and U with P @ L @ U = A: a permutation, a lower triangle with ones on its diagonal, and
    an upper one.
    """
    return lu_unpack.build(*_factored("linalg.lu", a, pivot))  # type: ignore[no-any-return]


@table.function(
    cases=[
        Case("lu_unpack(x, [3, 3, 3]).L", SQUARE),
        Case("lu_unpack(x, [2, 2]).U", WIDE),
        Case("lu_unpack(x, [3, 3])[1]", TALL),
    ]
)
def lu_unpack(
    data: Node, pivots: Index, unpack_data: bool = True, unpack_pivots: bool = True
) -> Factors:
    """P, L and U of the result of `lu_factor`; empty where they are not wanted."""
    if data.ndim < 2:
        raise GradcliError(
            "shape", "lu_unpack: the first argument must be a matrix, from lu_factor"
        )
    nothing = zeros(data.graph, 0)
    rows, columns = data.shape[-2:]
    count = min(rows, columns)
    lower, upper, permutation = nothing, nothing, nothing
    if unpack_data:
        left = part(data, -1, 0, count)
        lower = tril(left, -1) + eye(data.graph, rows, count)
        upper = triu(part(data, -2, 0, count))
    if unpack_pivots:
        order = _order(data, pivots)
        numbers = unsqueeze(cast(arange(data.graph, rows), "int"), -1)
        permutation = cast(eq(numbers, unsqueeze(order, -2)), data.kind)
    return Factors(permutation, lower, upper)


def _order(data: Node, pivots: Node) -> Node:
    """Which row comes to each place when the exchanges of `lu_factor` are made."""
    if not pivots.ndim:
        raise GradcliError(
            "shape", "the pivots of a matrix are a row of numbers", hint="lu_factor gives them"
        )
    return data.graph.apply(ROW_ORDER, (pivots,), (data.shape[-2],))


# --- with the factors ----------------------------------------------------------------------


@table.function(
    "linalg.lu_solve",
    aliases=("torch.linalg.lu_solve",),
    cases=[
        Case("torch.linalg.lu_solve(x, [3, 2, 3], y)", {"x": (3, 3), "y": (3, 2)}),
        Case(
            "torch.linalg.lu_solve(x, [2, 2], y, left=False, adjoint=True)",
            {"x": (2, 2), "y": (3, 2)},
        ),
    ],
)
def linalg_lu_solve(
    data: Node, pivots: Index, b: Node, *, left: bool = True, adjoint: bool = False
) -> Node:
    """X with A @ X = B, where `lu_factor` made the factors of A; X @ A = B where not `left`, and
    A.mT in the place of A with `adjoint`.
    """
    data, b = square("lu_solve", data), matrices("lu_solve", b)
    if not left:
        turned = linalg_lu_solve.build(data, pivots, matrix_transpose(b), adjoint=not adjoint)
        return matrix_transpose(turned)
    check_rows("lu_solve", data, b)
    order = _order(data, pivots)
    batch = broadcast("lu_solve", [data.shape[:-2], b.shape[:-2]])
    order = expand(unsqueeze(order, -1), (*batch, data.shape[-1], 1))
    b = expand(b, (*batch, *b.shape[-2:]))
    if not adjoint:
        b = take_along_dim(b, order, -2)
        b = solve_triangular.build(data, b, upper=False, unitriangular=True)
        return solve_triangular(data, b, upper=True)
    raised = matrix_transpose(data)
    b = solve_triangular.build(raised, b, upper=False)
    b = solve_triangular.build(raised, b, upper=True, unitriangular=True)
    back = argsort(order, -2)
    return take_along_dim(b, back, -2)


@table.function(
    cases=[Case("torch.lu_solve(y, x, [3, 2, 3])", {"x": (3, 3), "y": (3, 2)})],
    unlike={"scipy.linalg.lu_solve": "torch.linalg.lu_solve(LU, pivots, B)"},
    demands={"b": floats("torch.linalg.lu_solve", "linalg.lu_solve_cpu")},
)
def lu_solve(b: Node, data: Node, pivots: Index) -> Node:
    """X with A @ X = B, as torch.lu_solve has it; torch.linalg.lu_solve takes B last."""
    return linalg_lu_solve(data, pivots, b)
