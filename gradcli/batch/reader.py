"""Reads records from files and standard input as they arrive, in bounded memory."""

from __future__ import annotations

import os
import stat
import sys
from collections import deque
from collections.abc import Iterable, Sequence

from gradcli.batch.items import Item, Kind
from gradcli.data.text import open_binary, reason
from gradcli.diagnostics import GradcliError

BLOCK = 2**18
SCRIPT = ".grad"
_MARK = b"\xef\xbb\xbf"


class Reader:
    """Reads the items of several sources, one source after another.

    A source is `-`, a `.grad` file (one item), or a file of lines (an item each; blank lines are
    skipped).
    An item of more than `limit` bytes is reported without its bytes.
    """

    def __init__(self, names: Sequence[str], limit: int) -> None:
        """Raises `file` for a file that does not exist."""
        self.items: deque[Item] = deque()
        """Items that were read and not taken yet."""
        self.bytes_read = 0
        self.total_bytes = _total(names)
        """Bytes of all sources; None where that is not known beforehand."""
        self._names = deque(names)
        self._limit = limit
        self._count = 0
        self._line = 0
        self._descriptor: int | None = None
        self._name = ""
        self._parts: list[bytes] = []
        self._length = 0

    @property
    def ended(self) -> bool:
        """Whether all has been read, although not all may have been taken."""
        return self._descriptor is None and not self._names

    def source(self) -> int:
        """The descriptor to wait for; opens the next source if there is none. Not where `ended`."""
        if self._descriptor is None:
            self._name = self._names.popleft()
            self._descriptor = _open(self._name)
            self._line = 0
        return self._descriptor

    def read(self) -> None:
        """Read what the source has: at least a byte, or its end."""
        descriptor = self.source()
        if self._name.endswith(SCRIPT):
            self._read_script(descriptor)
            return
        try:
            block = os.read(descriptor, BLOCK)
        except OSError as error:
            raise GradcliError("file", f"cannot read {self._name!r}: {reason(error)}") from None
        self.bytes_read += len(block)
        first, *others = block.split(b"\n")
        self._extend(first)
        if others:
            self._end_line()
            *whole, last = others
            self._add_lines(whole)
            self._extend(last)
        if not block:
            self._end_line()
            self._close()

    def _read_script(self, descriptor: int) -> None:
        name = os.fsencode(self._name)
        with open(descriptor, "rb", closefd=False) as stream:
            text = stream.read(self._limit + 1)
        self.bytes_read += len(text)
        if len(text) > self._limit:
            self._add(1, Kind.TOO_LONG, name)
        else:
            self._add(1, Kind.SCRIPT, name + b"\0" + text)
        self._close()

    def _extend(self, part: bytes) -> None:
        """Add to the line that is being read; of one that is too long only the length is kept."""
        self._length += len(part)
        if self._length > self._limit:
            self._parts.clear()
        elif part:
            self._parts.append(part)

    def _end_line(self) -> None:
        data = b"".join(self._parts)
        if not self._line:
            data = data.removeprefix(_MARK)
        if self._length > self._limit:
            self._line += 1
            self._add(self._line, Kind.TOO_LONG, b"")
        else:
            self._add_lines([data])
        self._parts.clear()
        self._length = 0

    def _add_lines(self, lines: Iterable[bytes]) -> None:
        """Add complete lines, except blank ones."""
        for line in lines:
            self._line += 1
            data = line.strip()
            if len(line) > self._limit:
                self._add(self._line, Kind.TOO_LONG, b"")
            elif data:
                self._add(self._line, Kind.LINE, data)

    def _add(self, line: int, kind: Kind, data: bytes) -> None:
        self.items.append(Item(self._count, line, kind, data))
        self._count += 1

    def _close(self) -> None:
        if self._descriptor:  # standard input stays open
            os.close(self._descriptor)
        self._descriptor = None


def _open(name: str) -> int:
    if name == "-":
        if sys.stdin is None:
            raise GradcliError("file", "standard input is closed")
        return 0
    with open_binary(name) as stream:
        return os.dup(stream.fileno())


def _total(names: Sequence[str]) -> int | None:
    """The bytes of all sources, if all are files."""
    total: int | None = 0
    for name in names:
        if name == "-":
            status = os.fstat(0)
        else:
            with open_binary(name) as stream:
                status = os.fstat(stream.fileno())
        regular = stat.S_ISREG(status.st_mode)
        total = total + status.st_size if regular and total is not None else None
    return total
