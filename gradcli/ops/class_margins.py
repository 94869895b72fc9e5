"""Losses of margins between classes."""

from __future__ import annotations

import numpy as np

from gradcli.diagnostics import GradcliError
from gradcli.graph import Array, Node
from gradcli.ops.classes import classes
from gradcli.ops.comparison import eq
from gradcli.ops.group import Group
from gradcli.ops.indexing import getitem
from gradcli.ops.logistic import logaddexp, logsigmoid
from gradcli.ops.losses import check_same_shape, reduce_loss
from gradcli.ops.margins import MARGIN
from gradcli.ops.reductions import mean, sum_
from gradcli.ops.scattering import gather
from gradcli.ops.selection import clamp_min, where
from gradcli.ops.shapes import broadcast, show
from gradcli.ops.shaping import reshape, unsqueeze
from gradcli.ops.table import Case, KnownIndex, whole

table = Group("loss")


@table.function(
    cases=[
        Case("multi_margin_loss(x, [2, 0])"),
        Case("multi_margin_loss(x, 1, 2, 0.7, w, 'sum')", {"x": (3,), "w": (3,)}),
    ],
    formula="sum(maximum(0, margin - input[target] + input[i])**p) / classes, for i != target",
    kink=MARGIN,
    unlike={"torch.multi_margin_loss": "F.multi_margin_loss(…)"},
    demands={"target": whole("expected scalar type Long but found {Type}", "int64")},
    autocast="float32",
)
def multi_margin_loss(
    input: Node,
    target: Node,
    p: int = 1,
    margin: float = 1.0,
    weight: Node | None = None,
    reduction: str = "mean",
) -> Node:
    """How little the score of the target class is above the others in input ([batch,] classes)."""
    name = "multi_margin_loss"
    input = input if input.ndim else reshape(input, (1,))
    target = reshape(target, ()) if input.ndim == 1 and target.size == 1 else target
    if input.ndim > 2 or target.shape != input.shape[:-1]:
        raise GradcliError(
            "shape",
            f"{name}: input {show(input.shape)} and target {show(target.shape)} do not fit: "
            "([batch,] classes) and one class for each sample are expected",
        )
    if p not in (1, 2):
        raise GradcliError("value", f"{name}: p is 1 or 2, not {p}")
    count = input.shape[-1]
    if weight is not None and weight.shape != (count,):
        raise GradcliError(
            "shape", f"{name}: weight {show(weight.shape)} is not one for each of {count} classes"
        )
    chosen = classes(target, f"{name}: target", count)
    own = gather(input, -1, unsqueeze(chosen, -1))
    lacking = clamp_min(margin - own + input, 0.0)
    each = lacking if p == 1 else lacking * lacking
    numbers = input.graph.constant(np.arange(count))
    others = where(eq(unsqueeze(chosen, -1), numbers), 0.0, each)
    losses = sum_(others, (-1,)) / float(count)
    return reduce_loss(
        name, losses if weight is None else losses * getitem(weight, [chosen]), reduction
    )


@table.function(
    cases=[Case("multilabel_margin_loss(x, [[2, 0, -1], [1, -1, 2]])")],
    formula="sum(maximum(0, 1 - input[j] + input[i])) / classes, for targets j and others i",
    kink=MARGIN,
    unlike={"torch.multilabel_margin_loss": "F.multilabel_margin_loss(…)"},
    demands={"target": whole("expected scalar type Long but found {Type}", "int64")},
    autocast="float32",
)
def multilabel_margin_loss(input: Node, target: KnownIndex, reduction: str = "mean") -> Node:
    """How little the scores of the target classes are above the others in input ([batch,] classes).

    Target has the input's shape: classes, up to the first -1.
    """
    name = "multilabel_margin_loss"
    check_same_shape(name, "target", target, input)
    if input.ndim > 2:
        raise GradcliError("shape", f"{name} takes ([batch,] classes); this is {show(input.shape)}")
    known = input.graph.look(target)
    assert known is not None, "the node is a constant"
    input = input if input.ndim else reshape(input, (1,))
    listed, is_target = _labels(np.reshape(known, input.shape))
    chosen = classes(input.graph.constant(listed), f"{name}: target", input.shape[-1], -1)
    own = gather(input, -1, chosen)
    lacking = clamp_min(1 - unsqueeze(own, -1) + unsqueeze(input, -2), 0.0)
    counts = (listed >= 0)[..., :, None] & ~is_target[..., None, :]
    pairs = where(input.graph.constant(counts), lacking, 0.0)
    return reduce_loss(name, sum_(pairs, (-2, -1)) / float(max(input.shape[-1], 1)), reduction)


def _labels(target: Array) -> tuple[Array, Array]:
    """The classes up to the first -1, and -1 behind; and for each class whether it is one."""
    listed = np.where(np.logical_and.accumulate(target != -1, axis=-1), target, -1)
    numbers = np.arange(target.shape[-1])
    return listed, (listed[..., None] == numbers).any(-2)


@table.function(
    cases=[Case("soft_margin_loss(x, [1, -1, 1])")],
    formula="log(1 + exp(-target * input))",
    unlike={"torch.soft_margin_loss": "F.soft_margin_loss(…)"},
    autocast="float32",
)
def soft_margin_loss(input: Node, target: Node, reduction: str = "mean") -> Node:
    """How unlikely targets of 1 and -1 are by the scores in input."""
    broadcast("soft_margin_loss", [input.shape, target.shape])
    return reduce_loss("soft_margin_loss", logaddexp(-target * input, 0.0), reduction)


@table.function(
    cases=[
        Case("multilabel_soft_margin_loss(x, y)", {"x": (2, 3), "y": (2, 3)}),
        Case("multilabel_soft_margin_loss(x, [0, 1, 1], w, 'sum')", {"x": (3,), "w": (3,)}),
    ],
    formula="-mean(target * logsigmoid(input) + (1 - target) * logsigmoid(-input))",
    unlike={"torch.multilabel_soft_margin_loss": "F.multilabel_soft_margin_loss(…)"},
)
def multilabel_soft_margin_loss(
    input: Node, target: Node, weight: Node | None = None, reduction: str = "mean"
) -> Node:
    """How unlikely targets of 1 and 0 are by the scores in input, on average over the last axis."""
    name = "multilabel_soft_margin_loss"
    broadcast(name, [input.shape, target.shape])
    losses = -(target * logsigmoid(input) + (1 - target) * logsigmoid(-input))
    if weight is not None:
        broadcast(name, [losses.shape, weight.shape])
        losses = losses * weight
    return reduce_loss(name, mean(losses, (-1,)), reduction)
