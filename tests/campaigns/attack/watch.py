"""Watches workers: their time, their memory, and how they end."""

from __future__ import annotations

import json
import os
import selectors
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.campaigns.attack.layers import SECONDS

ROOT = Path(__file__).parents[3]
LONGEST = 2 * SECONDS + 2
"""Seconds that one case may take, on a machine that is busy."""
LARGEST = 1.15 * 2**28 + 2**25
"""Bytes that one case may take: the limit, and what the promise adds."""
LIFETIME = 2000
"""Cases that one worker runs, so that none answers for the memory of many."""
LOOK = 0.25
"""Seconds between looks at a worker."""


def watched(seed: int, first: int, last: int, share: float) -> Iterator[int | dict[str, Any]]:
    """Numbers of cases as they begin, and findings: those of workers, and what ended a worker.

    A worker that ends or has to be ended costs one case; another goes on behind it.
    """
    while first < last:
        number = first
        for line in _lines(seed, first, min(first + LIFETIME, last), share):
            if isinstance(line, int):
                number = line
            yield line
        first = number + 1


def _lines(seed: int, first: int, last: int, share: float) -> Iterator[int | dict[str, Any]]:
    """What one worker says, and what must be said about its end."""
    command = [sys.executable, "-X", "faulthandler", "-m", "tests.campaigns.attack.worker"]
    environment = dict(os.environ, OPENBLAS_NUM_THREADS="1", PYTHONPATH=str(ROOT))
    with subprocess.Popen(
        [*command, str(seed), str(first), str(last), str(share)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        env=environment,
        cwd=ROOT,
    ) as worker:
        assert worker.stdout is not None
        assert worker.stderr is not None
        os.set_blocking(worker.stdout.fileno(), False)
        number, since, rest, done, why = first, time.monotonic() + 30, b"", False, ""
        before = LARGEST
        with selectors.DefaultSelector() as selector:
            selector.register(worker.stdout, selectors.EVENT_READ)
            while not why:
                for _ in selector.select(LOOK):
                    data = worker.stdout.read()
                    if data == b"":
                        why = "ended"
                        break
                    *complete, rest = (rest + (data or b"")).split(b"\n")
                    for line in complete:
                        if line == b"done":
                            done = True
                        elif line[:1] == b"{":
                            yield json.loads(line)
                        else:
                            number, since = int(line), time.monotonic()
                            before = _resident(worker.pid)
                            yield number
                if time.monotonic() - since > LONGEST:
                    why = f"took longer than {LONGEST:g} seconds"
                elif (size := _resident(worker.pid) - before) > LARGEST:
                    why = f"took {size / 2**20:.0f} MiB"
        if why != "ended":
            worker.kill()
        said = worker.stderr.read().decode(errors="replace")
        code = worker.wait()
        if not done:
            yield {
                "number": number,
                "command": "worker",
                "trace": f"{why} ({code})\n{said[-2000:]}",
            }


def _resident(pid: int) -> int:
    """Bytes of memory that a process has."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except (OSError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")
