"""Shapes with names for lengths, and arrays of such shapes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from gradcli.diagnostics import GradcliError
from gradcli.graph import Array, Shape

Lengths: TypeAlias = tuple[str | int, ...]
"""The lengths of a shape: names, or numbers."""

PRIMES = (
    101, 107, 113, 127, 137, 149, 157, 163, 173, 179, 191, 197, 211, 223, 229, 239, 251, 257, 263,
    269, 277, 283, 293, 307, 313, 331, 337, 347, 353, 359, 367, 373, 379, 389, 397, 409, 419, 431,
)  # fmt: skip
"""Lengths to find a formula with: numbers that a program hardly has."""
CHECKS = ((7, 4, 3, 5, 2, 6), (8, 5, 4, 6, 3, 2), (3, 5, 6, 4, 7, 8), (2, 4, 5, 3, 6, 7))
"""Lengths to check it with, in turn: falling and rising ones, as a program may need more rows than
columns, or fewer."""


@dataclass(frozen=True, slots=True)
class Shapes:
    """The shapes of what a program reads."""

    lengths: Mapping[str, Lengths]
    """By name of an input."""
    whole: frozenset[str] = frozenset()
    """Inputs that hold whole numbers: labels, indices."""

    @property
    def names(self) -> list[str]:
        """The names of lengths."""
        found = (each for shape in self.lengths.values() for each in shape)
        return list(dict.fromkeys(each for each in found if isinstance(each, str)))

    def at(self, sizes: Mapping[str, int]) -> dict[str, Shape]:
        """The shapes for some lengths."""
        return {
            name: tuple(sizes[n] if isinstance(n, str) else n for n in shape)
            for name, shape in self.lengths.items()
        }

    def marks(self, text: str, skipped: int = 0) -> dict[str, int]:
        """A prime for each name of a length, none of which is close to a number in the text."""
        numbers = {int(each) for each in re.findall(r"\d{1,9}", text)}
        free = [p for p in PRIMES if numbers.isdisjoint((p - 1, p, p + 1))]
        if len(self.names) + skipped > len(free):
            raise GradcliError(
                "usage", f"--shape: {len(self.names)} names of lengths are too many",
                hint="give some of them as numbers",
            )  # fmt: skip
        return dict(zip(self.names, free[skipped:], strict=False))

    def checks(self) -> Iterator[dict[str, int]]:
        """Lengths to check a formula with."""
        for sizes in CHECKS:
            yield {name: sizes[i % len(sizes)] for i, name in enumerate(self.names)}

    def points(self, sizes: Mapping[str, int], seed: int) -> Iterator[dict[str, Array]]:
        """Random values for these lengths: of both signs, positive ones, positive ones below 1,
        matrices with a large diagonal, symmetric positive definite matrices.
        """
        chance = np.random.default_rng(seed)
        shapes = self.at(sizes)
        classes = max(1, min(sizes.values(), default=2))
        for low, high, kind in DRAWS:
            yield {
                name: chance.integers(0, classes, shape)
                if name in self.whole
                else _drawn(chance.uniform(low, high, shape), kind)
                for name, shape in shapes.items()
            }


DRAWS: Sequence[tuple[float, float, str]] = (
    (-1.5, 1.5, ""), (0.3, 1.7, ""), (0.1, 0.9, ""), (-1.0, 1.0, "large diagonal"),
    (0.1, 0.9, "definite"), (-1.5, 1.5, ""), (0.3, 1.7, ""),
)  # fmt: skip


def _drawn(x: Array, kind: str) -> Array:
    square = x.ndim >= 2 and x.shape[-1] == x.shape[-2]
    if not kind or not square:
        return x
    diagonal: Array = x.shape[-1] * np.eye(x.shape[-1])
    if kind == "large diagonal":
        return diagonal + x
    square_of: Array = x @ np.swapaxes(x, -1, -2)
    return square_of + diagonal
