"""Rows of a table by their numbers."""

from __future__ import annotations

import math

import numpy as np

from gradcli.diagnostics import GradcliError
from gradcli.graph import Array, Node
from gradcli.ops.classes import classes, one_hot_of
from gradcli.ops.comparison import eq, ne
from gradcli.ops.control import detach
from gradcli.ops.extremes import argmax
from gradcli.ops.group import Group
from gradcli.ops.indexing import check_places, getitem, index_along
from gradcli.ops.kinds import cast
from gradcli.ops.reductions import sum_
from gradcli.ops.scattering import take_along_dim
from gradcli.ops.selection import clamp_min, where
from gradcli.ops.shapes import normalize_axis, show
from gradcli.ops.shaping import flatten, reshape, squeeze, unsqueeze
from gradcli.ops.table import Case, Demand, Index, KnownIndex, whole


def _indices(name: str) -> Demand:
    return whole(
        "Expected tensor for argument #1 'indices' to have one of the following scalar types: "
        f"Long, Int; but got torch.{{Type}}Tensor instead (while checking arguments for {name})"
    )


table = Group("layer")


@table.function(
    cases=[
        Case("embedding([[0, 2], [2, 1]], w)", {"w": (4, 3)}),
        Case("embedding([1, 0], w, padding_idx=3)", {"w": (4, 3)}),
    ],
    formula="weight[input]",
    kink="the row `padding_idx` gets no gradient",
    unlike={"torch.embedding": "F.embedding(…): the other has its arguments in another order"},
    demands={"input": _indices("embedding")},
)
def embedding(input: Node, weight: Node, padding_idx: int | None = None) -> Node:
    """The rows of weight (count, length) that the indices in `input` name."""
    if weight.ndim != 2:
        raise GradcliError(
            "shape",
            f"embedding: the weight is a matrix, a row for each index; this is "
            f"{show(weight.shape)}",
        )
    rows = classes(input, "embedding: input", weight.shape[0])
    found = getitem(weight, [rows])
    if padding_idx is None:
        return found
    padding = normalize_axis("embedding: padding_idx", padding_idx, weight.shape[0])
    is_padding = unsqueeze(eq(rows, float(padding + weight.shape[0])), -1)
    return where(is_padding, detach(found), found)


def _one_hot_by_book(input: Index, num_classes: int = -1) -> Node:
    """The classes are not looked at, so their count has to be given."""
    if num_classes < 1:
        raise GradcliError(
            "value",
            "one_hot: the count of classes depends on values here",
            hint="give it: one_hot(y, k)",
        )
    return one_hot_of(input, num_classes)


@table.function(
    cases=[Case("x * one_hot([0, 2], 3)"), Case("x * one_hot([2, 0])")],
    formula="input[..., None] == arange(num_classes)",
    by_book=_one_hot_by_book,
    demands={
        "input": whole("one_hot is only applicable to index tensor of type LongTensor.", "int64")
    },
)
def one_hot(input: KnownIndex, num_classes: int = -1) -> Node:
    """Integers (…, classes): 1 at the class in `input`, 0 elsewhere; -1 counts the classes."""
    count = num_classes
    if count == -1:
        known = input.graph.look(input)
        assert known is not None
        if not input.size:
            raise GradcliError(
                "value", f"one_hot: no classes in {show(input.shape)}; say how many there are"
            )
        count = int(known.max()) + 1
    if count < 1:
        raise GradcliError("value", f"one_hot: num_classes must be positive, not {count}")
    check_places(input.graph, "one_hot", count)
    found = classes(input, "one_hot: input", count)
    return cast(eq(unsqueeze(found, -1), input.graph.constant(np.arange(count))), "int")


BAGS = ("sum", "mean", "max")


@table.function(
    cases=[
        Case("embedding_bag([[0, 2], [2, 1]], w)", {"w": (3, 2)}),
        Case(
            "embedding_bag([0, 2, 2], w, [0, 0, 2], mode='sum', per_sample_weights=a)",
            {"w": (3, 2), "a": (3,)},
        ),
        Case("embedding_bag([0, 2, 1], w, [0, 2], mode='max', padding_idx=1)", {"w": (3, 2)}),
    ],
    formula="the sum, mean or maximum of weight[input] over each bag",
    kink="the row `padding_idx` counts for nothing; the first of equal elements gets all",
    unlike={"torch.embedding_bag": "F.embedding_bag(…): the other has another order of arguments"},
    demands=dict.fromkeys(("input, weight", "offsets"), _indices("embedding_bag")),
    overloaded=True,
)
def embedding_bag(
    input: Node,
    weight: Node,
    offsets: KnownIndex | None = None,
    *,
    mode: str = "mean",
    per_sample_weights: Node | None = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> Node:
    """One row for each bag of indices: a row of `input`, or the part of it from each offset on.

    `per_sample_weights`, in the shape of `input`, weigh the rows of a sum. A bag without indices
    gives 0.
    """
    if weight.kind == "int" and input.kind == "float":  # PyTorch's old order of arguments
        input, weight = weight, input
    _check_bags(input, weight, offsets, mode, per_sample_weights)
    places, inside = _bags(input, offsets, include_last_offset)
    rows = classes(flatten(input), "embedding_bag: input", weight.shape[0])
    found = getitem(weight, [rows])
    if per_sample_weights is not None:
        found = found * unsqueeze(flatten(per_sample_weights), -1)
    counts = input.graph.constant(inside)
    if padding_idx is not None:
        padding = normalize_axis("embedding_bag: padding_idx", padding_idx, weight.shape[0])
        is_row = ne(rows, float(padding + weight.shape[0]))
        counts = where(counts, index_along(is_row, -1, places), False)
    if not inside.size:
        return reshape(found * 0.0, (inside.shape[0], weight.shape[1]))
    return _of_bags(index_along(found, -2, places), unsqueeze(counts, -1), mode)


def _of_bags(taken: Node, counts: Node, mode: str) -> Node:
    """Bags (bags, most, length) as rows; what does not count is left out."""
    if mode == "max":
        held = where(counts, taken, -math.inf)
        best = take_along_dim(where(counts, taken, 0.0), argmax(held, -2, True), -2)
        return squeeze(best, (-2,))
    totals = sum_(where(counts, taken, 0.0), (-2,))
    return totals if mode == "sum" else totals / clamp_min(sum_(cast(counts, "float"), (-2,)), 1.0)


def _bags(input: Node, offsets: Node | None, include_last: bool) -> tuple[Node, Array]:
    """The places in the flat input of each bag's indices (bags, most), and which of them are its
    own: shorter bags are filled up.
    """
    if offsets is None:
        count, length = input.shape
        starts, ends = np.arange(count) * length, (np.arange(count) + 1) * length
    else:
        known = input.graph.look(offsets)
        assert known is not None, "the node is a constant"
        starts = np.asarray(known)
        ends = np.append(starts[1:], input.size)
        if include_last:
            starts, ends = starts[:-1], starts[1:]
        _check_offsets(starts, ends, input.size)
    most = int((ends - starts).max(initial=0))
    check_places(input.graph, "embedding_bag", most * len(starts))
    places = starts[:, None] + np.arange(most)
    inside = places < ends[:, None]
    return input.graph.constant(np.where(inside, places, 0)), inside


def _check_offsets(starts: Array, ends: Array, count: int) -> None:
    """Raise `value` unless bags follow each other within the input."""
    if starts.size and (starts[0] != 0 or (ends < starts).any() or ends[-1] > count):
        raise GradcliError(
            "value",
            f"embedding_bag: offsets begin with 0, and none is less than the one before or more "
            f"than {count}, the number of indices",
        )


def _check_bags(
    input: Node, weight: Node, offsets: Node | None, mode: str, weights: Node | None
) -> None:
    """Raise `shape` or `value` where the arguments do not belong together."""
    if weight.ndim != 2:
        raise GradcliError(
            "shape", f"embedding_bag: the weight is a matrix, not {show(weight.shape)}"
        )
    if input.ndim != (2 if offsets is None else 1) or (offsets is not None and offsets.ndim != 1):
        raise GradcliError(
            "shape",
            f"embedding_bag takes a matrix of indices, or a vector of them and one of offsets; "
            f"the input is {show(input.shape)}",
        )
    if mode not in BAGS:
        raise GradcliError("value", f"embedding_bag: mode is 'sum', 'mean' or 'max', not {mode!r}")
    if weights is not None and (mode != "sum" or weights.shape != input.shape):
        raise GradcliError(
            "value",
            f"embedding_bag: per_sample_weights {show(weights.shape)} need mode='sum' and the "
            f"shape of the input, {show(input.shape)}",
        )
