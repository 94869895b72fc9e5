"""Python's own functions of numbers and lists, where PyTorch has others of the same names."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from gradcli.diagnostics import RefusedError
from gradcli.graph import EMPTY, SINGLE, Node
from gradcli.ops import FUNCTIONS
from gradcli.trace.arguments import bind_names
from gradcli.trace.expressions import Expressions
from gradcli.trace.items import Items
from gradcli.trace.iterators import Remaining
from gradcli.trace.objects import Object, plain_value
from gradcli.trace.printing import as_single
from gradcli.trace.special import ON_NUMBERS
from gradcli.trace.subscripts import subscript
from gradcli.trace.values import Value
from gradcli.trace.visits import Visit

if TYPE_CHECKING:
    from gradcli.trace.library import Library

_PLAIN = frozenset(("float", "int", "bool"))
"""Functions of Python that make a number of a tensor."""
LIKE_PYTHONS = _PLAIN | {"all", "any", "pow", "round", "sum", *ON_NUMBERS}
"""Functions that are also Python's, and may then do something else."""
_OF_ROWS = frozenset(("sum", "max", "min"))
"""Python's functions that take a row where they are given one argument."""
_LOOKING = frozenset(("all", "any", "sum", *ON_NUMBERS))
"""Those that look at the elements of what can be looped over."""
_ORDER = frozenset(("key", "default"))
ROWS = 64
"""Of more rows the sum is one node: to add one after another takes a node for each."""
_COLLECTIONS = (tuple, str, range, Object)
"""Of these Python's `max` and `min` are meant."""


def no_integer(name: str, number: float) -> RefusedError:
    """The error for a number that is not finite, and for which an integer is wanted."""
    words = ("ValueError", "cannot convert float NaN to integer")
    if not math.isnan(number):
        words = ("OverflowError", "cannot convert float infinity to integer")
    return RefusedError(words, "value", f"{name} of {number}", hint="math.isfinite(x) tells")


class PythonCalls(Expressions):
    """Calls of names without a module before them; `Calls` has all others."""

    @property
    def library(self) -> Library:
        """What can be called besides the op table."""
        raise NotImplementedError

    def function_call(
        self, name: str, arguments: list[Value], keywords: dict[str, Value]
    ) -> Visit | Value:
        """The value of a call of a function that is not the program's own."""
        raise NotImplementedError

    def named_call(
        self, name: str, arguments: list[Value], keywords: dict[str, Value]
    ) -> Visit | Value:
        """The value of a call without a module before the name: of Python's function where all is
        Python's.
        """
        if name not in LIKE_PYTHONS:
            return self.function_call(name, arguments, keywords)
        arguments = self._looked_through(name, arguments)
        only = arguments[0] if len(arguments) == 1 else None
        if name in _OF_ROWS and self.values.is_python:
            self._check_row(name, only, keywords)
        if name in _PLAIN:
            converted = self._converted(name, [*arguments, *keywords.values()])
            if converted is not None:
                return converted
        if name in ("all", "any") and (truth := self._truth_of(name, only)) is not None:
            return truth
        if name == "round" and self.values.is_python:
            rounded = self._rounded(list(map(plain_value, arguments)), keywords)
            if rounded is not None:
                return rounded
        if name == "pow" and self.values.is_python:
            power = self._power(arguments, keywords)
            if power is not None:
                return power
        if name in ON_NUMBERS:
            return self._largest_or_least(name, arguments, keywords)
        if name == "sum" and not keywords and self._is_python_sum(arguments):
            return self._sum(arguments)
        return self.function_call(name, arguments, keywords)

    def _check_row(self, name: str, only: Value, keywords: Mapping[str, Value]) -> None:
        """Raise Python's errors for a number in the place of a row, and for a row of nothing."""
        kind = self.values.plain_kind(only)
        if kind:
            raise RefusedError(
                ("TypeError", f"'{kind}' object is not iterable"), "type",
                f"{name} of one argument is for a row of numbers", hint=f"{name}([…])",
            )  # fmt: skip
        is_empty = isinstance(only, Items) and not len(only)
        if is_empty and name != "sum" and "default" not in keywords:
            raise RefusedError(
                ("ValueError", f"{name}() arg is an empty sequence"), "value",
                f"{name}: there are no elements", hint="default=0",
            )  # fmt: skip

    def _largest_or_least(
        self, name: str, arguments: list[Value], keywords: dict[str, Value]
    ) -> Visit | Value:
        """`max` or `min`: Python's, or that of the op table."""
        only = arguments[0] if len(arguments) == 1 else None
        if (
            keywords.keys() & _ORDER
            or isinstance(only, _COLLECTIONS)
            or self._are_rows(arguments)
            or self._is_with_number(arguments)
        ):
            visit: Visit = self.library.objects.functions[f"builtins.{name}"](arguments, keywords)
            return visit
        found = None if keywords else self.python.of_numbers(name, arguments)
        if found is not None:
            return found
        if self.values.is_pytorch and not keywords and isinstance(only, Node) and only.ndim:
            if only.size == only.shape[0]:  # of rows of one element each, these are compared
                return self._extreme(name, only)
            if only.shape[0] == 1:
                return self.values.rows(only)[0]
            if only.shape[0]:
                first, second, *_ = self.values.rows(only)
                self.values.truth(FUNCTIONS["gt"](first, second))  # raises: they have no order
        return self.function_call(name, arguments, keywords)

    def _looked_through(self, name: str, arguments: list[Value]) -> list[Value]:
        """The arguments of a function that looks at elements, those of an object as a list."""
        first = arguments[0] if arguments else None
        if not isinstance(first, Object) or (name in ON_NUMBERS and len(arguments) > 1):
            return arguments
        is_once = isinstance(first, Remaining)  # which is read once
        if is_once and name in ("all", "any", "bool"):  # not more of it than decides
            return arguments
        if is_once or (name in _LOOKING and (first.is_row or first.special("__iter__"))):
            return [Items(self.values.elements(first)), *arguments[1:]]
        return arguments

    def _is_with_number(self, arguments: Sequence[Value]) -> bool:
        """Whether it is `max(x, 0)` of tensors or arrays of one element, and of numbers: Python's,
        where torch.max has an axis.
        """
        nodes = [each for each in arguments if isinstance(each, Node) and each.size == 1]
        if len(arguments) < 2 or len(nodes) < len(arguments):
            return False
        others = [each for each in nodes if each not in self.special.numbers]
        is_known = self.values.is_pytorch or not self.values.arrays.isdisjoint(others)
        return is_known and 0 < len(others) < len(nodes)

    def _converted(self, name: str, arguments: Sequence[Value]) -> Value:
        """`int()`, `float('inf')`, `bool(xs)`: None where the op table's function is meant."""
        only = arguments[0] if arguments else None
        if len(arguments) > 1:
            is_text = name == "int" and isinstance(only, str)
            base = self.values.integer(arguments[1], "base") if is_text else 0
            return self.python.whole(str(only), base) if is_text else None
        if not arguments:
            return self.graph.constant(False) if name == "bool" else self.python.number("0", name)
        if isinstance(only, Object) and (method := only.special(f"__{name}__")) is not None:
            return method.call([], {})  # type: ignore[no-any-return]
        if name != "bool" and isinstance(only, str):
            return self.python.number(only, name)
        if self.values.is_python and name != "bool":
            self._check_convertible(name, only)
        if isinstance(only, Node) and self.values.is_python:
            return self._plain_number(name, only)
        if name == "bool" and not isinstance(only, Node):
            return self.graph.constant(self.values.truth(only))
        return None

    def _check_convertible(self, name: str, value: Value) -> None:
        """Raise `type` for lists and other values that Python makes no number of."""
        if isinstance(value, Node) and not value.shape:
            return
        from gradcli.trace.wrong_arguments import class_of  # it is a mistake mostly

        kind = class_of(self.values, value)
        if kind not in ("list", "tuple", "NoneType"):
            return
        text = "a string, a bytes-like object or a real number"
        wanted = text if name == "int" else "a string or a real number"
        said = f"{name}() argument must be {wanted}, not '{kind}'"
        raise RefusedError(("TypeError", said), "type", f"{name} of a {kind} is no number",
                           hint=f"[{name}(each) for each in row] converts each")  # fmt: skip

    def _sum(self, arguments: list[Value]) -> Visit | Value:
        """Python's sum of a list, or of the rows of a tensor."""
        rows, *start = arguments
        if isinstance(rows, Node) and rows.shape[0] > ROWS:
            total = FUNCTIONS["sum"].build(rows, 0)
            self.values.made_by[total] = "add", (rows,), EMPTY
            self.special.numbers.stay_arrays(total, (rows,))
            return self.python.sum([Items([total]), *start])
        if any(isinstance(e, Object | Items) for e in self.values.elements(arguments[0])):
            return self._sum_of_objects(arguments)
        return self.python.sum(arguments)

    def _extreme(self, name: str, row: Node) -> Node:
        """`max(x)`: the first of the elements that are the largest."""
        place = FUNCTIONS[f"arg{name}"].build(row)  # of all elements
        found = self.values.tensor(subscript(self.values, row, [place]))
        self.values.made_by[found] = "unbind", (row,), EMPTY
        self.special.numbers.stay_arrays(found, (row,))
        return found

    def _sum_of_objects(self, arguments: Sequence[Value]) -> Visit:
        """The same where the program's own `__add__` adds."""
        items, *start = arguments
        total: Value = start[0] if start else self.values.plain(0)
        for each in self.values.elements(items):
            total = yield self.operated("+", total, each)
        return total

    def _plain_number(self, name: str, node: Node) -> Node:
        """`float(x)`, `int(x)`, `bool(x)`: a number, from which no gradient flows back."""
        if name == "bool":
            return self.graph.constant(self.values.truth(node))
        self.values.check_look(node, "item")
        number = self.values.number(node, f"what {name} converts")
        if name == "int" and not math.isfinite(number):
            raise no_integer("int", number)
        if name == "int":
            return self.values.plain(int(number))
        is_number = node in self.special.numbers
        single = node.attributes == SINGLE if is_number else self.values.is_single(node)
        return self.values.plain(as_single(number) if single else number, single=single)

    def sort_list(self, items: Items, arguments: list[Value], keywords: dict[str, Value]) -> Visit:
        """`xs.sort(key=f, reverse=True)`."""
        bind_names("sort", ("key", "reverse"), arguments, keywords, ("key", "reverse"))
        self.values.check_change(items)
        ordered = yield self.library.objects.functions["sorted"]([items], keywords)
        items.become(list(ordered))

    def _are_rows(self, arguments: Sequence[Value]) -> bool:
        """Whether lists, strings or others than tensors are compared, as Python compares them."""
        compared: Sequence[Value] = arguments
        if len(arguments) == 1 and isinstance(arguments[0], Items | tuple):
            compared = list(arguments[0])
        elif len(arguments) < 2:
            return False
        return self.values.is_python and not all(isinstance(each, Node) for each in compared)

    def _are_numbers(self, arguments: Sequence[Value]) -> bool:
        return all(isinstance(each, Node) and each in self.special.numbers for each in arguments)

    def _rounded(self, arguments: list[Value], keywords: dict[str, Value]) -> Visit | Value:
        """Python's `round` of a number: an integer, unless the digits are given; else None."""
        first = arguments[0] if arguments else None
        is_numpys = isinstance(first, Node) and self.values.is_number_of_numpy(first)
        if not is_numpys and not self._are_numbers(arguments):
            if arguments and self.values.is_pytorch:
                self._check_rounded(arguments)
            return None
        given = bind_names("round", ("number", "ndigits"), arguments, keywords, ("ndigits",))
        node = self.values.tensor(given["number"])
        if is_numpys and given.get("ndigits") is not None:
            return self.function_call("around", [node, given["ndigits"]], {})
        number = self.values.number(node, "what is rounded")
        if not math.isfinite(number):
            if given.get("ndigits") is None:
                raise no_integer("round", number)
            return node
        if given.get("ndigits") is None:
            return self.values.plain(round(number))
        rounded = round(number, self.values.integer(given["ndigits"], "ndigits"))
        is_whole = self.special.numbers.is_integer(node)
        return self.values.plain(int(rounded) if is_whole else rounded)

    def _power(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        """Python's `pow` of numbers, by a modulus too; else None."""
        names = ("base", "exp", "mod")
        given = bind_names("pow", names, arguments, keywords, names[2:])
        if not self._are_numbers([*given.values()]):
            return None
        base, power = (self.values.tensor(given[each]) for each in names[:2])
        if given.get("mod") is None:
            return self.power_of_numbers(base, power)
        whole = [self.values.integer(each, "pow") for each in given.values()]
        try:
            return self.values.plain(pow(*whole))
        except ValueError as error:
            raise RefusedError(("ValueError", str(error)), "value", f"pow: {error}",
                               hint="pow(a, b, m) with m that is not 0") from None  # fmt: skip

    def _check_rounded(self, arguments: list[Value]) -> None:
        """Raise `type` for what Python does not round: a text, a list, a tensor, an array."""
        from gradcli.trace.wrong_arguments import class_of  # it is a mistake mostly

        kind = class_of(self.values, arguments[0])
        if kind in ("str", "list", "tuple", "NoneType", "Tensor", "numpy.ndarray"):
            said = f"type {kind} doesn't define __round__ method"
            raise RefusedError(("TypeError", said), "type", f"round is for numbers, not a {kind}",
                               hint="torch.round(x, decimals=1) rounds each element")  # fmt: skip

    def _are_each_true_or_false(self, items: Items) -> bool:
        """Whether each is true or false by itself: no array and no list of some."""
        return all(
            each.size == 1 if isinstance(each, Node) else not isinstance(each, Items)
            for each in items
        )

    def _truth_of(self, name: str, only: Value) -> Node | None:
        """Python's `all` or `any` of a list or a row; None where PyTorch's is meant."""
        if isinstance(only, Remaining):
            return self.python.truth_of(name, only.taken())
        if isinstance(only, Items) and self._are_each_true_or_false(only):
            return self.python.truth_of(name, only)
        if self.values.is_python and isinstance(only, Node) and only.ndim == 1:
            return self.graph.constant(self.values.truth(FUNCTIONS[name].build(only)))
        return None

    def _is_python_sum(self, arguments: list[Value]) -> bool:
        """Whether Python's sum of a list is meant, not that of a tensor written as lists."""
        if not 0 < len(arguments) < 3:
            return False
        if isinstance(arguments[0], _COLLECTIONS):
            return True
        if isinstance(arguments[0], Node):
            return self.values.is_python and bool(arguments[0].shape)
        if not isinstance(arguments[0], Items):
            return False
        is_lists = any(isinstance(each, Items) for each in arguments[0])
        return self.values.is_python or not is_lists
