"""NumPy's files, read as untrusted input: `.npy` and the members of `.npz`.

The header is matched, never evaluated, and the size that it states is compared with the size of
the file before anything is allocated.
Format: numpy.org/doc/stable/reference/generated/numpy.lib.format
"""

from __future__ import annotations

import os
import re
import sys
import zlib
from dataclasses import dataclass
from math import prod
from typing import Any, BinaryIO

import numpy as np

from gradcli.data import MAPPED
from gradcli.data.text import reason
from gradcli.diagnostics import GradcliError, nearest
from gradcli.engine.mapped import map_file
from gradcli.graph import Array, Precision, Shape

MAGIC = b"\x93NUMPY"

_VERSIONS = ((1, 0), (2, 0), (3, 0))
_MAX_HEADER = 10_000
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
class _Header:
    dtype: np.dtype[Any]
    shape: Shape
    fortran: bool
    size: int
    """Bytes before the data."""

    @property
    def nbytes(self) -> int:
        return prod(self.shape) * self.dtype.itemsize


def parse_npy(buffer: bytes | Array, name: str, precision: Precision, memory: int) -> Array:
    """The array of a whole `.npy` file, given as bytes or as a map of them.

    It shares the buffer where the dtype allows. Raises `data` and `limit-memory`.
    """
    header = _parse_header(bytes(buffer[: _MAX_HEADER + 12]), name)
    present = len(buffer) - header.size
    if present < header.nbytes:
        raise GradcliError(
            "data",
            f"{name} is cut off: its header states shape {header.shape}, "
            f"{header.nbytes:,} bytes, but {present:,} are there",
        )
    flat = np.frombuffer(buffer, header.dtype, prod(header.shape), header.size)
    array = flat.reshape(header.shape, order="F" if header.fortran else "C")
    return to_run_dtype(array, name, precision, memory)


def read_npy(stream: BinaryIO, name: str, precision: Precision, memory: int) -> Array:
    """The array of a `.npy` file; a large one is mapped instead of read."""
    size = os.fstat(stream.fileno()).st_size
    try:
        buffer = map_file(stream) if size >= MAPPED else stream.read()
    except OSError as error:
        raise GradcliError("file", f"cannot read {name}: {reason(error)}") from None
    return parse_npy(buffer, name, precision, memory)


def read_npz(
    stream: BinaryIO, key: str | None, name: str, precision: Precision, memory: int
) -> Array:
    """The array `key` of a `.npz` file; without a key, its only one."""
    from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile

    try:
        with ZipFile(stream) as archive:
            members = {info.filename.removesuffix(".npy"): info for info in archive.infolist()}
            if len(members) < len(archive.infolist()):
                raise BadZipFile("two of its arrays have one name")
            member = members[_choose(key, list(members), name)]
            require_memory(member.file_size, memory, f"{name}:{key}" if key else name)
            if member.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
                raise BadZipFile("it is compressed in a way that NumPy never uses")
            # An explicit size limits what is decompressed, whatever the compressed data state.
            data = archive.open(member).read(member.file_size)
    except (BadZipFile, zlib.error, EOFError, OSError, RuntimeError, UnicodeError) as error:
        raise GradcliError("data", f"{name} is not a valid .npz file: {reason(error)}") from None
    return parse_npy(data, f"{name}:{key}" if key else name, precision, memory)


def stored_dtype(stream: BinaryIO, key: str | None, name: str) -> np.dtype[Any]:
    """The dtype that an `.npy` file, or an array of an `.npz` file, has on disk. Raises `data`."""
    from zipfile import ZipFile

    start = stream.read(_MAX_HEADER + 12)
    if not start.startswith(MAGIC):
        with ZipFile(stream) as archive:
            member = key or archive.namelist()[0].removesuffix(".npy")
            start = archive.open(f"{member}.npy").read(_MAX_HEADER + 12)
    return _parse_header(start, name).dtype


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


def _choose(key: str | None, keys: list[str], name: str) -> str:
    if key in keys:
        return key
    if key is None and len(keys) == 1:
        return keys[0]
    listing = ", ".join(keys[:20]) + (", …" if len(keys) > 20 else "") or "nothing"
    near = nearest(key, keys) if key else None
    problem = f"{name} has no array {key!r}" if key else f"{name} holds {len(keys)} arrays"
    raise GradcliError(
        "data",
        f"{problem}; it holds {listing}",
        hint=f"did you mean {name}:{near}?" if near else f"name one: @{name}:KEY",
    )


def _parse_header(start: bytes, name: str) -> _Header:
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
    return _Header(dtype, lengths, fortran[1] == "True", size)


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
