"""Syntax trees without their spans, so that they can be compared and written by hand."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from gradcli.diagnostics import Source
from gradcli.language.parser import ParseLimits, parse_expression, parse_program
from gradcli.language.syntax import Expression, Program, Syntax


def program(text: str) -> Program:
    return parse_program(Source("program", text), ParseLimits())


def expression(text: str) -> Expression:
    return parse_expression(Source("program", text), ParseLimits())


def shape(node: Any) -> Any:
    """`('Binary', '+', ('Name', 'a'), ('Number', 1.0))` for `a + 1`; recurses."""
    if isinstance(node, tuple):
        return tuple(map(shape, node))
    if not isinstance(node, Syntax):
        return node
    parts = [shape(getattr(node, name)) for name in node.__slots__ if "span" not in name]
    return type(node).__name__, *parts


def fields(part: Any) -> Iterator[Any]:
    """All that is in a tree, in order, without recursion."""
    waiting = [part]
    while waiting:
        part = waiting.pop()
        if isinstance(part, Syntax):
            yield type(part)
            waiting += [getattr(part, name) for name in type(part).__slots__]
        elif isinstance(part, tuple):
            yield len(part)
            waiting += part
        else:
            yield part


_OPERATORS: dict[type, str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%",
    ast.MatMult: "@", ast.Pow: "**", ast.UAdd: "+", ast.USub: "-", ast.Not: "not", ast.And: "and",
    ast.Or: "or", ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">",
    ast.GtE: ">=", ast.BitAnd: "&", ast.BitOr: "|", ast.Invert: "~",
}  # fmt: skip


def python_shape(text: str) -> Any:
    """What `shape` must say of an expression, by Python's own parser. Raises SyntaxError."""
    return _translated(ast.parse(text, mode="eval").body)


def _translated(node: Any) -> Any:
    match node:
        case ast.UnaryOp(operator, operand):
            return "Unary", _OPERATORS[type(operator)], _translated(operand)
        case ast.BinOp(left, operator, right):
            return "Binary", _OPERATORS[type(operator)], _translated(left), _translated(right)
        case ast.BoolOp(operator, [first, *others]):
            tree = _translated(first)
            for other in others:
                tree = "Binary", _OPERATORS[type(operator)], tree, _translated(other)
            return tree
        case ast.Compare(left, operators, others):
            words = tuple(_OPERATORS[type(operator)] for operator in operators)
            return "Compare", words, _all([left, *others])
    return _primary(node)


def _primary(node: Any) -> Any:
    match node:
        case ast.Call(callee, arguments, keywords):
            named = tuple(("Keyword", word.arg, _translated(word.value)) for word in keywords)
            return "Call", _translated(callee), _all(arguments), named
        case ast.Attribute(value, name):
            return "Attribute", _translated(value), name
        case ast.Subscript(value, index):
            items = index.elts if isinstance(index, ast.Tuple) else [index]
            return "Index", _translated(value), _all(items)
        case ast.Slice(lower, upper, step):
            return "Slice", *(bound and _translated(bound) for bound in (lower, upper, step))
        case ast.List(items) | ast.Tuple(items):
            return type(node).__name__, _all(items)
        case ast.Name(name):
            return "Name", name
    return _constant(node.value)


def _constant(value: Any) -> Any:
    if value is None or isinstance(value, bool):
        return "Constant", value
    return ("String", value) if isinstance(value, str) else ("Number", float(value))


def _all(nodes: list[Any]) -> Any:
    return tuple(map(_translated, nodes))
