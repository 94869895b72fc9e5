"""Processes that end when their parent ends."""

from __future__ import annotations

import fcntl
import os
import signal


def die_with(parent: int, lifeline: int) -> None:
    """Make the kernel end this process when its parent ends, even in the middle of a long call.

    Only the parent holds the other end of the pipe. When that closes, the kernel sends SIGIO,
    which ends a process that does not handle it.
    """
    signal.signal(signal.SIGIO, signal.SIG_DFL)
    fcntl.fcntl(lifeline, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(lifeline, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK)
    if os.getppid() != parent:  # the parent has ended already
        os._exit(0)
