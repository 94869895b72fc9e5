"""What stands in a program, found by reading it: nothing is run, and nothing recurses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from gradcli.language import syntax


def runs_backward(program: syntax.Program) -> bool:
    """Whether the program may differentiate by itself, and so free graphs."""
    text = program.source.text
    if "backward" not in text and "grad" not in text:  # reading every part takes longer
        return False
    return any(
        (isinstance(part, syntax.Attribute) and part.name in ("backward", "grad"))
        or (isinstance(part, syntax.Name) and part.id in ("backward", "grad"))
        for part in _all_parts(program.statements)
    )


def _all_parts(nodes: Sequence[Any]) -> Iterator[Any]:
    """The syntax nodes and all that they are made of."""
    stack = list(nodes)
    while stack:
        part = stack.pop()
        yield part
        stack += parts_of(part)


def parts_of(node: Any) -> list[syntax.Syntax]:
    """The syntax nodes that a syntax node is made of."""
    values = _flattened(tuple(getattr(node, field) for field in node.__slots__))
    return [value for value in values if isinstance(value, syntax.Syntax)]


def _flattened(items: tuple[Any, ...]) -> list[Any]:
    """The items of a tuple, and of the tuples in it, as a branch of `if` holds its body."""
    flat: list[Any] = []
    for item in items:
        flat += _flattened(item) if isinstance(item, tuple) else [item]
    return flat
