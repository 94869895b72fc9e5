"""Numbers at full precision: every float reads back to the same bits.

Non-finite numbers are the strings `"NaN"`, `"Infinity"` and `"-Infinity"`, as JSON has no others.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

import numpy as np

from gradcli.graph import Array

_CHUNK = 2**14
"""Elements that are converted to text at a time."""


def nested(array: Array) -> Iterator[str]:
    """The array as JSON, in pieces; recurses over its axes, of which NumPy allows 64."""
    pieces = array.size or prod(max(1, length) for length in array.shape)  # empty rows are text
    if pieces <= _CHUNK or not array.ndim or not len(array):
        yield text(array)
        return
    rows = max(1, _CHUNK * len(array) // pieces)
    separator = "["
    for start in range(0, len(array), rows):
        yield separator
        if rows == 1:
            yield from nested(array[start])
        else:
            yield text(array[start : start + rows])[1:-1]
        separator = ", "
    yield "]"


def elements(array: Array) -> Iterator[tuple[str, str]]:
    """Subscripts (`0,1`) and text of each element, in C order."""
    if not array.ndim:
        yield "", text(array)
        return
    for start in range(0, array.size, _CHUNK):
        stop = min(start + _CHUNK, array.size)
        axes = np.unravel_index(np.arange(start, stop), array.shape)
        subscripts = zip(*(map(str, axis.tolist()) for axis in axes), strict=True)
        texts = text(array.flat[start:stop])[1:-1].split(", ")
        yield from zip(map(",".join, subscripts), texts, strict=True)


def text(array: Array) -> str:
    """The array as JSON.

    It is made from Python's own notation for nested lists, which differs only in a few words.
    """
    kind = array.dtype.char
    words = str((_shortest(array) if kind == "f" else array).tolist())
    if kind == "?":
        return words.replace("True", "true").replace("False", "false")
    if "n" in words:
        words = words.replace("nan", '"NaN"').replace("-inf", '"-Infinity"')
        words = words.replace("inf", '"Infinity"')
    return words


def _shortest(array: Array) -> Array:
    """float32 as the float64 with the fewest digits that rounds to it: 0.1, not 0.10000000149.

    One value, 7.038531e-26, would be rounded wrongly by readers that convert through float64, so it
    keeps all its digits.
    """
    short = array.astype("S16").astype(np.float64)
    return np.where(short.astype(np.float32) == array, short, array)
