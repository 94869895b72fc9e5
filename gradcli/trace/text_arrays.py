"""Arrays of texts, as NumPy has them: `np.array(["cat", "dog"])`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradcli.diagnostics import GradcliError, RefusedError
from gradcli.graph import Node
from gradcli.trace.items import Items, NumpyText, Unquoted
from gradcli.trace.objects import BuiltIn, Given, Object
from gradcli.trace.values import Value, Values

Texts = np.ndarray[Any, np.dtype[np.str_]]
_TEXTS = (str, NumpyText)
"""Names of dtypes and devices are no texts."""
_CHARACTER = 4
"""Bytes of a character."""


def holds_texts(value: Value) -> bool:
    """Whether it is a row of texts, or of such rows."""
    first: Any = value
    for _ in range(2):
        if type(first) not in (Items, tuple) or getattr(first, "is_rolled", False) or not first:
            return False
        first = first[0]
        if type(first) in _TEXTS:
            return True
    return False


class TextArray(Object):
    """Texts that comparisons and indices treat one by one."""

    what = "an array of texts"
    title = "ndarray"

    def __init__(self, values: Values, held: Texts) -> None:
        """`held` may be a part of another one's, with which it changes."""
        self.values = values
        self.held = held

    @classmethod
    def of(cls, values: Values, rows: Value) -> TextArray:
        """The array of a row of texts, or of rows of one length. Raises `type` for others."""
        nested: list[Any] = [
            [*each] if isinstance(each, Items | tuple) else each for each in values.elements(rows)
        ]
        texts = [text for each in nested for text in (each if isinstance(each, list) else [each])]
        is_even = len({len(each) if isinstance(each, list) else -1 for each in nested}) == 1
        if not is_even or any(type(text) not in _TEXTS for text in texts):
            raise GradcliError("type", "an array of texts holds nothing else, in even rows",
                               hint="a list may hold anything")  # fmt: skip
        width = max(map(len, texts), default=1)
        values.graph.ledger.take(_CHARACTER * width * len(texts), "an array of texts")
        return cls(values, np.array(nested, dtype=np.str_))

    def again(self, held: Texts) -> TextArray:
        """An array of its own of these texts."""
        self.values.graph.ledger.take(held.nbytes, "an array of texts")
        return TextArray(self.values, held)

    def _array(self, array: Any) -> Node:
        """An array of numbers or truth values."""
        node = self.values.own(self.values.graph.constant(np.asarray(array)))
        self.values.arrays.add(node)
        return node

    # --- elements ---

    def length(self) -> int:
        return len(self.held)

    def elements(self) -> Items:
        self.values.graph.check_room(len(self.held))
        return Items([self._found(each) for each in self.held])

    def _found(self, part: Any) -> Value:
        return NumpyText(part) if isinstance(part, str) else TextArray(self.values, part)

    def item(self, items: Sequence[Any]) -> Value:
        found = self._at(lambda place: self.held[place], items)
        return self._found(found) if isinstance(found, str) else self.again(found)

    def set_item(self, items: Sequence[Any], value: Any) -> None:
        new = value.held if isinstance(value, TextArray) else value
        if not isinstance(new, str | np.ndarray):
            raise GradcliError("type", "an element of an array of texts is a text", hint="str(x)")
        self._at(lambda place: self.held.__setitem__(place, new), items)

    def _at(self, of: Callable[[Any], Any], items: Sequence[Any]) -> Any:
        try:
            return of(tuple(map(self._place, items)))
        except (IndexError, ValueError) as error:
            said = type(error).__name__, str(error)
            raise RefusedError(said, "index", str(error)) from None

    def _place(self, item: Any) -> Any:
        if isinstance(item, slice):
            bounds = (item.start, item.stop, item.step)
            return slice(*(None if each is None else self._place(each) for each in bounds))
        if item is None or item is Ellipsis or isinstance(item, int):
            return item
        node = self.values.tensor(item, "an index")
        found = self.values.evaluator.value(node)
        if node.kind == "bool":
            return np.asarray(found, bool)
        found = np.asarray(self.values.evaluator.value(self.values.index(node, "an index")))
        return int(found) if not found.ndim else found.astype(np.int64)

    def contains(self, value: Any) -> bool:
        return isinstance(value, str) and bool((self.held == value).any())

    # --- as an array ---

    def special(self, name: str) -> Object | None:
        return BuiltIn(name, self._compared) if name in ("__eq__", "__ne__") else None

    def _compared(self, name: str, arguments: list[Value], keywords: Given) -> Value:
        (other,) = arguments
        if holds_texts(other):
            other = TextArray.of(self.values, other)
        if isinstance(other, TextArray):
            try:
                same = self.held == np.broadcast_to(other.held, self.held.shape)
            except ValueError:
                raise GradcliError("shape", "arrays of texts of two shapes are compared") from None
        else:
            same = self.held == (other if isinstance(other, str) else "")
            same = same & isinstance(other, str)
        return self._array(same if name == "__eq__" else ~same)

    def attribute(self, name: str) -> Any:
        if name == "shape":
            return tuple(self.values.plain(each) for each in self.held.shape)
        if name in ("size", "ndim"):
            return self.values.plain(int(getattr(self.held, name)))
        if name == "dtype":
            return Unquoted(str(self.held.dtype))
        return TextArray(self.values, self.held.T) if name == "T" else super().attribute(name)

    def methods(self) -> dict[str, Callable[[list[Value], Given], Any]]:
        return {
            "tolist": lambda *_: _as_lists(self.held),
            "copy": lambda *_: self.again(self.held.copy()),
            "flatten": lambda *_: self.again(self.held.flatten()),
            "ravel": lambda *_: TextArray(self.values, self.held.ravel()),
        }

    def shown(self) -> str:
        return str(self.held)

    def parts(self, quoted: bool) -> list[tuple[Any, bool]] | None:
        return [(repr(self.held), False)] if quoted else None


def joined(values: Values, parts: Sequence[Value]) -> TextArray | None:
    """The texts of several arrays or lists, one behind the other; None where there are others."""
    rows: list[TextArray] = []
    for part in parts:
        if isinstance(part, TextArray):
            rows.append(part)
        elif holds_texts(part):
            rows.append(TextArray.of(values, part))
        elif type(part) in _TEXTS:
            rows.append(TextArray.of(values, (part,)))
        elif not isinstance(part, Node) or part.size:
            return None
    return rows[0].again(np.concatenate([each.held.ravel() for each in rows])) if rows else None


def chosen(
    values: Values, conditions: Sequence[Value], choices: Sequence[Value]
) -> TextArray | None:
    """Of each place the text by the first condition that holds there, the last one where none
    does; None where these are no texts.
    """
    rows = [
        each.held if isinstance(each, TextArray)
        else TextArray.of(values, each).held if holds_texts(each)
        else np.array(each) if type(each) in _TEXTS
        else None
        for each in choices
    ]  # fmt: skip
    held = [each for each in rows if each is not None]
    if len(held) < len(rows) or len(rows) != len(conditions) + 1:
        return None
    masks = [np.asarray(values.evaluator.value(values.tensor(each)), bool) for each in conditions]
    try:
        found = held[-1]
        for mask, text in zip(reversed(masks), reversed(held[:-1]), strict=True):
            found = np.where(mask, text, found)
    except ValueError as error:
        raise RefusedError(("ValueError", str(error)), "shape", str(error)) from None
    values.graph.ledger.take(found.nbytes, "an array of texts")
    return TextArray(values, found)


def _as_lists(held: Texts) -> Items:
    """Lists of texts, or of these."""
    return Items([str(each) if isinstance(each, str) else _as_lists(each) for each in held])
