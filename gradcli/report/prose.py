"""Guides on narrow terminals: prose is folded again, lines to be typed stay as they are."""

from __future__ import annotations

from textwrap import wrap

FULL = 60
"""A line of prose with more columns goes on in the next one."""
TYPED = "    "
"""Lines that begin so are to be typed."""


def narrowed(guide: str, width: int) -> str:
    """A guide, written for 80 columns, for `width`; no word is broken."""
    lines: list[str] = []
    paragraph: list[str] = []
    for line in [*guide.split("\n"), ""]:
        goes_on = paragraph and len(paragraph[-1]) > FULL and _indent(line) == _indent(paragraph[0])
        if paragraph and not (goes_on and line.strip() and not line.startswith(TYPED)):
            lines += _folded(paragraph, width)
            paragraph = []
        if not line.strip() or line.startswith(TYPED):
            lines.append(line)
        else:
            paragraph.append(line)
    return "\n".join(lines[:-1])


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _folded(paragraph: list[str], width: int) -> list[str]:
    if all(len(line) <= width for line in paragraph):
        return paragraph
    indent = _indent(paragraph[0])
    column = "  " if len(paragraph) == 1 else ""
    text = " ".join(line.strip() for line in paragraph)
    return wrap(
        text, width, initial_indent=indent, subsequent_indent=indent + column,
        break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip
