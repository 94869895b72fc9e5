"""Which tensors hold integers in PyTorch, where numbers are floats.

What is written decides for a literal: `[1, 2]` are integers, and `[1., 2]` are not. A count or
bound that is computed is an integer if its value is whole.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gradcli.graph import Node
from gradcli.language import syntax
from gradcli.trace.items import Items
from gradcli.trace.numerals import is_decimal
from gradcli.trace.objects import Object
from gradcli.trace.printing import PrintedNumbers
from gradcli.trace.values import Value

_PLACES = {"tensor": (0, "data"), "as_tensor": (0, "data"), "array": (0, "object"),
           "asarray": (0, "a"), "full": (1, "fill_value")}  # fmt: skip
"""Which argument of a function holds the elements, and its name."""
_OF_NUMPYS = ("tensor", "as_tensor")
_BOUNDS = ("start", "end", "stop", "step")
"""What `arange` may be given by name."""


def makes_integers(
    name: str, text: str, call: syntax.Call, arguments: Sequence[Value],
    keywords: Mapping[str, Value], numbers: PrintedNumbers,
) -> bool:  # fmt: skip
    """Whether a call of `tensor`, `as_tensor`, `full` or `arange` makes a tensor of integers, if it
    names no dtype. `text` is the program's.
    """
    written = call.arguments
    if len(arguments) != len(written):
        return False
    pairs: list[tuple[object, Value]] = list(zip(written, arguments, strict=True))
    if name == "arange":
        pairs += [(each.value, keywords[each.name]) for each in call.keywords
                  if each.name in _BOUNDS]  # fmt: skip
    else:
        place, title = _PLACES[name]
        named: list[tuple[object, Value]]
        named = [(each.value, keywords[title]) for each in call.keywords if each.name == title]
        pairs = pairs[place : place + 1] or named
    arrays = numbers.values.arrays
    if name in _OF_NUMPYS and any(each in arrays for _, each in pairs if isinstance(each, Node)):
        return False  # a number of NumPy's has a dtype of its own
    return bool(pairs) and all(
        _is_whole(text, each) or are_integers(value, numbers) for each, value in pairs
    )


def takes_integers(
    name: str, arguments: Sequence[Value], keywords: Mapping[str, Value], numbers: PrintedNumbers
) -> bool:
    """The same of a call of which only the values are known."""
    if name == "arange":
        values = [*arguments, *(keywords[each] for each in _BOUNDS if each in keywords)]
    else:
        place, title = _PLACES[name]
        values = [*arguments[place : place + 1]] or [keywords.get(title)]
    return bool(values) and all(are_integers(each, numbers) for each in values)


def are_integers(value: Value, numbers: PrintedNumbers) -> bool:
    """Whether it is an integer, or lists of integers and nothing else."""
    waiting = [value]
    count = 0
    while waiting:
        part = waiting.pop()
        if isinstance(part, Items | tuple):
            waiting += part
        elif isinstance(part, Object) and part.is_row:
            waiting.append(part.elements())
        elif isinstance(part, range):
            count += 1
        elif isinstance(part, Node) and part.kind == "float" and part in numbers:
            if not numbers.is_integer(part):
                return False
            count += 1
        elif isinstance(part, Node) and (
            _is_count(part, numbers) or (part is not value and _is_one_integer(part))
        ):
            count += 1
        elif not (isinstance(part, Node) and part.kind == "bool" and not part.shape):
            return False  # truth values next to integers are 0 and 1
    return count > 0


def _is_count(node: Node, numbers: PrintedNumbers) -> bool:
    """Whether it is an integer of NumPy's."""
    return node.kind == "int" and not node.shape and node in numbers.arrays


def _is_one_integer(node: Node) -> bool:
    """Whether it is a tensor of one integer, which is a number in a list."""
    return node.kind == "int" and node.size == 1


def _is_whole(text: str, expression: object) -> bool:
    """Whether nothing but integers is written in a number, or in lists of numbers."""
    waiting = [expression]
    count = 0
    while waiting:
        part = waiting.pop()
        if isinstance(part, syntax.List | syntax.Tuple):
            waiting += part.items
        elif isinstance(part, syntax.Unary):
            waiting.append(part.operand)
        elif isinstance(part, syntax.Number) and is_decimal(text[slice(*part.span)]):
            count += 1
        else:
            return False
    return count > 0
