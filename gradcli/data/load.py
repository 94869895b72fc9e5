"""The `@file` values: the suffix of a name decides how it is read."""

from __future__ import annotations

import sys
from typing import Any, BinaryIO

import numpy as np

from gradcli.data import json, npy, table
from gradcli.data.formats import FORMATS, Location, find, is_url, path_of, reader
from gradcli.data.text import decode, open_binary, read_bytes, require_regular, require_room
from gradcli.diagnostics import A_FILE, Advice, GradcliError
from gradcli.graph import Array, Precision


def load(spec: str, precision: Precision, memory: int) -> Array:
    """The array of an `@file` value; `spec` is the text behind the `@`.

    It names a file, `FILE.npz:KEY` an array in one, or `-` standard input: see `gradcli.data
    .formats`. Floats get the run's precision, integers are int64, booleans stay; large files are
    mapped, read-only, where their format allows. At most `memory` bytes are used. Raises `file`,
    `data`, `encoding`, `limit-memory` and `limit-depth`.
    """
    if spec == "-":
        return _load_standard_input(precision, memory)
    place = place_of(spec)
    stored = reader(place).read(place, memory)
    return npy.to_run_dtype(stored, place.name, precision, memory)


def stored_dtype(spec: str, memory: int) -> np.dtype[Any] | None:
    """The dtype on disk of an `@file` value that `load` has read; None for numbers as text."""
    place = None if spec == "-" else place_of(spec)
    if place is None or place.format.is_text:
        return None
    return reader(place).read(place, memory).dtype


def place_of(spec: str) -> Location:
    """The place that a text names. Raises `usage` and `file`."""
    if not spec:
        raise GradcliError("usage", "there is no file name behind '@'", hint=Advice(A_FILE))
    place = find(spec)
    if place is None:
        path = path_of(spec)
        if not is_url(path):
            require_regular(path)
            with open_binary(path):
                pass
        raise GradcliError(
            "file",
            f"cannot tell from its name what {path!r} holds",
            hint=f"its name ends in one of {', '.join(FORMATS)}",
        )
    if place.is_remote and not place.format.remote:
        known = ", ".join(suffix for suffix, each in FORMATS.items() if each.remote)
        raise GradcliError(
            "file",
            f"{place.path[:80]!r} is not on this machine, and only {known} are read from elsewhere",
            hint="copy it here first",
        )
    return place


def _load_standard_input(precision: Precision, memory: int) -> Array:
    """`.npy` if it begins like one, JSON if it begins with a bracket, else numbers in lines."""
    name = "standard input"
    stream: BinaryIO | None = sys.stdin.buffer if sys.stdin else None
    if stream is None:
        raise GradcliError("file", f"{name} is closed")
    data = read_bytes(stream, name, memory // 2, "limit-memory")
    if data.startswith(npy.MAGIC):
        array = npy.parse_npy(data, name)
    else:
        require_room(len(data), memory, name)
        text = decode(data, name)
        parse = json.parse_array if text.lstrip().startswith(("[", "{")) else table.parse_txt
        array = parse(text, name)
    return npy.to_run_dtype(array, name, precision, memory)
