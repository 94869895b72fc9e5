"""The lists of the language."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, overload


class Items(Sequence[Any]):
    """A list. `append(hs, h)` makes a longer one, and `hs.append(h)` changes it, as in Python.

    Lists that are made from each other by `append(hs, h)` share one store, of which each sees the
    beginning: so collecting n values in a loop takes n steps, not n² / 2.
    """

    __slots__ = ("_length", "_store")

    def __init__(self, store: list[Any]) -> None:
        """`store` may only grow from now on."""
        self._store = store
        self._length = len(store)

    def appended(self, item: Any) -> Items:
        """The list with one more item."""
        is_newest = len(self._store) == self._length
        store = self._store if is_newest else list(self)
        store.append(item)
        return Items(store)

    def append(self, item: Any) -> None:
        """Put one more item at the end."""
        if len(self._store) != self._length:
            self._store = list(self)
        self._store.append(item)
        self._length += 1

    def become(self, items: Sequence[Any]) -> None:
        """Hold other items from now on."""
        self._store = list(items)
        self._length = len(self._store)

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[Any]:
        return islice(self._store, self._length)

    @overload
    def __getitem__(self, place: int) -> Any: ...
    @overload
    def __getitem__(self, place: slice) -> Items: ...
    def __getitem__(self, place: int | slice) -> Any:
        if isinstance(place, slice):
            return Items(self._store[: self._length][place])
        return self._store[range(self._length)[place]]
