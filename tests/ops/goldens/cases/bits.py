"""Goldens of functions of bits: integers and truth values."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch

from tests.ops.goldens.golden import Array, Golden

SHAPES = [((2, 3), (3,)), ((4,), ()), ((2, 1), (1, 3)), ((0,), (1,)), ((), ()), ((5,), (5,))]


def integers(shape: tuple[int, ...], seed: int) -> Array:
    """Small, large and negative ones."""
    generator = np.random.Generator(np.random.PCG64(seed))
    return generator.integers(-(2**40), 2**40, shape) >> generator.integers(0, 40, shape)


def goldens() -> Iterator[Golden]:
    """Every function on its inputs."""
    pairs = [
        {"x": integers(a, 2 * seed), "y": integers(b, 2 * seed + 1)}
        for seed, (a, b) in enumerate(SHAPES * 2)
    ]
    masks = [{name: each % 2 == 0 for name, each in pair.items()} for pair in pairs]
    for name in ("bitwise_and", "bitwise_or", "bitwise_xor"):
        yield Golden(
            name, f"{name}(x, y)", getattr(torch, name), [*pairs, *masks], differentiable=False
        )
    single = [{"x": pair["x"]} for pair in (*pairs, *masks)]
    yield Golden("bitwise_not", "bitwise_not(x)", torch.bitwise_not, single, differentiable=False)
