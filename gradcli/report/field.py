"""A function of two numbers: a heat map with arrows along its gradient, text, CSV and JSON."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

import numpy as np

from gradcli.analysis.field import Surface
from gradcli.extras import require
from gradcli.report.arrays import number
from gradcli.report.json import line
from gradcli.report.layout import Layout
from gradcli.report.plot import FONT, range_of, tick_texts, ticks

DIGITS = 4
SIDE, LEFT, TOP = 480, 80, 30
"""Pixels: the size of the map, and the margins on its left and above it."""
ARROWS = 16
"""The most arrows along a side."""
LOW, MIDDLE, HIGH = (106, 174, 224), (244, 244, 244), (236, 137, 105)
"""Colours of the least value, of the middle and of the largest: red, green and blue."""
SHADES = " .:-=+*#%@"
"""Of text, from the least value to the largest."""


def write_svg(field: Surface, _layout: Layout | None = None) -> Iterator[str]:
    """Drawn."""
    yield as_svg(field)


def write_png(field: Surface, _layout: Layout | None = None) -> Iterator[bytes]:
    """Drawn, as pixels. Raises `usage` where the extra `png` is not installed."""
    yield require("png", "usage").svg2png(bytestring=as_svg(field).encode())


def write_text(field: Surface, _layout: Layout | None = None) -> Iterator[str]:
    """For a terminal: a character for each point, the largest second number on top."""
    low, high = range_of(field.values, field.values)
    across, up = field.variables
    yield f"{field.output}: from {_short(low)} ({SHADES[1]!r}) to {_short(high)} ({SHADES[-1]!r})\n"
    for place, row in zip(field.up[::-1], field.values[::-1], strict=True):
        shares = np.clip((row / 2 - low / 2) / (high / 2 - low / 2), 0, 1)
        shades = [
            SHADES[1 + round(share * (len(SHADES) - 2))] if np.isfinite(share) else " "
            for share in shares.tolist()
        ]
        yield f"{_short(place):>9} {''.join(shades)}\n"
    ends = f"{_short(field.across[0])} to {_short(field.across[-1])}"
    yield f"{'':>9} {across} from left to right, {ends}; {up} upward\n"


def write_csv(field: Surface, _layout: Layout | None = None) -> Iterator[str]:
    """A row for each point; numbers read back to the same bits."""
    across, up = field.variables
    yield f"{across},{up},{field.output},d{field.output}/d{across},d{field.output}/d{up}\n"
    for row, y in enumerate(field.up.tolist()):
        for column, x in enumerate(field.across.tolist()):
            found = (field.values[row, column], *field.slopes[:, row, column])
            yield ",".join(map(repr, (x, y, *map(float, found)))) + "\n"


def write_json(field: Surface, _layout: Layout | None = None) -> Iterator[str]:
    """The places, and the values and derivatives as matrices."""
    yield line(
        {
            "variables": list(field.variables),
            "output": field.output,
            "points": [field.across, field.up],
            "values": field.values,
            "derivatives": [field.slopes[0], field.slopes[1]],
        }
    )


def as_svg(field: Surface) -> str:
    """Cells in colours, arrows along the gradient, and a scale."""
    low, high = range_of(field.values, field.values)
    rows, columns = field.values.shape
    width, height = SIDE + 2 * LEFT + 60, SIDE + 2 * TOP + 40
    size = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} {FONT}>',
        '<rect width="100%" height="100%" fill="#ffffff"/>',
        _label(field.output, LEFT, TOP - 8, "start"),
    ]
    wide, tall = SIDE / columns, SIDE / rows
    for (row, column), value in np.ndenumerate(field.values):
        if np.isfinite(value):
            x, y = LEFT + column * wide, TOP + SIDE - (row + 1) * tall
            parts.append(
                f'<rect class="cell" x="{x:.1f}" y="{y:.1f}" width="{wide + 0.2:.1f}" '
                f'height="{tall + 0.2:.1f}" fill="{_colour(float(value), low, high)}"/>'
            )
    return "\n".join([*parts, *_arrows(field), *_axes(field), *_scale(field), "</svg>"]) + "\n"


def _arrows(field: Surface) -> Iterator[str]:
    """Arrows along the gradient, in the picture's own scale; the longest span their cells."""
    rows, columns = field.values.shape
    every = max(1, -(-max(rows, columns) // ARROWS))
    spans = [abs(float(each[-1] - each[0])) or 1.0 for each in (field.across, field.up)]
    signs = [np.sign(each[-1] - each[0]) for each in (field.across, field.up)]
    right, up = (field.slopes[axis] * spans[axis] * signs[axis] for axis in (0, 1))
    lengths = np.where(np.isnan(field.values), np.nan, np.hypot(right, up))
    _, longest = range_of(lengths, lengths)
    if not 0 < longest < np.inf:
        return
    reach = SIDE / max(rows, columns) * every * 0.9
    for row in _spread(rows, every):
        for column in _spread(columns, every):
            length = lengths[row, column]
            if not 0 < length < np.inf:
                continue
            shown = reach * min(float(np.sqrt(length / longest)), 1.0)
            x = LEFT + (column + 0.5) * SIDE / columns
            y = TOP + SIDE - (row + 0.5) * SIDE / rows
            dx, dy = (float(each[row, column] / length) * shown for each in (right, up))
            head_x, head_y = x + dx / 2, y - dy / 2
            back = [
                (head_x - 0.3 * (dx + side * dy), head_y + 0.3 * (dy - side * dx))
                for side in (0.6, -0.6)
            ]
            tip = " ".join(f"L{a:.1f},{b:.1f}M{head_x:.1f},{head_y:.1f}" for a, b in back)
            way = f"M{x - dx / 2:.1f},{y + dy / 2:.1f}L{head_x:.1f},{head_y:.1f}{tip}"
            yield f'<path class="arrow" d="{way}" stroke="#222222" fill="none"/>'


def _spread(count: int, every: int) -> range:
    """Every so manieth, as far from one end as from the other, with room for an arrow there."""
    fit = max(1, count // every)
    first = (count - 1 - (fit - 1) * every) // 2
    return range(first, first + fit * every, every)


def _axes(field: Surface) -> Iterator[str]:
    """Ticks with numbers, and the names of the variables."""
    first, last = float(field.across[0]), float(field.across[-1])
    places = ticks(min(first, last), max(first, last))
    for tick, text in zip(places, tick_texts(places), strict=True):
        x = LEFT + (tick - first) / (last - first) * SIDE
        yield _label(text, x, TOP + SIDE + 16, "middle")
    yield _label(field.variables[0], LEFT + SIDE / 2, TOP + SIDE + 34, "middle")
    first, last = float(field.up[0]), float(field.up[-1])
    places = ticks(min(first, last), max(first, last))
    for tick, text in zip(places, tick_texts(places), strict=True):
        y = TOP + SIDE - (tick - first) / (last - first) * SIDE
        yield _label(text, LEFT - 6, y + 4, "end")
    yield _label(field.variables[1], 12, TOP + SIDE / 2, "start")


def _scale(field: Surface) -> Iterator[str]:
    """What the colours stand for; the last colour serves for all values beyond its own, too."""
    low, high = range_of(field.values, field.values)
    finite = field.values[np.isfinite(field.values)]
    above = "≥ " if np.any(finite > high) else ""
    below = "≤ " if np.any(finite < low) else ""
    for step in range(20):
        value = high - (high - low) * step / 19
        yield (
            f'<rect x="{LEFT + SIDE + 20}" y="{TOP + step * SIDE / 20:.1f}" width="16" '
            f'height="{SIDE / 20 + 0.2:.1f}" fill="{_colour(value, low, high)}"/>'
        )
    for text, y in ((above + _short(high), TOP + 10), (below + _short(low), TOP + SIDE)):
        yield _label(text, LEFT + SIDE + 42, y, "start")


def _colour(value: float, low: float, high: float) -> str:
    share = min(max((value - low) / (high - low), 0.0), 1.0) * 2
    ends = (LOW, MIDDLE) if share <= 1 else (MIDDLE, HIGH)
    part = share if share <= 1 else share - 1
    mixed = (round(a + (b - a) * part) for a, b in zip(*ends, strict=True))
    return "#" + "".join(f"{each:02x}" for each in mixed)


def _label(text: str, x: float, y: float, anchor: str) -> str:
    return f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}">{escape(text)}</text>'


def _short(value: float) -> str:
    return number(np.float64(value), DIGITS)
