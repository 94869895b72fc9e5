"""Work in numbered parts, spread over threads: each takes the next part when it is free."""

from __future__ import annotations

import itertools
import os
import threading
from collections.abc import Callable

import numpy as np


def cores() -> int:
    """How many threads can run at the same time."""
    return len(os.sched_getaffinity(0))


def spread(count: int, threads: int, begin: Callable[[], Callable[[int], None]]) -> None:
    """Do parts 0 to `count` - 1; every thread calls `begin` for the function that does a part.

    Raises what the first part that fails raises, after all threads have stopped.
    """
    counter = itertools.count()
    failures: dict[int, BaseException] = {}

    def work() -> None:
        number = -1
        try:
            with np.errstate(all="ignore"):  # which no thread passes on
                do = begin()
                while not failures and (number := next(counter)) < count:
                    do(number)
        except BaseException as failure:  # noqa: BLE001 (raised again by the caller)
            failures[number] = failure

    helpers = [threading.Thread(target=work, daemon=True) for _ in range(min(threads, count) - 1)]
    for helper in helpers:
        helper.start()
    work()
    for helper in helpers:
        helper.join()
    if failures:
        raise failures[min(failures)]
