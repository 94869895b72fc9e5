"""Names and nodes of a program, found by reading it: nothing is run, and nothing recurses."""

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
    """The syntax nodes, and all nodes inside them."""
    stack = list(nodes)
    while stack:
        part = stack.pop()
        yield part
        stack += parts_of(part)


def parts_of(node: Any) -> list[syntax.Syntax]:
    """The syntax nodes directly inside a syntax node."""
    values = _flattened(tuple(getattr(node, field) for field in node.__slots__))
    return [value for value in values if isinstance(value, syntax.Syntax)]


def _flattened(items: tuple[Any, ...]) -> list[Any]:
    """The items of a tuple, and of the tuples in it, as a branch of `if` holds its body."""
    flat: list[Any] = []
    for item in items:
        flat += _flattened(item) if isinstance(item, tuple) else [item]
    return flat


def binds_unread(program: syntax.Program, name: str) -> bool:
    """Whether an assignment of the program binds a name before anything reads it: then an input of
    that name is never used.
    """
    for statement in program.statements:
        reads: syntax.Syntax = statement
        binds: syntax.Syntax | None = None
        if isinstance(statement, syntax.Assign) and not isinstance(
            statement.target, syntax.Attribute
        ):
            reads, binds = statement.value, statement.target
        if _stands_in(reads, name):
            return False
        if binds and _stands_in(binds, name):
            return True
    return False


def _stands_in(node: syntax.Syntax, name: str) -> bool:
    """Whether a value of that name stands anywhere in a syntax node, not counting a parameter."""
    stack: list[Any] = [node]
    while stack:
        part = stack.pop()
        if isinstance(part, syntax.Name) and part.id == name:
            return True
        if isinstance(part, syntax.Call) and isinstance(part.callee, syntax.Name):
            stack += [*part.arguments, *part.keywords]  # the name of a function is not a value
        elif not (
            isinstance(part, syntax.FunctionDefinition)
            and any(parameter.name == name for parameter in part.parameters)
        ):
            stack += parts_of(part)
    return False
