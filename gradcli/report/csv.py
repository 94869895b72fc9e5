"""Results as CSV, one row an element; lines end as those of other shell tools do.

`kind` is `value`, `gradient` or `grad`; with several passes the latter two are numbered
(`grad.1`), and a plain `grad` is the accumulated sum. `index` is `0,1`, and empty for a number.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, TextIO

from gradcli.graph import Array
from gradcli.report.numbers import elements
from gradcli.report.passes import final_grads, grads_of

if TYPE_CHECKING:
    from gradcli.result import Result


def render(result: Result) -> str:
    """What `--format csv` prints."""
    return "".join(_rows(result))


def write(result: Result, stream: TextIO) -> None:
    """`render` row by row."""
    stream.writelines(_rows(result))


def _rows(result: Result) -> Iterator[str]:
    yield "name,kind,index,value\n"
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
        quote = '"' if array.ndim > 1 else ""
        start = f"{name},{kind},{quote}"  # names are identifiers: nothing to quote
        for index, value in elements(array):
            yield f"{start}{index}{quote},{value.strip(chr(34))}\n"
