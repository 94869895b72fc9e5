"""Triangles and diagonals. Adjoint pairs: diagonal ↔ diag_embed, tril and triu ↔ themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gradcli.diagnostics import GradcliError
from gradcli.graph import Array, Node, Shape
from gradcli.language.construct import WHOLE, call, number, numbers, places, subscript
from gradcli.language.syntax import Expression
from gradcli.ops.axes import movedim, permute
from gradcli.ops.group import Group
from gradcli.ops.kinds import Linear
from gradcli.ops.shapes import normalize_axis, show
from gradcli.ops.shaping import flatten
from gradcli.ops.table import Case

if TYPE_CHECKING:
    from gradcli.graph import ArrayNamespace

table = Group("indexing")

TRIL: Linear = Linear(
    "tril",
    infer=lambda x, diagonal: x.shape,
    forward=lambda xp, x, diagonal: xp.tril(x, k=diagonal),
    adjoints=(lambda change, y, x, diagonal: x.graph.apply(TRIL, (change,), (diagonal,)),),
    selects=True,
)
TRIU: Linear = Linear(
    "triu",
    infer=lambda x, diagonal: x.shape,
    forward=lambda xp, x, diagonal: xp.triu(x, k=diagonal),
    adjoints=(lambda change, y, x, diagonal: x.graph.apply(TRIU, (change,), (diagonal,)),),
    selects=True,
)


@table.function(
    op=TRIL,
    cases=[Case("tril(x)"), Case("tril(x, diagonal=-1)")],
    torch="torch.tril",
    confused=("triu",),
    keeps_integers=True,
)
def tril(x: Node, diagonal: int = 0) -> Node:
    """x on and below a diagonal of its last two axes, 0 above it."""
    _check_matrix("tril", x)
    return x.graph.apply(TRIL, (x,), (_within(x, diagonal),))


@table.function(
    op=TRIU,
    cases=[Case("triu(x)"), Case("triu(x, diagonal=1)")],
    torch="torch.triu",
    confused=("tril",),
    keeps_integers=True,
)
def triu(x: Node, diagonal: int = 0) -> Node:
    """x on and above a diagonal of its last two axes, 0 below it."""
    _check_matrix("triu", x)
    return x.graph.apply(TRIU, (x,), (_within(x, diagonal),))


def _check_matrix(name: str, x: Node) -> None:
    if x.ndim < 2:
        raise GradcliError("shape", f"{name} needs at least 2 dimensions; this is {show(x.shape)}")


def _within(x: Node, offset: int) -> int:
    """The offset, limited to the first one outside the matrix, as NumPy takes C integers."""
    rows, columns = x.shape[-2:]
    return max(-rows, min(columns, offset))


def _diagonal_length(shape: Shape, offset: int) -> int:
    rows, columns = shape[-2:]
    return max(0, min(rows + min(offset, 0), columns - max(offset, 0)))


def _diag_embed(xp: ArrayNamespace, x: Array, rows: int, columns: int, offset: int) -> Array:
    result = xp.zeros((*x.shape[:-1], rows, columns), x.dtype)
    places = xp.arange(x.shape[-1])
    result[..., places - min(offset, 0), places + max(offset, 0)] = x
    return result


def _diagonal_spelled(node: Node, x: Expression) -> Expression:
    """The op takes the last two axes, the function by default the first two."""
    (offset,) = node.attributes
    ndim = node.inputs[0].ndim
    if ndim > 2:
        return call("diagonal", x, *map(number, (offset, ndim - 2, ndim - 1)))
    return call("diagonal", x, number(offset)) if offset else call("diagonal", x)


def _diag_embed_spelled(node: Node, x: Expression) -> Expression:
    """A square one, of which rows and columns are left out or put in at the end."""
    rows, columns, offset = node.attributes
    square = call("diag_embed", x, **({"offset": number(offset)} if offset else {}))
    length = node.inputs[0].shape[-1] + abs(offset)
    if rows == columns == length:
        return square
    cut = [places(0, min(length, n), 1, length) for n in (rows, columns)]
    kept = subscript(square, [*[WHOLE] * (node.ndim - 2), *cut])
    return call("embed", kept, numbers(node.shape), numbers([0] * node.ndim))


DIAGONAL: Linear = Linear(
    "diagonal",
    infer=lambda x, offset: (*x.shape[:-2], _diagonal_length(x.shape, offset)),
    forward=lambda xp, x, offset: xp.diagonal(x, offset, -2, -1),
    adjoints=(
        lambda change, y, x, offset: x.graph.apply(DIAG_EMBED, (change,), (*x.shape[-2:], offset)),
    ),
    selects=True,
    view=True,
    moves=True,
    spell=_diagonal_spelled,
)
DIAG_EMBED: Linear = Linear(
    "diag_embed",
    infer=lambda x, rows, columns, offset: (*x.shape[:-1], rows, columns),
    forward=_diag_embed,
    adjoints=(
        lambda change, y, x, rows, columns, offset: x.graph.apply(DIAGONAL, (change,), (offset,)),
    ),
    spell=_diag_embed_spelled,
)


@table.function(
    aliases=("diagonal_copy",),
    op=DIAGONAL,
    cases=[
        Case("diagonal(x)"),
        Case("diagonal(x, 1)"),
        Case("diagonal(x, -1, dim1=0, dim2=2)", {"x": (3, 2, 3)}),
    ],
    numpy="np.diagonal",
    torch="torch.diagonal",
)
def diagonal(x: Node, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Node:
    """The diagonal over the axes `dim1` and `dim2`, as a new last axis."""
    _check_matrix("diagonal", x)
    rows = normalize_axis("diagonal", dim1, x.ndim)
    columns = normalize_axis("diagonal", dim2, x.ndim)
    if rows == columns:
        raise GradcliError("axis", "diagonal: dim1 and dim2 are the same axis")
    others = (axis for axis in range(-x.ndim, 0) if axis not in (rows, columns))
    x = permute(x, (*others, rows, columns))
    return x.graph.apply(DIAGONAL, (x,), (_within(x, offset),))


@table.function(
    "linalg.diagonal",
    aliases=("torch.linalg.diagonal", "np.linalg.diagonal"),
    cases=[
        Case("torch.linalg.diagonal(x)", {"x": (2, 3, 3)}),
        Case("np.linalg.diagonal(x, offset=1)", {"x": (2, 3, 3)}),
    ],
)
def linalg_diagonal(x: Node, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Node:
    """`diagonal` of each matrix along the last two axes."""
    return diagonal(x, offset, dim1, dim2)


@table.function(
    op=DIAG_EMBED,
    cases=[
        Case("diag_embed(x)"),
        Case("diag_embed(x, offset=-1)"),
        Case("diag_embed(x, 1, dim1=0, dim2=2)"),
    ],
    torch="torch.diag_embed",
)
def diag_embed(x: Node, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Node:
    """Matrices along `dim1` and `dim2` with the last axis of x on a diagonal, and 0 elsewhere."""
    if not x.shape:
        raise GradcliError("shape", "diag_embed needs at least one dimension")
    length = x.shape[-1] + abs(offset)
    found = x.graph.apply(DIAG_EMBED, (x,), (length, length, offset))
    rows = normalize_axis("diag_embed", dim1, found.ndim)
    columns = normalize_axis("diag_embed", dim2, found.ndim)
    if rows == columns:
        raise GradcliError("axis", "diag_embed: dim1 and dim2 are the same axis")
    return movedim(found, (-2, -1), (rows, columns))


@table.function(
    cases=[Case("diag(x)"), Case("diag(x, 1)"), Case("diag(x, -1)", {"x": (3,)})],
    numpy="np.diag",
    torch="torch.diag",
    own_memory=True,
)
def diag(x: Node, diagonal: int = 0) -> Node:
    """The diagonal of a matrix; of a vector, the matrix that has it as its diagonal."""
    if x.ndim == 1:
        return diag_embed(x, diagonal)
    if x.ndim != 2:
        raise GradcliError(
            "shape",
            f"diag takes a vector or a matrix; this is {show(x.shape)}",
            hint="use diagonal(x, dim1=…, dim2=…) for more dimensions",
        )
    return x.graph.apply(DIAGONAL, (x,), (_within(x, diagonal),))


@table.function(cases=[Case("diagflat(x)"), Case("diagflat(x, 1)", {"x": (2,)})])
def diagflat(x: Node, offset: int = 0) -> Node:
    """The matrix with all elements of x, row by row, on a diagonal, and 0 elsewhere."""
    return diag_embed(flatten(x), offset)
