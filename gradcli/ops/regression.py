"""Losses of numbers against numbers: differences and likelihoods."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from gradcli.diagnostics import GradcliError
from gradcli.graph import Array, Node
from gradcli.language.construct import binary, call, number
from gradcli.language.syntax import Expression
from gradcli.ops.exponential import exp, log
from gradcli.ops.group import Group
from gradcli.ops.kinds import General
from gradcli.ops.losses import (
    BROADCAST,
    PAIR,
    check_same_shape,
    checked_difference,
    reduce_loss,
    slopes,
)
from gradcli.ops.reductions import FLOATS_TO_AVERAGE, sum_
from gradcli.ops.selection import abs_, where
from gradcli.ops.shapes import broadcast, show
from gradcli.ops.shaping import unsqueeze
from gradcli.ops.table import Case, everywhere, kernel

if TYPE_CHECKING:
    from gradcli.graph import ArrayNamespace

table = Group("loss")

# --- differences ---------------------------------------------------------------------------


@table.function(
    cases=[
        Case("mse_loss(x, y)", PAIR),
        Case("mse_loss(x, y, reduction='sum')", BROADCAST),
        Case("mse_loss(x, y, reduction='none')", PAIR),
        Case("mse_loss(x, y, weight=[[1, 2, 3], [1, 0, 2]])", PAIR),
    ],
    formula="mean((input - target)**2)",
    gradients={
        "input": slopes("2 * (input - target)"),
        "target": slopes("2 * (target - input)"),
    },
    demands={"input, target": kernel("mse_cpu")},
    autocast="float32",
    order="kept",
)
def mse_loss(
    input: Node, target: Node, reduction: str = "mean", weight: Node | None = None
) -> Node:
    """The squared difference; with `weight` its mean is over the weights' sum."""
    difference = checked_difference("mse_loss", input, target)
    return _weighted_mean("mse_loss", difference * difference, input, weight, reduction)


@table.function(
    cases=[
        Case("l1_loss(x, y)", PAIR),
        Case("l1_loss(x, y, reduction='none')", BROADCAST),
        Case("l1_loss(x, y, weight=[[1, 2, 3], [1, 0, 2]])", PAIR),
    ],
    formula="mean(abs(input - target))",
    elsewhere=everywhere("0", jax="1 (of jnp.abs)"),
    kink="0 where input and target are equal",
    gradients={
        "input": slopes("sign(input - target)"),
        "target": slopes("sign(target - input)"),
    },
    demands={"input, target": FLOATS_TO_AVERAGE._replace(only_with="reduction=mean")},
    autocast="float32",
)
def l1_loss(input: Node, target: Node, reduction: str = "mean", weight: Node | None = None) -> Node:
    """The size of the difference; with `weight` its mean is over the weights' sum."""
    size = abs_(checked_difference("l1_loss", input, target))
    return _weighted_mean("l1_loss", size, input, weight, reduction)


def _weighted_mean(name: str, loss: Node, input: Node, weight: Node | None, reduction: str) -> Node:
    if weight is None:
        return reduce_loss(name, loss, reduction)
    check_same_shape(name, "weight", weight, input)
    if reduction == "mean":
        return sum_(loss * weight) / sum_(weight)
    return reduce_loss(name, loss * weight, reduction)


@table.function(
    cases=[
        Case("smooth_l1_loss(x, y)", PAIR),
        Case("smooth_l1_loss(x, y, reduction='sum', beta=0.5)", BROADCAST),
        Case("smooth_l1_loss(x, y, beta=0)", PAIR),
    ],
    formula="where(abs(d) < beta, d**2 / (2 * beta), abs(d) - beta / 2)",
    gradients={
        "input": slopes("clamp((input - target) / beta, -1, 1)", "sign(input - target)"),
        "target": slopes("clamp((target - input) / beta, -1, 1)", "sign(target - input)"),
    },
    demands={"input, target": kernel("smooth_l1_cpu")},
    autocast="float32",
)
def smooth_l1_loss(input: Node, target: Node, reduction: str = "mean", beta: float = 1.0) -> Node:
    """A parabola for differences d below `beta`, then a line of slope 1."""
    if beta < 0:
        raise GradcliError("value", f"smooth_l1_loss: beta must not be negative, but is {beta:g}")
    difference = checked_difference("smooth_l1_loss", input, target)
    size = abs_(difference)
    if beta:
        parabola = difference * difference / (2 * beta)
        size = where(size < beta, parabola, size - beta / 2)
    return reduce_loss("smooth_l1_loss", size, reduction)


@table.function(
    cases=[
        Case("huber_loss(x, y)", PAIR),
        Case("huber_loss(x, y, reduction='none', delta=0.5)", BROADCAST),
        Case("huber_loss(x, y, weight=[[1, 2, 3], [1, 0, 2]])", PAIR),
    ],
    formula="where(abs(d) <= delta, d**2 / 2, delta * (abs(d) - delta / 2))",
    gradients={
        "input": slopes("clamp(input - target, -delta, delta)"),
        "target": slopes("clamp(target - input, -delta, delta)"),
    },
    demands={"input, target": kernel("huber_cpu")},
    autocast="float32",
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
    difference = checked_difference("huber_loss", input, target)
    size = abs_(difference)
    loss = where(size <= delta, difference * difference / 2, delta * (size - delta / 2))
    if weight is not None:
        check_same_shape("huber_loss", "weight", weight, input)
        loss = loss * weight
    return reduce_loss("huber_loss", loss, reduction)


# --- likelihoods ---------------------------------------------------------------------------


def _variance(xp: ArrayNamespace, x: Array, eps: float) -> Array:
    if (x < 0).any():
        raise GradcliError(
            "value",
            f"gaussian_nll_loss: var {show(x.shape)} holds {float(x[x < 0].flat[0]):g}, "
            "and a variance is not negative",
        )
    return xp.maximum(x, eps)  # type: ignore[no-any-return]


def _variance_spelled(node: Node, x: Expression) -> Expression:
    missing = binary("-", call("maximum", x, number(node.attributes[0])), x)
    return binary("+", x, call("detach", missing))


VARIANCE = General(
    "variance_at_least",
    infer=lambda x, eps: (x.shape, "float"),
    forward=_variance,
    refuses=True,
    adjoints=(lambda change, y, x, eps: change,),
    forward_rule=lambda tangents, y, x, eps: tangents[0],
    edge=lambda xp, x, eps: x - eps,
    spell=_variance_spelled,
)
"""A variance, raised to `eps` where it is less; the gradient does not see it, as in PyTorch."""


@table.function(
    takes_numbers=("var",),
    cases=[
        Case("gaussian_nll_loss(x, y, v)", PAIR | {"v": (2, 3)}, (0.3, 2.0)),
        Case("gaussian_nll_loss(x, y, v, full=True)", PAIR | {"v": (2,)}, (0.3, 2.0)),
        Case("gaussian_nll_loss(x, y, v, reduction='sum')", PAIR | {"v": (2, 1)}, (0.3, 2.0)),
        Case("gaussian_nll_loss(x, y, 0.7, reduction='none')", PAIR),
    ],
    formula="mean((log(var) + (input - target)**2 / var) / 2)",
    kink="a variance below `eps` counts as eps, with the derivative there",
    by_book=lambda input, target, var, full=False, eps=1e-6, reduction="mean": _normal_loss(
        input, target, _beside(input, var), full, reduction
    ),
    order="kept",
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
    held = var.graph.apply(VARIANCE, (_beside(input, var),), (eps,))
    return _normal_loss(input, target, held, full, reduction)


def _beside(input: Node, var: Node) -> Node:
    """Variances in a shape that broadcasts to the input's; raises `shape`."""
    if not var.shape or var.shape == input.shape:
        return var
    if var.shape == input.shape[:-1]:
        return unsqueeze(var, -1)
    _check_variance(input, var)
    return var


def _normal_loss(input: Node, target: Node, var: Node, full: bool, reduction: str) -> Node:
    difference = checked_difference("gaussian_nll_loss", input, target)
    loss = (log(var) + difference * difference / var) * 0.5
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


@table.function(
    cases=[
        Case("poisson_nll_loss(x, y)", PAIR),
        Case("poisson_nll_loss(x, y, log_input=False, reduction='sum')", BROADCAST, (0.3, 2.0)),
        Case("poisson_nll_loss(x, y, full=True, reduction='none')", PAIR, (1.2, 3.0)),
    ],
    formula="mean(exp(input) - target * input)",
    kink="with `full` the correction counts for a target above 1 only",
    unlike={"torch.poisson_nll_loss": "F.poisson_nll_loss(…)"},
    autocast="float32",
    order="kept",
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
