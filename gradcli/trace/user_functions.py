"""Functions of the program: how they are defined, called, and give their values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal

from gradcli.diagnostics import GradcliError
from gradcli.graph import Node
from gradcli.language import syntax
from gradcli.trace.arguments import bind_names
from gradcli.trace.callee import path_of
from gradcli.trace.dictionaries import Dictionary
from gradcli.trace.frames import Frame, UserFunction
from gradcli.trace.iterators import Remaining, taken
from gradcli.trace.loops import Loops, Returned
from gradcli.trace.names import locals_of
from gradcli.trace.objects import Object, Recording, TypeHint, is_setting
from gradcli.trace.values import Give, Value, describe
from gradcli.trace.visits import Visit

CALL_BYTES = 4096
"""Bytes that a call of the user's function takes until it returns."""
DEEPEST = 20_000
"""So many calls may be within each other: Python stops at 1,000."""
_WITHOUT_MEANING = ("abstractmethod", "override", "overload", "final")
"""Decorators that say something to readers alone."""
_BINDS: Mapping[str, Literal["class", "nothing", "property"]] = {
    "classmethod": "class", "staticmethod": "nothing", "property": "property"
}  # fmt: skip
"""What decorators of methods make of them."""
_OF_PROPERTIES = ("setter", "deleter")


class UserFunctions(Loops):
    """Runs the program's functions; `Tracer` adds the other statements."""

    generators_open = 0
    """How many generators go on within each other."""

    def _function(self, statement: syntax.FunctionDefinition) -> Visit:
        function = UserFunction(statement, self._visible(), self.user_call)
        function.path = self.frame.path
        if "yield" in self.source.text[slice(*statement.span)]:
            from gradcli.trace.generators import yields

            function.yields = yields(statement)
        if any(each.default is not None for each in statement.parameters):
            yield self.with_defaults(function)
        made: Value = function
        for decorator in reversed(statement.decorators):
            self.graph.span = decorator.span
            name = (path_of(decorator) or [""])[-1]
            if name in _WITHOUT_MEANING:
                function.is_abstract |= name == "abstractmethod"
                continue
            if name in _BINDS:
                function.binds = _BINDS[name]
                continue
            if name in _OF_PROPERTIES and (kept := self.frame.function(statement.name)):
                made = kept.again()  # the classes that this one is made from keep theirs
                made.binds, made.setter, made.deleter = "property", kept.setter, kept.deleter
                setattr(made, name, function)
                continue
            records = self.records
            value = yield self.visit(decorator)
            self.graph.span = decorator.span
            if is_setting(value):
                function.records = self.recording(value, records)
                function.setting = value if isinstance(value, Recording) else None
                self.records = records
            else:
                made = yield self.decorated(value, made)
        self.bind(statement.name, made)

    def decorated(self, decorator: Value, made: Value) -> Any:
        """What a decorator makes of a function or a class."""
        if not isinstance(decorator, Object):
            raise GradcliError("type", f"{describe(decorator)} is no decorator",
                               hint="a function, or torch.no_grad()")  # fmt: skip
        if isinstance(decorator, TypeHint):  # of typing: `@runtime_checkable`
            return made
        return decorator.call([made], {})

    def _visible(self) -> Frame:
        """The frame that functions see which are defined now: not a class's."""
        frame = self.frame
        while frame.of_class and frame.outer is not None:
            frame = frame.outer
        return frame

    def _return(self, statement: syntax.Return) -> Visit:
        if statement.value is None:
            return Returned(None)
        value = yield self.visit(statement.value)
        return Returned(self.as_written(statement.value, value))

    def _yield(self, statement: syntax.Yield) -> Visit:
        """A value of a generator, whose body stops here."""
        from gradcli.trace.generators import Yielded

        value = None
        if statement.value is not None:
            value = self.as_written(statement.value, (yield self.visit(statement.value)))
        self.graph.span = statement.span
        sent: Value = None
        for each in taken(self.values, value) if statement.all else (value,):
            sent = yield Yielded(each)
        if statement.target is not None:
            if statement.all:
                sent = value.returned if isinstance(value, Remaining) else None
            yield self.unpack(statement.target, sent)

    def user_call(
        self, function: UserFunction, arguments: list[Value], keywords: dict[str, Value]
    ) -> Visit:
        """The value of a call of the user's function: its body is run in a frame of its own."""
        span = self.graph.span or function.definition.span
        self.step(span)
        self.check_called(function.definition)
        if len(self.callers) >= DEEPEST:
            raise GradcliError(
                "limit-depth",
                f"{function.definition.name} is called within {DEEPEST:,} other calls",
                hint="check that a function that calls itself ends",
                span=span,
            )
        self.callers.append(self.frame)
        self.graph.ledger.take(CALL_BYTES, "a call within a call, and so on,", span)
        frame = Frame(function.frame)
        frame.path = f"{function.qualified}.<locals>."
        if function.own is None:
            function.own = self._names_of_its_own(function.definition)
        frame.own = function.own
        caller, recorded = self.frame, self.records
        first = self.graph.count
        given = self._given(function, arguments, keywords)
        if function.owner is not None and arguments:
            frame.receiver = (function.owner, arguments[0])
        self.frame = frame
        self._begin(function)
        try:
            for parameter in function.definition.parameters:
                name = parameter.name.lstrip("*")
                if not name:
                    continue  # a bare star: what follows is given by name
                if name in given:
                    self.hold(frame, name, given[name])
                elif name in function.defaults:
                    self.hold(frame, name, function.defaults[name])
                else:
                    assert parameter.default is not None
                    default = yield self.visit(parameter.default)
                    self.hold(frame, name, self.as_written(parameter.default, default))
            leave = None
            if not function.yields:
                leave = yield self.body(function.definition.body)
        finally:
            self.frame, self.records = caller, recorded
            function.end()
            self.callers.pop()
            self.graph.ledger.give_back(CALL_BYTES)
        self.graph.span = span
        result = leave.value if isinstance(leave, Returned) else None
        if function.yields:
            result = self._generated(function, frame)
        if not recorded and isinstance(result, Node) and self.autograd.requires_grad(result):
            self.autograd.kept_graphs.add(result)
        self.ended("function", function.definition.name, span, first, given, result)
        return result

    def _begin(self, function: UserFunction) -> None:
        """Be in what a decorator has set for a function's calls."""
        if function.records is not None:
            self.records = function.records
        if function.setting is not None:
            function.setting.begin()

    def _names_of_its_own(self, definition: syntax.FunctionDefinition) -> frozenset[str]:
        """The names that Python would not look for outside: in braces, what is around is seen."""
        head = self.source.text[definition.span[0] : definition.body[0].span[0]]
        if "{" in head:
            return frozenset()
        return locals_of(definition, self.source.text[slice(*definition.span)])

    def _generated(self, function: UserFunction, frame: Frame) -> Value:
        """What a function gives that yields."""
        from gradcli.trace.generators import GeneratorBody

        records = function.records is not False and self.records
        body = GeneratorBody(self, self.body(function.definition.body), frame, records)
        return Remaining(self.values, body, body)

    def lazily(self, run: Callable[[Give], Visit], frame: Frame) -> Visit:
        from gradcli.trace.generators import DEEPEST_LATER, GeneratorBody, Yielded

        if self.generators_open < DEEPEST_LATER:
            return GeneratorBody(self, run(Yielded), frame, None)
        found: list[Value] = []
        yield run(found.append)
        return found

    def _given(
        self, function: UserFunction, arguments: list[Value], keywords: dict[str, Value]
    ) -> dict[str, Value]:
        """The arguments of a call by the names of the parameters."""
        try:
            return self._matched(function, arguments, keywords)
        except GradcliError as error:
            from gradcli.trace.call_errors import misfit  # a mistake

            raise misfit(function, arguments, keywords, error) from None

    def _matched(
        self, function: UserFunction, arguments: list[Value], keywords: dict[str, Value]
    ) -> dict[str, Value]:
        parameters = function.definition.parameters
        names = [each.name for each in parameters]
        if "*" in [name[0] for name in names]:
            return self._gathered(function, arguments, keywords)
        if not keywords and len(arguments) == len(names):
            return dict(zip(names, arguments, strict=True))
        optional = {each.name for each in parameters if each.default is not None}
        return bind_names(function.definition.name, names, arguments, keywords, optional)

    def _gathered(
        self, function: UserFunction, arguments: list[Value], keywords: dict[str, Value]
    ) -> dict[str, Value]:
        """The arguments of a function with `*args` or `**options`."""
        plain: list[str] = []
        rest = options = ""
        by_name = False
        definition = function.definition
        for each in definition.parameters:
            if each.name.startswith("**"):
                options = each.name[2:]
            elif each.name.startswith("*"):
                rest, by_name = each.name[1:], True
            elif not by_name:
                plain.append(each.name)
        named = [each.name for each in definition.parameters if each.name[0] != "*"]
        optional = {each.name for each in definition.parameters if each.default is not None}
        own = {name: value for name, value in keywords.items() if name in named or not options}
        first = arguments[: len(plain)] if rest else arguments
        keys = plain if len(first) > len(plain) else [
            name for name in named if name in plain or name in own or name not in optional
        ]  # fmt: skip
        given = bind_names(definition.name, keys, first, own, optional)
        if rest:
            given[rest] = tuple(arguments[len(plain) :])
        if options:
            others = {name: value for name, value in keywords.items() if name not in own}
            given[options] = Dictionary(self.values, others.items())
        return given

    def _recorded(self, records: bool) -> bool:
        """Set whether gradients are recorded; the answer is whether they were."""
        before, self.records = self.records, records
        return before
