"""Arrays as text for people: aligned, folded between numbers only, large ones by their edges.

An array is first cut down to an :class:`Excerpt`; nothing else of it is read, so a memory map of
any size costs a few pages.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, TypeVar

import numpy as np

from gradcli.graph import Array, Shape

MOST_AXES = 32
IN_FULL = 200
"""Arrays up to this many elements are shown in full."""
EDGES = ((3, 3), (2, 2), (1, 1), (1, 0))
"""How many items from the start and the end of a long axis are shown: the first count that fits."""
GAP = "..."
BRIEF = 12
"""An array whose text is at most this long is written where it is used."""

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The items of an array that are shown: all of them, or the edge items of its long axes."""

    items: Array
    shape: Shape
    """The shape of the whole array; an axis of `items` that is shorter has a gap."""

    @property
    def full(self) -> bool:
        return self.items.shape == self.shape

    def __add__(self, other: Excerpt) -> Excerpt:
        return Excerpt(np.asarray(self.items + other.items), self.shape)


def excerpt(array: Array) -> Excerpt:
    """The items of an array that are shown; no others are read."""
    shape = tuple(array.shape)
    if array.size <= IN_FULL:
        return Excerpt(np.asarray(array), shape)
    for edges in EDGES:
        shown = [_shown(length, *edges) for length in shape]
        if prod(map(len, shown)) <= IN_FULL:
            break
    return Excerpt(_at(array, shown), shape)


def shortened(shown: Excerpt, most: int) -> Excerpt:
    """An excerpt with about `most` of the items."""
    choice = shown
    for edges in EDGES:
        if choice.items.size <= most:
            break
        choice = _only(shown, [_shown(length, *edges) for length in shown.items.shape])
    return choice


def lines(shown: Excerpt, precision: int, width: int | None = None) -> list[str]:
    """Nested brackets over several lines, columns aligned on the right.

    A row that is wider than `width` goes on in the next line; a number is never broken, so one
    that is wider than `width` makes a wider line.
    """
    if width is not None and not shown.full:
        *leading, last = shown.items.shape
        for edges in EDGES:
            choice = _only(shown, [*map(range, leading), _shown(last, *edges)])
            if max(map(len, _stacked(choice, precision, None))) <= width:
                break
        shown = choice
    return _stacked(shown, precision, width)


def inline(shown: Excerpt, precision: int, width: int) -> str:
    """One line; at most `width` characters long if leaving out items can make it that short."""
    text = _flat(_numbers(shown, precision), shown.shape)
    for edges in EDGES:
        if len(text) <= width:
            break
        choice = _only(shown, [_shown(length, *edges) for length in shown.items.shape])
        text = _flat(_numbers(choice, precision), shown.shape)
    return text


def sentence_of(array: Array, precision: int, width: int) -> str:
    """One line that the language reads; it has no list without elements, but `zeros(2, 0)`."""
    if not array.size:
        return f"zeros({', '.join(map(str, array.shape))})"
    return inline(excerpt(array), precision, width)


def brief(array: Array | None, precision: int) -> str | None:
    """The text of an array that is written where it is used; None for longer ones."""
    if array is None or not 0 < array.size <= BRIEF:
        return None  # the language has no list without elements
    text = inline(excerpt(array), precision, BRIEF)
    return text if len(text) <= BRIEF and GAP not in text else None


def counted(count: int, what: str) -> str:
    """`1 row`, `2,000 rows`, `3 passes`."""
    ending = "" if count == 1 else "es" if what.endswith("s") else "s"
    return f"{count:,} {what}{ending}"


def number(value: Any, precision: int) -> str:
    """A NumPy scalar to `precision` significant digits; integers below 1e16 are in full.

    A rounded number never looks like an integer: 23.99999999 is `24.0`, and only 24 is `24`.
    Zero has no sign.
    """
    if value.dtype.kind == "f" and value == 0:
        return "0"
    text = str(value)
    if value.dtype.kind != "f" or not np.isfinite(value):
        return text
    if abs(value) < 1e16 and value == np.trunc(value):
        return f"{value:.0f}"
    mantissa, _, exponent = text.partition("e")
    if len(mantissa.lstrip("-0.").replace(".", "")) > precision:
        mantissa, _, exponent = f"{value:#.{precision}g}".partition("e")
        if mantissa.endswith("."):
            mantissa, _, exponent = f"{value:.{precision - 1}e}".partition("e")
        mantissa = mantissa.rstrip("0").removesuffix(".") if "." in mantissa else mantissa
        if "." not in mantissa and not exponent.startswith("-"):
            mantissa += ".0"
    return f"{mantissa}e{int(exponent)}" if exponent else mantissa


def _shown(length: int, head: int, tail: int) -> list[int]:
    if length <= head + tail:
        return list(range(length))
    return [*range(head), *range(length - tail, length)]


def _only(shown: Excerpt, places: Sequence[Sequence[int]]) -> Excerpt:
    """A shorter excerpt, which keeps only the items at these indices along each axis."""
    return Excerpt(_at(shown.items, places) if places else shown.items, shown.shape)


def _at(array: Array, places: Sequence[Sequence[int]]) -> Array:
    """The items at these indices along each axis. NumPy's `ix_` takes at most 32 axes; where there
    are more, those of length 1 are removed first.
    """
    if len(places) <= MOST_AXES:
        return np.asarray(array[np.ix_(*places)])
    axes = [axis for axis, length in enumerate(array.shape) if length != 1]
    plain = array.reshape([array.shape[axis] for axis in axes])
    found = np.asarray(plain[np.ix_(*(places[axis] for axis in axes))])
    return found.reshape([len(each) for each in places])


def _numbers(shown: Excerpt, precision: int) -> Array:
    texts = np.array([number(value, precision) for value in shown.items.ravel()], dtype=object)
    return texts.reshape(shown.items.shape)


def _with_gap(parts: list[_T], length: int, gap: _T) -> list[_T]:
    """The parts along an axis, with the gap in the middle if they are fewer than its length."""
    if len(parts) < length:
        parts.insert((len(parts) + 1) // 2, gap)
    return parts


def _flat(texts: Array, shape: Shape) -> str:
    if not shape:
        return str(texts.item())
    if not texts.size:
        return "[]"
    parts = list(texts) if len(shape) == 1 else [_flat(part, shape[1:]) for part in texts]
    return "[" + ", ".join(_with_gap(parts, shape[0], GAP)) + "]"


def _stacked(shown: Excerpt, precision: int, width: int | None) -> list[str]:
    texts, shape = _numbers(shown, precision), shown.shape
    if not shape:
        return [str(texts.item())]
    if not texts.size:
        return ["[]"]
    widths = [max(map(len, column)) for column in texts.reshape(-1, texts.shape[-1]).T]
    room = None if width is None else width - 2 * len(shape)
    if room is not None and sum(widths) + 2 * len(widths) - 2 > room:
        widths = [max(widths)] * len(widths)
    return _rows(texts, shape, widths, room)


def _rows(texts: Array, shape: Shape, widths: list[int], room: int | None) -> list[str]:
    """The lines of an array; recurses over its axes, of which NumPy allows 64."""
    if len(shape) == 1:
        padded = [text.rjust(width) for text, width in zip(texts, widths, strict=True)]
        blocks = [_folded(_with_gap(padded, shape[0], GAP), room)]
    else:
        blocks = [_rows(part, shape[1:], widths, room) for part in texts]
        blocks = _with_gap(blocks, shape[0], [GAP])
    for block in blocks[:-1]:
        block[-1] += ","
    blocks[-1][-1] += "]"
    flat = [line for block in blocks for line in block]
    return ["[" + flat[0], *(" " + line for line in flat[1:])]


def _folded(items: list[str], room: int | None) -> list[str]:
    """Items with commas, as many in a line as there is room for."""
    folded = [items[0]]
    for item in items[1:]:
        if room is None or len(folded[-1]) + 2 + len(item) <= room:
            folded[-1] += ", " + item
        else:
            folded[-1] += ","
            folded.append(item)
    return folded
