"""Documents for people: headings, chains of equations, paragraphs, in several styles."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from textwrap import wrap
from typing import TypeAlias

from gradcli.diagnostics import GradcliError, Source
from gradcli.language.parser import ParseLimits, parse_expression
from gradcli.report.latex import escape, expression

WIDTH = 80


@dataclass(frozen=True, slots=True)
class Heading:
    text: str


@dataclass(frozen=True, slots=True)
class Paragraph:
    text: str


@dataclass(frozen=True, slots=True)
class Chain:
    """`left = first = second = …`, each of one or more lines, and remarks about it."""

    left: str
    equal: list[list[str]]
    remarks: list[str] = field(default_factory=list)


Block = Heading | Paragraph | Chain
Style: TypeAlias = Callable[[Block], str]


def render(blocks: Sequence[Block], style: Style) -> str:
    """The document; ends in a newline."""
    return "\n\n".join(map(style, blocks)) + "\n"


# --- styles --------------------------------------------------------------------------------


def as_text(block: Block) -> str:
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


def as_markdown(block: Block) -> str:
    if isinstance(block, Heading):
        return f"## {block.text}"
    if isinstance(block, Paragraph):
        return block.text
    remarks = [f"- {remark}" for remark in block.remarks]
    body = "\n".join(_chain(Chain(block.left, block.equal)))
    return "\n".join([f"```text\n{body}\n```", *([""] if remarks else []), *remarks])


def as_latex(block: Block) -> str:
    if isinstance(block, Heading):
        return rf"\section*{{{escape(block.text)}}}"
    if isinstance(block, Paragraph):
        return escape(block.text)
    chain = " \\\\\n".join(
        f"{_formula(block.left) if not i else ''} &= {_formula(' '.join(lines))}"
        for i, lines in enumerate(block.equal)
    )
    remarks = "".join(rf"\noindent {escape(remark)}\\" + "\n" for remark in block.remarks)
    return f"\\begin{{align*}}\n{chain}\n\\end{{align*}}\n{remarks}".rstrip()


def _formula(text: str) -> str:
    """An expression of the language as a formula, anything else as text."""
    shown, _, place = text.partition("    at ")
    try:
        formula = expression(parse_expression(Source("formula", shown), ParseLimits()))
    except GradcliError:
        return rf"\text{{{escape(text)}}}"
    return formula + (rf" \quad \text{{at {escape(place)}}}" if place else "")
