"""Losses of probabilities: cross entropies and divergences."""

from __future__ import annotations

from functools import reduce
from operator import sub
from typing import TYPE_CHECKING

import numpy as np

from gradcli.diagnostics import GradcliError, RefusedError
from gradcli.graph import Array, Node, Shape
from gradcli.ops.classes import classes, one_hot_of
from gradcli.ops.comparison import ne
from gradcli.ops.exponential import exp, log, log1p, xlogy
from gradcli.ops.group import Group
from gradcli.ops.indexing import getitem
from gradcli.ops.kinds import General, cast
from gradcli.ops.logistic import logaddexp, sigmoid
from gradcli.ops.losses import (
    REDUCTIONS,
    TINY,
    check_reduction,
    check_same_shape,
    reduce_loss,
    slopes,
)
from gradcli.ops.reductions import sum_
from gradcli.ops.scattering import gather
from gradcli.ops.selection import clamp_min, where
from gradcli.ops.shapes import broadcast, show
from gradcli.ops.shaping import reshape, squeeze, unsqueeze
from gradcli.ops.softmax import log_softmax, logsumexp, normalizers
from gradcli.ops.table import SCALAR, Alike, Case, Demand, kernel, whole

if TYPE_CHECKING:
    from gradcli.graph import ArrayNamespace

table = Group("loss")

ROWS = {"x": (2, 3)}
SURPLUS = "softmax(input, dim=1) - one_hot(target, input.shape[1])"
"""How much more probable the scores make each class than it is: the textbook's gradient of the
cross entropy (Bishop, Pattern Recognition and Machine Learning, 4.109).
"""
WEIGHED = "reshape(weight, input.shape[1], 1) * movedim(one_hot(target, input.shape[1]), -1, 1)"
SMOOTH = (
    "(1 - label_smoothing) * one_hot(target, input.shape[1]) + label_smoothing / input.shape[1]"
)
SOFT = (
    "reshape(weight, input.shape[1], 1)"
    " * ((1 - label_smoothing) * target + label_smoothing / input.shape[1])"
)


def _surplus(target: str) -> str:
    """`SURPLUS` for a target whose weights do not sum to 1."""
    return f"softmax(input, dim=1) * sum({target}, dim=1, keepdim=True) - {target}"


# --- one of several classes ----------------------------------------------------------------


def _nll_by_book(
    input: Node,
    target: Node,
    weight: Node | None = None,
    ignore_index: int = -100,
    reduction: str = "mean",
) -> Node:
    """No target is ignored, and all weigh the same."""
    if weight is not None or input.ndim > 2:
        return nll_loss(input, target, weight, ignore_index, reduction)
    _check_target("nll_loss", input, target)
    axis = _class_axis(input)
    return reduce_loss(
        "nll_loss", -sum_(one_hot_of(target, input.shape[axis]) * input, axis), reduction
    )


def _cross_entropy_by_book(
    input: Node,
    target: Node,
    weight: Node | None = None,
    ignore_index: int = -100,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Node:
    """logsumexp(z) minus the score of the target: no target is ignored, and all weigh the same."""
    if weight is not None or label_smoothing or not 1 <= input.ndim <= 2:
        return cross_entropy(input, target, weight, ignore_index, reduction, label_smoothing)
    axis = _class_axis(input)
    if target.shape == input.shape:
        losses = -sum_(target * (input - logsumexp(input, axis, True)), axis)
    else:
        _check_target("cross_entropy", input, target)
        right = one_hot_of(target, input.shape[axis])
        losses = logsumexp(input, axis) - sum_(right * input, axis)
    return reduce_loss("cross_entropy", losses, reduction)


@table.function(
    cases=[
        Case("nll_loss(x, [2, 0])", ROWS),
        Case("nll_loss(x, [2, 0], weight=[1, 2, 0.5], reduction='sum')", ROWS),
        Case("nll_loss(x, [1, 0], ignore_index=1, reduction='none')", ROWS),
        Case("nll_loss(x, 1)", {"x": (3,)}),
        Case("nll_loss(x, [[1, 0], [2, 2]], weight=w)", {"x": (2, 3, 2), "w": (3,)}, (0.3, 2.0)),
    ],
    formula="-weight[target] * input[target]",
    kink="an ignored target gets no gradient",
    gradients={
        "input": (
            "-(cotangent * one_hot(target, input.shape[1])) / input.shape[0]",
            "-(cotangent * one_hot(target, input.shape[0]))",
            "-(cotangent * weight * one_hot(target, input.shape[1]))",
            "-unsqueeze(cotangent * (target != ignore_index), 1) * one_hot(target, input.shape[1])",
            f"-(cotangent * ({WEIGHED})) / sum({WEIGHED})",
        ),
    },
    by_book=_nll_by_book,
    demands={
        "target": whole(
            "expected target dtype to be Long or Byte, but got {Type}", "int64", "uint8"
        ),
        "input, weight": SCALAR,
    },
    autocast="float32",
)
def nll_loss(
    input: Node,
    target: Node,
    weight: Node | None = None,
    ignore_index: int = -100,
    reduction: str = "mean",
) -> Node:
    """Minus the log-probability, in input ([batch,] classes, …), of the class in target."""
    return _nll("nll_loss", input, (), target, weight, ignore_index, reduction, 0.0)


@table.function(
    cases=[
        Case("cross_entropy(x, [2, 0])", ROWS),
        Case("cross_entropy(x, [2, 0], [1, 2, 0.5], label_smoothing=0.2)", ROWS),
        Case("cross_entropy(x, [1, 0], ignore_index=1, label_smoothing=0.1)", ROWS),
        Case("cross_entropy(x, 1, reduction='sum')", {"x": (3,)}),
        Case("cross_entropy(x, [[1, 0], [2, 2]], weight=w)", {"x": (2, 3, 2), "w": (3,)}),
        Case("cross_entropy(x, y)", {"x": (2, 3), "y": (2, 3)}),
        Case(
            "cross_entropy(x, y, w, reduction='none', label_smoothing=0.3)",
            {"x": (2, 3, 2), "y": (2, 3, 2), "w": (3,)},
        ),
    ],
    formula="-weight[target] * log_softmax(input)[target]",
    kink="an ignored target gets no gradient",
    gradients={
        "input": (
            f"cotangent * ({SURPLUS}) / input.shape[0]",
            f"cotangent * ({SURPLUS})",
            "cotangent * (softmax(input, dim=0) - one_hot(target, input.shape[0]))",
            f"unsqueeze(cotangent, 1) * ({SURPLUS})",
            f"cotangent * ({_surplus('target')}) / input.shape[0]",
            f"cotangent * ({_surplus(WEIGHED)}) / sum({WEIGHED})",
            (
                f"cotangent * ({_surplus(f'weight * ({SMOOTH})')})"
                " / sum(one_hot(target, input.shape[1]) @ weight)"
            ),
            (
                f"cotangent * unsqueeze(target != ignore_index, 1)"
                f" * (softmax(input, dim=1) - ({SMOOTH}))"
                " / sum(target != ignore_index)"
            ),
            f"unsqueeze(cotangent, 1) * ({_surplus(SOFT)})",
        ),
        "target": (
            "-(cotangent * log_softmax(input, dim=1)) / input.shape[0]",
            (
                "(label_smoothing - 1) * unsqueeze(cotangent, 1)"
                " * reshape(weight, input.shape[1], 1) * log_softmax(input, dim=1)"
            ),
        ),
    },
    by_book=_cross_entropy_by_book,
    demands={
        "target": whole(
            "expected target dtype to be Long or Byte, but got {Type}",
            "int64",
            "uint8",
            unless_like="input",
        )._replace(
            alike="Expected floating point type for target with class probabilities, got {Type}"
        ),
        "input": kernel("log_softmax_lastdim_kernel_impl"),
        "input, weight": SCALAR,
    },
    autocast="float32",
)
def cross_entropy(
    input: Node,
    target: Node,
    weight: Node | None = None,
    ignore_index: int = -100,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Node:
    """How far the scores in input ([batch,] classes, …) are from target.

    A target of the input's shape holds probabilities, any other one the index of a class.
    """
    if not 0 <= label_smoothing <= 1:
        raise GradcliError(
            "value", f"cross_entropy: label_smoothing is from 0 to 1, not {label_smoothing:g}"
        )
    if not input.ndim:
        raise GradcliError("shape", "cross_entropy: the input is (), and has no axis of classes")
    axis = _class_axis(input)
    if target.shape != input.shape:
        return _nll(
            "cross_entropy", input, normalizers(input, axis), target, weight, ignore_index,
            reduction, label_smoothing,
        )  # fmt: skip
    check_reduction("cross_entropy", reduction)
    count = input.shape[axis]
    if label_smoothing:
        target = target * (1 - label_smoothing) + label_smoothing / count
    logs = log_softmax(input, axis)
    losses = -sum_(_weighted("cross_entropy", logs, weight) * target, axis)
    if reduction == "mean":
        return sum_(losses) / float(losses.size)
    return reduce_loss("cross_entropy", losses, reduction)


def _nll(
    name: str,
    scores: Node,
    normalizers: tuple[Node, ...],
    target: Node,
    weight: Node | None,
    ignore_index: int,
    reduction: str,
    smoothing: float,
) -> Node:
    """The loss of the log-probabilities `scores` - `normalizers`, of which only those of the
    targets are computed where that is enough; `mean` is over the weights of the targets that count.
    """
    check_reduction(name, reduction)
    _check_target(name, scores, target)
    axis = _class_axis(scores)
    chosen = classes(target, f"{name}: target", scores.shape[axis], ignore_index)
    counts = ne(target, float(ignore_index))
    found = gather(scores, axis, unsqueeze(chosen, axis))
    losses = -squeeze(reduce(sub, normalizers, found), (axis,))
    importance = counts
    if weight is not None:
        _check_weight(name, scores, weight)
        weights = getitem(weight, [chosen])
        losses, importance = losses * weights, where(counts, weights, 0.0)
    if smoothing:
        logs = _weighted(name, reduce(sub, normalizers, scores), weight)
        losses = losses * (1 - smoothing) - sum_(logs, axis) * (
            smoothing / max(scores.shape[axis], 1)
        )
    losses = where(counts, losses, 0.0)
    if reduction != "mean":
        return reduce_loss(name, losses, reduction)
    return sum_(losses) / sum_(importance)


def _class_axis(x: Node) -> int:
    return 0 if x.ndim == 1 else 1


def _check_target(name: str, x: Node, target: Node) -> None:
    """Raise `shape` unless target is input without its axis of classes."""
    axis = _class_axis(x)
    wanted: Shape = (*x.shape[:axis], *x.shape[axis + 1 :])
    if not x.ndim or target.shape != wanted:
        also = f", or probabilities of {show(x.shape)}" if name == "cross_entropy" else ""
        raise RefusedError(
            _said_of_classes(x.shape, target.shape, wanted),
            "shape",
            f"{name}: input {show(x.shape)} and target {show(target.shape)} do not fit: class "
            f"indices of {show(wanted)}{also} are expected",
        )


def _said_of_classes(x: Shape, target: Shape, wanted: Shape) -> tuple[str, str]:
    """What PyTorch says of a target that does not fit."""
    if not x:
        return "ValueError", "Expected 1 or more dimensions (got 0)"
    count = target[0] if target else 0
    if len(x) > 1 and x[0] != count:
        return "ValueError", (
            f"Expected input batch_size ({x[0]}) to match target batch_size ({count})."
        )
    if len(x) == len(target) == 1:
        return "ValueError", (
            f"For 1D input, 1D target must have size 1, but got target size: {count}"
        )
    if len(x) < 3 and len(target) > 1:
        return "RuntimeError", "0D or 1D target tensor expected, multi-target not supported"
    if len(x) == 4 and len(target) != 3:
        return "RuntimeError", (
            "only batches of spatial targets supported (3D tensors) but got targets of dimension: "
            f"{len(target)}"
        )
    if len(x) < 3:
        return "RuntimeError", f"size mismatch (got input: {[*x]}, target: {[*target]})"
    return "RuntimeError", f"Expected target size {[*wanted]}, got {[*target]}"


def _weighted(name: str, logs: Node, weight: Node | None) -> Node:
    """Log-probabilities times the weight of their class."""
    if weight is None:
        return logs
    _check_weight(name, logs, weight)
    return logs * reshape(weight, (-1, *[1] * (logs.ndim - _class_axis(logs) - 1)))


def _check_weight(name: str, scores: Node, weight: Node) -> None:
    """Raise `shape` unless there is one weight for each class."""
    wanted = (scores.shape[_class_axis(scores)],)
    if weight.shape != wanted:
        said = (
            f"weight tensor should be defined either for all {wanted[0]} classes or no classes but "
            f"got weight tensor of shape: {[*weight.shape]}"
        )
        raise RefusedError(
            ("RuntimeError", said),
            "shape",
            f"{name}: weight {show(weight.shape)} does not fit input {show(scores.shape)}: one for "
            f"each class, {show(wanted)}, is expected",
        )


# --- yes or no -----------------------------------------------------------------------------


def _probabilities(xp: ArrayNamespace, x: Array, what: str) -> Array:
    wrong = (x < 0) | (x > 1)
    if wrong.any():
        raise GradcliError(
            "value",
            f"binary_cross_entropy: {what} {show(x.shape)} holds {float(x[wrong].flat[0]):g}, and "
            "a probability is from 0 to 1",
            hint="binary_cross_entropy_with_logits takes any numbers"
            if what == "input"
            else "cross_entropy takes the numbers of several classes",
        )
    return x


PROBABILITIES = General(
    "probabilities",
    infer=lambda x, _: (x.shape, "float"),
    forward=_probabilities,
    refuses=True,
    adjoints=(lambda change, y, x, _: change,),
    forward_rule=lambda tangents, y, x, _: tangents[0],
    view=True,
    spell=lambda node, x: x,
    cell="{0}",
)
"""x as it is; raises `value` unless it is from 0 to 1. Its attribute names what it is."""


def _bernoulli(xp: ArrayNamespace, x: Array, target: Array) -> Array:
    """Logarithms are at least -100, so that the loss of a wrong certainty is 100 and not inf."""
    yes, no = xp.maximum(xp.log(x), -100), xp.maximum(xp.log1p(-x), -100)
    return (target - 1) * no - target * yes  # type: ignore[no-any-return]


def _bernoulli_slope(y: Node, x: Node, target: Node) -> Node:
    """The derivative by x. If x is a sigmoid, 1 - x is another sigmoid, which keeps digits that x
    loses near 1; multiplied by the derivative of the sigmoid, the fraction cancels.
    """
    given = x.inputs[0] if x.op is PROBABILITIES else x
    if given.op is not sigmoid.op:
        return (x - target) / clamp_min((1 - x) * x, TINY)
    least = float(np.finfo(x.graph.dtype("float")).tiny)
    other = clamp_min(sigmoid(-given.inputs[0]), least)
    return (1 - target) / other - target / clamp_min(x, least)


bernoulli_nll = table.elementwise(
    "bernoulli_nll",
    "-target * log(x) - (1 - target) * log(1 - x), logarithms being -100 at least.",
    (
        _bernoulli_slope,
        lambda y, x, target: log1p(-x) - log(x),
    ),
    forward=_bernoulli,
    operands="x target",
    cuda="{T} yes = log({0}), no = log1p(-{0});"
    " return ({1} - 1) * (no < -100 ? -100 : no) - {1} * (yes < -100 ? -100 : yes);",
    latex=r"-{1} \ln {0} - (1 - {1}) \ln(1 - {0})",
    formula="-target * log(x) - (1 - target) * log(1 - x)",
    domain=(0.1, 0.9),
    kink="(x - target) / 1e-12 at 0 and 1",
    edge=lambda xp, x, target: x * (1 - x),
    cell="({1}-1)*IF({0}=1,-100,MAX(LN(1-{0}),-100))-{1}*IF({0}=0,-100,MAX(LN({0}),-100))",
)


def _bernoulli_by_book(
    input: Node, target: Node, weight: Node | None = None, reduction: str = "mean"
) -> Node:
    """Logarithms as they are."""
    loss = -(target * log(input) + (1 - target) * log(1 - input))
    return reduce_loss(
        "binary_cross_entropy", _times("binary_cross_entropy", loss, weight), reduction
    )


def _logits_by_book(
    input: Node,
    target: Node,
    weight: Node | None = None,
    reduction: str = "mean",
    pos_weight: Node | None = None,
) -> Node:
    """softplus(x) - y·x, the same as -y·log(σ(x)) - (1 - y)·log(1 - σ(x))."""
    name = "binary_cross_entropy_with_logits"
    if pos_weight is not None:
        return binary_cross_entropy_with_logits(input, target, weight, reduction, pos_weight)
    loss = logaddexp(input, 0.0) - target * input
    return reduce_loss(name, _times(name, loss, weight), reduction)


@table.function(
    cases=[
        Case("binary_cross_entropy(x, y)", {"x": (2, 3), "y": (2, 3)}, (0.1, 0.9)),
        Case("binary_cross_entropy(x, [0, 1, 1], [2, 1, 3], 'sum')", {"x": (3,)}, (0.1, 0.9)),
        Case("binary_cross_entropy(x, [0, 1, 1], reduction='none')", {"x": (3,)}, (0.1, 0.9)),
    ],
    formula="-weight * (target * log(input) + (1 - target) * log(1 - input))",
    kink="(input - target) / 1e-12 where input is 0 or 1",
    gradients={
        "input": slopes("(input - target) / (input * (1 - input))"),
        "target": slopes("log(1 - input) - log(input)"),
    },
    by_book=_bernoulli_by_book,
    demands={"input, target": Alike("Found dtype {Other} but expected {Type}")},
    autocast="float32",
)
def binary_cross_entropy(
    input: Node, target: Node, weight: Node | None = None, reduction: str = "mean"
) -> Node:
    """How far the probabilities in input are from target; logarithms are -100 at least."""
    name = "binary_cross_entropy"
    check_same_shape(name, "target", target, input)
    input = cast(input, "float")
    given, wanted = (
        each.graph.apply(PROBABILITIES, (each,), (what,))
        for each, what in ((input, "input"), (cast(target, "float"), "target"))
    )
    loss = bernoulli_nll(given, wanted)
    return reduce_loss(name, _times(name, loss, weight), reduction)


@table.function(
    cases=[
        Case("binary_cross_entropy_with_logits(x, y)", {"x": (2, 3), "y": (2, 3)}),
        Case(
            "binary_cross_entropy_with_logits(x, [0, 1, 1], [2, 1, 3], 'sum', [1, 2, 3])",
            {"x": (3,)},
        ),
        Case(
            "binary_cross_entropy_with_logits(x, y, reduction='none', pos_weight=w)",
            {"x": (2, 3), "y": (2, 3), "w": (3,)},
        ),
    ],
    formula="binary_cross_entropy(sigmoid(input), target)",
    by_book=_logits_by_book,
    unlike={"torch.binary_cross_entropy_with_logits": "F.binary_cross_entropy_with_logits(…)"},
    gradients={
        "input": slopes(
            "sigmoid(input) - target",
            "(1 - target) * sigmoid(input) - pos_weight * target * sigmoid(-input)",
        ),
        "target": slopes("-input", "(pos_weight - 1) * softplus(-input) - input"),
        "pos_weight": slopes("target * softplus(-input)"),
    },
    demands={"target": Demand("result type Float can't be cast to the desired output type {Type}")},
    autocast="float32",
    order="kept",
)
def binary_cross_entropy_with_logits(
    input: Node,
    target: Node,
    weight: Node | None = None,
    reduction: str = "mean",
    pos_weight: Node | None = None,
) -> Node:
    """`binary_cross_entropy` of sigmoid(input) without overflow; `pos_weight` weighs positive
    targets.
    """
    name = "binary_cross_entropy_with_logits"
    check_same_shape(name, "target", target, input)
    softplus = logaddexp(-input, 0.0)
    if pos_weight is not None:
        broadcast(name, [input.shape, pos_weight.shape])
        softplus = ((pos_weight - 1) * target + 1) * softplus
    loss = (1 - target) * input + softplus
    return reduce_loss(name, _times(name, loss, weight), reduction)


def _times(name: str, loss: Node, weight: Node | None) -> Node:
    if weight is None:
        return loss
    broadcast(name, [loss.shape, weight.shape])
    return loss * weight


# --- distributions -------------------------------------------------------------------------


@table.function(
    cases=[
        Case("kl_div(x, y)", {"x": (2, 3), "y": (2, 3)}, (0.1, 0.9)),
        Case("kl_div(x, y, reduction='batchmean')", {"x": (2, 3), "y": (2, 3)}, (0.1, 0.9)),
        Case("kl_div(x, y, 'none', log_target=True)", {"x": (2, 3), "y": (3,)}),
    ],
    formula="mean(target * (log(target) - input))",
    kink="at a target of 0 the derivative by it is nan, like that of xlogy",
    unlike={"torch.kl_div": "F.kl_div(…)", "scipy.special.kl_div": "xlogy(x, x / y) - x + y"},
    gradients={
        "input": (*slopes("-target", "-exp(target)"), "-(cotangent * target) / input.shape[0]"),
        "target": (
            *slopes("log(target) + 1 - input", "exp(target) * (target + 1 - input)"),
            "cotangent * (log(target) + 1 - input) / input.shape[0]",
        ),
    },
    demands=dict.fromkeys(("input", "target"), Demand("kl_div: Integral inputs not supported.")),
    autocast="float32",
    order="kept",
)
def kl_div(input: Node, target: Node, reduction: str = "mean", log_target: bool = False) -> Node:
    """The divergence of the distribution in target from the one whose logarithm is input.

    'batchmean' divides the sum by the length of axis 0; `log_target` says target is a logarithm.
    """
    check_reduction("kl_div", reduction, (*REDUCTIONS, "batchmean"))
    broadcast("kl_div", [input.shape, target.shape])
    loss = exp(target) * (target - input) if log_target else xlogy(target, target) - target * input
    if reduction != "batchmean":
        return reduce_loss("kl_div", loss, reduction)
    return sum_(loss) / float(input.shape[0]) if input.shape else sum_(loss)
