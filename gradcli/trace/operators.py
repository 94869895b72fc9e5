"""Operators on values of any kind: arithmetic, comparison, truth."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from operator import ge, gt, le, lt
from typing import Any

from gradcli.diagnostics import GradcliError
from gradcli.graph import Node
from gradcli.ops import FUNCTIONS
from gradcli.ops.kinds import cast
from gradcli.trace.items import Items, NumpyDtype, Unquoted
from gradcli.trace.objects import Object
from gradcli.trace.values import Value, Values

BINARY = {
    "+": "add",
    "-": "sub",
    "*": "mul",
    "/": "div",
    "//": "floor_divide",
    "%": "remainder",
    "@": "matmul",
    "**": "pow",
    "&": "bitwise_and",
    "^": "bitwise_xor",
    "|": "bitwise_or",
}
_ON_BITS = ("&", "^", "|")
SHIFTS = {"<<": "torch.bitwise_left_shift", ">>": "torch.bitwise_right_shift"}
"""Operators that are no entries of the op table: PyTorch's functions."""
BITS = (*_ON_BITS, *SHIFTS)
UNARY = {"-": "neg", "~": "bitwise_not", "not": "logical_not"}
COMPARE = {"==": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}

METHODS = {
    "+": "add", "-": "sub", "*": "mul", "/": "truediv", "//": "floordiv", "%": "mod",
    "@": "matmul", "**": "pow", "==": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt",
    ">=": "ge", "&": "and", "^": "xor", "|": "or", "<<": "lshift", ">>": "rshift",
}  # fmt: skip
"""The methods `__add__` and `__radd__` of the program's classes, without their underscores."""


def binary(values: Values, operator: str, left: Value, right: Value) -> Node:
    """An arithmetic operator on two values."""
    if left.__class__ is not Node:
        left = values.tensor(left, f"the left side of {operator}")
    if right.__class__ is not Node:
        right = values.tensor(right, f"the right side of {operator}")
    try:
        return _builder(operator)(left, right)
    except GradcliError as error:
        raise _in_own_words(values, error, left, right) from None


def _in_own_words(values: Values, error: GradcliError, left: Value, right: Value) -> GradcliError:
    """What an operator raises, in NumPy's words for its arrays."""
    from gradcli.trace.numpy_wordings import in_numpys_words  # few programs fail

    return in_numpys_words(error, (left, right), values.arrays)


@cache
def _builder(operator: str) -> Callable[..., Node]:
    build = FUNCTIONS[BINARY[operator]].build
    return partial(_of_bits, build) if operator in _ON_BITS else build


def _of_bits(build: Callable[..., Node], left: Node, right: Node) -> Node:
    return build(as_integer(left), as_integer(right))


def as_integer(node: Node) -> Node:
    """A whole number that is written in the program as an integer, which has bits."""
    if node.kind != "float" or node.shape or node.known is None:
        return node
    return cast(node, "int") if float(node.known).is_integer() else node


def boolean(values: Values, value: Value) -> Node:
    """A tensor as it is; a list, a string or None is true if it is not empty."""
    if isinstance(value, Node):
        return value
    return values.graph.constant(values.truth(value))


def identity(values: Values, operator: str, left: Value, right: Value) -> Node:
    """`is` and `is not`: whether two values are one; numbers and truth values are if equal."""
    same = left is right or (isinstance(left, str | range) and left == right)
    same = same or _is_same_object(left, right)
    return values.graph.constant(same == (operator == "is"))


def contains(values: Values, container: Value, item: Value) -> bool:
    """Whether an item is in a string, list, tuple, range, tensor or dictionary."""
    if isinstance(container, str):
        return isinstance(item, str) and item in container
    if isinstance(container, Object):
        return container.contains(item)
    if isinstance(container, Node) and container.shape and container not in values.listed:
        equal = FUNCTIONS["eq"](container, values.tensor(item, "what is sought"))
        return bool(values.evaluator.value(equal).any())
    return any(is_same(values, each, item) for each in values.elements(container))


def is_same(values: Values, a: Value, b: Value) -> bool:
    """Whether two values are one, or equal as a whole: what `in` and `index` ask."""
    if a is b or _is_same_object(a, b):
        return True
    for one, other in ((a, b), (b, a)):
        if isinstance(one, Object) and (equal := one.equals(other)) is not None:
            return equal
    if _are_lists(a, b):
        return _same_lists(values, a, b)
    if isinstance(a, Node) and isinstance(b, Node):
        if not values.is_python and not a.size == b.size == 1:
            return False
        try:
            found = comparison(values, "==", a, b)  # Python asks whether tensors are true
        except GradcliError as error:
            raise _in_own_words(values, error, a, b) from None
        values.stay_arrays(found, (a, b))
        return values.truth(found)
    if isinstance(a, Node | Items | Object) or isinstance(b, Node | Items | Object):
        return False
    return values.truth(comparison(values, "==", a, b))


_DTYPES = {Unquoted, NumpyDtype}


def _is_same_object(a: Value, b: Value) -> bool:
    """Whether one of them is an object that takes the other for itself."""
    return (isinstance(a, Object) and a.is_same(b)) or (isinstance(b, Object) and b.is_same(a))


def _is_same_plain(a: Value, b: Value) -> bool:
    """Whether two of strings, None and objects are equal."""
    if _DTYPES & {type(a), type(b)}:
        from gradcli.trace.array_dtypes import same_dtype  # few programs compare these

        known = same_dtype(a, b)
        if known is not None:
            return known
    return a == b or _is_same_object(a, b)


def comparison(values: Values, operator: str, left: Value, right: Value) -> Node:
    """A comparison element by element; strings and None are equal or not as a whole."""
    if isinstance(left, tuple) and isinstance(right, tuple) and operator in ("==", "!="):
        same = len(left) == len(right) and all(
            a is b or values.truth(comparison(values, "==", a, b))
            for a, b in zip(left, right, strict=True)
        )
        return values.graph.constant(same == (operator == "=="))
    is_one_tuple = isinstance(left, tuple) != isinstance(right, tuple)
    if is_one_tuple and values.is_python and operator in ("==", "!="):
        return values.graph.constant(operator == "!=")
    if _are_lists(left, right) and values.is_python and operator in ("==", "!="):
        return values.graph.constant(_same_lists(values, left, right) == (operator == "=="))
    is_range = isinstance(left, range) or isinstance(right, range)
    if is_range and values.is_python and operator in ("==", "!="):
        return values.graph.constant((left == right) == (operator == "=="))
    is_plain = any(each is None or isinstance(each, str | Object) for each in (left, right))
    if is_plain and operator in ("==", "!="):
        same = _is_same_plain(left, right)
        return values.graph.constant(same == (operator == "=="))
    if values.is_python and operator in _ORDER and _is_ordered(left, right):
        return values.graph.constant(_in_order(values, operator, left, right))
    sides = [values.tensor(side, f"a side of {operator}") for side in (left, right)]
    return FUNCTIONS[COMPARE[operator]](*sides)


_ORDER: dict[str, Callable[[Any, Any], Any]] = {"<": lt, "<=": le, ">": gt, ">=": ge}


def has_no_order(values: Values, operator: str, left: Value, right: Value) -> bool:
    """Whether a comparison is of two classes that Python has no order of."""
    sides = (left, right)
    return (
        values.is_python
        and operator in _ORDER
        and any(each is None or isinstance(each, str | tuple | Items) for each in sides)
        and not _is_ordered(left, right)
        and not any(isinstance(each, Node) and each in values.arrays for each in sides)
    )


def _is_ordered(left: Value, right: Value) -> bool:
    """Whether they are two of a kind that Python orders by its first elements that differ."""
    return any(isinstance(left, kind) and isinstance(right, kind) for kind in (tuple, Items, str))


def _in_order(values: Values, operator: str, left: Value, right: Value) -> bool:
    """Whether an order holds of two tuples, lists or strings."""
    while _is_ordered(left, right) and not isinstance(left, str):
        a, b = values.elements(left), values.elements(right)
        pairs = zip(a, b, strict=False)
        differ = next((pair for pair in pairs if not is_same(values, *pair)), None)
        if differ is None:
            return bool(_ORDER[operator](len(a), len(b)))
        left, right = differ
    if isinstance(left, str) and isinstance(right, str):
        return bool(_ORDER[operator](left, right))
    return values.truth(comparison(values, operator, left, right))


def _are_lists(a: Value, b: Value) -> bool:
    """Whether they are two lists, or two deques."""
    if isinstance(a, Items) and isinstance(b, Items):
        return True
    return isinstance(a, Object) and a.is_row and type(a) is type(b)


def _same_lists(values: Values, left: Value, right: Value) -> bool:
    """Whether lists are equal, as Python compares them; nested ones are handled without
    recursion.
    """
    waiting = [(left, right)]
    while waiting:
        a, b = waiting.pop()
        if _are_lists(a, b):
            rows = values.elements(a), values.elements(b)
            if len(rows[0]) != len(rows[1]):
                return False
            waiting += zip(*rows, strict=True)
        elif not is_same(values, a, b):
            return False
    return True
