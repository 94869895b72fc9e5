"""The process that answers items for a worker of a cluster: `python -m gradcli.batch.portion`.

It reads a line of settings and then items, and writes a line of facts about its machine and then
answers, in their order. A worker of dask has threads, so it cannot fork; this process can.
"""

from __future__ import annotations

import json
import os
import sys
from collections import deque
from collections.abc import Sequence

from gradcli import __version__
from gradcli.batch.items import Item, decode
from gradcli.batch.settings import loads
from gradcli.batch.supervisor import Supervisor
from gradcli.engine.cluster.machines import facts
from gradcli.lifeline import die_with

BLOCK = 2**18


class ItemStream:
    """Items that come through a pipe."""

    def __init__(self, descriptor: int, begun: bytes) -> None:
        self.items: deque[Item] = deque()
        self._ended = False
        self._descriptor = descriptor
        self._inbox = bytearray(begun)
        self.items.extend(decode(self._inbox))

    @property
    def ended(self) -> bool:
        """Whether no more will come."""
        return self._ended

    def source(self) -> int:
        """The descriptor to wait for."""
        return self._descriptor

    def read(self) -> None:
        """Read what is there."""
        block = os.read(self._descriptor, BLOCK)
        self._ended = not block
        self._inbox += block
        self.items.extend(decode(self._inbox))


class AnswerStream:
    """Answers that go through a pipe."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def write(self, items: Sequence[Item]) -> None:
        """Send some answers."""
        send(self._descriptor, b"".join([(item.answer or b"") + b"\n" for item in items]))

    def tick(self) -> None:
        """Nothing is shown."""


def send(descriptor: int, data: bytes) -> None:
    """Write all of it."""
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def serve(parent: int, lifeline: int) -> None:
    """Answer items until there are no more, or the process that started this one has ended."""
    die_with(parent, lifeline)
    begun = b""
    while b"\n" not in begun:
        block = os.read(0, BLOCK)
        if not block:
            return
        begun += block
    line, _, rest = begun.partition(b"\n")
    send(1, json.dumps(facts(__version__)).encode() + b"\n")
    Supervisor(loads(line.decode()), ItemStream(0, rest), AnswerStream(1), 1, fail_fast=False).run()


if __name__ == "__main__":
    serve(int(sys.argv[1]), int(sys.argv[2]))
