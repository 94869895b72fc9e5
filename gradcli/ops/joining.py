"""Joining tensors, and products of sets of them. Adjoint pair: cat ↔ slice."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate

from gradcli.diagnostics import GradcliError
from gradcli.graph import Node, Shape
from gradcli.ops.group import Group
from gradcli.ops.kinds import JointlyLinear
from gradcli.ops.loops import NotRolled, Stretch
from gradcli.ops.promotion import together
from gradcli.ops.shapes import normalize_axis, show
from gradcli.ops.shaping import (
    embed,
    expand,
    flatten,
    part,
    reshape,
    unsqueeze,
)
from gradcli.ops.table import Case

table = Group("shaping")


def _cat_shape(nodes: tuple[Node, ...], axis: int) -> Shape:
    shape = list(nodes[0].shape)
    shape[axis] = sum(node.shape[axis] for node in nodes)
    return tuple(shape)


def _cat_adjoint(change: Node, y: Node, operand: int, axis: int) -> Node:
    return part(change, axis, _starts(y, axis)[operand], y.inputs[operand].shape[axis])


@lru_cache(1)  # a walk asks for the operands of a node one after another
def _starts(y: Node, axis: int) -> list[int]:
    """Where each operand begins along the axis."""
    return list(accumulate((node.shape[axis] for node in y.inputs), initial=0))


CAT = JointlyLinear(
    "cat",
    infer=_cat_shape,
    forward=lambda xp, *arguments: xp.concat(arguments[:-1], axis=arguments[-1]),
    adjoint=_cat_adjoint,
    copies=True,
)


@table.function(
    aliases=("concat", "concatenate"),
    op=CAT,
    cases=[
        Case("cat([x, y])", {"x": (2, 3), "y": (1, 3)}),
        Case("cat([x, 2*x, y], dim=-1)", {"x": (2, 3), "y": (2, 1)}),
    ],
    numpy="np.concatenate",
    torch="torch.cat",
    own_memory=True,
)
def cat(tensors: Sequence[Node], dim: int = 0) -> Node:
    """Tensors one behind the other along the axis `dim`; their other lengths must agree.

    Empty vectors are passed over, as in PyTorch.
    """
    if not tensors:
        raise GradcliError("value", "cat: there is nothing to join")
    given = together(tensors)
    tensors = [node for node in given if node.shape != (0,)] or given
    first = tensors[0]
    axis = normalize_axis("cat", dim, first.ndim) if first.shape != (0,) else 0
    if not first.ndim:
        raise GradcliError("shape", "cat: single values have no axis to join along; use stack")
    for place, node in enumerate(given):
        same = node.shape in (first.shape, (0,)) or (
            len(node.shape) == first.ndim
            and all(
                a == b or i == axis + first.ndim
                for i, (a, b) in enumerate(zip(node.shape, first.shape, strict=True))
            )
        )
        if not same:
            raise GradcliError(
                "shape",
                f"cat: {show(first.shape)} and {show(node.shape)} at place {place} differ not only "
                f"in axis {axis + first.ndim}",
            )
    return first.graph.apply(CAT, tuple(tensors), (axis,)) if len(tensors) > 1 else first


@table.function(
    cases=[
        Case("stack([x, y])", {"x": (2, 3), "y": (2, 3)}),
        Case("stack([x, y, x], dim=-1)", {"x": (2,), "y": (2,)}),
        Case("stack([x, y])", {"x": (), "y": ()}),
    ],
    own_memory=True,
)
def stack(tensors: Sequence[Node | Stretch], dim: int = 0) -> Node:
    """Tensors of one shape side by side along a new axis `dim`."""
    shapes = [each.rows.shape[1:] if isinstance(each, Stretch) else each.shape for each in tensors]
    for place, shape in enumerate(shapes):
        if shape != shapes[0]:
            raise GradcliError(
                "shape",
                f"stack: shapes {show(shapes[0])} and {show(shape)} at place {place} differ",
                hint="all elements of a list must have one shape to be a tensor",
            )
    if not tensors:
        raise GradcliError("value", "stack: there is nothing to join")
    return cat([_along(each, dim) for each in tensors], dim)


def _along(part: Node | Stretch, dim: int) -> Node:
    """A part of a stack."""
    if isinstance(part, Node):
        return unsqueeze(part, dim)
    if normalize_axis("stack", dim, part.rows.ndim) != -part.rows.ndim:
        raise NotRolled("what a loop has made is stacked along another axis than the first")
    return part.rows


@table.function(
    cases=[
        Case("hstack([x, y])", {"x": (2, 3), "y": (2, 1)}),
        Case("hstack([x, y])", {"x": (), "y": (2,)}),
    ],
    own_memory=True,
)
def hstack(tensors: Sequence[Node]) -> Node:
    """Tensors side by side: joined along axis 1, vectors along their only axis."""
    rows = [reshape(x, (1,)) if not x.shape else x for x in tensors]
    return cat(rows, 0 if rows and rows[0].ndim == 1 else 1)


@table.function(
    aliases=("row_stack",),
    cases=[
        Case("vstack([x, y])", {"x": (2, 3), "y": (3,)}),
        Case("vstack([x, y])", {"x": (), "y": (1,)}),
    ],
    own_memory=True,
)
def vstack(tensors: Sequence[Node]) -> Node:
    """Tensors one above the other: joined along axis 0, vectors as rows."""
    return cat([reshape(x, (1, x.size)) if x.ndim < 2 else x for x in tensors], 0)


@table.function(
    cases=[
        Case("dstack([x, y])", {"x": (2, 3), "y": (2, 3)}),
        Case("dstack([x, y])", {"x": (2,), "y": (2,)}),
    ],
    own_memory=True,
)
def dstack(tensors: Sequence[Node]) -> Node:
    """Tensors one behind the other: joined along axis 2, vectors as rows of a matrix."""
    deep = [
        unsqueeze(x, -1) if x.ndim == 2 else reshape(x, (1, x.size, 1)) if x.ndim < 2 else x
        for x in tensors
    ]
    return cat(deep, 2)


@table.function(cases=[Case("column_stack([x, y])", {"x": (2,), "y": (2, 3)})], own_memory=True)
def column_stack(tensors: Sequence[Node]) -> Node:
    """Tensors joined along axis 1, vectors as columns."""
    return hstack([reshape(x, (x.size, 1)) if x.ndim < 2 else x for x in tensors])


# --- products of sets ----------------------------------------------------------------------


@table.function(
    cases=[
        Case("meshgrid(x, ones(3))[0]", {"x": (2,)}),
        Case("meshgrid(x, 2*x, ones(3), indexing='xy')[1]", {"x": (2,)}),
    ]
)
def meshgrid(*tensors: Node, indexing: str = "ij") -> tuple[Node, ...]:
    """Grids of coordinates from vectors; the first two axes swap places with indexing `xy`."""
    if indexing not in ("ij", "xy"):
        raise GradcliError("value", f"meshgrid: indexing is 'ij' or 'xy', not {indexing!r}")
    for x in tensors:
        if x.ndim > 1:
            raise GradcliError("shape", f"meshgrid takes vectors; this is {show(x.shape)}")
    order = list(range(len(tensors)))
    if indexing == "xy" and len(order) > 1:
        order[:2] = [1, 0]
    shape = tuple(tensors[place].size for place in order)

    def along(place: int, x: Node) -> Node:
        behind = len(order) - 1 - order.index(place)
        return expand(reshape(x, (x.size, *(1,) * behind)), shape)

    return tuple(along(place, x) for place, x in enumerate(tensors))


@table.function(
    "np.meshgrid",
    cases=[
        Case("np.meshgrid(x, ones(3))[0]", {"x": (2,)}),
        Case("np.meshgrid(x, ones(3), indexing='ij')[0]", {"x": (2,)}),
    ],
)
def numpy_meshgrid(*tensors: Node, indexing: str = "xy") -> tuple[Node, ...]:
    """`meshgrid` as NumPy has it: without `indexing` the first two axes swap places."""
    return meshgrid.build(*tensors, indexing=indexing)  # type: ignore[no-any-return]


@table.function(
    cases=[
        Case("cartesian_prod(x, y)", {"x": (2,), "y": (3,)}),
        Case("x.cartesian_prod()", {"x": (2,)}),
    ],
    passes_on=True,
)
def cartesian_prod(*tensors: Node) -> Node:
    """All combinations of one element of each vector, as rows; a single vector is returned
    itself.
    """
    for x in tensors:
        if x.ndim != 1:
            raise GradcliError("shape", f"cartesian_prod takes vectors; this is {show(x.shape)}")
    if len(tensors) == 1:
        return tensors[0]
    return stack([flatten(grid) for grid in meshgrid.build(*tensors)], 1)


@table.function(
    cases=[
        Case("block_diag(x, y)", {"x": (2, 3), "y": (2, 1)}),
        Case("block_diag(x, y, x)", {"x": (), "y": (2,)}),
    ]
)
def block_diag(*tensors: Node) -> Node:
    """Matrices along a diagonal, zeros elsewhere; vectors and single values are rows."""
    blocks = [reshape(x, (1, x.size)) if x.ndim < 2 else x for x in together(tensors)]
    if not blocks:
        raise GradcliError("value", "block_diag: there is nothing to join")
    for block in blocks:
        if block.ndim > 2:
            raise GradcliError("shape", f"block_diag takes matrices; this is {show(block.shape)}")
    width = sum(block.shape[1] for block in blocks)
    rows = []
    left = 0
    for block in blocks:
        height, columns = block.shape
        rows.append(embed(block, (height, width), ((0, height, 1), (left, columns, 1))))
        left += columns
    return cat(rows)
