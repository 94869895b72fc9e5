"""Dictionaries, tuples and lists of tensors, as functions of functions take and give them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from gradcli.diagnostics import GradcliError
from gradcli.trace.dictionaries import Dictionary
from gradcli.trace.items import Items
from gradcli.trace.values import Value, Values

DEEPEST = 50
"""How many lists may be inside each other."""


def is_tree(values: Values, value: Value) -> bool:
    """Whether its tensors are taken one by one. Lists of lists are tensors where nothing is
    imported.
    """
    if isinstance(value, Items):
        return values.is_python or not any(isinstance(each, Items) for each in value)
    return isinstance(value, Dictionary | tuple)


def changed(
    values: Values, value: Value, change: Callable[[Value], Value], depth: int = 0
) -> Value:
    """A value with each of its tensors changed. Raises `limit-depth`."""
    if not is_tree(values, value):
        return change(value)
    if depth == DEEPEST:
        raise GradcliError("limit-depth", f"lists are inside each other more than {DEEPEST} deep")
    if isinstance(value, Dictionary):
        pairs = [(key, changed(values, each, change, depth + 1)) for key, each in value.pairs()]
        return Dictionary(values, pairs)
    if isinstance(value, Items):
        return Items([changed(values, each, change, depth + 1) for each in value])
    assert isinstance(value, tuple)
    parts = tuple(changed(values, each, change, depth + 1) for each in value)
    made: Value = getattr(value, "_make", tuple)(parts)  # a named tuple stays one
    return made


def tensors(values: Values, value: Value) -> list[Value]:
    """The tensors in a value, in order."""
    found: list[Value] = []
    changed(values, value, found.append)
    return found


def filled(values: Values, like: Value, found: Iterable[Value]) -> Value:
    """A value of the form of another, with these tensors in it."""
    rest: Iterator[Value] = iter(found)
    return changed(values, like, lambda _: next(rest))
