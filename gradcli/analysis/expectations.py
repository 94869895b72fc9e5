"""Expectations in scripts, `#= value ± tol` and `#! code`, are checked while the scripts run."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from time import perf_counter
from typing import get_args

from gradcli.diagnostics import Code, Diagnostic, GradcliError, Source, nearest
from gradcli.engine.evaluator import Evaluator
from gradcli.graph import Array, Graph, Node, Precision
from gradcli.language import syntax
from gradcli.language.parser import parse_expression
from gradcli.literals import LiteralTracer, literals
from gradcli.ops.shapes import show
from gradcli.session import Options
from gradcli.trace import Tracer
from gradcli.trace.bindings import as_outputs
from gradcli.trace.closeness import worst
from gradcli.trace.items import Items
from gradcli.trace.loops import Leave, Repeated, Runnable
from gradcli.trace.names import runs_backward
from gradcli.trace.values import Value
from gradcli.trace.visits import Visit

TOLERANCE: dict[Precision, tuple[float, float]] = {
    "float64": (1e-7, 1e-12),
    "float32": (1e-5, 1e-6),
}
"""Relative and absolute, where an expectation names none."""

_WITH_TOLERANCE = re.compile(r"(.*?)\s*(?:±|\+-)\s*(\S+)", re.DOTALL)
_PLAIN = re.compile(r"[^(*]{1,200}")
"""Without calls and repeated lists it is short, and the same each time."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """One expectation, and its result."""

    expectation: syntax.Expectation
    found: Array | GradcliError | None = None
    """What the statement did: a value, an error, or neither."""
    problem: str = ""
    """Why the expectation does not hold; empty where it does."""
    reached: bool = True
    seconds: float = 0.0
    """How long the statement took."""

    @property
    def passed(self) -> bool:
        return not self.problem


@dataclass(frozen=True, slots=True)
class Report:
    """One script."""

    source: Source
    outcomes: list[Outcome]
    """In the order of the text."""
    error: Diagnostic | None = None
    """The error that stopped the script, if there was one."""
    seconds: float = 0.0
    """How long the script took."""
    notes: Sequence[str] = ()
    """Where operands broadcast so that both grow."""

    @property
    def passed(self) -> bool:
        return self.error is None and all(outcome.passed for outcome in self.outcomes)


@dataclass(frozen=True, slots=True)
class _Wanted:
    """The content of `#=`: an array, or None for `None`, and the tolerance."""

    value: Array | None
    rtol: float
    atol: float


def check(program: syntax.Program, options: Options) -> Report:
    """Run a program and compare it with its expectations.

    A statement that fails as expected binds nothing, and the program goes on; it also goes on after
    an expectation that does not hold. An expectation in a loop must hold each time.
    """
    graph = options.graph(shares=not runs_backward(program))
    try:
        checker = Checker(graph, program, options)
    except GradcliError as misspelt:
        return Report(program.source, [], misspelt.diagnostic)
    return checker.report()


class Checker(Tracer):
    """A tracer that looks at the values of statements with an expectation."""

    def __init__(
        self,
        graph: Graph,
        program: syntax.Program,
        options: Options,
        evaluator: Evaluator | None = None,
    ) -> None:
        """Raises the error of an expectation that cannot be read. The evaluator may know values of
        the graph.
        """
        super().__init__(
            graph,
            evaluator or Evaluator({}, graph.ledger),
            program.source,
            options.limits.trace,
            strict=options.strict,
        )
        self._outcomes: dict[syntax.Expectation, Outcome] = {}
        self._options = options
        self._values: dict[syntax.Expectation, _Wanted] = {}
        self.expect(program)

    def expect(self, program: syntax.Program) -> None:
        """Read the expectations of a program, of which some may be read already. Raises the error
        of one that cannot be read.
        """
        self._program = program
        self._expected = {each.statement: each for each in program.expectations}
        for each in program.expectations:
            if each.kind == "!":
                _check_code(each, program.source)
            elif each not in self._values:
                self._values[each] = self._wanted(each, program.source)

    def report(self) -> Report:
        """Run the program."""
        error = None
        began = perf_counter()
        try:
            self.trace(self._program)
        except GradcliError as stopped:
            error = stopped.diagnostic
        outcomes = [
            self._outcomes.get(each) or Outcome(each, problem="it was never reached", reached=False)
            for each in self._program.expectations
        ]
        notes = [each.message for each in self.notes if each.code == "broadcast-both"]
        return Report(self.source, outcomes, error, perf_counter() - began, notes)

    def statement(self, statement: Runnable) -> Visit | Leave | None:
        if isinstance(statement, Repeated) or statement not in self._expected:
            return super().statement(statement)
        expectation = self._expected[statement]
        return self._attempt(statement, expectation)

    def _attempt(self, statement: syntax.Statement, expectation: syntax.Expectation) -> Visit:
        """Run a statement, and undo its bindings if it fails."""
        frame = self.frame
        values, functions = dict(frame.values), dict(frame.functions)
        found: Array | GradcliError | None
        leave = None
        began = perf_counter()
        try:
            if isinstance(statement, syntax.Evaluate):
                value = yield self.visit(statement.value)
                self.graph.span = statement.span
                found = self._computed(value)
                if value is not None and statement in self._top_level:
                    self.last = as_outputs(statement.value, value)
            else:
                leave = yield super().statement(statement)
                for name, bound in frame.values.items():
                    if isinstance(bound, Node) and bound is not values.get(name):
                        self.values.evaluator.value(bound)
                found = None
        except GradcliError as error:
            code = error.diagnostic.code
            if code.startswith("limit-") and code != expectation.text:
                raise
            found = error.located(self.source, self.graph.span)
            self.frame, leave = frame, None
            frame.values, frame.functions = values, functions
        before = self._outcomes.get(expectation)
        if before is None or before.passed:
            problem = self._problem(expectation, found)
            seconds = perf_counter() - began
            self._outcomes[expectation] = Outcome(expectation, found, problem, seconds=seconds)
        return leave

    def _computed(self, value: Value) -> Array | None:
        """The array of a value, computed now, so that errors are raised here."""
        if value is None:
            return None
        if isinstance(value, tuple):
            value = Items(list(value))
        return self.values.evaluator.value(self.values.tensor(value, "what `#=` compares"))

    def _problem(self, expectation: syntax.Expectation, found: Array | GradcliError | None) -> str:
        """Why what was found is not what was expected; empty if it is."""
        if isinstance(found, GradcliError):
            diagnostic = found.diagnostic
            if expectation.kind == "!" and diagnostic.code == expectation.text:
                return ""
            return f"it raised {diagnostic.code}: {diagnostic.message}"
        if expectation.kind == "!":
            return "it raised no error"
        wanted = self._values[expectation]
        if found is None or wanted.value is None:
            return "" if found is wanted.value else "one of them is None"
        if found.shape != wanted.value.shape:
            return f"its shape is {show(found.shape)} instead of {show(wanted.value.shape)}"
        mismatch = worst(found, wanted.value, wanted.rtol, wanted.atol, equal_nan=True)
        return "" if mismatch is None else str(mismatch)

    def _wanted(self, expectation: syntax.Expectation, source: Source) -> _Wanted:
        """`value`, or `value ± tol`."""
        rtol, atol = TOLERANCE[self._options.precision]
        text = expectation.text
        parts = _WITH_TOLERANCE.fullmatch(text)
        try:
            if parts:
                text, (rtol, atol) = parts[1], (0.0, _tolerance(parts[2]))
            if text == "None":
                return _Wanted(None, rtol, atol)
            if _PLAIN.fullmatch(text):
                return _Wanted(_plain(text, self._options.precision), rtol, atol)
            expression = parse_expression(Source("#=", text), self._options.limits.parse)
            literal = LiteralTracer(
                self.graph, self.values.evaluator, Source("#=", text), self._options.limits.trace
            )
            return _Wanted(self.values.evaluator.value(literal.literal(expression)), rtol, atol)
        except GradcliError as error:
            raise GradcliError(
                error.diagnostic.code,
                f"this expectation cannot be read: {error.diagnostic.message}",
                hint="#= 1.5, #= [1, 2] ± 1e-3, #= None",
                source=source,
                span=expectation.span,
            ) from None


@lru_cache(maxsize=4096)
def _plain(text: str, precision: Precision) -> Array:
    """The array of a short text, which stays while a program is edited."""
    (array,), _, _ = literals([Source("#=", text)], Options(precision=precision))
    array.flags.writeable = False
    return array


def _tolerance(text: str) -> float:
    try:
        tolerance = float(text)
    except ValueError:
        tolerance = math.nan
    if not 0 <= tolerance < math.inf:
        raise GradcliError("value", f"the tolerance {text} is not a number from 0 up")
    return tolerance


def _check_code(expectation: syntax.Expectation, source: Source) -> None:
    codes = get_args(Code)
    if expectation.text not in codes:
        guess = nearest(expectation.text, codes)
        raise GradcliError(
            "value",
            f"there is no error code {expectation.text!r}",
            hint=f"did you mean {guess!r}?" if guess else f"there are {', '.join(codes)}",
            source=source,
            span=expectation.span,
        )
