"""Errors for people: message, place, the line with a caret, and what to do."""

from __future__ import annotations

import unicodedata

from gradcli.diagnostics import Diagnostic, Source
from gradcli.report.sanitise import sanitise

_WIDTH = 100
"""Columns that a quoted line takes at most, its margin included."""
_LEAST = 20
"""Columns that it gets in any case."""
_TAB = "    "
_CUT = "..."


def render(diagnostic: Diagnostic, width: int | None = None) -> str:
    """A few lines of plain text, safe for a terminal, without a line break at the end.

    Of `width` columns, if that is given: the lines break between words.
    """
    lines = _folded(f"error[{diagnostic.code}]: ", "  ", diagnostic.message, width)
    margin = "   "
    source, span = diagnostic.source, diagnostic.span
    if source and span:
        number, column = source.locate(span[0])
        margin = " " * (len(str(number)) + 2)
        room = max(_LEAST, min(_WIDTH, width or _WIDTH) - len(margin) - 2)
        shown, carets = quote(source.line_text(span[0]), column - 1, span[1] - span[0], room)
        lines += [
            f"{margin[1:]}--> {_one_line(source.name)}:{number}:{column}",
            f"{margin}|",
            *_earlier(source, diagnostic.above, margin, room),
            f" {number} | {shown}".rstrip(),
            f"{margin}| {carets}",
        ]
    elif source:
        lines.append(f"{margin[1:]}--> {_one_line(source.name)}")
    if diagnostic.hint:
        label = f"{margin}= help: "
        lines += _folded(label, " " * len(label), diagnostic.hint, width)
    return "\n".join(lines)


def _folded(label: str, indent: str, text: str, width: int | None) -> list[str]:
    """A text behind its label, its further lines indented; words are kept whole."""
    lines = sanitise(text.replace("\t", _TAB)).split("\n")
    if width is not None:
        from textwrap import wrap

        lines[0] = label + lines[0]  # it has more room, or less, than the others
        folded = [
            wrap(
                line,
                max(_LEAST, width),
                initial_indent=indent if place else "",
                subsequent_indent=indent,
                break_long_words=False,
                break_on_hyphens=False,
            )
            or [indent.rstrip()]
            for place, line in enumerate(lines)
        ]
        return [line for each in folded for line in each]
    first, *others = lines
    return [label + first, *(indent + line for line in others)]


def _earlier(source: Source, place: int | None, margin: str, room: int) -> list[str]:
    """The earlier line that an error is about, too."""
    if place is None:
        return []
    number, column = source.locate(place)
    shown, _ = quote(source.line_text(place), column - 1, 1, room)
    return [f" {number:>{len(margin) - 2}} | {shown}".rstrip()]


def quote(line: str, start: int, length: int, room: int) -> tuple[str, str]:
    """The line, and carets under `length` code points from `start` on, as wide on a terminal.

    A line of more than `room` columns is cut around the first caret.
    """
    first = max(0, start - room)  # a line may have millions of code points
    cells = [_cell(character) for character in line[first : start + room]]
    widths = [_columns(cell) for cell in cells]
    start -= first
    left, right = 0, len(cells)
    before = after = ""
    if first or first + right < len(line) or sum(widths) > room:
        left, right = _window(widths, start, room - 2 * len(_CUT))
        before = _CUT if first + left else ""
        after = _CUT if first + right < len(line) else ""
    indent = len(before) + sum(widths[left:start])
    marked = sum(widths[start : min(start + length, right)])
    text = before + "".join(cells[left:right]) + after
    return text, " " * indent + "^" * max(1, marked)


def _window(widths: list[int], start: int, room: int) -> tuple[int, int]:
    """The range of cells around `start` that fits, with `start` in its middle where possible."""
    left = right = start
    used = 0
    for budget in (room // 2, room):
        while left and used + widths[left - 1] <= budget:
            left -= 1
            used += widths[left]
        while right < len(widths) and used + widths[right] <= room:
            used += widths[right]
            right += 1
    return left, right


def _cell(character: str) -> str:
    return _TAB if character == "\t" else sanitise(character)


def _columns(cell: str) -> int:
    """The width of a cell on a terminal: two for East Asian wide, none for combining marks."""
    if len(cell) > 1:
        return len(cell)
    if unicodedata.category(cell) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(cell) in "WF" else 1


def _one_line(name: str) -> str:
    return sanitise(name).replace("\n", "\\n")
