"""How syntax is visited: what runs visitors, what they need, and what they record for backward.

Visitors are generators that yield the visitors of their parts, and one loop runs them on its own
stack. So the code reads like recursion, and no program is too deep for Python's stack.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from types import GeneratorType
from typing import TYPE_CHECKING, Any, TypeAlias

from gradcli.diagnostics import GradcliError
from gradcli.graph import INPUT, Graph, Node
from gradcli.language import syntax
from gradcli.ops.control import DETACH, LEAF, detach
from gradcli.ops.loops import Unlike
from gradcli.ops.shaping import EXPAND
from gradcli.trace.autograd import Autograd
from gradcli.trace.frames import Frame
from gradcli.trace.numerals import Numerals
from gradcli.trace.special import Specials
from gradcli.trace.values import Value, Values
from gradcli.walks import upstream

if TYPE_CHECKING:
    from gradcli.trace.python_functions import PythonFunctions

Visit: TypeAlias = Generator[Any, Any, Any]
"""A running visitor: yields visitors of its parts (or what atoms are), is sent their results."""
Visitor: TypeAlias = "Callable[[Any], Visit | Value]"
"""Gives the value of an expression of one kind, or the visitor that finds it."""
ATOMS = frozenset((syntax.Name, syntax.Number, syntax.Constant, syntax.String))
"""Expressions without parts, whose values are found at once."""
_INSIDE = 8
"""So deep in each other parts are found by calls, which is quicker; deeper ones by visitors."""
_COMPUTING = (syntax.Unary, syntax.Binary, syntax.Call, syntax.Index, syntax.Attribute)
"""Expressions whose results gradients flow through."""


class Visits:
    """Runs visitors of expressions; `Expressions` has them."""

    __slots__ = (
        "_as_it_was", "_inside", "_recording", "_silent", "_visitors", "autograd", "frame", "graph",
        "numerals", "special", "values",
    )  # fmt: skip
    """Beyond 30 attributes Python reads those of an object, and calls its methods, more slowly."""

    def __init__(
        self, graph: Graph, values: Values, autograd: Autograd, numerals: Numerals
    ) -> None:
        self.graph = graph
        self.values = values
        self.autograd = autograd
        self.frame = Frame()
        self.special = Specials(values)
        self.numerals = numerals
        self._as_it_was: Value = None
        """What a visitor has just found that the program holds: nothing has computed it."""
        self._inside = 0
        """How deep the part is, among those that are found by calls."""
        self._recording = self._visitors = self.visitors()
        self._silent: dict[type[Any], Visitor] = {}
        """The visitors where nothing is recorded, once that is so."""

    def visitors(self) -> dict[type[Any], Visitor]:
        """The visitor of each kind of expression."""
        raise NotImplementedError

    @property
    def python(self) -> PythonFunctions:
        """Python's functions, and text of values."""
        raise NotImplementedError

    def visit(self, expression: syntax.Expression) -> Visit | Value:
        """The visitor of an expression, or its value at once if it has no parts."""
        return self._visitors[type(expression)](expression)

    def at_once(self, part: syntax.Expression) -> Visit | Value:
        """The value of a part of an expression if it is found without visitors; or its visitor."""
        kind = type(part)
        if kind in ATOMS:
            return self._visitors[kind](part)
        if self._inside == _INSIDE:
            return self._later(part)
        self._inside += 1
        try:
            return self._visitors[kind](part)
        finally:
            self._inside -= 1

    def _later(self, part: syntax.Expression) -> Visit:
        """The visitor of a part; it begins where Python's stack is not deep."""
        return (yield self.visit(part))

    # --- what is recorded for backward ---

    @property
    def records(self) -> bool:
        """Whether gradients flow through what is computed now."""
        return self._visitors is self._recording

    @records.setter
    def records(self, enabled: bool) -> None:
        if not enabled and not self._silent:
            self._silent = self._recording | {
                kind: self._silenced(self._recording[kind]) for kind in _COMPUTING
            }
        self._visitors = self._recording if enabled else self._silent

    def _silenced(self, visitor: Visitor) -> Visitor:
        """A visitor through whose result no gradient flows, as under `torch.no_grad()`."""

        def visit(expression: syntax.Expression) -> Visit:
            found = yield visitor(expression)
            as_it_was, self._as_it_was = self._as_it_was, None
            return found if found is as_it_was else self._cut_off(found)

        return visit

    def as_it_was(self, value: Value) -> Value:
        """What an object or a list holds: it keeps its graph, also where nothing is recorded."""
        if not self.records:
            self._as_it_was = value
        return value

    def _cut_off(self, value: Value) -> Value:
        """A value without its graph; leaves and plain numbers stay what they are."""
        if isinstance(value, tuple):
            parts = [self._cut_off(each) for each in value]
            if not hasattr(value, "_make"):
                return type(value)(parts)
            made: Value = value._make(parts)
            title = self.values.titles.get(id(value))
            if title is not None:
                self.values.titles[id(made)] = title[0], made
            return made
        if (
            not isinstance(value, Node)
            or value.kind != "float"
            or value.op in (LEAF, INPUT, DETACH)
        ):
            return value
        if value in self.special.numbers or value in self.autograd.kept_graphs:
            return value
        if self.autograd.tangents and self._carries(value):
            return value
        cut = detach(value)
        if value in self.values.arrays:
            self.values.arrays.add(cut)
        if value.op.view and self.values.is_pytorch and self._looks_at_followed(value):
            self.autograd.unrecorded_views.add(cut)
        return cut

    def _looks_at_followed(self, view: Node) -> bool:
        """Whether a view is one of a tensor that requires grad, and is no view itself."""
        copies, seen = self.values.copies, self.autograd.unrecorded_views
        base = view
        while base not in seen:
            before = base.inputs[0] if base.op is LEAF and base.inputs else base
            if not before.op.view or before.op in (DETACH, EXPAND) or before in copies:
                return self.autograd.requires_grad(base)
            base = before.inputs[0]
        return True

    def cut_row(self, row: Node, tensor: Node) -> Node:
        """A row of a tensor, without its graph where nothing is recorded."""
        followed = tensor in self.autograd.unrecorded_views or self.autograd.requires_grad(tensor)
        cut = self._cut_off(row) if followed and not self.records else row
        assert isinstance(cut, Node)
        return cut

    def _carries(self, value: Node) -> bool:
        """Whether tangents may come through a value, as they do under `no_grad`. Raises `type` for
        a value that needs no gradient besides.
        """
        if self.autograd.tangents.keys().isdisjoint(upstream([value])):
            return False
        if self.autograd.requires_grad(value):
            raise GradcliError(
                "type",
                "here tangents come, under no_grad, through what requires grad",
                hint="leave no_grad out, or make the dual tensor of x.detach()",
            )
        return True

    # --- how visitors are run ---

    def run(self, visit: Visit | Value) -> Any:
        """Run a visitor and all that it yields, or returns to be run in its place, on a stack that
        is not Python's.

        An error goes up through the visitors, any of which may catch it.
        """
        if not isinstance(visit, GeneratorType):
            return visit
        stack = [visit]
        result: Any = None
        error: GradcliError | Unlike | None = None
        while stack:
            visit = stack[-1]
            try:
                result = visit.send(result) if error is None else visit.throw(error)
                while True:  # a value goes back to the visitor that has asked for it
                    if result.__class__ is GeneratorType:
                        visit = result
                        stack.append(visit)
                        result = None
                    result = visit.send(result)
            except StopIteration as stop:
                stack.pop()
                result, error = stop.value, None
                if result.__class__ is GeneratorType:
                    stack.append(result)
                    result = None
            except (GradcliError, Unlike) as raised:
                stack.pop()
                result, error = None, raised
        if error is not None:
            raise error
        return result

    # --- lists ---

    def as_written(self, expression: syntax.Expression, value: Value) -> Value:
        """A list that is written as a list, where numbers in brackets became a tensor at once."""
        if not isinstance(expression, syntax.List) or not self.values.is_python:
            return value
        if not isinstance(value, Node) or not value.shape:
            return value
        self.graph.check_room(value.size)
        return self.numerals.items(expression) or self.values.listing(value)
