"""What whole processes cost, taken in turns so that a busy machine slows all sides alike.

Nothing heavy is imported here: a process's peak memory counts from that of the one that starts it.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
ENVIRONMENT = {
    # An installed package has its byte code; without, it is compiled at each start.
    **{name: text for name, text in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"},
    "PYTHONPATH": str(ROOT),
}


class Cost(NamedTuple):
    """What a process took, or the medians of several."""

    wall: float
    """Seconds."""
    cpu: float
    """Seconds of all its threads together."""
    peak: float
    """MiB."""
    inside: float
    """Seconds that the process measured itself and printed; 0 if it printed none."""


def own(arguments: Sequence[str]) -> list[str]:
    """A command of the Python that runs the benchmarks, which is gradcli's."""
    return [sys.executable, *arguments]


def write(kind: str, size: int, folder: Path) -> None:
    """Let `inputs.py` write into a folder."""
    cost(own(["-m", "tests.benchmarks.inputs", kind, str(size)]), folder)


def race(
    commands: Mapping[str, Sequence[str]], folder: Path, rounds: int, reads: str = ""
) -> dict[str, Cost]:
    """Medians of every side; each reads the file `reads` and runs in `folder`."""
    costs: dict[str, list[Cost]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            costs[name].append(cost(command, folder, reads))
    return {name: Cost(*map(median, zip(*each, strict=True))) for name, each in costs.items()}


def cost(command: Sequence[str], folder: Path, reads: str = "") -> Cost:
    """One process; ends the benchmark if it fails."""
    printed = folder / "printed"
    with open(folder / reads if reads else os.devnull) as stdin, open(printed, "w") as stdout:
        start = perf_counter()
        with subprocess.Popen(
            command, cwd=folder, env=ENVIRONMENT, stdin=stdin, stdout=stdout
        ) as process:
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        wall = perf_counter() - start
    if process.returncode:
        raise SystemExit(f"failed: {' '.join(command)}")
    return Cost(
        wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, _number(printed.read_text())
    )


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0
