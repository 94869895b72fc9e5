"""A node as a short formula over named values: `2 * x`, `mean(z, dim=0)`, `w[0:2, :]`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from gradcli.graph import CONSTANT, Node
from gradcli.ops.table import CAST, FUNCTIONS, Parameter
from gradcli.report.arrays import GAP, excerpt, inline, number
from gradcli.report.sanitise import sanitise

NESTED = 3
"""How many ops below the node a formula shows at most."""
OPERANDS = 4
CONSTANT_WIDTH = 12
"""A constant whose text is at most this long is written where it is used."""

ARGUMENT_WIDTH = 24

_STRENGTH = {
    "or": 1, "and": 2, "==": 4, "!=": 4, "<": 4, "<=": 4, ">": 4, ">=": 4,
    "+": 5, "-": 5, "*": 6, "/": 6, "//": 6, "%": 6, "@": 6, "**": 8,
}  # fmt: skip
"""How tightly an operator of two operands binds; higher is tighter."""
_UNARY = {"not": 3, "-": 7}
_ATOM = 9


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
    """The text of a small constant, which needs no line of its own."""
    if node.op is CAST:
        return written_in_place(node.inputs[0], precision)
    if node.op is not CONSTANT or node.data is None or node.size > CONSTANT_WIDTH:
        return None
    shown = excerpt(node.data)
    text = inline(shown, precision, CONSTANT_WIDTH)
    return text if len(text) <= CONSTANT_WIDTH and GAP not in text else None


def _expression(
    node: Node, names: Mapping[Node, str], precision: int, levels: int
) -> tuple[str, int]:
    """The formula of a node and how tightly it binds; recurses at most `NESTED` deep."""

    def operand(position: int) -> tuple[str, int]:
        below = node.inputs[position]
        if below in names:
            return names[below], _ATOM
        constant = written_in_place(below, precision)
        if constant is not None:
            return constant, _UNARY["-"] if constant.startswith("-") else _ATOM
        return _expression(below, names, precision, levels - 1) if levels else (GAP, _ATOM)

    def bracketed(position: int, least: int) -> str:
        text, strength = operand(position)
        return text if strength >= least else f"({text})"

    symbol: str = "@" if node.op.name == "matmul" else getattr(node.op, "infix", "")
    if symbol and len(node.inputs) == 1:
        space = " " if symbol.isalpha() else ""
        return f"{symbol}{space}{bracketed(0, _UNARY[symbol])}", _UNARY[symbol]
    if symbol and len(node.inputs) == 2:
        strength = _STRENGTH[symbol]
        # a - (b - c), but a ** b ** c; a chain of comparisons would mean something else
        left = bracketed(0, strength + (symbol == "**" or strength == 4))
        right = bracketed(1, _UNARY["-"] if symbol == "**" else strength + 1)
        return f"{left} {symbol} {right}", strength
    if node.op.name == "slice":
        return f"{bracketed(0, _ATOM)}[{_subscripts(node)}]", _ATOM
    shown = [operand(position)[0] for position in range(len(node.inputs))[:OPERANDS]]
    if len(node.inputs) > OPERANDS:
        shown.append(GAP)
    return f"{node.op.name}({', '.join(shown + _arguments(node))})", _ATOM


def _arguments(node: Node) -> list[str]:
    """The attributes of a node, under their names in the language where the op table has them."""
    entry = FUNCTIONS.get(node.op.name)
    parameters = (
        [p for p in entry.parameters if p.kind != "Graph" and "Node" not in p.kind] if entry else []
    )
    if len(parameters) != len(node.attributes):
        return [_argument(value) for value in node.attributes]
    ndim = node.inputs[0].ndim if node.inputs else 0
    texts = [
        _keyword(parameter, value, ndim)
        for parameter, value in zip(parameters, node.attributes, strict=True)
    ]
    return [text for text in texts if text]


def _keyword(parameter: Parameter, value: Any, ndim: int) -> str:
    """`dim=0`, or nothing where it need not be said."""
    if parameter.variadic:
        return _argument(value)
    if parameter.name == "dim":
        axes = _from_the_left(value, ndim)
        if parameter.default is None and len(axes) == ndim:
            return ""
        return f"dim={axes[0] if len(axes) == 1 else axes}"
    if value == parameter.default and not parameter.required:
        return ""
    return f"{parameter.name}={_argument(value)}"


def _from_the_left(axes: int | tuple[int, ...], ndim: int) -> tuple[int, ...]:
    """Axes as most people count them; the op table counts from the right."""
    counted = (axes,) if isinstance(axes, int) else axes
    return tuple(axis + ndim if axis < 0 else axis for axis in counted)


def _argument(value: Any) -> str:
    text = number(np.float64(value), 6) if isinstance(value, float) else sanitise(repr(value))
    return text if len(text) <= ARGUMENT_WIDTH else GAP


def _subscripts(node: Node) -> str:
    """What stands between the brackets of a slice, whose attribute is (first, count, step)s."""
    texts: list[str] = []
    for (first, count, step), length in zip(*node.attributes, node.inputs[0].shape, strict=True):
        last = first + count * step
        stop = "" if last < 0 else str(last)
        whole = (first, count, step) == (0, length, 1)
        texts.append(":" if whole else f"{first}:{stop}" + (f":{step}" if step != 1 else ""))
    return ", ".join(texts)
