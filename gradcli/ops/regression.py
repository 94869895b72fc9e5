"""Losses of numbers against numbers: differences, likelihoods, margins and distances."""

from __future__ import annotations

import math
from typing import Any

from gradcli.diagnostics import GradcliError
from gradcli.graph import Array, Node
from gradcli.ops.comparison import eq
from gradcli.ops.exponential import exp, log
from gradcli.ops.kinds import General
from gradcli.ops.norms import norm
from gradcli.ops.powers import sqrt
from gradcli.ops.reductions import mean, sum_
from gradcli.ops.selection import abs_, clamp_min, minimum, where
from gradcli.ops.shapes import broadcast, show
from gradcli.ops.shaping import unsqueeze
from gradcli.ops.table import Case, function

REDUCTIONS = ("mean", "sum", "none")
TINY = 9.999999960041972e-13
"""1e-12 in float32, as PyTorch adds it in float64 too."""
PAIR = {"x": (2, 3), "y": (2, 3)}
BROADCAST = {"x": (2, 3), "y": (3,)}


def reduce_loss(name: str, loss: Node, reduction: str) -> Node:
    """The loss of each element as it is, its mean, or its sum."""
    check_reduction(name, reduction)
    if reduction == "none":
        return loss
    return mean(loss) if reduction == "mean" else sum_(loss)


def check_reduction(name: str, reduction: str, known: tuple[str, ...] = REDUCTIONS) -> None:
    """Raise `value` for a reduction that is not known."""
    if reduction not in known:
        names = ", ".join(map(repr, known[:-1]))
        raise GradcliError(
            "value", f"{name}: reduction is {names} or {known[-1]!r}, not {reduction!r}"
        )


def check_same_shape(name: str, what: str, node: Node, input: Node) -> None:
    """Raise `shape` unless the node has the input's shape."""
    if node.shape != input.shape:
        raise GradcliError(
            "shape",
            f"{name}: {what} has shape {show(node.shape)}, input {show(input.shape)}: they must "
            "be equal",
        )


def _difference(name: str, input: Node, target: Node) -> Node:
    broadcast(name, [input.shape, target.shape])  # an error that names the loss
    return input - target


# --- differences ---------------------------------------------------------------------------


@function(
    "mse_loss",
    "loss",
    cases=[
        Case("mse_loss(x, y)", PAIR),
        Case("mse_loss(x, y, reduction='sum')", BROADCAST),
        Case("mse_loss(x, y, reduction='none')", PAIR),
        Case("mse_loss(x, y, weight=[[1, 2, 3], [1, 0, 2]])", PAIR),
    ],
    formula="(input - target)**2",
)
def mse_loss(
    input: Node, target: Node, reduction: str = "mean", weight: Node | None = None
) -> Node:
    """The squared difference; with `weight` its mean is over the weights' sum."""
    difference = _difference("mse_loss", input, target)
    return _weighted_mean("mse_loss", difference * difference, input, weight, reduction)


@function(
    "l1_loss",
    "loss",
    cases=[
        Case("l1_loss(x, y)", PAIR),
        Case("l1_loss(x, y, reduction='none')", BROADCAST),
        Case("l1_loss(x, y, weight=[[1, 2, 3], [1, 0, 2]])", PAIR),
    ],
    formula="abs(input - target)",
    kink="0 where input and target are equal",
)
def l1_loss(input: Node, target: Node, reduction: str = "mean", weight: Node | None = None) -> Node:
    """The size of the difference; with `weight` its mean is over the weights' sum."""
    size = abs_(_difference("l1_loss", input, target))
    return _weighted_mean("l1_loss", size, input, weight, reduction)


def _weighted_mean(name: str, loss: Node, input: Node, weight: Node | None, reduction: str) -> Node:
    if weight is None:
        return reduce_loss(name, loss, reduction)
    check_same_shape(name, "weight", weight, input)
    if reduction == "mean":
        return sum_(loss * weight) / sum_(weight)
    return reduce_loss(name, loss * weight, reduction)


@function(
    "smooth_l1_loss",
    "loss",
    cases=[
        Case("smooth_l1_loss(x, y)", PAIR),
        Case("smooth_l1_loss(x, y, reduction='sum', beta=0.5)", BROADCAST),
        Case("smooth_l1_loss(x, y, beta=0)", PAIR),
    ],
    formula="where(abs(d) < beta, d**2 / (2 * beta), abs(d) - beta / 2)",
)
def smooth_l1_loss(input: Node, target: Node, reduction: str = "mean", beta: float = 1.0) -> Node:
    """A parabola for differences d below `beta`, then a line of slope 1."""
    if beta < 0:
        raise GradcliError("value", f"smooth_l1_loss: beta must not be negative, but is {beta:g}")
    difference = _difference("smooth_l1_loss", input, target)
    size = abs_(difference)
    if beta:
        parabola = difference * difference / (2 * beta)
        size = where(size < beta, parabola, size - beta / 2)
    return reduce_loss("smooth_l1_loss", size, reduction)


@function(
    "huber_loss",
    "loss",
    cases=[
        Case("huber_loss(x, y)", PAIR),
        Case("huber_loss(x, y, reduction='none', delta=0.5)", BROADCAST),
        Case("huber_loss(x, y, weight=[[1, 2, 3], [1, 0, 2]])", PAIR),
    ],
    formula="where(abs(d) <= delta, d**2 / 2, delta * (abs(d) - delta / 2))",
)
def huber_loss(
    input: Node,
    target: Node,
    reduction: str = "mean",
    delta: float = 1.0,
    weight: Node | None = None,
) -> Node:
    """A parabola for differences d up to `delta`, then a line of slope `delta`."""
    if delta <= 0:
        raise GradcliError("value", f"huber_loss: delta must be positive, but is {delta:g}")
    difference = _difference("huber_loss", input, target)
    size = abs_(difference)
    loss = where(size <= delta, difference * difference / 2, delta * (size - delta / 2))
    if weight is not None:
        check_same_shape("huber_loss", "weight", weight, input)
        loss = loss * weight
    return reduce_loss("huber_loss", loss, reduction)


# --- likelihoods ---------------------------------------------------------------------------


def _variance(xp: Any, x: Array, eps: float) -> Array:
    if (x < 0).any():
        raise GradcliError(
            "value",
            f"gaussian_nll_loss: var {show(x.shape)} holds {float(x[x < 0].flat[0]):g}, "
            "and a variance is not negative",
        )
    return xp.maximum(x, eps)  # type: ignore[no-any-return]


VARIANCE = General(
    "variance_at_least",
    infer=lambda x, eps: (x.shape, "float"),
    forward=_variance,
    adjoints=(lambda change, y, x, eps: change,),
    forward_rule=lambda tangents, y, x, eps: tangents[0],
    edge=lambda xp, x, eps: x - eps,
)
"""A variance, raised to `eps` where it is less; the gradient does not see it, as in PyTorch."""


@function(
    "gaussian_nll_loss",
    "loss",
    cases=[
        Case("gaussian_nll_loss(x, y, v)", PAIR | {"v": (2, 3)}, (0.3, 2.0)),
        Case("gaussian_nll_loss(x, y, v, full=True)", PAIR | {"v": (2,)}, (0.3, 2.0)),
        Case("gaussian_nll_loss(x, y, v, reduction='sum')", PAIR | {"v": (2, 1)}, (0.3, 2.0)),
        Case("gaussian_nll_loss(x, y, 0.7, reduction='none')", PAIR),
    ],
    formula="(log(var) + (input - target)**2 / var) / 2",
    kink="a variance below `eps` counts as eps, with the derivative there",
)
def gaussian_nll_loss(
    input: Node,
    target: Node,
    var: Node,
    full: bool = False,
    eps: float = 1e-6,
    reduction: str = "mean",
) -> Node:
    """How unlikely target is under a normal distribution; `full` adds log(2π) / 2."""
    if var.shape and var.shape != input.shape:
        if var.shape == input.shape[:-1]:
            var = unsqueeze(var, -1)
        else:
            _check_variance(input, var)
    held = var.graph.apply(VARIANCE, (var,), (eps,))
    difference = _difference("gaussian_nll_loss", input, target)
    loss = (log(held) + difference * difference / held) * 0.5
    if full:
        loss = loss + math.log(2 * math.pi) / 2
    return reduce_loss("gaussian_nll_loss", loss, reduction)


def _check_variance(input: Node, var: Node) -> None:
    """Raise `shape` unless exactly one axis differs, and has one element."""
    differing = [
        length for length, wanted in zip(var.shape, input.shape, strict=False) if length != wanted
    ]
    if var.ndim != input.ndim or differing != [1]:
        raise GradcliError(
            "shape",
            f"gaussian_nll_loss: var {show(var.shape)} does not fit input {show(input.shape)}",
            hint="one variance an element, or one for each row",
        )


@function(
    "poisson_nll_loss",
    "loss",
    cases=[
        Case("poisson_nll_loss(x, y)", PAIR),
        Case("poisson_nll_loss(x, y, log_input=False, reduction='sum')", BROADCAST, (0.3, 2.0)),
        Case("poisson_nll_loss(x, y, full=True, reduction='none')", PAIR, (1.2, 3.0)),
    ],
    formula="exp(input) - target * input",
    kink="with `full` the correction counts for a target above 1 only",
)
def poisson_nll_loss(
    input: Node,
    target: Node,
    log_input: bool = True,
    full: bool = False,
    eps: float = 1e-8,
    reduction: str = "mean",
) -> Node:
    """How unlikely the count in target is; `full` adds Stirling's approximation of log(target!)."""
    broadcast("poisson_nll_loss", [input.shape, target.shape])
    loss = exp(input) - target * input if log_input else input - target * log(input + eps)
    if full:
        stirling = target * log(target) - target + log(2 * math.pi * target) * 0.5
        loss = loss + where(target <= 1.0, 0.0, stirling)
    return reduce_loss("poisson_nll_loss", loss, reduction)


# --- margins and distances -----------------------------------------------------------------

MARGIN = "0 at the margin (the subgradient of least norm)"


@function(
    "hinge_embedding_loss",
    "loss",
    cases=[
        Case("hinge_embedding_loss(x, [1, -1, 1])"),
        Case("hinge_embedding_loss(x, [1, -1, -1], margin=0.3, reduction='none')"),
    ],
    formula="where(target == 1, input, maximum(0, margin - input))",
    kink=MARGIN,
)
def hinge_embedding_loss(
    input: Node, target: Node, margin: float = 1.0, reduction: str = "mean"
) -> Node:
    """input where target is 1, and what it lacks of the margin where target is -1."""
    broadcast("hinge_embedding_loss", [input.shape, target.shape])
    lacking = where(eq(target, 1.0), 0.0, clamp_min(margin - input, 0.0))
    itself = where(eq(target, -1.0), 0.0, input)
    return reduce_loss("hinge_embedding_loss", lacking + itself, reduction)


@function(
    "margin_ranking_loss",
    "loss",
    cases=[
        Case("margin_ranking_loss(x, y, [1, -1, 1], margin=0.2)", PAIR),
        Case("margin_ranking_loss(x, y, 1, reduction='none')", {"x": (3,), "y": (3,)}),
    ],
    formula="maximum(0, -target * (input1 - input2) + margin)",
    kink=MARGIN,
)
def margin_ranking_loss(
    input1: Node, input2: Node, target: Node, margin: float = 0.0, reduction: str = "mean"
) -> Node:
    """What input1 lacks to be above input2 by the margin; below it where target is -1."""
    difference = _difference("margin_ranking_loss", input1, input2)
    broadcast("margin_ranking_loss", [difference.shape, target.shape])
    loss = clamp_min(-target * difference + margin, 0.0)
    return reduce_loss("margin_ranking_loss", loss, reduction)


@function(
    "cosine_embedding_loss",
    "loss",
    cases=[
        Case("cosine_embedding_loss(x, y, [1, -1])", PAIR),
        Case("cosine_embedding_loss(x, y, -1, margin=-0.9)", {"x": (3,), "y": (3,)}),
    ],
    formula="where(target == 1, 1 - cos, maximum(0, cos - margin))",
    kink=MARGIN,
)
def cosine_embedding_loss(
    input1: Node, input2: Node, target: Node, margin: float = 0.0, reduction: str = "mean"
) -> Node:
    """1 less the cosine between the rows where target is 1, and the cosine above the margin
    where it is -1.
    """
    shapes = f"inputs {show(input1.shape)} and {show(input2.shape)}, target {show(target.shape)}"
    if input1.shape != input2.shape or input1.ndim not in (1, 2) or target.ndim != input1.ndim - 1:
        raise GradcliError(
            "shape",
            f"cosine_embedding_loss takes two vectors and a single target, or two matrices and a "
            f"target for each row; these are {shapes}",
        )
    squares = (sum_(input1 * input1, -1) + TINY) * (sum_(input2 * input2, -1) + TINY)
    cosine = sum_(input1 * input2, -1) / sqrt(squares)
    loss = where(eq(target, 1.0), 1 - cosine, 0.0)
    loss = loss + where(eq(target, -1.0), clamp_min(cosine - margin, 0.0), 0.0)
    return reduce_loss("cosine_embedding_loss", loss, reduction)


@function(
    "pairwise_distance",
    "loss",
    cases=[
        Case("pairwise_distance(x, y)", PAIR),
        Case("pairwise_distance(x, y, p=1, keepdim=True)", BROADCAST),
    ],
    formula="norm(x1 - x2 + eps, p, dim=-1)",
    kink="0 where the distance is 0",
)
def pairwise_distance(
    x1: Node, x2: Node, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False
) -> Node:
    """The p-norm of the difference of each two rows; `eps` is added to the difference."""
    difference = _difference("pairwise_distance", x1, x2)
    if not difference.ndim:
        raise GradcliError("shape", "pairwise_distance: single values have no rows: () and ()")
    return norm(difference + eps, p, (-1,), keepdim)


TRIPLE = {"a": (2, 3), "p": (2, 3), "n": (2, 3)}


@function(
    "triplet_margin_loss",
    "loss",
    cases=[
        Case("triplet_margin_loss(a, p, n, margin=3)", TRIPLE),
        Case("triplet_margin_loss(a, p, n, 4, p=1, swap=True, reduction='none')", TRIPLE),
        Case("triplet_margin_loss(a, p, n, 3)", {"a": (3,), "p": (3,), "n": (3,)}),
    ],
    formula="maximum(0, dist(anchor, positive) - dist(anchor, negative) + margin)",
    kink=MARGIN,
)
def triplet_margin_loss(
    anchor: Node,
    positive: Node,
    negative: Node,
    margin: float = 1.0,
    p: float = 2.0,
    eps: float = 1e-6,
    swap: bool = False,
    reduction: str = "mean",
) -> Node:
    """What the negative lacks to be farther away than the positive by the margin.

    `swap` takes the negative's distance from the anchor or from the positive, whichever is less.
    """
    if not anchor.ndim == positive.ndim == negative.ndim:
        raise GradcliError(
            "shape",
            f"triplet_margin_loss: anchor {show(anchor.shape)}, positive {show(positive.shape)} "
            f"and negative {show(negative.shape)} must have equally many dimensions",
        )
    near = pairwise_distance(anchor, positive, p, eps)
    far = pairwise_distance(anchor, negative, p, eps)
    if swap:
        far = minimum(far, pairwise_distance(positive, negative, p, eps))
    return reduce_loss("triplet_margin_loss", clamp_min(margin + near - far, 0.0), reduction)
