"""Statements: a program is run over nodes; control flow looks at values as it goes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import GeneratorType
from typing import TYPE_CHECKING, Any

from gradcli.diagnostics import GradcliError, Note, Source
from gradcli.engine.evaluator import Evaluator
from gradcli.graph import EMPTY, Graph, Node
from gradcli.language import syntax
from gradcli.ops import FUNCTIONS
from gradcli.ops.loops import NotRolled, Unlike
from gradcli.ops.table import Function
from gradcli.trace.autograd import Autograd
from gradcli.trace.bindings import as_outputs
from gradcli.trace.callee import path_of
from gradcli.trace.frames import docstring
from gradcli.trace.items import Items
from gradcli.trace.iterators import Remaining
from gradcli.trace.loops import (
    Counted,
    Leave,
    Listed,
    Repeated,
    Returned,
    Runnable,
    Taken,
    Tested,
    TraceLimits,
    Turns,
)
from gradcli.trace.names import alternatives, repeats
from gradcli.trace.numerals import Numerals
from gradcli.trace.objects import BuiltIn, ClassName, Object
from gradcli.trace.user_functions import UserFunctions
from gradcli.trace.values import Value, Values
from gradcli.trace.visits import Visit

if TYPE_CHECKING:
    from gradcli.trace.reach import LoopReach
    from gradcli.trace.renamed_passes import Renamed
    from gradcli.trace.repetitions import Block


MISSING: Any = object()
"""What stands for an attribute that a value does not have."""


class Tracer(UserFunctions):
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
        reach: LoopReach | None = None,
    ) -> None:
        """`retains` are names whose grads are kept, also those of intermediates; `strict` forbids
        gradients that have to be broadcast. `numbers` become literals of the graph.
        `table` has the functions that a program may call. Loops become one node where
        `reach` lets them: then `NotRolled` may be raised, and they must not.
        """
        values = Values(graph, evaluator)
        autograd = Autograd(values, source, strict, bool(inputs))
        numerals = Numerals(values, source.text, numbers)
        super().__init__(graph, values, autograd, numerals, source, inputs, retains, table)
        self.limit(limits, reach)
        self._function_calls: Any = None
        self._top_level: frozenset[syntax.Statement] = frozenset()
        self._likely_meant_to_bind: frozenset[syntax.Statement] = frozenset()
        self._statements: dict[type[Any], Callable[[Any], Visit | Leave | None]] = {
            syntax.Assign: self.assign,
            syntax.ChainedAssign: self.chained_assign,
            syntax.AugmentedAssign: self.augmented_assign,
            syntax.Evaluate: self._evaluate,
            syntax.FunctionDefinition: self._function,
            syntax.Return: self._return,
            syntax.Yield: self._yield,
            syntax.Break: self._break,
            syntax.Continue: self._continue,
            syntax.PassStatement: lambda _: None,
            syntax.Declaration: lambda _: None,
            syntax.While: self._while,
            syntax.For: self._for,
            Repeated: lambda block: self.passes(block, block),
            syntax.If: self._if,
            syntax.Match: self._match,
            syntax.With: self.with_,
            syntax.Try: self.try_,
            syntax.Import: self.import_,
            syntax.Delete: self.delete,
            syntax.Assert: self.assert_,
            syntax.ClassDefinition: self._class,
            syntax.Outer: self._outer,
            syntax.Raise: self.raise_,
        }
        self._by_syntax |= {
            "super": self._super,
            "isinstance": self._isinstance,
            "hasattr": self._hasattr,
            "getattr": self._getattr,
            "locals": self._names_with_values,
            "globals": self._names_with_values,
        }
        autograd.run, autograd.records = self.run, lambda: self.records
        autograd.set_records = self._recorded
        autograd.check_versions = self._check_versions
        self.values.cut_row = self.cut_row
        self.values.lazily = lambda run: self.lazily(run, self.frame)
        evaluator.living = self._living

    def _living(self) -> Iterable[Node]:
        """What the program may still use."""
        from gradcli.trace.living import living  # few programs compute that much

        frames = (self.frame, self.globals, *self.callers)
        return living(frames, self.autograd, self.special.printed)

    def trace(self, program: syntax.Program) -> None:
        """Run the whole program; errors come with their place in its text."""
        self.notes += [Note("layout", message) for _, message in program.notes]
        self.follow(program)
        text = program.source.text
        if ".grad" in text and "torch" in text:
            self._see_changed_grads(program)
        if not self.inputs:
            self.take_as_imported(program)
        self.run_all(self._in_loops(program) if self.values.rolls else program.statements)
        self.settle()

    def _see_changed_grads(self, program: syntax.Program) -> None:
        """Have what holds a grad see its changes, where a program of PyTorch's may hold any; in
        the language itself `x.grad` is what it was when it was read.
        """
        from gradcli.trace.held_grads import holds_grads  # few programs read grads

        if holds_grads(program):
            self.autograd.grads.replace = self._change_grad

    def _change_grad(self, old: Node, new: Node) -> None:
        if self.values.any_pass is not None:
            raise Unlike("it changes a grad that the program may hold")
        self.replace(old, new)

    def _in_loops(self, program: syntax.Program) -> Sequence[Runnable]:
        """The statements, with a loop in place of those that are written many times."""
        if repeats(program):
            from gradcli.trace.repetitions import blocks  # most programs start faster without

            return _replaced(
                program,
                blocks(program),
                [Repeated(each.of(program), each.passes) for each in blocks(program)],
            )
        if self.values.gathers:
            from gradcli.trace.renamed_passes import Gathering, Renamed
            from gradcli.trace.renamings import renamings

            self._statements[Renamed] = self._renamed
            self._statements[Gathering] = lambda end: end.run()
            return _replaced(
                program,
                [each.block for each in renamings(program)],
                [Renamed(program, each, self.globals) for each in renamings(program)],
            )
        return program.statements

    def _renamed(self, block: Renamed) -> Visit:
        """Run a block of statements that differ in their names."""
        try:
            yield self.passes(block, block)
        except GradcliError:  # which is told where it is: at a statement of its own
            raise NotRolled("a pass of a loop is an error") from None
        self.values.gathered += block.end()
        self._ends_on_name(block.last)

    def follow(self, program: syntax.Program) -> None:
        """Go on with a program, of which the statements are the same that have run already."""
        self.source = self.autograd.source = program.source
        self.numerals.text = program.source.text
        self.autograd.mentions.follow(program.source.text)
        self._top_level = frozenset(program.statements)
        self.docstring = docstring(program.statements)
        self.note_imports(program.statements)
        checked = {expectation.statement for expectation in program.expectations}
        self._likely_meant_to_bind = frozenset(
            statement
            for statement in program.statements[:-1]
            if _compares_name(statement) and statement not in checked
        )

    def run_all(self, statements: Sequence[Runnable]) -> None:
        """Run statements of the program; errors come with their place in its text."""
        try:
            self.run(self.body(statements))
        except GradcliError as error:
            raise error.located(self.source, self.graph.span) from None
        except RecursionError:  # as in Python, where objects in objects are shown or compared
            raise GradcliError(
                "limit-depth",
                "objects are held by others too deep to be shown or compared",
                source=self.source,
                span=self.graph.span,
            ) from None

    def settle(self) -> None:
        """End the run: let names stand for what tensors have become that were changed in place."""
        self.check_rolled()
        if not self.values.latest:
            return
        for name, value in self.globals.values.items():
            if isinstance(value, Node):
                self.globals.values[name] = self.values.current(value)
            elif (
                isinstance(value, Items)
                and not value.is_rolled
                and all(isinstance(each, Node) for each in value)
            ):
                self.globals.values[name] = Items([self.values.current(each) for each in value])

    # --- bodies ---

    def body(self, statements: Sequence[Runnable]) -> Visit:
        """Run statements one after another; the result says how the body was left early."""
        for statement in statements:
            leave: Any = self.statement(statement)
            if leave.__class__ is GeneratorType:
                leave = yield leave
            if leave is not None:
                return leave
        return None

    def statement(self, statement: Runnable) -> Visit | Leave | None:
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
        if (
            isinstance(expression, syntax.Tuple)
            and isinstance(value, tuple)
            and len(expression.items) == len(value)  # not so with `*rows` among them
        ):
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

    # --- classes, names, and calls that are read as they are written ---

    def _class(self, statement: syntax.ClassDefinition) -> Visit:
        from gradcli.trace.class_definitions import ClassDefinitions

        return ClassDefinitions(self).define(statement)

    def apply_function(self, made: Any, arguments: list[Value], keywords: dict[str, Value]) -> Any:
        """`F.apply(…)` of a class made from `torch.autograd.Function`."""
        if self._function_calls is None:
            from gradcli.trace.custom import FunctionCalls

            self._function_calls = FunctionCalls(
                self.autograd, self.special.numbers, self._recorded, self.replace
            )
        return self._function_calls.apply(made, arguments, keywords)

    def _outer(self, statement: syntax.Outer) -> None:
        """`global` and `nonlocal`: where the names are bound from now on."""
        for name in statement.names:
            outer = None if statement.everywhere else self.frame.outer
            around = None if outer is None else outer.holder(name)
            self.frame.elsewhere[name] = self.globals if around is None else around

    def _super(self, expression: syntax.Call) -> Visit:
        from gradcli.trace.classes import Class
        from gradcli.trace.parent_classes import Super

        self.graph.span = expression.span
        given = yield self._several(expression.arguments)
        if len(given) == 2 and isinstance(given[0], Class):
            return Super(given[1], given[0])
        receiver = next((frame.receiver for frame in self.frame if frame.receiver), None)
        if receiver is None:
            raise GradcliError("type", "super() stands outside a method", hint="def __init__(self)")
        return Super(receiver[1], receiver[0])

    def _isinstance(self, expression: syntax.Call) -> Visit:
        from gradcli.trace.kinds_of_values import is_known, is_of_kinds, known_kind

        if len(expression.arguments) != 2:
            raise GradcliError("type", "isinstance takes a value and a class")
        value, wanted = expression.arguments
        found = self.as_written(value, (yield self.visit(value)))
        for each in alternatives(wanted):
            name = getattr(each, "id", getattr(each, "name", ""))
            other = self.frame.holder(name) if isinstance(each, syntax.Name) else None
            made = known_kind(other.values[name], name) if other else ClassName(name)
            if isinstance(each, syntax.Attribute):
                path = path_of(each)
                is_held = path is None or self.frame.holder(path[0]) is not None  # self.kinds
                function = None if is_held else self.function_value(each)
                if function is not None:
                    made = function
                elif is_held or not is_known(name):
                    made = yield self.visit(each)  # which says what a module does not have
            elif isinstance(each, syntax.Call) or not name:  # type(x), None
                made = yield self.visit(each)
            elif other is None and name not in self.frame.imports and not is_known(name):
                made = yield self.visit(each)  # which says what is not defined
            self.graph.span = each.span
            if is_of_kinds(found, made, self.special.numbers):
                return self.graph.constant(True)
        return self.graph.constant(False)

    def _names_with_values(self, expression: syntax.Call) -> Visit:
        """`locals()` and `globals()`."""
        from gradcli.trace.names_with_values import names_with_values  # few programs ask

        arguments, keywords = yield self._all_as_written(expression)
        name = getattr(expression.callee, "id", "")
        return names_with_values(name, self.values, self.frame, arguments, keywords)

    def _hasattr(self, expression: syntax.Call) -> Visit:
        """Whether an object, or a module such as `torch.backends`, has something of that name."""
        given: Sequence[Value] = yield self._several(expression.arguments[1:])
        owner = self.module_of(expression.arguments[0]) if len(given) == 1 else None
        if owner is None:
            owned = yield self._several(expression.arguments[:1])
            owned = [self.as_written(expression.arguments[0], each) for each in owned]
            if len(given) == 1:
                from gradcli.trace.kinds_of_values import kind_of
                from gradcli.trace.python_attributes import has_by_class

                if has_by_class(kind_of(owned[0], self.special.numbers), str(given[0])):
                    return self.graph.constant(True)
            if len(given) == 1 and isinstance(owned[0], Items):
                return self.graph.constant(self.method_of(owned[0], str(given[0])) is not None)
            is_pytorchs = self.values.is_pytorch and self.values.is_tensor(owned[0])
            if len(given) == 1 and is_pytorchs and self.has_method(str(given[0])):
                return self.graph.constant(True)
            if len(given) == 1 and _is_asked_here(owned[0]):
                found = self._member_of(expression, owned[0], given[0], MISSING)
                return self.graph.constant(found is not MISSING)
            return self.function_call("hasattr", [*owned, *given], {})
        return self.graph.constant(self.library.has_member(owner, str(given[0])))

    def _getattr(self, expression: syntax.Call) -> Visit:
        """What an object, or a module such as `torch.nn`, has of that name."""
        given: Sequence[Value] = yield self._several(expression.arguments[1:])
        owner = expression.arguments[0] if expression.arguments else None
        if not given or owner is None or self.module_of(owner) is None:
            owned = yield self._several(expression.arguments[:1])
            keywords = yield self._keywords(expression)
            if len(given) in (1, 2) and _is_asked_here(owned[0]):
                return self._member_of(expression, owned[0], *given)
            return self.function_call("getattr", [*owned, *given], keywords)
        member = syntax.Attribute(owner, str(given[0]), expression.span, expression.span)
        found = self.function_value(member)
        if found is not None or len(given) == 2:
            return given[1] if found is None else found
        return (yield self.visit(member))

    def _member_of(self, call: syntax.Call, owner: Value, name: Value, *default: Value) -> Value:
        """An attribute or method of a tensor, list or string; `default` where it has none."""
        member = syntax.Attribute(call.arguments[0], str(name), call.span, call.span)
        try:
            return self.attribute_of(owner, member)
        except GradcliError:
            if not default:
                raise
            return default[0]

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
        from gradcli.trace.series import series  # most programs start faster without

        iterable = self.as_written(statement.iterable, (yield self.visit(statement.iterable)))
        self.graph.span = statement.iterable.span
        if isinstance(iterable, Object):
            iterable = iterable.looped()

        def bind(value: Value) -> None:
            if self.values.latest and isinstance(value, Node):
                value = self.values.current(value)
            if isinstance(statement.target, syntax.Name):
                self.bind(statement.target.id, value)
            else:
                self.run(self.unpack(statement.target, value))

        turns: Turns
        items = series(self.values, iterable)
        if items is not None and (self.values.rolls or isinstance(iterable, range)):
            turns = Counted(items, bind)
        elif isinstance(iterable, Remaining):
            turns = Taken(iterable, bind)
        else:
            turns = Listed(self.values.elements(iterable), bind)
        leave = yield self.passes(statement, turns)
        return (yield self._after_loop(statement, leave))

    def _if(self, statement: syntax.If) -> Visit:
        for test, body in statement.branches:
            if (yield self._holds(test)):
                return (yield self.body(body))
        return (yield self.body(statement.otherwise))

    def _match(self, statement: syntax.Match) -> Visit:
        from gradcli.trace.matching import Matching  # few programs have it

        value = self.as_written(statement.value, (yield self.visit(statement.value)))
        matching = Matching(self.values, self.special.numbers, self.visit)
        for case in statement.cases:
            self.graph.span = case.pattern.span
            names = yield matching.names(case.pattern, value)
            if names is None:
                continue
            for name, part in (names | ({case.name: value} if case.name else {})).items():
                self.bind(name, part)
            if case.guard is None or (yield self._holds(case.guard)):
                return (yield self.body(case.body))
        return None


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


def _is_asked_here(owner: Value) -> bool:
    """Whether the language itself knows what a value has, also of functions and `torch.Tensor`."""
    return type(owner) is BuiltIn or not isinstance(owner, Object)


def _replaced(
    program: syntax.Program, blocks: Sequence[Block], loops: Sequence[Repeated]
) -> Sequence[Runnable]:
    """The statements, with a loop in place of each block."""
    statements, start = list[Runnable](), 0
    for block, loop in zip(blocks, loops, strict=True):
        statements += (*program.statements[start : block.first], loop)
        start = block.end
    return [*statements, *program.statements[start:]]
