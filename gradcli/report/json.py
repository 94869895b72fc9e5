"""Results and errors as JSON, one object on one line. Keys and their order are a promise."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from json.encoder import encode_basestring_ascii
from typing import TYPE_CHECKING, TextIO

from gradcli.diagnostics import Diagnostic, Note
from gradcli.graph import Array
from gradcli.report.numbers import nested
from gradcli.report.passes import final_grads, grads_of

if TYPE_CHECKING:
    from gradcli.result import Result


def render(result: Result) -> str:
    """The object that `--json` prints, without a line break."""
    return "".join(_pieces(result))


def write(result: Result, stream: TextIO) -> None:
    """`render` piece by piece: large arrays are never text as a whole."""
    stream.writelines(_pieces(result))


def render_error(diagnostic: Diagnostic) -> str:
    """An error as JSON; what is not known about its place is null."""
    source, span = diagnostic.source, diagnostic.span
    line = column = length = None
    if source and span:
        line, column = source.locate(span[0])
        length = span[1] - span[0]
    fields = {
        "code": string(diagnostic.code),
        "message": string(diagnostic.message),
        "source": string(source.name if source else None),
        "line": _integer(line),
        "column": _integer(column),
        "length": _integer(length),
        "hint": string(diagnostic.hint),
    }
    return '{"error": {' + ", ".join(f'"{key}": {text}' for key, text in fields.items()) + "}}"


def string(text: str | None) -> str:
    """A JSON string, or null; a lone surrogate, which JSON cannot hold, becomes U+FFFD."""
    if text is None:
        return "null"
    if not text.isascii():
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return encode_basestring_ascii(text)


def arrays(named: Mapping[str, Array]) -> Iterator[str]:
    """An object of arrays as nested lists, in pieces."""
    separator = "{"
    for name, array in named.items():
        yield f"{separator}{string(name)}: "
        yield from nested(array)
        separator = ", "
    yield "}" if named else "{}"


def closing(notes: Iterable[Note], seed: int | None) -> str:
    """The members that every answer ends with, and the end of its object."""
    texts = ", ".join(
        f'{{"code": {string(note.code)}, "message": {string(note.message)}}}' for note in notes
    )
    return f', "seed": {_integer(seed)}, "notes": [{texts}]}}'


def _pieces(result: Result) -> Iterator[str]:
    passes = result.passes
    yield f'{{"outputs": {strings(result.outputs)}, "values": '
    yield from arrays(result.values)
    yield ', "gradient": '
    yield from arrays(passes[-1].gradient if passes else {})
    yield ', "grads": '
    yield from arrays(final_grads(result))
    if len(passes) > 1:
        separator = ', "passes": ['
        for backward in passes:
            yield separator + '{"gradient": '
            yield from arrays(backward.gradient)
            yield ', "grads": '
            yield from arrays(grads_of(backward))
            yield "}"
            separator = ", "
        yield "]"
    if result.printed:
        yield f', "printed": {strings(result.printed)}'
    yield f', "dtype": {string(result.precision)}, "device": {string(result.device)}'
    yield closing(result.notes, result.seed)


def strings(texts: Iterable[str]) -> str:
    """A JSON array of strings."""
    return "[" + ", ".join(map(string, texts)) + "]"


def _integer(number: int | None) -> str:
    return "null" if number is None else str(number)
