"""HDF5 files, among them those of netCDF-4, read by h5py as untrusted input.

An array is read if it lies in the file itself: links and arrays that name other files are refused,
and so is what needs a filter that is not HDF5's own. Its size is checked before it is allocated.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import Any

import numpy as np

from gradcli.data import MAPPED
from gradcli.data.formats import Location
from gradcli.data.guard import decoding
from gradcli.data.names import choose
from gradcli.data.npy import require_memory
from gradcli.data.replace import replacing
from gradcli.data.text import open_binary, require_regular
from gradcli.diagnostics import GradcliError
from gradcli.engine.mapped import map_file
from gradcli.extras import require
from gradcli.graph import Array

FILTERS = {1, 2, 3, 4, 5, 6, 32000}
"""deflate, shuffle, fletcher32, szip, nbit, scaleoffset, lzf: HDF5's and h5py's own."""
MOST_LINKS = 16
"""Soft links in a path, which may lead in a circle."""
PACKED = ("scale_factor", "add_offset")
MISSING = ("_FillValue", "missing_value")
"""netCDF's attributes of numbers that stand for others."""


def read(place: Location, memory: int) -> Array:
    """The array that the key names; without a key, the only one in the file's root.

    In netCDF's files, missing values are NaN.
    """
    path = place.path
    require_regular(path)
    with open_binary(path) as stream:
        start = stream.read(4)
    if start[:3] == b"CDF":
        raise GradcliError(
            "data",
            f"{path} is netCDF 3, which is not HDF5",
            hint=f"convert it: nccopy -k nc4 {path} new.nc",
        )
    h5py = require("hdf5")
    with decoding(place.name, "HDF5", memory), h5py.File(path, "r", locking=False) as file:
        dataset = _find(h5py, file, place)
        _check(dataset, place.name, memory)
        missing = _missing(dataset, place) if place.suffix in (".nc", ".nc4") else []
        mapped = None if missing else _mapped(dataset, path)
        if mapped is not None:
            return mapped
        array = np.empty(dataset.shape, dataset.dtype)
        if array.size:
            dataset.read_direct(array)
    for value in missing:
        array[array == value] = np.nan
    return array


def write(path: str, arrays: Mapping[str, Array]) -> None:
    """The arrays as datasets of the file's root."""
    h5py = require("hdf5")
    with replacing(path) as stream, h5py.File(stream, "w") as file:
        for name, array in arrays.items():
            file.create_dataset(name, data=array)


def _find(h5py: Any, file: Any, place: Location) -> Any:
    """The dataset under the key. It is looked for link by link: none may leave the file."""
    group, links = file, 0
    parts = _parts(place.key or choose(None, _arrays(h5py, file), place.path))
    while parts:
        name = parts.pop(0)
        if not isinstance(group, h5py.Group) or group.get(name, getlink=True) is None:
            raise GradcliError(
                "data",
                f"{place.path} has no array {place.key!r}",
                hint=f"there: {', '.join([*group][:20])}" if hasattr(group, "keys") else None,
            )
        link = group.get(name, getlink=True)
        if isinstance(link, h5py.SoftLink) and links < MOST_LINKS:
            group = file if link.path.startswith("/") else group
            parts, links = _parts(link.path) + parts, links + 1
        elif isinstance(link, h5py.HardLink):
            group = group[name]
        else:
            raise GradcliError("data", f"{place.name} is a link that leaves the file, or a circle")
    if not isinstance(group, h5py.Dataset):
        names = _arrays(h5py, group)
        raise GradcliError(
            "data",
            f"{place.name} is no array but a group; it holds {', '.join(names[:20]) or 'no array'}",
            hint=f"name one: @{place.path}:/GROUP/NAME",
        )
    return group


def _arrays(h5py: Any, group: Any) -> list[str]:
    """The names of datasets in a group."""
    if not isinstance(group, h5py.Group):
        return []
    hard = [name for name in group if isinstance(group.get(name, getlink=True), h5py.HardLink)]
    return [name for name in hard if isinstance(group[name], h5py.Dataset)]


def _parts(path: str) -> list[str]:
    return [part for part in path.split("/") if part not in ("", ".")]


def _check(dataset: Any, name: str, memory: int) -> None:
    """Raise `data` for what is not read, and `limit-memory` for what is too large."""
    dtype = dataset.dtype
    if dtype.kind not in "biuf" or dtype.itemsize > 8 or dtype.metadata or dtype.shape:
        raise GradcliError(
            "data",
            f"{name} holds values of type {str(dtype)[:40]!r}; only floats up to 64 bits, integers "
            "and booleans are read",
        )
    if dataset.shape is None:
        raise GradcliError("data", f"{name} is empty")
    if dataset.is_virtual or dataset.external:
        raise GradcliError("data", f"{name} lies in other files", hint="name those files instead")
    properties = dataset.id.get_create_plist()
    for index in range(properties.get_nfilters()):
        number, _, _, label = properties.get_filter(index)
        if number not in FILTERS:
            raise GradcliError(
                "data",
                f"{name} is compressed by the filter {number} {label[:40]!r}, a plugin of HDF5",
                hint="repack it: h5repack -f GZIP=4",
            )
    chunk = prod(dataset.chunks) if dataset.chunks else 0
    require_memory(max(prod(dataset.shape), chunk) * dtype.itemsize, memory, name)


def _missing(dataset: Any, place: Location) -> list[float]:
    """The numbers that stand for missing ones. Raises `data` for numbers that stand for others."""
    if any(name in dataset.attrs for name in PACKED):
        raise GradcliError(
            "data",
            f"{place.name} is packed: its numbers stand for others, by scale_factor and add_offset",
            hint=f"unpack it first: ncpdq -U {place.path} new.nc",
        )
    values = [np.asarray(dataset.attrs[name]).reshape(-1) for name in MISSING
              if name in dataset.attrs]  # fmt: skip
    if not values:
        return []
    if dataset.dtype.kind != "f":
        raise GradcliError("data", f"{place.name} has integers that stand for missing values")
    return [float(value) for each in values for value in each[:8]]


def _mapped(dataset: Any, path: str) -> Array | None:
    """The array as a map of the file, if it is large and lies there in one piece."""
    offset = dataset.id.get_offset()
    size = prod(dataset.shape) * dataset.dtype.itemsize
    if offset is None or size < MAPPED or dataset.chunks:
        return None
    with open_binary(path) as stream:
        data = map_file(stream)[offset : offset + size]
    if data.size < size:
        raise GradcliError("data", f"{path} is cut off: {size - data.size:,} bytes are missing")
    found: Array = data.view(dataset.dtype).reshape(dataset.shape)
    return found
