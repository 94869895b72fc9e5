"""What the statements of a program have given, for runs of a text that differs little from it.

A statement that only computes gives the same values whenever it reads the same values. So runs
share one graph, and of a text that is edited only those statements run again that have changed, or
that read what such have given. What is not known to compute only always runs.
"""

from __future__ import annotations

import re
from functools import cached_property
from threading import Lock
from typing import NamedTuple

from gradcli.analysis.readings import Deed, Key, Readings
from gradcli.diagnostics import Span
from gradcli.engine.evaluator import Evaluator
from gradcli.graph import Graph, Node
from gradcli.trace.bindings import Binding

_DOES_MORE = re.compile(
    r"import|grad|backward|class|global|nonlocal|seed|\.data\b|_[ \t]*\("
    r"|\][ \t]*(?:[-+*/%@&|]|\*\*|//)?=(?!=)"
)
"""May stand in a program that changes tensors, differentiates, or speaks Python: there a value is
not all that a statement gives."""


def only_computes(text: str) -> bool:
    """Whether the values that the statements of a program give are all that lasts of them."""
    return _DOES_MORE.search(text) is None


class NamedAt(NamedTuple):
    """A name that a statement has given a value."""

    name: str
    place: int
    """Where the statement, or that in it which did so, ends in the text."""
    is_global: bool
    """Whether it is a name of the program, and not of one of its functions."""


class Effect(NamedTuple):
    """What a statement has given."""

    bound: dict[NamedAt, Node]
    last: tuple[Binding, ...] | None
    """What a program would end on that ends here; None where that is not for it to say."""
    steps: int
    """How many steps of loops and calls it has made."""


class Recalled:
    """What a statement has given, in runs of a text that is edited meanwhile."""

    def __init__(self, deed: Deed, given: Effect, run: int) -> None:
        self.given = given
        self.run = run
        """The last run that it was part of: in each it stands for one statement."""
        self._deed = deed

    @property
    def key(self) -> Key:
        """The key of the deed that it was."""
        return self._deed.key

    def move(self, spans: tuple[Span, ...]) -> None:
        """Let what has given it begin elsewhere in the text: its nodes know their places there."""
        if spans == self._deed.spans:
            return
        moves = [(old, new[0] - old[0]) for old, new in zip(self._deed.spans, spans, strict=True)]

        def by(place: int) -> int:
            return next((by for (start, end), by in moves if start <= place <= end), 0)

        alike = {shift for _, shift in moves}
        shift = alike.pop() if len(alike) == 1 else None
        for node in self._made:
            if node.span is not None:
                start, end = node.span
                far = by(start) if shift is None else shift
                node.span = (start + far, end + far)
        bound, last, steps = self.given
        self.given = Effect(
            {
                NamedAt(name, place + by(place), is_global): node
                for (name, place, is_global), node in bound.items()
            },
            last and tuple(_moved(each, by(each.span[0])) for each in last if each.span),
            steps,
        )
        self._deed = Deed(self.key, spans)

    @cached_property
    def _made(self) -> list[Node]:
        """The nodes of the statement: those between what it reads and what it has given."""
        seen = set(self.key)
        made, stack = [], [*self.given.bound.values()]
        stack += [each.value for each in self.given.last or () if isinstance(each.value, Node)]
        while stack:
            node = stack.pop()
            if node not in seen:
                seen.add(node)
                made.append(node)
                stack += node.inputs
        return made


def _moved(binding: Binding, by: int) -> Binding:
    assert binding.span is not None
    start, end = binding.span
    return Binding(binding.name, binding.value, (start + by, end + by))


class Recall:
    """What the statements of runs have given, and the graph of these runs."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.evaluator = Evaluator({}, graph.ledger)
        self.readings = Readings()
        self.lock = Lock()
        """Held while a statement runs, and while anything else extends the graph."""
        self._runs = 0
        self._given: dict[Key, list[Recalled]] = {}

    def begin(self) -> int:
        """Begin a run; the result is its number."""
        self._runs += 1
        self.graph.draws = 0
        self.graph.refusing.clear()
        self.evaluator.looked.clear()
        return self._runs

    def again(self) -> int:
        """Let a run go back to one of its statements; the result is its number from now on."""
        self._runs += 1
        return self._runs

    def is_large(self) -> bool:
        """Whether so much has gathered that it is time to begin with an empty graph."""
        most = self.graph.max_nodes
        return most is not None and self.graph.count > most // 3

    def given(self, deed: Deed, run: int, steps: int) -> Effect | None:
        """What a deed gives in a run that may make so many more steps, if that is known."""
        for each in self._given.get(deed.key, ()):
            if each.run < run and each.given.steps <= steps:
                each.run = run
                each.move(deed.spans)
                return each.given
        return None

    def keep(self, deed: Deed, given: Effect, run: int) -> None:
        """Remember what a deed has given that was done in a run."""
        self._given.setdefault(deed.key, []).append(Recalled(deed, given, run))

    def forget(self, run: int) -> None:
        """Forget what was part neither of a run nor of a later one."""
        kept = {
            key: [each for each in several if each.run >= run]
            for key, several in self._given.items()
        }
        self._given = {key: several for key, several in kept.items() if several}
