"""A node as a short formula over named values: `2 * x`, `mean(z, dim=0)`, `w[0:2, :]`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from gradcli.graph import CONSTANT, Array, Node
from gradcli.ops.table import CAST
from gradcli.report.arrays import GAP, excerpt, inline, number
from gradcli.report.sanitise import sanitise

NESTED = 2
"""How many ops below the node a formula shows at most."""
OPERANDS = 4
"""How many operands of a call."""
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
    """The text of a small constant, which needs no line of its own; None for other nodes."""
    negative = node.op.name == "neg"
    if node.op is CAST or negative:
        node = node.inputs[0]
    if node.op is not CONSTANT or node.data is None or node.size > CONSTANT_WIDTH:
        return None
    data: Array = np.negative(node.data) if negative else node.data
    text = inline(excerpt(data), precision, CONSTANT_WIDTH)
    return text if len(text) <= CONSTANT_WIDTH and GAP not in text else None


def seen_through(node: Node, names: Mapping[Node, str]) -> Node:
    """The operand of a cast without a name: a change of kind goes without saying."""
    return node.inputs[0] if node.op is CAST and node not in names else node


def _expression(
    node: Node, names: Mapping[Node, str], precision: int, levels: int
) -> tuple[str, int]:
    """The formula of a node and how tightly it binds; recurses at most `NESTED` deep."""

    def operand(position: int, least: int) -> str:
        """The text of an operand, in brackets if it binds less tightly than `least`."""
        below = seen_through(node.inputs[position], names)
        constant = written_in_place(below, precision)
        if constant is not None:
            text, strength = constant, _UNARY["-"] if constant.startswith("-") else _ATOM
        elif below in names:
            return names[below]
        elif levels:
            text, strength = _expression(below, names, precision, levels - 1)
        else:
            return GAP
        return text if strength >= least else f"({text})"

    symbol: str = "@" if node.op.name == "matmul" else getattr(node.op, "infix", "")
    if symbol in _UNARY and len(node.inputs) == 1:
        space = " " if symbol.isalpha() else ""
        return f"{symbol}{space}{operand(0, _UNARY[symbol])}", _UNARY[symbol]
    if symbol in _STRENGTH and len(node.inputs) == 2:
        strength = _STRENGTH[symbol]
        # a - (b - c), but a ** b ** c; a chain of comparisons would mean something else
        left = operand(0, strength + (strength in (4, 8)))
        right = operand(1, _UNARY["-"] if symbol == "**" else strength + 1)
        return f"{left} {symbol} {right}", strength
    return (_SHORTHANDS.get(node.op.name) or _call)(node, operand), _ATOM


def _call(node: Node, operand: Callable[[int, int], str]) -> str:
    arguments = [operand(position, 0) for position in range(len(node.inputs))[:OPERANDS]]
    if len(node.inputs) > OPERANDS:
        arguments.append(GAP)
    return f"{node.op.name}({', '.join(arguments + _attributes(node))})"


def _slice(node: Node, operand: Callable[[int, int], str]) -> str:
    """`x[0:2, :]`; the attribute is (first, count, step) for every axis."""
    subscripts: list[str] = []
    for (first, count, step), length in zip(*node.attributes, node.inputs[0].shape, strict=True):
        stop = first + count * step
        bounds = f"{first}:{stop if stop >= 0 else ''}" + (f":{step}" if step != 1 else "")
        subscripts.append(":" if (first, count, step) == (0, length, 1) else bounds)
    return f"{operand(0, _ATOM)}[{', '.join(subscripts)}]"


def _index(node: Node, operand: Callable[[int, int], str]) -> str:
    """`x[:, i]`; the attribute is the axes that the index arrays stand for."""
    (axes,) = node.attributes
    subscripts = [":"] * node.inputs[0].ndim
    for position, axis in enumerate(axes, 1):
        subscripts[axis] = operand(position, 0)
    return f"{operand(0, _ATOM)}[{', '.join(subscripts)}]"


def _permute(node: Node, operand: Callable[[int, int], str]) -> str:
    (axes,) = node.attributes
    if axes == (-1, -2):
        return f"{operand(0, _ATOM)}.T"
    return f"permute({operand(0, 0)}, {', '.join(str(axis + len(axes)) for axis in axes)})"


_SHORTHANDS = {"slice": _slice, "index": _index, "permute": _permute}


def _attributes(node: Node) -> list[str]:
    """The attributes as arguments, under the names that the op's forward function has for them."""
    texts: list[str] = []
    for name, value in zip(_attribute_names(node), node.attributes, strict=True):
        if name in ("axis", "axes"):
            texts += _dim(value, node.inputs[0].ndim)
        elif name == "keepdim":
            texts += ["keepdim=True"] if value else []
        elif name == "shape":
            texts += map(str, value)
        elif name not in _UNSAID:
            texts.append(f"{name}={_argument(value)}" if name else _argument(value))
    return texts


_UNSAID = {"dtype", "seed", "index", "marked"}


def _attribute_names(node: Node) -> tuple[str, ...]:
    """A forward function takes the array namespace, one array an operand, then the attributes."""
    if node.op.name == "cat":
        return ("axis",)
    code = getattr(getattr(node.op, "_forward", None), "__code__", None)
    names = code.co_varnames[: code.co_argcount][1 + len(node.inputs) :] if code else ()
    return names if len(names) == len(node.attributes) else ("",) * len(node.attributes)


def _dim(axes: int | tuple[int, ...] | None, ndim: int) -> list[str]:
    """Axes counted from the left; all of them go without saying."""
    counted = (axes,) if isinstance(axes, int) else axes or ()
    dims = [axis + ndim if axis < 0 else axis for axis in counted]
    if len(dims) in (0, ndim):
        return []
    return [f"dim={dims[0] if len(dims) == 1 else tuple(dims)}"]


def _argument(value: Any) -> str:
    text = number(np.float64(value), 6) if isinstance(value, float) else sanitise(repr(value))
    return text if len(text) <= ARGUMENT_WIDTH else GAP
