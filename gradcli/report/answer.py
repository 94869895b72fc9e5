"""Values and grads by name as a table: what a notebook shows of an answer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape

from gradcli.graph import Array
from gradcli.ops.shapes import show
from gradcli.report.arrays import excerpt, inline, lines
from gradcli.report.sanitise import sanitise

_HEAD = ("name", "shape", "value", "grad")
_DIGITS, _WIDTH = 6, 60
_CELL = "text-align: left; vertical-align: top; padding: 0.2em 1em 0.2em 0"


def html(values: Mapping[str, Array], grads: Mapping[str, Array], notes: Sequence[str] = ()) -> str:
    """A table in HTML. It has no colours of its own, so it suits light and dark pages."""
    rows = [_row("th", map(escape, _HEAD))]
    for name, shape, *arrays in _rows(values, grads):
        cells = ["" if each is None else _block(each) for each in arrays]
        rows.append(_row("td", [_code(name), _code(shape), *cells]))
    told = "".join(f"<p>note: {escape(sanitise(note))}</p>" for note in notes)
    return f"<table>{''.join(rows)}</table>{told}"


def text(values: Mapping[str, Array], grads: Mapping[str, Array], notes: Sequence[str] = ()) -> str:
    """The table as text, a row for each name."""
    table = [_HEAD]
    for name, shape, *arrays in _rows(values, grads):
        cells = ["" if each is None else inline(excerpt(each), _DIGITS, _WIDTH) for each in arrays]
        table.append((name, shape, cells[0], cells[1]))
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    told = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in table
    ]
    return "\n".join([*told, *(f"note: {sanitise(note)}" for note in notes)])


def _rows(
    values: Mapping[str, Array], grads: Mapping[str, Array]
) -> Iterator[tuple[str, str, Array | None, Array | None]]:
    for name in dict.fromkeys([*values, *grads]):
        value, grad = values.get(name), grads.get(name)
        known = grad if value is None else value
        assert known is not None
        yield sanitise(name), show(known.shape), value, grad


def _row(kind: str, cells: Iterable[str]) -> str:
    written = "".join(f'<{kind} style="{_CELL}">{each}</{kind}>' for each in cells)
    return f"<tr>{written}</tr>"


def _code(told: str) -> str:
    return f"<code>{escape(told)}</code>"


def _block(array: Array) -> str:
    told = "\n".join(lines(excerpt(array), _DIGITS, _WIDTH))
    return f'<pre style="margin: 0; background: none">{escape(told)}</pre>'
