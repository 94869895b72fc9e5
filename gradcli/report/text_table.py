"""The table of named values: in columns where they fit, else one below the other."""

from __future__ import annotations

from rich.cells import cell_len
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from gradcli.report.arrays import Excerpt, lines
from gradcli.report.layout import Layout
from gradcli.report.summary import Cell, Given, Row, Section
from gradcli.report.text_style import ASIDE, GAP, GRAD, name_style, shared, table

ABOUT = ("name", "", "shape")
VECTOR = 24
"""A vector may be folded to this width."""
EDGES = 56
"""The edges of a matrix may be cut down to this width."""
GIVEN = "v = "


def draw(section: Section, layout: Layout) -> RenderableType:
    """A section, below its title if it has one."""
    body = _in_columns(section, layout) or _stacked(section, layout)
    return Group(Text(section.title, style="bold"), Text(), body) if section.title else body


def _in_columns(section: Section, layout: Layout) -> Table | None:
    """A table, unless there is no room for the arrays side by side."""
    about = [(row.name, row.role, row.shape) for row in section.rows]
    taken = [max(map(cell_len, column)) for column in zip(ABOUT, *about, strict=True)]
    room = layout.width - sum(taken) - GAP * (len(taken) + len(section.headings) - 1)
    columns = list(zip(*(row.cells for row in section.rows), strict=True))
    least = [max(_least(cell, layout) for cell in column) for column in columns]
    spare = room - sum(least)
    if spare < 0:
        return None
    wanted = [max(_width(cell, layout) for cell in column) for column in columns]
    extra = shared([all_of_it - part for all_of_it, part in zip(wanted, least, strict=True)], spare)
    widths = [part + more for part, more in zip(least, extra, strict=True)]
    drawn = table((*ABOUT, *section.headings), layout)
    for row in section.rows:
        cells = [
            Text("\n").join(_styled(cell, heading, layout, width))
            for cell, heading, width in zip(row.cells, section.headings, widths, strict=True)
        ]
        drawn.leading |= any("\n" in cell.plain for cell in cells)
        drawn.add_row(*_about(row), *cells)
    return drawn


def _stacked(section: Section, layout: Layout) -> Text:
    """A line about each value, and its arrays below it."""
    indent = 2 + max(map(len, section.headings)) + 2
    texts: list[Text] = []
    for row in section.rows:
        texts += [Text()] if texts else []
        texts.append(Text("  ").join(part for part in _about(row) if part))
        for heading, cell in zip(section.headings, row.cells, strict=True):
            label = Text(f"  {heading}".ljust(indent), style=ASIDE)
            for line in _styled(cell, heading, layout, layout.width - indent):
                if line:
                    texts.append(Text.assemble(label, line))
                    label = Text(" " * indent)
    return Text("\n").join(texts)


def _about(row: Row) -> tuple[Text, Text, Text]:
    name = Text(row.name, style=name_style(row.role))
    return name, Text(row.role, style=ASIDE), Text(row.shape, style=ASIDE)


def _styled(cell: Cell, heading: str, layout: Layout, width: int) -> list[Text]:
    style = ASIDE if isinstance(cell, str) else "" if heading == "value" else GRAD
    return [Text(line, style=style) for line in _lines(cell, layout, width)]


def _lines(cell: Cell, layout: Layout, width: int | None) -> list[str]:
    if isinstance(cell, str):
        return [cell]
    if isinstance(cell, Excerpt):
        return lines(cell, layout.precision, width)
    below = None if width is None else width - len(GIVEN)
    first, *rest = lines(cell.shown, layout.precision, below)
    return [GIVEN + first, *(" " * len(GIVEN) + line for line in rest)]


def _width(cell: Cell, layout: Layout) -> int:
    return max(map(len, _lines(cell, layout, None)))


def _least(cell: Cell, layout: Layout) -> int:
    """The least width of a cell; a matrix in full is not folded, which would be hard to read."""
    shown = cell.shown if isinstance(cell, Given) else cell
    if isinstance(shown, str) or (len(shown.shape) > 1 and shown.full):
        return _width(cell, layout)
    return max(map(len, _lines(cell, layout, VECTOR if len(shown.shape) == 1 else EDGES)))
