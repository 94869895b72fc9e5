"""Writes into a tensor, `y[0] = 10`, as functions of the language that make a new one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from gradcli.graph import Array, Node, Shape
from gradcli.language.construct import (
    NOWHERE,
    WHOLE,
    Item,
    call,
    constant,
    index,
    listed,
    number,
    subscript,
)
from gradcli.language.syntax import Constant, Expression, Slice, Tuple

MOST = 12
"""No more places are numbered."""

Way: TypeAlias = Callable[[Expression, Expression], Expression]
"""What a tensor becomes, of it and what is put into it."""


class Overwrite(NamedTuple):
    """One write."""

    shape: Shape
    """Of the tensor."""
    items: Sequence[Any]
    """What stood in brackets: plain numbers, slices, None, `...` and nodes."""
    places: Array
    """The numbers of its elements that change."""
    size: int
    """Of what is put there."""

    def ways(self, tensor: Callable[[Node], Expression | None]) -> Iterator[Way]:
        """Functions that may do it, the easiest to read first. Not all give the same for every
        write, so what they give is compared before it is told.
        """
        items = [_expression(each, tensor) for each in self.items]
        single = self.items[0] if len(self.items) == 1 else None
        if isinstance(single, Node) and single.kind == "bool" and items[0] is not None:
            mask = items[0]
            yield lambda x, new: call("masked_fill", x, mask, new)
        plain = [each for each in items if each is not None]
        if plain and len(plain) == len(items):
            yield lambda x, new: call("index_put", x, Tuple(tuple(plain), NOWHERE), new)
        yield from self._along_one_axis(items)
        if self.places.size <= MOST:
            at = listed(map(number, self.places.reshape(-1).tolist()))
            fits = self.size == self.places.size
            yield lambda x, new: call(
                "put", x, at, new if fits else call("expand", new, number(self.places.size))
            )

    def _along_one_axis(self, items: Sequence[Expression | None]) -> Iterator[Way]:
        """Of a row, a column, or several."""
        partial = [axis for axis, each in enumerate(self.items) if each != slice(None)]
        if len(partial) != 1 or len(self.items) > len(self.shape):
            return
        (axis,) = partial
        item, length = self.items[axis], self.shape[axis]
        dim, place = number(axis), items[axis]
        if place is not None:
            yield lambda x, new: call("select_scatter", x, new, dim, place)
            yield lambda x, new: call("index_fill", x, dim, place, new)
        elif isinstance(item, slice):
            first, stop, step = item.indices(length)
            ends = [number(each) for each in (first, stop)] + ([number(step)] if step > 1 else [])
            yield lambda x, new: call("slice_scatter", x, new, dim, *ends)
            if len(range(first, stop, step)) <= MOST:
                several = listed(map(number, range(first, stop, step)))
                yield lambda x, new: call("index_fill", x, dim, several, new)
                if axis == 0:
                    yield lambda x, new: call("index_put", x, Tuple((several,), NOWHERE), new)

    def picked(
        self, x: Expression, tensor: Callable[[Node], Expression | None]
    ) -> Iterator[Expression]:
        """What a tensor has at the places; their sum where one number was put into all."""
        found: list[Expression] = []
        items = [_item(each, tensor) for each in self.items]
        if all(each is not None for each in items) and items:
            found.append(subscript(x, [each for each in items if each is not None]))
        if self.places.size <= MOST:
            found.append(call("take", x, index(constant(np.asarray(self.places)))))
        for each in found:
            yield each
            yield call("sum", each)


def write_of(shape: Shape, items: Sequence[Any], places: Array, size: int) -> Overwrite:
    """A write; `...` is as many slices as it stands for, and where nothing stood in brackets the
    places themselves do, if they are one element, or the tensor is a row.
    """
    if not items and not places.ndim:
        items = tuple(map(int, np.unravel_index(int(places), shape)))
    elif not items and len(shape) == 1 and places.size <= MOST:
        items = (places.tolist(),)
    if any(each is Ellipsis for each in items):
        taken = [_axes(each) for each in items if each is not Ellipsis]
        place = next(place for place, each in enumerate(items) if each is Ellipsis)
        rest = [slice(None)] * (len(shape) - sum(taken))
        items = (*items[:place], *rest, *items[place + 1 :])
    return Overwrite(shape, items, places, size)


def _axes(item: Any) -> int:
    """How many axes an index takes."""
    if item is None:
        return 0
    return item.ndim if isinstance(item, Node) and item.kind == "bool" else 1


def zeros(shape: Shape) -> Iterator[Expression]:
    """Zeros for places of a shape."""
    yield number(0.0)
    yield call("zeros", *map(number, shape or (1,)))


def _expression(item: Any, tensor: Callable[[Node], Expression | None]) -> Expression | None:
    """An index as an expression; None for what is none, as a slice."""
    if isinstance(item, bool) or item is None or isinstance(item, slice) or item is Ellipsis:
        return None
    if isinstance(item, Node):
        found = tensor(item)
        return None if found is None else index(found)
    if isinstance(item, list | tuple):
        parts = [_expression(each, tensor) for each in item]
        return listed([x for x in parts if x is not None]) if None not in parts else None
    return number(item) if isinstance(item, int | float) else None


def _item(item: Any, tensor: Callable[[Node], Expression | None]) -> Item | None:
    """An index as it stands in brackets."""
    if item is None:
        return Constant(None, NOWHERE)
    if item == slice(None):
        return WHOLE
    if isinstance(item, slice):
        first, stop, step = (
            None if each is None else number(each) for each in (item.start, item.stop, item.step)
        )
        return Slice(first, stop, step, NOWHERE)
    return _expression(item, tensor)
