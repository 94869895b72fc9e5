"""Statements: a program is run over nodes, its loops and branches unrolled as it goes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from gradcli.diagnostics import GradcliError, Note, Source
from gradcli.engine.evaluator import Evaluator
from gradcli.graph import EMPTY, Graph, Node
from gradcli.language import syntax
from gradcli.ops import FUNCTIONS
from gradcli.ops.table import Function
from gradcli.trace.arguments import bind_names
from gradcli.trace.autograd import Autograd
from gradcli.trace.bindings import as_outputs
from gradcli.trace.expressions import Visit
from gradcli.trace.frames import Frame, UserFunction
from gradcli.trace.items import Items
from gradcli.trace.loops import (
    Counted,
    Leave,
    Listed,
    Loops,
    Returned,
    Tested,
    TraceLimits,
    Turns,
)
from gradcli.trace.numerals import Numerals
from gradcli.trace.values import Value, Values

CALL_BYTES = 4096
"""Bytes that a call of the user's function takes until it returns."""


class Tracer(Loops):
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
        table: Mapping[str, Function] = FUNCTIONS,
        rolls: bool = False,
    ) -> None:
        """`retains` are names whose grads are kept, also those of intermediates; `strict` forbids
        gradients that have to be broadcast. `numbers` become literals of the graph.
        `table` has the functions that a program may call. It `rolls` loops where it can: then
        `NotRolled` may be raised, for which it must not.
        """
        values = Values(graph, evaluator)
        autograd = Autograd(values, source, strict, bool(inputs))
        numerals = Numerals(graph, numbers)
        super().__init__(graph, values, autograd, numerals, source, inputs, retains, table)
        self.limit(limits, rolls)
        self._top_level: frozenset[syntax.Statement] = frozenset()
        self._likely_meant_to_bind: frozenset[syntax.Statement] = frozenset()
        self._statements: dict[type[Any], Callable[[Any], Visit | Leave | None]] = {
            syntax.Assign: self.assign,
            syntax.ChainedAssign: self.chained_assign,
            syntax.AugmentedAssign: self.augmented_assign,
            syntax.Evaluate: self._evaluate,
            syntax.FunctionDefinition: self._function,
            syntax.Return: self._return,
            syntax.Break: self._break,
            syntax.Continue: self._continue,
            syntax.PassStatement: lambda _: None,
            syntax.While: self._while,
            syntax.For: self._for,
            syntax.If: self._if,
            syntax.With: self.with_,
            syntax.Try: self.try_,
            syntax.Import: self.import_,
            syntax.Delete: self.delete,
            syntax.Assert: self.assert_,
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
            self.run(self.body(program.statements))
        except GradcliError as error:
            raise error.located(self.source, self.graph.span) from None
        self._settle()
        self.check_rolled()

    def _settle(self) -> None:
        """Let names stand for what tensors have become that were changed in place."""
        if not self.values.latest:
            return
        for name, value in self.globals.values.items():
            if isinstance(value, Node):
                self.globals.values[name] = self.values.current(value)
            elif isinstance(value, Items) and all(isinstance(each, Node) for each in value):
                self.globals.values[name] = Items([self.values.current(each) for each in value])

    # --- bodies ---

    def body(self, statements: Sequence[syntax.Statement]) -> Visit:
        """Run statements one after another; the result says how the body was left early."""
        for statement in statements:
            leave = yield self.statement(statement)
            if leave is not None:
                return leave
        return None

    def statement(self, statement: syntax.Statement) -> Visit | Leave | None:
        """The visitor of a statement, or how it leaves its body."""
        return self._statements[type(statement)](statement)

    # --- expressions ---

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
                for binding in as_outputs(part, each)
            ]
        elif value is not None and not _changes(expression):
            self.last = as_outputs(expression, value)
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

    def _function(self, statement: syntax.FunctionDefinition) -> Visit:
        records: bool | None = None
        for decorator in statement.decorators:
            value = yield self.visit(decorator)
            self.graph.span = decorator.span
            records = self.recording(value, self.records)
        function = UserFunction(statement, self.frame, self.user_call, records)
        self.frame.functions[statement.name] = function

    def _return(self, statement: syntax.Return) -> Visit:
        value = None if statement.value is None else (yield self.visit(statement.value))
        return Returned(value)

    def user_call(
        self, function: UserFunction, arguments: list[Value], keywords: dict[str, Value]
    ) -> Visit:
        """The value of a call of the user's function: its body is run in a frame of its own."""
        span = self.graph.span or function.definition.span
        self.step(span)
        self.graph.ledger.take(CALL_BYTES, "a call within a call, and so on,", span)
        frame = Frame(function.frame)
        caller, recorded = self.frame, self.records
        first = self.graph.count
        given = self._given(function.definition, arguments, keywords)
        self.frame = frame
        if function.records is not None:
            self.records = function.records
        try:
            for parameter in function.definition.parameters:
                if parameter.name in given:
                    frame.values[parameter.name] = given[parameter.name]
                else:
                    assert parameter.default is not None
                    frame.values[parameter.name] = yield self.visit(parameter.default)
            leave = yield self.body(function.definition.body)
        finally:
            self.frame, self.records = caller, recorded
            self.graph.ledger.give_back(CALL_BYTES)
        self.graph.span = span
        result = leave.value if isinstance(leave, Returned) else None
        self.ended("function", function.definition.name, span, first, given, result)
        return result

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
        leave = yield self.passes(statement, Tested(lambda: self._holds(statement.test)))
        return (yield self._after_loop(statement, leave))

    def _after_loop(self, statement: syntax.While | syntax.For, leave: Any) -> Visit:
        """What `else` behind a loop does that was not left by `break`."""
        if isinstance(leave, Returned):
            return leave
        return None if leave is Leave.BREAK else (yield self.body(statement.otherwise))

    def _holds(self, test: syntax.Expression) -> Visit:
        value = yield self.visit(test)
        self.graph.span = test.span
        return self.values.truth(value)

    def _for(self, statement: syntax.For) -> Visit:
        iterable = yield self.visit(statement.iterable)
        self.graph.span = statement.iterable.span

        def bind(value: Value) -> None:
            if self.values.latest and isinstance(value, Node):
                value = self.values.current(value)
            if isinstance(statement.target, syntax.Name):
                self.bind(statement.target.id, value)
            else:
                self.unpack(statement.target, value)

        turns: Turns
        if isinstance(iterable, range):
            turns = Counted(iterable, bind, self.graph)
        else:
            turns = Listed(self.values.elements(iterable), bind)
        leave = yield self.passes(statement, turns)
        return (yield self._after_loop(statement, leave))

    def _if(self, statement: syntax.If) -> Visit:
        for test, body in statement.branches:
            if (yield self._holds(test)):
                return (yield self.body(body))
        return (yield self.body(statement.otherwise))


def _changes(expression: syntax.Expression) -> bool:
    """Whether an expression stands alone because it changes something, as `w.sub_(1)` does."""
    return (
        isinstance(expression, syntax.Call)
        and isinstance(expression.callee, syntax.Attribute)
        and expression.callee.name.endswith("_")
    )


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
