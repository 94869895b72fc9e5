"""Arrays that are read, and written, part after part: by many machines, each its own parts.

A part is written whole, and may be written again: the same bytes come to the same place.
"""

from __future__ import annotations

import math
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from gradcli.data.formats import is_url, reader
from gradcli.data.load import place_of
from gradcli.data.npy import to_run_dtype
from gradcli.data.replace import check_target
from gradcli.data.text import reason
from gradcli.diagnostics import GradcliError
from gradcli.engine.blocks import Place
from gradcli.engine.mapped import mapping, stored
from gradcli.graph import Array, Precision, Shape

if TYPE_CHECKING:
    from gradcli.data.formats import Parts, PartsReader


# --- reading -------------------------------------------------------------------------------


class Far(NamedTuple):
    """An array in a store that every machine reaches under one name."""

    spec: str
    """What stands behind the `@`."""
    shape: Shape
    dtype: np.dtype[Any]
    """In which the run takes it."""
    change: Callable[[Array], Array] | None = None
    """What is made of its elements, one by one."""

    def stand_in(self) -> Array:
        """Zeros in its place, in no memory: for what asks for shapes and types."""
        return np.broadcast_to(np.zeros((), self.dtype), self.shape)


class FarParts:
    """The parts of a far array, in the dtype of the run."""

    def __init__(self, far: Far, memory: int) -> None:
        """At most `memory` bytes are taken for a part. Raises what reading does, and `file` where
        the array is not what it was.
        """
        self._far = far
        self._memory = memory
        self._parts = _parts(far.spec, memory)
        if self._parts.shape != far.shape:
            raise GradcliError("file", f"{far.spec} has changed: its shape is {self._parts.shape}")

    def read(self, place: Place) -> Array:
        """A part."""
        dtype = self._far.dtype
        precision = cast("Precision", str(dtype) if dtype.kind == "f" else "float64")
        part = to_run_dtype(self._parts[place], self._far.spec, precision, self._memory)
        part = part.astype(dtype, copy=False)
        return part if self._far.change is None else self._far.change(part)


def far(spec: str, precision: Precision, memory: int, least: int) -> Far | None:
    """The array of an `@` value, to be read in parts; None where it has fewer than `least`
    elements, or lies in a file of which no parts are read. Raises what reading does.
    """
    place = place_of(spec) if spec != "-" else None
    if place is None or place.format.is_text:
        return None
    found = _parts(spec, memory)
    if math.prod(found.shape) < least or (isinstance(found, FileParts) and not found.mapped):
        return None
    kind = found.dtype.kind
    dtype = np.dtype(precision if kind == "f" else np.bool_ if kind == "b" else np.int64)
    path = place.path if place.is_remote else os.path.realpath(place.path)
    named = path + place.name[len(place.path) :]
    return Far(named, found.shape, dtype)


def _parts(spec: str, memory: int) -> Parts:
    place = place_of(spec)
    module = reader(place)
    if place.format.parted and (not place.is_remote or place.format.remote == place.format.module):
        return cast("PartsReader", module).parts(place, memory)
    return FileParts(module.read(place, memory))


class FileParts:
    """A file that is mapped, or an array in memory."""

    def __init__(self, array: Array) -> None:
        self._array = array
        self.shape = array.shape
        self.dtype = array.dtype
        self.mapped = mapping(array) is not None

    def __getitem__(self, place: Place) -> Array:
        part = self._array[place]
        file = stored(part)
        if file is None:
            return np.array(part) if self.mapped else part
        found = np.empty(part.shape, part.dtype)
        file.read(0, found)
        return found


# --- writing -------------------------------------------------------------------------------


class Target(NamedTuple):
    """An array in a store, which many write."""

    path: str
    key: str | None
    """Its name in a zarr group; None for a `.npy` file."""
    offset: int
    """Where the elements begin in the file."""
    shape: Shape
    dtype: np.dtype[Any]

    def write(self, place: Place, values: Array) -> None:
        """Write a part; in a zarr group whole chunks. Raises `file`."""
        try:
            if self.key is None:
                self._write_file(place, values)
            else:
                from gradcli.data import zarr

                zarr.put(self.path, self.key, place, values)
        except OSError as error:
            raise GradcliError("file", f"cannot write a part: {reason(error)}") from None

    def _write_file(self, place: Place, values: Array) -> None:
        """Each run of elements that lie one after another in the file."""
        axis = len(place)
        while axis and values.shape[axis - 1] == self.shape[axis - 1]:
            axis -= 1
        outer = max(0, axis - 1)
        values = np.ascontiguousarray(values, self.dtype)
        descriptor = os.open(self.path, os.O_WRONLY | os.O_CLOEXEC)
        try:
            for index in np.ndindex(values.shape[:outer]):
                first = [part.start + i for part, i in zip(place, index, strict=False)]
                first += [part.start for part in place[outer:]]
                number = 0
                for length, start in zip(self.shape, first, strict=True):
                    number = number * length + start
                rest = values[index].reshape(-1).view(np.uint8).data
                begin = self.offset + number * self.dtype.itemsize
                while rest:
                    count = os.pwrite(descriptor, rest, begin)
                    rest, begin = rest[count:], begin + count
        finally:
            os.close(descriptor)


@contextmanager
def shared_file(path: str, shape: Shape, dtype: np.dtype[Any]) -> Iterator[Target]:
    """A `.npy` file that other processes write by its name; it gets the name `path` when the block
    ends, unless it fails. Raises `file`.
    """
    check_target(path)
    target = os.path.realpath(path)
    made = tempfile.mkdtemp(prefix=f".{os.path.basename(target)}.", dir=os.path.dirname(target))
    try:
        partial = os.path.join(made, "new.npy")
        header = np.lib.format.header_data_from_array_1_0(np.empty(0, dtype)) | {"shape": shape}
        with open(partial, "xb") as stream:
            np.lib.format.write_array_header_1_0(stream, header)
            offset = stream.tell()
            # A full disk is found before anything is computed.
            size = offset + math.prod(shape) * dtype.itemsize
            os.posix_fallocate(stream.fileno(), 0, size)
        yield Target(partial, None, offset, shape, dtype)
        os.replace(partial, target)
    except OSError as error:
        raise GradcliError("file", f"cannot write {path!r}: {reason(error)}") from None
    finally:
        shutil.rmtree(made, ignore_errors=True)


def array_in_group(
    path: str, key: str, shape: Shape, dtype: np.dtype[Any], chunks: Shape
) -> Target:
    """A new array in a zarr group, in chunks of which each is written whole by one."""
    from gradcli.data import zarr

    zarr.create(path, key, shape, dtype, chunks)
    return Target(path, key, 0, shape, dtype)


def require_local(path: str) -> None:
    """Raise `usage` for a place on no machine's disk: nothing is written there."""
    if is_url(path):
        raise GradcliError("usage", f"--save writes to disks, not to {path[:80]!r}")
