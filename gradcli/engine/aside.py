"""Work that is done aside, by other threads, while the thread that gives it goes on."""

from __future__ import annotations

from _thread import start_new_thread
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from threading import Condition
from types import TracebackType

import numpy as np

from gradcli.engine.telling import inner

MOST = 4
"""So many tasks may wait; then the one that gives more does one itself."""


class Aside:
    """Tasks in lines: those of a line are done one after the other, those of different lines at the
    same time. What a task raises is raised to the giver, where it gives or waits next.

    With one thread, and with threads for which there is no memory, the giver does all of it.
    """

    def __init__(self, threads: int) -> None:
        self._threads_to_start = threads - 1
        self._waiting: deque[tuple[int, Callable[[], None]]] = deque()
        self._busy: set[int] = set()
        """The lines that a thread is at."""
        self._failure: BaseException | None = None
        self._is_over = False
        self._changed = Condition()

    def __enter__(self) -> Aside:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """No task is begun any more; those that are at work end."""
        with self._changed:
            self._is_over = True
            self._waiting.clear()
            self._changed.notify_all()
            self._changed.wait_for(lambda: not self._busy)

    def give(self, line: int, task: Callable[[], None]) -> None:
        """Have a task done, after those that the line was given before."""
        with self._changed:
            self._waiting.append((line, task))
            self._changed.notify()
        while self._threads_to_start > 0:
            self._threads_to_start -= 1
            with suppress(RuntimeError):
                start_new_thread(self._work, ())
        while len(self._waiting) > MOST and self._do_next():
            pass
        if self._failure is not None:
            raise self._failure

    def finish(self, line: int) -> None:
        """Go on when the tasks of a line are done."""
        self._help_until(lambda: line not in self._busy and not self._has(line), line)

    def finish_all(self) -> None:
        """Go on when all is done."""
        self._help_until(lambda: not self._busy and not self._waiting)

    def _has(self, line: int) -> bool:
        return any(line == other for other, _ in self._waiting)

    def _help_until(self, is_done: Callable[[], bool], line: int | None = None) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: is_done() or self._failure or self._can_begin(line))
                if self._failure is not None:
                    raise self._failure
                if is_done():
                    return
            self._do_next(line)

    def _first(self, line: int | None) -> int | None:
        """The place of the first task that may begin: of a given line, or of any."""
        for place, (its, _) in enumerate(self._waiting):
            if its not in self._busy and line in (None, its):
                return place
        return None

    def _can_begin(self, line: int | None = None) -> bool:
        return self._first(line) is not None

    def _work(self) -> None:
        """What a thread does until the end."""
        with np.errstate(all="ignore"), inner():  # which no thread passes on
            while not self._is_over:
                if not self._do_next():
                    with self._changed:
                        self._changed.wait_for(lambda: self._is_over or self._can_begin())

    def _do_next(self, line: int | None = None) -> bool:
        """Do the first task that may begin; whether there is one."""
        with self._changed:
            place = self._first(line)
            if place is None:
                return False
            its, task = self._waiting[place]
            del self._waiting[place]
            self._busy.add(its)
        try:
            task()
        except BaseException as failure:  # noqa: BLE001 (raised again by the giver)
            self._failure = failure
        finally:
            with self._changed:
                self._busy.remove(its)
                self._changed.notify_all()
        return True
