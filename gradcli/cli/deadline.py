"""`--timeout` and `--safe`: an end to runs that take too long, and a box around them."""

from __future__ import annotations

import math
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

from gradcli.cli import child, watch
from gradcli.diagnostics import GradcliError

LONGEST = 1e9
"""Seconds, some thirty years: within what timers take."""
AGAIN = 0.1
"""Seconds to the next alarm: Python drops an error that is raised in a destructor."""


SAFE_SECONDS = 10.0


@contextmanager
def confined(seconds: float | None, memory: int, *, safe: bool) -> Iterator[None]:
    """The deadline of a command; where it is `safe`, and this process does nothing else, in a box
    that it does not leave: see `gradcli.box`.
    """
    if safe:
        enter_box(memory, seconds)
    with deadline(seconds):
        yield


def enter_box(memory: int, seconds: float | None) -> None:
    """See `gradcli.box`; a process that goes on with other things is not confined."""
    if child.is_apart():
        from gradcli import box
        from gradcli.engine.threads import cores

        box.enter(memory, seconds, cores())


@contextmanager
def deadline(seconds: float | None) -> Iterator[None]:
    """Raise `limit-time` in the block once `seconds` have passed; None is for ever.

    Where a call is so long that the error cannot be raised, the process is ended from outside.
    """
    if seconds is None:
        with watch.watching():
            yield
        return
    if not seconds <= LONGEST:  # not a number, too
        raise GradcliError("usage", f"--timeout {seconds} is too long", hint="leave it out")

    def expire(*_: object) -> NoReturn:
        raise expired(seconds)

    before = signal.signal(signal.SIGALRM, expire)
    signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN)
    child.allow(seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        child.allow(math.inf)


def expired(seconds: float) -> GradcliError:
    """The error of a run that took longer."""
    return GradcliError(
        "limit-time", f"the run took longer than {seconds:g} s", hint="raise it with --timeout"
    )
