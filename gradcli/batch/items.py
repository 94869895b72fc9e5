"""The protocol between supervisor and workers: items in one direction, answers in the other.

Items are sent as a header, an entry of fixed size for each, and the bytes of all. An answer is one
line: a mark, then the record's JSON.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum

_HEADER = struct.Struct("<IQ")
"""The number of items, and of their bytes."""
_ENTRY = struct.Struct("<QQBBI")

OK, FAILED = "+", "-"
"""The first character of an answer."""
_FAILED = FAILED.encode()


class Kind(IntEnum):
    """The kind of an item, by what its bytes hold."""

    LINE = 0
    """A JSON record, or a program."""
    SCRIPT = 1
    """A file's name, NUL, and the program in it."""
    TOO_LONG = 2
    """For an item that is longer than the limit: the file's name of a script, nothing of a line."""


class Verdict(IntEnum):
    """What the supervisor knows about an item."""

    NONE = 0
    DIED = 1
    """Twice, the worker that ran it has ended."""
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
    """A worker has ended while it ran it."""
    answer: bytes | None = None
    """A mark and a line of JSON, once it is answered."""

    @property
    def failed(self) -> bool:
        """Whether the answer is an error."""
        return self.answer is not None and self.answer.startswith(_FAILED)

    def result(self) -> bytes:
        """The line of JSON, with its line break."""
        assert self.answer is not None
        return self.answer[1:] + b"\n"


def encode(items: Sequence[Item]) -> bytes:
    """Items as a worker reads them."""
    pack = _ENTRY.pack
    data = [each.data for each in items]
    entries = [
        pack(each.index, each.line, each.kind, each.verdict, len(each.data)) for each in items
    ]
    return b"".join([_HEADER.pack(len(items), sum(map(len, data))), *entries, *data])


def decode(buffer: bytearray) -> Iterator[Item]:
    """The items of all complete messages in a buffer, which are removed from it."""
    start = 0
    while len(buffer) - start >= _HEADER.size:
        count, length = _HEADER.unpack_from(buffer, start)
        entries = start + _HEADER.size
        begin = entries + count * _ENTRY.size
        end = begin + length
        if end > len(buffer):
            break
        data = bytes(buffer[begin:end])
        place = 0
        for index, line, kind, verdict, size in _ENTRY.iter_unpack(buffer[entries:begin]):
            text = data[place : place + size]
            yield Item(index, line, _KINDS[kind], text, _VERDICTS[verdict])
            place += size
        start = end
    del buffer[:start]
