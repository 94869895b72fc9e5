"""Colour for lines of text that are complete: errors, derived programs, guides.

Tables and documents get theirs from rich (`text_style`), which takes longer to import than all
else that an error needs.
"""

from __future__ import annotations

import re

# From the 256-colour cube, which is the same in every theme. Each has a contrast of at least 4 to
# 1 on black and on white.
BLUE, GREEN, PURPLE, BROWN, GREY, RED = 31, 29, 133, 130, 243, 160

_RESET = "\x1b[0m"
_QUOTED = re.compile(r"^( *\d* \| ?)(.*)$")
_CARETS = re.compile(r"^\s*\^+$")
_TYPED = re.compile(r"    (gradcli|echo) ")
_FLAG = re.compile(r"^(  )([-\w][-\w, ]*?)(?=  | [A-Z<\[]|$)")
_GRADIENT = re.compile(r"\b\w+_grad(?= =)", re.ASCII)


def paint(text: str, colour: int, *, bold: bool = False) -> str:
    """Text in a colour of the cube."""
    return f"\x1b[{'1;' if bold else ''}38;5;{colour}m{text}{_RESET}" if text else ""


def error(text: str) -> str:
    """A rendered error: its code, the place, carets and what to do stand out."""
    first, *others = text.split("\n")
    code, colon, message = first.partition(": ")
    return "\n".join([f"{paint(code + colon, RED, bold=True)}{message}", *map(_of_error, others)])


def _of_error(line: str) -> str:
    if line.lstrip().startswith("-->"):
        return paint(line, GREY)
    if line.lstrip().startswith("= help: "):
        margin, label, hint = line.partition("= help: ")
        return f"{margin}{paint(label, GREEN, bold=True)}{hint}"
    quoted = _QUOTED.match(line)
    if quoted is None:
        return line
    margin, shown = quoted.groups()
    if _CARETS.match(shown):
        shown = paint(shown, RED, bold=True)
    return f"{paint(margin, GREY)}{shown}"


def program(text: str) -> str:
    """A derived program: remarks aside, and the names of gradients."""
    return "".join(
        paint(line.rstrip("\n"), GREY) + "\n"
        if line.startswith("#")
        else _GRADIENT.sub(lambda found: paint(found[0], PURPLE), line)
        for line in text.splitlines(keepends=True)
    )


def usage(text: str) -> str:
    """What `--help` says: headings, examples, and the names of flags and commands."""
    lines = text.splitlines(keepends=True)
    return "".join(map(_of_usage, lines, ["", *lines]))


def _of_usage(line: str, above: str) -> str:
    shown = line.rstrip("\n")
    end = line[len(shown) :]
    if shown.endswith(":") and not shown.startswith("   "):
        return paint(shown, GREY, bold=True) + end
    if _TYPED.match(shown) or above.endswith("\\\n"):
        return paint(shown, BLUE) + end
    return _FLAG.sub(lambda found: f"{found[1]}{paint(found[2], GREEN)}", shown) + end


def guide(text: str) -> str:
    """A guide: its headings stand out, and the lines far from the margin, which are to be typed."""
    lines = text.splitlines(keepends=True)
    return "".join(map(_of_guide, lines, headings(text)))


def headings(text: str) -> list[bool]:
    """By line of a guide: whether it is a heading.

    A heading begins at the margin, is no sentence, and stands alone: no other line at the margin
    is next to it, as in a paragraph, and nothing is above it.
    """
    lines = text.splitlines()
    above, below = ["", *lines], [*lines[1:], ""]
    return [
        _at_margin(line) and line[-1] not in ".:" and not each_above and not _at_margin(each_below)
        for line, each_above, each_below in zip(lines, above, below, strict=False)
    ]


def _at_margin(line: str) -> bool:
    return bool(line) and not line.startswith(" ")


def _of_guide(line: str, is_heading: bool) -> str:
    shown = line.rstrip("\n")
    if shown.startswith("    "):
        return paint(shown, BLUE) + "\n"
    return paint(shown, GREY, bold=True) + "\n" if is_heading else line
