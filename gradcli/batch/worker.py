"""Workers: processes that answer items. A worker is forked, so it starts with all modules loaded.

`Worker` is the supervisor's end of one; `_serve` is what runs inside.
"""

from __future__ import annotations

import fcntl
import os
import signal
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from time import monotonic
from typing import NoReturn

from gradcli import box
from gradcli.batch.answer import Answerer, Settings
from gradcli.batch.items import Item, decode, encode
from gradcli.batch.lifeline import die_with
from gradcli.data.text import reason
from gradcli.diagnostics import GradcliError
from gradcli.engine.threads import cores

BLOCK = 2**18
PART = 2**16
"""Bytes that a worker takes at once: while it answers some records, the next are on their way."""
MOST_QUEUED = 2048
QUEUED_BYTES = 2**20
"""What a worker is given ahead of its answers."""
PATIENCE = 0.05
"""Seconds of work to give a worker ahead, about."""
_SIGNALS = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGXCPU}


MOST_DESCRIPTORS = 16
"""What one takes, and enough for what the supervisor and the worker itself open later."""


class Worker:
    """A process and the items that it has been given, in the order in which it answers them."""

    def __init__(self, settings: Settings) -> None:
        supervisor = os.getpid()
        # A signal between the fork and the child's own handlers would run the parent's there.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
        ends: list[int] = []
        try:
            _require_descriptors(MOST_DESCRIPTORS)
            for pipe in (_pipe, _pipe, os.pipe):
                ends += pipe()
            commands, self._commands, self._answers, answers, lifeline, self._lifeline = ends
            self.pid = os.fork()
            if not self.pid:
                _serve(settings, commands, answers, lifeline, supervisor)
        except OSError as error:
            _close(ends)
            raise GradcliError("file", f"cannot start a process: {reason(error)}") from None
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        _close([commands, answers, lifeline])
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

    def room(self) -> int:
        """How many more items it should be given."""
        if not self.queue:
            return self._depth
        if self.alone or self._queued_bytes >= QUEUED_BYTES:
            return 0
        return max(0, self._depth - len(self.queue))

    def work(self) -> float:
        """How many seconds it has enough to do, about."""
        return len(self.queue) * self._pace

    def give(self, items: Sequence[Item]) -> None:
        """Put some items into its queue; `send` moves them on."""
        if not self.queue:
            self.since = monotonic()
        self.queue.extend(items)
        self.alone = items[0].suspect
        self._queued_bytes += sum([len(item.data) for item in items])
        self._outbox += encode(items)

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
        answered = [self.queue.popleft() for _ in lines]
        for item, line in zip(answered, lines, strict=True):
            item.answer = line
        self._queued_bytes -= sum([len(item.data) for item in answered])
        now = monotonic()
        self._adapt((now - self.since) / len(lines))
        self.since = now
        return answered

    def _adapt(self, seconds: float) -> None:
        """Let the queue hold as much as takes a while, at the pace of late: the first record of a
        program takes long, and tells little of the next.
        """
        self._pace = min(seconds, (self._pace + seconds) / 2)
        self._depth = max(2, min(int(PATIENCE / (self._pace + 1e-9)), MOST_QUEUED))

    def end(self) -> None:
        """End the process, whatever it is doing, and wait until it is gone."""
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        _close([self._commands, self._answers, self._lifeline])


def _serve(
    settings: Settings, commands: int, answers: int, lifeline: int, supervisor: int
) -> NoReturn:
    """The life of the process: it never returns to the code that forked it."""
    try:
        for number in _SIGNALS:
            if signal.getsignal(number) is not signal.SIG_IGN:  # as nohup sets it
                signal.signal(number, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the supervisor, which ends us
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)
        _close_all_but(commands, answers, lifeline)
        die_with(supervisor, lifeline)
        if settings.safe:
            box.enter(settings.options.limits.memory_bytes(), None, cores())
        answerer = Answerer(settings)
        inbox = bytearray()
        while block := os.read(commands, PART):
            inbox += block
            for known in answerer.answers([*decode(inbox)]):
                data = "".join([f"{answer}\n" for answer in known]).encode()
                written = 0
                while written < len(data):
                    written += os.write(answers, memoryview(data)[written:])
    finally:
        os._exit(0)


def _close(descriptors: Sequence[int]) -> None:
    for descriptor in descriptors:
        os.close(descriptor)


def _require_descriptors(count: int) -> None:
    """Raise OSError unless so many more can be had."""
    found: list[int] = []
    try:
        while len(found) < count:
            found.append(os.open(os.devnull, os.O_RDONLY))
    finally:
        _close(found)


def _pipe() -> tuple[int, int]:
    """Both ends of a pipe, which holds a BLOCK where the system allows that: the side that is ahead
    need not wait.
    """
    ends = os.pipe()
    with suppress(OSError, AttributeError):
        fcntl.fcntl(ends[1], fcntl.F_SETPIPE_SZ, BLOCK)
    return ends


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
