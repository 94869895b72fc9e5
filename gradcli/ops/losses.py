"""Code for all losses: reductions, and checks of arguments."""

from __future__ import annotations

from gradcli.diagnostics import GradcliError, RefusedError
from gradcli.graph import Node
from gradcli.ops.reductions import mean, sum_
from gradcli.ops.shapes import broadcast, show

REDUCTIONS = ("mean", "sum", "none")
TINY = 9.999999960041972e-13
"""1e-12 in float32, as PyTorch adds it in float64 too."""
PAIR = {"x": (2, 3), "y": (2, 3)}
BROADCAST = {"x": (2, 3), "y": (3,)}


def slopes(*slopes: str) -> tuple[str, ...]:
    """Gradients of a loss, for each reduction, with weights or not, where the derivative of one
    element's loss is `slope`. A target with fewer axes stands for each row.
    """
    return tuple(
        form.format(slope)
        for slope in slopes
        for form in (
            "cotangent * ({}) / input.numel()",
            "cotangent * ({})",
            "sum(cotangent * ({}), dim=0)",
            "cotangent * weight * ({}) / sum(weight)",
            "cotangent * weight * ({}) / input.numel()",
            "cotangent * weight * ({})",
        )
    )


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
        raise RefusedError(
            ("ValueError", f"{reduction} is not a valid value for reduction"),
            "value",
            f"{name}: reduction is {names} or {known[-1]!r}, not {reduction!r}",
        )


def check_same_shape(name: str, what: str, node: Node, input: Node) -> None:
    """Raise `shape` unless the node has the input's shape."""
    if node.shape != input.shape:
        raise GradcliError(
            "shape",
            f"{name}: {what} has shape {show(node.shape)}, input {show(input.shape)}: they must "
            "be equal",
        )


def checked_difference(name: str, input: Node, target: Node) -> Node:
    """The difference of two tensors; the error that they do not broadcast names the loss."""
    broadcast(name, [input.shape, target.shape])
    return input - target
