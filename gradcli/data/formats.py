"""The kinds of files and stores, by the suffixes of their names: one entry for each.

The module of a kind has `read(place, memory)`, the array at a place as it is stored; and, where
arrays are saved in such files, `write(path, arrays)`. It is imported when it is used.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Literal, cast

from gradcli.diagnostics import GradcliError
from gradcli.tuples import NamedTuple

if TYPE_CHECKING:
    from typing import Any, Protocol

    import numpy as np

    from gradcli.graph import Array, Shape

    class ArrayReader(Protocol):
        """The module of a format."""

        def read(self, place: Location, memory: int) -> Array:
            """The array at a place, in the dtype that it is stored in, with `memory` bytes at most.

            Raises `file`, `data`, `encoding` and `limit-memory`.
            """

    class Parts(Protocol):
        """An array in a store, of which parts are read."""

        shape: Shape
        dtype: np.dtype[Any]

        def __getitem__(self, place: tuple[slice, ...]) -> Array:
            """A part, in the dtype that it is stored in. Raises what reading the array does."""

    class PartsReader(Protocol):
        """The module of a format that is `parted`."""

        def parts(self, place: Location, memory: int) -> Parts:
            """The array at a place; each part takes `memory` bytes at most."""

    class ArrayWriter(Protocol):
        """The module of a format in which arrays are saved."""

        def write(self, path: str, arrays: Mapping[str, Array]) -> None:
            """Write arrays by name, all of them or nothing. Raises `usage` and `file`."""


class Format(NamedTuple):
    """What is known of a kind of file."""

    module: str
    """In this package."""
    separator: Literal["", ":", "/"] = ""
    """Stands before the name of an array in the file; empty where it holds one, without a name."""
    holds: Literal["nothing", "one", "all"] = "nothing"
    """What `--save` writes to such a file: one array, or several by their names."""
    is_text: bool = False
    is_folder: bool = False
    remote: str = ""
    """The module that reads such files where a URL names them, if they are read there."""
    apart: Literal["", "large", "always"] = ""
    """Which of such files are read in a process of their own: maps of large ones, which another
    program may cut short, and those for libraries that a damaged file might crash.
    """
    parted: bool = False
    """Whether the module has `parts(place, memory)`, an array of which parts are read."""


FORMATS = {
    ".npy": Format("npy", "", "one", remote="cloud", apart="large"),
    ".npz": Format("npz", ":", "all"),
    ".json": Format("json", ":", "all", is_text=True),
    ".csv": Format("table", ":", "one", is_text=True),
    ".tsv": Format("table", ":", "one", is_text=True),
    ".txt": Format("table", "", is_text=True),
    ".safetensors": Format("safetensors", ":", apart="large"),
    ".zarr": Format("zarr", "/", "all", is_folder=True, remote="zarr", apart="always", parted=True),
    ".h5": Format("hdf5", ":", "all", apart="always"),
    ".hdf5": Format("hdf5", ":", "all", apart="always"),
    ".nc": Format("hdf5", ":", apart="always"),
    ".nc4": Format("hdf5", ":", apart="always"),
}


class Location(NamedTuple):
    """Where an array lies."""

    path: str
    """Of the file or store, or its URL."""
    key: str | None
    """The array's name in it."""
    suffix: str

    @property
    def name(self) -> str:
        """The place as people write it."""
        return self.path if self.key is None else self.path + self.format.separator + self.key

    @property
    def format(self) -> Format:
        """What is known of the file."""
        return FORMATS[self.suffix]

    @property
    def is_remote(self) -> bool:
        """Whether it is not on this machine."""
        return is_url(self.path)


def reader(place: Location) -> ArrayReader:
    """The module that reads what is at a place."""
    module = place.format.remote if place.is_remote else place.format.module
    return cast("ArrayReader", import_module(f"gradcli.data.{module}"))


def writer(format_: Format) -> ArrayWriter:
    """The module that writes a kind of file."""
    return cast("ArrayWriter", import_module(f"gradcli.data.{format_.module}"))


def find(spec: str) -> Location | None:
    """The place that an `@` value names, given what stands behind the `@`; None where the suffix
    is not known. `weights.npz:w` is the array `w` of `weights.npz`.
    """
    for match in re.finditer(r"(?<=.)\.[A-Za-z0-9]+", spec, re.DOTALL):
        suffix, path, rest = match[0].lower(), spec[: match.end()], spec[match.end() :]
        if suffix in FORMATS and (not rest or rest[0] == FORMATS[suffix].separator):
            return Location(os.path.expanduser(path), rest[1:] if rest else None, suffix)
    return None


def is_url(path: str) -> bool:
    """Whether a place is not on this machine."""
    return re.match(r"[A-Za-z][A-Za-z0-9+.-]*://", path) is not None


def path_of(spec: str) -> str:
    """The file or store that an `@` value names."""
    place = find(spec)
    return spec if place is None else place.path


def saved_as(path: str) -> Format:
    """The format that `--save` writes to a path. Raises `usage` where it writes no such files."""
    format_ = FORMATS.get(os.path.splitext(path)[1].lower(), FORMATS[".txt"])
    if format_.holds == "nothing":
        known = ", ".join(suffix for suffix, each in FORMATS.items() if each.holds != "nothing")
        raise GradcliError(
            "usage", f"cannot save to {path!r}", hint=f"use a name that ends in one of {known}"
        )
    return format_
