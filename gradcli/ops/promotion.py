"""How kinds promote, as in PyTorch: truth values to integers, integers to floats."""

from __future__ import annotations

from collections.abc import Sequence

from gradcli.diagnostics import GradcliError
from gradcli.graph import CONSTANT, KINDS, Node, Op
from gradcli.ops.kinds import cast


def promoted(op: Op, nodes: Sequence[Node]) -> list[Node]:
    """The nodes as the first kind that can hold all of them and that the op takes.

    Raises `type` if there is none.
    """
    kinds = {node.kind for node in nodes}
    if len(kinds) == 1 and kinds <= op.takes:
        return list(nodes)
    highest = max(map(KINDS.index, kinds), default=0)
    for kind in KINDS[highest:]:
        if kind in op.takes:
            return [cast(node, kind) for node in nodes]
    hint = "put comparisons in parentheses, as in (x > 0) & (x < 3); x.long() makes integers"
    raise GradcliError(
        "type",
        f"`{op.infix or op.name}` is for truth values and integers, not for floats",
        hint="a power is written **: x**2" if op.infix == "^" else hint,
    )


def together(nodes: Sequence[Node]) -> list[Node]:
    """The nodes as the first kind that can hold all of them."""
    return promoted(CONSTANT, nodes)


def is_number(x: Node) -> bool:
    """Whether a node is a number written in a program; -1 is the minus of 1."""
    negative = x.op.infix == "-" and len(x.inputs) == 1
    written = x.inputs[0] if negative else x
    return written.known is not None and not written.shape


def filling(x: Node, value: Node) -> tuple[Node, Node]:
    """A tensor and the values put into it: a number takes the tensor's kind, a tensor promotes."""
    if is_number(value):
        return x, cast(value, x.kind)
    x, value = together((x, value))
    return x, value
