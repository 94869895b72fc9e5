"""What a statement depends on, where all that it does is to give names values.

Such a statement may have others in it, as a loop has, and call functions of the program that do no
more than that.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

from gradcli.diagnostics import Span
from gradcli.graph import Node
from gradcli.language import syntax
from gradcli.ops import FUNCTIONS
from gradcli.trace.frames import Frame, UserFunction
from gradcli.trace.names import parts_of

_OF_PYTHON = frozenset(("append", "len", "range", "zip", "enumerate", "reversed"))
"""Functions that give a value, and are not in the op table."""
_PARTS = frozenset((
    syntax.Number, syntax.Constant, syntax.String, syntax.List, syntax.Tuple, syntax.Unary,
    syntax.Binary, syntax.Compare, syntax.Index, syntax.Slice, syntax.Ellipsis, syntax.Conditional,
    syntax.FormalParameter, syntax.Evaluate, syntax.Return, syntax.Break, syntax.Continue,
    syntax.PassStatement, syntax.Assert, syntax.If, syntax.While, syntax.For, syntax.Assign,
    syntax.AugmentedAssign, syntax.Name,
))  # fmt: skip
_BINDING = (syntax.For, syntax.Assign, syntax.AugmentedAssign)
_UNBOUND = object()

Key: TypeAlias = tuple[object, ...]


class Deed(NamedTuple):
    """A statement that is to run where its names stand for certain things."""

    key: Key
    """Two deeds with equal ones do the same: the text of the statement and of the functions that it
    calls, and the nodes that the names in them stand for, if anything."""
    spans: tuple[Span, ...]
    """Where these texts are."""


class _Reading(NamedTuple):
    names: tuple[str, ...]
    calls: tuple[str, ...]
    """Those that must be functions of the program."""


class Readings:
    """Reads statements, and remembers what it has found in a text."""

    def __init__(self) -> None:
        self._known: dict[tuple[type[Any], str], _Reading | None] = {}

    def deed(self, text: str, statement: syntax.Statement, frame: Frame) -> Deed | None:
        """A statement of a text that is to run in a frame; None where it may do more than give
        names values, or depends on more than nodes.
        """
        key: list[object] = []
        spans: list[Span] = []
        known: set[str] = set()
        waiting: list[syntax.Statement] = [statement]
        while waiting:
            part = waiting.pop()
            written = text[slice(*part.span)]
            reading = self._reading(written, part)
            if reading is None or not frame.functions.keys() >= set(reading.calls):
                return None
            key.append(written)
            spans.append(part.span)
            for name in reading.names:
                if name in known:
                    continue
                known.add(name)
                function = frame.functions.get(name)
                if function is not None:
                    if not _is_plain(function, frame):
                        return None
                    waiting.append(function.definition)
                    key.append(name)
                    continue
                value = frame.values.get(name, _UNBOUND)
                if value.__class__ is not Node and value is not _UNBOUND:
                    return None
                key.append(value)
        return Deed(tuple(key), tuple(spans))

    def _reading(self, written: str, statement: syntax.Statement) -> _Reading | None:
        known = type(statement), written
        if known not in self._known:
            self._known[known] = _reading(statement)
        return self._known[known]


def _is_plain(function: UserFunction, frame: Frame) -> bool:
    """Whether a call of a function means what its text says, with the names of the program."""
    return (
        function.frame is frame
        and function.records is None
        and function.owner is None
        and function.binds == "object"
    )


def _reading(statement: syntax.Statement) -> _Reading | None:
    names: dict[str, None] = {}
    calls: dict[str, None] = {}
    waiting = _what_counts(statement)
    while waiting:
        part = waiting.pop()
        if isinstance(part, syntax.Call):
            inside = _parts_of_call(part)
            if isinstance(part.callee, syntax.Name):
                names[part.callee.id] = None
                if part.callee.id not in FUNCTIONS and part.callee.id not in _OF_PYTHON:
                    calls[part.callee.id] = None
        else:
            inside = _inside(part)
            if isinstance(part, syntax.Name):
                names[part.id] = None
        if inside is None:
            return None
        waiting += inside
    return _Reading(tuple(names), tuple(calls))


def _what_counts(statement: syntax.Statement) -> list[Any]:
    """The parts of a statement that say what it does."""
    if isinstance(statement, syntax.FunctionDefinition) and not statement.decorators:
        return [*statement.parameters, *statement.body]
    if isinstance(statement, syntax.Assign) and _are_names(statement.target):
        return [statement.value]  # what its names stood for does not matter
    return [statement]


def _parts_of_call(call: syntax.Call) -> Sequence[Any] | None:
    """What a call of a function computes with; None where it may do more."""
    inside = (*call.arguments, *call.keywords)
    if isinstance(call.callee, syntax.Name):
        return inside
    if isinstance(call.callee, syntax.Attribute) and call.callee.name in FUNCTIONS:
        return (*inside, call.callee.value)
    return None


def _inside(part: Any) -> Sequence[Any] | None:
    """The parts of what only computes, and gives names values; None where it may do more."""
    if isinstance(part, syntax.Keyword):
        return None if part.name == "out" else (part.value,)
    if isinstance(part, syntax.Attribute):
        return (part.value,) if part.name in ("T", "mT", "shape") else None
    if isinstance(part, _BINDING) and not _are_names(part.target):
        return None
    return parts_of(part) if type(part) in _PARTS else None


def _are_names(target: Any) -> bool:
    parts = target.items if isinstance(target, syntax.Tuple) else (target,)
    return all(isinstance(each, syntax.Name) for each in parts)
