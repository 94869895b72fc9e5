"""What the statements of a program have given, for runs of a text that differs little from it.

A statement that only computes gives the same value whenever it reads the same values. So runs share
one graph, and of a text that is edited only those statements run again that have changed, or that
read what such have given. What is not known to compute only always runs.
"""

from __future__ import annotations

import re
from functools import cached_property
from threading import Lock
from typing import Any, TypeAlias

from gradcli.engine.evaluator import Evaluator
from gradcli.graph import Graph, Node
from gradcli.language import syntax
from gradcli.ops import FUNCTIONS
from gradcli.trace.frames import Frame
from gradcli.trace.names import parts_of

_DOES_MORE = re.compile(
    r"import|grad|backward|class|global|nonlocal|seed|\.data\b|_[ \t]*\("
    r"|\][ \t]*(?:[-+*/%@&|]|\*\*|//)?=(?!=)"
)
"""May stand in a program that changes tensors, differentiates, or speaks Python: there a value is
not all that a statement gives."""
_COMPUTES = frozenset((
    syntax.Number, syntax.Constant, syntax.String, syntax.Name, syntax.List, syntax.Tuple,
    syntax.Unary, syntax.Binary, syntax.Compare, syntax.Keyword, syntax.Call, syntax.Index,
    syntax.Slice, syntax.Ellipsis, syntax.Conditional,
))  # fmt: skip
_UNBOUND = object()


def only_computes(text: str) -> bool:
    """Whether the values that the statements of a program give are all that lasts of them."""
    return _DOES_MORE.search(text) is None


Task: TypeAlias = tuple[object, ...]
"""A statement that gives a name a value which depends on what it reads alone: its text, the name,
and the nodes that the names in it stand for, if anything."""


class Recalled:
    """What a statement has given."""

    def __init__(self, task: Task, name: str, value: Node, start: int, run: int) -> None:
        self.task = task
        self.name = name
        self.value = value
        self.run = run
        """The last run that it was part of: in each it stands for one statement."""
        self._start = start
        """Where the statement begins in the text."""

    def move(self, start: int) -> None:
        """Let the statement begin elsewhere in the text: its nodes know their places there."""
        by = start - self._start
        self._start = start
        for node in self._made if by else ():
            if node.span is not None:
                node.span = (node.span[0] + by, node.span[1] + by)

    @cached_property
    def _made(self) -> list[Node]:
        """The nodes of the statement: those between what it reads and its value."""
        seen = set(self.task)
        made, stack = [], [self.value]
        while stack:
            node = stack.pop()
            if node not in seen:
                seen.add(node)
                made.append(node)
                stack += node.inputs
        return made


class Recall:
    """What the statements of runs have given, and the graph of these runs."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.evaluator = Evaluator({}, graph.ledger)
        self.lock = Lock()
        """Held while a statement runs, and while anything else extends the graph."""
        self._runs = 0
        self._given: dict[Task, list[Recalled]] = {}
        self._names: dict[str, tuple[str, ...] | None] = {}
        """By the text of a statement: see `_names`."""

    def begin(self) -> int:
        """Begin a run; the result is its number."""
        self._runs += 1
        self.graph.draws = 0
        self.graph.refusing.clear()
        self.evaluator.looked.clear()
        return self._runs

    def is_large(self) -> bool:
        """Whether so much has gathered that it is time to begin with an empty graph."""
        most = self.graph.max_nodes
        return most is not None and self.graph.count > most // 3

    def task(self, text: str, statement: syntax.Statement, frame: Frame) -> Task | None:
        """A statement that is to run in a frame; None where it may do more than give a value."""
        if text not in self._names:
            self._names[text] = _names(statement)
        names = self._names[text]
        if names is None or not frame.functions.keys().isdisjoint(names):
            return None
        reads = [frame.values.get(name, _UNBOUND) for name in names[1:]]
        if all(each.__class__ is Node or each is _UNBOUND for each in reads):
            return text, names[0], *reads
        return None

    def given(self, task: Task, start: int, run: int) -> Recalled | None:
        """What a statement that begins at a place gives, if that is known."""
        for each in self._given.get(task, ()):
            if each.run < run:
                each.run = run
                each.move(start)
                return each
        return None

    def keep(self, given: Recalled) -> None:
        """Remember what a statement has given that has run."""
        self._given.setdefault(given.task, []).append(given)

    def forget(self, run: int) -> None:
        """Forget what was part neither of a run nor of a later one."""
        kept = {
            task: [each for each in several if each.run >= run]
            for task, several in self._given.items()
        }
        self._given = {task: several for task, several in kept.items() if several}


def _names(statement: syntax.Statement) -> tuple[str, ...] | None:
    """The name that a statement binds, and those in its value; None where it may do more."""
    if not isinstance(statement, syntax.Assign) or not isinstance(statement.target, syntax.Name):
        return None
    found: dict[str, None] = {}
    waiting: list[Any] = [statement.value]
    while waiting:
        part = waiting.pop()
        if isinstance(part, syntax.Call):
            callee = part.callee
            waiting += (*part.arguments, *part.keywords)
            if isinstance(callee, syntax.Attribute) and callee.name in FUNCTIONS:
                waiting.append(callee.value)
            elif isinstance(callee, syntax.Name) and callee.id in FUNCTIONS:
                found[callee.id] = None
            else:
                return None
        elif isinstance(part, syntax.Name):
            found[part.id] = None
        elif isinstance(part, syntax.Attribute) and part.name in ("T", "mT", "shape"):
            waiting.append(part.value)
        elif type(part) in _COMPUTES:
            waiting += parts_of(part)
        else:
            return None
    return statement.target.id, *found
