"""What a worker of a cluster does: it hands portions to a process of its own, `portion`, which
answers them as it would on the machine of the client.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import NamedTuple, TypeAlias

from gradcli import __version__
from gradcli.batch import portion
from gradcli.engine.cluster.connection import DiedInTaskError
from gradcli.engine.cluster.machines import Facts, facts

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


class _Ends(NamedTuple):
    """One side's ends of three pipes."""

    commands: int
    answers: int
    lifeline: int
    """The process ends when nobody holds this worker's end."""

    def close(self) -> None:
        for end in self:
            os.close(end)


Start: TypeAlias = Callable[[_Ends, _Ends], int]
"""`(theirs, ours)`: start the process on its ends, and return its number."""


class _Process:
    """The process that answers for one thread of a worker; it waits for settings first."""

    def __init__(self, start: Start) -> None:
        (commands, sent), (received, answers), (lifeline, held) = os.pipe(), os.pipe(), os.pipe()
        theirs, self._ours = _Ends(commands, answers, lifeline), _Ends(sent, received, held)
        self._pid = start(theirs, self._ours)
        theirs.close()
        self._rest = b""
        self.like: object = None
        """The settings and the environment that it was given."""

    def begin(self, order: Order) -> None:
        """Tell it the settings. Raises DiedInTaskError."""
        self.like = (order.settings, order.environment)
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
        os.kill(self._pid, signal.SIGKILL)
        os.waitpid(self._pid, 0)
        self._ours.close()

    def _send(self, data: bytes) -> None:
        rest = memoryview(data)
        with suppress(OSError):  # reading shows that it has ended
            while rest:
                rest = rest[os.write(self._ours.commands, rest) :]

    def _lines(self, count: int) -> list[bytes]:
        parts, found = [self._rest], self._rest.count(b"\n")
        while found < count:
            block = os.read(self._ours.answers, BLOCK)
            if not block:
                raise DiedInTaskError("the process that answers records has ended")
            parts.append(block)
            found += block.count(b"\n")
        *lines, self._rest = b"".join(parts).split(b"\n")
        return lines


def _executed(environment: Mapping[str, str]) -> Start:
    """A program of its own: a worker that has threads cannot fork."""

    def start(theirs: _Ends, _: _Ends) -> int:
        os.set_inheritable(theirs.lifeline, True)
        command = [sys.executable, "-m", portion.__name__, str(os.getpid()), str(theirs.lifeline)]
        actions = [
            (os.POSIX_SPAWN_DUP2, theirs.commands, 0),
            (os.POSIX_SPAWN_DUP2, theirs.answers, 1),
            (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
        ]
        return os.posix_spawn(
            sys.executable, command, {**os.environ, **environment}, file_actions=actions
        )

    return start


def _forked(theirs: _Ends, ours: _Ends) -> int:
    """A fork of this process, which has all modules already. It never returns from here."""
    parent = os.getpid()
    pid = os.fork()
    if pid:
        return pid
    try:
        ours.close()
        os.dup2(theirs.commands, 0)
        os.dup2(theirs.answers, 1)
        portion.serve(parent, theirs.lifeline)
    finally:
        os._exit(0)


_of_thread = threading.local()
_ready: list[_Process] = []
"""One that was forked while this worker had no threads. It has the client's environment."""


def prepare() -> Callable[[], None]:
    """See `nursery.Work`: what makes workers slow to start is done once."""
    facts(__version__)
    return lambda: _ready.append(_Process(_forked))


def introduce(order: Order) -> Facts:
    """The facts of the machine that would answer."""
    return _process(order).facts


def answer(order: Order) -> Portion:
    """The answers to a portion. Raises DiedInTaskError where the process has ended."""
    process = _process(order)
    try:
        return Portion(process.facts, process.answer(order))
    except BaseException:
        _end(process)
        raise


def _process(order: Order) -> _Process:
    """This thread's process, which is kept from one portion to the next."""
    process: _Process | None = getattr(_of_thread, "process", None)
    if process is not None and process.like != (order.settings, order.environment):
        _end(process)
        process = None
    if process is None:
        process = _ready.pop() if _ready else _Process(_executed(order.environment))
        try:
            process.begin(order)
        except BaseException:
            process.end()
            raise
        _of_thread.process = process
    return process


def _end(process: _Process) -> None:
    process.end()
    _of_thread.process = None
