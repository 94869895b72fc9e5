"""The command line: flags in, exit codes out."""

from __future__ import annotations

import gc
import os
import sys

# `signal` itself imports more, for a millisecond in which Ctrl-C would show a traceback.
from _signal import SIGINT, signal  # type: ignore[import-not-found]

TYPE_CHECKING = False  # importing it takes time, in which Ctrl-C would show a traceback
if TYPE_CHECKING:
    from types import FrameType
    from typing import NoReturn

INTERRUPTED = 130
_BLAS_THREADS = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS")


def main() -> NoReturn:
    """The console script `gradcli`."""
    signal(SIGINT, _interrupt)
    sys.unraisablehook = lambda _: None  # of a thread that got no memory: another does its work
    try:
        code = _guarded()
    except KeyboardInterrupt:
        code = INTERRUPTED
    os._exit(code)  # all is written; an orderly end would take a fifth of the time


def _guarded() -> int:
    """Run the command, in a process of its own where that is needed: the exit code."""
    # BLAS reads these when numpy is imported. It gets one thread: the engine divides the work among
    # threads itself, so that the bits of the result do not depend on their number.
    for variable in _BLAS_THREADS:
        os.environ.setdefault(variable, "1")
    # A large graph is many objects and no garbage: with its defaults, Python's garbage collector
    # would take half of the run's time.
    gc.set_threshold(200_000, 20, 50)
    from gradcli.cli import child, unneeded

    unneeded.leave_out()
    if not child.is_needed(sys.argv[1:]):
        return _run()
    end = child.apart(_run)
    if end.told:
        return end.code
    from gradcli.cli.exit import report_end

    return report_end(end, sys.argv[1:])


def _run() -> int:
    try:
        from gradcli.cli.exit import run

        return run(sys.argv[1:])
    except KeyboardInterrupt:
        return INTERRUPTED
    except SystemExit as stop:  # a signal
        return stop.code if isinstance(stop.code, int) else 1


def _interrupt(_: int, frame: FrameType | None) -> NoReturn:
    """Ctrl-C ends the run; at once while a module is imported, which might catch the error."""
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            os._exit(INTERRUPTED)
        frame = frame.f_back
    from gradcli.cli import watch

    watch.met()
    raise KeyboardInterrupt
