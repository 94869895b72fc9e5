"""What values have as Python's classes have it: `hasattr(xs, '__len__')`."""

from __future__ import annotations

import builtins
import collections
from types import FunctionType, GeneratorType, NoneType

import numpy as np

_CLASSES: dict[str, type] = {
    **{
        name: getattr(builtins, name)
        for name in ("bool", "bytes", "dict", "float", "frozenset", "int", "list", "range", "set",
                     "str", "tuple", "type")
    },
    **{
        name: getattr(collections, name)
        for name in ("Counter", "OrderedDict", "defaultdict", "deque")
    },
    "Size": tuple, "NoneType": NoneType, "generator": GeneratorType, "function": FunctionType,
    "ndarray": np.ndarray,
}  # fmt: skip
"""By the name of a value's class."""
_OF_ARRAYS = frozenset(("__array_finalize__", "__array_function__", "__array_interface__",
                        "__array_struct__", "__array_ufunc__", "__array_namespace__"))  # fmt: skip
"""What NumPy's arrays have, and tensors do not."""
_PLAIN = ("bool", "float", "int", "str", "bytes", "NoneType")


def has_by_class(kind: str, name: str) -> bool:
    """Whether values of a class have something of that name, where Python's classes say so: names
    between underscores, and all names of numbers and texts.
    """
    is_special = name.startswith("__") and name.endswith("__")
    if kind in ("Tensor", "Parameter"):
        return is_special and hasattr(np.ndarray, name) and name not in _OF_ARRAYS
    known = _CLASSES.get(kind)
    return known is not None and (is_special or kind in _PLAIN) and hasattr(known, name)
