"""Ends the process within half a second of Ctrl-C and other signals, even in the middle of a long
call into LAPACK, or of a sort: Python's own handlers wait until that returns.

A call that holds Python's global lock (GIL) cannot be interrupted so: see `gradcli.cli.child` for
runs that must end in time even then.
"""

from __future__ import annotations

import os
import signal
import time
from _thread import start_new_thread
from collections.abc import Iterator
from contextlib import contextmanager, suppress

GRACE = 0.3
"""Seconds in which a handler may do its work."""
ENDING = {
    signal.SIGINT: 130,
    signal.SIGTERM: 143,
    signal.SIGHUP: 129,
    signal.SIGQUIT: 131,
}
"""Signals that end a run, and its exit code then."""

ERASED = b"\r\x1b[K"
"""Takes a line of progress off a terminal."""

_met = 0.0
_told = ""


def met() -> None:
    """Say that a handler has been reached, so that the thread does not end the process."""
    global _met  # noqa: PLW0603 - handlers belong to the whole process
    _met = time.monotonic()


def tell(words: str) -> None:
    """What to say where the process is ended in the middle of a call."""
    global _told  # noqa: PLW0603 - the same
    _told = words


@contextmanager
def watching() -> Iterator[None]:
    """While the block runs, a thread ends the process where a handler is not reached in time."""
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    before = signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    with suppress(RuntimeError):  # without memory for a thread, handlers alone end the process
        start_new_thread(_wait, (reader,))
    try:
        yield
    finally:
        signal.set_wakeup_fd(before)
        os.close(writer)


def _wait(reader: int) -> None:
    """Read the numbers of signals as they come in, until the block has ended."""
    while number := os.read(reader, 1):
        came = time.monotonic()
        code = ENDING.get(signal.Signals(number[0]))
        if code is not None and signal.getsignal(number[0]) is not signal.SIG_DFL:
            time.sleep(GRACE)
            if _met < came - GRACE:  # a handler may be sooner than this thread
                with suppress(OSError):  # Python's own stream may be locked by the call
                    os.write(2, (ERASED if os.isatty(2) else b"") * bool(_told) + _told.encode())
                os._exit(code)
    os.close(reader)
