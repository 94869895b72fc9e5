"""A program while somebody writes it: what is wrong with it so far, and what its names are.

Who writes changes one statement again and again. The statements before it are parsed once. A run
goes back to there if it can; else, while nothing else is to do, they are run once more, ahead of
the next change, which then goes on from there.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple

from gradcli.analysis.expectations import Report
from gradcli.analysis.recall import Recall, only_computes
from gradcli.analysis.recorder import Recorder, SupersededError, same
from gradcli.diagnostics import GradcliError, Source
from gradcli.graph import Array
from gradcli.language import syntax
from gradcli.language.parser import ParseLimits, parse_program
from gradcli.language.reparse import reparse
from gradcli.ops import FUNCTIONS
from gradcli.ops.table import Function
from gradcli.options import Limits, Options
from gradcli.trace import TraceLimits

LIMITS = Limits(
    parse=ParseLimits(source_bytes=2**20, tokens=100_000, depth=10_000),
    trace=TraceLimits(steps=20_000),
    nodes=100_000,
    memory=2**26,
)
"""They keep answers quick; programs that need more run on the command line."""
OPTIONS = Options(seed=0, limits=LIMITS)


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
        if before is None:
            self.program = parse_program(source, LIMITS.parse)
        else:
            self.program = reparse(source, LIMITS.parse, before)
        self.report: Report | None = None
        self._superseded = superseded
        self._seconds = seconds
        self._recall: Recall | None = None
        self._recorder: Recorder | None = None
        self._kept = same(before.statements if before else (), self.program.statements)
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
        self._recorder.mark_at = self._kept or None
        self.report = self._recorder.report()
        found = self.report.error
        is_full = found is not None and found.code in ("limit-nodes", "limit-memory")
        if is_full and (recorder or self._recall):
            self.run()  # without what has gathered in the graph

    def _new_recorder(self) -> Recorder:
        return Recorder(self._recall, self.program, OPTIONS, self._superseded, self._seconds)

    @property
    def recalls(self) -> bool:
        """Whether what the statements have given is kept for later runs."""
        return self._recall is not None

    def ahead(self) -> Ahead | None:
        """A run that is to go as far as the statements that the last change has left: this one, if
        it can go on from there; else a new one, where this has come so far without an error.
        """
        if self._recorder is None or not self._kept:
            return None
        begins = self._recorder.begins
        if begins is not None and begins <= self._kept:
            return Ahead(self._recorder, self._kept)
        upto = min(self._kept, self._recorder.done)
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
        recorder = self._recorder
        if recorder is None or text[end : end + 1] == "(":
            return FUNCTIONS.get(word)
        with recorder.alone:
            if recorder.source is not self.program.source:  # it has gone on with another text
                return None
            node = recorder.node(word, place)
            if node is None:
                return FUNCTIONS.get(word)
            try:
                value = recorder.values.evaluator.computed(node)
                by, derivative = recorder.derivative(node)
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

    def __init__(self, recorder: Recorder, upto: int) -> None:
        self._recorder = recorder
        self._upto = upto
        """How many statements it runs."""

    def run(self, superseded: Callable[[], bool]) -> None:
        """Go on until all have run, or the text changes again: for good where that is inside a
        statement, of which a part has run.
        """
        begins = self._recorder.begins
        if begins is None or begins >= self._upto:
            return
        self._recorder.superseded = superseded
        with suppress(SupersededError, GradcliError):
            self._recorder.advance(self._upto)

    def is_like(self, program: syntax.Program) -> bool:
        """Whether a run of a program would now have come to the same state."""
        return self._recorder.is_like(program)

    def goes_on_with(
        self, program: syntax.Program, superseded: Callable[[], bool]
    ) -> Recorder | None:
        """The run, which goes on with a program from now on; None if it is not like one of that.
        Raises the error of an expectation that cannot be read.
        """
        if not self.is_like(program):
            return None
        recorder = self._recorder
        recorder.superseded = superseded
        recorder.go_on_with(program)
        return recorder
