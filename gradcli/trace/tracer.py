"""Statements: a program is run over nodes, its loops and branches unrolled as it goes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from typing import Any, NamedTuple

from gradcli.diagnostics import GradcliError, Note, Source, Span
from gradcli.engine.evaluator import Evaluator
from gradcli.graph import CONSTANT, EMPTY, INPUT, Graph, Node
from gradcli.language import syntax
from gradcli.ops.control import DETACH, LEAF, bind, leaf
from gradcli.trace.arguments import bind_names
from gradcli.trace.autograd import Autograd
from gradcli.trace.calls import Calls
from gradcli.trace.expressions import Visit, numeric
from gradcli.trace.frames import Frame, UserFunction
from gradcli.trace.items import Items
from gradcli.trace.names import parts_of
from gradcli.trace.operators import binary
from gradcli.trace.values import Value, Values, describe

CALL_BYTES = 4096
"""Bytes that a call of the user's function takes until it returns."""


class TraceLimits(NamedTuple):
    """How many steps of loops and calls of functions a program may make."""

    steps: int = 100_000


class Binding(NamedTuple):
    """A value that the program ends on, and its name if it has one."""

    name: str | None
    value: Value
    span: Span | None = None


class Leave(Enum):
    """How a body was left before its end."""

    BREAK = "break"
    CONTINUE = "continue"


class _Return(NamedTuple):
    value: Value


class Tracer(Calls):
    """Runs a program. Afterwards `globals`, `last` and `leaves` say what it bound and made."""

    def __init__(
        self,
        graph: Graph,
        evaluator: Evaluator,
        source: Source,
        limits: TraceLimits,
        retains: Callable[[str], bool] = frozenset().__contains__,
        inputs: Mapping[str, Node] = EMPTY,
        strict: bool = False,
        numbers: Mapping[int, int] = EMPTY,
    ) -> None:
        """`retains` are names whose grads are kept, also those of intermediates; `strict` forbids
        gradients that have to be broadcast. `numbers` become literals of the graph.
        """
        self.notes: list[Note] = []
        values = Values(graph, evaluator)
        autograd = Autograd(values, source, strict, self.notes, bool(inputs))
        super().__init__(graph, values, autograd, numbers)
        self.source = source
        self.inputs = dict(inputs)
        self.globals = self.frame
        self.globals.values.update(inputs)
        self.last: list[Binding] | None = None
        """The values of the last top-level expression or assignment: several for a tuple, and no
        value for an expression that is None. None where there was no such statement.
        """
        self.leaves: dict[Node, str] = {}
        """Leaves that the program made at top level, and the names they were first bound to."""
        self._retains = retains
        self._limits = limits
        self._steps = 0
        self._top_level: frozenset[syntax.Statement] = frozenset()
        self._likely_meant_to_bind: frozenset[syntax.Statement] = frozenset()
        self._rebound: set[str] = set()
        self._statements: dict[type[Any], Callable[[Any], Visit | Leave | None]] = {
            syntax.Assign: self._assign,
            syntax.AugmentedAssign: self._augmented_assign,
            syntax.Evaluate: self._evaluate,
            syntax.FunctionDefinition: self._function,
            syntax.Return: self._return,
            syntax.Break: self._break,
            syntax.Continue: self._continue,
            syntax.While: self._while,
            syntax.For: self._for,
            syntax.If: self._if,
        }

    def trace(self, program: syntax.Program) -> None:
        """Run the whole program; errors come with their place in its text."""
        self.notes += [Note("layout", message) for _, message in program.notes]
        self._top_level = frozenset(program.statements)
        checked = {expectation.statement for expectation in program.expectations}
        self._likely_meant_to_bind = frozenset(
            statement
            for statement in program.statements[:-1]
            if _compares_name(statement) and statement not in checked
        )
        try:
            self.run(self._body(program.statements))
        except GradcliError as error:
            raise error.located(self.source, self.graph.span) from None

    # --- bodies ---

    def _body(self, statements: Sequence[syntax.Statement]) -> Visit:
        """Run statements one after another; the result says how the body was left early."""
        for statement in statements:
            leave = yield self.statement(statement)
            if leave is not None:
                return leave
        return None

    def statement(self, statement: syntax.Statement) -> Visit | Leave | None:
        """The visitor of a statement, or how it leaves its body."""
        return self._statements[type(statement)](statement)

    def _step(self, span: Span) -> None:
        self._steps += 1
        if self._steps > self._limits.steps:
            self.graph.span = span
            raise GradcliError(
                "limit-steps",
                f"more than {self._limits.steps:,} steps of loops and calls",
                hint="check that the loop ends; --max-steps sets the limit",
            )

    # --- binding ---

    def _assign(self, statement: syntax.Assign) -> Visit:
        value = yield self.visit(statement.value)
        self.graph.span = statement.span
        target = statement.target
        if isinstance(target, syntax.Name):
            self.bind(target.id, self._settled(statement.value, value))
            self._ends_on([target])
        elif isinstance(target, syntax.Tuple):
            if isinstance(statement.value, syntax.Tuple) and isinstance(value, tuple):
                pairs = zip(statement.value.items, value, strict=True)
                value = tuple(self._settled(part, each) for part, each in pairs)
            self._unpack(target, value)
            self._ends_on(target.items)
        else:
            yield self._require_grad(target, value)

    def _require_grad(self, target: syntax.Attribute, wanted: Value) -> Visit:
        """`x.requires_grad = True`: x is bound to a leaf with its value."""
        assert isinstance(target.value, syntax.Name)
        value = yield self.visit(target.value)
        self.graph.span = target.span
        node = self.values.tensor(value, target.value.id)
        self.bind(target.value.id, self.autograd.set_requires_grad(node, self.values.truth(wanted)))

    def _settled(self, expression: syntax.Expression, value: Value) -> Value:
        """The value as it is bound: list literals as tensors, top-level literals as leaves."""
        if isinstance(expression, syntax.List) and isinstance(value, Items) and value:
            value = self._tensor_if_even(value)
        if (
            self.frame is self.globals
            and isinstance(value, Node)
            and value.kind == "float"
            and value.op is not DETACH
            and self._reads_no_name(expression)
        ):
            value = value if value.op is LEAF else leaf(value, marked=False)
        return value

    def _tensor_if_even(self, items: Items) -> Value:
        """A list of equal shapes as a tensor; a ragged one stays a list."""
        try:
            return self.values.tensor(items)
        except GradcliError:
            return items

    def _reads_no_name(self, expression: syntax.Expression) -> bool:
        """Whether the value comes from literals, constants and constructors alone."""
        if isinstance(expression, syntax.Number):
            return True
        if isinstance(expression, syntax.List) and numeric(expression) is not None:
            return True
        stack: list[Any] = [expression]
        while stack:
            part = stack.pop()
            if isinstance(part, syntax.Name) and part.id in self.globals.values:
                return False
            if isinstance(part, syntax.Call) and isinstance(part.callee, syntax.Name):
                if self.globals.function(part.callee.id):
                    return False  # its body may read names
                stack += [*part.arguments, *part.keywords]
            else:
                stack += parts_of(part)
        return True

    def bind(self, name: str, value: Value) -> None:
        if self.frame is self.globals and isinstance(value, Node):
            if value.kind == "float" and value.op not in (LEAF, INPUT) and self._retains(name):
                value = bind(value) if value.op is CONSTANT else value
                self.autograd.retained.add(value)
            if value.op is LEAF:
                self.leaves.setdefault(value, name)
            self.autograd.names.setdefault(value, name)
            self._note_rebinding(name, value)
        self.frame.values[name] = value

    def _note_rebinding(self, name: str, value: Node) -> None:
        before = self.frame.values.get(name)
        if before is value or not isinstance(before, Node) or name in self._rebound:
            return
        if value.op is LEAF and value.inputs[0] is before:
            return  # x.requires_grad = True
        if (before.op is INPUT and before.attributes[0] == name) or self.leaves.get(before) == name:
            self._rebound.add(name)
            self.notes.append(
                Note(
                    "rebound",
                    f"{name} is bound again: its value is the last binding's, and a grad belongs "
                    "to the leaf, not to the name",
                )
            )

    def _unpack(self, target: syntax.Tuple, value: Value) -> None:
        names = [item.id for item in target.items if isinstance(item, syntax.Name)]
        parts = self.values.rows(value) if isinstance(value, Node) and value.shape else value
        if not isinstance(parts, list | tuple | Items):
            raise GradcliError(
                "type",
                f"{describe(value)} cannot be taken apart",
                hint="a, b = … takes a tuple, a list, or the rows of a tensor",
            )
        if len(parts) != len(names):
            raise GradcliError(
                "value",
                f"{len(names)} names for {len(parts)} values",
                hint=f"write {', '.join(f'v{i}' for i in range(1, len(parts) + 1))} = …"
                if 1 < len(parts) < 10
                else "bind the tuple to one name, and index it: t[0]",
            )
        for name, part in zip(names, parts, strict=True):
            self.bind(name, part)

    def _ends_on(self, names: Sequence[syntax.Expression]) -> None:
        """Remember a top-level assignment, as the program may end on it."""
        if self.frame is self.globals:
            self.last = [
                binding
                for name in names
                if isinstance(name, syntax.Name)
                for binding in _bindings(name, self.frame.values[name.id])
            ]

    def _augmented_assign(self, statement: syntax.AugmentedAssign) -> Visit:
        name = statement.target
        before = yield self.visit(name)
        value = yield self.visit(statement.value)
        self.graph.span = statement.span
        self.bind(name.id, binary(self.values, statement.operator, before, value))
        self._ends_on([name])

    def _evaluate(self, statement: syntax.Evaluate) -> Visit:
        if statement in self._likely_meant_to_bind:
            self._explain_comparison(statement)
        expression = statement.value
        value = yield self.visit(expression)
        if statement not in self._top_level:
            return
        if isinstance(expression, syntax.Tuple) and isinstance(value, tuple):
            self.last = [
                binding
                for part, each in zip(expression.items, value, strict=True)
                for binding in _bindings(part, each)
            ]
        elif value is not None:
            self.last = _bindings(expression, value)
        elif not isinstance(expression, syntax.Call):  # `print(x)` is called for its effect
            self.last = []

    def _explain_comparison(self, statement: syntax.Evaluate) -> None:
        """`x == 3` whose result is not used, where `x = 3` may be meant: an error if x has no
        value.
        """
        text = self.source.text[slice(*statement.span)]
        comparison = statement.value
        assert isinstance(comparison, syntax.Compare)
        (name, _) = comparison.operands
        assert isinstance(name, syntax.Name)
        if name.id not in self.frame:
            self.graph.span = name.span
            raise GradcliError(
                "name",
                f"the name {name.id!r} has no value",
                hint=f"== compares; a value is given with a single =: {text.replace('==', '=')}",
            )
        line, _ = self.source.locate(statement.span[0])
        message = f"line {line}: {text} compares, and binds nothing; a value is given with ="
        self.notes.append(Note("comparison", message))

    # --- functions ---

    def _function(self, statement: syntax.FunctionDefinition) -> None:
        self.frame.functions[statement.name] = UserFunction(statement, self.frame)

    def _return(self, statement: syntax.Return) -> Visit:
        value = None if statement.value is None else (yield self.visit(statement.value))
        return _Return(value)

    def user_call(
        self, function: UserFunction, arguments: list[Value], keywords: dict[str, Value], span: Span
    ) -> Visit:
        """The value of a call of the user's function: its body is run in a frame of its own."""
        self._step(span)
        self.graph.ledger.take(CALL_BYTES, "a call within a call, and so on,", span)
        frame = Frame(function.frame)
        caller = self.frame
        given = self._given(function.definition, arguments, keywords)
        self.frame = frame
        for parameter in function.definition.parameters:
            if parameter.name in given:
                frame.values[parameter.name] = given[parameter.name]
            else:
                assert parameter.default is not None
                frame.values[parameter.name] = yield self.visit(parameter.default)
        leave = yield self._body(function.definition.body)
        self.frame = caller
        self.graph.ledger.give_back(CALL_BYTES)
        self.graph.span = span
        return leave.value if isinstance(leave, _Return) else None

    def _given(
        self,
        definition: syntax.FunctionDefinition,
        arguments: list[Value],
        keywords: dict[str, Value],
    ) -> dict[str, Value]:
        """The arguments of a call by the names of the parameters."""
        parameters = definition.parameters
        optional = {each.name for each in parameters if each.default is not None}
        names = [each.name for each in parameters]
        return bind_names(definition.name, names, arguments, keywords, optional)

    # --- control flow ---

    def _break(self, statement: syntax.Break) -> Leave:
        return Leave.BREAK

    def _continue(self, statement: syntax.Continue) -> Leave:
        return Leave.CONTINUE

    def _while(self, statement: syntax.While) -> Visit:
        while (yield self._holds(statement.test)):
            self._step(statement.span)
            leave = yield self._body(statement.body)
            if leave is Leave.BREAK:
                break
            if isinstance(leave, _Return):
                return leave
        return None

    def _holds(self, test: syntax.Expression) -> Visit:
        value = yield self.visit(test)
        self.graph.span = test.span
        return self.values.truth(value)

    def _for(self, statement: syntax.For) -> Visit:
        iterable = yield self.visit(statement.iterable)
        self.graph.span = statement.iterable.span
        whole = isinstance(iterable, Node) and iterable.shape
        items = self.values.rows(iterable) if whole else iterable
        if not isinstance(items, list | tuple | range | Items):
            raise GradcliError(
                "type",
                f"{describe(iterable)} has nothing to loop over",
                hint="loop over range(3), a list, or the rows of a tensor",
            )
        for item in items:
            self._step(statement.span)
            value = self.graph.constant(float(item)) if isinstance(item, int) else item
            if isinstance(statement.target, syntax.Name):
                self.bind(statement.target.id, value)
            else:
                self._unpack(statement.target, value)
            leave = yield self._body(statement.body)
            if leave is Leave.BREAK:
                break
            if isinstance(leave, _Return):
                return leave
        return None

    def _if(self, statement: syntax.If) -> Visit:
        for test, body in statement.branches:
            if (yield self._holds(test)):
                return (yield self._body(body))
        return (yield self._body(statement.otherwise))


def _compares_name(statement: syntax.Statement) -> bool:
    """Whether a statement is just `x == 3`."""
    if not isinstance(statement, syntax.Evaluate):
        return False
    comparison = statement.value
    return (
        isinstance(comparison, syntax.Compare)
        and comparison.operators == ("==",)
        and isinstance(comparison.operands[0], syntax.Name)
    )


def _bindings(expression: syntax.Expression, value: Value) -> list[Binding]:
    """A value as an output, under its name if it has one; a tuple is several."""
    name = expression.id if isinstance(expression, syntax.Name) else None
    if not isinstance(value, tuple):
        return [Binding(name, value, expression.span)]
    fields = getattr(value, "_fields", range(1, len(value) + 1))
    return [
        Binding(name and f"{name}_{field}", each, expression.span)
        for field, each in zip(fields, value, strict=True)
    ]
