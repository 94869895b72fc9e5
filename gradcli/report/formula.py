"""A node as a short formula over named values: `2 * x`, `mean(z, dim=0)`, `w[0:2, :]`."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from gradcli.graph import CONSTANT, Array, Node
from gradcli.ops.control import BIND, LEAF
from gradcli.ops.kinds import CAST
from gradcli.report.arrays import GAP, excerpt, inline
from gradcli.report.notation import ATOM, item_of, subscripts, written

NESTED = 2
"""How many ops below the node a formula shows at most."""
CONSTANT_WIDTH = 12
"""A constant whose text is at most this long is written where it is used."""

_STRENGTH = {
    "or": 1, "and": 2, "==": 4, "!=": 4, "<": 4, "<=": 4, ">": 4, ">=": 4,
    "+": 5, "-": 5, "*": 6, "/": 6, "//": 6, "%": 6, "@": 6, "**": 8,
}  # fmt: skip
"""How tightly an operator of two operands binds; higher is tighter."""
_UNARY = {"not": 3, "-": 7}


def formula(node: Node, names: Mapping[Node, str], precision: int, width: int) -> str:
    """The op on its operands, these in turn as formulas unless `names` has a name for them.

    What lies too deep, or makes the text longer than `width`, is `...`.
    """
    for levels in range(NESTED, -1, -1):
        text, _ = _expression(node, names, precision, levels)
        if len(text) <= width:
            break
    return text


def written_in_place(node: Node, precision: int) -> str | None:
    """The text of a small constant, which needs no line of its own; None for other nodes."""
    negative = node.op.name == "neg"
    if node.op is CAST or negative:
        node = node.inputs[0]
    if node.op is not CONSTANT or node.known is None or node.size > CONSTANT_WIDTH:
        return None
    data: Array = np.negative(node.known) if negative else node.known
    text = inline(excerpt(data), precision, CONSTANT_WIDTH)
    return text if len(text) <= CONSTANT_WIDTH and GAP not in text else None


def operands(node: Node, names: Mapping[Node, str]) -> list[Node]:
    """The nodes that the formula of a node is written over, each once."""
    whole = item_of(node, names) or node
    return list(dict.fromkeys(_seen_through(operand, names) for operand in whole.inputs))


def defined_by(node: Node, names: Mapping[Node, str]) -> Node:
    """The nameless node that a node gives a name to, or else the node itself."""
    if node.op is not LEAF and node.op is not BIND:
        return node
    below = _seen_through(node.inputs[0], names)
    return node if below in names else below


def _seen_through(node: Node, names: Mapping[Node, str]) -> Node:
    """What is below nodes without a name that change a kind, or nothing: they need no words."""
    while node.op in (CAST, LEAF, BIND) and node not in names:
        node = node.inputs[0]
    return node


def _expression(
    node: Node, names: Mapping[Node, str], precision: int, levels: int
) -> tuple[str, int]:
    """The formula of a node and how tightly it binds; recurses at most `NESTED` deep."""
    item = item_of(node, names)
    inputs = node.inputs if item is None else item.inputs

    def operand(position: int, least: int) -> str:
        """The text of an operand, in brackets if it binds less tightly than `least`."""
        below = _seen_through(inputs[position], names)
        constant = written_in_place(below, precision)
        if constant is not None:
            text, strength = constant, _UNARY["-"] if constant.startswith("-") else ATOM
        elif below in names:
            return names[below]
        elif levels:
            text, strength = _expression(below, names, precision, levels - 1)
        else:
            return GAP
        return text if strength >= least else f"({text})"

    if item is not None:
        return f"{operand(0, ATOM)}[{subscripts(item, node.ndim)}]", ATOM
    symbol: str = "@" if node.op.name == "matmul" else getattr(node.op, "infix", "")
    if symbol in _UNARY and len(inputs) == 1:
        space = " " if symbol.isalpha() else ""
        return f"{symbol}{space}{operand(0, _UNARY[symbol])}", _UNARY[symbol]
    if symbol in _STRENGTH and len(inputs) == 2:
        strength = _STRENGTH[symbol]
        # a - (b - c), but a ** b ** c; a chain of comparisons would mean something else
        left = operand(0, strength + (strength in (4, 8)))
        right = operand(1, _UNARY["-"] if symbol == "**" else strength + 1)
        return f"{left} {symbol} {right}", strength
    return written(node, operand), ATOM
