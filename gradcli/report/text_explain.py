"""An explanation at a terminal: as text, and in colour."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.text import Text

from gradcli.analysis.explain import Explanation
from gradcli.analysis.paths import SumOverPaths
from gradcli.report.document import Block, Chain, Heading, as_text, render
from gradcli.report.explain import blocks
from gradcli.report.layout import Layout
from gradcli.report.text_style import ASIDE, GRAD, HEADING, ROLES, printed


def write(told: Explanation | SumOverPaths, layout: Layout) -> Iterator[str]:
    """For a terminal."""
    found = blocks(told, layout.precision)
    yield coloured(found) if layout.colour else render(found, as_text)


def coloured(blocks: Sequence[Block]) -> str:
    """As text for a terminal: headings, names and remarks apart from the equations."""
    return printed([_coloured(block) for block in blocks], colour=True)


def _coloured(block: Block) -> Text:
    text = Text(as_text(block))
    if isinstance(block, Heading):
        text.stylize(HEADING)
    elif isinstance(block, Chain):
        remarks = len(as_text(block)) - len(as_text(Chain(block.left, block.equal)))
        name = GRAD if block.left.endswith(".grad") else ROLES["output"]
        text.stylize(name, 0, len(block.left))
        if remarks:
            text.stylize(ASIDE, len(text) - remarks)
    return text
