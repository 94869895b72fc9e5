"""Arrays to files and stores, which are written completely or not at all."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

from gradcli.data.formats import saved_as, writer
from gradcli.data.replace import check_folder, check_target, replacing
from gradcli.diagnostics import GradcliError
from gradcli.engine.mapped import map_file
from gradcli.graph import Array, Shape


def save(path: str, arrays: Mapping[str, Array]) -> None:
    """Write the arrays, in the format that the suffix of the path tells.

    Raises `usage` for an unknown suffix and for several arrays in a file that holds one, and `file`
    where writing fails.
    """
    check_save(path)
    if holds_one(path) and len(arrays) != 1:
        base, suffix = os.path.splitext(path)
        raise GradcliError(
            "usage",
            f"a {suffix} file holds one array, there are {len(arrays)}: {', '.join(arrays)}",
            hint=f"save all of them: --save {base}.npz",
        )
    writer(saved_as(path)).write(path, arrays)


def holds_one(path: str) -> bool:
    """Whether a file of this name holds one array, not several by name. Raises `usage`."""
    return saved_as(path).holds == "one"


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
    check = check_folder if saved_as(path).is_folder else check_target
    check(path, inputs)
