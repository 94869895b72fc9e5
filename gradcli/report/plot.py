"""Curves and their derivatives: as SVG, as CSV and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import Any, NamedTuple

import numpy as np

from gradcli.analysis.breaks import Kind
from gradcli.analysis.curve import Curve
from gradcli.extras import require
from gradcli.graph import Array
from gradcli.report.arrays import number
from gradcli.report.json import line
from gradcli.report.layout import Layout
from gradcli.report.sanitise import sanitise

SPREAD = 10.0
"""A range this many times as wide as that of the middle 90 % of the values is cut: a pole."""
EVEN = 400
"""Equally spaced points by which it is known what most of the values are."""
GAPS: tuple[Kind, ...] = ("pole", "jump")
"""Where no line is drawn through."""
PLAIN = 7
"""Characters of numbers next to ticks that need no power of ten."""
LONGEST = 70
"""Characters of a program's text that tell which it is."""
SHOWN = 6
"""How many places of a kind are told."""


class Panel(NamedTuple):
    """A part of a picture with the same for all its curves: values, or slopes."""

    titles: list[str]
    columns: list[Array]
    low: float
    high: float


def panels(curves: Sequence[Curve]) -> tuple[Panel, Panel]:
    """The upper panel, with values, and the lower, with slopes, which are shown where there is a
    value. A range is cut for poles, that of slopes for all places where a curve is not smooth.
    """
    broken = [each.kind for curve in curves for each in curve.breaks]
    values = [each.values for each in curves]
    slopes = [np.where(np.isnan(each.values), np.nan, each.slopes) for each in curves]
    outputs = [each.output for each in curves]
    derivatives = [f"d{each.output}/d{each.variable}" for each in curves]
    return (
        Panel(outputs, values, *_with_kinks(curves, *_range(curves, values, cut="pole" in broken))),
        Panel(derivatives, slopes, *_range(curves, slopes, cut=bool(broken))),
    )


def _range(curves: Sequence[Curve], columns: Sequence[Array], *, cut: bool) -> tuple[float, float]:
    """What a panel shows; where it may be `cut`, by values at equally spaced points."""
    usual = [
        np.interp(np.linspace(0, 1, EVEN), share(curve.points, *ends_of(curve)), values)
        for curve, values in zip(curves, columns, strict=True)
    ]
    return range_of(np.concatenate(columns), np.concatenate(usual) if cut else None)


def _with_kinks(curves: Sequence[Curve], low: float, high: float) -> tuple[float, float]:
    """A range with the values at kinks, which are marked, unless they are far outside it."""
    width = high - low
    for curve in curves:
        places = [each.place for each in curve.breaks if each.kind == "kink"]
        values = np.interp(places, *_rising(curve.points, curve.values))
        near = values[(values >= low - width) & (values <= high + width)].tolist()
        low, high = min([low, *near]), max([high, *near])
    return low, high


def ends_of(curve: Curve) -> tuple[float, float]:
    return float(curve.points[0]), float(curve.points[-1])


def share(places: Any, first: float, last: float) -> Any:
    """How far along the range places are, from 0 to 1."""
    return (places / 2 - first / 2) / (last / 2 - first / 2)


def range_of(values: Array, usual: Array | None) -> tuple[float, float]:
    """The least and the largest value to be drawn, never the same. Where they are much further
    apart than the middle 90 % of `usual` values, if there are any, an end that is far from these
    is cut to them.
    """
    finite = values[np.isfinite(values)]
    if not finite.size:
        return -1.0, 1.0
    low, high = float(finite.min()), float(finite.max())
    if usual is not None:
        first, last = np.quantile(usual[np.isfinite(usual)], (0.05, 0.95)).tolist()
        width = last - first
        if high - low > SPREAD * width > 0:
            low, high = (
                first if low < first - width else low,
                last if high > last + width else high,
            )
    if low == high:
        margin = abs(low) or 1.0
        return low - margin, high + margin
    return low, high


def ticks(low: float, high: float) -> list[float]:
    """About five round numbers of a range: multiples of 1, 2 or 5 times a power of ten."""
    width = high / 2 - low / 2  # of the widest range the whole would overflow
    if not width > 0:
        return [low]
    power = 10.0 ** np.floor(np.log10(width))
    step = next(f * power for f in (0.5, 1.0, 2.0, 5.0) if width <= 3 * f * power)
    first, last = int(np.ceil(low / step - 1e-9)), int(np.floor(high / step + 1e-9))
    return [float(f"{count * step:.12g}") for count in range(first, last + 1)]


def tick_texts(places: Sequence[float]) -> list[str]:
    """What is written next to ticks: all their digits, in powers of ten where that is shorter."""
    plain = [np.format_float_positional(place, trim="-") for place in places]
    if max(map(len, plain), default=0) <= PLAIN:
        return plain
    powers = [_as_power(place) for place in places]
    return min(plain, powers, key=lambda texts: max(map(len, texts)))


def _as_power(place: float) -> str:
    mantissa, _, exponent = np.format_float_scientific(place, trim="-").partition("e")
    return f"{mantissa}e{int(exponent)}" if place else "0"


def told(curves: Sequence[Curve]) -> list[str]:
    """What is said below the curves: which program is which, and where they are not smooth."""
    titles = [f"{each.output}: {_one_line(each.text)}" for each in curves if each.text]
    return titles + [text for each in curves for text in _breaks(each)]


def _one_line(text: str) -> str:
    whole = "; ".join(filter(None, map(str.strip, text.splitlines())))
    return sanitise(whole if len(whole) <= LONGEST else f"{whole[:LONGEST]}…")


def _breaks(curve: Curve) -> list[str]:
    """`out has a kink at x = 0`, for each kind."""
    found = []
    for kind, several in (("kink", "kinks"), ("jump", "jumps"), ("pole", "poles"),
                          ("hole", "holes"), ("end", "ends of its domain")):  # fmt: skip
        places = [number(np.float64(each.place), 6) for each in curve.breaks if each.kind == kind]
        if places:
            one = "the end of its domain" if kind == "end" else f"a {kind}"
            what = one if len(places) == 1 else several
            shown = ", ".join(places[:SHOWN]) + (" …" if len(places) > SHOWN else "")
            found.append(f"{curve.output} has {what} at {curve.variable} = {shown}")
    return found


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


# --- files ---------------------------------------------------------------------------------

ON = 1e-9
"""A point that is this near a break, as a share of the range, is at it."""
WIDE, HIGH, LEFT, TOP = 640, 220, 100, 30
"""Pixels: the size of a panel, and the margins on its left and above it."""
FONT = 'font-family="sans-serif" font-size="12"'
COLOURS = ("#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#8c564b", "#e377c2")


def as_svg(curves: Sequence[Curve]) -> str:
    """Both panels, one above the other."""
    first, last = ends_of(curves[0])
    below = told(curves)
    width, height = WIDE + 2 * LEFT, 2 * (HIGH + TOP) + TOP + 20 + 16 * len(below)
    size = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} {FONT}>',
        '<rect width="100%" height="100%" fill="#ffffff"/>',
    ]
    for number_, panel in enumerate(panels(curves)):
        top = TOP + number_ * (HIGH + TOP)
        colours = [COLOURS[count % len(COLOURS)] for count in range(len(curves))]
        if len(curves) == 1:
            colours = [COLOURS[number_]]
        parts += _frame(panel, colours, top, (first, last), number_)
        for curve, values, colour in zip(curves, panel.columns, colours, strict=True):
            with np.errstate(all="ignore"):
                down = top + (panel.high - values) / (panel.high - panel.low) * HIGH
            across = LEFT + share(curve.points, first, last) * WIDE
            parts += [
                f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="1.5"/>'
                for line in _lines(curve, across, down, top, number_)
            ]
            parts += _break_marks(curve, across, down, top, colour, number_)
    bottom = 2 * (HIGH + TOP) + TOP
    parts.append(_label(curves[0].variable, LEFT + WIDE / 2, bottom, "middle"))
    parts += [_label(text, LEFT, bottom + 16 * row, "start") for row, text in enumerate(below, 1)]
    return "\n".join([*parts, "</svg>"]) + "\n"


def _frame(
    panel: Panel, colours: Sequence[str], top: int, ends: tuple[float, float], number_: int
) -> Iterator[str]:
    """A panel without its curves: their names, ticks with numbers, and the zero line."""
    least, most = panel.low, panel.high
    yield (
        f'<rect x="{LEFT}" y="{top}" width="{WIDE}" height="{HIGH}" fill="none" stroke="#888888"/>'
    )
    titles = [
        f'<tspan fill="{colour}">{escape(title)}</tspan>'
        for title, colour in zip(panel.titles, colours, strict=True)
    ]
    yield f'<text x="{LEFT}" y="{top - 8}">{", ".join(titles)}</text>'
    places = ticks(least, most)
    for tick, text in zip(places, tick_texts(places), strict=True):
        y = top + (most / 2 - tick / 2) / (most / 2 - least / 2) * HIGH
        zero = ' class="zero"' if tick == 0 else ""
        colour = "#444444" if tick == 0 else "#dddddd"
        yield (
            f'<line x1="{LEFT}" x2="{LEFT + WIDE}" y1="{y:.1f}" y2="{y:.1f}" stroke="{colour}"'
            f"{zero}/>"
        )
        yield _label(text, LEFT - 6, y + 4, "end")
    places = ticks(min(ends), max(ends))
    for tick, text in zip(places, tick_texts(places), strict=True):
        x = LEFT + share(tick, *ends) * WIDE
        yield (
            f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{top + HIGH - 5}" y2="{top + HIGH}" '
            'stroke="#888888"/>'
        )
        if number_ == 1:
            yield _label(text, x, top + HIGH + 14, "middle")


def _break_marks(
    curve: Curve, across: Array, down: Array, top: int, colour: str, panel: int
) -> Iterator[str]:
    """A ring at each kink, and a dashed line where a pole or a jump is."""
    first, last = ends_of(curve)
    for kind, place in ((each.kind, each.place) for each in curve.breaks):
        x = LEFT + share(place, first, last) * WIDE
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
    """The connected pieces of a curve inside its panel, up to its border: none runs through a pole
    or a jump, nor a slope through a kink.
    """
    sections = _sections(curve, GAPS if panel == 0 else (*GAPS, "kink"))
    shown = np.isfinite(down) & (down >= top - 0.5) & (down <= top + HIGH + 0.5)
    piece: list[str] = []
    for place, (x, y) in enumerate(zip(across, down, strict=True)):
        before = place - 1
        joined = place > 0 and sections[place] == sections[before]
        joined = joined and bool(np.isfinite(down[[before, place]]).all())
        if joined and shown[place] != shown[before]:
            outside = down[before] if shown[place] else y
            border = top if outside < top else top + HIGH
            part = (border - down[before]) / (y - down[before])
            piece.append(f"{across[before] + part * (x - across[before]):.1f},{border:.1f}")
        if piece and not (joined and shown[place]):
            yield " ".join(piece)
            piece = []
        if shown[place]:
            piece.append(f"{x:.1f},{y:.1f}")
    if piece:
        yield " ".join(piece)


def _sections(curve: Curve, apart: Sequence[Kind]) -> Array:
    """The number of the stretch between breaks that each point is in; a point at a break is in one
    of its own.
    """
    first, last = ends_of(curve)
    at = share(curve.points, first, last)
    cuts = np.sort([share(each.place, first, last) for each in curve.breaks if each.kind in apart])
    sections: Array = np.searchsorted(cuts - ON, at) + np.searchsorted(cuts + ON, at)
    return sections


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
