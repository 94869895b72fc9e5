"""A program's text without its numbers. Texts of one skeleton parse to trees that differ only in
numbers.

Digits in comments, in strings and behind a dot may be taken for numbers. This is harmless: other
numbers are put in only where the parser has found one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

# The grammar's NUMBER, if no letter or digit stands before it; those like 0xff and 1_000 are part
# of the text. The expression begins with a digit, so that Python skips to the next one, and looks
# back from there.
_NUMBER = re.compile(r"([0-9](?<![\w.].)[0-9]*+(?![_xXoObB])(?:\.[0-9]*)?(?:[eE][-+]?[0-9]+)?)")


def dissect(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The text between its numbers, and the numbers."""
    parts = _NUMBER.split(text)
    return tuple(parts[::2]), tuple(parts[1::2])


def starts(parts: Sequence[str], numbers: Sequence[str]) -> dict[int, int]:
    """For each place in the text where a number begins, the number's index."""
    begin, found = 0, {}
    for place, (part, number) in enumerate(zip(parts, numbers, strict=False)):
        begin += len(part)
        found[begin] = place
        begin += len(number)
    return found
