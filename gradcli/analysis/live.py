"""A program while somebody writes it: what is wrong with it so far, and what its names are.

Who writes changes one statement again and again. The statements before it are parsed once; and
while nothing else is to do, they are run ahead of the next change, which then goes on from there.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from time import monotonic
from typing import NamedTuple

import numpy as np

from gradcli.analysis.expectations import Checker, Report
from gradcli.analysis.recall import Recall, Recalled, only_computes
from gradcli.diagnostics import GradcliError, Source
from gradcli.differentiate import vjp
from gradcli.graph import Array, Node
from gradcli.language import syntax
from gradcli.language.parser import ParseLimits, parse_program
from gradcli.language.reparse import reparse
from gradcli.ops import FUNCTIONS
from gradcli.ops.table import Function
from gradcli.options import Limits, Options
from gradcli.trace import TraceLimits
from gradcli.trace.bindings import Binding
from gradcli.trace.expressions import Visit
from gradcli.trace.loops import Leave
from gradcli.trace.values import Value

LIMITS = Limits(
    parse=ParseLimits(source_bytes=2**20, tokens=100_000, depth=10_000),
    trace=TraceLimits(steps=20_000),
    nodes=100_000,
    memory=2**26,
)
"""They keep answers quick; programs that need more run on the command line."""
OPTIONS = Options(seed=0, limits=LIMITS)


class SupersededError(Exception):
    """The text has changed, so nobody waits for this run any more."""


class Seen(NamedTuple):
    """A name at a place in the text."""

    name: str
    value: Array
    by: str
    """The output that `derivative` belongs to; "" where there is none."""
    derivative: Array | None
    """The gradient of the output, weighted by 1 in all its elements, for the value."""


class Live:
    """A run of a program whose text may change at any moment."""

    def __init__(
        self,
        text: str,
        superseded: Callable[[], bool],
        seconds: float,
        before: syntax.Program | None = None,
    ) -> None:
        """Raises the error of a text that is not a program. `superseded` is asked before each
        statement, and the run ends after so many seconds. `before` is what the text was before.
        """
        source = Source("program", text)
        same: tuple[syntax.Statement, ...] = ()
        if before is None:
            self.program = parse_program(source, LIMITS.parse)
        else:
            self.program = reparse(source, LIMITS.parse, before)
            same = before.statements
        self.report: Report | None = None
        self._superseded = superseded
        self._seconds = seconds
        self._recall: Recall | None = None
        self._recorder: _Recorder | None = None
        self._kept = _same(same, self.program.statements)
        """How many statements the last change has left."""

    def run(self, ahead: Ahead | None = None, recall: Recall | None = None) -> None:
        """Run the program, from where a run of it is that went ahead, and with what is known of its
        statements. Raises `SupersededError`.
        """
        self._recall = recall if only_computes(self.program.source.text) else None
        try:
            recorder = ahead and ahead.goes_on_with(self.program, self._superseded)
            self._recorder = recorder or self._new_recorder()
        except GradcliError as error:  # an expectation that cannot be read
            self.report = Report(self.program.source, [], error.diagnostic)
            return
        self.report = self._recorder.report()
        found = self.report.error
        is_full = found is not None and found.code in ("limit-nodes", "limit-memory")
        if is_full and self._recall is not None:
            self.run()  # without what has gathered in the graph

    def _new_recorder(self) -> _Recorder:
        return _Recorder(self._recall, self.program, self._superseded, self._seconds)

    @property
    def recalls(self) -> bool:
        """Whether what the statements have given is kept for later runs."""
        return self._recall is not None

    def ahead(self) -> Ahead | None:
        """A run that is to go as far as the statements that the last change has left, where the run
        has come so far without an error.
        """
        upto = min(self._kept, self._recorder.done if self._recorder else 0)
        if not upto:
            return None
        recorder = self._new_recorder()
        recorder.follow(self.program)
        return Ahead(recorder, upto)

    def seen(self, place: int) -> Seen | Function | None:
        """What stands at a place of the text: a tensor with its gradient, or a function."""
        name = self._name_at(place)
        if name is None:
            return None
        text, (start, end) = self.program.source.text, name
        word = text[start:end]
        node = None if self._recorder is None else self._recorder.node(word, place)
        if node is None or text[end : end + 1] == "(":
            return FUNCTIONS.get(word)
        assert self._recorder is not None
        try:
            with self._recorder.alone:
                value = self._recorder.values.evaluator.computed(node)
                by, derivative = self._recorder.derivative(node)
        except GradcliError:
            return None
        return Seen(word, value, by, derivative)

    def _name_at(self, place: int) -> tuple[int, int] | None:
        text = self.program.source.text
        start = end = place
        while start and (text[start - 1].isalnum() or text[start - 1] == "_"):
            start -= 1
        while end < len(text) and (text[end].isalnum() or text[end] == "_"):
            end += 1
        return (start, end) if start < end and not text[start].isdigit() else None


class Ahead:
    """A run of the first statements of a program, made before anybody waits for it."""

    def __init__(self, recorder: _Recorder, upto: int) -> None:
        self._recorder = recorder
        self._upto = upto
        """How many statements it runs."""

    def run(self, superseded: Callable[[], bool]) -> None:
        """Go on until all have run, or the text changes again: for good where that is inside a
        statement, of which a part has run.
        """
        if not self._recorder.is_between:
            return
        self._recorder.superseded = superseded
        with suppress(SupersededError, GradcliError):
            self._recorder.advance(self._upto)

    def is_like(self, program: syntax.Program) -> bool:
        """Whether a run of a program would now have come to the same state."""
        return self._recorder.is_like(program)

    def goes_on_with(
        self, program: syntax.Program, superseded: Callable[[], bool]
    ) -> _Recorder | None:
        """The run, which goes on with a program from now on; None if it is not like one of that.
        Raises the error of an expectation that cannot be read.
        """
        if not self.is_like(program):
            return None
        recorder = self._recorder
        recorder.superseded = superseded
        with recorder.alone:
            recorder.follow(program)
            recorder.expect(program)
        return recorder


def _same(one: Sequence[object], other: Sequence[object]) -> int:
    """How many items are the same objects at the beginnings of two rows."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((i for i, (a, b) in pairs if a is not b), min(len(one), len(other)))


class _Recorder(Checker):
    """Runs a program, and remembers what each statement binds."""

    def __init__(
        self,
        recall: Recall | None,
        program: syntax.Program,
        superseded: Callable[[], bool],
        seconds: float,
    ) -> None:
        """`superseded` is asked before each statement whether to give up."""
        self.alone: AbstractContextManager[object] = recall.lock if recall else nullcontext()
        """Held while the graph grows, which others may have a part in."""
        self._recall = recall
        graph = recall.graph if recall else OPTIONS.graph(shares=False)
        with self.alone:
            self._run = recall.begin() if recall else 0
            evaluator = recall.evaluator if recall else None
            super().__init__(graph, program, OPTIONS, evaluator)
        self.superseded = superseded
        self.done = 0
        """How many statements of the program have run."""
        self.is_between = True
        """Whether it has stopped between two statements of the program, and so can go on."""
        self._seconds, self._left = seconds, seconds
        self._place = 0
        """Where the statement ends that is run."""
        self._bound: dict[str, tuple[list[int], list[Node]]] = {}
        """By name: the ends of statements that bind it, in rising order, and what they bind."""

    def is_like(self, program: syntax.Program) -> bool:
        """Whether a run of a program would now have come to the same state. What a last statement
        means is another thing, so there must be one more, here and there.
        """
        most = min(len(self._program.statements), len(program.statements)) - 1
        return (
            self.is_between
            and self.done <= min(most, _same(self._program.statements, program.statements))
            and self.autograd.mentions.stay_in(program.source.text)
            and (self._recall is None or only_computes(program.source.text))
        )

    def run_all(self, statements: Sequence[syntax.Statement]) -> None:
        self.advance(len(statements))
        self.is_between = False  # what ends the run changes what names stand for
        if self._recall is not None:
            self._recall.forget(self._run)

    def advance(self, upto: int) -> None:
        """Run the program as far as after so many statements. Raises `SupersededError`."""
        began = monotonic()
        self._last = began + self._left
        try:
            while self.done < upto:
                if self.superseded():
                    raise SupersededError
                self.is_between = False
                with self.alone:
                    self._step(self._program.statements[self.done])
                self.done += 1
                self.is_between = True
        finally:
            self._left -= monotonic() - began

    def _step(self, statement: syntax.Statement) -> None:
        """Run a statement of the program, or bind what it has given before."""
        recall, (start, end) = self._recall, statement.span
        if recall is None or statement in self._expected:
            super().run_all((statement,))
            return
        task = recall.task(self.source.text[start:end], statement, self.globals)
        given = task and recall.given(task, start, self._run)
        if given:
            self._place, self.graph.span = end, statement.span
            self.bind(given.name, given.value)
            self.last = [Binding(given.name, given.value, statement.span)]
            return
        draws, notes = self.graph.draws, len(self.notes)
        super().run_all((statement,))
        is_noted = any(note.code != "rebound" for note in self.notes[notes:])  # that is of a name
        if task and self.graph.draws == draws and not is_noted:
            name = str(task[1])
            value = self.globals.values[name]
            if isinstance(value, Node) and value not in self.values.listed:
                recall.keep(Recalled(task, name, value, start, self._run))

    def _look(self) -> None:
        """Give up when the text has changed, or after too long."""
        if self.superseded():
            raise SupersededError
        if monotonic() > self._last:
            raise GradcliError(
                "limit-time",
                f"the program runs longer than {self._seconds:g} s, so it was not run to its "
                "end here",
                hint="gradcli test runs it",
            )

    def statement(self, statement: syntax.Statement) -> Visit | Leave | None:
        self._look()
        self._place = statement.span[1]
        return super().statement(statement)

    def bind(self, name: str, value: Value) -> None:
        super().bind(name, value)
        kept = self.frame.values.get(name)
        if not isinstance(kept, Node):
            return
        ends, nodes = self._bound.setdefault(name, ([], []))
        at = bisect_right(ends, self._place)
        if at and ends[at - 1] == self._place:  # a later pass of a loop
            nodes[at - 1] = kept
        else:
            ends.insert(at, self._place)
            nodes.insert(at, kept)

    def node(self, name: str, place: int) -> Node | None:
        """What a name at a place of the text stands for."""
        ends, nodes = self._bound.get(name, ([], []))
        if not ends:
            return None
        end = self.source.text.find("\n", place)
        line_end = len(self.source.text) if end < 0 else end
        return nodes[max(0, bisect_right(ends, line_end) - 1)]

    def derivative(self, node: Node) -> tuple[str, Array | None]:
        """The program's last output, and its gradient for a node; none where there is none."""
        for binding in self.last or ():
            output = binding.value
            if isinstance(output, Node) and output.kind == node.kind == "float":
                ones = self.graph.constant(np.ones(output.shape, self.graph.dtype("float")))
                (found,) = vjp([output], [ones], [node])
                name = binding.name or "the last value"
                return name, None if found is None else self.values.evaluator.computed(found)
        return "", None
