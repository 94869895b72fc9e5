"""Methods of tensors as values, and by the names of operators: `torch.Tensor.item`, `x.add_`,
`x.__mul__(y)`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Protocol

from gradcli.diagnostics import GradcliError
from gradcli.graph import Node
from gradcli.trace.objects import BuiltIn, Given
from gradcli.trace.operators import METHODS
from gradcli.trace.special import Special
from gradcli.trace.values import Value, Values, describe

_OPERATORS = {f"__{name}__": operator for operator, name in METHODS.items()}
_REFLECTED = {f"__r{name}__": operator for operator, name in METHODS.items()}
_FUNCTIONS = {"__neg__": "neg", "__abs__": "abs", "__invert__": "bitwise_not"}
_OF_PYTHON = {"__len__": "len", "__bool__": "bool", "__float__": "float", "__int__": "int"}


class OfTensors(Protocol):
    """The tracer, as these methods know it."""

    values: Values

    def operated(self, operator: str, left: Value, right: Value) -> Any:
        """The value of an operator on two values, or the visitor that finds it."""

    def function_call(self, name: str, arguments: list[Value], keywords: Given) -> Any:
        """The value of a call of a function of tensors."""

    def named_call(self, name: str, arguments: list[Value], keywords: Given) -> Any:
        """The value of a call of a function of Python's."""

    def element(self, owner: Value, items: list[Any]) -> Any:
        """`owner[items]`."""

    def bound_method(self, owner: Value, name: str) -> BuiltIn | None:
        """A method of a value; None where there is none of that name."""

    def changed_by(
        self, name: str, node: Node, arguments: Sequence[Value], keywords: Given
    ) -> Value:
        """What a tensor is after a method that changes it."""


def of_operator(language: OfTensors, name: str) -> Special | None:
    """The method of that name with underscores; None for other names."""
    if name in _OPERATORS:
        return lambda given, _: language.operated(_OPERATORS[name], given[0], given[1])
    if name in _REFLECTED:
        return lambda given, _: language.operated(_REFLECTED[name], given[1], given[0])
    if name in _FUNCTIONS:
        return partial(language.function_call, _FUNCTIONS[name])
    if name in _OF_PYTHON:
        return partial(language.named_call, _OF_PYTHON[name])
    if name == "__getitem__":
        return lambda given, _: language.element(given[0], list(_items(given[1])))
    return None


def _items(chosen: Value) -> Sequence[Any]:
    return chosen if isinstance(chosen, tuple) else (chosen,)


def changing(language: OfTensors, node: Node, name: str) -> BuiltIn:
    """`f = x.add_`."""

    def call(_: str, arguments: list[Value], keywords: Given) -> Value:
        return language.changed_by(name, node, arguments, keywords)

    return BuiltIn(name, call)


def unbound(language: OfTensors, has_method: Callable[[str], bool], name: str) -> BuiltIn | None:
    """`torch.Tensor.item`; None where tensors have no such method."""
    if not has_method(name):
        return None

    def call(_: str, arguments: list[Value], keywords: Given) -> Any:
        owner = arguments[0] if arguments else None
        method = language.bound_method(owner, name) if isinstance(owner, Node) else None
        if method is None:
            raise GradcliError("type", f"torch.Tensor.{name} is for tensors, not {describe(owner)}")
        return method.call(arguments[1:], keywords)

    found = BuiltIn(name, call)
    found.title, found.place = "method_descriptor", f"torch.Tensor.{name}"
    return found


def is_operator(name: str) -> bool:
    """Whether tensors have a method of an operator by that name."""
    return name in {*_OPERATORS, *_REFLECTED, *_FUNCTIONS, *_OF_PYTHON, "__getitem__"}
