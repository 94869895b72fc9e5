"""Operators: what stands on both sides, and what they make of it."""

from __future__ import annotations

from typing import Any

from gradcli.diagnostics import GradcliError
from gradcli.graph import Node, Op
from gradcli.language import syntax
from gradcli.ops import FUNCTIONS
from gradcli.ops.arithmetic import add, div, mul, sub
from gradcli.ops.kinds import cast
from gradcli.trace.dictionaries import DictionaryView
from gradcli.trace.growth import watch
from gradcli.trace.items import Items
from gradcli.trace.objects import Object
from gradcli.trace.operators import (
    BINARY,
    BITS,
    COMPARE,
    METHODS,
    SHIFTS,
    UNARY,
    binary,
    boolean,
    comparison,
    contains,
    has_no_order,
    identity,
)
from gradcli.trace.special import Size
from gradcli.trace.values import Value
from gradcli.trace.visits import Visit, Visits

_ON_INTEGERS = ("+", "-", "*", "//", "%", "**")
"""Operators that make integers of integers."""
_CHECKED = ("-", "**")
"""Operators that PyTorch does not have for all integers and truth values."""
_COUNTING = ("+", "-", "*")
"""Operators that take Python's truth values as the integers 0 and 1."""
_PARTIAL = ("/", "//", "%", "**")
"""Operators that Python has no result of for some numbers."""
_TURNED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
"""What the right side is asked of a comparison that the left one does not know."""
_PLAIN: dict[str, Op | None] = {"+": add.op, "-": sub.op, "*": mul.op, "/": div.op}
"""Operators that are one op between tensors of floats."""
_SIDES_LATER = ("and", "or")
"""Operators whose right side may not be needed."""
_UNARY_METHODS = {"-": "__neg__", "+": "__pos__", "~": "__invert__", "not": "__bool__"}


class Operations(Visits):
    """Evaluates operators; `Expressions` adds what they stand between."""

    def unary(self, expression: syntax.Unary) -> Visit | Value:
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
        operand = self.as_written(expression.operand, operand)
        if self.values.is_python and isinstance(operand, Items | tuple | str):
            from gradcli.trace.kinds_of_values import kind_of
            from gradcli.trace.refusals import no_sign

            raise no_sign(expression.operator, kind_of(operand, self.special.numbers))
        node = self.values.tensor(operand, f"the operand of {expression.operator}")
        if expression.operator == "+":
            return node
        if expression.operator == "~" and self.values.is_python and node in self.special.numbers:
            return self.graph.constant(~self.values.integer(node, "the operand of ~"))
        if node.kind == "bool" and self.values.is_pytorch:
            self._check_operands(expression.operator, node)
        first = self.graph.count
        turned: Node = FUNCTIONS[UNARY[expression.operator]](node)
        turned = self.made(turned, first)
        if self.values.arrays:
            self.values.stay_arrays(turned, (node,))
        return turned

    def binary(self, expression: syntax.Binary) -> Visit | Value:
        """The value of a row of operators, from the left; or the visitor that goes on with it where
        one side is not found at once.
        """
        row = [expression]
        if self.records:
            while type(row[-1].left) is syntax.Binary:
                row.append(row[-1].left)
        at_once, of_sides = self.at_once, self._of_sides
        left = at_once(row[-1].left)
        while row:
            expression = row[-1]
            if left.__class__ is not Node or expression.operator in _SIDES_LATER:
                return self._sides(row, left)
            right = at_once(expression.right)
            if right.__class__ is not Node:
                return self._sides(row, left, right)
            row.pop()
            left = of_sides(expression, left, right)
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

    def _of_sides(self, expression: syntax.Binary, left: Any, right: Any) -> Any:
        """The value of an operator between two values, or the visitor that finds it."""
        op = _PLAIN.get(expression.operator)
        if op is None or not self._are_plain(left, right):
            return self._of_any_sides(expression, left, right)
        self.graph.span = expression.span
        return self.graph.apply(op, (left, right))

    def _are_plain(self, left: Any, right: Any) -> bool:
        """Whether two values are tensors of floats of one shape, and nothing more is known of any
        tensor.
        """
        if left.__class__ is not Node or right.__class__ is not Node:
            return False
        if left.kind != "float" or right.kind != "float" or left.shape != right.shape:
            return False
        values, autograd = self.values, self.autograd
        is_known = values.is_python or values.is_pytorch or values.arrays
        return not is_known and autograd.dtypes is None and autograd.inferred is None

    def _of_any_sides(self, expression: syntax.Binary, left: Value, right: Value) -> Any:
        """The same where there may be more to it than one op."""
        operator = expression.operator
        if left.__class__ is not Node and isinstance(left, str | Items | Object):
            right = self.as_written(expression.right, right)
        self.graph.span = expression.span
        if syntax.List in (type(expression.left), type(expression.right)):
            left = self.as_written(expression.left, left)
            right = self.as_written(expression.right, right)
        if left.__class__ is not Node or right.__class__ is not Node:
            return self.operated(operator, left, right)
        if operator in _PARTIAL and self.values.is_python:
            self._check_division(operator, left, right)
            if operator == "**" and self._is_complex_power(left, right):
                return self.power_of_numbers(left, right)
        if left.kind != right.kind and self.values.is_python:
            left, right = self._with_rows(expression, left, right)
        if left.kind != "float" or right.kind != "float":
            left, right = self._as_integers(operator, left, right)
        if self.values.is_pytorch:
            left, right = self._as_in_pytorch(expression, left, right)
        first = self.graph.count
        result = self.combined(operator, left, right)
        result = self.made(result, first, "matmul" if operator == "@" else "")
        if operator != "@" and result.shape not in (left.shape, right.shape):
            watch(self.autograd, result, (left, right))
        if self.values.arrays:
            if syntax.List in (type(expression.left), type(expression.right)):  # which is no tensor
                self.values.stay_arrays(result, (left, right))
            else:
                self.special.numbers.stay_arrays(result, (left, right))
        return result

    def _with_rows(self, expression: syntax.Binary, left: Node, right: Node) -> tuple[Node, Node]:
        """Both sides, a list of whole numbers next to an array of integers as one, too."""
        if left in self.values.arrays:
            return left, self.whole_row(expression.right, right)
        if right in self.values.arrays:
            return self.whole_row(expression.left, left), right
        return left, right

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

    def in_half(self, result: Any) -> Any:
        """What a function of the library gives, rounded where it has 16 bits."""
        dtypes = self.autograd.dtypes
        if dtypes is None or not dtypes.has_halves or not isinstance(result, Node):
            return result
        return dtypes.in_half(result) if result.kind == "float" else result

    def _check_operands(self, operator: str, *operands: Node) -> None:
        """Raise `type` for integers and truth values that an operator of PyTorch does not take."""
        if any(each.kind != "float" for each in operands):
            from gradcli.trace.refusals import check_operands

            names = UNARY if len(operands) == 1 else BINARY
            check_operands(self.values, names[operator], *operands)

    def _check_division(self, operator: str, left: Node, right: Node) -> None:
        """Raise `value` where 0 divides a number of Python's, or has a power below 0."""
        numbers = self.special.numbers
        if left not in numbers or right not in numbers:
            return
        if left in self.values.arrays or right in self.values.arrays:
            return  # a number of NumPy's, which has inf and NaN there
        base, power = (left, right) if operator == "**" else (right, None)
        if (power is None or self._is("lt", power)) and self._is("eq", base):
            from gradcli.trace.refusals import division_by_zero

            whole = all(map(numbers.is_integer, (left, right)))
            raise division_by_zero(operator, whole)
        if operator == "**" and left.known is not None and right.known is not None:
            from gradcli.trace.refusals import check_power

            whole = all(map(numbers.is_integer, (left, right)))
            check_power(float(left.known), float(right.known), whole=whole)

    def power_of_numbers(self, base: Node, power: Node) -> Value:
        """`base ** power` of two numbers of Python's."""
        self._check_division("**", base, power)
        if self._is_complex_power(base, power):
            return self.complex_number(
                self.values.number(base, "a number") ** self.values.number(power, "a number")
            )
        return self.combined("**", base, power)

    def _is_complex_power(self, base: Node, power: Node) -> bool:
        """Whether Python has a complex number for a power: a broken one of a number below 0."""
        if not (self.values.plain_kind(base) and self.values.plain_kind(power)):
            return False
        if power.known is not None and float(power.known).is_integer():
            return False
        return self._is("lt", base) and not self.values.number(power, "a power").is_integer()

    def _is(self, comparison: str, number: Node) -> bool:
        """Whether a number of Python's is below 0, or is 0: in all passes, where one stands for
        others.
        """
        if number.known is None and self.values.any_pass is not None:
            zero = self.values.graph.constant(0.0)
            return self.values.truth(FUNCTIONS[comparison](number, zero))
        found = float(
            self.values.number(number, "a number") if number.known is None else number.known
        )
        return found < 0 if comparison == "lt" else found == 0

    def _as_integers(self, operator: str, left: Node, right: Node) -> tuple[Node, Node]:
        """Two operands, as integers where PyTorch or Python computes with these."""
        if left.kind != right.kind and self.values.is_python:
            left = self._beside(right, operator, left)
            right = self._beside(left, operator, right)
        elif left.kind == "bool" and operator in _COUNTING and self._are_truths(left, right):
            left = cast(left, "int")
        return left, right

    def _beside(self, other: Node, operator: str, node: Node) -> Node:
        """A whole number next to a tensor of integers as an integer, as it is in PyTorch."""
        return self.whole_beside(other, node) if operator in _ON_INTEGERS else node

    def whole_row(self, written: syntax.Expression, value: Node) -> Node:
        """A value next to an array of NumPy's: a list of integers as an array of these."""
        raise NotImplementedError

    def row_of(self, value: Value) -> Value:
        """A list or tuple of integers as an array of these."""
        raise NotImplementedError

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

    def operated(self, operator: str, left: Value, right: Value) -> Any:
        """The value of an operator on two values, or the visitor that finds it."""
        if operator in COMPARE:
            return self._compared(operator, left, right)
        own = self._own_operator(operator, left, right)
        if own is not None:
            method, other = own
            return method.call([other], {})
        if self.values.arrays:
            left, right = self._row_beside(left, right), self._row_beside(right, left)
        if operator == "*" and self._is_count_of(left, right):
            left, right = right, left
        if isinstance(left, str):
            return self._of_string(operator, left, right)
        if operator == "+" and isinstance(left, tuple) and isinstance(right, tuple):
            parts = (*left, *right)
            return Size(parts) if Size in (type(left), type(right)) else parts
        if operator == "+" and isinstance(left, Items) and isinstance(right, Items):
            return self._joined(left, right)
        is_count = isinstance(right, Node) and not (right.shape and right in self.values.arrays)
        if operator == "*" and is_count and self._is_repeated(left):
            return self._repeated(left, right)  # type: ignore[arg-type]
        if left.__class__ is Node and right.__class__ is Node:
            left, right = self._as_integers(operator, left, right)
        self._check_sides(operator, left, right)
        result = self.combined(operator, left, right)
        watch(self.autograd, result, (left, right))
        self.special.numbers.stay_arrays(result, (left, right))
        return result

    def _own_operator(
        self, operator: str, left: Value, right: Value
    ) -> tuple[Object, Value] | None:
        """The method of an object that an operator calls, and what it is given; else None."""
        if isinstance(left, DictionaryView) and operator in ("-", "&", "|", "^"):
            left = left.as_set(self.values)
        name = METHODS.get(operator)
        if isinstance(left, Object) and (method := left.special(f"__{name}__")):
            return method, right
        if isinstance(right, Object) and (method := right.special(f"__r{name}__")):
            return method, left
        return None

    def combined(self, operator: str, left: Value, right: Value) -> Node:
        """The value of an arithmetic operator between tensors and numbers."""
        dtypes = self.autograd.dtypes
        if operator == "@" and dtypes is not None:
            if dtypes.autocast:
                return self.function_call("matmul", [left, right], {})  # type: ignore[no-any-return]
            dtypes.check_factors("matmul", left, right)
        if operator in BITS:
            if self._is_count(left) and self._is_count(right) and self.values.is_python:
                return self._of_bits(operator, left, right)  # type: ignore[arg-type]
            if operator in SHIFTS and not self.values.is_python:
                raise GradcliError(
                    "type", f"{operator} is for the integers of cells that import torch or numpy",
                    hint=f"write {'x * 2**n' if operator == '<<' else 'x // 2**n'}",
                )  # fmt: skip
            if operator in SHIFTS:
                return self.function_call(SHIFTS[operator], [left, right], {})  # type: ignore[no-any-return]
        return binary(self.values, operator, left, right)

    def complex_number(self, number: complex) -> Value:
        """A complex number of Python's as a value."""
        raise NotImplementedError

    def function_call(
        self, name: str, arguments: list[Value], keywords: dict[str, Value]
    ) -> Any:  # fmt: skip
        """The value of a call of a function that is not the program's own."""
        raise NotImplementedError

    def _of_bits(self, operator: str, left: Node, right: Node) -> Node:
        """The value of an operator on bits between numbers of Python's, or of NumPy's."""
        arrays = self.values.arrays
        are_truths = left.kind == right.kind == "bool" and operator not in SHIFTS
        if are_truths or left in arrays or right in arrays:
            return binary(self.values, operator, left, right)
        from gradcli.trace.bits import of_numbers  # few programs have them

        return of_numbers(self.values, self.special.numbers, operator, left, right)

    def _row_beside(self, value: Value, other: Value) -> Value:
        """A list or tuple next to an array of NumPy's as an array."""
        is_row = isinstance(value, Items | tuple) and isinstance(other, Node) and bool(other.shape)
        return self.row_of(value) if is_row and other in self.values.arrays else value

    def _is_repeated(self, value: Value) -> bool:
        """Whether `value * 3` is a longer one: lists of numbers are tensors in other programs."""
        return isinstance(value, tuple) or (isinstance(value, Items) and self.values.is_python)

    def _repeated(self, value: Any, times: Node) -> Value:
        kind = "tuple" if isinstance(value, tuple) else "list"
        count = max(0, self.values.place(times, f"how often a {kind} is repeated"))
        self.graph.check_room(count * max(1, len(value)))
        if kind == "list":
            return Items(list(value) * count)
        parts = (*value,) * count
        return Size(parts) if type(value) is Size else parts

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
            count = max(0, self.values.place(right, "how often a string is repeated"))
            self.graph.ledger.take(4 * len(left) * count, "a string")
            return left * count
        self._check_sides(operator, left, right)
        return binary(self.values, operator, left, right)

    def _as_in_pytorch(
        self, expression: syntax.Binary, left: Node, right: Node
    ) -> tuple[Node, Node]:
        """The two operands; a tensor next to an array as NumPy has it. Raises `type` for integers
        and truth values that an operator does not take there, and for a list next to a tensor,
        which is no tensor there.
        """
        values = self.values
        if expression.operator in _CHECKED:
            self._check_operands(expression.operator, left, right)
        for side, node, other in (
            (expression.left, left, right), (expression.right, right, left)
        ):  # fmt: skip
            is_list = type(side) is syntax.List or node in values.number_lists
            if is_list and values.is_tensor(other):
                self._check_sides(expression.operator, *(
                    Items([]) if each is node else each for each in (left, right)
                ))  # fmt: skip
        if not values.arrays:
            return left, right
        from gradcli.trace.numpy_of_tensors import beside_array

        return beside_array(self.autograd, expression.operator, left, right)

    def _check_sides(self, operator: str, left: Value, right: Value) -> None:
        """Raise `type` for values that Python has no such operator for."""
        sides = (left, right)
        nodes = [each for each in sides if isinstance(each, Node)]
        is_known = len(nodes) == len(sides) or not self.values.arrays.isdisjoint(nodes)
        if self.values.is_python and not is_known:
            from gradcli.trace.kinds_of_values import kind_of
            from gradcli.trace.refusals import no_operator

            raise no_operator(operator, *(kind_of(each, self.special.numbers) for each in sides))

    def _logical(self, expression: syntax.Binary, left: Value) -> Visit:
        """`and`, `or`: elementwise; a single value on the left may decide alone."""
        conjunction = expression.operator == "and"
        self.graph.span = expression.span
        is_plain = self.values.is_pytorch and self.values.any_pass is None
        if not isinstance(left, Node) or is_plain or self._is_python_number(left):
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

    def compare(self, expression: syntax.Compare) -> Visit:
        left = yield self.visit(expression.operands[0])
        if type(expression.operands[0]) is syntax.List:
            left = self.as_written(expression.operands[0], left)
        result: Node | None = None
        for operator, operand in zip(expression.operators, expression.operands[1:], strict=True):
            right = yield self.visit(operand)
            if isinstance(left, Items | Object | tuple) or left in self.values.arrays:
                right = self.as_written(operand, right)
            self.graph.span = expression.span
            part = yield self._compared(operator, left, right)
            watch(self.autograd, part, (left, right))
            self.special.numbers.stay_arrays(part, (left, right))
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
        if self.values.arrays:
            left, right = self._row_beside(left, right), self._row_beside(right, left)
            if self.values.is_pytorch and isinstance(left, Node) and isinstance(right, Node):
                from gradcli.trace.numpy_of_tensors import check_order

                check_order(self.autograd, operator, left, right)
        if has_no_order(self.values, operator, left, right):
            from gradcli.trace.kinds_of_values import kind_of
            from gradcli.trace.refusals import no_order

            raise no_order(operator, *(kind_of(e, self.special.numbers) for e in (left, right)))
        return comparison(self.values, operator, left, right)

    def _unequal(self, left: Value, right: Value) -> Visit:
        """The opposite of what `__eq__` says."""
        equal = yield self._compared("==", left, right)
        return self.graph.constant(not self.values.truth(equal))
