"""Layers that draw random numbers in training: dropout and its like."""

from __future__ import annotations

import math

from gradcli.diagnostics import GradcliError
from gradcli.graph import Node, Shape
from gradcli.ops.activation import leaky_relu
from gradcli.ops.creation import rand
from gradcli.ops.group import Group
from gradcli.ops.selection import where
from gradcli.ops.shapes import show
from gradcli.ops.table import Case, Demand

table = Group("activation")

SELU_BELOW = -1.7580993408473766
"""What selu tends to far below 0: alpha dropout puts it where it drops."""


def _is_random(name: str, p: float, training: bool) -> bool:
    """Whether anything is dropped. Raises `value` for p that is no probability."""
    if not 0 <= p <= 1:
        raise GradcliError("value", f"{name}: p is a probability, from 0 to 1, not {p:g}")
    return training and p > 0


def _dropped(x: Node, p: float, shape: Shape) -> Node:
    """0 with the probability p, and what is kept larger, so that the mean stays."""
    if p == 1:
        return x * 0.0
    return where(rand(x.graph, shape) >= p, x / (1 - p), 0.0)


# --- elements ------------------------------------------------------------------------------


@table.function(
    cases=[Case("dropout(x, 0.4)"), Case("dropout(x, training=False)")],
    formula="where(rand >= p, x / (1 - p), 0)",
    unlike={"torch.dropout": "F.dropout(…)"},
    passes_on=True,
    demands={"x": Demand("result type Float can't be cast to the desired output type {Type}")},
    order="kept",
)
def dropout(x: Node, p: float = 0.5, training: bool = True) -> Node:
    """Elements set to 0 with the probability p in training, the others divided by 1 - p.

    The draws are gradcli's: `--seed` fixes them.
    """
    return _dropped(x, p, x.shape) if _is_random("dropout", p, training) else x


@table.function(
    cases=[Case("alpha_dropout(x, 0.4, True)")],
    formula="a * where(rand >= p, x, -1.7581) + b",
    unlike={"torch.alpha_dropout": "F.alpha_dropout(…)"},
    passes_on=True,
    order="kept",
)
def alpha_dropout(x: Node, p: float = 0.5, training: bool = False) -> Node:
    """`dropout` that keeps mean 0 and variance 1, for selu (Klambauer et al. 2017)."""
    return _alpha(x, p, x.shape) if _is_random("alpha_dropout", p, training) else x


def _alpha(x: Node, p: float, shape: Shape) -> Node:
    if p == 1:
        return x * 0.0
    factor = 1 / math.sqrt((SELU_BELOW**2 * p + 1) * (1 - p))
    held = where(rand(x.graph, shape) >= p, x, SELU_BELOW)
    return factor * held - factor * SELU_BELOW * p


@table.function(
    cases=[Case("rrelu(x)"), Case("rrelu(x, 0.1, 0.5, training=True)")],
    formula="where(x > 0, x, slope * x)",
    kink="the slope at 0",
)
def rrelu(x: Node, lower: float = 0.125, upper: float = 1 / 3, training: bool = False) -> Node:
    """leaky_relu with a slope from `lower` to `upper`: random in training, else their mean."""
    if not training:
        return leaky_relu(x, (lower + upper) / 2)
    return where(x > 0, x, (lower + (upper - lower) * rand(x.graph, x.shape)) * x)


# --- channels ------------------------------------------------------------------------------


@table.function(
    cases=[Case("dropout1d(x, 0.4)", {"x": (2, 3, 2)})],
    formula="where(rand >= p, x / (1 - p), 0)",
    passes_on=True,
    order="kept",
)
def dropout1d(x: Node, p: float = 0.5, training: bool = True) -> Node:
    """Channels of ([batch,] channels, length) set to 0 with the probability p in training."""
    return _channels_dropped("dropout1d", x, p, training, (2, 3))


@table.function(
    cases=[Case("dropout2d(x, 0.4)", {"x": (2, 3, 1, 2)})],
    formula="where(rand >= p, x / (1 - p), 0)",
    passes_on=True,
)
def dropout2d(x: Node, p: float = 0.5, training: bool = True) -> Node:
    """Channels (axis 1) set to 0 with the probability p in training."""
    if not _is_random("dropout2d", p, training):
        return x
    return _dropped(x, p, _by_channel("dropout2d", x))


@table.function(
    cases=[Case("dropout3d(x, 0.4)", {"x": (3, 1, 2, 2)})],
    formula="where(rand >= p, x / (1 - p), 0)",
    passes_on=True,
)
def dropout3d(x: Node, p: float = 0.5, training: bool = True) -> Node:
    """Channels of ([batch,] channels, depth, height, width) set to 0 with the probability p in
    training.
    """
    return _channels_dropped("dropout3d", x, p, training, (4, 5))


@table.function(
    cases=[Case("feature_alpha_dropout(x, 0.4, True)", {"x": (2, 3, 2)})],
    formula="a * where(rand >= p, x, -1.7581) + b",
    unlike={"torch.feature_alpha_dropout": "F.feature_alpha_dropout(…)"},
    passes_on=True,
    order="kept",
)
def feature_alpha_dropout(x: Node, p: float = 0.5, training: bool = False) -> Node:
    """`alpha_dropout` of whole channels (axis 1)."""
    if not _is_random("feature_alpha_dropout", p, training):
        return x
    return _alpha(x, p, _by_channel("feature_alpha_dropout", x))


def _channels_dropped(
    name: str, x: Node, p: float, training: bool, dimensions: tuple[int, int]
) -> Node:
    """Channels dropped from one sample, or from a batch, which has the larger of the dimensions."""
    single, batch = dimensions
    if x.ndim not in dimensions:
        raise GradcliError(
            "shape", f"{name} takes {single} or {batch} dimensions; this is {show(x.shape)}"
        )
    if not _is_random(name, p, training):
        return x
    return _dropped(x, p, (*x.shape[: x.ndim - single + 1], *[1] * (single - 1)))


def _by_channel(name: str, x: Node) -> Shape:
    """One number for each channel of each sample."""
    if x.ndim < 2:
        raise GradcliError("shape", f"{name} takes (batch, channels, …); this is {show(x.shape)}")
    return (*x.shape[:2], *[1] * (x.ndim - 2))
