"""Work in numbered parts, spread over threads: each takes the next part when it is free."""

from __future__ import annotations

import itertools
import os
from _thread import start_new_thread
from collections.abc import Callable
from contextlib import suppress
from threading import Condition

import numpy as np

from gradcli.engine.telling import counted, inner

BLAS_VARIABLES = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS")
"""What the environment tells BLAS; the command line sets these before NumPy is imported."""


def blas_has_one_thread() -> bool:
    """Whether BLAS takes one thread: only then several products may be computed at a time."""
    return any(os.environ.get(name) == "1" for name in BLAS_VARIABLES)


def cores() -> int:
    """How many threads can run at the same time."""
    return len(os.sched_getaffinity(0))


def spread(count: int, threads: int, begin: Callable[[], Callable[[int], None]]) -> None:
    """Do parts 0 to `count` - 1; every thread calls `begin` for the function that does a part.

    Raises what the first part that fails raises, after all threads have stopped. Threads for which
    there is no memory are done without: `threading.Thread` would wait for ever for one that the
    system starts and that then cannot begin.
    """
    counter = itertools.count()
    failures: dict[int, BaseException] = {}
    changed = Condition()
    at_work = 0
    is_over = False

    def work(done: Callable[[int], None]) -> None:
        number = -1
        try:
            with np.errstate(all="ignore"), inner():  # which no thread passes on
                do = begin()
                while not failures and (number := next(counter)) < count:
                    do(number)
                    done(number)
        except BaseException as failure:  # noqa: BLE001 (raised again by the caller)
            failures[number] = failure

    def help_out() -> None:
        nonlocal at_work
        with changed:
            if is_over:
                return
            at_work += 1
        work(done)
        with changed:
            at_work -= 1
            changed.notify()

    with counted(count) as done:
        with suppress(RuntimeError):
            for _ in range(min(threads, count) - 1):
                start_new_thread(help_out, ())
        work(done)
    with changed:
        is_over = True
        changed.wait_for(lambda: not at_work)
    if failures:
        raise failures[min(failures)]
