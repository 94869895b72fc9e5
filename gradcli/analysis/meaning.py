"""What a sentence means: an expression over named arrays, read and computed like any program."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from contextlib import suppress

import numpy as np

from gradcli.diagnostics import GradcliError, Source
from gradcli.engine.evaluator import Evaluator
from gradcli.graph import Array, Graph, Node, Precision, Shape, kind_of
from gradcli.language.parser import ParseLimits, parse_expression
from gradcli.language.syntax import Assign, FunctionDefinition, Program
from gradcli.ledger import Ledger
from gradcli.trace import TraceLimits, Tracer
from gradcli.trace.items import Items

_GRAD = re.compile(r"\b([^\W\d]\w*)\.grad\b")


class Meaning:
    """Computes expressions over named arrays and the program's own functions.

    `x.grad`, the gradient of x, is a name like x.
    """

    def __init__(
        self, precision: Precision, definitions: Iterable[FunctionDefinition] = ()
    ) -> None:
        self._graph = Graph(precision)
        self._feeds: dict[Node, Array] = {}
        source = Source("sentence", "")
        evaluator = Evaluator(self._feeds, Ledger())
        self._tracer = Tracer(self._graph, evaluator, source, TraceLimits())
        self._tracer.trace(Program(source, tuple(definitions)))

    @classmethod
    def of_shapes(cls, shapes: Mapping[str, Shape]) -> Meaning:
        """One that knows names by their shapes alone, for which all values are 0."""
        meaning = cls("float64")
        for name, shape in shapes.items():
            meaning.learn(name, np.broadcast_to(0.0, shape))
        return meaning

    def learn(self, name: str, array: Array) -> None:
        """Give a name its value."""
        node = self._graph.input(name, array.shape, kind_of(array))
        self._feeds[node] = array
        self._tracer.globals.values[_plain(name)] = node

    def define(self, statement: Assign) -> None:
        """Give a name the value of an expression, where that has one."""
        with suppress(GradcliError):
            self._tracer.trace(Program(Source("sentence", ""), (statement,)))

    def value(self, text: str) -> Array | None:
        """The value of an expression; None where it has none, or is no sentence."""
        try:
            return self._tracer.values.evaluator.value(self._node(text))
        except GradcliError:
            return None

    def shape(self, text: str) -> Shape | None:
        """The shape of an expression, which is not computed; None where it has none."""
        try:
            return self._node(text).shape
        except GradcliError:
            return None

    def _node(self, text: str) -> Node:
        expression = parse_expression(Source("sentence", _plain(text)), ParseLimits())
        found = self._tracer.run(self._tracer.visit(expression))
        return self._tracer.values.tensor(Items(list(found)) if isinstance(found, tuple) else found)


def _plain(text: str) -> str:
    """The text with plain names for gradients: a name with `.grad` behind it asks a leaf."""
    return _GRAD.sub(r"\1__grad", text)
