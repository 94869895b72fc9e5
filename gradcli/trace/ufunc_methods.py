"""Methods of NumPy's elementwise functions: `np.add.reduce(a)`, `np.multiply.outer(a, b)`."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from gradcli.diagnostics import GradcliError
from gradcli.graph import Array
from gradcli.trace.arguments import bind_names
from gradcli.trace.arrays_of_numpy import ArrayCalls
from gradcli.trace.special import Special
from gradcli.trace.values import Value

_NAMES = [
    name
    for name, each in vars(np).items()
    if isinstance(each, np.ufunc) and each.nin == 2 and each.nout == 1
]
"""Functions of two arrays."""
_METHODS = {
    "reduce": ("array", "axis", "dtype", "out", "keepdims", "initial", "where"),
    "accumulate": ("array", "axis", "dtype"),
    "reduceat": ("array", "indices", "axis", "dtype"),
    "outer": ("A", "B"),
}
_NEEDED = {"reduceat": 2, "outer": 2}


class UfuncMethods:
    """The functions by name."""

    def __init__(self, arrays: ArrayCalls) -> None:
        self._arrays = arrays
        self.methods: dict[str, Special] = {}
        self.functions: dict[str, Special] = {
            f"{module}.{name}.{method}": (
                partial(self._at, name) if method == "at" else partial(self._called, name, method)
            )
            for module in ("np", "numpy")
            for name in _NAMES
            for method in (*_METHODS, "at")
        }

    def _called(
        self, name: str, method: str, arguments: list[Value], keywords: dict[str, Value]
    ) -> Value:
        names = _METHODS[method]
        needed = _NEEDED.get(method, 1)
        given = bind_names(f"np.{name}.{method}", names, arguments, keywords, names[needed:])
        whole = f"{name}.{method}"
        found = {key: self._arrays.plain(whole, value) for key, value in given.items()}
        first = [np.asarray(found.pop(each)) for each in names[:needed]]
        if method == "outer":
            self._arrays.values.graph.check_room(first[0].size * first[1].size)
        return self._arrays.computed(whole, getattr(getattr(np, name), method), first, found)

    def _at(self, name: str, arguments: list[Value], keywords: dict[str, Value]) -> None:
        """`np.add.at(a, places, b)`: each place as often as it is named."""
        given = bind_names(f"np.{name}.at", ("a", "indices", "b"), arguments, keywords)
        values, whole = self._arrays.values, f"{name}.at"
        node = values.tensor(given["a"], whole)
        places = given["indices"]
        found: Any = (
            tuple(self._arrays.plain(whole, getattr(each, "bounds", each)) for each in places)
            if type(places) is tuple
            else self._arrays.plain(whole, places)
        )
        array: Array = np.array(values.evaluator.value(node))
        try:
            getattr(np, name).at(array, found, self._arrays.plain(whole, given["b"]))
        except (ValueError, TypeError, IndexError) as error:
            raise GradcliError("value", f"np.{whole}: {error}") from None
        self._arrays.write(node, array)
