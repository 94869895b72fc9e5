"""One run over all records on many machines: the supervisor of workers that are dask's."""

from __future__ import annotations

import os
import select
from collections.abc import Sequence
from typing import TypeAlias

from gradcli import __version__
from gradcli.batch.answer import Settings, died, failure
from gradcli.batch.items import Item, encode
from gradcli.batch.reader import Reader
from gradcli.batch.remote import Order, Portion, answer, introduce
from gradcli.batch.settings import dumps
from gradcli.batch.supervisor import Sink
from gradcli.engine.cluster.connection import Cluster, DiedInTaskError
from gradcli.engine.cluster.machines import Mixture, facts
from gradcli.engine.cluster.window import Done, PortionWindow
from gradcli.engine.threads import BLAS_VARIABLES

PORTION_BYTES = 2**22
"""A portion ends with the record that makes it so long."""
TICK = 0.1
"""Seconds between two calls of the sink's `tick`."""

Items: TypeAlias = list[Item]


class ClusterSupervisor:
    """Sends portions of records to workers, and takes their answers in order."""

    def __init__(
        self,
        settings: Settings,
        reader: Reader,
        sink: Sink,
        cluster: Cluster,
        *,
        portion: int,
        fail_fast: bool,
        mixed: bool,
    ) -> None:
        """Raises `usage` where a machine would compute other bits, unless they may be `mixed`."""
        self._settings = dumps(settings)
        # These decide about bits: a worker's processes get the client's.
        self._environment = {
            name: os.environ[name] for name in BLAS_VARIABLES if name in os.environ
        }
        self._reader = reader
        self._sink = sink
        self._portion = portion
        self._fail_fast = fail_fast
        self.mixture = Mixture(facts(__version__), allowed=mixed)
        for name, theirs in cluster.ask_all(introduce, self._order([])).items():
            self.mixture.meet(theirs, name)
        self.crew = cluster.crew(answer, self._order)
        self._window: PortionWindow[Items, Portion] = PortionWindow(self.crew, _halves)

    def run(self) -> bool:
        """Answer all items; False where an error ended the run."""
        reader, window = self._reader, self._window
        try:
            while True:
                while window.has_room() and (items := self._next()):
                    window.give(items)
                if window:
                    done = window.take(TICK)
                    if done is not None and not self._deliver(done):
                        break
                elif reader.ended:
                    break
                self._sink.tick()
            return not (window or reader.items) and reader.ended
        finally:
            window.close()

    def _order(self, items: Items) -> Order:
        return Order(self._settings, self._environment, encode(items), len(items))

    # --- out ---

    def _next(self) -> Items:
        """The next portion: what is there to read now, up to its size."""
        reader = self._reader
        patience = 0.0 if self._window else TICK
        while len(reader.items) < self._portion and not reader.ended:
            ready, _, _ = select.select([reader.source()], [], [], patience)
            if not ready:
                break
            reader.read()
        items: Items = []
        length = 0
        while reader.items and len(items) < self._portion and length < PORTION_BYTES:
            items.append(reader.items.popleft())
            length += len(items[-1].data)
        return items

    # --- in ---

    def _deliver(self, done: Done[Items, Portion]) -> bool:
        """Write the answers of a portion; False where one of them ends the run."""
        items = done.work
        if done.result is None:
            for item in items:
                item.answer = self._answer_here(item)
        else:
            self.mixture.meet(done.result.facts, "a worker")
            for item, found in zip(items, done.result.answers, strict=True):
                item.answer = found
        if self._fail_fast:
            first = next((n for n, item in enumerate(items) if item.failed), None)
            if first is not None:
                self._sink.write(items[: first + 1])
                self._reader.items.extendleft(reversed(items[first + 1 :]))
                return False
        self._sink.write(items)
        return True

    def _answer_here(self, item: Item) -> bytes:
        """The answer to a record that seems to end workers: what one process would answer."""
        try:
            (found,) = answer(self._order([item])).answers
        except DiedInTaskError:
            return failure("null", item.line, died().diagnostic).encode()
        return found


def _halves(items: Items) -> Sequence[Items]:
    middle = len(items) // 2
    return [items[:middle], items[middle:]] if middle else [items]
