"""Losses of a layer's outputs in one call."""

from __future__ import annotations

import math

from gradcli.diagnostics import GradcliError
from gradcli.graph import Node
from gradcli.ops.classification import cross_entropy
from gradcli.ops.group import Group
from gradcli.ops.layers import linear
from gradcli.ops.shapes import show
from gradcli.ops.shaping import reshape
from gradcli.ops.table import Case

table = Group("loss")


@table.function(
    cases=[
        Case(
            "linear_cross_entropy(x, w, [2, 0], linear_bias=b)",
            {"x": (2, 3), "w": (4, 3), "b": (4,)},
        ),
    ],
    formula="cross_entropy(linear(input, linear_weight, linear_bias), target)",
)
def linear_cross_entropy(
    input: Node,
    linear_weight: Node,
    target: Node,
    *,
    linear_bias: Node | None = None,
    weight: Node | None = None,
    reduction: str = "mean",
    ignore_index: int | None = None,
    label_smoothing: float = 0.0,
) -> Node:
    """`cross_entropy` of `linear`: input ([batch,] in), linear_weight (classes, …, in)."""
    *lengths, width = linear_weight.shape if linear_weight.ndim > 1 else (0, 0)
    fits = input.ndim in (1, 2) and input.shape[-1] == width and linear_weight.ndim > 1
    if not fits or (len(lengths) > 1 and input.ndim < 2):
        raise GradcliError(
            "shape",
            f"linear_cross_entropy: input {show(input.shape)} and linear_weight "
            f"{show(linear_weight.shape)} do not fit: ([batch,] in) and (classes, …, in) are "
            "expected",
        )
    if linear_bias is not None:
        if linear_bias.shape != tuple(lengths):
            raise GradcliError(
                "shape",
                f"linear_cross_entropy: linear_bias has shape {show(linear_bias.shape)}; "
                f"{show(tuple(lengths))} is expected",
            )
        linear_bias = reshape(linear_bias, (-1,))
    scores = linear(input, reshape(linear_weight, (math.prod(lengths), width)), linear_bias)
    logits = reshape(scores, (*input.shape[:-1], *lengths))
    if ignore_index is not None and target.shape == logits.shape:
        raise GradcliError(
            "value", "linear_cross_entropy: ignore_index has no meaning for probabilities"
        )
    ignored = -100 if ignore_index is None else ignore_index
    return cross_entropy(logits, target, weight, ignored, reduction, label_smoothing)
