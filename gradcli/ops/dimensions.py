"""Tensors with more axes: at least so many, or those of others."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gradcli.graph import Node
from gradcli.ops.group import Group
from gradcli.ops.shapes import broadcast
from gradcli.ops.shaping import expand, reshape, unsqueeze
from gradcli.ops.table import Case

table = Group("shaping")


def _each(tensors: Sequence[Node], build: Callable[[Node], Node]) -> Node | tuple[Node, ...]:
    """What is built of a tensor, or a tuple of what is built of each of several."""
    return build(tensors[0]) if len(tensors) == 1 else tuple(map(build, tensors))


@table.function(
    cases=[Case("atleast_1d(x, 2*x)[1]", {"x": (3,)}), Case("atleast_1d(x)", {"x": ()})],
    passes_on=True,
)
def atleast_1d(*tensors: Node) -> Node | tuple[Node, ...]:
    """x, a single value as a vector; a tuple of several tensors."""
    return _each(tensors, lambda x: x if x.ndim else reshape(x, (1,)))


@table.function(
    cases=[Case("atleast_2d(x)", {"x": (3,)}), Case("atleast_2d(x, 2*x)[1]", {"x": ()})],
    passes_on=True,
)
def atleast_2d(*tensors: Node) -> Node | tuple[Node, ...]:
    """x, a vector as a row of a matrix; a tuple of several tensors."""
    return _each(tensors, lambda x: x if x.ndim > 1 else reshape(x, (1, x.size)))


@table.function(
    cases=[
        Case("atleast_3d(x)", {"x": (3,)}),
        Case("atleast_3d(x, x[0], x[0, 0])[0]"),
    ],
    passes_on=True,
)
def atleast_3d(*tensors: Node) -> Node | tuple[Node, ...]:
    """x, a matrix with an axis behind it, a vector with one on each side; a tuple of several."""
    return _each(
        tensors,
        lambda x: (
            x if x.ndim > 2 else unsqueeze(x, -1) if x.ndim == 2 else reshape(x, (1, x.size, 1))
        ),
    )


@table.function(
    cases=[Case("broadcast_tensors(x, y)[1]", {"x": (2, 1), "y": (3,)})],
    passes_on=True,
)
def broadcast_tensors(*tensors: Node) -> tuple[Node, ...]:
    """The tensors expanded to the shape that they broadcast to."""
    shape = broadcast("broadcast_tensors", [x.shape for x in tensors]) if tensors else ()
    return tuple(expand(x, shape) for x in tensors)
