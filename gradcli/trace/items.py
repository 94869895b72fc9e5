"""The lists of the language, and text that they show without quotes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count, islice
from typing import Any, overload

import numpy as np

from gradcli.graph import Array, Node, Shape
from gradcli.ops.loops import NotRolled, Stretch, Unlike
from gradcli.tuples import NamedTuple


class Unquoted(str):
    """Text that is shown without quotes in a list: `torch.float32`."""

    __slots__ = ()


NUMPY_BOOL = "numpy.bool"
"""The class of NumPy's truth values, which is not Python's."""


class NumpyDtype(Unquoted):
    """`np.float32`, by PyTorch's name for it."""

    __slots__ = ()

    @property
    def name(self) -> str:
        """That of the class which it is in NumPy."""
        return NUMPY_BOOL if self == "torch.bool" else self.removeprefix("torch.")

    def shown(self) -> str:
        """What print shows of it: in NumPy it is a class."""
        return f"<class 'numpy.{self.removeprefix('torch.')}'>"


class NumpyText(str):
    """An element of an array of texts, which NumPy shows as such in a list."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"np.str_({super().__repr__()})"


class Device(str):
    """The name of a device, which `torch.device` or a tensor gives."""

    __slots__ = ()


class NamedRows(NamedTuple):
    """Names for the values of passes of a loop, which has made those of all passes as one tensor:
    one for each of its rows.
    """

    names: Sequence[str]
    rows: Node


_numbers = count()


class Items(Sequence[Any]):
    """A list. `append(hs, h)` makes a longer one, and `hs.append(h)` changes it, as in Python.

    Lists that are made from each other by `append(hs, h)` share one store, of which each sees the
    beginning: so collecting n values in a loop takes n steps, not n² / 2. What a loop has made as
    one tensor is a single entry of the store, a `Stretch`.
    """

    __slots__ = ("_length", "_more", "_store", "number")

    def __init__(self, store: list[Any], more: int = 0) -> None:
        """`store` may only grow from now on; it stands for so many items `more` than it has."""
        self._store = store
        self._length = len(store)
        self._more = more
        self.number = next(_numbers)
        """Those that are made later have larger ones."""

    def appended(self, item: Any) -> Items:
        """The list with one more item."""
        is_newest = len(self._store) == self._length
        store = self._store if is_newest else self.entries()
        store.append(item)
        return Items(store, self._more)

    def append(self, item: Any) -> None:
        """Put one more item at the end."""
        if len(self._store) != self._length:
            self._store = self.entries()
        self._store.append(item)
        self._length += 1

    def become(self, items: Sequence[Any]) -> None:
        """Hold other items from now on."""
        held = items if isinstance(items, Items) else Items(list(items))
        self._store, self._length, self._more = held.entries(), held._length, held._more

    # --- what loops make ---

    @property
    def is_rolled(self) -> bool:
        """Whether a loop has made some of its items as one."""
        return self._more > 0

    def entries(self) -> list[Any]:
        """The items, those that a loop has made as one `Stretch`."""
        return self._store[: self._length]

    def seen(self) -> Items:
        """The list as it is now, whatever is put into it later."""
        return Items(self.entries(), self._more)

    def has_grown(self, seen: Items) -> bool:
        """Whether something was put into it since it was seen."""
        return self._length != seen._length

    def behind(self, before: Items) -> list[Any]:
        """The items that it has behind those of the one `before`; none if it begins with others."""
        pairs = zip(before.entries(), self.entries(), strict=False)
        if self._length < before._length or any(a is not b for a, b in pairs):
            return []
        return self._store[before._length : self._length]

    def rolled(self, rows: Node, last: Node | None) -> Items:
        """The list with the rows of a tensor behind its items, and then `last`, where the first of
        the rows is the last of its items.
        """
        kept = self.entries() if last is None else self.entries()[:-1]
        ends = [] if last is None else [last]
        return Items([*kept, Stretch(rows), *ends], self._more + rows.shape[0] - 1)

    def longer(self, more: Sequence[Any]) -> Items:
        """The list with more items behind those that it has."""
        return Items([*self.entries(), *more], self._more)

    def shapes(self) -> set[Shape | None]:
        """The shapes of its items; None stands for what is not a tensor."""
        found: set[Shape | None] = set()
        for each in self.entries():
            if isinstance(each, Stretch):
                found.add(each.rows.shape[1:])
            else:
                found.add(each.shape if isinstance(each, Node) else None)
        return found

    # --- items ---

    def __len__(self) -> int:
        return self._length + self._more

    def __iter__(self) -> Iterator[Any]:
        if self._more:
            raise NotRolled("the items of a list that a loop makes longer are read one by one")
        return islice(self._store, self._length)

    @overload
    def __getitem__(self, place: int) -> Any: ...
    @overload
    def __getitem__(self, place: slice) -> Items: ...
    def __getitem__(self, place: int | slice) -> Any:
        if isinstance(place, slice):
            return Items([*self][place])
        behind = len(self) - range(len(self))[place]
        ends = self._store[max(0, self._length - behind) : self._length]
        if behind > self._length or any(isinstance(each, Stretch) for each in ends):
            raise NotRolled("the items of a list that a loop makes longer are read one by one")
        return ends[0]


class Generated(Items):
    """What a method of PyTorch's gives one by one, as `net.parameters()`: a list, shown as what
    makes it.
    """

    __slots__ = ("maker",)

    def __init__(self, maker: str, items: list[Any]) -> None:
        super().__init__(items)
        self.maker = maker


class Growing(Items):
    """What stands for a list in a pass of a loop that stands for others."""

    __slots__ = ("_before", "_lasts", "added")

    def __init__(self, lasts: tuple[Node, ...], before: int, added: tuple[Any, ...] = ()) -> None:
        """`lasts` stand for what the pass before has appended, `added` is what this one has; there
        were so many items `before` the first pass.
        """
        super().__init__([])
        self._lasts = lasts
        self._before = before
        self.added = added

    def from_the_end(self, places: Array) -> int:
        """The places of an item, one for each pass, counted from the end of the list as it is in
        that pass.
        """
        growth = len(self._lasts) * np.arange(len(places))
        found = np.unique(places - self._before - growth - len(self.added))
        if (places < 0).any() or found.size > 1:
            raise Unlike("it reads the list that it makes longer")
        return int(found[0])

    def appended(self, item: Any) -> Items:
        """The list with one more item."""
        return Growing(self._lasts, self._before, (*self.added, item))

    def append(self, item: Any) -> None:
        """Put one more item at the end."""
        self.added = (*self.added, item)

    def seen(self) -> Items:
        """The list as it is now, whatever is put into it later."""
        return Growing(self._lasts, self._before, self.added)

    def has_grown(self, seen: Items) -> bool:
        """Whether something was put into it since it was seen."""
        return not isinstance(seen, Growing) or self.added != seen.added

    def entries(self) -> list[Any]:
        """The items, those that a loop has made as one `Stretch`."""
        raise Unlike("it reads the list that it makes longer")

    def become(self, items: Sequence[Any]) -> None:
        """Hold other items from now on."""
        raise Unlike("it changes a list that it makes longer")

    def __iter__(self) -> Iterator[Any]:
        raise Unlike("it reads the list that it makes longer")

    def __len__(self) -> int:
        raise Unlike("it reads the list that it makes longer")

    @overload
    def __getitem__(self, place: int) -> Any: ...
    @overload
    def __getitem__(self, place: slice) -> Items: ...
    def __getitem__(self, place: int | slice) -> Any:
        found = (*self._lasts, *self.added)
        if isinstance(place, slice) or not -len(found) <= place < 0:
            raise Unlike("it reads the list that it makes longer")
        return found[place]
