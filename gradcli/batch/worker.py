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
from gradcli.data.text import reason
from gradcli.diagnostics import GradcliError
from gradcli.engine.threads import cores
from gradcli.lifeline import die_with

BLOCK = 2**18
PART = 2**16
"""Bytes that a worker reads at once: while it answers some records, the next ones are sent."""
MOST_QUEUED = 2048
QUEUED_BYTES = 2**20
"""How many records a worker is given ahead of its answers."""
PATIENCE = 0.05
"""About how many seconds of work a worker is given ahead."""
_SIGNALS = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGXCPU}


MOST_DESCRIPTORS = 16
"""Descriptors for one worker, and for what it and the supervisor open later."""


class Worker:
    """A process and the items that it has been given, in the order in which it answers them."""

    def __init__(self, settings: Settings) -> None:
        supervisor = os.getpid()
        # A signal that arrived before the child sets its own handlers would run the parent's in it.
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
        """It runs a suspect item, and gets no other item."""
        self.since = monotonic()
        """The earliest time at which it can have begun with the first item in its queue."""
        self._outbox = bytearray()
        self._inbox = bytearray()
        self._queued_bytes = 0
        self._pace = PATIENCE / 2
        """Seconds that an item takes."""
        self._depth = 2

    @property
    def answers(self) -> int:
        """The descriptor to read answers from."""
        return self._answers

    @property
    def commands(self) -> int | None:
        """The descriptor to wait for, if there is something that it has not read yet."""
        return self._commands if self._outbox else None

    def room(self) -> int:
        """How many more items it should be given."""
        if not self.queue:
            return self._depth
        if self.alone or self._queued_bytes >= QUEUED_BYTES:
            return 0
        return max(0, self._depth - len(self.queue))

    def work(self) -> float:
        """About how many seconds of work it has."""
        return len(self.queue) * self._pace

    def give(self, items: Sequence[Item]) -> None:
        """Put some items into its queue; `send` sends them."""
        if not self.queue:
            self.since = monotonic()
        self.queue.extend(items)
        self.alone = items[0].suspect
        self._queued_bytes += sum([len(item.data) for item in items])
        self._outbox += encode(items)

    def send(self) -> None:
        """Send as many bytes of its items as the process takes now."""
        try:
            while self._outbox:
                del self._outbox[: os.write(self._commands, self._outbox[:BLOCK])]
        except (BlockingIOError, BrokenPipeError):
            pass  # if the process has ended, reading its answers shows that

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
        """Adapt the length of the queue to the recent rate of answers: the first record of a
        program takes long, and says little about the next.
        """
        self._pace = min(seconds, (self._pace + seconds) / 2)
        self._depth = max(2, min(int(PATIENCE / (self._pace + 1e-9)), MOST_QUEUED))

    def end(self) -> None:
        """End the process, whatever it is doing, and wait until it has ended."""
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        _close([self._commands, self._answers, self._lifeline])


def _serve(
    settings: Settings, commands: int, answers: int, lifeline: int, supervisor: int
) -> NoReturn:
    """All that the process does: it never returns to the code that forked it."""
    try:
        for number in _SIGNALS:
            if signal.getsignal(number) is not signal.SIG_IGN:  # as nohup does
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
    """Raise OSError unless so many more descriptors can be opened."""
    found: list[int] = []
    try:
        while len(found) < count:
            found.append(os.open(os.devnull, os.O_RDONLY))
    finally:
        _close(found)


def _pipe() -> tuple[int, int]:
    """Both ends of a pipe, which holds a BLOCK where the system allows that: then the faster side
    need not wait.
    """
    ends = os.pipe()
    with suppress(OSError, AttributeError):
        fcntl.fcntl(ends[1], fcntl.F_SETPIPE_SZ, BLOCK)
    return ends


def _close_all_but(*kept: int) -> None:
    """Close what the supervisor has open: other workers' pipes, the journal and its lock.

    Standard streams go to /dev/null: what libraries print must not reach the answers.
    """
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nowhere, descriptor)
    for name in os.listdir("/dev/fd"):
        descriptor = int(name)
        if descriptor > 2 and descriptor not in kept:
            with suppress(OSError):  # the one that listed them is closed already
                os.close(descriptor)
