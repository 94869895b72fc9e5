"""One long run of `gradcli batch`: `python -m tests.campaigns.soak --records 10000000`.

The records come through a pipe, and the answers are counted as they come out of another. A machine
may be a fifth slower in one minute than in the next, so the end of the run is not compared with its
beginning, but with another run that has just begun: each answers 40,000 records in turns, and the
median of the turns' quotients says how much slower the old run is. Processor time is that of the
supervisor and of all workers.
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
"""Of the long run, each with a line of its own."""
TURN = 40_000
"""Records that old and new run answer in one turn."""
YOUNG = 2 * TURN
"""Records after which a run has warmed up."""


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


def main(asked: Sequence[str] | None = None) -> int:
    """The command; it ends with 1 where the old run is slower or larger than is allowed."""
    parser = argparse.ArgumentParser(prog="python -m tests.campaigns.soak", description=__doc__)
    parser.add_argument("--records", type=int, default=10**7)
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--turns", type=int, default=50)
    parser.add_argument("--slower", type=float, default=0.02, help="allowed share")
    given = parser.parse_args(asked)
    old = Run(given.jobs)
    old.answer(YOUNG)
    began = old.memory()
    for _ in range(PARTS):
        each = old.answer(given.records // PARTS // 1000 * 1000)
        print(f"{old.records:>12,} {each.seconds:5.1f} s {old.memory() / 2**20:6.1f} MiB")
    grown = (old.memory() - began) / 2**20
    new = Run(given.jobs)
    new.answer(YOUNG)
    turns = [_turn(old, new, number) for number in range(given.turns)]
    old.end()
    new.end()
    slower = median(mine.processor / other.processor for mine, other in turns) - 1
    wall = median(mine.seconds / other.seconds for mine, other in turns) - 1
    print(f"old against new: {slower:+.2%} processor time, {wall:+.2%} time; {grown:+.1f} MiB")
    return int(slower > given.slower or grown > 5)


def _turn(old: Run, new: Run, number: int) -> tuple[Part, Part]:
    """One turn of both; which is first changes, as what runs second finds a warm machine."""
    if number % 2:
        mine = old.answer(TURN)
        return mine, new.answer(TURN)
    other = new.answer(TURN)
    return old.answer(TURN), other


if __name__ == "__main__":
    sys.exit(main())
