"""NumPy's functions that change arrays: `np.put`, `np.copyto`, and `a.resize`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from gradcli.diagnostics import GradcliError
from gradcli.graph import Array, Node
from gradcli.ops.control import detach, leaf
from gradcli.ops.kinds import cast
from gradcli.ops.shaping import reshape
from gradcli.trace.arguments import bind_names
from gradcli.trace.arrays_of_numpy import ArrayCalls
from gradcli.trace.special import Special
from gradcli.trace.values import Value

_CHANGES: dict[str, tuple[str, ...]] = {
    "put": ("a", "ind", "v", "mode"),
    "putmask": ("a", "mask", "values"),
    "place": ("arr", "mask", "vals"),
    "copyto": ("dst", "src", "casting", "where"),
    "put_along_axis": ("arr", "indices", "values", "axis"),
}
"""Their parameters: the first is the array."""
_OPTIONAL = ("mode", "casting", "where", "axis")


class ArrayChanges:
    """The functions and methods by name."""

    def __init__(self, arrays: ArrayCalls, replace: Callable[[Node, Node], None]) -> None:
        """`replace` puts an array in the place of another, for all who hold that."""
        self._arrays = arrays
        self._replace = replace
        self.functions: dict[str, Special] = {
            f"np.{name}": partial(self._changed, name) for name in _CHANGES
        }
        self.methods: dict[str, Special] = {
            "array.put": partial(self._changed, "put"),
            "array.resize": self._resized,
        }

    def _changed(self, name: str, arguments: list[Value], keywords: dict[str, Value]) -> None:
        names, values = _CHANGES[name], self._arrays.values
        optional = [each for each in names if each in _OPTIONAL]
        given = bind_names(f"np.{name}", names, arguments, keywords, optional)
        node = values.tensor(given.pop(names[0]), f"np.{name}")
        if values.is_tensor(node):
            raise GradcliError("type", f"np.{name} changes arrays", hint="x.copy_(…) a tensor")
        array: Array = np.array(values.evaluator.value(node))
        found: dict[str, Any] = {key: self._arrays.plain(name, each) for key, each in given.items()}
        if name == "put_along_axis":
            found.setdefault("axis", None)
        needed = [found.pop(each) for each in names[1:] if each not in optional]
        try:
            getattr(np, name)(array, *needed, **found)
        except (ValueError, TypeError, IndexError) as error:
            raise GradcliError("value", f"np.{name}: {error}") from None
        self._arrays.write(node, array)

    def _resized(self, arguments: list[Value], keywords: dict[str, Value]) -> None:
        """`a.resize((3, 1))`: the array itself has another shape; what is new in it is 0."""
        keywords.pop("refcheck", None)
        node, *lengths = arguments
        assert isinstance(node, Node)
        values = self._arrays.values
        given = lengths[0] if len(lengths) == 1 else tuple(lengths)
        shape = values.integers(given, "resize")
        if any(each < 0 for each in shape):
            raise GradcliError("value", "resize: lengths are not negative")
        size = int(np.prod(shape, dtype=object))
        values.graph.check_room(size)
        if values.storage(node)[1]:
            raise GradcliError("value", "resize: the array lies in the memory of another one",
                               hint="a.copy() has memory of its own")  # fmt: skip
        if size == node.size:
            made = reshape(node, shape)
        else:
            array: Array = np.array(values.evaluator.value(node)).ravel()
            grown = np.zeros(size, array.dtype)
            grown[: array.size] = array[:size]
            made = values.graph.constant(grown.reshape(shape))
        changed = leaf(detach(cast(made, node.kind)), marked=False)
        self._replace(node, changed)
        values.arrays.add(changed)
