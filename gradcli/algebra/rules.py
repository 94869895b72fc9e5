"""Definitions and derivatives as textbooks have them, where those that compute are others.

What computes guards against overflow, keeps digits close to poles, and says what happens at kinks.
A textbook leaves that out. Entries of the op table say so: `by_book`, `textbook`.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from math import pi
from operator import add, gt, lt, mul, pow, sub, truediv
from typing import Any

from gradcli.diagnostics import Source
from gradcli.differentiate.product import multiply
from gradcli.differentiate.reverse import contributions
from gradcli.graph import OPERATORS, Node
from gradcli.language.parser import ParseLimits, parse_expression
from gradcli.language.syntax import Binary, Call, Compare, Expression, Name, Number, Unary
from gradcli.ops import FUNCTIONS
from gradcli.ops.kinds import Reduction, cast, restore_axes
from gradcli.ops.table import Function

SYMBOLS = {"+": add, "-": sub, "*": mul, "/": truediv, "**": pow, "<": lt, ">": gt}


class Definitions(Mapping[str, Function]):
    """The op table, with the definitions of textbooks."""

    def __getitem__(self, name: str) -> Function:
        function = FUNCTIONS[name]
        if function.by_book is None:
            return function
        return function._replace(build=function.by_book)

    def __iter__(self) -> Iterator[str]:
        return iter(FUNCTIONS)

    def __len__(self) -> int:
        return len(FUNCTIONS)


def derivatives(
    node: Node, change: Node, linked: Container[Node], selected: set[Node]
) -> Iterator[tuple[int, Node]]:
    """What `contributions` gives, by the rules of textbooks where entries have them."""
    op = node.op
    (first, *others) = node.inputs or (None,)
    if op.textbook:
        yield from _by_formulas(node, change, linked)
    elif first is None or others or not op.differentiable(node, 0):
        yield from contributions(node, change, linked, selected)
    elif op.by_book is not None and isinstance(op, Reduction):
        axes = node.attributes[0]
        y = restore_axes(node, first.shape, axes)
        whole = OPERATORS["expand"](change, node.shape)
        local = op.by_book(y, first, *node.attributes)
        yield 0, restore_axes(whole, first.shape, axes) * local
    elif op.by_book is not None:
        yield 0, op.by_book(OPERATORS["expand"](change, node.shape), node, first, *node.attributes)
    else:
        yield from contributions(node, change, linked, selected)


def _by_formulas(node: Node, change: Node, linked: Container[Node]) -> Iterator[tuple[int, Node]]:
    """The cotangents of operands, by the formulas that the entry states for them."""
    names = {"x": node.inputs[0], "n": node.inputs[-1], "y": node}
    for place, (operand, text) in enumerate(zip(node.inputs, node.op.textbook, strict=True)):
        if operand in linked and node.op.differentiable(node, place):
            part = multiply(change, value_of(text, names))
            if operand.shape != node.shape:
                part = OPERATORS["sum_to"](OPERATORS["expand"](part, node.shape), operand.shape)
            yield place, part


def value_of(text: str, names: Mapping[str, Node]) -> Any:
    """The node, or number, of a formula of the op table over named nodes."""
    return _value(parse_expression(Source("the op table", text), ParseLimits()), names)


def _value(expression: Expression, names: Mapping[str, Node]) -> Any:
    """The op table's formulas are shallow, so recursion is safe."""
    match expression:
        case Number(value=value):
            return value
        case Name(id="pi"):
            return names["y"].graph.constant(pi)
        case Name(id=title):
            return names[title]
        case Unary(operator="-", operand=operand):
            return -_value(operand, names)
        case Binary(operator=operator, left=left, right=right):
            return SYMBOLS[operator](_value(left, names), _value(right, names))
        case Compare(operators=(operator,), operands=(left, right)):
            return cast(SYMBOLS[operator](_value(left, names), _value(right, names)), "float")
        case Call(callee=Name(id=function), arguments=arguments):
            return FUNCTIONS[function](*(_value(each, names) for each in arguments))
    raise AssertionError(expression)
