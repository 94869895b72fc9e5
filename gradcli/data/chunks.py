"""Where the files of a zarr store come from: functions from their names to their bytes."""

from __future__ import annotations

import os
import stat
from typing import NamedTuple, Protocol

from gradcli.data.text import reason
from gradcli.diagnostics import GradcliError


class Extent(NamedTuple):
    """Some bytes of a file."""

    start: int
    """Counted from the end if it is negative."""
    stop: int | None = None
    """None is the end of the file."""

    def span(self, size: int) -> tuple[int, int]:
        """First byte and last, and one, in a file of a size."""
        start = max(0, size + self.start) if self.start < 0 else min(self.start, size)
        return start, size if self.stop is None else max(start, min(self.stop, size))


class Fetch(Protocol):
    """Gets the files of one store."""

    def __call__(self, name: str, most: int, part: Extent | None) -> bytes | None:
        """The bytes of a file, or of a part of it; None where there is no such file.

        Raises `data` where that is more than `most` bytes, and `file` where it cannot be read.
        """


def folder(path: str) -> Fetch:
    """The files of a folder. Links and pipes in it are refused. Raises `file` if there is none."""
    if not os.path.isdir(path):
        raise GradcliError("file", f"there is no folder {path!r}")

    def fetch(name: str, most: int, part: Extent | None) -> bytes | None:
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        try:
            descriptor = os.open(os.path.join(path, name), flags)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise GradcliError("data", f"cannot read {name[:80]!r}: {reason(error)}") from None
        with open(descriptor, "rb") as stream:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                raise GradcliError("data", f"{name[:80]!r} is not a file")
            start, stop = (part or Extent(0)).span(status.st_size)
            require_short(name, stop - start, most)
            stream.seek(start)
            return stream.read(stop - start)

    return fetch


def require_short(name: str, size: int, most: int) -> None:
    """Raise `data` for a file that is longer than what it is read for can be."""
    if size > most:
        raise GradcliError("data", f"{name[:80]!r} has {size:,} bytes, it can need {most:,}")
