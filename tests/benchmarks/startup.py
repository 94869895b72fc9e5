"""What a run of gradcli costs before and beside the arithmetic, against importing numpy.

    python tests/benchmarks/startup.py [ROUNDS]

Whole processes, taken in turns so that a busy machine slows all of them, medians of ROUNDS (20).
The example of the README should stay under 2.2 times numpy's import as JSON, and 2.8 as text.
"""

from __future__ import annotations

import os
import subprocess
import sys
from statistics import median
from time import perf_counter

EXAMPLE = ["eval", "z = (2*x)**3; out = mean(z)", "--set", "x=[[1,2],[3,4]]"]
GRADCLI = [sys.executable, "-c", "from gradcli.cli import main; main()"]
COMMANDS = {
    "import numpy": [sys.executable, "-c", "import numpy"],
    "gradcli --version": [*GRADCLI, "--version"],
    "gradcli eval --json": [*GRADCLI, *EXAMPLE, "--json"],
    "gradcli eval": [*GRADCLI, *EXAMPLE],
}
ENVIRONMENT = {
    # An installed package has its byte code; without, it is compiled at each start.
    name: text
    for name, text in os.environ.items()
    if name != "PYTHONDONTWRITEBYTECODE"
}


def main(rounds: int = 20) -> None:
    for command in COMMANDS.values():  # once, for byte code and the disk's cache
        seconds(command)
    times: dict[str, list[float]] = {name: [] for name in COMMANDS}
    for _ in range(rounds):
        for name, command in COMMANDS.items():
            times[name].append(seconds(command))
    base = median(times["import numpy"])
    for name, taken in times.items():
        print(f"{name:<20} {median(taken) * 1e3:5.0f} ms  {median(taken) / base:.2f} ×")


def seconds(command: list[str]) -> float:
    """The wall time of a process."""
    start = perf_counter()
    subprocess.run(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True, env=ENVIRONMENT
    )
    return perf_counter() - start


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
