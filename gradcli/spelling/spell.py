"""One node as an expression of the language, over expressions for its operands.

Where an op is written in an unusual way, its entry says so (`Op.spell`); the others follow here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gradcli.graph import Node, Op
from gradcli.language.construct import argument, binary, call, compare, number, numbers, unary
from gradcli.language.syntax import Expression
from gradcli.ops import FUNCTIONS, Function

COMPARISONS = frozenset({"==", "!=", "<", "<=", ">", ">="})


def spell(node: Node, operands: Sequence[Expression]) -> Expression | None:
    """The node's expression; None where the language has no words for it."""
    op = node.op
    if op.spell is not None:
        expression: Expression | None = op.spell(node, *operands)
        return expression
    if op.infix in COMPARISONS:
        return compare(op.infix, *operands)
    if op.infix:
        return (unary if len(operands) == 1 else binary)(op.infix, *operands)
    function = function_of(op)
    return None if function is None else _call(function, node, operands)


def function_of(op: Op) -> Function | None:
    """The function of the language that makes nodes of this op, and is called as it is."""
    function = FUNCTIONS.get(op.name)
    return function if function is not None and function.op is op else None


def arguments_of(function: Function, node: Node) -> dict[str, Any]:
    """The operands and attributes of a node under the names of the function's parameters."""
    parameters = [each.name for each in function.parameters]
    names = node.op.attributes or parameters[len(node.inputs) :]
    operands = dict(zip(parameters, node.inputs, strict=False))
    return operands | dict(zip(names, node.attributes, strict=False))


def written(title: str, value: Any, ndim: int) -> Expression:
    """A plain argument as an expression; axes count from the left of `ndim`."""
    axes = title in ("dim", "dims") and value is not None and not isinstance(value, bool)
    return _axes(value, ndim) if axes else argument(value)


def _call(function: Function, node: Node, operands: Sequence[Expression]) -> Expression:
    """A call with the attributes under the names of their parameters, defaults left out."""
    parameters = {each.name: each for each in function.parameters}
    names = node.op.attributes or list(parameters)[len(operands) :]
    plain = list(operands)
    keywords: dict[str, Expression] = {}
    for title, value in zip(names, node.attributes, strict=False):
        parameter = parameters[title]
        if parameter.variadic:
            plain += map(number, value) if value else [numbers(())]
        elif title in ("dim", "dims"):
            if not ("keepdim" in names and _is_all(value, node)):
                keywords[title] = _axes(value, node.inputs[0].ndim)
        elif parameter.required or value != parameter.default:
            keywords[title] = argument(value)
    return call(function.name, *plain, **keywords)


def _is_all(axes: Any, node: Node) -> bool:
    """Whether a reduction is over all axes."""
    return axes is None or (isinstance(axes, tuple) and len(axes) == node.inputs[0].ndim)


def _axes(axes: int | tuple[int, ...], ndim: int) -> Expression:
    """Axes counted from the left."""
    if isinstance(axes, int):
        return number(axes % ndim if ndim else axes)
    counted = [axis % ndim if ndim else axis for axis in axes]
    return number(counted[0]) if len(counted) == 1 else numbers(counted)
