"""An explained run as a workbook: live formulas forward and backward, a central difference next to
each grad, and gradcli's numbers next to those of the spreadsheet. If an input changes, all follows.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

import numpy as np

from gradcli.analysis.explain import Explanation
from gradcli.analysis.paths import SumOverPaths
from gradcli.analysis.worksheet import Cells, Worksheet, worksheet
from gradcli.diagnostics import GradcliError
from gradcli.extras import require
from gradcli.graph import Array, Node
from gradcli.ops.cells import NotWrittenError, formulas, written
from gradcli.report.arrays import brief
from gradcli.report.layout import Layout
from gradcli.report.sanitise import sanitise
from gradcli.spelling.formula import Formulas

LARGEST = 150_000
"""The most cells with formulas."""
ACROSS = 16
"""The most elements in a row; longer rows go on in the next."""
FIRST = 2
"""The column of the first element, after the name and the formula."""
STEP = 1e-6
"""The step of a central difference, relative to the element or to 1."""
TEXT = 60
"""The most characters of a formula in the language."""
STEPS, DIFFERENCES, ABOUT = "Steps", "Differences", "About"
"""The names of the sheets."""

LINES = [
    "Every value is a formula of cells above it, and so is every grad: the chain rule in cells.",
    "Yellow cells are inputs: change one, and all follows.",
    "gradcli's numbers, in grey, belong to the inputs as they were.",
    "Green cells are grads. In their rows stand central differences, which use no rule.",
    "The largest difference from gradcli, relative to the largest number of its row, or to 1:",
]

Places = dict[Node, Array]
"""For each node the cells of its elements, or their numbers where these are inline."""


def write(told: Explanation | SumOverPaths, _layout: Layout) -> Iterator[bytes]:
    """For a spreadsheet. Raises `limit-nodes` where there would be too many cells, and
    `value` where an op has no formula there.
    """
    if isinstance(told, SumOverPaths):
        raise GradcliError("usage", "--entry: a workbook shows the whole run", hint="leave it out")
    maker = require("excel", "usage")
    sheet = worksheet(told)
    _check_size(sheet)
    stream = io.BytesIO()
    book = maker.Workbook(stream, {"in_memory": True})
    book.set_properties({"created": datetime(2000, 1, 1)})  # the same bytes for the same run
    _Book(book, told, sheet).write()
    book.close()
    yield stream.getvalue()


def _check_size(sheet: Worksheet) -> None:
    steps = sum(each.value.size for each in sheet.cells)
    again = sum(node.size for node in sheet.forward)
    count = steps + 2 * again * sum(each.leaf.size for each in sheet.checked)
    if count > LARGEST:
        raise GradcliError(
            "limit-nodes",
            f"the workbook would have {count:,} cells, and {LARGEST:,} is the most: {steps:,} for "
            f"the steps, and twice {again:,} for the difference at each element",
            hint="take fewer elements or passes of loops, or fewer leaves with --wrt",
        )


class _Book:
    """Writes the sheets of a workbook."""

    def __init__(self, book: Any, told: Explanation, sheet: Worksheet) -> None:
        self._told, self._sheet = told, sheet
        self._head = book.add_format({"bold": True})
        self._input = book.add_format({"bg_color": "#FFF2CC"})
        self._grad = book.add_format({"bg_color": "#D5E8D4"})
        self._soft = book.add_format({"font_color": "#595959"})
        self._about, self._steps, self._again = map(book.add_worksheet, (ABOUT, STEPS, DIFFERENCES))
        self._width = max(
            (min(each.value.shape[-1], ACROSS) for each in sheet.cells if each.value.ndim),
            default=1,
        )
        self._titles = {each.node: each.title for each in sheet.cells}
        self._formulas = Formulas(dict(self._titles), lambda node: brief(node.known, 6), 2)
        self._differences: dict[tuple[Node, int], str] = {}
        """By the node of a grad, and element: the cell with the central difference."""
        self._furthest: list[str] = []

    def write(self) -> None:
        """All sheets."""
        places = self._layout()
        self._write_differences(places)
        self._write_steps(places)
        self._write_about()

    # --- the sheet of steps ---

    def _layout(self) -> Places:
        """The cells of every element, in blocks one below the other."""
        places: Places = {}
        row = 3
        for each in self._sheet.cells:
            found = np.empty(each.value.shape, object)
            length = each.value.shape[-1] if each.value.ndim else 1
            lines = -(-length // ACROSS)
            for place in range(each.value.size):
                line, column = divmod(place % length, ACROSS)
                at = row + place // length * lines + line
                found.flat[place] = _name(at, FIRST + column)
            places[each.node] = found
            row += max(1, each.value.size // max(length, 1)) * lines + 1
        return places

    def _write_steps(self, places: Places) -> None:
        sheet, width = self._steps, self._width
        sheet.freeze_panes(2, FIRST)
        sheet.set_column(0, 0, 16)
        sheet.set_column(1, 1, 34)
        for column, title in (
            (0, "name"), (1, "formula"), (FIRST, "this spreadsheet"),
            (FIRST + width + 1, "gradcli"), (FIRST + 2 * width + 2, "central difference"),
            (FIRST + 3 * width + 3, "largest difference from gradcli"),
        ):  # fmt: skip
            sheet.write_string(0, column, title, self._head)
        for each in self._sheet.cells:
            self._block(each, places)

    def _block(self, each: Cells, places: Places) -> None:
        """The cells of one node: the spreadsheet's, gradcli's and, of grads, the differences."""
        sheet, width = self._steps, self._width
        cells = places[each.node]
        texts = None if each.given else self._written(each.node, places)
        form = self._input if each.given else self._grad if ".grad" in each.title else None
        rows: dict[int, list[tuple[str, str]]] = {}
        for place in range(each.value.size):
            cell = cells.flat[place]
            row, column = _place(cell)
            if texts is None:
                _number(sheet, row, column, each.value.flat[place], form)
            else:
                sheet.write_formula(row, column, f"={texts.flat[place]}", form, "")
            shown = column + width + 1
            finite = _number(sheet, row, shown, each.value.flat[place], self._soft)
            if finite and texts is not None:
                rows.setdefault(row, []).append((cell, _name(row, shown)))
            central = self._differences.get((each.node, place))
            if central:
                sheet.write_formula(row, shown + width + 1, f"={central}", self._soft, "")
        if each.value.size:
            first = _place(cells.flat[0])[0]
            sheet.write_string(first, 0, sanitise(each.title), self._head)
            sheet.write_string(first, 1, sanitise(self._text(each)), self._soft)
        for row, pairs in rows.items():
            found = _name(row, FIRST + 3 * width + 3)
            apart = f"SUMPRODUCT(MAX(ABS({_range(pairs, 0)}-{_range(pairs, 1)})))"
            size = f"SUMPRODUCT(MAX(ABS({_range(pairs, 1)})))"
            sheet.write_formula(found, f"={apart}/MAX(1,{size})", self._soft, "")
            self._furthest.append(found)

    def _written(self, node: Node, places: Places) -> Array:
        """The formulas of a node. Raises `value`."""
        operands = [self._texts(each, places) for each in node.inputs]
        try:
            return formulas(node, operands)
        except NotWrittenError:
            source = self._told.program.source
            raise GradcliError(
                "value",
                f"{node.op.name} cannot be written as a formula of a spreadsheet",
                hint="gradcli explain --format html shows the same steps without formulas",
                source=source,
                span=node.span,
            ) from None

    def _texts(self, node: Node, places: Places) -> Array:
        """The cells of a node, or its numbers."""
        if node in places:
            return places[node]
        numbers = self._sheet.fixed[node]
        found = np.empty(node.shape, object)
        for place, number in enumerate(numbers.flat):
            found.flat[place] = written(float(number))
        return found

    def _text(self, each: Cells) -> str:
        """What stands right of `=` in the language."""
        if each.given:
            return "change these" if not each.backward else "v: change these"
        return self._formulas.of(each.node, TEXT)

    # --- the sheet of differences ---

    def _write_differences(self, places: Places) -> None:
        """A column for each element of a leaf that is moved, up and down: all values again."""
        sheet = self._again
        sheet.set_column(0, 0, 16)
        sheet.freeze_panes(2, 1)
        sheet.write_string(0, 0, "each column moves one element", self._head)
        rows = self._rows()
        for node, first in rows.items():
            sheet.write_string(first, 0, sanitise(self._titles[node]))
        end = max([2, *(first + node.size for node, first in rows.items())])
        given = {each.node for each in self._sheet.cells if each.given}
        column = 1
        for checked in self._sheet.checked:
            if checked.leaf not in rows or checked.leaf not in given:
                continue  # the program computes it: no cell can be moved
            for place in range(checked.leaf.size):
                ends = []
                for side in (1, -1):
                    self._moved(checked.leaf, place, side, column, rows, places)
                    total = self._weighted(checked.terms, column, rows, places)
                    sheet.write_formula(end + 1, column, f"={total}", None, "")
                    ends.append((_name(end + 1, column),
                                 _name(rows[checked.leaf] + place, column)))  # fmt: skip
                    column += 1
                (up, at_up), (down, at_down) = ends
                sheet.write_formula(
                    end + 2, column - 1, f"=({up}-{down})/({at_up}-{at_down})", self._grad, ""
                )
                self._differences[checked.grad, place] = (
                    f"{DIFFERENCES}!{_name(end + 2, column - 1)}"
                )
        sheet.write_string(end + 1, 0, "v · outputs", self._head)
        sheet.write_string(end + 2, 0, "central difference", self._head)

    def _rows(self) -> dict[Node, int]:
        """The first row of each value in the sheet of differences."""
        rows: dict[Node, int] = {}
        row = 2
        for node in self._sheet.forward:
            rows[node] = row
            row += node.size
        return rows

    def _moved(
        self, leaf: Node, place: int, side: int, column: int, rows: Mapping[Node, int],
        places: Places,
    ) -> None:  # fmt: skip
        """All values where one element of a leaf is a step away."""
        sheet = self._again
        title = f"{self._titles[leaf]}[{place}] {'+' if side > 0 else '-'} step"
        sheet.write_string(1, column, sanitise(title), self._soft)
        own: Places = {}
        for node, first in rows.items():
            found = np.empty(node.shape, object)
            for each in range(node.size):
                found.flat[each] = _name(first + each, column)
            own[node] = found
        given = {each.node for each in self._sheet.cells if each.given}
        for node, first in rows.items():
            if node in given:
                texts = np.array([f"{STEPS}!{cell}" for cell in places[node].flat], object)
                if node is leaf:
                    here = texts[place]
                    sign = "+" if side > 0 else "-"
                    texts[place] = f"{here}{sign}{written(STEP)}*MAX(1,ABS({here}))"
            else:
                texts = self._written(node, own)
            for each, text in enumerate(texts.flat):
                sheet.write_formula(first + each, column, f"={text}", None, "")

    def _weighted(
        self, terms: Sequence[tuple[Node, Node]], column: int, rows: Mapping[Node, int],
        places: Places,
    ) -> str:  # fmt: skip
        """The sum of outputs, times their gradients."""
        parts = []
        for output, v in terms:
            weights = np.broadcast_to(self._texts(v, places), output.shape)
            for each, weight in enumerate(weights.flat):
                cell = weight if v in self._sheet.fixed else f"{STEPS}!{weight}"
                parts.append(f"{cell}*{_name(rows[output] + each, column)}")
        return "+".join(parts) or "0"

    # --- the sheet about it ---

    def _write_about(self) -> None:
        sheet = self._about
        sheet.set_column(0, 0, 100)
        for row, text in enumerate(LINES):
            sheet.write_string(row, 0, text)
        furthest = [f"{STEPS}!{cell}" for cell in self._furthest]
        column = _column_of(furthest)
        sheet.write_formula(len(LINES), 0, f"=MAX({column})" if column else "=0", self._head, "")
        sheet.write_string(len(LINES) + 2, 0, "The program:", self._head)
        for row, text in enumerate(self._told.program.source.text.splitlines(), len(LINES) + 3):
            sheet.write_string(row, 0, sanitise(text))


def _column_of(cells: Sequence[str]) -> str:
    """The range from the first to the last of cells in one column."""
    return f"{cells[0]}:{cells[-1].partition('!')[2]}" if cells else ""


def _number(sheet: Any, row: int, column: int, value: Any, form: Any) -> bool:
    """Write a number; false, and its name, for one that is not finite."""
    number = float(value)
    if np.isfinite(number):
        sheet.write_number(row, column, number, form)
        return True
    sheet.write_string(row, column, str(number), form)
    return False


def _range(pairs: Sequence[tuple[str, str]], side: int) -> str:
    first, last = pairs[0][side], pairs[-1][side]
    return first if first == last else f"{first}:{last}"


def _name(row: int, column: int) -> str:
    """`C4` for row 3 and column 2, counted from 0."""
    letters = ""
    column += 1
    while column:
        column, rest = divmod(column - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return f"{letters}{row + 1}"


def _place(cell: str) -> tuple[int, int]:
    """Row and column of a cell, counted from 0."""
    letters = cell.rstrip("0123456789")
    column = 0
    for letter in letters:
        column = column * 26 + ord(letter) - ord("A") + 1
    return int(cell[len(letters) :]) - 1, column - 1
