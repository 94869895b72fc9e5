"""Documents for people: headings, chains of equations, paragraphs, in several styles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from textwrap import wrap

WIDTH = 80


@dataclass(frozen=True, slots=True)
class Heading:
    text: str


@dataclass(frozen=True, slots=True)
class Paragraph:
    text: str


@dataclass(frozen=True, slots=True)
class Chain:
    """`left = first = second = …`, each of one or more lines, and what there is to say about it."""

    left: str
    equal: list[list[str]]
    remarks: list[str] = field(default_factory=list)


Block = Heading | Paragraph | Chain


def render(blocks: Sequence[Block], style: str) -> str:
    """The document as `text` or `markdown`; ends in a newline."""
    texts = [_STYLES[style](block) for block in blocks]
    return "\n\n".join(texts) + "\n"


# --- styles --------------------------------------------------------------------------------


def _as_text(block: Block) -> str:
    if isinstance(block, Heading):
        return f"{block.text}\n{'-' * len(block.text)}"
    if isinstance(block, Paragraph):
        return "\n".join(wrap(block.text, WIDTH, break_on_hyphens=False))
    return "\n".join(_chain(block))


def _chain(chain: Chain) -> list[str]:
    """`left = first`, the further ones below, and remarks indented."""
    *above, left = chain.left.split("\n")
    long = len(left) > WIDTH // 4
    indent = " " * (3 if long else len(left) + 1)
    texts = above + ([left] if long else [])
    for position, equal in enumerate(chain.equal):
        start = indent if long or position else f"{left} "
        texts += [f"{start}= {equal[0]}", *(f"{indent}  {line}" for line in equal[1:])]
    for remark in chain.remarks:
        texts += wrap(
            remark, WIDTH, initial_indent="    ", subsequent_indent="    ", break_on_hyphens=False
        )
    return texts


def _as_markdown(block: Block) -> str:
    if isinstance(block, Heading):
        return f"## {block.text}"
    if isinstance(block, Paragraph):
        return block.text
    remarks = [f"- {remark}" for remark in block.remarks]
    body = "\n".join(_chain(Chain(block.left, block.equal)))
    return "\n".join([f"```text\n{body}\n```", *([""] if remarks else []), *remarks])


_STYLES = {"text": _as_text, "markdown": _as_markdown}
