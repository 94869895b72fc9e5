"""Numbers at full precision: every float reads back to the same bits.

Non-finite numbers are the strings `"NaN"`, `"Infinity"` and `"-Infinity"`, as JSON has no others.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gradcli.graph import Array

_CHUNK = 2**14
"""Elements that are made into text at a time."""


def nested(array: Array) -> Iterator[str]:
    """The array as JSON, in pieces; recurses over its axes, of which NumPy allows 64."""
    if array.size <= _CHUNK or not array.ndim:
        yield _text(array)
        return
    rows = max(1, _CHUNK * len(array) // array.size)
    separator = "["
    for start in range(0, len(array), rows):
        yield separator
        if rows == 1:
            yield from nested(array[start])
        else:
            yield _text(array[start : start + rows])[1:-1]
        separator = ", "
    yield "]"


def flat(array: Array) -> Iterator[str]:
    """The text of each element, in C order."""
    elements = array.reshape(-1)
    for start in range(0, elements.size, _CHUNK):
        yield from _text(elements[start : start + _CHUNK])[1:-1].split(", ")


def _text(array: Array) -> str:
    """JSON from Python's own notation for nested lists, which differs in words only."""
    text = str(_shortest(array).tolist())
    if array.dtype.kind == "b":
        return text.replace("True", "true").replace("False", "false")
    if "n" in text:
        text = text.replace("nan", '"NaN"').replace("-inf", '"-Infinity"')
        text = text.replace("inf", '"Infinity"')
    return text


def _shortest(array: Array) -> Array:
    """float32 as the float64 with the fewest digits that rounds to it: 0.1, not 0.10000000149.

    One value, 7.038531e-26, is rounded wrongly by readers that go through float64: it keeps all
    its digits.
    """
    if array.dtype != np.float32:
        return array
    short = array.astype("S16").astype(np.float64)
    return np.where(short.astype(np.float32) == array, short, array)
