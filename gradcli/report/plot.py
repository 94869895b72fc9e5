"""A curve and its derivative: as text in dots, as SVG, as CSV and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

import numpy as np

from gradcli.analysis.curve import Curve
from gradcli.graph import Array
from gradcli.report.arrays import number
from gradcli.report.json import line
from gradcli.report.layout import Layout

ROWS = 9
"""Lines of text in a panel."""
LABEL = 9
"""Characters of the numbers left of a panel."""
DIGITS = 4
SPREAD = 10.0
"""A range this many times as wide as that of the middle 90 % of the values is cut: a pole."""
_BRAILLE = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
"""The dots of a braille pattern by row and column, as bits beyond U+2800."""


def _panels(curve: Curve) -> list[tuple[str, Array]]:
    derivative = f"d{curve.output}/d{curve.variable}"
    return [(curve.output, curve.values), (derivative, curve.slopes)]


def _range(values: Array) -> tuple[float, float]:
    """The least and the largest value to be drawn, never the same."""
    finite = values[np.isfinite(values)]
    if not finite.size:
        return -1.0, 1.0
    low, high = float(finite.min()), float(finite.max())
    inner_low, inner_high = (float(each) for each in np.quantile(finite, (0.05, 0.95)))
    if high - low > SPREAD * (inner_high - inner_low) > 0:
        low, high = inner_low, inner_high
    if low == high:
        margin = abs(low) or 1.0
        return low - margin, high + margin
    return low, high


def _marks(low: float, high: float) -> list[str]:
    """The numbers at a panel's top, middle and bottom; a middle that is only rounding is 0."""
    middle = (low + high) / 2
    if abs(middle) < 1e-9 * (high - low):
        middle = 0.0
    return [number(np.float64(each), DIGITS) for each in (high, middle, low)]


# --- text ----------------------------------------------------------------------------------


def write_text(curve: Curve, layout: Layout) -> Iterator[str]:
    """For a terminal."""
    yield as_text(curve, layout)


def write_svg(curve: Curve, _layout: Layout | None = None) -> Iterator[str]:
    """Drawn."""
    yield as_svg(curve)


def write_csv(curve: Curve, _layout: Layout | None = None) -> Iterator[str]:
    """For tables."""
    yield as_csv(curve)


def write_json(curve: Curve, _layout: Layout | None = None) -> Iterator[str]:
    """For programs."""
    yield as_json(curve)


def as_text(curve: Curve, layout: Layout) -> str:
    """The value in the upper panel, its derivative in the lower, over the same range."""
    across = max(10, layout.width - LABEL - 3)
    lines: list[str] = []
    for title, values in _panels(curve):
        lines += [title, *_panel(values, across, ascii_only=layout.ascii_only), ""]
    first, last = (number(np.float64(curve.points[end]), DIGITS) for end in (0, -1))
    axis = f"{first}{curve.variable.center(across - len(first) - len(last))}{last}"
    lines[-1] = " " * (LABEL + 2) + axis
    return "\n".join(lines) + "\n"


def _panel(values: Array, across: int, *, ascii_only: bool) -> list[str]:
    """Rows of dots with numbers and an axis on their left."""
    fine = (1, 1) if ascii_only else (4, 2)
    dots = _dots(values, ROWS * fine[0], across * fine[1])
    low, high = _range(values)
    labels = dict(zip((0, ROWS // 2, ROWS - 1), _marks(low, high), strict=True))
    bar = "|" if ascii_only else "│"
    lines = []
    for row in range(ROWS):
        cells = dots[row * fine[0] : (row + 1) * fine[0]].reshape(fine[0], across, fine[1])
        drawn = "".join(
            ("*" if cell.any() else " ") if ascii_only else _cell(cell)
            for cell in cells.transpose(1, 0, 2)
        )
        lines.append(f"{labels.get(row, ''):>{LABEL}} {bar}{drawn}".rstrip())
    return lines


def _dots(values: Array, rows: int, columns: int) -> Array:
    """Where there are dots: the dots of neighbouring values are joined by dots in their columns."""
    low, high = _range(values)
    grid = np.zeros((rows, columns), bool)
    place = np.linspace(0, len(values) - 1, columns)
    with np.errstate(all="ignore"):
        heights = np.interp(place, np.arange(len(values)), values)
        at = (high - heights) / (high - low) * (rows - 1)
    previous: float | None = None
    for column, row in enumerate(at):
        if not np.isfinite(row):
            previous = None
            continue
        start = row if previous is None else (previous + row) / 2
        top, bottom = sorted((round(float(start)), round(float(row))))
        grid[max(top, 0) : max(min(bottom + 1, rows), 0), column] = True
        previous = float(row)
    return grid


def _cell(dots: Array) -> str:
    bits = sum(
        bit
        for pair, row in zip(_BRAILLE, dots, strict=True)
        for bit, dot in zip(pair, row, strict=True)
        if dot
    )
    return chr(0x2800 + bits) if bits else " "


# --- files ---------------------------------------------------------------------------------

WIDE, HIGH, LEFT, TOP = 640, 220, 80, 30
"""Pixels: the size of a panel, and the margins on its left and above it."""
COLOURS = ("#1f77b4", "#d62728")


def as_svg(curve: Curve) -> str:
    """Both panels, one above the other."""
    width, height = WIDE + 2 * LEFT, 2 * (HIGH + TOP) + TOP + 20
    size = f'width="{width}" height="{height}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="12">',
        f'<rect {size} fill="#ffffff"/>',
    ]
    low, high = float(curve.points[0]), float(curve.points[-1])
    across = np.linspace(LEFT, LEFT + WIDE, len(curve.points))  # as the points are
    for panel, (title, values) in enumerate(_panels(curve)):
        top = TOP + panel * (HIGH + TOP)
        least, most = _range(values)
        parts.append(
            f'<rect x="{LEFT}" y="{top}" width="{WIDE}" height="{HIGH}" fill="none" '
            'stroke="#888888"/>'
        )
        parts.append(_label(title, LEFT, top - 8, "start"))
        for share, text in zip((0.0, 0.5, 1.0), _marks(least, most), strict=True):
            parts.append(_label(text, LEFT - 6, top + HIGH * share + 4, "end"))
        down = top + (most - values) / (most - least) * HIGH
        parts += [
            f'<polyline points="{line}" fill="none" stroke="{COLOURS[panel]}" stroke-width="1.5"/>'
            for line in _lines(across, down, top)
        ]
    for text, x, anchor in (
        (number(np.float64(low), DIGITS), LEFT, "start"),
        (curve.variable, LEFT + WIDE / 2, "middle"),
        (number(np.float64(high), DIGITS), LEFT + WIDE, "end"),
    ):
        parts.append(_label(text, x, height - 20, anchor))
    return "\n".join([*parts, "</svg>"]) + "\n"


def _label(text: str, x: float, y: float, anchor: str) -> str:
    return f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}">{escape(text)}</text>'


def _lines(across: Array, down: Array, top: int) -> Iterator[str]:
    """The connected pieces of a curve that are inside its panel."""
    inside = np.isfinite(down) & (down >= top - 0.5) & (down <= top + HIGH + 0.5)
    piece: list[str] = []
    for x, y, shown in zip(across, down, inside, strict=True):
        if shown:
            piece.append(f"{x:.1f},{y:.1f}")
        elif piece:
            yield " ".join(piece)
            piece = []
    if piece:
        yield " ".join(piece)


def as_csv(curve: Curve) -> str:
    """A row for each point; numbers read back to the same bits."""
    head = ",".join((curve.variable, *(title for title, _ in _panels(curve))))
    columns = (curve.points, curve.values, curve.slopes)
    rows = zip(*(map(repr, column.tolist()) for column in columns), strict=True)
    return "\n".join([head, *map(",".join, rows)]) + "\n"


def as_json(curve: Curve) -> str:
    """The three columns."""
    return line(
        {
            "variable": curve.variable,
            "output": curve.output,
            "points": curve.points,
            "values": curve.values,
            "derivative": curve.slopes,
        }
    )
