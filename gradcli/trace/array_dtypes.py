"""The dtypes of NumPy's arrays: what they are called, and what they are equal to."""

from __future__ import annotations

import re

import numpy as np

from gradcli.trace.items import NumpyDtype, Unquoted
from gradcli.trace.objects import BuiltIn, ClassName
from gradcli.trace.values import Value

_CODES = re.compile(
    r"[<=|]?([?bBhHiIlLqQefd]|[iuf][1248])|u?(byte|short|intc|int_|long|longlong)"
    r"|single|double|half|float|int|bool_"
)
"""What NumPy calls dtypes besides their names."""
_OF_CLASSES = {"float": "float64", "int": "int64", "bool": "bool", "bool_": "bool"}
"""Those that are called as Python's classes, and NumPy's of truth values."""


def of_code(text: str) -> str:
    """The dtype of one of NumPy's codes, such as `f`, `f4` and `<i8`; other texts as they are."""
    return np.dtype(text).name if _CODES.fullmatch(text) else text


def same_dtype(a: Value, b: Value) -> bool | None:
    """Whether the dtype of an array is the other one: `x.dtype == np.float32`, `'f4'` or `float`.
    None where neither is NumPy's.
    """
    if isinstance(a, ClassName) or isinstance(b, ClassName):
        return None  # of a number
    one, other = _name(a), _name(b)
    is_numpys = (isinstance(a, Unquoted) and one) or (isinstance(b, Unquoted) and other)
    return one == other if is_numpys else None


def _name(value: Value) -> str | None:
    """What NumPy calls a dtype; None for what is none, or PyTorch's."""
    if isinstance(value, NumpyDtype):
        return value.removeprefix("torch.")
    if isinstance(value, Unquoted):
        return None if value.startswith("torch.") else str(value)
    if isinstance(value, BuiltIn):
        return _OF_CLASSES.get(value.name.rpartition(".")[2])
    return of_code(value) if isinstance(value, str) else None
