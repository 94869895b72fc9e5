"""What is said about the zeros of matrices, and how those are shown that have few other entries."""

from __future__ import annotations

import numpy as np
from rich.console import RenderableType
from rich.text import Text

from gradcli.analysis.matrices import DenseMatrix, Matrix, Side, SparseMatrix, Sparsity
from gradcli.graph import Array
from gradcli.report.arrays import GAP, counted, number
from gradcli.report.layout import Layout
from gradcli.report.sanitise import sanitise
from gradcli.report.text import folded
from gradcli.report.text_style import HEADING, table

ENTRIES = 20
"""Of more entries than twice as many, those at both ends are shown."""
LINES = 24
"""Lines of a picture; each stands for several rows if there are more."""
MARKS = ("·", "●")
MARKS_IN_ASCII = (".", "x")
"""For no entry, and for some."""


def sides(name: str, rows: Side, columns: Side, how: str, layout: Layout) -> Text:
    """The heading of a matrix: `J: 2 rows (y) × 3 columns (x), in reverse mode`."""
    times = "x" if layout.ascii_only else "×"
    both = f"{_size(rows, 'row')} {times} {_size(columns, 'column')}"
    heading = folded("", f"{name}: {both}, {how}", layout.width)
    heading.style = HEADING
    return heading


def _size(side: Side, what: str) -> str:
    names = ", ".join(map(sanitise, side.shapes))
    return f"{counted(side.size, what)} ({names})"


# --- facts -------------------------------------------------------------------------------


def zeros(name: str, matrix: Matrix) -> str:
    """How many entries are 0, and the name of the structure that the others have."""
    size, count = matrix.size, matrix.zeros
    if not size:
        return f"{name} has no entries"
    if count == size:
        return f"{name} is 0"
    if not count:
        return f"no entry of {name} is 0"
    told = f"{count:,} of {size:,} entries are 0"
    structure = _structure(*_places(matrix), matrix.rows.size, matrix.columns.size)
    return f"{told}: {name} is {structure}" if structure else told


def _places(matrix: Matrix) -> tuple[Array, Array]:
    """Rows and columns of the entries that are not 0."""
    if isinstance(matrix, DenseMatrix):
        rows, columns = matrix.values.nonzero()
        return rows, columns
    present = matrix.values != 0
    return matrix.pattern.rows[present], matrix.pattern.columns[present]


def _structure(rows: Array, columns: Array, height: int, width: int) -> str:
    """The name of a square matrix's structure, by the places of its entries."""
    if height != width or not len(rows):
        return ""
    below, above = int((rows - columns).max()), int((columns - rows).max())
    if below <= 0 and above <= 0:
        return "diagonal"
    if below <= 0 or above <= 0:
        return "upper triangular" if below <= 0 else "lower triangular"
    if below + above + 1 > height // 2:
        return ""
    return "tridiagonal" if below == above == 1 else f"banded, {below} below and {above} above"


# --- what is shown ------------------------------------------------------------------------


def sparsity(found: Sparsity, layout: Layout) -> list[RenderableType]:
    """A picture of the pattern, and how many products find the matrix."""
    name = found.name[0].upper()
    rows, columns, pattern = found.rows, found.columns, found.pattern
    told = f"{pattern.size:,} of {rows.size * columns.size:,} entries may be different from 0"
    structure = _structure(pattern.rows, pattern.columns, rows.size, columns.size)
    if structure:
        told += f": {name} is {structure}"
    usual = min(rows.size, columns.size)
    how = f"{counted(found.products, 'product')} in {found.mode} mode"
    cost = f"{how} {'finds' if found.products == 1 else 'find'} all of {name}"
    facts = [told, f"{cost}, not {usual:,}" if found.products < usual else cost]
    heading = sides(name, rows, columns, "the pattern of its zeros", layout)
    drawn = Text("\n".join(_picture(found, layout)), no_wrap=True)
    return [heading, drawn, Text("\n").join(folded("", fact, layout.width) for fact in facts)]


def _picture(found: Sparsity, layout: Layout) -> list[str]:
    """A mark for each entry, or for each block of entries where there are too many."""
    height, width = found.rows.size, found.columns.size
    down = max(1, -(-height // LINES))
    across = max(1, -(-width // max(1, min(layout.width // 2, 2 * LINES))))
    if width == height:
        across = down = max(down, across)
    seen = np.zeros((-(-height // down), -(-width // across)), bool)
    seen[found.pattern.rows // down, found.pattern.columns // across] = True
    none, some = MARKS_IN_ASCII if layout.ascii_only else MARKS
    lines = [" ".join(some if each else none for each in line) for line in seen]
    if down * across > 1:
        lines.append(f"(each mark stands for {down:,} by {across:,} entries)")
    return lines


def entries(matrix: SparseMatrix, layout: Layout) -> RenderableType:
    """The entries of a sparse matrix, one in a line."""
    drawn = table(["row", "column", "value"], layout)
    pattern, count = matrix.pattern, len(matrix.values)
    shown = range(count) if count <= 2 * ENTRIES else [*range(ENTRIES), *range(-ENTRIES, 0)]
    rows = pattern.rows
    for line, place in enumerate(shown):
        if line == ENTRIES and count > 2 * ENTRIES:
            drawn.add_row(GAP, GAP, GAP)
        drawn.add_row(
            sanitise(matrix.rows.label(int(rows[place]))),
            sanitise(matrix.columns.label(int(pattern.columns[place]))),
            number(matrix.values[place], layout.precision),
        )
    return drawn
