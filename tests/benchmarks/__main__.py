"""All races against whichever peers are installed, and how time grows.

    python -m tests.benchmarks [--quick] [--python PATH] [--only TEXT] [--record]

`pip install -e ".[bench]"` brings PyTorch, JAX and autograd; `--python` names another interpreter
that has them. Sides take turns, so that a busy machine slows all of them; figures are medians of
five rounds, inside processes of three. `--quick` makes one round of a tenth of the work, in about a
minute. `--only` takes what has this text in its name. `--record` writes what came out into the
README of this folder.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from tests.benchmarks.figures import Row, chart, rows_of, table
from tests.benchmarks.growth import STEEPEST, growths, slope
from tests.benchmarks.processes import ENVIRONMENT, own, race, write
from tests.benchmarks.races import FULL, QUICK, Race, Sizes, races

README = Path(__file__).with_name("README.md")
BEGIN, END = "<!-- begin races -->\n", "<!-- end races -->"
"""Between these marks stands what came out."""
ROUNDS_INSIDE = 3
"""Of races inside processes, whose figures are medians already."""
MODULES = {"PyTorch": "torch", "JAX": "jax", "autograd": "autograd"}


def main() -> None:
    assert __doc__
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="one round of a tenth of the work")
    parser.add_argument("--python", default=sys.executable, help="the peers' interpreter")
    parser.add_argument("--only", default="", metavar="TEXT", help="what has this in its name")
    parser.add_argument("--record", action="store_true", help="write them into the README here")
    options = parser.parse_args()
    versions = {name: version(options.python, module) for name, module in MODULES.items()}
    lines = [described(versions), ""]
    print(lines[0], flush=True)
    rows: list[Row] = []
    sizes = QUICK if options.quick else FULL
    with tempfile.TemporaryDirectory() as name:
        folders = Folders(Path(name))
        for each in races(sizes):
            if options.only in each.name:
                found = run(each, folders.of(each.inputs), options.python, versions, sizes)
                print("\n".join(map(str, found)), flush=True)
                rows += found
    slopes = grown(options.only, quick=options.quick)
    lines += [*table(rows), "", *chart(rows, MODULES), "", *slopes]
    print("\n".join(["", *lines[2:]]))
    if options.record:
        before, _, rest = README.read_text().partition(BEGIN)
        _, _, after = rest.partition(END)
        README.write_text("\n".join([before + BEGIN.rstrip("\n"), *lines, END + after]))


class Folders:
    """Where races find what they read: races of the same inputs share a folder."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._written: dict[tuple[str, int] | None, Path] = {}

    def of(self, inputs: tuple[str, int] | None) -> Path:
        """The folder with some inputs, which are written when they are first asked for."""
        if inputs not in self._written:
            folder = self._root / "-".join(map(str, inputs or ("nothing",)))
            folder.mkdir()
            if inputs:
                write(*inputs, folder)
            self._written[inputs] = folder
        return self._written[inputs]


def run(
    each: Race, folder: Path, python: str, versions: Mapping[str, str], sizes: Sizes
) -> list[Row]:
    """One race against the sides that are there."""
    commands = {each.name: own(each.command)}
    for side in each.sides:
        if side.own:
            commands[side.name] = own(side.command)
        elif versions[side.name]:
            commands[side.name] = [python, *side.command]
    rounds = min(sizes.rounds, ROUNDS_INSIDE) if each.is_inside else sizes.rounds
    return rows_of(each, race(commands, folder, rounds, each.reads))


def grown(only: str, *, quick: bool) -> Iterator[str]:
    """A line on each kind of work that can be of any size."""
    for growth in growths():
        if only in growth.name:
            with tempfile.TemporaryDirectory() as folder:
                largest = growth.largest // (10 if quick else 1)
                steepness = slope(growth, largest, Path(folder), rounds=1 if quick else 3)
            yield (
                f"- {growth.name}: time grows as size to the power of {steepness:.2f} up to "
                f"{largest:,} (at most {STEEPEST})"
            )


def version(python: str, module: str) -> str:
    """A module's version; empty if the interpreter does not have it."""
    find = f"import importlib.metadata, {module}; print(importlib.metadata.version('{module}'))"
    command = [python, "-c", find]
    finished = subprocess.run(command, capture_output=True, text=True, check=False, env=ENVIRONMENT)
    return finished.stdout.strip()


def described(versions: Mapping[str, str]) -> str:
    """The machine, and what raced on it."""
    with open("/proc/cpuinfo") as stream:
        models = [line.partition(":")[2].strip() for line in stream if "model name" in line]
    cores = len(os.sched_getaffinity(0))
    numpy = version(sys.executable, "numpy")
    raced = [f"{name} {found or 'is not installed'}" for name, found in versions.items()]
    return (
        f"{models[0] if models else platform.machine()}, {cores} cores, Python "
        f"{platform.python_version()}, NumPy {numpy}; {', '.join(raced)}"
    )


if __name__ == "__main__":
    main()
