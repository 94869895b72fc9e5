"""How much of a long piece of work is done, and how long the rest will take: a line on standard
error, at a terminal, once the work has taken a second.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from time import monotonic

from gradcli.cli import streams

PATIENCE = 1.0
"""Seconds without a line: most work has ended by then."""
EVERY = 0.2
"""Seconds between one drawing and the next."""


class Meter:
    """Told which part of the work is done, it draws when it is time to. Threads may share it."""

    def __init__(self, quiet: bool) -> None:
        self._draws = not quiet and streams.errors_are_seen()
        self._lock = Lock()
        self._began = monotonic()
        self._due = self._began + PATIENCE
        self._shown = False
        self._told = ""

    def __call__(self, told: str, part: float) -> None:
        """`part` of the work is done; another text means that other work has begun."""
        if not self._draws:
            return
        now = monotonic()
        if told != self._told:
            self._began = now if self._told else self._began
            self._told = told
        if now >= self._due and 0 < part < 1:
            from gradcli.batch.progress import line
            from gradcli.report.sanitise import sanitise

            self._draw(line(part, now - self._began, sanitise(self._told)), now)

    def count(self, count: int, told: str) -> None:
        """Work whose end nobody knows has come so far: `123,456 steps`."""
        now = monotonic()
        if self._draws and now >= self._due:
            from gradcli.batch.progress import counted

            self._told = told
            self._draw(counted(count, now - self._began, told), now)

    def _draw(self, line: str, now: float) -> None:
        """Show a line in place of the one before, unless another thread is about to."""
        if not self._lock.acquire(blocking=False):
            return
        try:
            if self._draws:
                self._due, self._shown = now + EVERY, True
                streams.write_error(line)
        finally:
            self._lock.release()

    def end(self) -> None:
        """Remove the line, so that something else can be written: no thread draws it again."""
        with self._lock:
            self._draws = False
            if self._shown:
                streams.write_error(streams.CLEAR)
                self._shown = False


@contextmanager
def metered(quiet: bool) -> Iterator[Meter]:
    """A meter whose line is removed at the end of the block."""
    meter = Meter(quiet)
    try:
        yield meter
    finally:
        meter.end()
