"""One long run of `gradcli batch`: `python -m tests.campaigns.soak --records 10000000`.

The records come through a pipe, and the answers are counted as they come out of another. A machine
may be a fifth slower in one minute than in the next, and of two runs that have just begun one may
be a twentieth slower than the other. So the run is measured at its beginning and at its end, in
turns with a process that reads and writes the same JSON and does not grow older: the medians of the
turns' quotients are compared. Processor time is that of the supervisor and of all workers.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

from tests.campaigns.runner import GRADCLI

RECORD = '{"program": "z = (a * x)**3; mean(z)", "set": {"a": %d, "x": [%d, 2.5]}}\n'
BLOCK = "".join(RECORD % (number % 7, number % 11) for number in range(1000)).encode()
"""What is written again and again."""
PARTS = 20
"""Of the middle of the run, each with a line of its own."""
TURN = 40_000
"""Records that are answered in one turn."""
REFERENCE = f"""
import sys, time
import numpy, orjson
records = {RECORD!r}
for _ in sys.stdin:
    before = time.process_time()
    for number in range({TURN}):
        record = orjson.loads(records % (number % 7, number % 11))
        x = record["set"]["a"] * numpy.asarray(record["set"]["x"], float)
        orjson.dumps([x.tolist(), (x**3).mean().item()])
    print(time.process_time() - before, flush=True)
"""
"""A process that does one turn of much the same work for each line, and tells its seconds."""


class Part(NamedTuple):
    """What a run took for some of its records."""

    seconds: float
    processor: float
    """Seconds of all its processors."""


class Run:
    """A `gradcli batch` between two pipes."""

    def __init__(self, jobs: int) -> None:
        self.process = subprocess.Popen(
            [*GRADCLI, "batch", "-", "--jobs", str(jobs)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.records = 0

    def answer(self, records: int, block: bytes = BLOCK) -> Part:
        """Have so many records answered, a thousand in each block; what it took."""
        feeder = threading.Thread(target=self._feed, args=(block, records // 1000))
        since, before, answered = time.monotonic(), self.processor(), 0
        feeder.start()
        answers = self.process.stdout
        assert answers is not None
        while answered < records and (some := answers.read1(2**20)):  # type: ignore[attr-defined]
            answered += some.count(b"\n")
        feeder.join()
        self.records += answered
        return Part(time.monotonic() - since, self.processor() - before)

    def _feed(self, block: bytes, times: int) -> None:
        assert self.process.stdin is not None
        for _ in range(times):
            self.process.stdin.write(block)
        self.process.stdin.flush()

    def processor(self) -> float:
        """Seconds that supervisor and workers have used."""
        threads = [each for pid in self._family() for each in Path(f"/proc/{pid}/task").iterdir()]
        return sum(int((each / "schedstat").read_text().split()[0]) for each in threads) / 1e9

    def memory(self) -> int:
        """Bytes that supervisor and workers have, each page that they share counted once."""
        total = 0
        for pid in self._family():
            lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
            total += sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
        return total * 1024

    def _family(self) -> list[int]:
        pid = self.process.pid
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        return [pid, *map(int, children)]

    def end(self) -> None:
        """Say that nothing more comes. Raises ValueError unless all was answered well."""
        _, told = self.process.communicate()
        if self.process.returncode or f"{self.records:,} ok" not in told.decode():
            raise ValueError(told.decode())


class Reference:
    """The process that the run is measured with."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", REFERENCE], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def turn(self) -> float:
        """Seconds of its processor for one turn."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(b"\n")
        self._process.stdin.flush()
        return float(self._process.stdout.readline())

    def end(self) -> None:
        self._process.communicate()


def main(asked: Sequence[str] | None = None) -> int:
    """The command; it ends with 1 where the end of the run is slower or larger than is allowed."""
    parser = argparse.ArgumentParser(prog="python -m tests.campaigns.soak", description=__doc__)
    parser.add_argument("--records", type=int, default=10**7)
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--turns", type=int, default=50, help="at the beginning and at the end")
    parser.add_argument("--slower", type=float, default=0.02, help="allowed share")
    given = parser.parse_args(asked)
    run, reference = Run(given.jobs), Reference()
    run.answer(TURN)
    began, first = run.memory(), _measured(run, reference, given.turns)
    middle = max(given.records - 2 * given.turns * TURN, 0)
    for _ in range(PARTS):
        part = run.answer(middle // PARTS // 1000 * 1000)
        print(f"{run.records:>12,} {part.seconds:5.1f} s {run.memory() / 2**20:6.1f} MiB")
    last, grown = _measured(run, reference, given.turns), (run.memory() - began) / 2**20
    run.end()
    reference.end()
    slower, wall = (late / early - 1 for early, late in zip(first, last, strict=True))
    print(f"the end: {slower:+.2%} processor time, {wall:+.2%} time, {grown:+.1f} MiB")
    return int(slower > given.slower or grown > 5)


def _measured(run: Run, reference: Reference, turns: int) -> tuple[float, float]:
    """Processor time and time of turns of the run, over those of the reference; medians."""
    found = list[tuple[float, float]]()
    for _ in range(turns):
        before = reference.turn()
        part = run.answer(TURN)
        around = (before + reference.turn()) / 2
        found.append((part.processor / around, part.seconds / around))
    processor, wall = map(median, zip(*found, strict=True))
    print(
        f"{run.records:>12,} {processor:.3f} of the reference's processor time, {wall:.3f} of time"
    )
    return processor, wall


if __name__ == "__main__":
    sys.exit(main())
