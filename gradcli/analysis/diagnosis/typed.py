"""The formula that the user typed: its tree, and the values that changed trees have."""

from __future__ import annotations

from typing import Any

from gradcli.diagnostics import GradcliError, Source, Span
from gradcli.graph import Node
from gradcli.language.rewrite import places
from gradcli.language.syntax import (
    Attribute,
    Binary,
    Call,
    Compare,
    Expression,
    FunctionDefinition,
    Index,
    Name,
    Program,
    Unary,
)  # fmt: skip
from gradcli.ops.kinds import cast
from gradcli.trace import Tracer
from gradcli.trace.items import Items
from gradcli.trace.values import Value
from gradcli.trace.visits import Visit

MISFITS = (GradcliError, ArithmeticError, LookupError, TypeError, ValueError)
"""Errors that computing a wrong gradient may raise: singular matrices, shapes that do not fit."""


class Tolerant:
    """Passes over what a wrong formula raises, but not over the end of the run's time."""

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: object, trace: object) -> bool:
        ended = isinstance(error, GradcliError) and error.diagnostic.code == "limit-time"
        return isinstance(error, MISFITS) and not ended


class Remembering(Tracer):
    """Traces no part again whose value is known."""

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
        self.known: dict[Expression, Value] = {}

    def visit(self, expression: Expression) -> Visit | Value:
        known = self.known.get(expression)
        return super().visit(expression) if known is None else known


class Typed:
    """An expression over the program's names, functions and gradient vectors."""

    def __init__(
        self, source: Source, expression: Expression, program: Program, tracer: Remembering
    ) -> None:
        """Raises what tracing raises."""
        self.source = source
        self.expression = expression
        self._tracer = tracer
        try:
            tracer.run(_defined(tracer, program))
            self.node = self.value(expression)
        except GradcliError as error:
            raise error.located(source, tracer.graph.span) from None
        finally:
            tracer.graph.span = None

    def value(self, expression: Expression) -> Node:
        """The value of a tree, as a float. Raises what tracing raises."""
        value = self._tracer.run(self._tracer.visit(expression))
        node = self._tracer.values.tensor(Items(list(value)) if isinstance(value, tuple) else value)
        return cast(node, "float")

    def remember(self) -> dict[Expression, Node]:
        """The values of the formula's parts: trees that share these need not trace them again."""
        known: dict[Expression, Node] = {}
        found = (place for place in places(self.expression) if place.is_value and not place.binds)
        parts = [place.part for place in found]
        for part in reversed(parts):
            if isinstance(part, REMEMBERED):
                with Tolerant():
                    value = self._tracer.run(self._tracer.visit(part))
                    self._tracer.known[part] = value
                    if isinstance(value, Node):
                        known[part] = value
        return known

    def text(self, span: Span) -> str:
        """What the user wrote at a place."""
        return " ".join(self.source.text[slice(*span)].split())


REMEMBERED = (Attribute, Binary, Call, Compare, Index, Name, Unary)
"""Parts that mean the same wherever they stand; a number may be an axis."""


def _defined(tracer: Tracer, program: Program) -> Visit:
    """The functions of the program, for a formula that calls them."""
    for statement in program.statements:
        if isinstance(statement, FunctionDefinition):
            yield tracer.statement(statement)
