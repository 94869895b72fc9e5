"""Results and errors as JSON, one object on one line. Keys and their order are a promise.

Reports are data: nested dicts, lists and arrays, which `encode` alone turns into text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from json.encoder import encode_basestring_ascii
from typing import Any, TypeAlias

import numpy as np

from gradcli.data.numbers import nested, text
from gradcli.diagnostics import Diagnostic, Note
from gradcli.graph import Array
from gradcli.report.layout import Layout
from gradcli.result import Result, final_grads, grads_of

MOST_OF_LAYERS = 1_000_000
"""The most numbers of parameters of layers, values and grads together, that are written."""
AT_ONCE = 1000
"""The most members of an object that are one piece of text."""
Data: TypeAlias = "Mapping[str, Any] | Sequence[Any] | np.ndarray[Any, Any] | float | str | None"
"""Data that can be written; its members and items are such data, too."""


def encode(data: Data) -> Iterator[str]:
    """The JSON of some data, in pieces: large arrays are never text as a whole.

    Numbers that are not finite are the strings that `gradcli.data.numbers` names.
    """
    single = _single(data)
    if single is not None:
        yield single
    elif isinstance(data, Mapping):
        yield from _object(data)
    elif isinstance(data, Sequence):
        separator = "["
        for value in data:
            yield separator
            yield from encode(value)
            separator = ", "
        yield "]" if data else "[]"
    else:
        yield from nested(np.asarray(data))


def _object(data: Mapping[str, Any]) -> Iterator[str]:
    """The JSON of an object, many short members in a piece."""
    piece, separator = list[str](), "{"
    for key, value in data.items():
        single = _single(value)
        piece.append(f"{separator}{string(key)}: {single or ''}")
        separator = ", "
        if single is None or len(piece) == AT_ONCE:
            yield "".join(piece)
            piece.clear()
        if single is None:
            yield from encode(value)
    piece.append("}" if data else "{}")
    yield "".join(piece)


def _single(data: Data) -> str | None:
    """The JSON of data without parts; None for others."""
    if type(data) is np.ndarray:
        return None if data.ndim else text(data)
    if data is None or isinstance(data, str):
        return string(data)
    if isinstance(data, bool):
        return "true" if data else "false"
    if isinstance(data, int):
        return str(data)
    return None


def line(data: Data) -> str:
    """The JSON of some data as one line."""
    return "".join([*encode(data), "\n"])


def render(result: Result) -> str:
    """The object that `--json` prints, without a line break."""
    return "".join(encode(result_data(result)))


def write(result: Result, _layout: Layout | None = None) -> Iterator[str]:
    """`render` piece by piece, and a line break."""
    yield from encode(result_data(result))
    yield "\n"


def result_data(result: Result) -> dict[str, Data]:
    """The data that `--json` prints for a result."""
    result = _without_large_layers(result)
    passes = result.passes
    data: dict[str, Data] = {
        "outputs": list(result.outputs),
        "values": result.values,
        "gradient": passes[-1].gradient if passes else {},
        "grads": final_grads(result),
    }
    if len(passes) > 1:
        data["passes"] = [
            {"gradient": backward.gradient, "grads": grads_of(backward)} for backward in passes
        ]
    if result.printed:
        data["printed"] = result.printed
    data |= {"dtype": result.precision, "device": result.device}
    return data | closing(result.notes, result.seed)


def _without_large_layers(result: Result) -> Result:
    """The same without the parameters of layers, if they are many: those have names with a dot."""
    held = [result.values, *map(grads_of, result.passes)]
    sizes = [np.size(each) for arrays in held for name, each in arrays.items() if "." in name]
    if sum(sizes) <= MOST_OF_LAYERS:
        return result
    note = Note(
        "left-out",
        f"{sum(sizes):,} numbers of parameters of layers and their grads are left out of JSON: "
        "--save FILE.npz writes the grads, print(net.weight) a parameter",
    )
    passes = [each._replace(grads=_plain(each.grads), retained=_plain(each.retained))
              for each in result.passes]  # fmt: skip
    values, grads = _plain(result.values), _plain(result.grads)
    notes = [*result.notes, note]
    return result._replace(values=values, passes=passes, grads=grads, notes=notes)


def _plain(arrays: Mapping[str, Array]) -> dict[str, Array]:
    return {name: each for name, each in arrays.items() if "." not in name}


def closing(notes: Iterable[Note], seed: int | None) -> dict[str, Data]:
    """The members that every answer ends with."""
    return {"seed": seed, "notes": noted(notes)}


def noted(notes: Iterable[Note]) -> list[Data]:
    """Notes as data."""
    return [{"code": note.code, "message": note.message} for note in notes]


def render_error(diagnostic: Diagnostic) -> str:
    """An error as JSON; where its place is not known, the keys for it are null."""
    source, span = diagnostic.source, diagnostic.span
    line = column = length = None
    if source and span:
        line, column = source.locate(span[0])
        length = span[1] - span[0]
    error = {
        "code": diagnostic.code,
        "message": diagnostic.message,
        "source": source.name if source else None,
        "line": line,
        "column": column,
        "length": length,
        "hint": diagnostic.hint,
    }
    return "".join(encode({"error": error}))


def string(text: str | None) -> str:
    """A JSON string, or null; a lone surrogate, which JSON cannot hold, becomes U+FFFD."""
    if text is None:
        return "null"
    if not text.isascii():
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return encode_basestring_ascii(text)
