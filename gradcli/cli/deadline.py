"""`--timeout` and `--safe`: the end of runs that take too long, and their sandbox."""

from __future__ import annotations

import math
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

from gradcli.cli import child, watch
from gradcli.diagnostics import GradcliError

LONGEST = 1e9
"""Seconds, about thirty years: timers accept no more."""
AGAIN = 0.1
"""Seconds until the alarm is repeated, as Python ignores errors raised in a destructor."""


SAFE_SECONDS = 10.0


@contextmanager
def confined(seconds: float | None, memory: int, *, safe: bool) -> Iterator[None]:
    """The deadline of a command; if it is `safe`, and this process does nothing else afterwards,
    also the sandbox of `gradcli.box`, which it does not leave.
    """
    if safe:
        enter_box(memory, seconds)
    with deadline(seconds):
        yield


def enter_box(memory: int, seconds: float | None) -> None:
    """See `gradcli.box`; a process that does other things afterwards is not confined."""
    if child.is_apart():
        from gradcli import box
        from gradcli.engine.threads import cores

        box.enter(memory, seconds, cores())


@contextmanager
def deadline(seconds: float | None) -> Iterator[None]:
    """Raise `limit-time` in the block once `seconds` have passed; None is no limit.

    Where a call takes so long that the error cannot be raised, the process is ended from outside.
    """
    if seconds is None:
        with watch.watching():
            yield
        return
    if not seconds <= LONGEST:  # also for nan
        raise GradcliError("usage", f"--timeout {seconds} is too long", hint="leave it out")

    def expire(*_: object) -> NoReturn:
        raise expired(seconds)

    with watch.watching():
        before = signal.signal(signal.SIGALRM, expire)
        signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN)
        child.allow(seconds)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
            child.allow(math.inf)


@contextmanager
def half() -> Iterator[None]:
    """Raise `limit-time` in the block once half of the time that is left of a `deadline` has
    passed, so that what is known by then can still be told; without a deadline, never.
    """
    left, _ = signal.getitimer(signal.ITIMER_REAL)
    if not left:
        yield
        return
    signal.setitimer(signal.ITIMER_REAL, left / 2, AGAIN)
    started = time.monotonic()
    try:
        yield
    finally:
        spent = time.monotonic() - started
        signal.setitimer(signal.ITIMER_REAL, max(left - spent, AGAIN), AGAIN)


def expired(seconds: float) -> GradcliError:
    """The error of a run that took longer."""
    return GradcliError(
        "limit-time", f"the run took longer than {seconds:g} s", hint="raise it with --timeout"
    )
