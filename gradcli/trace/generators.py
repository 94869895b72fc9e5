"""Functions that yield: their bodies stop at each `yield`, and go on when the next is asked for."""

from __future__ import annotations

from collections.abc import Iterator
from types import GeneratorType
from typing import Any, Protocol

from gradcli.diagnostics import GradcliError
from gradcli.language import syntax
from gradcli.trace.frames import Frame
from gradcli.trace.values import Value
from gradcli.tuples import NamedTuple

DEEPEST = 50
"""So many generators may go on within each other: each takes some of Python's stack."""
DEEPEST_LATER = 25
"""Within so many, what an expression or `map` would give later is computed at once."""


class Yielded(NamedTuple):
    """What a `yield` gives to those who run the body."""

    value: Any


class Runs(Protocol):
    """The tracer, as generators know it."""

    frame: Frame
    records: bool
    generators_open: int


class GeneratorBody:
    """The body of a call of such a function, or what else gives values one by one."""

    def __init__(self, tracer: Runs, visit: Any, frame: Frame, records: bool | None) -> None:
        """`records` says whether it records; None: as those who ask for its values."""
        self._tracer = tracer
        self._stack = [visit]
        """The visitors that wait for each other, the outermost first."""
        self._frame, self._records = frame, records
        self.returned: Value = None
        """What it has returned at its end."""

    def __iter__(self) -> Iterator[Value]:
        """What it gives, up to its end."""
        while (found := self.go_on()) is not None:
            yield found.value

    def go_on(self, error: GradcliError | None = None, sent: Value = None) -> Yielded | None:
        """Run it to its next `yield`, after an error is raised where it stands, or a value is sent
        there; None where it ends.
        """
        tracer = self._tracer
        if tracer.generators_open >= DEEPEST:
            raise GradcliError(
                "limit-depth",
                f"{DEEPEST} generators wait for each other here",
                hint="a function that returns a list may call itself deeper",
            )
        outside = tracer.frame, tracer.records
        tracer.frame = self._frame
        if self._records is not None:
            tracer.records = self._records
        tracer.generators_open += 1
        try:
            return self._run(error, sent)
        finally:
            self._frame = tracer.frame
            self._records = None if self._records is None else tracer.records
            tracer.frame, tracer.records = outside
            tracer.generators_open -= 1

    def _run(self, error: Any, result: Any) -> Yielded | None:
        """As the tracer runs visitors, up to where a `yield` stops it."""
        stack = self._stack
        while stack:
            visit = stack[-1]
            try:
                result = visit.send(result) if error is None else visit.throw(error)
                error = None
                if isinstance(result, Yielded):
                    return result
                if isinstance(result, GeneratorType):
                    stack.append(result)
                    result = None
            except StopIteration as stop:
                stack.pop()
                result, error = stop.value, None
                if isinstance(result, GeneratorType):
                    stack.append(result)
                    result = None
            except GradcliError as raised:
                stack.pop()
                result, error = None, raised
        if error is not None:
            raise error
        self.returned = getattr(result, "value", None)  # of a `return`
        return None


def yields(definition: syntax.FunctionDefinition) -> bool:
    """Whether a `yield` stands in a function's own body."""
    waiting: list[syntax.Statement] = [*definition.body]
    while waiting:
        statement = waiting.pop()
        if isinstance(statement, syntax.Yield):
            return True
        if not isinstance(statement, syntax.FunctionDefinition | syntax.ClassDefinition):
            waiting += [each for body in syntax.bodies(statement) for each in body]
    return False
