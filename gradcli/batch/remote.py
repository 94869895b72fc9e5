"""What a worker of a cluster does: it hands portions to a process of its own, `portion`, which
answers them as it would on the machine of the client.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from contextlib import suppress
from typing import NamedTuple

from gradcli.engine.cluster.connection import DiedInTaskError
from gradcli.engine.cluster.machines import Facts

BLOCK = 2**20


class Order(NamedTuple):
    """Some items for a worker."""

    settings: str
    environment: dict[str, str]
    """Variables that decide about bits."""
    items: bytes
    length: int
    """The number of items."""


class Portion(NamedTuple):
    """What a worker returns."""

    facts: Facts
    """Of the machine that has answered."""
    answers: list[bytes]


class _Process:
    """The process that answers for one thread of a worker."""

    def __init__(self, order: Order) -> None:
        self.like = (order.settings, order.environment)
        self._lifeline = os.pipe()
        # The process ends with this one: nobody else holds the other end.
        self._process = subprocess.Popen(  # noqa: S603 - our own module
            [sys.executable, "-m", "gradcli.batch.portion", str(os.getpid()),
             str(self._lifeline[0])],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            env={**os.environ, **order.environment}, pass_fds=[self._lifeline[0]],
        )  # fmt: skip
        os.close(self._lifeline[0])
        self._rest = b""
        self._send(order.settings.encode() + b"\n")
        (line,) = self._lines(1)
        self.facts: Facts = json.loads(line)

    def answer(self, order: Order) -> list[bytes]:
        """The answers to its items. Raises DiedInTaskError."""
        sender = threading.Thread(target=self._send, args=(order.items,), daemon=True)
        sender.start()
        answers = self._lines(order.length)
        sender.join()
        return answers

    def end(self) -> None:
        """End it."""
        with suppress(OSError):
            os.close(self._lifeline[1])
        self._process.kill()
        self._process.wait()

    def _send(self, data: bytes) -> None:
        assert self._process.stdin is not None
        with suppress(OSError):  # reading shows that it has ended
            self._process.stdin.write(data)
            self._process.stdin.flush()

    def _lines(self, count: int) -> list[bytes]:
        assert self._process.stdout is not None
        descriptor = self._process.stdout.fileno()
        parts, found = [self._rest], self._rest.count(b"\n")
        while found < count:
            block = os.read(descriptor, BLOCK)
            if not block:
                raise DiedInTaskError("the process that answers records has ended")
            parts.append(block)
            found += block.count(b"\n")
        *lines, self._rest = b"".join(parts).split(b"\n")
        return lines


_of_thread = threading.local()


def introduce(order: Order) -> Facts:
    """The facts of the machine that would answer."""
    return _process(order).facts


def answer(order: Order) -> Portion:
    """The answers to a portion. Raises DiedInTaskError where the process has ended."""
    process = _process(order)
    try:
        return Portion(process.facts, process.answer(order))
    except BaseException:
        process.end()
        _of_thread.process = None
        raise


def _process(order: Order) -> _Process:
    """This thread's process, which is kept from one portion to the next."""
    process: _Process | None = getattr(_of_thread, "process", None)
    if process is not None and process.like != (order.settings, order.environment):
        process.end()
        process = None
    if process is None:
        process = _of_thread.process = _Process(order)
    return process
