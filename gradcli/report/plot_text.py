"""Curves and their derivatives as text, in dots of braille."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from gradcli.analysis.curve import Curve
from gradcli.graph import Array
from gradcli.report.layout import Layout
from gradcli.report.plot import GAPS, Panel, ends_of, panels, share, tick_texts, ticks, told

ROWS = 9
"""Lines of text in a panel."""
LABEL = 9
"""Characters of the numbers left of a panel, at least."""
NAME = 12
"""Characters of a curve's name on its right, at most."""
_BRAILLE = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
"""The dots of a braille pattern by row and column, as bits beyond U+2800."""


def write_text(curves: Sequence[Curve], layout: Layout) -> Iterator[str]:
    """For a terminal."""
    yield as_text(curves, layout)


def as_text(curves: Sequence[Curve], layout: Layout) -> str:
    """Values in the upper panel, derivatives in the lower, over the same range."""
    names = [each.output[:NAME] for each in curves]
    beside = 1 + len(", ".join(names))
    if len(curves) == 1 or layout.width < 2 * beside:
        names, beside = [], 0
    both = panels(curves)
    label = max(LABEL, *(len(text) for each in both for text in tick_texts(_places(each))))
    across = max(10, layout.width - label - 3 - beside)
    lines: list[str] = []
    for panel in both:
        drawn = _panel(curves, panel, names, (label, across), ascii_only=layout.ascii_only)
        lines += [", ".join(panel.titles), *drawn, ""]
    lines[-1] = " " * (label + 2) + _numbers_below(ends_of(curves[0]), across)
    lines.append(" " * (label + 2) + curves[0].variable.center(across).rstrip())
    lines += told(curves)
    return "\n".join(lines) + "\n"


def _panel(
    curves: Sequence[Curve], panel: Panel, names: Sequence[str], widths: tuple[int, int],
    *, ascii_only: bool,
) -> list[str]:  # fmt: skip
    """Rows of dots with numbers and an axis on their left, and `names` where curves end; `widths`
    are those of numbers and of dots.
    """
    label, across = widths
    fine = (1, 1) if ascii_only else (4, 2)
    low, high = panel.low, panel.high
    shape = (ROWS * fine[0], across * fine[1])
    each_dots = [
        _dots(curve, values, (low, high), shape)
        for curve, values in zip(curves, panel.columns, strict=True)
    ]
    grid = np.logical_or.reduce(each_dots)
    ends = _ends(each_dots, names, fine[0])
    if low < 0 < high:
        grid[round(high / (high - low) * (len(grid) - 1)), :: 2 * fine[1]] = True  # the zero line
    places = _places(panel)
    labels = {
        round((1 - share(tick, low, high)) * (len(grid) - 1)) // fine[0]: text
        for tick, text in zip(places, tick_texts(places), strict=True)
    }
    plain, marked = ("|", "+") if ascii_only else ("│", "┤")
    lines = []
    for row in range(ROWS):
        cells = grid[row * fine[0] : (row + 1) * fine[0]].reshape(fine[0], across, fine[1])
        drawn = "".join(
            ("*" if cell.any() else " ") if ascii_only else _cell(cell)
            for cell in cells.transpose(1, 0, 2)
        )
        bar = marked if row in labels else plain
        lines.append(f"{labels.get(row, ''):>{label}} {bar}{drawn} {ends[row]}".rstrip())
    return lines


def _ends(each_dots: Sequence[Array], names: Sequence[str], fine: int) -> list[str]:
    """The names of the curves whose last dot is in a row of text, which has `fine` rows of dots."""
    found: list[list[str]] = [[] for _ in range(ROWS)]
    for dots, name in zip(each_dots, names, strict=False):
        columns = np.flatnonzero(dots.any(axis=0))
        if columns.size:
            row = int(dots[:, columns[-1]].argmax()) // fine
            found[row].append(name)
    return [", ".join(each) for each in found]


def _places(panel: Panel) -> list[float]:
    return ticks(panel.low, panel.high)


def _numbers_below(ends: tuple[float, float], across: int) -> str:
    """Round numbers of a range, each below its place, as far as they fit."""
    row = ""
    places = ticks(min(ends), max(ends))
    shares = [share(tick, *ends) for tick in places]
    for at, text in sorted(zip(shares, tick_texts(places), strict=True)):
        start = max(0, min(round(at * (across - 1)) - len(text) // 2, across - len(text)))
        if not row or start > len(row):
            row = row.ljust(start) + text
    return row


def _dots(curve: Curve, values: Array, shown: tuple[float, float], shape: tuple[int, ...]) -> Array:
    """Where there are dots: the dots of neighbouring values are joined by dots in their columns."""
    (low, high), (rows, columns) = shown, shape
    grid = np.zeros((rows, columns), bool)
    first, last = ends_of(curve)
    gaps = {share(each.place, first, last) for each in curve.breaks if each.kind in GAPS}
    across = share(curve.points, first, last)
    place = np.linspace(0, 1, columns)
    with np.errstate(all="ignore"):
        heights = np.interp(place, across, values)
        at = (high - heights) / (high - low) * (rows - 1)
        inside = (high - values) / (high - low) * (rows - 1)
    peaks = _extremes(inside, np.rint(across * (columns - 1)).astype(int), columns)
    previous: float | None = None
    for column, row in enumerate(at):
        if not np.isfinite(row):
            previous = None
            continue
        is_gap = any(abs(place[column] - gap) <= 1 / columns for gap in gaps)
        start = row if previous is None or is_gap else (previous + row) / 2
        ends = (start, row) if is_gap else (start, row, *peaks[:, column])
        top, bottom = round(float(np.nanmin(ends))), round(float(np.nanmax(ends)))
        grid[max(top, 0) : max(min(bottom + 1, rows), 0), column] = True
        previous = float(row)
    return grid


def _extremes(rows: Array, columns: Array, count: int) -> Array:
    """The highest and the lowest of the points in each column; NaN where there are none."""
    found = np.full((2, count), np.nan)
    shown = np.isfinite(rows)
    np.fmin.at(found[0], columns[shown], rows[shown])
    np.fmax.at(found[1], columns[shown], rows[shown])
    return found


def _cell(dots: Array) -> str:
    bits = sum(
        bit
        for pair, row in zip(_BRAILLE, dots, strict=True)
        for bit, dot in zip(pair, row, strict=True)
        if dot
    )
    return chr(0x2800 + bits) if bits else " "
