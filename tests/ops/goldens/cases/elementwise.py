"""Goldens of elementwise functions."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from tests.ops.goldens.golden import Golden
from tests.ops.goldens.inputs import special, tensors


def goldens() -> Iterator[Golden]:
    """Every elementwise function on the same list of inputs."""
    yield Golden(
        "sin",
        "sin(x)",
        torch.sin,
        [*({"x": x} for x in tensors()), {"x": special()}],
        elementwise=True,
    )
