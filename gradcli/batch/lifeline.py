"""Processes that end with the one that has forked them."""

from __future__ import annotations

import fcntl
import os
import signal


def die_with(parent: int, lifeline: int) -> None:
    """Have the kernel end this process with its parent, even in the middle of a long call.

    The parent alone holds the other end of the pipe. When that closes there is a SIGIO, which
    ends a process that does not handle it.
    """
    signal.signal(signal.SIGIO, signal.SIG_DFL)
    fcntl.fcntl(lifeline, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(lifeline, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK)
    if os.getppid() != parent:  # it has gone before
        os._exit(0)
