"""A node as a short formula over named values: `2 * x`, `mean(z, dim=0)`, `w[0:2, :]`."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from gradcli.graph import CONSTANT, Array, Node
from gradcli.language.precedence import COMPARISON, LEVEL, NOT, POWER, SIGN
from gradcli.ops.control import BIND, LEAF
from gradcli.ops.elementwise import Elementwise
from gradcli.ops.kinds import CAST, is_promotion
from gradcli.report.arrays import GAP, excerpt, inline
from gradcli.report.notation import ATOM, item_of, subscripts, written

NESTED = 2
"""How many ops below the node a formula shows at most."""
CONSTANT_WIDTH = 12
"""A constant whose text is at most this long is written where it is used."""

_UNARY = {"not": NOT, "-": SIGN, "~": SIGN}
"""How tightly an operator of one operand binds."""


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
    below = node.inputs[0] if negative or node.op is CAST else node
    if below.op is not CONSTANT or below.known is None or below.size > CONSTANT_WIDTH:
        return None
    data: Array = np.negative(below.known) if negative else below.known
    if not np.array_equal(data.astype(node.graph.dtype(node.kind)), data, equal_nan=True):
        return None  # a cast that changes values
    text = inline(excerpt(data), precision, CONSTANT_WIDTH)
    return text if len(text) <= CONSTANT_WIDTH and GAP not in text else None


def operands(node: Node, names: Mapping[Node, str]) -> list[Node]:
    """The nodes that the formula of a node is written over, each once."""
    whole = item_of(node, names) or node
    places = range(len(whole.inputs))
    return list(dict.fromkeys(_operand(whole, place, names) for place in places))


def _operand(node: Node, position: int, names: Mapping[Node, str]) -> Node:
    """What the text of an operand is about. Conditions are read as truth values without a word."""
    below = node.inputs[position]
    is_condition = isinstance(node.op, Elementwise) and position < node.op.conditions
    if is_condition and below.op is CAST and below not in names:
        below = below.inputs[0]
    return _seen_through(below, names)


def defined_by(node: Node, names: Mapping[Node, str]) -> Node:
    """The nameless node that a node gives a name to, or else the node itself."""
    if node.op is not LEAF and node.op is not BIND:
        return node
    below = _seen_through(node.inputs[0], names)
    return node if below in names else below


def _seen_through(node: Node, names: Mapping[Node, str]) -> Node:
    """What is below nodes without a name that change no value: they need no words."""
    while node not in names and (node.op in (LEAF, BIND) or is_promotion(node)):
        node = node.inputs[0]
    return node


def _expression(
    node: Node, names: Mapping[Node, str], precision: int, levels: int
) -> tuple[str, int]:
    """The formula of a node and how tightly it binds; recurses at most `NESTED` deep."""
    item = item_of(node, names)
    whole = item or node

    def operand(position: int, least: int) -> str:
        """The text of an operand, in brackets if it binds less tightly than `least`."""
        below = _operand(whole, position, names)
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
    if symbol in _UNARY and len(whole.inputs) == 1:
        space = " " if symbol.isalpha() else ""
        return f"{symbol}{space}{operand(0, _UNARY[symbol])}", _UNARY[symbol]
    if symbol in LEVEL and len(whole.inputs) == 2:
        strength = LEVEL[symbol]
        # a - (b - c), but a ** b ** c; a chain of comparisons would mean something else
        left = operand(0, strength + (strength in (COMPARISON, POWER)))
        right = operand(1, _UNARY["-"] if symbol == "**" else strength + 1)
        return f"{left} {symbol} {right}", strength
    return written(node, operand), ATOM
