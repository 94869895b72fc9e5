"""Numbers in lines: `.csv`, `.tsv`, `.txt` and standard input.

Each line is a row; blank lines and what follows a `#` are skipped. The separator of CSV is the
first of tab, `;` and `,` that its first line holds. That line is a header if others follow and none
of its fields is a number. Text without `;` and `,` is separated by white space. As in
`numpy.loadtxt`, axes of length 1 are dropped: one column has shape (rows,). A column that is named
is that of a header, and the others may hold anything, `"a, quoted"` too.
"""

from __future__ import annotations

import io
from array import array
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import inf

import numpy as np

from gradcli.data.formats import Location
from gradcli.data.names import choose
from gradcli.data.numbers import text
from gradcli.data.replace import replacing
from gradcli.data.text import read_file
from gradcli.diagnostics import GradcliError, Source, Span
from gradcli.graph import Array

ROWS = 2**12
"""Rows that are written at a time."""
INFINITE = {"inf", "-inf", "+inf", "infinity", "-infinity", "+infinity"}
TABLE_WORDS = {
    '"NaN"': "NaN", '"Infinity"': "inf", '"-Infinity"': "-inf", "true": "1", "false": "0",
}  # fmt: skip
"""Words of JSON that tables write otherwise."""


def read(place: Location, memory: int) -> Array:
    """The float64 array of a file, or of the column that the key names."""
    content = read_file(place.path, memory)
    if place.suffix == ".txt":
        return parse_txt(content, place.name)
    if place.key is not None:
        return _parse_column(content, place)
    if place.suffix == ".tsv":
        return _Table(Source(place.name, content), "\t").array()
    return parse_csv(content, place.name)


def write(path: str, arrays: Mapping[str, Array]) -> None:
    """The only array as rows of separated values, which read back to the same bits.

    Raises `usage` for arrays of more than two axes.
    """
    ((name, values),) = arrays.items()
    if values.ndim > 2:
        raise GradcliError(
            "usage",
            f"{name} has {values.ndim} axes, and rows of numbers have two",
            hint="save it as .npy or .json",
        )
    table = values.reshape(-1, 1) if values.ndim < 2 else values
    separator = "\t" if path.lower().endswith(".tsv") else ","
    with replacing(path) as stream:
        for start in range(0, len(table), ROWS):
            for row in table[start : start + ROWS]:
                fields = [_field(each) for each in text(row)[1:-1].split(", ")]
                stream.write((separator.join(fields) + "\n").encode())


def parse_csv(text: str, name: str) -> Array:
    """The float64 array of separated values. Raises `data` with line and column."""
    first = next((line for _, line in _lines(text)), "")
    separator = next((mark for mark in "\t;," if mark in first), ",")
    return _Table(Source(name, text), separator).array()


def parse_txt(text: str, name: str) -> Array:
    """The float64 array of numbers between white space, or of CSV if the first line looks so."""
    first = next((line for _, line in _lines(text)), "")
    if "," in first or ";" in first:
        return parse_csv(text, name)
    return _Table(Source(name, text), None).array()


def _parse_column(content: str, place: Location) -> Array:
    """The column under a name in the first line. Raises `data`."""
    source, key = Source(place.name, content), place.key or ""
    lines = _lines(content)
    _, first = next(lines, (0, ""))
    separator = "\t" if place.suffix == ".tsv" else next((m for m in "\t;," if m in first), ",")
    names = [name.strip() for name in _fields(first, separator)]
    column = names.index(choose(key, names, place.path))
    numbers = array("d")
    for offset, line in lines:
        fields = _fields(line, separator)
        field = fields[column].strip(" \t") if column < len(fields) else ""
        try:
            number = _number(field)
        except ValueError:
            number = inf
        if abs(number) == inf and field.lower() not in INFINITE:
            start = offset + max(0, line.find(field))
            what = f"{field[:20]!r} is not a number of float64" if field else "a field is empty"
            raise GradcliError(
                "data",
                f"{place.name}: {what} in the column {key}",
                hint="write a missing number as NaN",
                source=source,
                span=(start, start + max(1, len(field))),
            )
        numbers.append(number)
    return np.frombuffer(numbers, np.float64)


def _fields(line: str, separator: str) -> list[str]:
    """The fields of a line, without quotes."""
    import csv

    return next(csv.reader([line], delimiter=separator), [])


def _field(number: str) -> str:
    """A number of JSON as tables hold it."""
    return TABLE_WORDS.get(number, number)


@dataclass(frozen=True, slots=True)
class _Table:
    source: Source
    separator: str | None

    def array(self) -> Array:
        numbers = array("d")
        columns = 0
        for offset, line in self._rows():
            fields = line.split(self.separator)
            columns = columns or len(fields)
            if len(fields) != columns:
                raise self._error(
                    f"this row has {len(fields)} fields, the first one {columns}",
                    (offset, offset + len(line)),
                )
            try:
                numbers.extend(map(_number, fields) if _unusual(line) else map(float, fields))
            except ValueError:
                raise self._bad_field(offset, fields) from None
        if not columns:
            raise GradcliError("data", f"{self.source.name} holds no numbers")
        values = np.frombuffer(numbers)
        if np.isinf(values).any():
            self._refuse_overflow()
        return values.reshape(-1, columns).squeeze()

    def _rows(self) -> Iterator[tuple[int, str]]:
        """The lines that hold data: all except a header."""
        lines = _lines(self.source.text)
        first, second = next(lines, None), next(lines, None)
        if first and (second is None or not self._is_header(first[1])):
            yield first
        if second:
            yield second
        yield from lines

    def _is_header(self, line: str) -> bool:
        return self.separator is not None and not any(map(_numbers, line.split(self.separator)))

    def _bad_field(self, offset: int, fields: list[str]) -> GradcliError:
        index = next(i for i, field in enumerate(fields) if not _is_number(field))
        field = fields[index].strip()
        span = self._span(offset, fields, index)
        if not field:
            return self._error("this field is empty", span, "write a missing number as NaN")
        point = field.replace(",", ".")
        hint = f"write decimals with a point: {point[:20]}" if _is_number(point) else None
        return self._error(f"{field[:20]!r} is not a number", span, hint)

    def _refuse_overflow(self) -> None:
        """Infinity is accepted where it is written as such, not as a number that is too large."""
        for offset, line in self._rows():
            fields = line.split(self.separator)
            for index, field in enumerate(fields):
                if abs(_number(field)) == inf and "n" not in field.lower():
                    span = self._span(offset, fields, index)
                    raise self._error(f"{field.strip()[:20]} overflows float64", span)

    def _span(self, offset: int, fields: list[str], index: int) -> Span:
        """The place of a field in the line at `offset`."""
        text = self.source.text
        for field in fields[:index]:
            offset = text.index(field, offset) + len(field) + (self.separator is not None)
        offset = text.index(fields[index], offset)
        return offset, offset + max(1, len(fields[index]))

    def _error(self, message: str, span: Span, hint: str | None = None) -> GradcliError:
        message = f"{self.source.name}: {message}"
        return GradcliError("data", message, hint=hint, source=self.source, span=span)


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Offset and text of the lines that are not blank, without comments."""
    offset = 0
    for line in io.StringIO(text, newline=""):
        content = line.partition("#")[0].rstrip("\r\n")
        if content.strip():
            yield offset, content
        offset += len(line)


def _unusual(line: str) -> bool:
    """Whether a line needs stricter reading than `float`, which accepts `1_0` and Arabic digits."""
    return '"' in line or "_" in line or not line.isascii()


def _number(field: str) -> float:
    field = field.strip(" \t")
    if len(field) > 1 and field[0] == field[-1] == '"':
        field = field[1:-1]
    if "_" in field or not field.isascii():
        raise ValueError(field)
    return float(field)


def _numbers(field: str) -> bool:
    """Whether a field seems to hold numbers, perhaps with decimal commas or other separators."""
    parts = field.replace(",", " ").split()
    return bool(parts) and all(map(_is_number, parts))


def _is_number(field: str) -> bool:
    try:
        _number(field)
    except ValueError:
        return False
    return True
