"""Arrays to `.npz` and `.npy` files, which are written completely or not at all."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, BinaryIO

import numpy as np

from gradcli.data.replace import check_target, replacing
from gradcli.diagnostics import GradcliError
from gradcli.engine.mapped import map_file
from gradcli.graph import Array, Shape


def save(path: str, arrays: Mapping[str, Array]) -> None:
    """Write the arrays under their names as `.npz`, or the only one as `.npy`.

    Raises `usage` for an unknown suffix or for several arrays in a `.npy`, and `file` where
    writing fails.
    """
    check_save(path)
    if path.lower().endswith(".npy") and len(arrays) != 1:
        raise GradcliError(
            "usage",
            f"a .npy file holds one array, there are {len(arrays)}: {', '.join(arrays)}",
            hint=f"save all of them: --save {os.path.splitext(path)[0]}.npz",
        )
    with replacing(path) as stream:
        if path.lower().endswith(".npy"):
            (array,) = arrays.values()
            np.lib.format.write_array(stream, array, allow_pickle=False)
        else:
            _write_npz(stream, arrays)


@contextmanager
def streamed(path: str, shape: Shape, dtype: np.dtype[Any]) -> Iterator[Array]:
    """An array in a file, to be written while it is computed; the file gets the name `path`, a
    `.npy`, when the block ends, unless it fails. Raises `file`.
    """
    header = np.lib.format.header_data_from_array_1_0(np.empty(0, dtype)) | {"shape": shape}
    with replacing(path) as stream:
        np.lib.format.write_array_header_1_0(stream, header)
        stream.flush()
        offset = stream.tell()
        # Allocates all of it now: a full disk is found before anything is computed, and writing
        # takes half the time.
        os.posix_fallocate(stream.fileno(), 0, offset + math.prod(shape) * dtype.itemsize)
        yield map_file(stream, new=True)[offset:].view(dtype).reshape(shape)


def check_save(path: str, inputs: Iterable[str] = ()) -> None:
    """Raise, before anything is computed, what `save` would raise about its path."""
    if not path.lower().endswith((".npz", ".npy")):
        raise GradcliError(
            "usage", f"cannot save to {path!r}", hint="use a name that ends in .npz or .npy"
        )
    check_target(path, inputs)


def _write_npz(stream: BinaryIO, arrays: Mapping[str, Array]) -> None:
    """Like `numpy.savez`, which takes names as keywords and so cannot save one called `file`."""
    from zipfile import ZipFile

    with ZipFile(stream, "w") as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, array, allow_pickle=False)
