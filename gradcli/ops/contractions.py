"""Products of vectors and matrices. Gradients are products, too, without transposed copies."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

import numpy as np

from gradcli.diagnostics import GradcliError
from gradcli.graph import Array, Node, Shape, Split
from gradcli.ops.axes import matrix_transpose, t
from gradcli.ops.diagonals import diagonal
from gradcli.ops.group import Group
from gradcli.ops.kinds import NUMBERS, Linear, aligned
from gradcli.ops.promotion import promoted
from gradcli.ops.reductions import sum_
from gradcli.ops.shapes import broadcast, show
from gradcli.ops.shaping import of_single_elements, reshape, sum_to, unsqueeze
from gradcli.ops.splits import has
from gradcli.ops.sums import product
from gradcli.ops.table import Case

table = Group("linear algebra")


def _matmul_shape(a: Node, b: Node) -> Shape:
    rows = a.shape[-2:-1]
    columns = b.shape[-1:] if b.ndim > 1 else ()
    inner = b.shape[-2] if b.ndim > 1 else b.shape[0]
    if a.shape[-1] != inner:
        raise GradcliError(
            "shape",
            f"matmul: inner dimensions differ: {show(a.shape)} @ {show(b.shape)} has "
            f"{a.shape[-1]} columns on the left and {inner} rows on the right",
            hint=_transpose_hint(a.shape, b.shape),
        )
    return (*broadcast("matmul", [a.shape[:-2], b.shape[:-2]]), *rows, *columns)


def _transpose_hint(a: Shape, b: Shape) -> str:
    if len(a) == len(b) == 2:
        if a[1] == b[1]:
            return "the second operand transposed would fit: a @ b.T"
        if a[0] == b[0]:
            return "the first operand transposed would fit: a.T @ b"
    return "the last axis of a must be as long as the last but one of b, or the only one"


def _left(change: Node, y: Node, a: Node, b: Node) -> Node:
    """The cotangent of a in a @ b."""
    if b.ndim == 1:
        return (change if a.ndim == 1 else unsqueeze(change, -1)) * b
    if a.ndim > 1:
        return sum_to(change @ matrix_transpose(b), a.shape)
    if b.ndim == 2:
        return b @ change
    return reshape(sum_to(b @ unsqueeze(change, -1), (*a.shape, 1)), a.shape)


def _right(change: Node, y: Node, a: Node, b: Node) -> Node:
    """The cotangent of b in a @ b."""
    if a.ndim == 1:
        if b.ndim == 1:
            return change * a
        return sum_to(unsqueeze(a, -1) * unsqueeze(change, -2), b.shape)
    if b.ndim == 2 and a.ndim > 2:  # one product of all rows, not a sum of one for each batch
        rows = prod(a.shape[:-1])
        a, change = reshape(a, rows, a.shape[-1]), reshape(change, rows, change.shape[-1])
    if b.ndim > 1:
        return sum_to(matrix_transpose(a) @ change, b.shape)
    if a.ndim == 2:
        return matrix_transpose(a) @ change
    return reshape(sum_to(unsqueeze(change, -2) @ a, (1, *b.shape)), b.shape)


def _batched(y: Node, a: Node, b: Node) -> Node:
    """One large product where the other operand is a single matrix or vector."""
    left, right = y.inputs
    if a is not left:
        if right.ndim <= 2:
            rows = reshape(a, (prod(a.shape[:-1]), a.shape[-1]))
            return reshape(rows @ b, (a.shape[0], *y.shape))
        a = unsqueeze(a, -2) if left.ndim == 1 else a
        return reshape(aligned(a, right.ndim) @ b, (a.shape[0], *y.shape))
    if right.ndim > 1:
        return a @ aligned(b, y.ndim)
    if left.ndim <= 2:
        return b @ t(a)
    return reshape(a @ aligned(unsqueeze(b, -1), left.ndim), (b.shape[0], *y.shape))


def _splits(node: Node) -> Iterator[Split]:
    a, b = node.inputs
    if a.ndim > 2 or b.ndim > 2:
        yield from _splits_of_batches(node)
        return
    if a.ndim == 2:
        yield Split(-b.ndim, (-2, None))
    if b.ndim == 2:
        yield Split(-1, (None, -1))
    yield Split(None, (-1, -b.ndim))


def _splits_of_batches(node: Node) -> Iterator[Split]:
    a, b = node.inputs
    if min(a.ndim, b.ndim) > 1:
        yield Split(-2, (-2, None))
        for axis in range(-node.ndim, -2):
            if node.shape[axis] > 1:
                yield Split(axis, tuple(axis if has(x.shape, axis) else None for x in (a, b)))
    elif b.ndim == 1:
        for axis in range(-a.ndim, -1):
            yield Split(axis + 1, (axis, None))


def _of_units(rows: Array, position: int, places: Array, values: Array, matrix: Array) -> None:
    """The matrix's rows, or its columns, times the values."""
    lines = matrix if position == 0 else matrix.T
    np.multiply(lines[places], values[:, None], out=rows)


MATMUL = Linear(
    "matmul",
    infer=_matmul_shape,
    forward=product,
    adjoints=(_left, _right),
    batched=_batched,
    contracts=True,
    of_units=_of_units,
    takes=NUMBERS,
    splits=lambda node: of_single_elements(node, _splits(node)),
    infix="@",
)


@table.function(
    op=MATMUL,
    latex=r"{0} \, {1}",
    cases=[
        Case("matmul(x, y)", {"x": (2, 3), "y": (3, 4)}),
        Case("x @ y", {"x": (3,), "y": (3,)}),
        Case("x @ y", {"x": (2, 3), "y": (3,)}),
        Case("x @ y", {"x": (2,), "y": (2, 3)}),
        Case("x @ y", {"x": (2, 2, 3), "y": (3, 2)}),
        Case("x @ y", {"x": (3,), "y": (2, 3, 2)}),
        Case("x @ y", {"x": (2, 2, 3), "y": (3,)}),
        Case("x @ y", {"x": (2, 1, 2, 3), "y": (2, 3, 2)}),
    ],
    formula="a @ b",
    autocast="lower",
    keeps_integers=True,
)
def matmul(a: Node, b: Node) -> Node:
    """The matrix product; vectors are rows on the left, columns on the right; batches broadcast."""
    a, b = promoted(MATMUL, (a, b))
    if not a.shape or not b.shape:
        raise GradcliError(
            "shape",
            f"matmul needs at least 1 dimension on each side: {show(a.shape)} @ {show(b.shape)}",
            hint="multiply by a single value with *",
        )
    return a.graph.apply(MATMUL, (a, b))


def _matmul_of(name: str, a: Node, b: Node, a_ndim: int, b_ndim: int) -> Node:
    if a.ndim != a_ndim or b.ndim != b_ndim:
        raise GradcliError(
            "shape",
            f"{name} takes {a_ndim} and {b_ndim} dimensions; these are {show(a.shape)} and "
            f"{show(b.shape)}",
            hint="matmul takes any number of dimensions",
        )
    return matmul(a, b)


@table.function(
    latex=r"{0} \, {1}", cases=[Case("mm(x, y)", {"x": (2, 3), "y": (3, 2)})], autocast="lower"
)
def mm(a: Node, b: Node) -> Node:
    """The product of two matrices."""
    return _matmul_of("mm", a, b, 2, 2)


@table.function(latex=r"{0} \, {1}", cases=[Case("mv(x, y)", {"x": (2, 3), "y": (3,)})])
def mv(a: Node, b: Node) -> Node:
    """The product of a matrix and a vector."""
    return _matmul_of("mv", a, b, 2, 1)


@table.function(cases=[Case("bmm(x, y)", {"x": (2, 2, 3), "y": (2, 3, 1)})], autocast="lower")
def bmm(a: Node, b: Node) -> Node:
    """The products of two batches of matrices, pair by pair."""
    if a.ndim == b.ndim == 3 and a.shape[0] != b.shape[0]:
        raise GradcliError(
            "shape", f"bmm: batches differ: {show(a.shape)} and {show(b.shape)} on axis 0"
        )
    return _matmul_of("bmm", a, b, 3, 3)


@table.function(
    latex=r"{0}^{{\top}} \, {1}",
    cases=[Case("dot(x, y)", {"x": (3,), "y": (3,)})],
    confused=("outer",),
    keeps_integers=True,
)
def dot(a: Node, b: Node) -> Node:
    """The inner product of two vectors."""
    return _matmul_of("dot", a, b, 1, 1)


@table.function(cases=[Case("vdot(x, y)", {"x": (3,), "y": (3,)})])
def vdot(a: Node, b: Node) -> Node:
    """The inner product of two vectors; for real numbers the same as `dot`."""
    return _matmul_of("vdot", a, b, 1, 1)


@table.function(
    aliases=("ger",),
    latex=r"{0} \, {1}^{{\top}}",
    cases=[Case("outer(x, y)", {"x": (2,), "y": (3,)})],
    gradients={"a": "cotangent @ b", "b": "cotangent.T @ a"},
    confused=("dot",),
    numpy="np.outer",
    torch="torch.outer",
    keeps_integers=True,
)
def outer(a: Node, b: Node) -> Node:
    """All products of an element of one vector with one of the other."""
    if a.ndim != 1 or b.ndim != 1:
        raise GradcliError(
            "shape", f"outer takes two vectors; these are {show(a.shape)} and {show(b.shape)}"
        )
    return unsqueeze(a, -1) * b


@table.function(
    latex=r"\operatorname{{tr}} {0}",
    cases=[Case("trace(x)"), Case("trace(x)", {"x": (3, 3)})],
    gradients={
        "x": ("cotangent * eye(x.shape[0])", "cotangent * eye(x.shape[0], x.shape[1])"),
    },
    confused=("det", "sum"),
    numpy="np.trace",
    torch="torch.trace",
    autocast="float32",
)
def trace(x: Node) -> Node:
    """The sum of a matrix's diagonal."""
    if x.ndim != 2:
        raise GradcliError("shape", f"trace takes a matrix; this is {show(x.shape)}")
    return sum_(diagonal(x))
