"""Records: strict JSON to a program, its inputs and gradients."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
import orjson

from gradcli.data import json
from gradcli.data.binding import checked_name
from gradcli.data.formats import path_of
from gradcli.data.load import load
from gradcli.data.npy import to_run_dtype
from gradcli.data.replace import same_file
from gradcli.data.text import decode
from gradcli.diagnostics import GradcliError, nearest
from gradcli.graph import Array
from gradcli.plans import Request
from gradcli.report.json import string
from gradcli.session import Gradient, Options

KEYS = ("id", "program", "set", "gradient", "output", "wrt", "seed")
MAX_SEED = 2**63 - 1

_MINUS_ZERO = re.compile(rb"-0(?![.0-9eE])")


ToArray: TypeAlias = Callable[[Any, str], Array]
"""A function that makes an array of a JSON value; the name is for errors."""
Read: TypeAlias = Callable[[str, str], Array]
"""A function that reads what an `@file` value names; the name is for errors."""


Document: TypeAlias = dict[str, Any]
"""A record's JSON."""


def glance(line: bytes) -> Document | None:
    """The JSON object in a line as orjson reads it, which is ten times faster than the strict
    parser and accepts some things that are not allowed; None if it finds none.
    """
    try:
        found = orjson.loads(line)
    except ValueError:
        return None
    return found if type(found) is dict else None


def parse(line: bytes, glanced: Document | None = None) -> tuple[Document, ToArray]:
    """The JSON object in a line, and how to make arrays of what is in it.

    The strict parser decides where the line may be wrong. Raises `data`, `encoding`,
    `limit-depth`.
    """
    document = glance(line) if glanced is None else glanced
    if document is not None and is_read_strictly(line, _strings(document)):
        return document, array_without_strings
    found = json.parse(decode(line, "record"), "record")
    if not isinstance(found, dict):
        raise GradcliError("data", "a record is a JSON object", hint='{"program": "x**2"}')
    return found, json.to_array


def is_read_strictly(line: bytes, strings: int) -> bool:
    """Whether orjson, which has found so many strings in a line, was strict with it.

    It accepts doubled keys, and reads -0 as an integer; otherwise it is strict. Each string has two
    quotes, so a line with more quotes has a doubled key, or strings elsewhere.
    """
    return line.count(b'"') == 2 * strings and b"\\" not in line and not _MINUS_ZERO.search(line)


def _strings(record: Document) -> int:
    """The number of strings in a record with no strings in lists; -1 where that is not known."""
    count = len(record)
    for key, value in record.items():
        if type(value) is str:
            count += 1
        elif type(value) is dict:
            count += len(value)
        elif type(value) is float and key != "gradient":
            return -1  # perhaps an integer beyond 64 bits
    return count


def identify(record: Document) -> str:
    """The record's `id` as JSON. Raises `data` for lists and objects, which may be of any size."""
    ident = record.get("id")
    if type(ident) is int:
        return str(ident)
    if isinstance(ident, str):
        _require_text(ident, "id")
        return string(ident)
    if ident is None or isinstance(ident, bool):
        return {None: "null", True: "true", False: "false"}[ident]
    if isinstance(ident, float):
        return str(ident)
    raise GradcliError("data", "id is a string or a number", hint='{"id": 1, …}')


def bind(
    record: Document,
    to_array: ToArray,
    options: Options,
    default: str | None,
    read: Read,
) -> Request:
    """A parsed record as a request; `default` is the program of a record that has none, and `read`
    reads the files that it names.

    Raises `data` for keys and values that a record cannot have, and what reading files raises.
    """
    program = default
    inputs: dict[str, Array] = {}
    gradients: list[Gradient] = []
    outputs: tuple[str, ...] = ()
    wrt: tuple[str, ...] = ()
    seed = None
    for key, value in record.items():
        if key == "id":
            continue
        if key == "set":
            inputs = {
                _name(name, "set"): _array(each, f"set {name}", to_array, options, read)
                for name, each in _object(value).items()
            }
            if len(inputs) < len(value):
                raise GradcliError("data", "set: two names are forms of the same name")
        elif key == "program":
            program = _text(value, key)
        elif key == "gradient":
            gradients = _gradients(value, to_array, options, read)
        elif key == "output":
            outputs = _names(value, key)
        elif key == "wrt":
            wrt = _names(value, key)
        elif key == "seed":
            seed = _seed(value)
        else:
            raise _unknown_key(key)
    if program is None:
        raise GradcliError(
            "data", "the record has no program", hint="give it one, or all of them with --program"
        )
    return Request(program, inputs, gradients, outputs, wrt, seed)


def _object(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise GradcliError("data", "set is an object", hint='"set": {"x": [1, 2]}')
    return value


def _gradients(value: Any, to_array: ToArray, options: Options, read: Read) -> list[Gradient]:
    """One vector for the only output, or an object of them by output; null is none."""
    if value is None:
        return []
    if isinstance(value, dict):
        named = {
            _name(name, "gradient"): _array(each, f"gradient {name}", to_array, options, read)
            for name, each in value.items()
        }
        if len(named) < len(value):
            raise GradcliError("data", "gradient: two names are forms of the same name")
        return [Gradient(array, name) for name, array in named.items()]
    return [Gradient(_array(value, "gradient", to_array, options, read))]


def _array(value: Any, name: str, to_array: ToArray, options: Options, read: Read) -> Array:
    """The array of a value in the precision of the run."""
    if isinstance(value, str) and value.startswith("@"):
        return read(value, name)
    array = to_array(value, name)
    if options.precision != "float64":
        return to_run_dtype(array, name, options.precision, options.limits.memory_bytes())
    return array


def array_without_strings(value: Any, name: str) -> Array:
    """Like `json.to_array`, but faster, for lists that hold no strings.

    NumPy would read numbers in strings, and allocate the length of the longest for each of them.
    """
    try:
        array = np.array(value)
    except ValueError:  # ragged, or too deep
        return json.to_array(value, name)
    if array.dtype.kind in "fb":
        return array
    return array.astype(np.float64) if array.dtype.kind == "i" else json.to_array(value, name)


def read_none(_: str, name: str) -> Array:
    """For runs in which records may not name files."""
    raise GradcliError("data", f"{name} names a file", hint="--allow-files lets records read files")


def read_any(options: Options, written: Collection[str]) -> Read:
    """For runs in which records may name files, except those that the run writes."""

    def read(value: str, name: str) -> Array:
        path = path_of(value[1:])
        if path == "-":
            raise GradcliError("data", f"{name}: standard input holds the records")
        if same_file(path, written):
            raise GradcliError("data", f"{name} names the file that this run writes")
        return load(value[1:], options.precision, options.limits.memory_bytes())

    return read


def _text(value: Any, key: str) -> str:
    if not isinstance(value, str):
        raise GradcliError("data", f"{key} is a string", hint=f'"{key}": "x**2"')
    _require_text(value, key)
    return value


def _require_text(value: str, key: str) -> None:
    """Refuse lone surrogates, which JSON can write as escapes but no text can hold."""
    if not value.isascii() and any("\ud800" <= character <= "\udfff" for character in value):
        raise GradcliError("data", f"{key} holds half of a surrogate pair")


def _names(value: Any, key: str) -> tuple[str, ...]:
    """The names in `"a,b"` or `["a", "b"]`; null is none."""
    if value is None:
        return ()
    texts = value.split(",") if isinstance(value, str) else value
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise GradcliError("data", f"{key} is a name or a list of names", hint=f'"{key}": ["a"]')
    return tuple(dict.fromkeys(_name(text, key) for text in texts))


@lru_cache(maxsize=1024)
def _name(text: str, key: str) -> str:
    try:
        return checked_name(text)
    except GradcliError as error:
        raise GradcliError("data", f"{key}: {error}") from None


def _seed(value: Any) -> int | None:
    if value is None:
        return None
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= MAX_SEED:
        raise GradcliError("data", "seed is a whole number from 0 to 2**63 - 1")
    return value


def _unknown_key(key: str) -> GradcliError:
    guess = nearest(key[:40], KEYS)
    return GradcliError(
        "data",
        f"a record has no key {key[:40]!r}",
        hint=f"did you mean {guess!r}?" if guess else f"its keys are {', '.join(KEYS)}",
    )
