"""Workers: processes that answer items. A worker is forked, so it starts with all modules loaded.

`Worker` is the supervisor's end of one; `_serve` is what runs inside.
"""

from __future__ import annotations

import fcntl
import os
import signal
from collections import deque
from contextlib import suppress
from time import monotonic
from typing import NoReturn

from gradcli.batch.answer import Answer, Answerer, Settings
from gradcli.batch.items import FAILED, OK, Item, decode, encode
from gradcli.data.text import reason
from gradcli.diagnostics import GradcliError

BLOCK = 2**18
MOST_QUEUED = 1024
QUEUED_BYTES = 2**20
"""What a worker is given ahead of its answers."""
PATIENCE = 0.05
"""Seconds of work to give a worker ahead, about."""
_SIGNALS = {signal.SIGINT, signal.SIGTERM}


class Worker:
    """A process and the items that it has been given, in the order in which it answers them."""

    def __init__(self, settings: Settings) -> None:
        supervisor = os.getpid()
        # A signal between the fork and the child's own handlers would run the parent's there.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
        try:
            commands, self._commands = os.pipe()
            self._answers, answers = os.pipe()
            lifeline, self._lifeline = os.pipe()
            self.pid = os.fork()
            if not self.pid:
                _serve(settings, commands, answers, lifeline, supervisor)
        except OSError as error:
            raise GradcliError("file", f"cannot start a process: {reason(error)}") from None
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        for descriptor in (commands, answers, lifeline):
            os.close(descriptor)
        os.set_blocking(self._commands, False)
        self.queue: deque[Item] = deque()
        self.alone = False
        """It works on a suspect, and gets nothing beside."""
        self.since = monotonic()
        """When it can have begun with the first item in its queue."""
        self._outbox = bytearray()
        self._inbox = bytearray()
        self._queued_bytes = 0
        self._pace = PATIENCE / 2
        """Seconds that an item takes."""
        self._depth = 2

    @property
    def answers(self) -> int:
        """The descriptor that answers come from."""
        return self._answers

    @property
    def commands(self) -> int | None:
        """The descriptor to wait for, if there is something that it has not taken yet."""
        return self._commands if self._outbox else None

    def has_room(self) -> bool:
        """Whether it should be given more."""
        if not self.queue:
            return True
        return (
            not self.alone and len(self.queue) < self._depth and self._queued_bytes < QUEUED_BYTES
        )

    def give(self, item: Item) -> None:
        """Put an item into its queue; `send` moves it on."""
        if not self.queue:
            self.since = monotonic()
        self.queue.append(item)
        self.alone = item.suspect
        self._queued_bytes += len(item.data)
        self._outbox += encode(item)

    def send(self) -> None:
        """Let the process have as much of its items as it takes now."""
        try:
            while self._outbox:
                del self._outbox[: os.write(self._commands, self._outbox[:BLOCK])]
        except (BlockingIOError, BrokenPipeError):
            pass  # when the process has ended, so have its answers

    def receive(self) -> list[Item] | None:
        """The items that have been answered; None where the process has ended."""
        block = os.read(self._answers, BLOCK)
        if not block:
            return None
        self._inbox += block
        if b"\n" not in block:
            return []
        *lines, rest = bytes(self._inbox).split(b"\n")
        self._inbox = bytearray(rest)
        answered = []
        for line in lines:
            item = self.queue.popleft()
            item.answer = line
            self._queued_bytes -= len(item.data)
            answered.append(item)
        now = monotonic()
        self._adapt((now - self.since) / len(lines))
        self.since = now
        return answered

    def _adapt(self, seconds: float) -> None:
        """Let the queue hold as much as takes a while, at the pace of late."""
        self._pace += (seconds - self._pace) / 4
        self._depth = max(2, min(int(PATIENCE / (self._pace + 1e-9)), MOST_QUEUED))

    def end(self) -> None:
        """End the process, whatever it is doing, and wait until it is gone."""
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        for descriptor in (self._commands, self._answers, self._lifeline):
            os.close(descriptor)


def _serve(
    settings: Settings, commands: int, answers: int, lifeline: int, supervisor: int
) -> NoReturn:
    """The life of the process: it never returns to the code that forked it."""
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the supervisor, which ends us
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)
        _close_all_but(commands, answers, lifeline)
        _die_with(supervisor, lifeline)
        answerer = Answerer(settings)
        inbox = bytearray()
        while block := os.read(commands, BLOCK):
            inbox += block
            for known in answerer.answers([*decode(inbox)]):
                data = b"".join(map(_line, known))
                written = 0
                while written < len(data):
                    written += os.write(answers, memoryview(data)[written:])
    finally:
        os._exit(0)


def _line(answer: Answer) -> bytes:
    return (OK if answer.ok else FAILED) + answer.text.encode() + b"\n"


def _close_all_but(*kept: int) -> None:
    """Close what the supervisor has open: other workers' pipes, the journal and its lock.

    Standard streams lead nowhere: libraries may print, and this is not the place for it.
    """
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nowhere, descriptor)
    for name in os.listdir("/dev/fd"):
        descriptor = int(name)
        if descriptor > 2 and descriptor not in kept:
            with suppress(OSError):  # the one that listed them is closed already
                os.close(descriptor)


def _die_with(supervisor: int, lifeline: int) -> None:
    """Have the kernel end this process with the supervisor, even in the middle of a long call.

    The supervisor alone holds the other end of the pipe. When that closes there is a SIGIO, which
    ends a process that does not handle it.
    """
    signal.signal(signal.SIGIO, signal.SIG_DFL)
    fcntl.fcntl(lifeline, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(lifeline, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK)
    if os.getppid() != supervisor:  # it has gone before
        os._exit(0)
