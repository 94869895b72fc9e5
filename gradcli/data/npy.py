"""NumPy's `.npy` files, read as untrusted input.

The header is matched, never evaluated, and the size that it states is compared with the size of
the file before anything is allocated.
Format: numpy.org/doc/stable/reference/generated/numpy.lib.format
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from typing import Any, Literal

import numpy as np

from gradcli.data import MAPPED
from gradcli.data.formats import Location
from gradcli.data.replace import replacing
from gradcli.data.text import open_binary, reason, require_regular
from gradcli.diagnostics import GradcliError
from gradcli.engine.mapped import map_file
from gradcli.graph import Array, Precision, Shape

MAGIC = b"\x93NUMPY"

_VERSIONS = ((1, 0), (2, 0), (3, 0))
LONGEST_HEADER = 10_012
"""The bytes before the data are at most so many."""
_MAX_AXES = 64
_MAX_DIGITS = 18

_DESCR = re.compile(r"""['"]descr['"]\s*:\s*['"]([<>|=]?)([?a-zA-Z])(\d*)[^'"]*['"]""")
_RECORDS = re.compile(r"""['"]descr['"]\s*:\s*\[""")
_FORTRAN = re.compile(r"""['"]fortran_order['"]\s*:\s*(True|False)""")
_SHAPE = re.compile(r"""['"]shape['"]\s*:\s*\(([\d,\sL]*)\)""")
_NUMERIC = re.compile(r"b1|[iu][1248]|f[248]")
_REFUSED = {
    "c": "complex numbers",
    "f": "floats wider than 64 bits",
    "O": "pickled Python objects",
    "S": "strings",
    "U": "strings",
    "M": "dates",
    "m": "time spans",
}


@dataclass(frozen=True, slots=True)
class NpyHeader:
    dtype: np.dtype[Any]
    shape: Shape
    fortran: bool
    size: int
    """Bytes before the data."""

    @property
    def nbytes(self) -> int:
        """Bytes of the data."""
        return prod(self.shape) * self.dtype.itemsize

    def array(self, data: Array) -> Array:
        """The array of the bytes behind the header."""
        order: Literal["F", "C"] = "F" if self.fortran else "C"
        return data.view(self.dtype).reshape(self.shape, order=order)


def read(place: Location, memory: int) -> Array:
    """The array of a `.npy` file; a large one is mapped instead of read."""
    require_regular(place.path)
    with open_binary(place.path) as stream:
        size = os.fstat(stream.fileno()).st_size
        try:
            buffer = map_file(stream) if size >= MAPPED else stream.read()
        except OSError as error:
            raise GradcliError("file", f"cannot read {place.name}: {reason(error)}") from None
    return parse_npy(buffer, place.name)


def write(path: str, arrays: Mapping[str, Array]) -> None:
    """The only array as a `.npy` file."""
    (array,) = arrays.values()
    with replacing(path) as stream:
        np.lib.format.write_array(stream, array, allow_pickle=False)


def parse_npy(buffer: bytes | Array, name: str) -> Array:
    """The array of a whole `.npy` file, given as bytes or as a map of them, which it shares.

    Raises `data`.
    """
    header = parse_header(bytes(buffer[:LONGEST_HEADER]), name)
    require_bytes(header, len(buffer) - header.size, name)
    return header.array(np.frombuffer(buffer, np.uint8, header.nbytes, header.size))


def require_bytes(header: NpyHeader, present: int, name: str) -> None:
    """Raise `data` where fewer bytes follow a header than it states."""
    if present < header.nbytes:
        raise GradcliError(
            "data",
            f"{name} is cut off: its header states shape {header.shape}, "
            f"{header.nbytes:,} bytes, but {present:,} are there",
        )


def to_run_dtype(array: Array, name: str, precision: Precision, memory: int) -> Array:
    """Floats in the run's precision, integers as int64, booleans as they are; C-contiguous.

    Raises `data` where a value does not fit.
    """
    letter = array.dtype.kind
    dtype = np.dtype(precision if letter == "f" else np.bool_ if letter == "b" else np.int64)
    if array.dtype == dtype and array.flags.c_contiguous and array.flags.aligned and letter != "b":
        return array
    require_memory(array.size * dtype.itemsize, memory, name)
    if letter == "b":
        array = array.view(np.uint8)  # a file may hold any byte
    if array.dtype.kind == "u" and array.size and int(array.max()) > np.iinfo(np.int64).max:
        raise GradcliError("data", f"{name}: {array.max()} is too large for int64")
    try:
        with np.errstate(over="raise", invalid="ignore"):  # a signalling NaN is a NaN
            return array.astype(dtype, order="C")
    except FloatingPointError:
        raise GradcliError(
            "data",
            f"{name} holds a number that is too large for {precision}",
            hint="use --dtype float64",
        ) from None


def require_memory(needed: int, memory: int, name: str) -> None:
    """Raises `limit-memory` if `needed` bytes are too many."""
    if needed > memory:
        raise GradcliError(
            "limit-memory",
            f"{name} needs {needed:,} bytes, the limit is {memory:,}",
            hint="raise it with --max-memory",
        )


def parse_header(start: bytes, name: str) -> NpyHeader:
    """What the first bytes of a file state, LONGEST_HEADER of them or all. Raises `data`."""
    if not start.startswith(MAGIC) or len(start) < 12:
        raise GradcliError("data", f"{name} is not a .npy file")
    if (start[6], start[7]) not in _VERSIONS:
        raise GradcliError(
            "data", f"{name} is .npy of version {start[6]}.{start[7]}, which is unknown"
        )
    width = 2 if start[6] == 1 else 4
    size = 8 + width + int.from_bytes(start[8 : 8 + width], "little")
    text = start[8 + width : size].decode("latin-1")
    if _RECORDS.search(text):
        raise GradcliError("data", f"{name} holds records", hint="save each field on its own")
    descr, fortran, shape = (key.search(text) for key in (_DESCR, _FORTRAN, _SHAPE))
    if size > len(start) or not (descr and fortran and shape):
        raise GradcliError("data", f"{name} has a header that is damaged or cut off")
    dtype = _dtype(descr[1], descr[2], descr[3], name)
    lengths = _shape(shape[1], name)
    if prod(max(1, length) for length in lengths) * dtype.itemsize > sys.maxsize:
        raise GradcliError("data", f"{name} has an impossible shape")
    return NpyHeader(dtype, lengths, fortran[1] == "True", size)


def _dtype(order: str, letter: str, width: str, name: str) -> np.dtype[Any]:
    if not _NUMERIC.fullmatch(letter + width):
        what = _REFUSED.get(letter, f"values of type {letter + width[:9]!r}")
        raise GradcliError(
            "data",
            f"{name} holds {what}; only floats up to 64 bits, integers and booleans are read",
            hint="convert it first: np.save(file, a.astype('float64'))",
        )
    return np.dtype(order + letter + width)


def _shape(text: str, name: str) -> Shape:
    lengths = re.findall(r"\d+", text)
    if len(lengths) > _MAX_AXES or any(len(digits) > _MAX_DIGITS for digits in lengths):
        raise GradcliError("data", f"{name} has an impossible shape")
    return tuple(map(int, lengths))
