"""Arrays to `.npz` and `.npy` files, written whole or not at all."""

from __future__ import annotations

import math
import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any, BinaryIO

import numpy as np

from gradcli.data.text import reason
from gradcli.diagnostics import GradcliError
from gradcli.engine.mapped import map_file
from gradcli.graph import Array, Shape


def save(path: str, arrays: Mapping[str, Array]) -> None:
    """Write the arrays under their names as `.npz`, or the only one as `.npy`.

    Raises `usage` for an unknown suffix or for several arrays in a `.npy`, and `file` where
    writing fails.
    """
    check_target(path)
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
    """An array in a file, to be written while it is computed; it gets the name `path`, a `.npy`,
    when the block ends, unless it fails. Raises `file`.
    """
    header = np.lib.format.header_data_from_array_1_0(np.empty(0, dtype)) | {"shape": shape}
    with replacing(path) as stream:
        np.lib.format.write_array_header_1_0(stream, header)
        stream.flush()
        offset = stream.tell()
        # Room for all of it now: a full disk is known before anything is computed, and writing
        # takes half the time.
        os.posix_fallocate(stream.fileno(), 0, offset + math.prod(shape) * dtype.itemsize)
        yield map_file(stream, new=True)[offset:].view(dtype).reshape(shape)


@contextmanager
def replacing(path: str) -> Iterator[BinaryIO]:
    """A stream whose content gets the name `path` when the block ends, unless it fails.

    A link is followed; a file that is replaced passes on its permissions. However the program
    ends, the name stands for the old file or the new one; nothing is forced onto the disk, so a
    power cut may still lose what was saved just before, as it may with `numpy.save`. Raises `file`.
    """
    target = os.path.realpath(path)
    partial = os.path.join(os.path.dirname(target), f".gradcli-{os.urandom(6).hex()}.part")
    try:
        with open(partial, "x+b") as stream:
            yield stream
            stream.flush()
            if os.path.exists(target):
                os.fchmod(stream.fileno(), stat.S_IMODE(os.stat(target).st_mode))
        os.replace(partial, target)
    except OSError as error:
        # NumPy says how many elements it wrote, not why it stopped.
        why = reason(error) if error.errno else "there is no room for all of it"
        raise GradcliError("file", f"cannot write {path!r}: {why}") from None
    finally:
        with suppress(OSError):  # after success it is gone
            os.unlink(partial)


def check_target(path: str) -> None:
    """Raise, before anything is computed, what `save` would raise about its path."""
    if not path.lower().endswith((".npz", ".npy")):
        raise GradcliError(
            "usage", f"cannot save to {path!r}", hint="use a name that ends in .npz or .npy"
        )
    target = os.path.realpath(path)
    folder = os.path.dirname(target)
    if not os.path.isdir(folder):
        raise GradcliError(
            "file", f"there is no folder {folder!r}", hint=f"make it first: mkdir -p {folder!r}"
        )
    if os.path.exists(target) and not os.path.isfile(target):
        raise GradcliError("file", f"{path!r} is a folder or device", hint="name a file")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise GradcliError("file", f"no permission to write in {folder!r}")
    if os.path.exists(target) and not os.access(target, os.W_OK):
        raise GradcliError("file", f"no permission to write {path!r}")


def _write_npz(stream: BinaryIO, arrays: Mapping[str, Array]) -> None:
    """Like `numpy.savez`, which takes names as keywords and so cannot save one called `file`."""
    from zipfile import ZipFile

    with ZipFile(stream, "w") as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, array, allow_pickle=False)
