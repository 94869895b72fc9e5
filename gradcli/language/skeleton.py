"""A program's text without its numbers. Texts of one skeleton parse to the same tree but for them.

Digits in comments, strings and behind a dot may be taken for numbers, which is no harm: whoever
puts other numbers in their place does so only where the parser found one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

# The grammar's NUMBER where nothing goes before it. It begins with a digit, so that Python skips
# to the next one, and looks back from there.
_NUMBER = re.compile(r"([0-9](?<![\w.].)[0-9]*(?:\.[0-9]*)?(?:[eE][-+]?[0-9]+)?)")


def dissect(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The text between its numbers, and the numbers."""
    parts = _NUMBER.split(text)
    return tuple(parts[::2]), tuple(parts[1::2])


def starts(parts: Sequence[str], numbers: Sequence[str]) -> dict[int, int]:
    """Where in the text each number begins, and which one it is."""
    begin, found = 0, {}
    for place, (part, number) in enumerate(zip(parts, numbers, strict=False)):
        begin += len(part)
        found[begin] = place
        begin += len(number)
    return found
