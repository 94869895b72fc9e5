"""Guides on narrow terminals: prose is folded again, and commands as a shell reads them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from textwrap import wrap

from gradcli.report.typed import GOES_ON, command_lines

FULL = 60
"""A line of prose with more columns goes on in the next one."""
TYPED = "    "
"""Lines that begin so are to be typed."""
_COMMAND = re.compile(r" (gradcli|echo) | --?[a-z]")
"""What commands for a shell have, and no other lines that are to be typed."""


def narrowed(guide: str, width: int) -> str:
    """A guide, written for 80 columns, for `width`; no word is broken."""
    parts = _paragraphs(guide.split("\n"))
    return "\n".join(line for part in parts for line in _folded(part, width))


def _paragraphs(lines: Sequence[str]) -> Iterator[list[str]]:
    """Lines that belong together: of prose, of one command, or an empty one."""
    paragraph: list[str] = []
    for line in lines:
        if paragraph and not _goes_on(paragraph, line):
            yield paragraph
            paragraph = []
        paragraph.append(line)
    yield paragraph


def _goes_on(paragraph: Sequence[str], line: str) -> bool:
    """Whether a line belongs to the lines above it."""
    last = paragraph[-1]
    if last.startswith(TYPED):
        return last.endswith(GOES_ON)
    prose = bool(line.strip()) and not line.startswith(TYPED)
    return prose and len(last) > FULL and _indent(line) == _indent(paragraph[0])


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _folded(paragraph: list[str], width: int) -> list[str]:
    if all(len(line) <= width for line in paragraph):
        return paragraph
    if paragraph[0].startswith(TYPED):
        is_command = any(map(_COMMAND.search, paragraph))
        return command_lines(paragraph, width) if is_command else paragraph
    indent = _indent(paragraph[0])
    column = "  " if len(paragraph) == 1 else ""
    text = " ".join(line.strip() for line in paragraph)
    return wrap(
        text, width, initial_indent=indent, subsequent_indent=indent + column,
        break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip
