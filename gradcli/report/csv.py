"""Results as CSV (RFC 4180): one row an element.

`kind` is `value`, `gradient` or `grad`; with several passes the latter two are numbered
(`grad.1`), and a plain `grad` is the accumulated sum. `index` is `0,1`, and empty for a number.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import TextIO

from gradcli.graph import Array
from gradcli.report.numbers import flat
from gradcli.report.passes import final_grads, grads_of
from gradcli.session import Result


def render(result: Result) -> str:
    """What `--format csv` prints."""
    return "".join(_rows(result))


def write(result: Result, stream: TextIO) -> None:
    """`render` row by row."""
    stream.writelines(_rows(result))


def _rows(result: Result) -> Iterator[str]:
    yield "name,kind,index,value\r\n"
    yield from _elements(result.values, "value")
    several = len(result.passes) > 1
    for number, backward in enumerate(result.passes, 1):
        suffix = f".{number}" if several else ""
        yield from _elements(backward.gradient, "gradient" + suffix)
        if several:
            yield from _elements(grads_of(backward), "grad" + suffix)
    if not several or result.accumulated:
        yield from _elements(final_grads(result), "grad")


def _elements(named: Mapping[str, Array], kind: str) -> Iterator[str]:
    for name, array in named.items():
        start = f"{name},{kind},"  # names are identifiers: nothing to quote
        quote = '"' if array.ndim > 1 else ""
        subscripts = product(*(map(str, range(length)) for length in array.shape))
        for index, value in zip(subscripts, flat(array), strict=True):
            yield f"{start}{quote}{','.join(index)}{quote},{value.strip(chr(34))}\r\n"
