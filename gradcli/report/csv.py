"""Results as CSV, one row for each element; lines end in a line feed, as in other shell tools.

`kind` is `value`, `gradient` or `grad`; with several passes the latter two are numbered
(`grad.1`), and a plain `grad` is the accumulated sum. `index` is `0,1`, and empty for a number.
What the program prints comes last: of kind `printed`, without a name, one row for each call.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from gradcli.data.numbers import elements
from gradcli.graph import Array
from gradcli.report.layout import Layout
from gradcli.report.sanitise import sanitise
from gradcli.result import Result, final_grads, grads_of

HEADINGS = "name,kind,index,value\n"


def render(result: Result) -> str:
    """What `--format csv` prints."""
    return "".join(write(result))


def write(result: Result, _layout: Layout | None = None) -> Iterator[str]:
    """`render` row by row."""
    yield HEADINGS
    yield from elements_of(result.values, "value")
    several = len(result.passes) > 1
    for number, backward in enumerate(result.passes, 1):
        suffix = f".{number}" if several else ""
        yield from elements_of(backward.gradient, "gradient" + suffix)
        if several:
            yield from elements_of(grads_of(backward), "grad" + suffix)
    if not several or result.accumulated:
        yield from elements_of(final_grads(result), "grad")
    for number, text in enumerate(result.printed):
        quoted = _no_formula(sanitise(text)).replace('"', '""')
        yield f',printed,{number},"{quoted}"\n'


def _no_formula(text: str) -> str:
    """The text, with an apostrophe before it if a spreadsheet would take it for a formula."""
    if not text.startswith(("=", "+", "-", "@")):
        return text
    try:
        float(text)
    except ValueError:
        return f"'{text}"
    return text


def elements_of(named: Mapping[str, Array], kind: str) -> Iterator[str]:
    """A row for each element of arrays that are all of one kind."""
    for name, array in named.items():
        quote = '"' if array.ndim > 1 else ""
        start = f"{name},{kind},{quote}"  # names are identifiers: nothing to quote
        for index, value in elements(array):
            yield f"{start}{index}{quote},{value.strip(chr(34))}\n"
