"""Expressions: the value of each kind of syntax node.

Visitors are generators that yield the visitors of their parts, and one loop runs them on its own
stack. So the code reads like recursion, and no program is too deep for Python's stack.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Iterator, Sequence
from types import GeneratorType
from typing import TYPE_CHECKING, Any, TypeAlias

from gradcli.diagnostics import Advice, GradcliError, Span, input_of, nearest
from gradcli.graph import INPUT, Graph, Node
from gradcli.language import syntax
from gradcli.ops import FUNCTIONS
from gradcli.ops.control import DETACH, LEAF, detach
from gradcli.ops.kinds import cast
from gradcli.ops.loops import Unlike
from gradcli.trace.autograd import Autograd
from gradcli.trace.callee import ROOTS, is_module, path_of
from gradcli.trace.dictionaries import Dictionary, pairs_of
from gradcli.trace.frames import Frame, UserFunction
from gradcli.trace.growth import watch
from gradcli.trace.items import Device, Items, Unquoted
from gradcli.trace.numerals import Numerals
from gradcli.trace.objects import BuiltIn, ClassName, Object, attribute_or_method
from gradcli.trace.operators import (
    COMPARE,
    METHODS,
    UNARY,
    binary,
    boolean,
    comparison,
    contains,
    identity,
)
from gradcli.trace.special import Size, Specials
from gradcli.trace.values import NO_GRAD_YET, Value, Values, describe

if TYPE_CHECKING:
    from gradcli.trace.python_functions import PythonFunctions

Visit: TypeAlias = Generator[Any, Any, Any]
"""A running visitor: yields visitors of its parts (or what atoms are), is sent their results."""

_ON_INTEGERS = ("+", "-", "*", "//", "%", "**")
"""Operators that make integers of integers."""
_COUNTING = ("+", "-", "*")
"""Operators that take Python's truth values as the integers 0 and 1."""
_DIVIDING = ("/", "//", "%")
"""Operators that Python has no result of where the right side is 0."""
_ATOMS = frozenset((syntax.Name, syntax.Number, syntax.Constant, syntax.String))
"""Expressions without parts, whose values are found at once."""
_ON_LISTS = ("+", "*")
"""Operators that join and repeat lists."""
_TURNED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
"""What the right side is asked of a comparison that the left one does not know."""
_SIDES_LATER = ("and", "or")
"""Operators whose right side may not be needed."""
_INSIDE = 8
"""So deep in each other parts are found by calls, which is quicker; deeper ones by visitors."""
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
        self._inside = 0
        """How deep the part is, among those that are found by calls."""
        recorded: dict[type[Any], Callable[[Any], Visit | Value]] = {
            syntax.Number: numerals.number,
            syntax.Constant: self._constant,
            syntax.String: self._string,
            syntax.ByteString: self._bytes,
            syntax.Name: self._name,
            syntax.List: self._list,
            syntax.Tuple: self._tuple,
            syntax.Unary: self._unary,
            syntax.Binary: self._binary,
            syntax.Compare: self._compare,
            syntax.Call: self.call,
            syntax.Attribute: self._attribute,
            syntax.Index: self._index,
            syntax.Conditional: self._conditional,
            syntax.Lambda: self._lambda,
            syntax.Comprehension: self._comprehension,
            syntax.Template: self._template,
            syntax.Walrus: self._naming,
            syntax.DictLiteral: self._dictionary,
        }
        computing = (syntax.Unary, syntax.Binary, syntax.Call, syntax.Index, syntax.Attribute)
        silent = {kind: self._silenced(recorded[kind]) for kind in computing}
        self.kept_graphs: set[Node] = set()
        """What functions have given that record inside of what does not."""
        self._visitors_of = {True: recorded, False: recorded | silent}
        self._visitors = recorded

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
        if kind in _ATOMS:
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
        return self._visitors is self._visitors_of[True]

    @records.setter
    def records(self, enabled: bool) -> None:
        self._visitors = self._visitors_of[enabled]

    def _silenced(self, visitor: Callable[[Any], Visit | Value]) -> Callable[[Any], Visit | Value]:
        """A visitor through whose result no gradient flows, as under `torch.no_grad()`."""

        def visit(expression: syntax.Expression) -> Visit:
            return self._cut_off((yield visitor(expression)))

        return visit

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
        if value in self.special.numbers or value in self.kept_graphs:
            return value
        cut = detach(value)
        if value in self.values.arrays:
            self.values.arrays.add(cut)
        return cut

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

    def call(self, expression: syntax.Call) -> Visit | Value:
        """The value of a call of any kind, or the visitor that finds it."""
        raise NotImplementedError

    # --- atoms ---

    def _constant(self, expression: syntax.Constant) -> Node | None:
        return None if expression.value is None else self.graph.constant(expression.value)

    def _string(self, expression: syntax.String) -> Value:
        return expression.value

    def _bytes(self, expression: syntax.ByteString) -> Value:
        from gradcli.trace.byte_strings import RowOfBytes  # few programs have them

        self.values.is_python = True
        self.graph.span = expression.span
        return RowOfBytes(self.values, expression.value)

    def _name(self, expression: syntax.Name) -> Value:
        frame = self.frame.holder(expression.id)
        if frame is not None:
            value = frame.values[expression.id]
            if self.values.latest and isinstance(value, Node):
                return self.values.current(value)
            return value
        if expression.id in CONSTANTS:
            return self.graph.constant(CONSTANTS[expression.id])
        self.graph.span = expression.span
        if expression.id == "__name__":
            return "__main__"
        if expression.id == "__file__" and self.autograd.source.name != "program":
            return self.autograd.source.name
        found = self.function_value(expression)
        if found is None:
            from gradcli.trace.own_errors import is_error  # few programs come here

            found = ClassName(expression.id) if is_error(expression.id) else None
        if found is None:
            raise self._unknown_name(expression.id)
        return found

    def function_value(self, callee: syntax.Name | syntax.Attribute) -> Value:
        """A function, constant or dtype that a name or a module's member stands for, else None."""
        raise NotImplementedError

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
            hint = Advice("give it a value: ", input_of(name))
        return GradcliError("name", f"the name {name!r} has no value", hint=hint)

    # --- lists ---

    def _list(self, expression: syntax.List) -> Visit:
        array = self._numerals.array(expression)
        if array is not None:
            return array
        return Items((yield self._several(expression.items)))

    def _tuple(self, expression: syntax.Tuple) -> Visit:
        return tuple((yield self._several(expression.items)))

    def _several(self, items: Sequence[syntax.Expression]) -> Visit | list[Value]:
        """The values of items, of which `*values` is several; or the visitor that finds them."""
        found: list[Any] = []
        for place, item in enumerate(items):
            if type(item) not in _ATOMS:
                return self._going_on(found, items[place:])
            found.append(self.visit(item))
        return found

    def _going_on(
        self,
        found: list[Value],
        items: Sequence[syntax.Expression],
        begun: Visit | Value = None,
    ) -> Visit:
        """The values of further items, behind those that were found; the first may be `begun`."""
        for item in items:
            if type(item) is syntax.Starred:
                value = self.as_written(item.value, (yield self.visit(item.value)))
                found += self.values.elements(value)
            else:
                value = yield (self.visit(item) if begun is None else begun)
                found.append(self.as_written(item, value))
                begun = None
        return found

    def _dictionary(self, expression: syntax.DictLiteral) -> Visit:
        found = Dictionary(self.values)
        for pair in expression.pairs:
            if isinstance(pair, syntax.Keyword):
                others = yield self.visit(pair.value)
                self.graph.span = pair.span
                if not isinstance(others, Object) or "items" not in others.methods():
                    raise GradcliError("type", f"** takes a dictionary, not {describe(others)}")
                found.become([*found.pairs(), *pairs_of(self.values, [others], {})])
                continue
            key, value = yield self._pair(pair)
            self.graph.span = pair.span
            found.put(key, value)
        return found

    def _pair(self, pair: syntax.Pair) -> Visit:
        key = yield self.visit(pair.key)
        return key, self.as_written(pair.value, (yield self.visit(pair.value)))

    def as_written(self, expression: syntax.Expression, value: Value) -> Value:
        """A list that is written as a list, where numbers in brackets became a tensor at once."""
        if not isinstance(expression, syntax.List) or not self.values.is_python:
            return value
        if not isinstance(value, Node) or not value.shape:
            return value
        self.graph.check_room(value.size)
        return self._numerals.items(expression) or self.values.listing(value)

    def _template(self, expression: syntax.Template) -> Visit:
        """An f-string: its values are looked at now."""
        parts: list[str] = []
        for piece in expression.pieces:
            parts.append(piece if isinstance(piece, str) else (yield self._field(piece)))
        self.graph.span = expression.span
        return self.python.joined(parts)

    def _field(self, field: syntax.Field) -> Visit:
        value = self.as_written(field.value, (yield self.visit(field.value)))
        parts = []
        for piece in field.format:
            parts.append(piece if isinstance(piece, str) else (yield self._field(piece)))
        self.graph.span = field.span
        if isinstance(value, Items | tuple | Dictionary):
            yield self.note_texts(value)
        own = isinstance(value, Object) and not field.conversion and value.special("__format__")
        if own:
            return self.python.joined([(yield own.call(["".join(parts)], {}))])
        if isinstance(value, Object) and field.conversion != "r":
            value = yield self.text_of(value)
            self.graph.span = field.span
        elif field.conversion:
            value = self.python.written(value, quoted=field.conversion != "s")
        return self.python.formatted(value, "".join(parts))

    # --- functions and choices ---

    def _conditional(self, expression: syntax.Conditional) -> Visit:
        test = yield self.visit(expression.test)
        self.graph.span = expression.test.span
        chosen = expression.value if self.values.truth(test) else expression.otherwise
        return self.as_written(chosen, (yield self.visit(chosen)))

    def _naming(self, expression: syntax.Walrus) -> Visit:
        """`name := value`."""
        value = self.as_written(expression.value, (yield self.visit(expression.value)))
        frame = self.frame.of_body
        self.hold(frame.binder(expression.name), expression.name, value)
        return value

    def _lambda(self, expression: syntax.Lambda) -> Visit | Value:
        body = (syntax.Return(expression.value, expression.value.span),)
        definition = syntax.FunctionDefinition(
            "lambda", expression.parameters, body, (), expression.span
        )
        function = UserFunction(definition, self.frame, self.user_call)
        return self.with_defaults(function) if expression.parameters else function

    def with_defaults(self, function: UserFunction) -> Visit:
        """A function with the defaults of its parameters as they are where it is defined. What
        cannot be computed there is an error where a call needs it.
        """
        for parameter in function.definition.parameters:
            if parameter.default is not None:
                try:
                    value = yield self.visit(parameter.default)
                except GradcliError:
                    continue
                value = self.as_written(parameter.default, value)
                function.defaults[parameter.name] = value
        return function

    def user_call(
        self, function: UserFunction, arguments: list[Value], keywords: dict[str, Value]
    ) -> Visit:
        """The value of a call of the user's function."""
        raise NotImplementedError

    def hold(self, frame: Frame, name: str, value: Value) -> None:
        """Give a name of a frame a value; functions have a namespace of their own."""
        if isinstance(value, UserFunction):
            frame.functions[name] = value
        else:
            frame.values[name] = value

    def text_of(self, value: Value) -> Any:
        """What an object's `__str__` or `__repr__` gives, or the value itself."""
        raise NotImplementedError

    def note_texts(self, value: Value) -> Visit:
        """Ask the objects in a list, tuple or dictionary for their `__repr__`."""
        raise NotImplementedError

    def step(self, span: Span) -> None:
        """Count a step of a loop."""
        raise NotImplementedError

    def unpack(self, target: syntax.Target, value: Value) -> Visit:
        """Give the names of a tuple the parts of a value."""
        raise NotImplementedError

    def _comprehension(self, expression: syntax.Comprehension) -> Visit:
        """A list; its names are seen inside only."""
        outer = self.frame
        self.frame = Frame(outer)
        self.frame.of_comprehension = True
        items: list[Any] = []
        loops: list[Iterator[Value]] = []
        try:
            while True:
                if len(loops) == len(expression.clauses):
                    item = expression.item
                    if isinstance(item, syntax.Pair):
                        items.append((yield self._pair(item)))
                    else:
                        items.append((yield self.visit(item)))
                else:
                    clause = expression.clauses[len(loops)]
                    iterable = yield self.visit(clause.iterable)
                    iterable = self.as_written(clause.iterable, iterable)
                    self.graph.span = clause.iterable.span
                    loops.append(iter(self.values.elements(iterable)))
                while loops and not (yield self._next(expression, loops)):
                    loops.pop()
                if not loops:
                    if isinstance(expression.item, syntax.Pair):
                        return Dictionary(self.values, items)
                    is_generator = self.autograd.source.text[expression.span[0]] == "("
                    if is_generator and self.values.is_python:
                        from gradcli.trace.iterators import Remaining  # few cells come here

                        return Remaining(self.values, items)
                    return Items(items)
        finally:
            self.frame = outer

    def _next(self, expression: syntax.Comprehension, loops: list[Iterator[Value]]) -> Visit:
        """Bind the names of the innermost loop to its next values that pass its tests."""
        clause = expression.clauses[len(loops) - 1]
        for value in loops[-1]:
            self.step(clause.span)
            if isinstance(clause.target, syntax.Name):
                self.hold(self.frame, clause.target.id, value)
            else:
                yield self.unpack(clause.target, value)
            for test in clause.tests:
                found = yield self.visit(test)
                self.graph.span = test.span
                if not self.values.truth(found):
                    break
            else:
                return True
        return False

    # --- operators ---

    def _unary(self, expression: syntax.Unary) -> Visit | Value:
        operand: Any = self.at_once(expression.operand)
        return (self._signed if operand.__class__ is Node else self._turned)(expression, operand)

    def _turned(self, expression: syntax.Unary, operand: Visit | Value) -> Visit:
        return (yield self._signed(expression, (yield operand)))

    def _signed(self, expression: syntax.Unary, operand: Value) -> Visit | Value:
        """The value of an operator before a value, or the visitor that finds it."""
        self.graph.span = expression.span
        is_plain = self.values.is_pytorch and self.values.any_pass is None
        if expression.operator == "not" and (is_plain or not isinstance(operand, Node)):
            return self.graph.constant(not self.values.truth(operand))
        if isinstance(operand, Object):
            return operand.method(_UNARY_METHODS[expression.operator])([], {})  # type: ignore[no-any-return]
        node = self.values.tensor(operand, f"the operand of {expression.operator}")
        if expression.operator == "+":
            return node
        first = self.graph.count
        turned: Node = FUNCTIONS[UNARY[expression.operator]](node)
        turned = self.made(turned, first)
        if self.values.arrays:
            self.values.stay_arrays(turned, (node,))
        return turned

    def _binary(self, expression: syntax.Binary) -> Visit | Value:
        """The value of a row of operators, from the left; or the visitor that goes on with it where
        one side is not found at once.
        """
        row = [expression]
        if self.records:
            while type(row[-1].left) is syntax.Binary:
                row.append(row[-1].left)
        left = self.at_once(row[-1].left)
        while row:
            if left.__class__ is not Node or row[-1].operator in _SIDES_LATER:
                return self._sides(row, left)
            right = self.at_once(row[-1].right)
            if right.__class__ is not Node:
                return self._sides(row, left, right)
            left = self._of_sides(row.pop(), left, right)
        return left

    def _sides(self, row: list[syntax.Binary], left: Any, right: Any = None) -> Visit:
        """The value of a row, of which the last is the innermost; its right side may be begun."""
        left = yield left
        while row:
            expression = row.pop()
            if expression.operator in _SIDES_LATER:
                left = yield self._logical(expression, left)
            else:
                right = yield (self.visit(expression.right) if right is None else right)
                left = yield self._of_sides(expression, left, right)
            right = None
        return left

    def _of_sides(self, expression: syntax.Binary, left: Value, right: Value) -> Any:
        """The value of an operator between two values, or the visitor that finds it."""
        operator = expression.operator
        if left.__class__ is not Node and isinstance(left, str | Items | Object):
            right = self.as_written(expression.right, right)
        self.graph.span = expression.span
        if type(expression.left) is syntax.List and operator in _ON_LISTS:
            left, right = self._lists(operator, expression, left, right)
        elif operator == "*" and type(expression.right) is syntax.List and self._is_count(left):
            right = self.as_written(expression.right, right)
        if left.__class__ is not Node or right.__class__ is not Node:
            return self.operated(operator, left, right)
        if right.known is not None and operator in _DIVIDING:
            self._check_division(left, right)
        if left.kind != right.kind and self.values.is_python:
            left = self._beside(right, operator, left)
            right = self._beside(left, operator, right)
        elif left.kind == "bool" and operator in _COUNTING and self._are_truths(left, right):
            left = cast(left, "int")
        first = self.graph.count
        result = binary(self.values, operator, left, right)
        result = self.made(result, first, "matmul" if operator == "@" else "")
        if left.shape != right.shape:
            watch(self.autograd, result, (left, right))
        if self.values.arrays:
            if syntax.List in (type(expression.left), type(expression.right)):  # which is no tensor
                self.values.stay_arrays(result, (left, right))
            else:
                self.values.stay_tensors(result, left, right)
        return result

    def made(self, result: Any, first: int, product: str = "") -> Any:
        """A result, computed by nodes from index `first` on, as PyTorch has it. Raises `type` for a
        `product` of several dtypes.
        """
        dtypes = self.autograd.dtypes
        if dtypes is not None and isinstance(result, Node):
            if product:
                dtypes.check_product(product, result, first)
            result = dtypes.wrapped(result, first)
        if self.autograd.inferred is not None and isinstance(result, Node) and self.records:
            self.autograd.inferred.check_saved(result, first)
        return result

    def _check_division(self, left: Node, right: Node) -> None:
        """Raise `value` where Python's numbers are divided by 0."""
        if not self.values.is_python or right.shape or right.known.any():  # type: ignore[union-attr]
            return
        if left in self.special.numbers and right in self.special.numbers:
            raise GradcliError(
                "value", "division by zero", hint="torch.tensor(0.) divides as PyTorch does"
            )

    def _beside(self, other: Node, operator: str, node: Node) -> Node:
        """A whole number next to a tensor of integers as an integer, as it is in PyTorch."""
        return self.whole_beside(other, node) if operator in _ON_INTEGERS else node

    def whole_beside(self, other: Node, node: Node) -> Node:
        """The same next to an operand of any function that computes with integers."""
        if other.kind == "float" or node.kind != "float":
            return node
        if node.shape or node not in self.special.numbers:
            return node
        is_whole = self.values.number(node, "a number").is_integer()
        return cast(node, "int") if is_whole and self.special.numbers.is_integer(node) else node

    def _are_truths(self, left: Node, right: Node) -> bool:
        """Whether both are Python's truth values: these add up as the integers 0 and 1."""
        numbers = self.special.numbers
        return self.values.is_python and left in numbers and right in numbers

    def _lists(
        self, operator: str, expression: syntax.Binary, left: Value, right: Value
    ) -> tuple[Value, Value]:
        """Both sides as Python has them: `[0.0] * 3` and `[1, 2] + [3]` are lists."""
        if operator == "*" and isinstance(right, Node) and right.shape:
            return left, right
        return self.as_written(expression.left, left), self.as_written(expression.right, right)

    def operated(self, operator: str, left: Value, right: Value) -> Any:
        """The value of an operator on two values, or the visitor that finds it."""
        if operator in COMPARE:
            return self._compared(operator, left, right)
        if isinstance(left, Object) or isinstance(right, Object):
            name = METHODS.get(operator)
            if isinstance(left, Object) and (method := left.special(f"__{name}__")):
                return method.call([right], {})
            if isinstance(right, Object) and (method := right.special(f"__r{name}__")):
                return method.call([left], {})
        if operator == "*" and self._is_count_of(left, right):
            left, right = right, left
        if isinstance(left, str):
            return self._of_string(operator, left, right)
        if operator == "+" and isinstance(left, tuple) and isinstance(right, tuple):
            parts = (*left, *right)
            return Size(parts) if Size in (type(left), type(right)) else parts
        if operator == "+" and isinstance(left, Items) and isinstance(right, Items):
            return self._joined(left, right)
        if operator == "*" and isinstance(left, tuple) and isinstance(right, Node):
            count = max(0, self.values.integer(right, "how often a tuple is repeated"))
            self.graph.check_room(count * max(1, len(left)))
            parts = (*left,) * count
            return Size(parts) if type(left) is Size else parts
        if operator == "*" and isinstance(left, Items) and self.values.is_python:
            count = max(0, self.values.integer(right, "how often a list is repeated"))
            self.graph.check_room(count * max(1, len(left)))
            return Items(list(left) * count)
        result = binary(self.values, operator, left, right)
        watch(self.autograd, result, (left, right))
        self.values.stay_tensors(result, left, right)
        return result

    def _is_count_of(self, left: Value, right: Value) -> bool:
        """Whether it is `3 * "-"`, or of a list or tuple in a program that is Python's."""
        is_repeated = isinstance(right, str) or (
            self.values.is_python and isinstance(right, Items | tuple)
        )
        return is_repeated and self._is_count(left)

    def _is_count(self, value: Value) -> bool:
        """Whether it is a plain number."""
        return isinstance(value, Node) and value in self.special.numbers

    def _joined(self, left: Items, right: Items) -> Value:
        """Two lists one behind the other; lists of numbers are tensors in other programs than
        Python's.
        """
        if self.values.is_python or not left or not right:
            return Items([*left, *right])
        return binary(self.values, "+", left, right)

    def _of_string(self, operator: str, left: str, right: Value) -> Value:
        """`'…' % x` and `'…' + '…'`."""
        if operator == "%":
            return self.python.percent(left, right)
        if operator == "+" and isinstance(right, str):
            return self.python.joined([left, right])
        if operator == "*":
            count = max(0, self.values.integer(right, "how often a string is repeated"))
            self.graph.ledger.take(4 * len(left) * count, "a string")
            return left * count
        return binary(self.values, operator, left, right)

    def _logical(self, expression: syntax.Binary, left: Value) -> Visit:
        """`and`, `or`: elementwise; a single value on the left may decide alone."""
        conjunction = expression.operator == "and"
        self.graph.span = expression.span
        if not isinstance(left, Node) or self._is_python_number(left):
            if self.values.truth(left) != conjunction:
                return left
            return self.as_written(expression.right, (yield self.visit(expression.right)))
        single = left.size == 1
        if single and self.values.truth(left) != conjunction:
            return self.graph.constant(not conjunction)
        right = yield self.visit(expression.right)
        self.graph.span = expression.span
        name = "logical_and" if conjunction else "logical_or"
        return FUNCTIONS[name](boolean(self.values, left), boolean(self.values, right))

    def _is_python_number(self, node: Node) -> bool:
        """Whether a value is a number of Python's that is no truth value."""
        return self.values.is_python and node.kind != "bool" and node in self.special.numbers

    def _compare(self, expression: syntax.Compare) -> Visit:
        left = yield self.visit(expression.operands[0])
        if type(expression.operands[0]) is syntax.List:
            left = self.as_written(expression.operands[0], left)
        result: Node | None = None
        for operator, operand in zip(expression.operators, expression.operands[1:], strict=True):
            right = yield self.visit(operand)
            if isinstance(left, Items | Object):
                right = self.as_written(operand, right)
            self.graph.span = expression.span
            part = yield self._compared(operator, left, right)
            watch(self.autograd, part, (left, right))
            if self.values.arrays:
                self.values.stay_tensors(part, left, right)
            result = part if result is None else FUNCTIONS["logical_and"](result, part)
            left = right
        return result

    def _compared(self, operator: str, left: Value, right: Value) -> Any:
        """The value of one comparison, or the visitor that finds it."""
        if operator in ("in", "not in"):
            found = contains(self.values, right, left)
            return self.graph.constant(found == (operator == "in"))
        if operator in ("is", "is not"):
            return identity(self.values, operator, left, right)
        if isinstance(left, Object):
            method = left.special(f"__{METHODS[operator]}__")
            if method is not None:
                return method.call([right], {})
        is_unequal = operator == "!="
        if is_unequal and any(isinstance(e, Object) and e.special("__eq__") for e in (left, right)):
            return self._unequal(left, right)
        if isinstance(right, Object):
            method = right.special(f"__{METHODS[_TURNED.get(operator, operator)]}__")
            if method is not None:
                return method.call([left], {})
        return comparison(self.values, operator, left, right)

    def _unequal(self, left: Value, right: Value) -> Visit:
        """The opposite of what `__eq__` says."""
        equal = yield self._compared("==", left, right)
        return self.graph.constant(not self.values.truth(equal))

    # --- indexing and attributes ---

    def _index(self, expression: syntax.Index) -> Visit:
        value = yield self.visit(expression.value)
        if type(expression.value) is syntax.List:
            value = self.as_written(expression.value, value)
        items = yield self.subscripts(expression)
        self.graph.span = expression.span
        return (yield self.element(value, items))

    def element(self, owner: Value, items: list[Any]) -> Any:
        """`owner[items]`, or the visitor that finds it."""
        if isinstance(owner, Object):
            found = owner.item(items)
            if found is not None:
                return found
            owner = owner.elements()
        found = self.values.subscript(owner, items)
        if type(owner) is Size and type(found) is tuple:
            found = Size(found)
        if self.values.arrays:
            self.values.stay_arrays(found, (owner,))
            if isinstance(found, Node) and not found.shape and found in self.values.arrays:
                self.values.copies.add(found)  # a number of NumPy's is no view
        return found

    def subscripts(self, expression: syntax.Index) -> Visit:
        """What stands in brackets: values, slices and `...`; a tuple is several."""
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
                if isinstance(item, syntax.List) and _has_lists(item):
                    found = self.as_written(item, found)
                several = found if isinstance(found, tuple) else (found,)
                items += [getattr(each, "bounds", each) for each in several]  # of slice(0, 3)
        return items

    def _attribute(self, expression: syntax.Attribute) -> Visit:
        owner, name = expression.value, expression.name
        if name in CONSTANTS and is_module(owner, self.frame):
            return self.graph.constant(CONSTANTS[name])
        path = path_of(expression)
        if path is not None and path[0] not in self.frame:
            self.graph.span = expression.span
            found = self.function_value(expression)
            from gradcli.trace.imports import is_none

            if found is not None or is_none(path, self.frame.imports):
                return found
        value = yield self.visit(owner)
        self.graph.span = expression.span
        attribute: Any = self.attribute_of(value, expression)
        return (yield attribute) if type(attribute) is GeneratorType else attribute

    def dtype_of(self, node: Node) -> str:
        """The name of a tensor's dtype, or of an array's."""
        name = self.autograd.dtype_of(node)
        return name if node in self.values.arrays else Unquoted(f"torch.{name}")

    def bound_method(self, owner: Value, name: str) -> BuiltIn | None:
        """A method as a value: `f = x.sum`; None where there is none of that name."""
        raise NotImplementedError

    def attribute_of(self, value: Value, expression: syntax.Attribute) -> Value:
        name = expression.name
        if isinstance(value, Node):
            if name in _TURNS:
                oldest = self.graph.count
                turned: Node = self.values.new(FUNCTIONS[_TURNS[name]](value), oldest)
                self.values.stay_arrays(turned, (value,))
                return turned
            if name in _PROPERTIES:
                return _PROPERTIES[name](self, value)
        if isinstance(value, Object):
            self.graph.span = expression.name_span
            found: Value = attribute_or_method(value, name)
            return found
        if isinstance(value, Items) and name in ATTRIBUTES:
            return self.attribute_of(self.values.tensor(value), expression)
        fields: tuple[str, ...] = getattr(value, "_fields", ())
        if fields and name == "_fields":
            return fields
        if name in fields:
            return getattr(value, name)  # type: ignore[no-any-return]
        if self.values.is_python and not fields:
            from gradcli.trace import tensor_attributes

            more = tensor_attributes.found(self.autograd, value, name)
            if more is not tensor_attributes.NOTHING:
                return more  # type: ignore[no-any-return]
        bound = self.bound_method(value, name)
        if bound is not None:
            return bound
        raise self.has_no_attribute(value, expression)

    def has_no_attribute(self, value: Value, expression: syntax.Attribute) -> GradcliError:
        """The error for an attribute that there is not."""
        name = expression.name
        known = getattr(value, "_fields", ()) or ATTRIBUTES
        guess = nearest(name, known)
        if value is None:
            hint = NO_GRAD_YET
        elif name in FUNCTIONS:
            hint = f"{name} is a method: call it as .{name}(…)"
        else:
            hint = f"did you mean .{guess}?" if guess else f"there are .{', .'.join(known)}"
        self.graph.span = expression.name_span
        return GradcliError("name", f"{describe(value)} has no attribute {name!r}", hint=hint)


def _has_lists(written: syntax.List) -> bool:
    return bool(written.items) and isinstance(written.items[0], syntax.List)


def _grad_fn(expressions: Expressions, node: Node) -> Value:
    """Which node of PyTorch's graph made it, if any."""
    if expressions.autograd.is_leaf(node):
        return None
    from gradcli.trace.graph_nodes import graph_node

    return graph_node(expressions.autograd, node)


def _data(expressions: Expressions, node: Node) -> Value:
    """The tensor's elements, which may change without backward's knowing."""
    found = detach(node)
    expressions.values.data.add(found)
    return found


_TURNS = {"T": "t", "H": "t", "mT": "matrix_transpose", "mH": "matrix_transpose"}
"""Attributes that are a tensor transposed, and the functions that do it: all numbers are real."""
_UNARY_METHODS = {"-": "__neg__", "+": "__pos__", "~": "__invert__", "not": "__bool__"}
_PROPERTIES: dict[str, Callable[[Expressions, Node], Value]] = {
    "shape": lambda tracer, node: tracer.special.shape(node),
    "ndim": lambda tracer, node: tracer.graph.constant(float(node.ndim)),
    "data": _data,
    "grad": lambda tracer, node: tracer.autograd.grad_of(node),
    "requires_grad": lambda tracer, node: tracer.graph.constant(
        tracer.autograd.requires_grad(node)
    ),
    "is_leaf": lambda tracer, node: tracer.graph.constant(
        tracer.autograd.is_leaf(node) or not tracer.autograd.requires_grad(node)
    ),
    "grad_fn": _grad_fn,
    "dtype": lambda tracer, node: tracer.dtype_of(node),
    "device": lambda tracer, node: Device("cpu"),
}
"""What is known of a tensor, by attribute."""
ATTRIBUTES = ("T", "mT", *_PROPERTIES)
"""Attributes of lists that stand for tensors."""
