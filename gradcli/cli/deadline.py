"""`--timeout`: an end to runs that take too long."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

from gradcli.diagnostics import GradcliError

LONGEST = 1e9
"""Seconds, some thirty years: within what timers take."""
AGAIN = 0.1
"""Seconds to the next alarm: Python drops an error that is raised in a destructor."""


SAFE_SECONDS = 10.0


def seconds_allowed(timeout: float | None, *, safe: bool) -> float | None:
    """The seconds that a run may take: what `--timeout` says, else under `--safe` ten."""
    return SAFE_SECONDS if safe and timeout is None else timeout


@contextmanager
def deadline(seconds: float | None) -> Iterator[None]:
    """Raise `limit-time` in the block once `seconds` have passed; None is for ever.

    A single call into LAPACK is not interrupted: the error comes when it returns.
    """
    if seconds is None:
        yield
        return
    if not seconds <= LONGEST:  # not a number, too
        raise GradcliError("usage", f"--timeout {seconds} is too long", hint="leave it out")

    def expire(*_: object) -> NoReturn:
        raise GradcliError(
            "limit-time",
            f"the run took longer than {seconds:g} s",
            hint="raise it with --timeout",
        )

    before = signal.signal(signal.SIGALRM, expire)
    signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
