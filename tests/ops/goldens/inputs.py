"""Inputs for goldens: the same list of shapes, layouts and special values for every function."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from tests.ops.goldens.golden import Array, Input, View

INF = float("inf")
NAN = float("nan")
SPECIAL = (
    0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -2.0, 1e-300, -1e-300, 1e-9, -1e-9, 30.0, -30.0,
    1e9, -1e9, 1e300, -1e300, INF, -INF, NAN,
)  # fmt: skip
"""Zeros, ties, tiny and large numbers, infinities and nan; ±1 and ±½ are kinks of several ops."""

Domain = tuple[float, float]


def draw(shape: tuple[int, ...], domain: Domain = (-2.0, 2.0), seed: int = 0) -> Array:
    """Numbers from a domain, the same ones on every machine."""
    generator = np.random.Generator(np.random.PCG64(seed))
    low, high = domain
    return low + (high - low) * generator.random(shape)


def coarse(shape: tuple[int, ...], domain: Domain = (-2.0, 2.0), seed: int = 0) -> Array:
    """The same in few digits, for functions that only move numbers."""
    return np.round(draw(shape, domain, seed) * 8) / 8


def special(without: Iterable[float] = (), among: Sequence[float] = SPECIAL) -> Array:
    """The special values, less some on which PyTorch deviates."""
    left_out = list(without)
    return np.array([v for v in among if not any(_same(v, each) for each in left_out)])


def _same(a: float, b: float) -> bool:
    return repr(a) == repr(b)  # -0.0 is not 0.0, nan is nan


def tensors(
    domain: Domain = (-2.0, 2.0), seed: int = 0, drawn: Callable[..., Array] = draw
) -> list[Input]:
    """20 tensors from a domain: single values, empty ones, all ranks, views, ties."""
    single: list[Input] = [drawn((), domain, seed + i) for i in range(5)]
    tied = np.repeat(drawn((2,), domain, seed + 30), 2)
    return [
        *single,
        np.zeros((0,)), np.zeros((2, 0)),
        *(drawn(shape, domain, seed + 10 + i) for i, shape in enumerate(
            [(1,), (4,), (2, 3), (3, 2), (1, 1), (2, 1, 2), (2, 2, 2), (1, 3, 1, 2)]
        )),
        View(drawn((2, 3), domain, seed + 20), ".T"),
        View(drawn((2, 2, 2), domain, seed + 21), ".mT"),
        View(drawn((5,), domain, seed + 22), "[::2]"),
        View(drawn((2, 3), domain, seed + 23), "[..., ::2]"),
        tied,
    ]  # fmt: skip


PAIRS: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...] = (
    ((), ()), ((2, 3), (2, 3)), ((2, 3), (3,)), ((3,), (2, 3)), ((2, 1), (1, 3)), ((), (2, 2)),
    ((2, 2), ()), ((1,), (4,)), ((4,), (1,)), ((2, 1, 2), (3, 1)), ((0,), (1,)), ((0, 3), (3,)),
    ((1, 1), (2,)), ((2, 2, 2), (2, 2, 2)),
)  # fmt: skip
"""Shapes that broadcast against each other."""


def pairs(
    domain: Domain = (-2.0, 2.0), other: Domain | None = None, seed: int = 50
) -> list[tuple[Input, Input]]:
    """20 pairs of tensors: broadcasting in all ways, empty ones, views, ties."""
    other = other or domain
    drawn: list[tuple[Input, Input]] = [
        (draw(a, domain, seed + i), draw(b, other, seed + 100 + i))
        for i, (a, b) in enumerate(PAIRS)
    ]
    return [
        *drawn,
        (View(draw((2, 3), domain, 1), ".T"), draw((3, 2), other, 2)),
        (draw((3, 2), domain, 3), View(draw((2, 3), other, 4), ".T")),
        (View(draw((4, 2), domain, 5), "[::2]"), View(draw((2, 4), other, 6), "[..., ::2]")),
        (draw((3,), domain, 7), draw((), other, 8)),
        (draw((), domain, 9), draw((1, 2), other, 10)),
        (draw((5,), domain, 11), draw((5,), other, 12)),
    ]


def special_pairs(without: Iterable[float] = (), among: Sequence[float] = SPECIAL) -> Array:
    """Every pair of special values, as two rows."""
    values = special(without, among)
    return np.stack([np.repeat(values, values.size), np.tile(values, values.size)])
