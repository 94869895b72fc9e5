"""What numbers, lists and tuples of Python's have behind a point: a float has no `backward`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from gradcli.diagnostics import GradcliError, RefusedError
from gradcli.graph import Node
from gradcli.ops.shaping import reshape
from gradcli.trace.arguments import bind_names
from gradcli.trace.special import Special
from gradcli.trace.values import Value, Values

_CLASSES: dict[str, type] = {
    "bool": bool, "int": int, "float": float, "list": list, "tuple": tuple, "range": range,
    "numpy.ndarray": np.ndarray,
}  # fmt: skip
_METHODS = frozenset((
    "is_integer", "as_integer_ratio", "bit_length", "bit_count", "conjugate", "hex",
    *(f"__{name}__" for name in (
        "abs", "add", "bool", "ceil", "eq", "float", "floor", "floordiv", "ge", "gt", "index",
        "int", "le", "lt", "mod", "mul", "ne", "neg", "pos", "radd", "rmul", "round", "rsub",
        "rtruediv", "sub", "truediv", "trunc",
    )),
))  # fmt: skip
"""Methods of numbers whose results are about as long as the numbers are."""
_CALLED = {"size": "int", "ndim": "int", "itemsize": "int", "nbytes": "int", "shape": "tuple",
           "strides": "tuple", "T": "numpy.ndarray"}  # fmt: skip
"""The classes of attributes of arrays, which tensors have as methods in part."""
_ATTRIBUTES = ("real", "imag", "numerator", "denominator")


def check_member(kind: str, name: str) -> None:
    """Raise `name` where the class of that name has nothing of that name."""
    if hasattr(_CLASSES[kind], name):
        return
    is_number = kind in ("bool", "int", "float")
    hint = (
        "a number is no tensor any more: .item() makes one, and no gradient flows through it"
        if is_number
        else f"torch.tensor(x).{name} is a tensor's"
    )
    raise RefusedError(
        ("AttributeError", f"'{kind}' object has no attribute '{name}'"),
        "name",
        f"{'an array' if kind == 'numpy.ndarray' else f'a {kind}'} has no {name!r}",
        hint,
    )


def check_method(kind: str, name: str) -> None:
    """The same where it is called. Raises `type` for attributes of arrays that are no methods."""
    check_member(kind, name)
    if kind == "numpy.ndarray" and name in _CALLED:
        raise RefusedError(
            ("TypeError", f"'{_CALLED[name]}' object is not callable"),
            "type",
            f"{name} of an array is no method",
            f"x.{name}, without parentheses; x.shape[0] is its first length",
        )


def method_of_number(values: Values, node: Node, kind: str, name: str) -> Special | None:
    """A method of a number; None for those that are another's. Raises `name`."""
    check_member(kind, name)
    return partial(_called, values, node, kind, name) if name in _METHODS else None


def attribute_of_number(values: Values, node: Node, kind: str, name: str) -> Value:
    """An attribute of a number; None for those that are another's. Raises `name`."""
    check_member(kind, name)
    if name not in _ATTRIBUTES:
        return None
    return values.plain(getattr(_number(values, node, kind), name))


def _number(values: Values, node: Node, kind: str) -> Any:
    return _CLASSES[kind](values.number(node, "a number"))


def _called(
    values: Values,
    node: Node,
    kind: str,
    name: str,
    arguments: list[Value],
    keywords: dict[str, Value],
) -> Value:
    bind_names(name, ("self", "other"), [node, *arguments], keywords, ("other",))
    kinds = [values.plain_kind(each) or "float" for each in arguments]
    others = [
        _number(values, values.tensor(each), other)
        for each, other in zip(arguments, kinds, strict=True)
    ]
    try:
        found = getattr(_number(values, node, kind), name)(*others)
        if isinstance(found, tuple):
            return tuple(map(values.plain, found))
        if found is not NotImplemented:
            return found if isinstance(found, str) else values.plain(found)
    except (TypeError, ValueError, OverflowError, ZeroDivisionError) as error:
        said = type(error).__name__, str(error)
        raise RefusedError(said, "value", f"{name}: {error}") from None
    raise GradcliError("type", f"{name} of {kind} and {', '.join(kinds)} is not known")


def check_math(values: Values, name: str, given: Sequence[Value]) -> Sequence[Value]:
    """The arguments of Python's function of numbers: tensors of one element, and NumPy's numbers,
    as these. Raises `value` where it has no result, and `type` for a tensor of several elements.
    """
    compute = getattr(math, name, None)
    numbers: list[float] = []
    for each in given:
        if not isinstance(each, Node):
            return given
        if each.size != 1 and values.is_tensor(each) and values.is_pytorch:
            said = "only one element tensors can be converted to Python scalars"
            raise RefusedError(("ValueError", said), "type", f"math.{name} is for single numbers",
                               hint=f"torch.{name}(x) computes with each element")  # fmt: skip
        is_tensor = values.is_pytorch and values.is_tensor(each)
        is_numpys = not each.shape and each in values.arrays
        if not (values.plain_kind(each) or is_tensor or is_numpys):
            return given
        numbers.append(_number(values, reshape(each, ()), "float"))
    try:
        if compute is not None:
            compute(*numbers)
    except (ValueError, OverflowError) as error:
        raise RefusedError(
            (type(error).__name__, str(error)), "value",
            f"math.{name} of {', '.join(f'{each:g}' for each in numbers)} is no number: {error}",
            hint=f"torch.{name}(torch.tensor(…)) gives nan or inf",
        ) from None  # fmt: skip
    except TypeError:  # it takes others, which is told of elsewhere
        return given
    return [
        each if values.plain_kind(each) else values.plain(number)
        for each, number in zip(given, numbers, strict=True)
    ]
