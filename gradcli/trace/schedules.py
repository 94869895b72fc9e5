"""The formulas of learning rates that PyTorch's documentation of each scheduler gives."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import NamedTuple, TypeAlias

Numbers: TypeAlias = Mapping[str, float]


class Schedule(NamedTuple):
    """The numbers of a scheduler with their defaults, and the rates that it gives."""

    numbers: dict[str, float | None]
    """None where there is no default."""
    next: Callable[[float, float, float, Numbers], float]
    """The rate of an epoch: of the first rate, the one before, the epoch and the numbers."""
    at: Callable[[float, float, Numbers], float]
    """The rate of an epoch that the program names: of the first rate alone."""
    starts: bool = True
    """Whether it gives the rate that it begins with, too, and does not keep the one found."""


def _step(_: float, before: float, epoch: float, n: Numbers) -> float:
    return before if epoch == 0 or epoch % n["step_size"] else before * n["gamma"]


def _cosine(first: float, before: float, epoch: float, n: Numbers) -> float:
    least, turn = n["eta_min"], math.pi / n["T_max"]
    if (epoch - 1 - n["T_max"]) % (2 * n["T_max"]) == 0:
        return before + (first - least) * (1 - math.cos(turn)) / 2
    part = (1 + math.cos(turn * epoch)) / (1 + math.cos(turn * (epoch - 1)))
    return least + (before - least) * part


def _cosine_at(first: float, epoch: float, n: Numbers) -> float:
    return n["eta_min"] + (first - n["eta_min"]) * (1 + math.cos(math.pi * epoch / n["T_max"])) / 2


def _linear(_: float, before: float, epoch: float, n: Numbers) -> float:
    start, change = n["start_factor"], n["end_factor"] - n["start_factor"]
    if epoch == 0:
        return before * start
    if epoch > n["total_iters"]:
        return before
    return before * (1 + change / (n["total_iters"] * start + (epoch - 1) * change))


def _linear_at(first: float, epoch: float, n: Numbers) -> float:
    part = min(n["total_iters"], epoch) / n["total_iters"]
    return first * (n["start_factor"] + (n["end_factor"] - n["start_factor"]) * part)


def _constant(_: float, before: float, epoch: float, n: Numbers) -> float:
    if epoch == 0:
        return before * n["factor"]
    return before / n["factor"] if epoch == n["total_iters"] else before


def _constant_at(first: float, epoch: float, n: Numbers) -> float:
    return first * (n["factor"] + (epoch >= n["total_iters"]) * (1 - n["factor"]))


def _polynomial(_: float, before: float, epoch: float, n: Numbers) -> float:
    length = n["total_iters"]
    if epoch > length:
        return before
    ratio = (1 - epoch / length) / (1 - (epoch - 1) / length)
    return before * math.pow(ratio, n["power"])


def _polynomial_at(first: float, epoch: float, n: Numbers) -> float:
    return first * math.pow(1 - min(n["total_iters"], epoch) / n["total_iters"], n["power"])


SCHEDULES = {
    "StepLR": Schedule(
        {"step_size": None, "gamma": 0.1},
        _step,
        lambda first, epoch, n: first * n["gamma"] ** (epoch // n["step_size"]),
    ),
    "ExponentialLR": Schedule(
        {"gamma": None},
        lambda _, before, __, n: before * n["gamma"],
        lambda first, epoch, n: first * n["gamma"] ** epoch,
        starts=False,
    ),
    "CosineAnnealingLR": Schedule(
        {"T_max": None, "eta_min": 0.0}, _cosine, _cosine_at, starts=False
    ),
    "LinearLR": Schedule(
        {"start_factor": 1 / 3, "end_factor": 1.0, "total_iters": 5.0}, _linear, _linear_at
    ),
    "ConstantLR": Schedule({"factor": 1 / 3, "total_iters": 5.0}, _constant, _constant_at),
    "PolynomialLR": Schedule(
        {"total_iters": 5.0, "power": 1.0}, _polynomial, _polynomial_at, starts=False
    ),
}
"""By the name of PyTorch's class."""
