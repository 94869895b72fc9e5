"""Attention."""

from __future__ import annotations

import math
from collections.abc import Sequence

from gradcli.diagnostics import GradcliError
from gradcli.graph import Node
from gradcli.ops.axes import matrix_transpose, transpose
from gradcli.ops.comparison import eq
from gradcli.ops.contractions import matmul
from gradcli.ops.creation import rand
from gradcli.ops.diagonals import tril
from gradcli.ops.extremes import amax
from gradcli.ops.group import Group
from gradcli.ops.indexing import getitem
from gradcli.ops.joining import cat
from gradcli.ops.layers import linear
from gradcli.ops.noise import dropout
from gradcli.ops.reductions import mean
from gradcli.ops.selection import where
from gradcli.ops.shapes import show
from gradcli.ops.shaping import expand, reshape, squeeze, unsqueeze
from gradcli.ops.softmax import softmax
from gradcli.ops.table import MAPPED, Alike, Case
from gradcli.ops.windows import padded

table = Group("layer")

SCORES = "query @ key.mT / sqrt(query.shape[-1])"
EARLIER = "tril(ones(query.shape[-2], key.shape[-2])) == 1"
ATTENTION = (
    (f"softmax({SCORES}, dim=-1)", "/ sqrt(query.shape[-1])"),
    (f"softmax({SCORES} + attn_mask, dim=-1)", "/ sqrt(query.shape[-1])"),
    (f"softmax(where(attn_mask, {SCORES}, -inf), dim=-1)", "/ sqrt(query.shape[-1])"),
    (f"softmax(where({EARLIER}, {SCORES}, -inf), dim=-1)", "/ sqrt(query.shape[-1])"),
    ("softmax(query @ key.mT * scale, dim=-1)", "* scale"),
    (f"softmax(where({EARLIER}, query @ key.mT * scale, -inf), dim=-1)", "* scale"),
)
"""The weights of the values, with and without a mask, and the factor of the scores."""
SCALES = "cotangent @ value.mT - sum(cotangent * result, dim=-1, keepdim=True)"
"""How much a score changes the loss, by the weight that it gives."""


@table.function(
    own_memory=True,
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
    gradients={
        "query": [f"({each} * ({SCALES})) @ key {factor}" for each, factor in ATTENTION],
        "key": [f"({each} * ({SCALES})).mT @ query {factor}" for each, factor in ATTENTION],
        "value": [
            text
            for each, _ in ATTENTION
            for text in (f"{each}.mT @ cotangent", f"sum({each}.mT @ cotangent, dim=0)")
        ],
    },
    demands={
        "query, key, value": Alike(
            "Expected query, key, and value to have the same dtype, but got "
            "query.dtype: {type} key.dtype: {other} and value.dtype: {other} instead."
        )
    },
    autocast="lower",
    order="first",
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
    lead = query.shape[:-2]
    if len(lead) > 1 and lead == key.shape[:-2] == value.shape[:-2] and not _is_deep(attn_mask):
        # With one axis for all products, an engine can take one after another.
        rows = [reshape(x, (math.prod(lead), *x.shape[-2:])) for x in (query, key, value)]
        found = scaled_dot_product_attention(*rows, attn_mask, dropout_p, is_causal, scale)
        return reshape(found, (*lead, *found.shape[-2:]))
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


def _is_deep(mask: Node | None) -> bool:
    """Whether a mask is not the same for all products."""
    return mask is not None and mask.ndim > 2


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


# --- in several heads ----------------------------------------------------------------------

MULTI_HEAD = {"x": (2, 1, 4), "w": (12, 4), "b": (12,), "o": (4, 4), "c": (4,)}
ARGUMENTS = "x, x, x, 4, 2, w, b, None, None, False, 0, o, c"


@table.function(
    cases=[
        Case(f"multi_head_attention_forward({ARGUMENTS})[0]", MULTI_HEAD),
        Case(
            f"multi_head_attention_forward({ARGUMENTS}, need_weights=False, attn_mask=[[0, 1], "
            "[0.5, 0]])[0]",
            MULTI_HEAD | {"x": (2, 4)},
        ),
        Case(
            "multi_head_attention_forward(x, x, x, 2, 1, None, None, k, k, True, 0, o, None, "
            "use_separate_proj_weight=True, q_proj_weight=o, k_proj_weight=o, v_proj_weight=o)[1]",
            {"x": (2, 1, 2), "k": (1, 1, 2), "o": (2, 2)},
        ),
    ],
    formula="heads of attention between projections, side by side, projected",
    demands={f"{each}, in_proj_weight": MAPPED for each in ("query", "key", "value")},
)
def multi_head_attention_forward(
    query: Node,
    key: Node,
    value: Node,
    embed_dim_to_check: int,
    num_heads: int,
    in_proj_weight: Node | None,
    in_proj_bias: Node | None,
    bias_k: Node | None,
    bias_v: Node | None,
    add_zero_attn: bool,
    dropout_p: float,
    out_proj_weight: Node,
    out_proj_bias: Node | None,
    training: bool = True,
    key_padding_mask: Node | None = None,
    need_weights: bool = True,
    attn_mask: Node | None = None,
    use_separate_proj_weight: bool = False,
    q_proj_weight: Node | None = None,
    k_proj_weight: Node | None = None,
    v_proj_weight: Node | None = None,
    static_k: Node | None = None,
    static_v: Node | None = None,
    average_attn_weights: bool = True,
    is_causal: bool = False,
) -> tuple[Node, Node | None]:
    """Attention of query (L[, batch], E) to key and value (S[, batch], …), and the weights
    ([batch,] L, S).

    in_proj_weight (3 * E, E) holds the three projections; True in a mask hides a key, numbers are
    added to the scores. Vaswani et al. 2017.
    """
    _check_heads(query, embed_dim_to_check, num_heads, is_causal and attn_mask is None)
    batched = query.ndim == 3
    rows = [each if batched else unsqueeze(each, 1) for each in (query, key, value)]
    weights = (
        [q_proj_weight, k_proj_weight, v_proj_weight]
        if use_separate_proj_weight
        else _thirds("in_proj_weight", in_proj_weight)
    )
    biases = [None] * 3 if in_proj_bias is None else _thirds("in_proj_bias", in_proj_bias)
    q, k, v = (_projected(*each) for each in zip(rows, weights, biases, strict=True))
    if bias_k is not None and bias_v is not None:
        k, v = (
            cat([each, expand(more, (1, *each.shape[1:]))])
            for each, more in ((k, bias_k), (v, bias_v))
        )
    batch = q.shape[1]
    heads = [_in_heads(each, num_heads) for each in (q, k, v)]
    fixed = (None, static_k, static_v)
    heads = [own if given is None else given for own, given in zip(heads, fixed, strict=True)]
    if add_zero_attn:
        heads[1:] = [padded(each, ((0, 1), (0, 0))) for each in heads[1:]]
    mask = _merged(attn_mask, key_padding_mask, heads[1].shape[-2], batch, num_heads)
    dropped = dropout_p if training else 0.0
    found, seen = _attended(heads, mask, dropped, need_weights)
    side_by_side = reshape(transpose(found, 0, 1), (query.shape[0], batch, embed_dim_to_check))
    result = linear(side_by_side, out_proj_weight, out_proj_bias)
    result = result if batched else squeeze(result, (1,))
    if seen is None:
        return result, None
    seen = reshape(seen, (batch, num_heads, *seen.shape[1:]))
    seen = mean(seen, (1,)) if average_attn_weights else seen
    return result, seen if batched else squeeze(seen, (0,))


def _attended(
    heads: Sequence[Node], mask: Node | None, dropout_p: float, need_weights: bool
) -> tuple[Node, Node | None]:
    """The values that each head attends to, and the weights if they are needed."""
    q, k, v = heads
    if not need_weights:
        return scaled_dot_product_attention(q, k, v, mask, dropout_p), None
    scores = matmul(q / math.sqrt(q.shape[-1]), matrix_transpose(k))
    weights = dropout(softmax(scores if mask is None else scores + mask), dropout_p)
    return matmul(weights, v), weights


def _check_heads(query: Node, width: int, heads: int, lacks_mask: bool) -> None:
    """Raise `shape` or `value` for arguments that do not fit."""
    name = "multi_head_attention_forward"
    if query.ndim not in (2, 3) or query.shape[-1] != width:
        raise GradcliError(
            "shape",
            f"{name}: query {show(query.shape)} is not (L[, batch], {width}), as "
            "embed_dim_to_check says",
        )
    if heads < 1 or width % heads:
        raise GradcliError("value", f"{name}: {heads} heads do not divide {width} features")
    if lacks_mask:
        raise GradcliError("value", f"{name}: is_causal needs the mask in attn_mask, too")


def _thirds(what: str, x: Node | None) -> Sequence[Node]:
    """The parts of a projection for query, key and value."""
    if x is None or not x.ndim or x.shape[0] % 3:
        raise GradcliError(
            "shape", f"multi_head_attention_forward: {what} is three projections, one after another"
        )
    return [getitem(x, [slice(i * x.shape[0] // 3, (i + 1) * x.shape[0] // 3)]) for i in range(3)]


def _projected(x: Node, weight: Node | None, bias: Node | None) -> Node:
    if weight is None:
        raise GradcliError(
            "value",
            "multi_head_attention_forward: use_separate_proj_weight needs q_proj_weight, "
            "k_proj_weight and v_proj_weight",
        )
    return linear(x, weight, bias)


def _in_heads(x: Node, heads: int) -> Node:
    """(S, batch, E) as (batch * heads, S, E / heads)."""
    length, batch, width = x.shape
    return transpose(reshape(x, (length, batch * heads, width // heads)), 0, 1)


def _merged(
    mask: Node | None, hidden: Node | None, count: int, batch: int, heads: int
) -> Node | None:
    """What is added to scores (batch * heads, L, S), for `count` keys: those that were put behind
    the given ones are seen by all.
    """
    merged = None if mask is None else _summand(mask, count)
    if hidden is None:
        return merged
    by_sample = reshape(_summand(hidden, count), (batch, 1, 1, count))
    by_head = reshape(expand(by_sample, (batch, heads, 1, count)), (batch * heads, 1, count))
    return by_head if merged is None else merged + by_head


def _summand(mask: Node, count: int) -> Node:
    added = where(mask, -math.inf, 0.0) if mask.kind == "bool" else mask
    return padded(added, ((0, count - mask.shape[-1]),))
