"""An explanation at a terminal: as text, and in colour."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from re import escape

from rich.text import Text

from gradcli.analysis.explain import Explanation
from gradcli.analysis.paths import SumOverPaths
from gradcli.report.document import (
    WIDTH,
    Block,
    Chain,
    Heading,
    Paragraph,
    Together,
    as_text,
    render,
)
from gradcli.report.explain import blocks
from gradcli.report.layout import Layout
from gradcli.report.text_style import ASIDE, GRAD, HEADING, ROLES, printed


def write(told: Explanation | SumOverPaths, layout: Layout) -> Iterator[str]:
    """For a terminal."""
    width = min(WIDTH, layout.width)
    found = blocks(told, layout.precision, width)
    yield coloured(found, width) if layout.colour else render(found, partial(as_text, width=width))


def coloured(blocks: Sequence[Block], width: int = WIDTH) -> str:
    """As text for a terminal: headings, names and remarks apart from the equations."""
    return printed([_coloured(block, width) for block in blocks], colour=True)


def _coloured(block: Block, width: int) -> Text:
    text = Text(as_text(block, width))
    if isinstance(block, Heading):
        text.stylize(HEADING)
    elif isinstance(block, Together):
        text.stylize(ASIDE, 0, len(as_text(Paragraph(block.title), width)))
        for chain in block.chains:
            text.highlight_regex(rf"(?m)^ +{escape(chain.left)}(?= |,)", _name_style(chain))
    elif isinstance(block, Chain):
        remarks = len(text) - len(as_text(Chain(block.left, block.equal), width))
        text.stylize(_name_style(block), 0, len(block.left))
        if remarks:
            text.stylize(ASIDE, len(text) - remarks)
    return text


def _name_style(chain: Chain) -> str:
    return GRAD if chain.left.endswith(".grad") else ROLES["output"]
