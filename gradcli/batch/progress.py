"""The progress of a run: a bar while it runs, one line at its end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import monotonic

from gradcli.batch.items import Item

CLEAR = "\r\x1b[K"
"""Clears the line on a terminal."""
WIDTH = 24
EVERY = 0.1
"""Seconds between two drawings."""


class Progress:
    """Counts records, and measures their rate."""

    def __init__(self, done: int = 0, failed: int = 0) -> None:
        """An earlier run answered `done` records, `failed` of them with errors."""
        self.resumed = done
        self.done = done
        self.failed = failed
        self.workers: Callable[[], int] | None = None
        """Tells how many workers there are, where that may change."""
        self._begun = monotonic()
        self._drawn = 0.0

    def add(self, items: Sequence[Item]) -> None:
        """Count some answers."""
        self.done += len(items)
        self.failed += sum(item.failed for item in items)

    def is_due(self) -> bool:
        """Whether it is time to draw the bar again."""
        now = monotonic()
        if now - self._drawn < EVERY:
            return False
        self._drawn = now
        return True

    def bar(self, fraction: float | None) -> str:
        """One line that replaces the one before; `fraction` is how much of the input is read.

        What is read says nothing about the time left before the first answer.
        """
        workers = f", {self.workers()} workers" if self.workers else ""
        text = f"{self.done:,} records, {self._rate():,.0f}/s{workers}"
        if fraction is None:
            return CLEAR + text
        return line(fraction, self._seconds() if self.done > self.resumed else None, text)

    def summary(self, how: str = "") -> str:
        """The line at the end; `how` says what ended the run early."""
        good = self.done - self.failed
        earlier = f" ({self.resumed:,} from before)" if self.resumed else ""
        ended = f"{how} after " if how else ""
        return (
            f"gradcli batch: {ended}{self.done:,} records{earlier}, {good:,} ok, "
            f"{self.failed:,} failed, {self._seconds():.1f} s ({self._rate():,.0f}/s)\n"
        )

    def _seconds(self) -> float:
        return max(monotonic() - self._begun, 1e-6)

    def _rate(self) -> float:
        return (self.done - self.resumed) / self._seconds()


def line(part: float, seconds: float | None, told: str) -> str:
    """A bar that replaces the line before: `part` of the work took so many seconds.

    None: the time says nothing about the rest, and none is told.
    """
    filled = int(WIDTH * min(part, 1.0))
    bar = "#" * filled + "." * (WIDTH - filled)
    shown = f"{CLEAR}[{bar}] {part:4.0%}  {told}"
    if seconds is None or not part:
        return shown
    return f"{shown}, {_clock(seconds * (1 - part) / part)} left"


def counted(count: int, seconds: float, told: str) -> str:
    """A line that replaces the one before, of work that took so many seconds and may go on for any
    time.
    """
    return f"{CLEAR}{count:,} {told}, {_clock(seconds)}"


def _clock(seconds: float) -> str:
    minutes, seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
