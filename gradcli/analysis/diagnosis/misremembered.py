"""Derivatives of functions as textbooks write them, and as they are wrongly remembered."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from operator import add, mul, pow, sub, truediv
from typing import Any

from gradcli.analysis.diagnosis.wording import Wording
from gradcli.diagnostics import Source
from gradcli.graph import Node
from gradcli.language.parser import ParseLimits, parse_expression
from gradcli.language.syntax import Binary, Call, Expression, Name, Number, Unary
from gradcli.ops import FUNCTIONS

OPERATORS = {"+": add, "-": sub, "*": mul, "/": truediv, "**": pow}


def textbook(local: Node, node: Node, words: Wording) -> str:
    """A local derivative as textbooks write it."""
    if node.op.textbook:
        texts = {name: words.of(each) for name, each in _names(node).items()}
        return _over(node.op.textbook, texts)
    return words.of(words.plain(local))


def misremembered(node: Node, position: int, words: Wording) -> Iterator[tuple[str, Node]]:
    """Wrong derivatives of a node by an operand of its shape, as text and as nodes."""
    if not node.op.misremembered:
        return
    texts = {name: _atom(words.of(each)) for name, each in _names(node).items()}
    for text in node.op.misremembered[position]:
        formula, comma, remark = text.partition(",")
        tree = parse_expression(Source("the op table", formula), ParseLimits())
        yield _over(formula, texts) + comma + remark, _value(tree, _names(node))


def _names(node: Node) -> dict[str, Node]:
    return {"x": node.inputs[0], "n": node.inputs[-1], "y": node}


def _over(formula: str, texts: Mapping[str, str]) -> str:
    """A formula of the op table over what a program calls its operands."""
    return re.sub(r"\b[xny]\b", lambda name: texts[name[0]], formula)


def _value(expression: Expression, names: Mapping[str, Node]) -> Any:
    """The node, or number, of an expression; the op table's are shallow, so recursion is safe."""
    match expression:
        case Number(value=value):
            return value
        case Name(id=title):
            return names[title]
        case Unary(operator="-", operand=operand):
            return -_value(operand, names)
        case Binary(operator=operator, left=left, right=right):
            return OPERATORS[operator](_value(left, names), _value(right, names))
        case Call(callee=Name(id=function), arguments=arguments):
            return FUNCTIONS[function](*(_value(each, names) for each in arguments))
    raise ValueError("the op table has no such derivative")


def _atom(text: str) -> str:
    """The text in parentheses, unless it is a name, a number or a call."""
    return text if re.fullmatch(r"[\w.]+(\([^()]*\))?", text) else f"({text})"
