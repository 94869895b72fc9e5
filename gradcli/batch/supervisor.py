"""The supervisor: gives items to workers, takes answers in order, replaces workers that end."""

from __future__ import annotations

import gc
import select
import time
from collections import deque
from collections.abc import Sequence
from time import monotonic
from typing import Protocol

from gradcli.batch.answer import Settings, died, failure
from gradcli.batch.items import Item, Verdict
from gradcli.batch.worker import Worker
from gradcli.diagnostics import GradcliError

WINDOW = 4096
"""The most records from the oldest without an answer to the newest that a worker was given."""
WINDOW_BYTES = 2**25
READ_AHEAD = 2048
PORTION = 64
"""Records that are given to a worker at a time."""
PORTION_BYTES = 2**18
PAUSE = 0.001
"""Seconds to wait for more answers, while every worker has enough to do."""
TICK = 0.1
"""Seconds between two calls of the sink's `tick`."""


class Sink(Protocol):
    """Where answers go, in input order."""

    def write(self, items: Sequence[Item]) -> None:
        """Store some answers permanently."""

    def tick(self) -> None:
        """Some time has passed."""


class Incoming(Protocol):
    """Where items come from."""

    items: deque[Item]

    @property
    def ended(self) -> bool:
        """Whether all has been read."""

    def source(self) -> int:
        """The descriptor to wait for."""

    def read(self) -> None:
        """Read what there is."""


class Supervisor:
    """One run over all items of a reader."""

    def __init__(
        self, settings: Settings, reader: Incoming, sink: Sink, jobs: int, *, fail_fast: bool
    ) -> None:
        self._settings = settings
        self._reader = reader
        self._sink = sink
        self._jobs = jobs
        self._fail_fast = fail_fast
        self._workers: list[Worker] = []
        self._order: deque[Item] = deque()
        """Items that workers were given and whose answers are not written yet, in input order."""
        self._again: deque[Item] = deque()
        """Items that have to be given to a worker again."""
        self._held = 0
        self.shortage = ""
        """Why there were fewer workers than jobs, if there were."""

    def run(self) -> bool:
        """Answer all items; False where an error ended the run.

        No process is left behind, whatever happens.
        """
        gc.freeze()  # what is there now stays shared with the workers until one writes to it
        try:
            while not self._done():
                self._hand_out()
                self._wait()
                if not self._deliver():
                    break
                self._sink.tick()
            return self._done()
        finally:
            gc.unfreeze()
            for worker in self._workers:
                worker.end()

    def _done(self) -> bool:
        return not self._order and not self._reader.items and self._reader.ended

    # --- out ---

    def _hand_out(self) -> None:
        """Give workers as many items as they have room for, and start workers as needed."""
        while (self._reader.items and self._window_open()) or self._again:
            worker = min(self._workers, key=_load, default=None)
            if (worker is None or worker.queue) and len(self._workers) < self._jobs:
                worker = self._start() or worker
            if worker is None or not worker.room():
                break
            if self._again:
                if self._again[0].suspect and worker.queue:
                    break  # until a worker has nothing else to do
                worker.give([self._again.popleft()])
            else:
                share = max(1, len(self._reader.items) // self._jobs)
                worker.give(self._take(min(PORTION, worker.room(), share)))
        for worker in self._workers:
            worker.send()

    def _start(self) -> Worker | None:
        """A new worker; None where none can be started but there are others to go on with."""
        try:
            worker = Worker(self._settings)
        except GradcliError as error:
            if not self._workers:
                raise
            self.shortage = f"{len(self._workers)} of {self._jobs} workers: {error}"
            self._jobs = len(self._workers)
            return None
        self._workers.append(worker)
        return worker

    def _take(self, most: int) -> list[Item]:
        """The next items from the reader, at least one."""
        items: list[Item] = []
        length = 0
        waiting = self._reader.items
        while waiting and len(items) < most and length < PORTION_BYTES:
            item = waiting.popleft()
            items.append(item)
            length += len(item.data)
        self._order.extend(items)
        self._held += length
        return items

    def _window_open(self) -> bool:
        return len(self._order) < WINDOW and self._held < WINDOW_BYTES

    # --- in ---

    def _wait(self) -> None:
        """Wait until something can be done, and do it."""
        poll = select.poll()
        for worker in self._workers:
            poll.register(worker.answers, select.POLLIN)
            if worker.commands is not None:
                poll.register(worker.commands, select.POLLOUT)
        source = None
        if not self._reader.ended and len(self._reader.items) < READ_AHEAD:
            source = self._reader.source()
            poll.register(source, select.POLLIN)
        if self._workers and min(worker.work() for worker in self._workers) > 2 * PAUSE:
            time.sleep(PAUSE)
        ready = {descriptor for descriptor, _ in poll.poll(self._patience() * 1000)}
        if source in ready:
            self._reader.read()
        now = monotonic()
        timeout = self._settings.timeout
        for worker in list(self._workers):
            if worker.answers in ready:
                answered = worker.receive()
                if answered is None:
                    self._bury(worker, Verdict.DIED)
                else:
                    self._held += sum([len(item.answer or b"") for item in answered])
            elif timeout is not None and worker.queue and now - worker.since > timeout:
                self._bury(worker, Verdict.HUNG)

    def _patience(self) -> float:
        """The longest time to wait: to the next deadline, or to the next tick."""
        timeout = self._settings.timeout
        if timeout is None:
            return TICK
        begun = [worker.since for worker in self._workers if worker.queue]
        return max(0.001, min([TICK, *(since + timeout - monotonic() for since in begun)]))

    def _bury(self, worker: Worker, verdict: Verdict) -> None:
        """End a worker. The item that it was running is tried once more, alone; its other items are
        given to workers again.
        """
        worker.end()
        self._workers.remove(worker)
        if not worker.queue:
            return
        first = worker.queue[0]
        if first.verdict is not Verdict.NONE:
            # Not even reading it succeeds: only its line is known.
            answer = failure("null", first.line, died().diagnostic)
            first.answer = answer.encode()
            worker.queue.popleft()
        elif first.suspect or verdict is Verdict.HUNG:
            first.verdict = verdict
        first.suspect = True
        self._again.extendleft(reversed(worker.queue))

    # --- on ---

    def _deliver(self) -> bool:
        """Write the answers whose turn it is; False where one of them ends the run."""
        ready = []
        order = self._order
        go_on = True
        while go_on and order and (answer := order[0].answer) is not None:
            item = order.popleft()
            self._held -= len(item.data) + len(answer)
            ready.append(item)
            go_on = not (self._fail_fast and item.failed)
        if ready:
            self._sink.write(ready)
        return go_on


def _load(worker: Worker) -> tuple[bool, int]:
    """Orders workers by who should be given the next item."""
    return not worker.room(), len(worker.queue)
