"""The graph as a tree: in columns where they fit, else each value behind its node."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from gradcli.report.arrays import inline
from gradcli.report.layout import Layout
from gradcli.report.text_style import ASIDE, GAP, GRAD, name_style, printed, shared, table
from gradcli.report.text_table import GIVEN
from gradcli.report.tree import COUNTED, Line, passes_text, tree
from gradcli.session import Result

WIDEST = 72
NARROWEST = 28
"""How wide an array may be, and how narrow its column; below that there are no columns."""
IN_COLUMNS = 1000
"""The most lines of a tree that are set in columns: rich takes 0.4 ms for each row of a table."""
BETWEEN = "  "

_ASCII_GUIDES = str.maketrans("├└│─", "|`|-")


def write(result: Result, layout: Layout) -> Iterator[str]:
    """The whole graph."""
    yield printed([draw(result, layout, None)], layout.colour)


def draw(result: Result, layout: Layout, limit: int | None) -> RenderableType:
    """The graph, cut after `limit` lines."""
    if result.passages is not None:
        from gradcli.analysis.intermediates import with_loops  # where there may be loops

        result = with_loops(result)
    shown, left_out = tree(
        result,
        layout.precision,
        depth=max(4, layout.width // 8),
        formula_width=max(16, layout.width // 3),
        limit=limit,
    )
    heading = _grad_heading(result)
    body: RenderableType | None = None
    if len(shown) <= IN_COLUMNS:
        body = _in_columns(shown, heading, layout)
    body = body or _running(shown, heading, layout)
    if not left_out:
        return body
    count = f"{left_out:,}" if left_out <= COUNTED else f"over {COUNTED:,}"
    more = Text(f"... {count} more lines: --tree shows them all", style=ASIDE)
    return Group(body, more)


def _grad_heading(result: Result) -> str:
    """Which grads the tree shows: it has room for one pass."""
    if len(result.passes) < 2:
        return "grad"
    return "total grad" if result.accumulated else f"grad of pass {len(result.passes)}"


def _in_columns(shown: list[Line], grad_heading: str, layout: Layout) -> Table | None:
    """A table with the tree in its first column, unless there is no room for the arrays."""
    about = [_about(line, layout) for line in shown]
    taken = [max(part.cell_len for part in column) for column in zip(*about, strict=True)]
    room = layout.width - sum(taken) - GAP * 4
    wanted = [_width(shown, part, layout, WIDEST) for part in (_value, _grad)]
    widths = shared(wanted, room)
    for part, natural, width in zip((_value, _grad), wanted, widths, strict=True):
        if width < min(natural, NARROWEST) or _width(shown, part, layout, width) > width:
            return None
    drawn = table(("graph", "op", "shape", "value", grad_heading if wanted[1] else ""), layout)
    for line, columns in zip(shown, about, strict=True):
        value, grad = _value(line, layout, widths[0]), _grad(line, layout, widths[1])
        drawn.add_row(*columns, Text(value), Text(grad, style=GRAD))
    return drawn


def _running(shown: list[Line], grad_heading: str, layout: Layout) -> Text:
    """The tree with everything about a node behind it, on further lines where there is no room."""
    texts: list[Text] = []
    for line in shown:
        graph, *about = _about(line, layout)
        guide = Text(_guide(line.guide_on, layout), style=ASIDE)
        room = layout.width - guide.cell_len
        label = "" if line.given else f"{grad_heading} = "
        grad = _grad(line, layout, room - len(label))
        about += [Text(_value(line, layout, room)), Text(grad and label + grad, style=GRAD)]
        texts.append(graph)
        for part in filter(None, about):
            if texts[-1].cell_len + len(BETWEEN) + part.cell_len <= layout.width:
                texts[-1] = Text(BETWEEN).join((texts[-1], part))
            else:
                texts.append(Text.assemble(guide, part))
    return Text("\n").join(texts)


def _about(line: Line, layout: Layout) -> tuple[Text, Text, Text]:
    """The node with the guide that leads to it, its op and its shape."""
    graph = Text.assemble(
        (_guide(line.guide, layout), ASIDE),
        (line.name, name_style(line.role)),
        " = " if line.name and line.formula else "",
        line.formula,
    )
    if line.passes:
        graph.append(f"{' = ' if line.name else ''}{passes_text(line)}")
        on = _guide(line.guide_on, layout)
        graph.append("".join(f"\n{on}    {each}" for each in line.body), style=ASIDE)
    if line.place != "here":
        graph.append(f" ({line.place})", style=ASIDE)
    if line.called:
        graph.append(f" (named {line.called})", style=ASIDE)
    return graph, Text(line.op, style=ASIDE), Text(line.shape, style=ASIDE)


def _guide(guide: str, layout: Layout) -> str:
    return guide.translate(_ASCII_GUIDES) if layout.ascii_only else guide


def _value(line: Line, layout: Layout, width: int) -> str:
    return inline(line.value, layout.precision, width) if line.value else ""


def _grad(line: Line, layout: Layout, width: int) -> str:
    if line.given:
        return GIVEN + inline(line.given, layout.precision, width - len(GIVEN))
    return inline(line.grad, layout.precision, width) if line.grad else ""


def _width(
    shown: list[Line], part: Callable[[Line, Layout, int], str], layout: Layout, width: int
) -> int:
    """The width of a column of arrays when all of them share `width`."""
    return max(len(part(line, layout, width)) for line in shown)
