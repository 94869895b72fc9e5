"""Activations of neural networks."""

from __future__ import annotations

from gradcli.ops.selection import where
from gradcli.ops.table import elementwise

relu = elementwise(
    "relu",
    "x where it is positive, else 0.",
    lambda xp, x: xp.maximum(x, xp.zeros((), x.dtype)),
    group="activation",
    chain=lambda change, y, x: where(x > 0, change, 0.0),
    cuda="{0} != {0} ? {0} : max({0}, ({T})0)",
    latex=r"\mathrm{{relu}}({0})",
    formula="maximum(x, 0)",
    kink="0 at 0",
)
