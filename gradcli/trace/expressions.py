"""Expressions: the value of each kind of syntax node.

Visitors are generators that yield the visitors of their parts, and one loop runs them on its own
stack. So the code reads like recursion, and no program is too deep for Python's stack.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator
from types import GeneratorType
from typing import Any, TypeAlias

from gradcli.diagnostics import Advice, GradcliError, Setting, nearest
from gradcli.graph import Graph, Node
from gradcli.language import syntax
from gradcli.ops import FUNCTIONS
from gradcli.ops.axes import matrix_transpose, t
from gradcli.ops.control import detach
from gradcli.trace.autograd import Autograd
from gradcli.trace.callee import ROOTS, is_module
from gradcli.trace.frames import Frame
from gradcli.trace.growth import watch
from gradcli.trace.items import Items
from gradcli.trace.numerals import Numerals
from gradcli.trace.operators import UNARY, binary, boolean, comparison
from gradcli.trace.special import Specials
from gradcli.trace.values import Value, Values, describe

Visit: TypeAlias = Generator[Any, Any, Any]
"""A running visitor: yields visitors of its parts (or what atoms are), is sent their results."""

CONSTANTS = {"pi": math.pi, "e": math.e, "inf": math.inf, "nan": math.nan}


class Expressions:
    """Evaluates expressions; `Calls` adds calls, and `Tracer` statements."""

    def __init__(
        self, graph: Graph, values: Values, autograd: Autograd, numerals: Numerals
    ) -> None:
        self.graph = graph
        self.values = values
        self.autograd = autograd
        self.frame = Frame()
        self.special = Specials(values)
        self._numerals = numerals
        self._visitors: dict[type[Any], Callable[[Any], Visit | Value]] = {
            syntax.Number: numerals.number,
            syntax.Constant: self._constant,
            syntax.String: self._string,
            syntax.Name: self._name,
            syntax.List: self._list,
            syntax.Tuple: self._tuple,
            syntax.Unary: self._unary,
            syntax.Binary: self._binary,
            syntax.Compare: self._compare,
            syntax.Call: self.call,
            syntax.Attribute: self._attribute,
            syntax.Index: self._index,
        }

    def visit(self, expression: syntax.Expression) -> Visit | Value:
        """The visitor of an expression, or its value at once if it has no parts."""
        return self._visitors[type(expression)](expression)

    def run(self, visit: Visit | Value) -> Any:
        """Run a visitor and all that it yields, on a stack that is not Python's.

        An error goes up through the visitors, any of which may catch it.
        """
        if not isinstance(visit, GeneratorType):
            return visit
        stack = [visit]
        result: Any = None
        error: GradcliError | None = None
        while stack:
            try:
                result = stack[-1].send(result) if error is None else stack[-1].throw(error)
                error = None
            except StopIteration as stop:
                stack.pop()
                result, error = stop.value, None
            except GradcliError as raised:
                stack.pop()
                result, error = None, raised
            else:
                if isinstance(result, GeneratorType):
                    stack.append(result)
                    result = None
        if error is not None:
            raise error
        return result

    def call(self, expression: syntax.Call) -> Visit:
        """The value of a call of any kind."""
        raise NotImplementedError

    # --- atoms ---

    def _constant(self, expression: syntax.Constant) -> Node | None:
        return None if expression.value is None else self.graph.constant(expression.value)

    def _string(self, expression: syntax.String) -> Value:
        return expression.value

    def _name(self, expression: syntax.Name) -> Value:
        frame = self.frame.holder(expression.id)
        if frame is not None:
            return frame.values[expression.id]
        if expression.id in CONSTANTS:
            return self.graph.constant(CONSTANTS[expression.id])
        self.graph.span = expression.span
        raise self._unknown_name(expression.id)

    def _unknown_name(self, name: str) -> GradcliError:
        guess = nearest(name, self.frame.names() | CONSTANTS.keys())
        hint: str
        if name in FUNCTIONS or self.frame.function(name):
            hint = f"{name} is a function: call it as {name}(…)"
        elif name in ROOTS:
            hint = "there are no modules: gradcli ops lists all functions"
        elif guess:
            hint = f"did you mean {guess!r}?"
        else:
            hint = Advice("give it a value: ", Setting("set", f"{name}=…", f'{{"{name}": …}}'))
        return GradcliError("name", f"the name {name!r} has no value", hint=hint)

    # --- lists ---

    def _list(self, expression: syntax.List) -> Visit:
        array = self._numerals.array(expression)
        if array is not None:
            return array
        items = []
        for item in expression.items:
            items.append((yield self.visit(item)))
        return Items(items)

    def _tuple(self, expression: syntax.Tuple) -> Visit:
        items = []
        for item in expression.items:
            items.append((yield self.visit(item)))
        return tuple(items)

    # --- operators ---

    def _unary(self, expression: syntax.Unary) -> Visit:
        operand = yield self.visit(expression.operand)
        self.graph.span = expression.span
        node = self.values.tensor(operand, f"the operand of {expression.operator}")
        if expression.operator == "+":
            return node
        return FUNCTIONS[UNARY[expression.operator]](node)

    def _binary(self, expression: syntax.Binary) -> Visit:
        operator = expression.operator
        left = yield self.visit(expression.left)
        if operator in ("and", "or"):
            return (yield self._logical(expression, left))
        right = yield self.visit(expression.right)
        self.graph.span = expression.span
        result = binary(self.values, operator, left, right)
        watch(self.autograd, result, (left, right))
        return result

    def _logical(self, expression: syntax.Binary, left: Value) -> Visit:
        """`and`, `or`: elementwise; a single value on the left may decide alone."""
        conjunction = expression.operator == "and"
        self.graph.span = expression.span
        single = not isinstance(left, Node) or left.size == 1
        if single and self.values.truth(left) != conjunction:
            return self.graph.constant(not conjunction)
        right = yield self.visit(expression.right)
        self.graph.span = expression.span
        name = "logical_and" if conjunction else "logical_or"
        return FUNCTIONS[name](boolean(self.values, left), boolean(self.values, right))

    def _compare(self, expression: syntax.Compare) -> Visit:
        left = yield self.visit(expression.operands[0])
        result: Node | None = None
        for operator, operand in zip(expression.operators, expression.operands[1:], strict=True):
            right = yield self.visit(operand)
            self.graph.span = expression.span
            part = comparison(self.values, operator, left, right)
            watch(self.autograd, part, (left, right))
            result = part if result is None else FUNCTIONS["logical_and"](result, part)
            left = right
        return result

    # --- indexing and attributes ---

    def _index(self, expression: syntax.Index) -> Visit:
        value = yield self.visit(expression.value)
        items: list[Any] = []
        for item in expression.items:
            if isinstance(item, syntax.Ellipsis):
                items.append(Ellipsis)
            elif isinstance(item, syntax.Slice):
                bounds = []
                for bound in (item.lower, item.upper, item.step):
                    part = None if bound is None else (yield self.visit(bound))
                    self.graph.span = item.span
                    bounds.append(
                        None if part is None else self.values.integer(part, "a slice's bound")
                    )
                items.append(slice(*bounds))
            else:
                found = yield self.visit(item)
                items += found if isinstance(found, tuple) else [found]
        self.graph.span = expression.span
        return self.values.subscript(value, items)

    def _attribute(self, expression: syntax.Attribute) -> Visit:
        owner, name = expression.value, expression.name
        if name in CONSTANTS and is_module(owner, self.frame):
            return self.graph.constant(CONSTANTS[name])
        value = yield self.visit(owner)
        self.graph.span = expression.span
        return self._attribute_of(value, expression)

    def _attribute_of(self, value: Value, expression: syntax.Attribute) -> Value:
        name = expression.name
        if isinstance(value, Node):
            if name in ("T", "mT"):
                oldest = self.graph.count
                turned = t(value) if name == "T" else matrix_transpose(value)
                return self.values.new(turned, oldest)  # type: ignore[no-any-return]
            if name == "shape":
                return self.special.shape(value)
            if name == "ndim":
                return self.graph.constant(float(value.ndim))
            if name == "data":
                return detach(value)
            if name == "grad":
                return self.autograd.grad_of(value)
            if name == "requires_grad":
                return self.graph.constant(self.autograd.requires_grad(value))
        fields: tuple[str, ...] = getattr(value, "_fields", ())
        if name in fields:
            return getattr(value, name)  # type: ignore[no-any-return]
        known = fields or ("T", "mT", "shape", "ndim", "data", "grad", "requires_grad")
        guess = nearest(name, known)
        if name in FUNCTIONS:
            hint = f"{name} is a method: call it as .{name}(…)"
        else:
            hint = f"did you mean .{guess}?" if guess else f"there are .{', .'.join(known)}"
        self.graph.span = expression.name_span
        raise GradcliError("name", f"{describe(value)} has no attribute {name!r}", hint=hint)
