"""One long run of `gradcli batch`: `python -m tests.campaigns.soak --records 10000000`.

The records come through a pipe, and the answers are counted as they come out of another. The run is
cut into forty parts; for each part it says how many records were answered a second, how much time
of processors supervisor and workers took for one, and how much memory they had. What the first
quarter took is compared with the last, by medians: the parts of a run on a busy machine differ by
much more than the two quarters.
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
from typing import IO, NamedTuple

from tests.campaigns.runner import GRADCLI

PARTS = 40
RECORD = '{"program": "z = (a * x)**3; mean(z)", "set": {"a": %d, "x": [%d, 2.5]}}\n'
BLOCK = "".join(RECORD % (number % 7, number % 11) for number in range(1000)).encode()
"""What is written again and again."""
TICK = os.sysconf("SC_CLK_TCK")


class Part(NamedTuple):
    """One part of a run."""

    seconds: float
    processor: float
    """Seconds of all processors for one record."""
    memory: int
    """Bytes that supervisor and workers have, each page that they share counted once."""


def soak(records: int, jobs: int, block: bytes = BLOCK) -> list[Part]:
    """Answer so many records, a thousand in each block; the parts. Raises ValueError unless each is
    answered without an error.
    """
    command = [*GRADCLI, "batch", "-", "--jobs", str(jobs)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as run:
        assert run.stdin is not None
        assert run.stdout is not None
        assert run.stderr is not None
        feeder = threading.Thread(target=_feed, args=(run.stdin, block, records // 1000))
        feeder.start()
        parts = _read(run, run.stdout, records)
        feeder.join()
        said = run.stderr.read().decode()
    if run.returncode or f"{records:,} ok" not in said:
        raise ValueError(said)
    return parts


def _feed(pipe: IO[bytes], block: bytes, times: int) -> None:
    for _ in range(times):
        pipe.write(block)
    pipe.close()


def _read(run: subprocess.Popen[bytes], answers: IO[bytes], records: int) -> list[Part]:
    parts, answered = list[Part](), 0
    since, used = time.monotonic(), 0.0
    while block := answers.read1(2**20):  # type: ignore[attr-defined]
        answered += block.count(b"\n")
        if answered >= (len(parts) + 1) * records // PARTS and answered < records:
            try:
                now, total, memory = time.monotonic(), _processor(run.pid), _memory(run.pid)
            except OSError:  # a process has ended: so has the run
                continue
            parts.append(Part(now - since, (total - used) * PARTS / records, memory))
            since, used = now, total
    return parts


def _family(pid: int) -> list[int]:
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [pid, *map(int, children)]


def _processor(pid: int) -> float:
    """Seconds of processors that the processes have used."""
    total = 0
    for each in _family(pid):
        fields = Path(f"/proc/{each}/stat").read_text().rpartition(")")[2].split()
        total += int(fields[11]) + int(fields[12])
    return total / TICK


def _memory(pid: int) -> int:
    total = 0
    for each in _family(pid):
        lines = Path(f"/proc/{each}/smaps_rollup").read_text().splitlines()
        total += sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    return total * 1024


def main(asked: Sequence[str] | None = None) -> int:
    """The command; it ends with 1 where the last quarter is slower or larger than is allowed."""
    parser = argparse.ArgumentParser(prog="python -m tests.campaigns.soak", description=__doc__)
    parser.add_argument("--records", type=int, default=10**7)
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--slower", type=float, default=0.02, help="allowed share")
    given = parser.parse_args(asked)
    parts = soak(given.records, given.jobs)
    each = given.records // PARTS
    for number, part in enumerate(parts, 1):
        print(
            f"{number * each:>12,} {each / part.seconds:>9,.0f} a second, "
            f"{part.processor * 1e6:5.2f} us of processors, {part.memory / 2**20:6.1f} MiB"
        )
    first, last = parts[1 : PARTS // 4 + 1], parts[-PARTS // 4 :]
    slower = median(p.processor for p in last) / median(p.processor for p in first) - 1
    wall = median(p.seconds for p in last) / median(p.seconds for p in first) - 1
    grown = (median(p.memory for p in last) - median(p.memory for p in first)) / 2**20
    print(f"the last quarter: {slower:+.2%} processor time, {wall:+.2%} time, {grown:+.1f} MiB")
    return int(slower > given.slower or grown > 5)


if __name__ == "__main__":
    sys.exit(main())
