"""Control of gradients: where they stop, and values that need a node of their own."""

from __future__ import annotations

from gradcli.graph import Node
from gradcli.ops.group import Group
from gradcli.ops.kinds import General, Linear
from gradcli.ops.splits import each_element
from gradcli.ops.table import Case

table = Group("control")

DETACH = General(
    "detach",
    infer=lambda x: (x.shape, x.kind),
    forward=lambda xp, x: x,
    view=True,
    splits=each_element,
    cell="{0}",
)


@table.function(
    aliases=("stop_gradient",),
    op=DETACH,
    cases=[Case("x * detach(x)", smooth=False)],
    numpy="np.asarray",
    torch="torch.detach",
    jax="jax.lax.stop_gradient",
)
def detach(x: Node) -> Node:
    """x as a constant: no gradient flows back through it."""
    return x.graph.apply(DETACH, (x,))


LEAF = General(
    "leaf",
    infer=lambda x, marked: (x.shape, x.kind),
    forward=lambda xp, x, marked: x,
    view=True,
    unique=True,
    spell=lambda node, x: x,
    cell="{0}",
)
"""A value that the user made, as a leaf of its own: gradients end here."""


def leaf(x: Node, marked: bool) -> Node:
    """A new leaf with the value of x, even where equal values exist already.

    `marked` leaves are those that the program asked for with `requires_grad=True`.
    """
    return x.graph.apply(LEAF, (x,), (marked,))


BIND = Linear(
    "bind",
    infer=lambda x: x.shape,
    forward=lambda xp, x: x,
    adjoints=(lambda change, y, x: change,),
    view=True,
    splits=each_element,
    unique=True,
    spell=lambda node, x: x,
)


def bind(x: Node) -> Node:
    """x under a name whose own gradient is asked for, separate from other uses of the value."""
    return x.graph.apply(BIND, (x,))
