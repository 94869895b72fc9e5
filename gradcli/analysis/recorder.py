"""A run of a program that is edited meanwhile: it remembers what each statement binds, takes up
what statements have given in other runs, and can go back to where the text has changed.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from threading import Lock
from time import monotonic
from typing import NamedTuple

import numpy as np

from gradcli.analysis.expectations import Checker, Outcome
from gradcli.analysis.readings import Deed, Readings
from gradcli.analysis.recall import Effect, NamedAt, Recall, only_computes
from gradcli.diagnostics import GradcliError
from gradcli.differentiate import vjp
from gradcli.graph import Array, Node
from gradcli.language import syntax
from gradcli.options import Options
from gradcli.trace.bindings import Binding
from gradcli.trace.frames import UserFunction
from gradcli.trace.loops import Leave, Runnable
from gradcli.trace.values import Value
from gradcli.trace.visits import Visit


class SupersededError(Exception):
    """The text has changed, so nobody waits for this run any more."""


class _Mark(NamedTuple):
    """What there was of a run after some statements, as far as it changes by those that do no more
    than give names values.
    """

    done: int
    seconds: float
    draws: int
    refusing: int
    steps: int
    notes: int
    rebound: frozenset[str]
    last: list[Binding] | None
    values: Mapping[str, Value]
    functions: Mapping[str, UserFunction]
    leaves: Mapping[Node, str]
    names: Mapping[Node, str]
    outcomes: Mapping[syntax.Expectation, Outcome]
    bound: Mapping[str, tuple[list[int], list[Node]]]


class Recorder(Checker):
    """Runs a program, and remembers what each statement binds."""

    def __init__(
        self,
        recall: Recall | None,
        program: syntax.Program,
        options: Options,
        superseded: Callable[[], bool],
        seconds: float,
    ) -> None:
        """`superseded` is asked before each statement whether to give up."""
        self.alone = recall.lock if recall else Lock()
        """Held while the graph grows, which others may have a part in."""
        self._recall = recall
        self._readings = recall.readings if recall else Readings()
        graph = recall.graph if recall else options.graph(shares=False)
        with self.alone:
            self._run = self._first_run = recall.begin() if recall else 0
            evaluator = recall.evaluator if recall else None
            super().__init__(graph, program, options, evaluator)
        self.superseded = superseded
        self.done = 0
        """How many statements of the program have run."""
        self.mark_at: int | None = None
        """After how many statements it is to remember what there is: it can go back to there, as
        long as those that run then do no more than give names values.
        """
        self._mark: _Mark | None = None
        self._is_between = True
        """Whether it has stopped between two statements of the program, and so can go on."""
        self._seconds, self._left = seconds, seconds
        self._place = 0
        """Where the statement ends that is run."""
        self._bound: dict[str, tuple[list[int], list[Node]]] = {}
        """By name: the ends of statements that bind it, in rising order, and what they bind."""
        self._gives: dict[NamedAt, Node] | None = None
        """What the statement has given so far that runs; None where it gives more than nodes."""

    # --- to go on with another text ---

    @property
    def begins(self) -> int | None:
        """After how many statements it can go on with another text, if it can."""
        if self._mark is not None:
            return self._mark.done
        return self.done if self._is_between else None

    def is_like(self, program: syntax.Program) -> bool:
        """Whether a run of a program could now go on from the same state. What a last statement
        means is another thing, so there must be one more, here and there.
        """
        begins = self.begins
        most = min(len(self._program.statements), len(program.statements)) - 1
        return (
            begins is not None
            and 0 < begins <= min(most, same(self._program.statements, program.statements))
            and self.autograd.mentions.stay_in(program.source.text)
            and _imported(program) == _imported(self._program)  # they hold for what is above, too
            and (self._recall is None or only_computes(program.source.text))
        )

    def go_on_with(self, program: syntax.Program) -> None:
        """Let it be a run of a program that it is like. Raises the error of an expectation that
        cannot be read.
        """
        with self.alone:
            if self._mark is not None:
                self._go_back(self._mark)
            self.follow(program)
            self.expect(program)

    def _save(self) -> _Mark:
        return _Mark(
            self.done,
            self._left,
            self.graph.draws,
            len(self.graph.refusing),
            self._steps,
            len(self.notes),
            frozenset(self._rebound),
            self.last,
            dict(self.globals.values),
            dict(self.globals.functions),
            dict(self.leaves),
            dict(self.autograd.names),
            dict(self._outcomes),
            {name: ([*ends], [*nodes]) for name, (ends, nodes) in self._bound.items()},
        )

    def _go_back(self, mark: _Mark) -> None:
        self._mark, self._is_between = None, True
        if self._recall is not None:
            self._run = self._recall.again()
        self.done, self._left = mark.done, mark.seconds
        self.graph.draws, self._steps, self.last = mark.draws, mark.steps, mark.last
        del self.graph.refusing[mark.refusing :]
        del self.notes[mark.notes :]
        self._rebound.clear()
        self._rebound.update(mark.rebound)
        self.frame = self.globals
        self.frame.values, self.frame.functions = dict(mark.values), dict(mark.functions)
        for now, then in ((self.leaves, mark.leaves), (self.autograd.names, mark.names)):
            now.clear()
            now.update(then)
        self._outcomes, self._bound = dict(mark.outcomes), dict(mark.bound)

    # --- to run ---

    def run_all(self, statements: Sequence[Runnable]) -> None:
        self.advance(len(statements))
        self._is_between = False  # what ends the run changes what names stand for
        if self._recall is not None:
            self._recall.forget(self._first_run)

    def advance(self, upto: int) -> None:
        """Run the program as far as after so many statements. Raises `SupersededError`."""
        began = monotonic()
        self._last = began + self._left
        try:
            while self.done < upto:
                if self.superseded():
                    raise SupersededError
                with self.alone:
                    if self.done == self.mark_at:
                        self._mark = self._save()
                    self._is_between = False
                    self._step(self._program.statements[self.done])
                self.done += 1
                self._is_between = True
        finally:
            self._left -= monotonic() - began

    def _step(self, statement: syntax.Statement) -> None:
        """Run a statement of the program, or bind what it has given before."""
        if _defines(statement):
            super().run_all((statement,))
            return
        recall = self._recall
        deed = self._readings.deed(self.source.text, statement, self.globals)
        if deed is None or not (recall or _is_plain(statement, deed)):
            self._mark = None
        if recall is None or deed is None or self._expects(deed):
            super().run_all((statement,))
            return
        given = recall.given(deed, self._run, self._limits.steps - self._steps)
        if given is not None:
            self._take(given, statement)
            return
        draws, notes, steps, last = self.graph.draws, len(self.notes), self._steps, self.last
        self._gives = {}
        super().run_all((statement,))
        gives = self._given_so_far()
        is_noted = any(note.code != "rebound" for note in self.notes[notes:])  # that is of a name
        if gives is not None and self.graph.draws == draws and not is_noted:
            ends_on = None if self.last is last or self.last is None else tuple(self.last)
            made = Effect(gives, ends_on, self._steps - steps)
            if self._are_nodes(made):
                recall.keep(deed, made, self._run)

    def _given_so_far(self) -> dict[NamedAt, Node] | None:
        gives, self._gives = self._gives, None
        return gives

    def expect(self, program: syntax.Program) -> None:
        super().expect(program)
        self._starts_of_expected = sorted(each.span[0] for each in self._expected)

    def _expects(self, deed: Deed) -> bool:
        """Whether there is an expectation in the text of a deed."""
        starts = self._starts_of_expected
        return any(
            bisect_left(starts, start) < bisect_left(starts, end) for start, end in deed.spans
        )

    def _are_nodes(self, given: Effect) -> bool:
        """Whether what names of the program stand for at the end are nodes, and no lists."""
        found = [each.value for each in given.last or ()]
        found += [self.globals.values[each.name] for each in given.bound if each.is_global]
        return all(isinstance(each, Node) and each not in self.values.listed for each in found)

    def _take(self, given: Effect, statement: syntax.Statement) -> None:
        self.graph.span = statement.span
        self._steps += given.steps
        for (name, place, is_global), node in given.bound.items():
            self._place = place
            if is_global:
                self.bind(name, node)
            else:
                self._stands_for(name, node)
        if given.last is not None:
            self.last = [*given.last]

    def statement(self, statement: Runnable) -> Visit | Leave | None:
        if self.superseded():
            raise SupersededError
        if monotonic() > self._last:
            raise GradcliError(
                "limit-time",
                f"the program runs longer than {self._seconds:g} s, so it was not run to its "
                "end here",
                hint="gradcli test runs it",
            )
        self._place = statement.span[1]
        return super().statement(statement)

    # --- what names stand for ---

    def bind(self, name: str, value: Value) -> None:
        super().bind(name, value)
        kept = self.frame.values.get(name)
        is_global = self.frame is self.globals
        if isinstance(kept, Node):
            self._stands_for(name, kept)
            if self._gives is not None:
                bound = NamedAt(name, self._place, is_global)
                self._gives.pop(bound, None)  # what is bound last comes last
                self._gives[bound] = kept
        elif is_global:
            self._gives = None

    def _stands_for(self, name: str, node: Node) -> None:
        ends, nodes = self._bound.setdefault(name, ([], []))
        at = bisect_right(ends, self._place)
        if at and ends[at - 1] == self._place:  # a later pass of a loop
            nodes[at - 1] = node
        else:
            ends.insert(at, self._place)
            nodes.insert(at, node)

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


def _imported(program: syntax.Program) -> set[str]:
    """What a program imports."""
    imports = [each for each in program.statements if isinstance(each, syntax.Import)]
    return {item.path for each in imports for item in each.items}


def _defines(statement: syntax.Statement) -> bool:
    """Whether it is a function that has its name alone."""
    return isinstance(statement, syntax.FunctionDefinition) and not statement.decorators


def _is_plain(statement: syntax.Statement, deed: Deed) -> bool:
    """Whether a statement only gives a name a value in any language: in Python `x += 1` may change
    a tensor, and a function may be called with one that is changed later.
    """
    return isinstance(statement, syntax.Assign | syntax.Evaluate) and len(deed.spans) == 1


def same(one: Sequence[object], other: Sequence[object]) -> int:
    """How many items are the same objects at the beginnings of two rows."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((i for i, (a, b) in pairs if a is not b), min(len(one), len(other)))
