"""Lines to be typed, on narrow terminals: a shell reads the further lines as one with the first."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence

GOES_ON = " \\"
"""How a line ends that goes on in the next one."""
_WORD = re.compile(r"""(?:[^\s"'\\]|\\.|"(?:[^"\\]|\\.)*"|'[^']*')+|\S""")
_PART = re.compile(r"""(?:[^\s,']|'[^']*'|')*(?:,|\s+|$)""")
"""What a text in double quotes is divided into; what is quoted in it stays whole."""
_SPECIAL = re.compile(r"""["\\$`!]""")
"""What double quotes do not take the meaning of."""
_FLAG = re.compile(r"--?[A-Za-z][-\w]*")


def command_lines(lines: Sequence[str], width: int) -> list[str]:
    """A command, given in one line or more, in lines of `width` columns as far as its words allow.

    A flag stays with its value. Text in double quotes is divided only where a line is too short for
    it; text in single quotes never.
    """
    indent = lines[0][: len(lines[0]) - len(lines[0].lstrip())]
    text = " ".join(line.strip().removesuffix("\\").rstrip() for line in lines)
    margin = f"{indent}    "
    found = [indent]
    for unit in _units(text):
        begun = " " if found[-1].strip() else ""
        for part in _parts(unit, width - len(margin) - len(GOES_ON)):
            longer = f"{found[-1]}{begun}{part}"
            if found[-1].strip() and len(longer.rstrip()) + len(GOES_ON) > width:
                found.append(f"{margin}{part}")
            else:
                found[-1] = longer
            begun = ""
    return [*(f"{line.rstrip()}{GOES_ON}" for line in found[:-1]), found[-1].rstrip()]


def quoted(text: str) -> str:
    """A word of a command, in double quotes if it needs any, and where they do."""
    single = shlex.quote(text)
    return single if single == text or _SPECIAL.search(text) else f'"{text}"'


def _units(text: str) -> list[str]:
    """The words of a command, flags with their values, and a comment as one of them."""
    units: list[str] = []
    for found in _WORD.finditer(text):
        word = found[0]
        if word.startswith("#"):
            return [*units, text[found.start() :]]
        if units and _FLAG.fullmatch(units[-1]) and not word.startswith("-"):
            units[-1] += f" {word}"
        else:
            units.append(word)
    return units


def _parts(unit: str, room: int) -> list[str]:
    """A unit; parts of it, where it is too long, and quoted by double quotes."""
    if len(unit) <= room or not unit.endswith('"'):
        return [unit]
    start = unit.index('"')
    inside = _PART.findall(unit[start:])
    return [f"{unit[:start]}{inside[0]}", *inside[1:]]
