"""NumPy's loops over all elements of arrays: `np.nditer`, `np.ndenumerate`, `np.ndindex`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from gradcli.diagnostics import GradcliError
from gradcli.graph import Node, Shape
from gradcli.ops.shapes import broadcast
from gradcli.ops.shaping import expand
from gradcli.trace.arguments import bind_names
from gradcli.trace.items import Items
from gradcli.trace.iterators import Remaining
from gradcli.trace.objects import BuiltIn, Given, Object
from gradcli.trace.special import Special
from gradcli.trace.strides import layout, usual
from gradcli.trace.subscripts import subscript
from gradcli.trace.values import Value, Values

_INDICES = ("multi_index", "c_index", "f_index")
_NEEDS_NOTHING = ("refs_ok", "zerosize_ok", "ranged", "reduce_ok", "delay_bufalloc")


class ArrayIterator(Object):
    """Where a loop over the elements of arrays is."""

    what = "an iterator of arrays"
    title = "nditer"

    def __init__(self, values: Values, arrays: Sequence[Node], order: str, index: str) -> None:
        """`index` is which of the `_INDICES` it tells, if any."""
        self._values = values
        self._arrays = arrays
        self._index = index
        self._shape = arrays[0].shape
        self._places = [*_places(self._shape, _axes(values, arrays, order))]
        self._at = 0

    def _element(self, array: Node) -> Node:
        """The element of an array here: a view, through which the array changes."""
        if self._at >= len(self._places):
            raise GradcliError("index", "the iterator is past the end")
        numbers = self._values.graph.constant
        base = self._values.current(array)
        items = [*(numbers(each) for each in self._places[self._at]), Ellipsis]
        found = self._values.tensor(subscript(self._values, base, items))
        self._values.arrays.add(found)
        self._values.boxed.add(found)
        return found

    def _here(self) -> Value:
        found = tuple(map(self._element, self._arrays))
        return found if len(found) > 1 else found[0]

    def _rest(self) -> Iterator[Value]:
        while self._at < len(self._places):
            yield self._here()
            self._at += 1

    def looped(self) -> Remaining:
        return Remaining(self._values, self._rest())

    def elements(self) -> Items:
        return self.looped().elements()

    def item(self, items: Sequence[Any]) -> Value:
        """`it[0]`: the element of the first array here."""
        here = tuple(map(self._element, self._arrays))
        return subscript(self._values, here, items)

    def attribute(self, name: str) -> Any:
        plain = self._values.plain
        if name == "finished":
            return self._values.graph.constant(self._at >= len(self._places))
        if name == "value":
            return self._here()
        if name in ("multi_index", "index") and (name == "index") == (self._index[1:] == "_index"):
            place = self._places[self._at]
            if name == "multi_index":
                return tuple(plain(each) for each in place)
            return plain(self._number(place))
        sizes = {"itersize": len(self._places), "iterindex": self._at, "ndim": len(self._shape)}
        if name in sizes:
            return plain(sizes[name])
        return super().attribute(name)

    def _number(self, place: tuple[int, ...]) -> int:
        """The number of an element in the order of rows, or of columns."""
        steps = usual(self._shape) if self._index == "c_index" else usual(self._shape[::-1])[::-1]
        return sum(at * step for at, step in zip(place, steps, strict=True))

    def methods(self) -> dict[str, Callable[[list[Any], Given], Any]]:
        return {"iternext": self._next, "reset": self._reset, "close": lambda *_: None}

    def _next(self, arguments: list[Any], keywords: Given) -> Value:
        self._at = min(self._at + 1, len(self._places))
        return self._values.graph.constant(self._at < len(self._places))

    def _reset(self, arguments: list[Any], keywords: Given) -> None:
        self._at = 0

    def special(self, name: str) -> Object | None:
        if name == "__enter__":
            return BuiltIn(name, lambda *_: self)
        return BuiltIn(name, lambda *_: None) if name == "__exit__" else None


def _axes(values: Values, arrays: Sequence[Node], order: str) -> list[int]:
    """The axes of a loop from the outermost to the innermost, as an order names it."""
    axes = [*range(arrays[0].ndim)]
    if order == "F":
        return axes[::-1]
    if order == "C":
        return axes
    if order == "A":
        raise GradcliError("value", "nditer: this order is not known here", hint="order='C'")
    steps = [_steps(values, array) for array in arrays]
    return sorted(axes, key=lambda axis: -max(abs(each[axis]) for each in steps))


def _steps(values: Values, array: Node) -> tuple[int, ...]:
    """How far apart in memory the neighbours along each axis are."""
    base, views = values.storage(array)
    return layout(values.places(base, views))[1] if views else usual(array.shape)


def _places(shape: Shape, axes: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """The places of all elements, where the last of these axes runs fastest."""
    for place in np.ndindex(*(shape[axis] for axis in axes)):
        yield tuple(place[axes.index(axis)] for axis in range(len(shape)))


class ArrayIterators:
    """The functions by name."""

    def __init__(self, values: Values) -> None:
        self._values = values
        self.methods: dict[str, Special] = {}
        self.functions: dict[str, Special] = {
            "np.nditer": self._iterator,
            "np.ndenumerate": self._numbered,
            "np.ndindex": self._indices,
        }

    def _texts(self, value: Value) -> list[str]:
        return [str(each) for each in self._values.elements(value)]

    def _iterator(self, arguments: list[Value], keywords: Given) -> Value:
        names = ("op", "flags", "op_flags", "order")
        given = bind_names("nditer", names, arguments, keywords, names[1:])
        op = given["op"]
        several = isinstance(op, Items | tuple) or op in self._values.listed
        found = self._values.elements(op) if several else [op]
        arrays = [self._values.tensor(each, "nditer") for each in found]
        if not all(isinstance(each, Node) and each in self._values.arrays for each in found):
            raise GradcliError("type", "nditer takes arrays", hint="np.array(5) makes one")
        flags = self._texts(given["flags"]) if given.get("flags") is not None else []
        strange = next((each for each in flags if each not in (*_INDICES, *_NEEDS_NOTHING)), None)
        if strange is not None:
            raise GradcliError("value", f"nditer: the flag {strange!r} is not known here",
                               hint=f"{', '.join(_INDICES)} are")  # fmt: skip
        shape = broadcast("nditer", [each.shape for each in arrays])
        wide = [each if each.shape == shape else expand(each, shape) for each in arrays]
        self._values.graph.check_room(wide[0].size)
        order = given.get("order", "K")
        index = next((each for each in flags if each in _INDICES), "")
        return ArrayIterator(self._values, wide, str(order), index)

    def _numbered(self, arguments: list[Value], keywords: Given) -> Value:
        (array,) = bind_names("ndenumerate", ("arr",), arguments, keywords).values()
        node = self._values.tensor(array, "ndenumerate")
        return Remaining(self._values, self._pairs(node))

    def _pairs(self, node: Node) -> Iterator[Value]:
        for place in np.ndindex(node.shape):
            items = [self._values.graph.constant(each) for each in place]
            base = self._values.current(node)
            found = subscript(self._values, base, items) if items else base
            self._values.stay_arrays(found, [node])
            yield tuple(self._values.plain(each) for each in place), found

    def _indices(self, arguments: list[Value], keywords: Given) -> Value:
        several = len(arguments) == 1 and not (
            isinstance(arguments[0], Node) and not arguments[0].shape
        )
        lengths = self._values.elements(arguments[0]) if several else arguments
        shape = [self._values.integer(each, "ndindex") for each in lengths]
        if any(each < 0 for each in shape):
            raise GradcliError("value", "ndindex: negative dimensions are not allowed")
        places = (tuple(map(self._values.plain, place)) for place in np.ndindex(*shape))
        return Remaining(self._values, places)
