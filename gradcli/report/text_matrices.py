"""Jacobians, Hessians and their products for people: labelled rows and columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from itertools import zip_longest

import numpy as np
from rich.console import RenderableType
from rich.text import Text

from gradcli.analysis.matrices import (
    DenseMatrix,
    Hessian,
    Jacobian,
    Matrix,
    MatrixProduct,
    Shown,
    SparseMatrix,
    Sparsity,
)
from gradcli.graph import Array
from gradcli.report.arrays import GAP, counted, excerpt, number
from gradcli.report.layout import Layout
from gradcli.report.sanitise import sanitise
from gradcli.report.summary import Row, Section
from gradcli.report.text import closing, folded
from gradcli.report.text_sparsity import entries, sides, sparsity, zeros
from gradcli.report.text_style import GAP as BETWEEN
from gradcli.report.text_style import GRAD, HEADING, printed, table
from gradcli.report.text_table import draw

ROWS = 40
"""Of more rows than this, only those at the edges are shown."""
HEADINGS = {"jvp": ("J", "t"), "hvp": ("H", "u")}


def write(shown: Shown, layout: Layout) -> Iterator[str]:
    """A matrix with what is known about it, or a product and the vectors that were given for it."""
    found = shown.answer
    if isinstance(found, MatrixProduct):
        blocks = _product(found, layout)
    elif isinstance(found, Sparsity):
        blocks = sparsity(found, layout)
    elif isinstance(found, Hessian):
        blocks = _matrix("H", found.matrix, _symmetry(found, layout), layout)
    else:
        blocks = _jacobian(found, layout)
    remarks = closing(shown.notes, shown.seed, layout.width)
    yield printed(blocks + ([Text("\n").join(remarks)] if remarks else []), layout.colour)


def _product(found: MatrixProduct, layout: Layout) -> list[RenderableType]:
    matrix, vector = HEADINGS[found.name]
    product = f"{matrix} {vector}" if layout.ascii_only else f"{matrix}·{vector}"
    return [
        draw(Section("", (heading,), [_row(*each) for each in named.items()]), layout)
        for heading, named in ((vector, found.vectors), (product, found.products))
    ]


def _row(name: str, array: Array) -> Row:
    return Row(sanitise(name), "", str(array.shape), (excerpt(array),))


def _jacobian(found: Jacobian, layout: Layout) -> list[RenderableType]:
    """J with the outputs' values; where there is a gradient v, also v, and vᵀ·J below J."""
    columns = {"value": _flat(found.outputs)}
    if found.gradient is None:
        return _matrix("J", found.matrix, [], layout, columns)
    product = "v^T J" if layout.ascii_only else "vᵀ·J"
    told = (
        f"{product} equals .grad, what backward gives"
        if found.agree
        else f"{product} differs from .grad: please report this"
    )
    below = {product: _flat(found.product), ".grad": _flat(found.grads)}
    return _matrix("J", found.matrix, [told], layout, columns | {"v": _flat(found.gradient)}, below)


def _flat(named: dict[str, Array]) -> Array:
    return np.concatenate([np.ravel(array) for array in named.values()])


# --- what is said about a matrix -----------------------------------------------------------


def _symmetry(found: Hessian, layout: Layout) -> list[str]:
    told = ["symmetric" if found.symmetric else f"not symmetric: off by {found.asymmetry:.2g}"]
    if found.eigenvalues.size:
        low, high = (number(found.eigenvalues[place], layout.precision) for place in (0, -1))
        told.append(f"{found.definiteness}: eigenvalues from {low} to {high}")
    elif isinstance(found.matrix, DenseMatrix) and found.matrix.size:
        told.append("neither definite nor indefinite: not all entries are finite")
    return told


# --- the table -----------------------------------------------------------------------------


def _matrix(
    name: str,
    matrix: Matrix,
    told: list[str],
    layout: Layout,
    beside: dict[str, Array] | None = None,
    below: dict[str, Array] | None = None,
) -> list[RenderableType]:
    """A heading, the entries with row and column labels, and what is known about them."""
    how = f"in {matrix.mode} mode"
    if isinstance(matrix, SparseMatrix):
        how += f", by {counted(matrix.products, 'product')}"
    blocks: list[RenderableType] = [sides(name, matrix.rows, matrix.columns, how, layout)]
    if isinstance(matrix, SparseMatrix):
        blocks.append(entries(matrix, layout))
    elif matrix.size:
        blocks.append(_table(matrix, beside or {}, below or {}, layout))
    facts = (folded("", fact, layout.width) for fact in [zeros(name, matrix), *told])
    return [*blocks, Text("\n").join(facts)]


def _table(
    matrix: DenseMatrix, beside: dict[str, Array], below: dict[str, Array], layout: Layout
) -> RenderableType:
    rows = _shown(len(matrix.values), ROWS)
    labels = [GAP if row is None else sanitise(matrix.rows.label(row)) for row in rows]
    columns = [_padded(["", *labels, *below], str.ljust)]
    styles = [HEADING]

    def column(heading: str, values: Array, more: Iterable[Array] = ()) -> list[str]:
        """A heading, the entries in `values`, and `more` below them."""
        entries = [GAP if row is None else number(values[row], layout.precision) for row in rows]
        return _padded([heading, *entries, *(number(v, layout.precision) for v in more)], str.rjust)

    @cache
    def entries(place: int | None) -> list[str]:
        if place is None:
            return [GAP] * (1 + len(rows) + len(below))
        more = (vector[place] for vector in below.values())
        return column(sanitise(matrix.columns.label(place)), matrix.values[:, place], more)

    for heading, values in beside.items():
        columns.append(column(heading, values))
        styles.append(GRAD if heading == "v" else "")
    room = layout.width - sum(len(cells[0]) + BETWEEN for cells in columns)
    for place in _fitting(matrix.values.shape[1], lambda place: len(entries(place)[0]), room):
        columns.append(entries(place))
        styles.append("")
    headings, *lines = zip_longest(*columns, fillvalue="")
    drawn = table(headings, layout)
    for line, cells in enumerate(lines, 1):
        usual = "" if line <= len(rows) else GRAD
        texts = (Text(cell, style or usual) for cell, style in zip(cells, styles, strict=True))
        drawn.add_row(*texts, end_section=line == len(rows) and bool(below))
    return drawn


def _padded(cells: list[str], pad: Callable[[str, int], str]) -> list[str]:
    """Cells padded to the width of the widest."""
    width = max(map(len, cells))
    return [pad(cell, width) for cell in cells]


def _shown(length: int, most: int) -> list[int | None]:
    """The indices that are shown, None for a gap."""
    if length <= most:
        return list(range(length))
    half = most // 2
    return [*range(half), None, *range(length - (most - half), length)]


def _fitting(count: int, width: Callable[[int | None], int], room: int) -> list[int | None]:
    """As many columns as there is room for, those at the edges; at least two."""

    def fits(places: list[int | None]) -> bool:
        return sum(width(place) + BETWEEN for place in places) - BETWEEN <= room

    everything = _shown(count, count)
    if count <= room and fits(everything):
        return everything
    most = 2
    while fits(_shown(count, most + 1)):
        most += 1
    return _shown(count, most)
