"""float32 along long axes: as exact as PyTorch, whatever the order in memory."""

from __future__ import annotations

import json

import numpy as np
import pytest

from gradcli.diagnostics import Source
from gradcli.graph import Array, Precision
from gradcli.language.parser import ParseLimits, parse_program
from gradcli.ops import FUNCTIONS
from gradcli.session import Gradient, Options, evaluate
from tests.ops.long_sums import CASES, COUNTS, ORDERS, STORED, LongSum, error, inputs

PYTORCH: dict[str, list[float]] = json.loads(STORED.read_text())
FEW_ULP = 4 * float(np.finfo(np.float32).eps)
TIMES = 4
"""An error may be so many times PyTorch's, or a few ulp."""

EXACT = {
    "all", "amax", "amin", "any", "argmax", "argmin", "count_nonzero", "cummax", "cummin", "diff",
    "max", "median", "min", "quantile",
}  # fmt: skip
"""Reductions and scans in which nothing, or a pair, is added."""
MADE_OF_OTHERS = {
    "aminmax", "corrcoef", "cov", "cumulative_trapezoid", "gradient", "mode", "nanmedian",
    "nanquantile", "renorm",
}  # fmt: skip
"""Those that choose, or are made of sums that are measured."""


def run(case: LongSum, given: dict[str, Array], order: str, precision: Precision) -> list[Array]:
    """The value, and the gradients for a cotangent of small integers."""
    program = parse_program(Source("sums", ORDERS[order] + case.program), ParseLimits())
    options = Options(precision=precision, wrt=tuple(given), forward_only=True)
    shape = evaluate(program, given, [], options).values["out"].shape
    weights = 1 + np.arange(np.prod(shape, dtype=int)).reshape(shape) % 3
    result = evaluate(
        program, given, [Gradient(weights)], Options(precision=precision, wrt=tuple(given))
    )
    return [result.values["out"], *result.grads.values()]


@pytest.mark.one_in(11)
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(
    "count", [COUNTS[0], *(pytest.param(count, marks=pytest.mark.slow) for count in COUNTS[1:])]
)
@pytest.mark.parametrize("name", CASES)
def test_float32_adds_up(name: str, count: int, order: str) -> None:
    case = CASES[name]
    given = inputs(case, count, order)
    found, exact = (run(case, given, order, each) for each in ("float32", "float64"))
    errors = [error(*pair) for pair in zip(found, exact, strict=True)]
    theirs = PYTORCH.get(f"{name}, {count}, {order}", [0.0] * len(errors))
    for mine, other in zip(errors, theirs, strict=True):
        assert mine <= max(TIMES * other, FEW_ULP), (name, order, errors, theirs)


def test_every_reduction_and_scan_is_measured() -> None:
    groups = ("reduction", "scan")
    entries = [entry for entry in FUNCTIONS.values() if entry.group in groups]
    names = {entry.name for entry in entries if "." not in entry.name}  # those are made of others
    assert (
        names - EXACT - MADE_OF_OTHERS - {case.program.partition("(")[0] for case in CASES.values()}
        == set()
    )
