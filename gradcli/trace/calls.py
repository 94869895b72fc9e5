"""Calls: the function that is called, and its arguments."""

from __future__ import annotations

from collections.abc import Sequence

from gradcli.diagnostics import GradcliError, Span, nearest
from gradcli.graph import Graph
from gradcli.language import syntax
from gradcli.ops import FUNCTIONS
from gradcli.ops.table import Function
from gradcli.trace.arguments import call
from gradcli.trace.autograd import Autograd
from gradcli.trace.autograd_calls import AutogradCalls
from gradcli.trace.callee import function_name, method_name, place_receiver
from gradcli.trace.constructors import KINDS, LAYOUTS, compute_in, construct, dtype_name
from gradcli.trace.conversions import TAKE_DTYPES, Conversions
from gradcli.trace.expressions import Expressions, Visit
from gradcli.trace.frames import UserFunction
from gradcli.trace.growth import watch
from gradcli.trace.numerals import Numerals
from gradcli.trace.special import Special
from gradcli.trace.values import Value, Values


class Calls(Expressions):
    """Evaluates calls; `Tracer` runs the user's functions."""

    def __init__(
        self, graph: Graph, values: Values, autograd: Autograd, numerals: Numerals
    ) -> None:
        super().__init__(graph, values, autograd, numerals)
        calls, conversions = AutogradCalls(autograd), Conversions(autograd)
        self._functions = self.special.functions | calls.functions | conversions.functions
        self._methods = self.special.methods | calls.methods | conversions.methods

    def user_call(
        self, function: UserFunction, arguments: list[Value], keywords: dict[str, Value], span: Span
    ) -> Visit:
        raise NotImplementedError

    def bind(self, name: str, value: Value) -> None:
        """Give a name a value, in the body that is run."""
        raise NotImplementedError

    def call(self, expression: syntax.Call) -> Visit:
        callee = expression.callee
        if isinstance(callee, syntax.Attribute) and callee.name == "zero_":
            return (yield self._zero(callee))
        name = function_name(callee, self.frame)
        method = name is None
        arguments: list[Value] = []
        if name is None:
            if not isinstance(callee, syntax.Attribute):
                self.graph.span = callee.span
                raise GradcliError(
                    "type", "only a function can be called", hint="a product is written with *"
                )
            name = callee.name
            arguments.append((yield self.visit(callee.value)))
        plain = isinstance(callee, syntax.Name)
        function = self.frame.function(name) if plain else None
        special: Special | None = (self._methods if method else self._functions).get(name)
        built_in = None if function or special else self._built_in(name, method, callee)
        for argument in expression.arguments:
            dtype = self._dtype(argument) if method and name in TAKE_DTYPES else None
            arguments.append(dtype or (yield self.visit(argument)))
        keywords = (yield self._keywords(expression)) if expression.keywords else {}
        self.graph.span = expression.span
        if function is not None:
            return (yield self.user_call(function, arguments, keywords, expression.span))
        if special is not None:
            result = special(arguments, keywords)
            owner = callee.value if isinstance(callee, syntax.Attribute) else None
            if name == "requires_grad_" and isinstance(owner, syntax.Name):
                self.bind(owner.id, result)
            return result
        assert built_in is not None
        if method:
            place_receiver(built_in, arguments, keywords)
        if built_in.group == "creation":
            return construct(self.autograd, built_in, arguments, keywords)
        if "dtype" in keywords and built_in.takes_dtype:
            return compute_in(self.autograd, built_in, arguments, keywords)
        result = call(self.values, built_in, arguments, keywords)
        watch(self.autograd, result, (*arguments, *keywords.values()))
        return result

    def _dtype(self, argument: syntax.Expression) -> str | None:
        """The dtype that an argument names, unless the name has a value: `torch.int64`, `float`."""
        name = dtype_name(argument)
        if isinstance(argument, syntax.Name) and (name not in KINDS or argument.id in self.frame):
            return None
        return name

    def _keywords(self, expression: syntax.Call) -> Visit:
        keywords: dict[str, Value] = {}
        for keyword in expression.keywords:
            if keyword.name in keywords:
                self.graph.span = keyword.span
                raise GradcliError(
                    "type", f"{keyword.name} is given twice", hint="leave one of them out"
                )
            named = keyword.name == "dtype" or keyword.name in LAYOUTS
            dtype = dtype_name(keyword.value) if named else None
            keywords[keyword.name] = dtype or (yield self.visit(keyword.value))
        return keywords

    def _zero(self, callee: syntax.Attribute) -> Visit:
        """`x.grad.zero_()` and `x.grad.data.zero_()`: nothing else changes in place."""
        grad = callee.value
        if isinstance(grad, syntax.Attribute) and grad.name == "data":
            grad = grad.value
        if not (isinstance(grad, syntax.Attribute) and grad.name == "grad"):
            self.graph.span = callee.name_span
            raise GradcliError(
                "name",
                "zero_ is for x.grad.zero_(): values never change in place",
                hint="zeros_like(x) is a new tensor of zeros",
            )
        owner = yield self.visit(grad.value)
        self.graph.span = callee.span
        self.autograd.zero(owner)
        return None

    def _built_in(self, name: str, method: bool, callee: syntax.Expression) -> Function:
        function = FUNCTIONS.get(method_name(name) if method else name)
        if function is not None:
            return function
        self.graph.span = callee.name_span if isinstance(callee, syntax.Attribute) else callee.span
        kind = "method" if method else "function"
        hint = (self._hint_for_method if method else self._hint_for_function)(name)
        raise GradcliError("name", f"there is no {kind} {name!r}", hint=hint)

    def _hint_for_method(self, name: str) -> str:
        if name.removesuffix("_") in FUNCTIONS:
            return f"values never change in place: write x = x.{name.removesuffix('_')}(…)"
        if name == "append":
            return "a list never changes: write hs = append(hs, h)"
        if name in self._functions or self.frame.function(name):
            return f"{name} is a function: write {name}(x, …)"
        return _guess(name, [*FUNCTIONS, *self._methods])

    def _hint_for_function(self, name: str) -> str:
        if name in self.frame:
            return f"{name} is a value: multiplication is written with *"
        if name in self._methods:
            return f"{name} is a method: write x.{name}(…)"
        return _guess(name, [*FUNCTIONS, *self._functions, *self.frame.function_names()])


def _guess(name: str, known: Sequence[str]) -> str:
    guess = nearest(name, known)
    return f"did you mean {guess!r}?" if guess else "gradcli ops lists all functions"
