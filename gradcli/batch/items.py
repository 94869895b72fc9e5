"""What supervisor and workers say to each other: items one way, answers the other.

An item is a fixed header and its bytes. An answer is one line: a mark, then the record's JSON.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum

_HEADER = struct.Struct("<QQBBI")

OK, FAILED = b"+", b"-"
"""The first byte of an answer."""


class Kind(IntEnum):
    """What the bytes of an item are."""

    LINE = 0
    """A JSON record, or a program."""
    SCRIPT = 1
    """A file's name, NUL, and the program in it."""
    TOO_LONG = 2
    """The file's name of a script, or nothing for a line, that is longer than the limit."""


class Verdict(IntEnum):
    """What the supervisor has found out about an item."""

    NONE = 0
    DIED = 1
    """It has ended a worker, twice."""
    HUNG = 2
    """It took longer than the limit on time."""


_KINDS, _VERDICTS = tuple(Kind), tuple(Verdict)


@dataclass(slots=True)
class Item:
    """One record as it was read."""

    index: int
    """Its number in the run, from 0."""
    line: int
    """Its line in its file, from 1."""
    kind: Kind
    data: bytes
    verdict: Verdict = Verdict.NONE
    suspect: bool = False
    """A worker has ended over it."""
    answer: bytes | None = None
    """A mark and a line of JSON, once there is one."""

    @property
    def failed(self) -> bool:
        """Whether the answer is an error."""
        return self.answer is not None and self.answer.startswith(FAILED)

    def result(self) -> bytes:
        """The line of JSON, with its line break."""
        assert self.answer is not None
        return self.answer[1:] + b"\n"


def encode(item: Item) -> bytes:
    """The item as a worker reads it."""
    data = item.data
    return _HEADER.pack(item.index, item.line, item.kind, item.verdict, len(data)) + data


def decode(buffer: bytearray) -> Iterator[Item]:
    """The items that a buffer holds whole, taken out of it."""
    place = 0
    while len(buffer) - place >= _HEADER.size:
        index, line, kind, verdict, length = _HEADER.unpack_from(buffer, place)
        end = place + _HEADER.size + length
        if end > len(buffer):
            break
        data = bytes(buffer[place + _HEADER.size : end])
        yield Item(index, line, _KINDS[kind], data, _VERDICTS[verdict])
        place = end
    del buffer[:place]
