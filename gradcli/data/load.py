"""The `@file` values: a file's suffix decides how it is read."""

from __future__ import annotations

import os
import stat
import sys
from typing import Any, BinaryIO

import numpy as np

from gradcli.data import json, npy, table
from gradcli.data.text import decode, open_binary, read_bytes, read_text
from gradcli.diagnostics import GradcliError
from gradcli.graph import Array, Precision

_TEXT_EXPANSION = 20
"""About how many bytes reading a byte of text takes at most: objects, before there is an array."""


def load(spec: str, precision: Precision, memory: int) -> Array:
    """The array of an `@file` value; `spec` is the text behind the `@`.

    `FILE.npy`, `FILE.npz:KEY`, `FILE.json`, `FILE.csv`, `FILE.txt`, or `-` for standard input.
    Floats get the run's precision, integers are int64, booleans stay; large `.npy` files are
    mapped, read-only. At most `memory` bytes are used. Raises `file`, `data`, `encoding`,
    `limit-memory` and `limit-depth`.
    """
    if spec == "-":
        return _load_standard_input(precision, memory)
    path, key = split_key(spec)
    _require_regular(path)
    with open_binary(path) as stream:
        suffix = os.path.splitext(path)[1].lower()
        if suffix == ".npy":
            return npy.read_npy(stream, path, precision, memory)
        if suffix == ".npz":
            return npy.read_npz(stream, key, path, precision, memory)
        parse = _PARSERS.get(suffix)
        if parse is None:
            raise GradcliError(
                "file",
                f"cannot tell from its name what {path!r} holds",
                hint="name it .npy, .npz, .json, .csv or .txt",
            )
        size = os.fstat(stream.fileno()).st_size
        npy.require_memory(size * _TEXT_EXPANSION, memory, path)
        text = read_text(stream, path, memory // _TEXT_EXPANSION, "limit-memory")
    return npy.to_run_dtype(parse(text, path), path, precision, memory)


def stored_dtype(spec: str) -> np.dtype[Any] | None:
    """The dtype on disk of an `@file` value that `load` has read; None for numbers as text."""
    path, key = split_key(spec)
    if not path.lower().endswith((".npy", ".npz")):
        return None
    with open_binary(path) as stream:
        return npy.stored_dtype(stream, key, path)


def parse_json(text: str, name: str) -> Array:
    """The array of a JSON text: nested lists, or one number."""
    return json.to_array(json.parse(text, name), name)


_PARSERS = {".json": parse_json, ".csv": table.parse_csv, ".txt": table.parse_txt}


def _load_standard_input(precision: Precision, memory: int) -> Array:
    """`.npy` if it begins like one, JSON if it begins with a bracket, else numbers in lines."""
    name = "standard input"
    stream: BinaryIO | None = sys.stdin.buffer if sys.stdin else None
    if stream is None:
        raise GradcliError("file", f"{name} is closed")
    data = read_bytes(stream, name, memory // 2, "limit-memory")
    if data.startswith(npy.MAGIC):
        return npy.parse_npy(data, name, precision, memory)
    npy.require_memory(len(data) * _TEXT_EXPANSION, memory, name)
    text = decode(data, name)
    parse = parse_json if text.lstrip().startswith(("[", "{")) else table.parse_txt
    return npy.to_run_dtype(parse(text, name), name, precision, memory)


def split_key(spec: str) -> tuple[str, str | None]:
    """`weights.npz:w` is the array `w` of `weights.npz`."""
    if not spec:
        raise GradcliError("usage", "there is no file name behind '@'", hint="--set x=@data.npy")
    at = spec.lower().rfind(".npz:")
    return (spec, None) if at < 0 else (spec[: at + 4], spec[at + 5 :])


def _require_regular(path: str) -> None:
    """A pipe or device could block or never end, and its name says nothing about its content."""
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):
        return  # opening it reports the error
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        raise GradcliError(
            "file", f"{path!r} is not a file but a pipe or device", hint="use @- and redirect it"
        )
