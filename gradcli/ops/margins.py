"""Losses of margins and distances."""

from __future__ import annotations

from gradcli.diagnostics import GradcliError
from gradcli.graph import Node
from gradcli.ops.comparison import eq
from gradcli.ops.group import Group
from gradcli.ops.losses import BROADCAST, PAIR, TINY, checked_difference, reduce_loss
from gradcli.ops.norms import norm
from gradcli.ops.powers import sqrt
from gradcli.ops.reductions import sum_
from gradcli.ops.selection import clamp_min, minimum, where
from gradcli.ops.shapes import broadcast, show
from gradcli.ops.table import Case, Ranked

table = Group("loss")

MARGIN = "0 at the margin (the subgradient of least norm)"


@table.function(
    cases=[
        Case("hinge_embedding_loss(x, [1, -1, 1])"),
        Case("hinge_embedding_loss(x, [1, -1, -1], margin=0.3, reduction='none')"),
    ],
    formula="where(target == 1, input, maximum(0, margin - input))",
    kink=MARGIN,
    unlike={"torch.hinge_embedding_loss": "F.hinge_embedding_loss(…)"},
    autocast="float32",
)
def hinge_embedding_loss(
    input: Node, target: Node, margin: float = 1.0, reduction: str = "mean"
) -> Node:
    """input where target is 1, and maximum(0, margin - input) where target is -1."""
    broadcast("hinge_embedding_loss", [input.shape, target.shape])
    lacking = where(eq(target, 1.0), 0.0, clamp_min(margin - input, 0.0))
    itself = where(eq(target, -1.0), 0.0, input)
    return reduce_loss("hinge_embedding_loss", lacking + itself, reduction)


@table.function(
    cases=[
        Case("margin_ranking_loss(x, y, [1, -1, 1], margin=0.2)", PAIR),
        Case("margin_ranking_loss(x, y, 1, reduction='none')", {"x": (3,), "y": (3,)}),
    ],
    formula="maximum(0, -target * (input1 - input2) + margin)",
    kink=MARGIN,
    unlike={"torch.margin_ranking_loss": "F.margin_ranking_loss(…)"},
    demands={
        "input1, input2, target": Ranked(
            "margin_ranking_loss : All input tensors should have same dimension but got sizes: "
            "{sizes} "
        )
    },
    autocast="float32",
)
def margin_ranking_loss(
    input1: Node, input2: Node, target: Node, margin: float = 0.0, reduction: str = "mean"
) -> Node:
    """How much input1 is too small to be above input2 by the margin; below where target is -1."""
    difference = checked_difference("margin_ranking_loss", input1, input2)
    broadcast("margin_ranking_loss", [difference.shape, target.shape])
    loss = clamp_min(-target * difference + margin, 0.0)
    return reduce_loss("margin_ranking_loss", loss, reduction)


@table.function(
    cases=[
        Case("cosine_embedding_loss(x, y, [1, -1])", PAIR),
        Case("cosine_embedding_loss(x, y, -1, margin=-0.9)", {"x": (3,), "y": (3,)}),
    ],
    formula="where(target == 1, 1 - cos, maximum(0, cos - margin))",
    kink=MARGIN,
    unlike={"torch.cosine_embedding_loss": "F.cosine_embedding_loss(…)"},
    autocast="float32",
)
def cosine_embedding_loss(
    input1: Node, input2: Node, target: Node, margin: float = 0.0, reduction: str = "mean"
) -> Node:
    """1 minus the cosine of the angle between rows where target is 1; where it is -1, the part of
    the cosine that is above the margin.
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


@table.function(
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
    difference = checked_difference("pairwise_distance", x1, x2)
    return norm(difference + eps, p, (-1,), keepdim)


TRIPLE = {"a": (2, 3), "p": (2, 3), "n": (2, 3)}


@table.function(
    cases=[
        Case("triplet_margin_loss(a, p, n, margin=3)", TRIPLE),
        Case("triplet_margin_loss(a, p, n, 4, p=1, swap=True, reduction='none')", TRIPLE),
        Case("triplet_margin_loss(a, p, n, 3)", {"a": (3,), "p": (3,), "n": (3,)}),
    ],
    formula="maximum(0, dist(anchor, positive) - dist(anchor, negative) + margin)",
    kink=MARGIN,
    unlike={"torch.triplet_margin_loss": "F.triplet_margin_loss(…)"},
    autocast="float32",
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
    """How much the negative is too near to be farther away than the positive by the margin.

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


@table.function(
    cases=[Case("triplet_margin_with_distance_loss(a, p, n, margin=3, swap=True)", TRIPLE)],
    formula="maximum(0, dist(anchor, positive) - dist(anchor, negative) + margin)",
    kink=MARGIN,
)
def triplet_margin_with_distance_loss(
    anchor: Node,
    positive: Node,
    negative: Node,
    *,
    margin: float = 1.0,
    swap: bool = False,
    reduction: str = "mean",
) -> Node:
    """`triplet_margin_loss` with the distance that PyTorch takes if none is given."""
    return triplet_margin_loss(anchor, positive, negative, margin, swap=swap, reduction=reduction)
