"""Calls of functions of the language, as an author would write them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gradcli.graph import Node
from gradcli.language.construct import call
from gradcli.language.syntax import Expression
from gradcli.ops.table import Function
from gradcli.trace.arguments import parameters_of


def brief_call(
    function: Function, arguments: Mapping[str, Any], operands: Mapping[str, Expression]
) -> Expression:
    """A call: tensors in order, what follows them by name, and no defaults."""
    plain: list[Expression] = []
    keywords: dict[str, Expression] = {}
    for parameter in parameters_of(function):
        if parameter.name not in arguments:
            continue
        if not parameter.required and _is_default(arguments[parameter.name], parameter.default):
            continue
        follows = parameter.keyword_only or len(plain) < _place(function, parameter.name)
        if follows or not (parameter.required or isinstance(arguments[parameter.name], Node)):
            keywords[parameter.name] = operands[parameter.name]
        else:
            plain.append(operands[parameter.name])
    return call(function.name, *plain, **keywords)


def _is_default(value: Any, default: Any) -> bool:
    return not isinstance(value, Node) and bool(value == default)


def _place(function: Function, title: str) -> int:
    return [each.name for each in parameters_of(function)].index(title)
