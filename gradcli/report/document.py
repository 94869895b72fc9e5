"""Documents for people: headings, chains of equations, paragraphs, in several styles."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from textwrap import wrap
from typing import TypeAlias

from gradcli.diagnostics import GradcliError, Source
from gradcli.language.parser import ParseLimits, parse_expression
from gradcli.report.latex import Mathematics, escape

WIDTH = 80
"""The columns of text, where a terminal has as many."""
INDENT = "    "
SUM_OVER_PATHS = (
    r"\sum_{{p=1}}^{{{0}}} \overline{{u_{{p,m}}}} \prod_{{k=1}}^{{m}} "
    r"\frac{{\partial u_{{p,k}}}}{{\partial u_{{p,k-1}}}}"
)
"""The chain rule for one entry: u with p, 0 is the entry, u with p, m an element of the output."""


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
    path: list[str] = field(default_factory=list)
    """Values, each computed from the one before: as formulas, the left side is the product of
    their derivatives, and of the gradient of the last."""
    paths: int = 0
    """Over how many paths the left side is a sum, which formulas say."""


@dataclass(frozen=True, slots=True)
class Together:
    """Chains of which the same is said, in a line before them; or nothing, and they are brief."""

    title: str
    chains: list[Chain]


Block = Heading | Paragraph | Chain | Together
Style: TypeAlias = Callable[[Block], str]


def render(blocks: Sequence[Block], style: Style) -> str:
    """The document; ends in a newline."""
    return "\n\n".join(map(style, blocks)) + "\n"


# --- styles --------------------------------------------------------------------------------


def as_text(block: Block, width: int = WIDTH) -> str:
    """For a terminal of this width: no word is broken, so a longer one goes beyond it."""
    if isinstance(block, Heading):
        heading = wrap(block.text, width, break_long_words=False, break_on_hyphens=False)
        return "\n".join([*heading, "-" * max(map(len, heading))])
    if isinstance(block, Paragraph):
        return "\n".join(_paragraph(block.text, width))
    if isinstance(block, Together):
        return "\n".join([*_paragraph(block.title, width), *lines_together(block, width)])
    return "\n".join(_chain(block, width))


def lines_together(block: Together, width: int) -> Iterator[str]:
    """The chains, each in one line where it fits."""
    for chain in block.chains:
        left, remarks = chain.left, chain.remarks
        equal = [" ".join(each) for each in chain.equal]
        if not equal and not any(remark.startswith(" ") for remark in remarks):
            found = _hanging(", ".join([left, *remarks]), width - len(INDENT))
        else:
            line = " = ".join([left, *equal])
            fits = len(line) + len(INDENT) <= width
            found = [line] if fits else _chain(replace(chain, remarks=[]), width - len(INDENT))
            found += _remarks(remarks, width - len(INDENT))
        yield from (f"{INDENT}{each}" for each in found)


def _hanging(text: str, width: int) -> list[str]:
    return wrap(
        text, width, subsequent_indent=INDENT, break_long_words=False, break_on_hyphens=False
    )


def _paragraph(text: str, width: int) -> list[str]:
    return wrap(text, width, break_long_words=False, break_on_hyphens=False)


def _chain(chain: Chain, width: int) -> list[str]:
    """`left = first`, the further ones below, and remarks indented."""
    *above, left = chain.left.split("\n")
    long = len(left) > width // 4 or not chain.equal
    indent = " " * (3 if long else len(left) + 1)
    texts = above + ([left] if long else [])
    for position, equal in enumerate(chain.equal):
        start = indent if long or position else f"{left} "
        texts += [f"{start}= {equal[0]}", *(f"{indent}  {line}" for line in equal[1:])]
    return [*texts, *_remarks(chain.remarks, width)]


def _remarks(remarks: Sequence[str], width: int) -> Iterator[str]:
    for remark in remarks:
        yield from wrap(
            remark, width, initial_indent=INDENT, subsequent_indent=INDENT,
            break_long_words=False, break_on_hyphens=False,
        )  # fmt: skip


def in_markdown(formulas: Mathematics) -> Style:
    """Formulas between `$$`, as GitHub and Jupyter show them."""

    def write(block: Block) -> str:
        if isinstance(block, Heading):
            return f"## {_symbols(block.text)}"
        if isinstance(block, Paragraph):
            return _symbols(block.text)
        if isinstance(block, Together):
            return "\n\n".join(filter(None, [block.title, *map(write, block.chains)]))
        remarks = "".join(f"\n- {remark}" for remark in block.remarks)
        aligned = _aligned(block, formulas)
        body = f"$$\n\\begin{{aligned}}\n{aligned}\n\\end{{aligned}}\n$$"
        return f"{body}\n{remarks}" if remarks else body

    return write


def in_latex(formulas: Mathematics) -> Style:
    """For a document that uses the package amsmath."""

    def write(block: Block) -> str:
        if isinstance(block, Heading):
            return rf"\section*{{{escape(block.text)}}}"
        if isinstance(block, Paragraph):
            return escape(block.text)
        if isinstance(block, Together):
            return "\n\n".join(filter(None, [escape(block.title), *map(write, block.chains)]))
        remarks = "".join(rf"\noindent {escape(remark)}\\" + "\n" for remark in block.remarks)
        aligned = _aligned(block, formulas)
        return f"\\begin{{align*}}\n{aligned}\n\\end{{align*}}\n{remarks}".rstrip()

    return write


def _symbols(text: str) -> str:
    return text.replace("vᵀ·J", r"$v^{\top} J$")


def _aligned(chain: Chain, formulas: Mathematics) -> str:
    """Left and right of each `=`, in two columns."""
    left = formulas.derivatives(chain.path) if chain.path else _formula(chain.left, formulas)
    if chain.paths:
        left += " &= " + SUM_OVER_PATHS.format(chain.paths) + " \\\\\n"
    rows = [
        f"{left if not i else ''} &= {_formula(' '.join(lines), formulas)}"
        for i, lines in enumerate(chain.equal)
    ]
    return " \\\\\n".join(rows or [left])


def _formula(text: str, formulas: Mathematics) -> str:
    """An expression of the language as a formula, anything else as text."""
    shown, _, place = text.partition("    at ")
    try:
        formula = formulas.of(parse_expression(Source("formula", shown), ParseLimits()))
    except GradcliError:
        return rf"\text{{{escape(text)}}}"
    return formula + (rf" \quad \text{{at {escape(place)}}}" if place else "")
