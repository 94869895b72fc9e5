"""How time grows: the slope of log(time) against log(size), 1 where twice the work takes twice."""

from __future__ import annotations

import math
from pathlib import Path
from statistics import linear_regression
from typing import NamedTuple

from tests.benchmarks.processes import cost, own, write
from tests.benchmarks.races import gradcli

STEEPEST = 1.05
STEPS = 4
"""Sizes: the largest, a half, a quarter, an eighth."""


class Growth(NamedTuple):
    """Work of any size."""

    name: str
    kind: str
    """What is written for a size: see `inputs.py`."""
    command: list[str]
    largest: int
    reads: str = ""


def growths() -> list[Growth]:
    """All of them, at full size."""
    batch = gradcli("batch", "--quiet", "--jobs", "1")
    evaluate = ["--set", "x=0.5", "--json"]
    return [
        Growth("ops in a chain", "chain", gradcli("eval", "-f", "chain.grad", *evaluate), 10**5),
        Growth("terms of a sum", "terms", gradcli("eval", "-f", "terms.grad", *evaluate), 10**5),
        Growth("items in a list", "items", gradcli("eval", "-f", "items.grad", *evaluate), 800_000),
        Growth(
            "elements",
            "array",
            gradcli("eval", "mean((2*x)**3)", "--set", "x=@x.npy", "--values", "outputs",
                    "--save", "g.npy", "--quiet"),
            4 * 10**7,
        ),
        Growth("records of one program", "one_program", batch, 80_000, "records.jsonl"),
        Growth("distinct programs", "distinct_programs", batch, 40_000, "records.jsonl"),
    ]  # fmt: skip


def slope(growth: Growth, largest: int, folder: Path, rounds: int) -> float:
    """The slope of the CPU time beyond that of the smallest work, least of some rounds a size."""
    sizes = [1, *(largest >> step for step in reversed(range(STEPS)))]
    places = [folder / str(size) for size in sizes]
    for size, place in zip(sizes, places, strict=True):
        place.mkdir()
        write(growth.kind, size, place)
    command = own(growth.command)
    turns = [[cost(command, place, growth.reads).cpu for place in places] for _ in range(rounds)]
    start, *seconds = map(min, zip(*turns, strict=True))
    return linear_regression(
        [math.log(size) for size in sizes[1:]],
        [math.log(max(each - start, 1e-3)) for each in seconds],
    ).slope
