"""Arrays as heat maps: a table of numbers in colours, a scale, and for large ones a picture."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from xml.etree.ElementTree import Element

import numpy as np

from gradcli.graph import Array
from gradcli.ops.shapes import show
from gradcli.report.arrays import GAP, Excerpt, excerpt, number
from gradcli.report.elements import element

HALF = 10
"""How many colours there are on either side of 0: a page's style has one for each."""
PICTURE = 64
"""The most cells along a side of a picture; of a longer one every so manieth is drawn."""
NARROW, BETWEEN = 30, 2
"""A table of more characters than this, with so many for each column besides its numbers, may be
wider than a phone: then it is scrolled, which takes a focus."""

Index = tuple[int, ...]
Marked = Callable[[Index], "dict[str, str]"]
"""What an entry leads to: the attributes of its button; empty where there is none."""


def heat_map(
    title: str,
    array: Array | Excerpt,
    precision: int,
    marked: Marked | None = None,
    name: str = "",
) -> Element:
    """An array with its name and shape above; `name` is the identity in the page."""
    whole = None if isinstance(array, Excerpt) else np.asarray(array)
    shown = array if isinstance(array, Excerpt) else excerpt(array)
    limit = _limit(shown.items if whole is None else whole)
    shape = f" shape {show(shown.shape)}" if shown.shape else ""
    caption = element("figcaption", element("code", title), shape)
    found = element("figure", caption, class_="heat", id=name or False)
    if shown.items.size:
        found.extend(_tables(title, shown, limit, precision, marked))
        if whole is not None and whole.ndim > 1 and not shown.full:
            found.append(_picture(title, whole, limit))
        if shown.items.size > 1:
            found.append(_scale(limit, precision))
    return found


def _limit(array: Array) -> float:
    """The size of the largest finite number."""
    numbers = array.astype(float)
    return float(np.max(np.abs(numbers[np.isfinite(numbers)]), initial=0.0))


def _colour(value: float, limit: float) -> str:
    """The class of a cell: `q0` for the least number of the scale, `q20` for the largest."""
    if not np.isfinite(value):
        return "qn"
    return f"q{HALF + round(HALF * value / limit) if limit else HALF}"


def _tables(
    title: str, shown: Excerpt, limit: float, precision: int, marked: Marked | None
) -> Iterator[Element]:
    """A table for each matrix of an array."""
    axes = [_axis(n, m) for n, m in zip(shown.items.shape, shown.shape, strict=True)]
    rows, columns = ([GIVEN], [GIVEN], *axes)[-2:]
    outer = axes[:-2]
    for way in product(*outer):
        if GAP_HERE in way:
            yield element("p", GAP)
            continue
        table = element("table")
        if outer:
            table.append(element("caption", f"{title}[{', '.join(str(at) for _, at in way)}]"))
        width = dict.fromkeys(columns, 0)
        for row in rows:
            cells = [
                _cell(shown, (*way, row, column), limit, precision, marked) for column in columns
            ]
            table.append(element("tr", *cells))
            for column, cell in zip(columns, cells, strict=True):
                width[column] = max(width[column], len("".join(cell.itertext())) + BETWEEN)
        yield _scrolled(table, title) if sum(width.values()) > NARROW else table


def _scrolled(table: Element, title: str) -> Element:
    label = f"the numbers of {title}"
    return element("div", table, class_="wide", tabindex=0, role="region", aria_label=label)


Place = tuple[int, int]
"""Where an item is along an axis: in the excerpt, and in the whole array."""
GAP_HERE: Place = (-1, -1)
GIVEN: Place = (-2, -2)
"""An axis that the array does not have."""


def _axis(shown: int, length: int) -> list[Place]:
    """The items along an axis of an excerpt, and the gap between them."""
    if shown == length:
        return [(each, each) for each in range(length)]
    head = (shown + 1) // 2
    tail = [(each, length - shown + each) for each in range(head, shown)]
    return [*((each, each) for each in range(head)), GAP_HERE, *tail]


def _cell(
    shown: Excerpt, way: Sequence[Place], limit: float, precision: int, marked: Marked | None
) -> Element:
    if GAP_HERE in way:
        return element("td", GAP)
    way = [place for place in way if place is not GIVEN]
    value = shown.items[tuple(here for here, _ in way)]
    text = number(np.asarray(value)[()], precision)
    leads = marked(tuple(there for _, there in way)) if marked else {}
    inside: str | Element = element("button", text, type="button", **leads) if leads else text
    return element("td", inside, class_=_colour(float(value), limit))


def _scale(limit: float, precision: int) -> Element:
    """The colours and what they stand for."""
    low, high = (number(np.float64(each), precision) for each in (-limit, limit))
    return element("p", f"{low} ", element("span", class_="bar"), f" {high}", class_="scale")


def _picture(title: str, array: Array, limit: float) -> Element:
    """All of a large array as coloured cells, one path for each colour."""
    flat = array.reshape(-1, array.shape[-1]).astype(float)
    every = [-(-length // PICTURE) for length in flat.shape]
    cells = flat[:: every[0], :: every[1]]
    ways: dict[str, list[str]] = {}
    for (row, column), value in np.ndenumerate(cells):
        ways.setdefault(_colour(float(value), limit), []).append(f"M{column} {row}h1v1h-1z")
    height, width = cells.shape
    paths = [element("path", d="".join(way), class_=colour) for colour, way in ways.items()]
    left_out = f"; of rows every {every[0]}., of columns every {every[1]}. is drawn"
    label = f"{title} as a picture{left_out if max(every) > 1 else ''}"
    return element(
        "svg", *paths, viewBox=f"0 0 {width} {height}", class_="picture", role="img",
        aria_label=label, width=4 * width, height=4 * height,
    )  # fmt: skip
