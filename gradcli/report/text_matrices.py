"""Jacobians, Hessians and their products for people: labelled rows and columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from rich.console import RenderableType
from rich.text import Text

from gradcli.analysis.jacobian import Hessian, Jacobian, Matrix, Product, Side
from gradcli.diagnostics import Note
from gradcli.graph import Array
from gradcli.report.arrays import GAP, excerpt, number
from gradcli.report.sanitise import sanitise
from gradcli.report.summary import Row, Section
from gradcli.report.text import folded, printed
from gradcli.report.text_style import GAP as BETWEEN
from gradcli.report.text_style import GRAD, HEADING, Layout, table
from gradcli.report.text_table import draw

ROWS = 40
"""More rows are shown by those at the edges."""


def jacobian_text(
    found: Jacobian, notes: Iterable[Note], layout: Layout, *, colour: bool = False
) -> str:
    """J with v beside it and vᵀ·J below it, where there is a gradient v."""
    matrix = found.matrix
    product = "v^T J" if layout.ascii_only else "vᵀ·J"
    beside: Array | None = None
    below: dict[str, Array] = {}
    if found.gradient is not None:
        beside = _flat(found.gradient)
        below = {product: _flat(found.product), ".grad": _flat(found.grads)}
    lines = [_sparsity("J", matrix)]
    if found.gradient is not None:
        lines.append(
            f"{product} equals .grad, what backward gives"
            if found.agree
            else f"{product} differs from .grad: please report this"
        )
    blocks = [
        Text(f"J: {_shape(matrix)}, in {matrix.mode} mode", style=HEADING),
        _table(matrix, beside, below, layout),
        Text("\n").join(map(Text, lines)),
    ]
    return printed(blocks + _notes(notes, layout), colour)


def hessian_text(
    found: Hessian, notes: Iterable[Note], layout: Layout, *, colour: bool = False
) -> str:
    """H, whether it is symmetric, and its definiteness."""
    matrix = found.matrix
    lines = [
        _sparsity("H", matrix),
        "symmetric" if found.symmetric else f"not symmetric: off by {found.asymmetry:.2g}",
    ]
    if found.eigenvalues.size:
        low, high = (number(found.eigenvalues[place], layout.precision) for place in (0, -1))
        lines.append(f"{found.definiteness}: eigenvalues from {low} to {high}")
    blocks = [
        Text(f"H: {_shape(matrix)}", style=HEADING),
        _table(matrix, None, {}, layout),
        Text("\n").join(map(Text, lines)),
    ]
    return printed(blocks + _notes(notes, layout), colour)


def product_text(
    heading: str,
    vector: str,
    found: Product,
    notes: Iterable[Note],
    layout: Layout,
    *,
    colour: bool = False,
) -> str:
    """What went in, and what came out, by name."""
    inward = [_row(name, array) for name, array in found.vectors.items()]
    outward = [_row(name, array) for name, array in found.products.items()]
    blocks: list[RenderableType] = [
        draw(Section("", (vector,), inward), layout),
        draw(Section("", (heading,), outward), layout),
    ]
    return printed(blocks + _notes(notes, layout), colour)


def _row(name: str, array: Array) -> Row:
    shape = "scalar" if not array.shape else "×".join(map(str, array.shape))
    return Row(sanitise(name), "", shape, (excerpt(array),))


def _flat(named: dict[str, Array]) -> Array:
    return np.concatenate([np.ravel(array) for array in named.values()])


def _shape(matrix: Matrix) -> str:
    rows, columns = matrix.values.shape
    return (
        f"{rows:,} row{'s' if rows != 1 else ''} ({', '.join(map(sanitise, matrix.rows.shapes))}) "
        f"× {columns:,} column{'s' if columns != 1 else ''} "
        f"({', '.join(map(sanitise, matrix.columns.shapes))})"
    )


def _sparsity(name: str, matrix: Matrix) -> str:
    size, zeros = matrix.values.size, matrix.zeros
    if not zeros:
        return f"no entry of {name} is 0"
    told = f"{zeros:,} of {size:,} entries are 0"
    structure = _structure(matrix.values)
    return f"{told}: {name} is {structure}" if structure else told


def _structure(values: Array) -> str:
    if not values.any():
        return "zero"
    if values.shape[0] != values.shape[1] or len(values) == 1:
        return ""
    if not np.triu(values, 1).any():
        return "diagonal" if not np.tril(values, -1).any() else "lower triangular"
    return "" if np.tril(values, -1).any() else "upper triangular"


def _table(
    matrix: Matrix, beside: Array | None, below: dict[str, Array], layout: Layout
) -> RenderableType:
    rows = _shown(matrix.values.shape[0], ROWS)
    names = [GAP if row is None else _label(matrix.rows, row) for row in rows]
    lead = [max(map(len, [*names, *below]), default=0)]
    weights: list[str] = []
    if beside is not None:
        weights = [GAP if row is None else number(beside[row], layout.precision) for row in rows]
        lead.append(max(map(len, [*weights, "v"])))
    room = layout.width - sum(lead) - BETWEEN * len(lead)
    columns = _fitting(matrix, rows, list(below.values()), room, layout.precision)
    headings = ["", *(["v"] if beside is not None else [])]
    headings += [GAP if place is None else _label(matrix.columns, place) for place in columns]
    drawn = table(headings, layout)
    for column in drawn.columns[1:]:
        column.justify = "right"
    for place, (row, name) in enumerate(zip(rows, names, strict=True)):
        cells = [Text(name, style=HEADING)]
        if beside is not None:
            cells.append(Text(weights[place], style=GRAD))
        values = None if row is None else matrix.values[row]
        cells += [Text(_cell(values, column, layout.precision)) for column in columns]
        drawn.add_row(*cells, end_section=place == len(rows) - 1 and bool(below))
    for name, vector in below.items():
        cells = [Text(name, style=HEADING), Text("")]
        cells += [Text(_cell(vector, at, layout.precision), style=GRAD) for at in columns]
        drawn.add_row(*cells)
    return drawn


def _label(side: Side, place: int) -> str:
    return sanitise(side.label(place))


def _cell(values: Array | None, place: int | None, precision: int) -> str:
    return GAP if values is None or place is None else number(values[place], precision)


def _shown(length: int, most: int) -> list[int | None]:
    """The places that are shown, None for a gap."""
    if length <= most:
        return list(range(length))
    half = most // 2
    return [*range(half), None, *range(length - (most - half), length)]


def _fitting(
    matrix: Matrix, rows: Sequence[int | None], more: Sequence[Array], room: int, precision: int
) -> list[int | None]:
    """As many columns as there is room for, those at the edges; at least two."""
    chosen: list[int | None] = []
    for most in range(min(matrix.values.shape[1], room), 1, -1):
        chosen = _shown(matrix.values.shape[1], most)
        width = sum(_width(matrix, rows, more, place, precision) + BETWEEN for place in chosen)
        if width <= room:
            break
    return chosen or _shown(matrix.values.shape[1], 2)


def _width(
    matrix: Matrix,
    rows: Sequence[int | None],
    more: Sequence[Array],
    place: int | None,
    precision: int,
) -> int:
    if place is None:
        return len(GAP)
    texts = [number(matrix.values[row, place], precision) for row in rows if row is not None]
    texts += [number(vector[place], precision) for vector in more]
    return max(map(len, [*texts, _label(matrix.columns, place)]))


def _notes(notes: Iterable[Note], layout: Layout) -> list[RenderableType]:
    messages = dict.fromkeys(note.message for note in notes)
    lines = [folded("note: ", sanitise(message), layout.width) for message in messages]
    return [Text("\n").join(lines)] if lines else []
