"""Methods between underscores that a program calls by their names: `loader.__iter__()`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from gradcli.trace.arguments import bind_names
from gradcli.trace.objects import Given, Object
from gradcli.trace.operators import COMPARE, METHODS, contains
from gradcli.trace.slices import SliceOf
from gradcli.trace.values import Value, Values

_OPERATORS = {f"__{name}__": operator for operator, name in METHODS.items()}
_TURNED = {
    f"__r{name}__": operator for operator, name in METHODS.items() if operator not in COMPARE
}
_FUNCTIONS = {
    f"__{name}__": name
    for name in ("repr", "str", "len", "iter", "next", "abs", "bool", "int", "float", "neg")
}
Called = Callable[[list[Value], Given], Any]


class Operators(Protocol):
    """The tracer, as these methods know it."""

    @property
    def values(self) -> Values:
        """The values of the program."""

    def operated(self, operator: str, left: Value, right: Value) -> Any:
        """The value of an operator on two values, or the visitor that finds it."""

    def element(self, owner: Value, items: list[Any]) -> Any:
        """`owner[items]`, or the visitor that finds it."""

    def set_by_name(self, owner: Value, items: list[Any], value: Value) -> Any:
        """`owner[items] = value`, or the visitor that does so."""

    def delete_by_name(self, owner: Value, items: list[Any]) -> Any:
        """`del owner[items]`, or the visitor that does so."""

    def named_call(self, name: str, arguments: list[Value], keywords: dict[str, Value]) -> Any:
        """The value of a call of a function of Python's."""


def by_name(language: Operators, name: str, owner: Value) -> Called | None:
    """What a method of that name does to a value: what the sign or function that stands for it
    does. None for other names.
    """
    if name in _FUNCTIONS:
        return lambda given, named: language.named_call(_FUNCTIONS[name], [owner, *given], named)
    if name == "__call__" and isinstance(owner, Object):
        return owner.call
    if name in _OPERATORS:
        return lambda *given: language.operated(_OPERATORS[name], owner, _other(name, *given))
    if name in _TURNED:
        return lambda *given: language.operated(_TURNED[name], _other(name, *given), owner)
    if name == "__contains__":
        values = language.values
        return lambda *given: values.graph.constant(contains(values, owner, _other(name, *given)))
    if name == "__getitem__":
        return lambda *given: language.element(owner, _places(_other(name, *given)))
    if name == "__delitem__":
        return lambda *given: language.delete_by_name(owner, _places(_other(name, *given)))
    if name == "__setitem__":
        return lambda *given: language.set_by_name(owner, *_place_and_value(*given))
    return None


def _place_and_value(arguments: list[Value], keywords: Given) -> tuple[list[Any], Value]:
    place, value = bind_names("__setitem__", ("key", "value"), arguments, keywords).values()
    return _places(place), value


def _other(name: str, arguments: list[Value], keywords: Given) -> Value:
    (other,) = bind_names(name, ("other",), arguments, keywords).values()
    return other


def _places(value: Value) -> list[Any]:
    items = value if isinstance(value, tuple) else (value,)
    return [each.bounds if isinstance(each, SliceOf) else each for each in items]
