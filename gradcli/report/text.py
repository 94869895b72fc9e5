"""A result for people: a table of named values and grads, the graph as a tree, notes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from textwrap import wrap

from rich.console import RenderableType
from rich.text import Text

from gradcli.diagnostics import Note
from gradcli.report import text_table, text_tree
from gradcli.report.layout import Layout
from gradcli.report.sanitise import sanitise, within_lines
from gradcli.report.summary import sections
from gradcli.report.text_style import REMARK, printed
from gradcli.result import Result

TREE_LINES = 60


def write(result: Result, layout: Layout) -> Iterator[str]:
    """`render` as a format."""
    yield render(result, layout)


def render(result: Result, layout: Layout) -> str:
    """Everything that is shown of a result; ends in a newline.

    Numbers are never cut: where one is wider than the layout, so is the line. Only the edge items
    of large arrays are read.
    """
    blocks: list[RenderableType] = [
        text_table.draw(section, layout) for section in sections(result)
    ]
    if layout.tree is not False and result.outputs:
        blocks.append(text_tree.draw(result, layout, None if layout.tree else TREE_LINES))
    remarks = _remarks(result, layout)
    if remarks:
        blocks.append(Text("\n").join(remarks))
    said = "".join(spoken(result.printed))
    gap = "\n" if said and blocks else ""
    return f"{said}{gap}{printed(blocks, layout.colour)}"


def spoken(lines: Iterable[str]) -> Iterator[str]:
    """What a program has printed, with line breaks."""
    return (f"{within_lines(line)}\n" for line in lines)


def _remarks(result: Result, layout: Layout) -> list[Text]:
    """What `v` stands for, the notes, and the seed."""
    product = "v^T J" if layout.ascii_only else "vᵀ·J"
    remarks = []
    if result.passes:
        text = f"the gradient of the output; grad = {product}"
        remarks.append(folded("v: ", text, layout.width))
    return remarks + closing(result.notes, result.seed, layout.width)


def closing(notes: Iterable[Note], seed: int | None, width: int) -> list[Text]:
    """What every answer ends with: the notes, each once, and the seed."""
    messages = dict.fromkeys(note.message for note in notes)  # passes may repeat notes
    lines = [folded("note: ", sanitise(message), width) for message in messages]
    if seed is not None:
        lines.append(folded("seed: ", f"{seed} (repeat with --seed {seed})", width))
    return lines


def folded(label: str, text: str, width: int, style: str = REMARK) -> Text:
    """A remark, its further lines indented; words are kept whole."""
    folded = wrap(text, max(1, width - len(label)), break_long_words=False, break_on_hyphens=False)
    return Text.assemble((label, style), ("\n" + " " * len(label)).join(folded))
