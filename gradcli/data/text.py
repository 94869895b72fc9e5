"""Bytes to text: files are opened with helpful errors, read up to a limit, decoded strictly."""

from __future__ import annotations

import codecs
import os
import stat
from itertools import islice
from typing import BinaryIO

from gradcli.diagnostics import Code, GradcliError, Source, nearest

SCRIPT = ".grad"
"""How the names of files with programs end."""
_CHUNK = 2**20
EXPANSION = 20
"""About how many bytes reading a byte of numbers takes at most: objects, before an array is there.
"""
_FOLDER_ENTRIES = 10_000
"""The most names of a folder that are compared for a suggestion."""


def open_binary(path: str) -> BinaryIO:
    """The file opened for reading; raises `file`, with the nearest name if there is none."""
    try:
        return open(path, "rb")
    except FileNotFoundError:
        raise GradcliError("file", f"there is no file {path!r}", hint=_suggestion(path)) from None
    except IsADirectoryError:
        raise GradcliError("file", f"{path!r} is a folder", hint="name a file inside it") from None
    except PermissionError:
        raise GradcliError(
            "file", f"no permission to read {path!r}", hint="check who may read it: ls -l"
        ) from None
    except (OSError, ValueError) as error:
        raise GradcliError("file", f"cannot open {path!r}: {reason(error)}") from None


def require_regular(path: str) -> None:
    """Raise `file` for a pipe or device: it could block or never end, and its name says nothing
    about its content. That there is no such file is reported where it is opened.
    """
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):
        return
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        raise GradcliError(
            "file", f"{path!r} is not a file but a pipe or device", hint="use @- and redirect it"
        )


def read_file(path: str, memory: int) -> str:
    """The text of a file of numbers, from which an array can be made in `memory` bytes."""
    require_regular(path)
    with open_binary(path) as stream:
        require_room(os.fstat(stream.fileno()).st_size, memory, path)
        return read_text(stream, path, memory // EXPANSION, "limit-memory")


def require_room(size: int, memory: int, name: str) -> None:
    """Raise `limit-memory` where a text of `size` bytes needs more than that to be read."""
    needed = size * EXPANSION
    if needed > memory:
        raise GradcliError(
            "limit-memory",
            f"{name} needs {needed:,} bytes, the limit is {memory:,}",
            hint="raise it with --max-memory",
        )


def read_bytes(stream: BinaryIO, name: str, limit: int, code: Code) -> bytes:
    """All bytes of a stream; more than `limit` are the error `code`, and are not read."""
    data = bytearray()
    try:
        while chunk := stream.read(min(_CHUNK, limit + 1 - len(data))):
            data += chunk
    except OSError as error:
        raise GradcliError("file", f"cannot read {name}: {reason(error)}") from None
    if len(data) > limit:
        hint = "raise it with --max-memory" if code == "limit-memory" else None
        raise GradcliError(code, f"{name} is longer than the limit of {limit:,} bytes", hint=hint)
    return bytes(data)


def read_text(stream: BinaryIO, name: str, limit: int, code: Code = "limit-tokens") -> str:
    """The text of a program or data file: see `read_bytes` and `decode`."""
    return decode(read_bytes(stream, name, limit, code), name)


def decode(data: bytes, name: str) -> str:
    """Strict UTF-8, a byte order mark dropped; raises `encoding` with the place."""
    try:
        return data.decode().removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        utf16 = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
        start = len(data[: error.start].decode())
        raise GradcliError(
            "encoding",
            f"{name} is not UTF-8: byte 0x{data[error.start]:02x} at offset {error.start}",
            hint="this looks like UTF-16: save it as UTF-8" if utf16 else "save it as UTF-8",
            source=Source(name, data.decode(errors="replace")),
            span=(start, start + 1),
        ) from None


def reason(error: Exception) -> str:
    """The operating system's message, without errno and file name."""
    return getattr(error, "strerror", None) or str(error)


def _suggestion(path: str) -> str | None:
    folder, name = os.path.split(path)
    try:
        with os.scandir(folder or ".") as entries:
            names = sorted(entry.name for entry in islice(entries, _FOLDER_ENTRIES))
    except (OSError, ValueError):
        return f"there is no folder {folder!r} either"
    forgotten_suffix = (known for known in names if name and known.startswith(name + "."))
    near = next(forgotten_suffix, None) or nearest(name, names)
    return f"did you mean {os.path.join(folder, near)!r}?" if near else None
