"""NumPy's `.npz` files: archives of `.npy` files."""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile

import numpy as np

from gradcli.data.formats import Location
from gradcli.data.names import choose
from gradcli.data.npy import parse_npy, require_memory
from gradcli.data.replace import replacing
from gradcli.data.text import open_binary, reason, require_regular
from gradcli.diagnostics import GradcliError
from gradcli.graph import Array


def read(place: Location, memory: int) -> Array:
    """The array that the key names; without a key, the only one."""
    path = place.path
    require_regular(path)
    try:
        with open_binary(path) as stream, ZipFile(stream) as archive:
            members = {info.filename.removesuffix(".npy"): info for info in archive.infolist()}
            if len(members) < len(archive.infolist()):
                raise BadZipFile("two of its arrays have one name")
            member = members[choose(place.key, list(members), path)]
            require_memory(member.file_size, memory, place.name)
            if member.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
                raise BadZipFile("it is compressed in a way that NumPy never uses")
            # An explicit size limits what is decompressed, whatever the compressed data state.
            data = archive.open(member).read(member.file_size)
    except (BadZipFile, zlib.error, EOFError, OSError, RuntimeError, UnicodeError) as error:
        raise GradcliError("data", f"{path} is not a valid .npz file: {reason(error)}") from None
    return parse_npy(data, place.name)


def write(path: str, arrays: Mapping[str, Array]) -> None:
    """Like `numpy.savez`, which takes names as keywords and so cannot save one called `file`."""
    with replacing(path) as stream, ZipFile(stream, "w") as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, array, allow_pickle=False)
