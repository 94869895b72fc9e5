"""The window of portions on pretended workers, with a pretended clock: the scheduling is the real
one. And how clusters are reached and compared.
"""

from __future__ import annotations

import heapq
import json
import random
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from gradcli.diagnostics import GradcliError
from gradcli.engine.cluster.connection import Approach, address_of
from gradcli.engine.cluster.machines import canary, differences, facts
from gradcli.engine.cluster.window import AHEAD, LostError, PortionWindow, WorkersDiedError


@dataclass(eq=False)
class Job:
    """A portion on pretended workers."""

    work: range
    crew: Workers
    state: str = "waiting"
    deaths: int = 0

    def result(self, seconds: float) -> list[int] | None:
        self.crew.run_until(self.crew.now + seconds, self)
        if self.state == "lost":
            raise LostError
        if self.state == "killed":
            raise WorkersDiedError
        return [2 * record for record in self.work] if self.state == "done" else None

    def cancel(self) -> None:
        self.state = "cancelled"


@dataclass
class Workers:
    """Workers that take one portion after another, die now and then, and come back.

    As dask's scheduler does, they are given a portion again whose worker has died, twice.
    """

    count: int
    seconds_a_record: float = 0.005
    deaths_an_hour: float = 0.0
    absent: float = 10.0
    deadly: frozenset[int] = frozenset()
    now: float = 0.0
    busy: float = 0.0
    most: int = 0
    submitted: int = 0
    waiting: deque[Job] = field(default_factory=deque)
    events: list[tuple[float, int, str, Job | None]] = field(default_factory=list)
    random: random.Random = field(default_factory=lambda: random.Random(1))

    def __post_init__(self) -> None:
        self.idle = self.count
        self.number = 0

    def workers(self) -> int:
        return self.count

    def submit(self, work: range, *, again: bool = False) -> Job:
        self.submitted += 1
        job = Job(work, self)
        (self.waiting.appendleft if again else self.waiting.append)(job)
        self._start()
        return job

    def lose_all(self) -> None:
        for _, _, _, job in self.events:
            if job is not None:
                job.state = "lost"
        for job in self.waiting:
            job.state = "lost"
        self.waiting.clear()

    def run_until(self, end: float, job: Job) -> None:
        while job.state in ("waiting", "running") and self.events and self.events[0][0] <= end:
            self.now, _, what, other = heapq.heappop(self.events)
            self.idle += 1
            if other is not None and other.state == "running":
                if what == "done":
                    other.state = "done"
                else:
                    other.deaths += 1
                    other.state = "waiting" if other.deaths < 2 else "killed"
                    if other.state == "waiting":
                        self.waiting.appendleft(other)
            self._start()
        if job.state in ("waiting", "running"):
            self.now = end

    def _start(self) -> None:
        while self.waiting and self.idle:
            job = self.waiting.popleft()
            if job.state == "cancelled":
                continue
            job.state = "running"
            self.idle -= 1
            length = len(job.work) * self.seconds_a_record * self.random.lognormvariate(0, 0.2)
            rate = self.deaths_an_hour / 3600
            dies = self.random.expovariate(rate) if rate else length + 1
            self.number += 1
            if any(record in job.work for record in self.deadly):
                dies = 0.0
            if dies < length:
                heapq.heappush(
                    self.events, (self.now + dies + self.absent, self.number, "died", job)
                )
            else:
                self.busy += length
                heapq.heappush(self.events, (self.now + length, self.number, "done", job))


def halves(work: range) -> Sequence[range]:
    middle = len(work) // 2
    return [work[:middle], work[middle:]] if middle else [work]


def answers(crew: Workers, records: int, portion: int, lose_at: int = -1) -> list[int | None]:
    """What comes out of a window, in its order."""
    window: PortionWindow[range, list[int]] = PortionWindow(crew, halves)
    begin = 0
    found: list[int | None] = []
    while begin < records or window:
        while begin < records and window.has_room():
            window.give(range(begin, min(begin + portion, records)))
            begin += portion
        crew.most = max(crew.most, len(window))
        if len(found) >= lose_at >= 0:
            crew.lose_all()
            lose_at = -1
        done = window.take(0.1)
        if done is not None:
            found += done.result if done.result is not None else [None] * len(done.work)
    return found


@pytest.mark.parametrize(("workers", "portion"), [(1, 7), (2, 77), (4, 1000), (50, 1)])
def test_results_come_in_order(workers: int, portion: int) -> None:
    crew = Workers(workers)
    assert answers(crew, 3001, portion) == [2 * record for record in range(3001)]
    assert crew.most <= AHEAD * workers


def test_a_deadly_record_costs_itself_alone() -> None:
    deadly = frozenset({5, 500, 501, 2999})
    crew = Workers(3, deadly=deadly)
    expected = [None if record in deadly else 2 * record for record in range(3000)]
    assert answers(crew, 3000, 250) == expected


def test_a_scheduler_that_has_forgotten_is_told_again() -> None:
    crew = Workers(4)
    assert answers(crew, 2000, 50, lose_at=700) == [2 * record for record in range(2000)]


def test_what_is_given_up_is_cancelled() -> None:
    crew = Workers(1)
    window: PortionWindow[range, list[int]] = PortionWindow(crew, halves)
    for begin in range(3):
        window.give(range(begin, begin + 1))
    window.close()
    assert not window
    assert {job.state for job in crew.waiting} == {"cancelled"}


def test_a_thousand_workers() -> None:
    """Each dies once in an hour, and is away for 10 s: at most 15 % of a short run are lost."""
    crew = Workers(1000, deaths_an_hour=1.0)
    records, portion = 30_000_000, 1000
    window: PortionWindow[range, list[int]] = PortionWindow(crew, halves)
    given = taken = 0
    while taken < records:
        while given < records and window.has_room():
            window.give(range(given, given + portion))
            given += portion
        done = window.take(0.1)
        if done is not None:
            assert done.work.start == taken
            assert done.result is not None
            taken += len(done.work)
    efficiency = crew.busy / (1000 * crew.now)
    assert efficiency > 0.85
    assert crew.submitted < 1.01 * records / portion + 100


def test_addresses(tmp_path: Path) -> None:
    (tmp_path / "s.json").write_text(json.dumps({"address": "tls://h:8786"}))
    (tmp_path / "bad.json").write_text("[")
    for target in ("tls://h:8786", "tcp://127.0.0.1:1", "tcp://[::1]:1", "tcp://localhost:9"):
        assert address_of(Approach(target)) == target
    assert address_of(Approach(str(tmp_path / "s.json"))) == "tls://h:8786"
    assert address_of(Approach("tcp://10.0.0.1:1", insecure=True)) == "tcp://10.0.0.1:1"
    for target, code in (
        ("tcp://10.0.0.1:1", "usage"), ("tcp://127.evil.org:1", "usage"), ("ucx://h:1", "usage"),
        ("tls://h", "usage"), ("tls://a@h:1", "usage"), (str(tmp_path / "bad.json"), "file"),
        ("nothing", "file"),
    ):  # fmt: skip
        with pytest.raises(GradcliError) as caught:
            address_of(Approach(target))
        assert caught.value.diagnostic.code == code, target


def test_machines_that_differ_are_told_apart() -> None:
    ours = facts("1")
    assert differences(ours, facts("1")) == []
    assert differences(ours, facts("2")) == ["gradcli (1 here, 2 there)"]
    assert differences(ours, {**ours, "canary": "0" * 32}) == ["canary"]
    assert len(differences(ours, {})) == len(ours)
    assert canary() == canary()
