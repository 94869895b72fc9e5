"""Layers: linear maps, embeddings, attention."""

from __future__ import annotations

import math

import numpy as np

from gradcli.diagnostics import GradcliError
from gradcli.graph import Node
from gradcli.ops.axes import matrix_transpose
from gradcli.ops.classes import classes
from gradcli.ops.comparison import eq
from gradcli.ops.contractions import matmul
from gradcli.ops.control import detach
from gradcli.ops.creation import rand
from gradcli.ops.diagonals import tril
from gradcli.ops.extremes import amax
from gradcli.ops.group import Group
from gradcli.ops.indexing import check_places, getitem
from gradcli.ops.kinds import cast
from gradcli.ops.selection import where
from gradcli.ops.shapes import normalize_axis, show
from gradcli.ops.shaping import expand, reshape, unsqueeze
from gradcli.ops.softmax import softmax
from gradcli.ops.table import Case, KnownIndex

table = Group("layer")


@table.function(
    cases=[
        Case("linear(x, w)", {"x": (2, 3), "w": (4, 3)}),
        Case("linear(x, w, b)", {"x": (2, 2, 3), "w": (2, 3), "b": (2,)}),
        Case("linear(x, w, b)", {"x": (2, 3), "w": (3,), "b": ()}),
    ],
    formula="input @ weight.T + bias",
)
def linear(input: Node, weight: Node, bias: Node | None = None) -> Node:
    """input (…, in) times weight (out, in), transposed, plus bias (out,)."""
    if not input.ndim or weight.ndim not in (1, 2) or input.shape[-1] != weight.shape[-1]:
        raise GradcliError(
            "shape",
            f"linear: input {show(input.shape)} and weight {show(weight.shape)} do not fit: "
            "(…, in) and (out, in) are expected",
        )
    product = matmul(input, weight if weight.ndim == 1 else matrix_transpose(weight))
    return product if bias is None else product + bias


@table.function(
    cases=[
        Case("embedding([[0, 2], [2, 1]], w)", {"w": (4, 3)}),
        Case("embedding([1, 0], w, padding_idx=3)", {"w": (4, 3)}),
    ],
    formula="weight[input]",
    kink="the row `padding_idx` gets no gradient",
    unlike={"torch.embedding": "F.embedding(…): the other has its arguments in another order"},
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


@table.function(
    cases=[Case("x * one_hot([0, 2], 3)"), Case("x * one_hot([2, 0])")],
    formula="input[..., None] == arange(num_classes)",
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


@table.function(
    cases=[
        Case(
            "scaled_dot_product_attention(q, k, x)", {"q": (2, 2, 3), "k": (2, 4, 3), "x": (4, 2)}
        ),
        Case(
            "scaled_dot_product_attention(q, k, x, is_causal=True, scale=0.3)",
            {"q": (3, 2), "k": (3, 2), "x": (3, 2)},
        ),
        Case(
            "scaled_dot_product_attention(q, k, x, m)",
            {"q": (2, 3), "k": (2, 3), "x": (2, 3), "m": (2, 2)},
        ),
        Case(
            "scaled_dot_product_attention(q, k, x, [[True, False], [True, True]])",
            {"q": (2, 3), "k": (2, 3), "x": (2, 3)},
        ),
        Case(
            "scaled_dot_product_attention(q, k, x, enable_gqa=True)",
            {"q": (4, 2, 3), "k": (2, 2, 3), "x": (2, 2, 3)},
        ),
        Case(
            "scaled_dot_product_attention(q, k, x, dropout_p=0.5)",
            {"q": (2, 3), "k": (2, 3), "x": (2, 3)},
        ),
    ],
    formula="softmax(query @ key.mT * scale + attn_mask) @ value",
    kink="a query without any key gives 0, and its gradient is 0",
)
def scaled_dot_product_attention(
    query: Node,
    key: Node,
    value: Node,
    attn_mask: Node | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Node:
    """Values (…, S, Ev) weighed by how queries (…, L, E) match keys (…, S, E).

    A mask of truth values selects keys, one of numbers is added; `scale` is 1/√E by default.
    """
    _check_attention(query, key, value, attn_mask, dropout_p, is_causal)
    if enable_gqa:
        key, value = _repeated_heads(query, key), _repeated_heads(query, value)
    factor = 1 / math.sqrt(max(query.shape[-1], 1)) if scale is None else scale
    scores = matmul(query * factor, matrix_transpose(key))
    if is_causal:
        attn_mask = tril(expand(query.graph.constant(True), scores.shape[-2:]))
    if attn_mask is None:
        weights = softmax(scores)
    else:
        scores = (
            where(attn_mask, scores, -math.inf) if attn_mask.kind == "bool" else scores + attn_mask
        )
        blind = eq(amax(scores, (-1,), True), -math.inf) if scores.size else scores
        weights = where(blind, 0.0, softmax(scores))
    if dropout_p:
        kept = rand(weights.graph, weights.shape) >= dropout_p
        weights = where(kept, weights / (1 - dropout_p) if dropout_p < 1 else 0.0, 0.0)
    return matmul(weights, value)


def _check_attention(
    query: Node, key: Node, value: Node, mask: Node | None, dropout_p: float, is_causal: bool
) -> None:
    """Raise `shape` where the three do not fit, `value` for other arguments."""
    fit = min(query.ndim, key.ndim, value.ndim) >= 2 and (
        query.shape[-1] == key.shape[-1] and key.shape[-2] == value.shape[-2]
    )
    if not fit:
        raise GradcliError(
            "shape",
            f"scaled_dot_product_attention: query {show(query.shape)}, key {show(key.shape)} and "
            f"value {show(value.shape)} do not fit: (…, L, E), (…, S, E), (…, S, Ev) are expected",
        )
    if mask is not None and is_causal:
        raise GradcliError(
            "value", "scaled_dot_product_attention: give attn_mask or is_causal, not both"
        )
    if not 0 <= dropout_p <= 1:
        raise GradcliError(
            "value", f"scaled_dot_product_attention: dropout_p is from 0 to 1, not {dropout_p:g}"
        )


def _repeated_heads(query: Node, x: Node) -> Node:
    """x (…, heads, S, E) with each head repeated for the queries that share it."""
    if min(query.ndim, x.ndim) < 3 or query.shape[-3] % x.shape[-3]:
        raise GradcliError(
            "shape",
            f"scaled_dot_product_attention: the heads (axis -3) of {show(query.shape)} are no "
            f"multiple of those of {show(x.shape)}",
        )
    times = query.shape[-3] // x.shape[-3]
    *lead, heads, rows, columns = x.shape
    repeated = expand(unsqueeze(x, -3), (*lead, heads, times, rows, columns))
    return reshape(repeated, (*lead, heads * times, rows, columns))
