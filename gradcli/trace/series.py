"""What loops run over, item by item: numbers, the rows of a tensor, and several of these at once.

An item is made when its pass begins. So a pass can also be given what stands for the items of any
pass.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, overload

from gradcli.graph import Graph, Node
from gradcli.ops.loops import NotRolled
from gradcli.trace.items import Items
from gradcli.trace.iterators import Remaining
from gradcli.trace.objects import Object
from gradcli.trace.values import StandIns, Value, Values

ITERATOR = "iterator"
"""What the classes of `itertools` are called together."""


class Series(Items):
    """A list whose items are made when they are asked for."""

    __slots__ = ("_item", "_of_any")

    def __init__(
        self, length: int, item: Callable[[int], Any], of_any: Callable[[StandIns, range], Any]
    ) -> None:
        """`item` makes the item of a place, `of_any` what stands for the items of some places."""
        super().__init__([])
        self._length = length
        self._item = item
        self._of_any = of_any

    def appended(self, item: Any) -> Items:
        """The list with one more item."""
        return Items([*self, item])

    def entries(self) -> list[Any]:
        """The items."""
        return [*self]

    def seen(self) -> Items:
        """The list as it is now, whatever is put into it later."""
        return super().seen() if self._store else Series(self._length, self._item, self._of_any)

    @property
    def is_made(self) -> bool:
        """Whether all items are made by their places: nothing was put into it."""
        return not self._store

    def of_any(self, passes: StandIns, places: range) -> Any:
        """What stands for the items of some places."""
        return self._of_any(passes, places)

    def __iter__(self) -> Iterator[Any]:
        if self._store:  # something was put into it
            return super().__iter__()
        return map(self._item, range(self._length))

    @overload
    def __getitem__(self, place: int) -> Any: ...
    @overload
    def __getitem__(self, place: slice) -> Items: ...
    def __getitem__(self, place: int | slice) -> Any:
        found = range(self._length)[place]
        if self._store:
            return super().__getitem__(place)
        return self._item(found) if isinstance(found, int) else Items([*map(self._item, found)])


class Passed(Remaining):
    """What `zip` and its like have found, which is read once."""

    what = "an iterator"

    def __init__(self, values: Values, kind: str, items: Iterable[Value]) -> None:
        """`kind` is the class that it has in Python."""
        super().__init__(values, items)
        self.title = kind
        self._items: Iterable[Value] | None = items
        """The same, where nothing was taken."""

    def is_empty(self) -> bool:
        self._items = None
        return super().is_empty()

    def looped(self) -> Any:
        """All of it, where a loop may run over its places, and nothing was taken."""
        items, self._items = self._items, None
        if not isinstance(items, Series):
            return self
        self._rest = map(_left_by_loop, (None,))
        return items

    def shown(self) -> str:
        return f"<{self.title} object at 0x7f0000000000>"


def _left_by_loop(_: None) -> Value:
    raise NotRolled("what is read once is read again behind a loop over it")


def passed(values: Values, kind: str, items: Iterable[Value]) -> Value:
    """What `zip` and its like give: in the language itself a list."""
    if values.is_python:
        return Passed(values, kind, items)
    return items if isinstance(items, Items) else Items(list(items))


def numbers(graph: Graph, of: range) -> Series:
    """The numbers of a range."""
    return Series(
        len(of),
        lambda place: graph.constant(float(of[place])),
        lambda passes, places: passes.counter(of[places.start : places.stop]),
    )


def rows(values: Values, node: Node) -> Series:
    """The elements of a tensor along its first axis."""
    from gradcli.ops.indexing import getitem

    return Series(
        node.shape[0],
        lambda place: values.as_row(getitem(node, [place]), node),
        lambda passes, places: values.as_row(passes.row(node, places), node),
    )


def together(parts: Sequence[Series]) -> Series:
    """Tuples of the items of several lists, up to the end of the shortest, as `zip` has it."""
    return Series(
        min(map(len, parts), default=0),
        lambda place: tuple([each[place] for each in parts]),
        lambda passes, places: tuple([each.of_any(passes, places) for each in parts]),
    )


def series(values: Values, value: Value) -> Series | None:
    """The items of a value as they are run over, if each can be made by its place alone."""
    if isinstance(value, Object):
        value = value.looped()
    if isinstance(value, Series):
        return value if value.is_made else None
    if isinstance(value, range):
        return numbers(values.graph, value)
    if not isinstance(value, Node) or not value.shape:
        return None
    return None if value in values.listed or value in values.number_lists else rows(values, value)
