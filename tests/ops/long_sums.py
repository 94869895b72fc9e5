"""Reductions and scans over long axes, along which float32 loses digits where sums are made badly.

Each case reads `x` of shape (ROWS, n) and reduces axis 1. It is run on rows that lie one after the
other, and on the transpose of columns, so that neighbours along the axis are ROWS elements apart.
`python -m tests.ops.make_long_sums` writes PyTorch's errors to `long_sums.json`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from gradcli.graph import Array

STORED = Path(__file__).parent / "long_sums.json"
ROWS = 4
COUNTS = (10**6, 10**7)
"""How many elements x has."""
ORDERS = {"rows": "", "columns": "x = x.mT; "}
"""By how x lies in memory, what turns it into rows."""


@dataclass(frozen=True)
class LongSum:
    """A program, and what PyTorch calls it, with the module `torch` in front of the inputs."""

    program: str
    torch: Callable[..., Any] | None
    """None where PyTorch has no such function."""
    draw: Callable[[Array], Array] = lambda uniform: uniform
    """The elements of x, from numbers between 0 and 1."""


def near_one(uniform: Array) -> Array:
    """Factors of which many can be multiplied."""
    return 1 + (uniform - 0.5) * 2e-3


def shrinking(uniform: Array) -> Array:
    """Factors that forget within some thousand places."""
    return 1 - uniform * 1e-3


def inputs(case: LongSum, count: int, order: str) -> dict[str, Array]:
    """x in float32, and a few other operands."""
    generator = np.random.default_rng(count)
    x = case.draw(generator.random((ROWS, count // ROWS))).astype(np.float32)
    others = {
        "b": generator.random((ROWS, 1)),
        "v": generator.random(count // ROWS),
        "w": generator.random((1, 1, 3)),
    }
    used = {
        name: value.astype(np.float32)
        for name, value in others.items()
        if re.search(rf"\b{name}\b", case.program)
    }
    return {"x": x if order == "rows" else np.ascontiguousarray(x.T), **used}


def error(found: Array, exact: Array) -> float:
    """The largest difference, relative to the largest number."""
    scale = np.abs(exact).max()
    return float(np.abs(found.astype(np.float64) - exact).max() / (scale or 1.0))


PLACES = "(arange(x.shape[1]) % 3).long()"


def _places(torch: Any, x: Any) -> Any:
    return torch.arange(x.shape[1]) % 3


CASES: Mapping[str, LongSum] = {
    "sum": LongSum("sum(x, 1)", lambda torch, x: torch.sum(x, 1)),
    "sum of all": LongSum("sum(x)", lambda torch, x: torch.sum(x)),
    "sum of every other": LongSum("sum(x[:, ::2], 1)", lambda torch, x: torch.sum(x[:, ::2], 1)),
    "sum of products": LongSum("sum(x * x, 1)", lambda torch, x: torch.sum(x * x, 1)),
    "mean": LongSum("mean(x, 1)", lambda torch, x: torch.mean(x, 1)),
    "nansum": LongSum("nansum(x, 1)", lambda torch, x: torch.nansum(x, 1)),
    "nanmean": LongSum("nanmean(x, 1)", lambda torch, x: torch.nanmean(x, 1)),
    "prod": LongSum("prod(x, 1)", lambda torch, x: torch.prod(x, 1), near_one),
    "var": LongSum("var(x, 1)", lambda torch, x: torch.var(x, 1)),
    "var_mean": LongSum("var_mean(x, 1)[1]", lambda torch, x: torch.var_mean(x, 1)[1]),
    "std": LongSum("std(x, 1)", lambda torch, x: torch.std(x, 1)),
    "std_mean": LongSum("std_mean(x, 1)[0]", lambda torch, x: torch.std_mean(x, 1)[0]),
    "norm": LongSum("norm(x, 2, 1)", lambda torch, x: torch.linalg.vector_norm(x, 2, 1)),
    "norm of order 1": LongSum("norm(x, 1, 1)", lambda torch, x: torch.norm(x, 1, 1)),
    "vector_norm": LongSum(
        "vector_norm(x, 3, 1)", lambda torch, x: torch.linalg.vector_norm(x, 3, 1)
    ),
    "dist": LongSum("dist(x, b)", lambda torch, x, b: torch.dist(x, b)),
    "normalize": LongSum("normalize(x)", lambda torch, x: torch.nn.functional.normalize(x)),
    "cosine_similarity": LongSum(
        "cosine_similarity(x, x.flip(0))",
        lambda torch, x: torch.nn.functional.cosine_similarity(x, x.flip(0)),
    ),
    "logsumexp": LongSum("logsumexp(x, 1)", lambda torch, x: torch.logsumexp(x, 1)),
    "softmax": LongSum("softmax(x, 1)", lambda torch, x: torch.softmax(x, 1)),
    "softmin": LongSum("softmin(x, 1)", lambda torch, x: torch.nn.functional.softmin(x, 1)),
    "log_softmax": LongSum("log_softmax(x, 1)", lambda torch, x: torch.log_softmax(x, 1)),
    "cumsum": LongSum("cumsum(x, 1)", lambda torch, x: torch.cumsum(x, 1)),
    "cumprod": LongSum("cumprod(x, 1)", lambda torch, x: torch.cumprod(x, 1), near_one),
    "logcumsumexp": LongSum("logcumsumexp(x, 1)", lambda torch, x: torch.logcumsumexp(x, 1)),
    "trapezoid": LongSum("trapezoid(x)", lambda torch, x: torch.trapezoid(x)),
    "recurrence": LongSum("recurrence(x, x, 1)", None, shrinking),
    "decay": LongSum("decay(log(x), x, 1)", None, shrinking),
    "layer_norm": LongSum(
        "layer_norm(x, x.shape[1])",
        lambda torch, x: torch.nn.functional.layer_norm(x, x.shape[1:]),
    ),
    "batch_norm": LongSum(
        "batch_norm(x.T, None, None, training=True)",
        lambda torch, x: torch.nn.functional.batch_norm(x.T, None, None, training=True),
    ),
    "repeated": LongSum("x * expand(b, x.shape)", lambda torch, x, b: x * b.expand(x.shape)),
    "matmul": LongSum("x @ v", lambda torch, x, v: x @ v),
    "matmul of rows": LongSum("x @ x.T", lambda torch, x: x @ x.T),
    "dot backwards": LongSum(
        "dot(x[0].flip(0), x[1])", lambda torch, x: torch.dot(x[0].flip(0), x[1])
    ),
    "einsum": LongSum("einsum('ij,j->i', x, v)", lambda torch, x, v: torch.einsum("ij,j", x, v)),
    "conv1d": LongSum(
        "conv1d(x.unsqueeze(1), w)",
        lambda torch, x, w: torch.nn.functional.conv1d(x.unsqueeze(1), w),
    ),
    "avg_pool1d": LongSum(
        "avg_pool1d(x, x.shape[1])",
        lambda torch, x: torch.nn.functional.avg_pool1d(x, x.shape[1]),
    ),
    "index": LongSum(f"b[{PLACES}]", lambda torch, x, b: b[_places(torch, x)]),
    "index_select": LongSum(
        f"index_select(b, 0, {PLACES})",
        lambda torch, x, b: torch.index_select(b, 0, _places(torch, x)),
    ),
    "gather": LongSum(
        f"gather(b.T, 1, {PLACES}.unsqueeze(0))",
        lambda torch, x, b: torch.gather(b.T, 1, _places(torch, x).unsqueeze(0)),
    ),
    "embedding": LongSum(
        f"embedding({PLACES}, b)",
        lambda torch, x, b: torch.nn.functional.embedding(_places(torch, x), b),
    ),
    "index_add": LongSum(
        f"index_add(zeros(4, 3), 1, {PLACES}, x)",
        lambda torch, x: torch.zeros(4, 3, dtype=x.dtype).index_add(1, _places(torch, x), x),
    ),
    "scatter_add": LongSum(
        f"scatter_add(zeros(4, 3), 1, expand({PLACES}, x.shape), x)",
        lambda torch, x: torch.zeros(4, 3, dtype=x.dtype).scatter_add(
            1, _places(torch, x).expand(x.shape), x
        ),
    ),
}
