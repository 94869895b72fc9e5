"""Curves and their derivatives: as text in dots, as SVG, as CSV and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import Any

import numpy as np

from gradcli.analysis.curve import Curve
from gradcli.extras import require
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
GAPS = ("pole", "jump")
"""Where no line is drawn through."""
SHOWN = 6
"""How many places of a kind are told."""
_BRAILLE = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
"""The dots of a braille pattern by row and column, as bits beyond U+2800."""


def _panels(curves: Sequence[Curve]) -> list[tuple[str, list[Array]]]:
    """The title and the curves of the upper panel, with values, and of the lower, with slopes."""
    variable = curves[0].variable
    outputs = [each.output for each in curves]
    slopes = ", ".join(f"d{output}/d{variable}" for output in outputs)
    return [
        (", ".join(outputs), [each.values for each in curves]),
        (slopes, [each.slopes for each in curves]),
    ]


def range_of(curves: Sequence[Array]) -> tuple[float, float]:
    """The least and the largest value to be drawn, never the same."""
    values = np.concatenate(curves)
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


def ticks(low: float, high: float) -> list[float]:
    """About five round numbers of a range: multiples of 1, 2 or 5 times a power of ten."""
    width = high / 2 - low / 2  # of the widest range the whole would overflow
    if not width > 0:
        return [low]
    power = 10.0 ** np.floor(np.log10(width))
    step = next(f * power for f in (0.5, 1.0, 2.0, 5.0) if width <= 3 * f * power)
    first, last = int(np.ceil(low / step - 1e-9)), int(np.floor(high / step + 1e-9))
    return [float(f"{count * step:.12g}") for count in range(first, last + 1)]


def _told_breaks(curve: Curve) -> list[str]:
    """`out has a kink at x = 0`, for each kind."""
    found = []
    for kind, several in (("kink", "kinks"), ("jump", "jumps"), ("pole", "poles"),
                          ("end", "ends of its domain")):  # fmt: skip
        places = [number(np.float64(each.place), 6) for each in curve.breaks if each.kind == kind]
        if places:
            one = "the end of its domain" if kind == "end" else f"a {kind}"
            what = one if len(places) == 1 else several
            shown = ", ".join(places[:SHOWN]) + (" …" if len(places) > SHOWN else "")
            found.append(f"{curve.output} has {what} at {curve.variable} = {shown}")
    return found


# --- text ----------------------------------------------------------------------------------


def write_text(curves: Sequence[Curve], layout: Layout) -> Iterator[str]:
    """For a terminal."""
    yield as_text(curves, layout)


def write_svg(curves: Sequence[Curve], _layout: Layout | None = None) -> Iterator[str]:
    """Drawn."""
    yield as_svg(curves)


def write_png(curves: Sequence[Curve], _layout: Layout | None = None) -> Iterator[bytes]:
    """Drawn, as pixels. Raises `usage` where the extra `png` is not installed."""
    yield require("png", "usage").svg2png(bytestring=as_svg(curves).encode())


def write_csv(curves: Sequence[Curve], _layout: Layout | None = None) -> Iterator[str]:
    """For tables."""
    yield as_csv(curves)


def write_json(curves: Sequence[Curve], _layout: Layout | None = None) -> Iterator[str]:
    """For programs."""
    yield as_json(curves)


def as_text(curves: Sequence[Curve], layout: Layout) -> str:
    """Values in the upper panel, derivatives in the lower, over the same range."""
    across = max(10, layout.width - LABEL - 3)
    lines: list[str] = []
    for title, columns in _panels(curves):
        lines += [title, *_panel(curves, columns, across, ascii_only=layout.ascii_only), ""]
    points = curves[0].points
    first, last = (number(np.float64(points[end]), DIGITS) for end in (0, -1))
    axis = f"{first}{curves[0].variable.center(across - len(first) - len(last))}{last}"
    lines[-1] = " " * (LABEL + 2) + axis
    lines += [text for each in curves for text in _told_breaks(each)]
    return "\n".join(lines) + "\n"


def _panel(
    curves: Sequence[Curve], columns: Sequence[Array], across: int, *, ascii_only: bool
) -> list[str]:
    """Rows of dots with numbers and an axis on their left."""
    fine = (1, 1) if ascii_only else (4, 2)
    low, high = range_of(columns)
    grid = np.zeros((ROWS * fine[0], across * fine[1]), bool)
    for curve, values in zip(curves, columns, strict=True):
        grid |= _dots(curve, values, (low, high), grid.shape)
    if low < 0 < high:
        grid[round(high / (high - low) * (len(grid) - 1)), :: 2 * fine[1]] = True  # the zero line
    labels = dict(zip((0, ROWS // 2, ROWS - 1), _marks(low, high), strict=True))
    bar = "|" if ascii_only else "│"
    lines = []
    for row in range(ROWS):
        cells = grid[row * fine[0] : (row + 1) * fine[0]].reshape(fine[0], across, fine[1])
        drawn = "".join(
            ("*" if cell.any() else " ") if ascii_only else _cell(cell)
            for cell in cells.transpose(1, 0, 2)
        )
        lines.append(f"{labels.get(row, ''):>{LABEL}} {bar}{drawn}".rstrip())
    return lines


def _dots(curve: Curve, values: Array, shown: tuple[float, float], shape: tuple[int, ...]) -> Array:
    """Where there are dots: the dots of neighbouring values are joined by dots in their columns."""
    (low, high), (rows, columns) = shown, shape
    grid = np.zeros((rows, columns), bool)
    first, last = float(curve.points[0]), float(curve.points[-1])
    gaps = {_share(each.place, first, last) for each in curve.breaks if each.kind in GAPS}
    across = _share(curve.points, first, last)
    place = np.linspace(0, 1, columns)
    with np.errstate(all="ignore"):
        heights = np.interp(place, across, values)
        at = (high - heights) / (high - low) * (rows - 1)
    previous: float | None = None
    for column, row in enumerate(at):
        if not np.isfinite(row):
            previous = None
            continue
        if any(abs(place[column] - gap) <= 1 / columns for gap in gaps):
            previous = None
        start = row if previous is None else (previous + row) / 2
        top, bottom = sorted((round(float(start)), round(float(row))))
        grid[max(top, 0) : max(min(bottom + 1, rows), 0), column] = True
        previous = float(row)
    return grid


def _share(places: Any, first: float, last: float) -> Any:
    """How far along the range places are, from 0 to 1."""
    return (places / 2 - first / 2) / (last / 2 - first / 2)


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
COLOURS = ("#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#8c564b", "#e377c2")


def as_svg(curves: Sequence[Curve]) -> str:
    """Both panels, one above the other."""
    first, last = float(curves[0].points[0]), float(curves[0].points[-1])
    told = [text for each in curves for text in _told_breaks(each)]
    width, height = WIDE + 2 * LEFT, 2 * (HIGH + TOP) + TOP + 20 + 16 * len(told)
    size = f'width="{width}" height="{height}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="12">',
        f'<rect {size} fill="#ffffff"/>',
    ]
    for panel, (title, columns) in enumerate(_panels(curves)):
        top = TOP + panel * (HIGH + TOP)
        parts += _frame(title, columns, top, (first, last), panel)
        least, most = range_of(columns)
        for number_, (curve, values) in enumerate(zip(curves, columns, strict=True)):
            colour = COLOURS[(number_ + (panel if len(curves) == 1 else 0)) % len(COLOURS)]
            with np.errstate(all="ignore"):
                down = top + (most - values) / (most - least) * HIGH
            across = LEFT + _share(curve.points, first, last) * WIDE
            parts += [
                f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="1.5"/>'
                for line in _lines(curve, across, down, top, panel)
            ]
            parts += _break_marks(curve, across, down, top, colour, panel)
    bottom = 2 * (HIGH + TOP) + TOP
    for text, x, anchor in (
        (number(np.float64(first), DIGITS), LEFT, "start"),
        (curves[0].variable, LEFT + WIDE / 2, "middle"),
        (number(np.float64(last), DIGITS), LEFT + WIDE, "end"),
    ):
        parts.append(_label(text, x, bottom, anchor))
    parts += [_label(text, LEFT, bottom + 16 * row, "start") for row, text in enumerate(told, 1)]
    return "\n".join([*parts, "</svg>"]) + "\n"


def _frame(
    title: str, columns: Sequence[Array], top: int, ends: tuple[float, float], panel: int
) -> Iterator[str]:
    """A panel without its curves: ticks with numbers, and the zero line."""
    least, most = range_of(columns)
    yield (
        f'<rect x="{LEFT}" y="{top}" width="{WIDE}" height="{HIGH}" fill="none" stroke="#888888"/>'
    )
    yield _label(title, LEFT, top - 8, "start")
    for tick in ticks(least, most):
        y = top + (most / 2 - tick / 2) / (most / 2 - least / 2) * HIGH
        zero = ' class="zero"' if tick == 0 else ""
        colour = "#444444" if tick == 0 else "#dddddd"
        yield (
            f'<line x1="{LEFT}" x2="{LEFT + WIDE}" y1="{y:.1f}" y2="{y:.1f}" stroke="{colour}"'
            f"{zero}/>"
        )
        yield _label(number(np.float64(tick), DIGITS), LEFT - 6, y + 4, "end")
    for tick in ticks(min(ends), max(ends)):
        x = LEFT + _share(tick, *ends) * WIDE
        yield (
            f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{top + HIGH - 5}" y2="{top + HIGH}" '
            'stroke="#888888"/>'
        )
        if panel == 1:
            yield _label(number(np.float64(tick), DIGITS), x, top + HIGH + 14, "middle")


def _break_marks(
    curve: Curve, across: Array, down: Array, top: int, colour: str, panel: int
) -> Iterator[str]:
    """A ring at each kink, and a dashed line where a pole or a jump is."""
    first, last = float(curve.points[0]), float(curve.points[-1])
    for kind, place in ((each.kind, each.place) for each in curve.breaks):
        x = LEFT + _share(place, first, last) * WIDE
        if kind in ("pole", "jump"):
            yield (
                f'<line class="{kind}" x1="{x:.1f}" x2="{x:.1f}" y1="{top}" y2="{top + HIGH}" '
                f'stroke="{colour}" stroke-dasharray="3 4"/>'
            )
        elif kind == "kink" and panel == 0:
            y = float(np.interp(x, *_rising(across, down)))
            if top <= y <= top + HIGH:
                yield (
                    f'<circle class="kink" cx="{x:.1f}" cy="{y:.1f}" r="4" fill="none" '
                    f'stroke="{colour}"/>'
                )


def _rising(across: Array, down: Array) -> tuple[Array, Array]:
    return (across, down) if across[-1] > across[0] else (across[::-1], down[::-1])


def _label(text: str, x: float, y: float, anchor: str) -> str:
    return f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}">{escape(text)}</text>'


def _lines(curve: Curve, across: Array, down: Array, top: int, panel: int) -> Iterator[str]:
    """The connected pieces of a curve that are inside its panel: none runs through a pole or a
    jump, nor a slope through a kink.
    """
    apart = GAPS if panel == 0 else (*GAPS, "kink")
    low = min(curve.points[0], curve.points[-1])
    cuts = np.sort([abs(each.place - low) for each in curve.breaks if each.kind in apart])
    sections = np.searchsorted(cuts, np.abs(curve.points - low)) if len(cuts) else None
    inside = np.isfinite(down) & (down >= top - 0.5) & (down <= top + HIGH + 0.5)
    piece: list[str] = []
    for place, (x, y, shown) in enumerate(zip(across, down, inside, strict=True)):
        cut = sections is not None and place > 0 and sections[place] != sections[place - 1]
        if piece and (cut or not shown):
            yield " ".join(piece)
            piece = []
        if shown:
            piece.append(f"{x:.1f},{y:.1f}")
    if piece:
        yield " ".join(piece)


def as_csv(curves: Sequence[Curve]) -> str:
    """A row for each point; numbers read back to the same bits. Of several curves each row names
    its own.
    """
    if len(curves) == 1:
        (curve,) = curves
        head = f"{curve.variable},{curve.output},d{curve.output}/d{curve.variable}"
        return "\n".join([head, *_rows(curve)]) + "\n"
    head = f"curve,{curves[0].variable},value,derivative"
    return (
        "\n".join([head, *(f"{each.output},{row}" for each in curves for row in _rows(each))])
        + "\n"
    )


def _rows(curve: Curve) -> Iterator[str]:
    columns = (curve.points, curve.values, curve.slopes)
    yield from map(",".join, zip(*(map(repr, column.tolist()) for column in columns), strict=True))


def as_json(curves: Sequence[Curve]) -> str:
    """The three columns, and where the curve is not smooth; several curves are a list of these."""
    found = [
        {
            "variable": each.variable,
            "output": each.output,
            "points": each.points,
            "values": each.values,
            "derivative": each.slopes,
            "breaks": [{"at": np.asarray(b.place), "kind": b.kind} for b in each.breaks],
        }
        for each in curves
    ]
    return line(found[0] if len(found) == 1 else {"curves": found})
