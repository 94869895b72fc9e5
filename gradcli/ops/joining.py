"""Joining tensors and taking them apart. Adjoint pair: cat ↔ slice."""

from __future__ import annotations

from collections.abc import Sequence

from gradcli.diagnostics import GradcliError
from gradcli.graph import Node, Shape
from gradcli.ops.shaping import take_slices, unsqueeze
from gradcli.ops.table import Case, JointlyLinear, cast, function, normalize_axis, show


def _cat_shape(nodes: tuple[Node, ...], axis: int) -> Shape:
    shape = list(nodes[0].shape)
    shape[axis] = sum(node.shape[axis] for node in nodes)
    return tuple(shape)


def _cat_adjoint(change: Node, y: Node, operand: int, axis: int) -> Node:
    before = sum(node.shape[axis] for node in y.inputs[:operand])
    slices = [(0, length, 1) for length in y.shape]
    slices[axis] = (before, y.inputs[operand].shape[axis], 1)
    return take_slices(change, tuple(slices))


CAT = JointlyLinear(
    "cat",
    infer=_cat_shape,
    forward=lambda xp, *arguments: xp.concat(arguments[:-1], axis=arguments[-1]),
    adjoint=_cat_adjoint,
)


@function(
    "cat",
    "shaping",
    aliases=("concat", "concatenate"),
    op=CAT,
    cases=[
        Case("cat([x, y])", {"x": (2, 3), "y": (1, 3)}),
        Case("cat([x, 2*x, y], dim=-1)", {"x": (2, 3), "y": (2, 1)}),
    ],
)
def cat(tensors: Sequence[Node], dim: int = 0) -> Node:
    """Tensors one behind the other along the axis `dim`; their other lengths must agree."""
    if not tensors:
        raise GradcliError("value", "cat: there is nothing to join")
    first = tensors[0]
    axis = normalize_axis("cat", dim, first.ndim)
    if not first.ndim:
        raise GradcliError("shape", "cat: single values have no axis to join along; use stack")
    for node in tensors[1:]:
        same = len(node.shape) == first.ndim and all(
            a == b or i == axis + first.ndim
            for i, (a, b) in enumerate(zip(node.shape, first.shape, strict=True))
        )
        if not same:
            raise GradcliError(
                "shape",
                f"cat: {show(first.shape)} and {show(node.shape)} differ beside dim {dim}",
            )
    return first.graph.apply(CAT, _one_kind(tensors), (axis,)) if len(tensors) > 1 else first


@function(
    "stack",
    "shaping",
    cases=[
        Case("stack([x, y])", {"x": (2, 3), "y": (2, 3)}),
        Case("stack([x, y, x], dim=-1)", {"x": (2,), "y": (2,)}),
        Case("stack([x, y])", {"x": (), "y": ()}),
    ],
)
def stack(tensors: Sequence[Node], dim: int = 0) -> Node:
    """Tensors of one shape side by side along a new axis `dim`."""
    for node in tensors[1:]:
        if node.shape != tensors[0].shape:
            raise GradcliError(
                "shape",
                f"stack: shapes {show(tensors[0].shape)} and {show(node.shape)} differ",
                hint="all elements of a list must have one shape to be a tensor",
            )
    if not tensors:
        raise GradcliError("value", "stack: there is nothing to join")
    return cat([unsqueeze(node, dim) for node in tensors], dim)


def _one_kind(tensors: Sequence[Node]) -> tuple[Node, ...]:
    """All operands as floats, unless all are of one other kind."""
    if len({node.kind for node in tensors}) == 1:
        return tuple(tensors)
    return tuple(cast(node, "float") for node in tensors)
