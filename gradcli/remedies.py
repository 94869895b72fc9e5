"""Rewrites of expressions that overflowed or have no derivative; they are finite in more cases.

Each is equal to what it replaces wherever that is finite. Whether it helps is found by trying it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias, TypeGuard

from gradcli.graph import INPUT, Node
from gradcli.ops.arithmetic import add, div, mul
from gradcli.ops.control import LEAF
from gradcli.ops.exponential import exp, log, log1p, xlogy
from gradcli.ops.kinds import CAST
from gradcli.ops.logistic import logsigmoid, sigmoid, softplus
from gradcli.ops.norms import norm
from gradcli.ops.powers import pow_, sqrt, square
from gradcli.ops.reductions import sum_
from gradcli.ops.selection import where
from gradcli.ops.shaping import expand, reshape
from gradcli.ops.softmax import log_softmax, logsumexp, softmax
from gradcli.ops.table import Function
from gradcli.simplify import number_of, rebuilt
from gradcli.walks import ancestors

Rewrite: TypeAlias = Callable[[Node], Node | None]


def remedies(outputs: Sequence[Node]) -> Iterator[tuple[str, Mapping[Node, Node]]]:
    """A rewrite in words, and the nodes that replace others."""
    nodes = ancestors(outputs)
    for words, rewrite in REWRITES.items():
        found = {node: other for node in nodes if _fits(other := rewrite(node), node)}
        if found:
            yield words, found


def _fits(other: Node | None, node: Node) -> TypeGuard[Node]:
    """Whether it can stand in the place of the node: an index must remain one."""
    return other is not None and (other.shape, other.kind) == (node.shape, node.kind)


def _is(node: Node, *functions: Function) -> bool:
    return any(node.op is function.op for function in functions)


def _squared(node: Node) -> Node | None:
    """The x of x**2, also where it is written as x*x."""
    if _is(node, square) or (_is(node, pow_) and number_of(node.inputs[1]) == 2):
        return node.inputs[0]
    if _is(node, mul) and node.inputs[0] is node.inputs[1]:
        return node.inputs[0]
    return None


def _norm(node: Node) -> Node | None:
    if not (_is(node, sqrt) and _is(node.inputs[0], sum_)):
        return None
    total = node.inputs[0]
    x = _squared(total.inputs[0])
    return None if x is None else norm(x, 2.0, *total.attributes)


def _logsumexp(node: Node) -> Node | None:
    if not (_is(node, log) and _is(node.inputs[0], sum_)):
        return None
    total = node.inputs[0]
    (exponential,) = total.inputs
    if not _is(exponential, exp):
        return None
    return logsumexp(exponential.inputs[0], *total.attributes)


def _softmax(node: Node) -> Node | None:
    """exp(x) / sum(exp(x), dim, keepdim=True)."""
    if not (_is(node, div) and _is(node.inputs[0], exp)):
        return None
    exponential, total = node.inputs
    while _is(total, reshape, expand):
        total = total.inputs[0]
    if not (_is(total, sum_) and total.inputs[0] is exponential) or len(total.attributes[0]) != 1:
        return None
    return softmax(exponential.inputs[0], total.attributes[0][0])


def _log_softmax(node: Node) -> Node | None:
    if not (_is(node, log) and _is(node.inputs[0], softmax)):
        return None
    weights = node.inputs[0]
    return log_softmax(weights.inputs[0], weights.attributes[0])


def _logsigmoid(node: Node) -> Node | None:
    if not (_is(node, log) and _is(node.inputs[0], sigmoid)):
        return None
    return logsigmoid(node.inputs[0].inputs[0])


def _softplus(node: Node) -> Node | None:
    """log(1 + exp(x))."""
    if _is(node, log1p) and _is(node.inputs[0], exp):
        return softplus(node.inputs[0].inputs[0])
    exponent = _one_plus_exp(node.inputs[0]) if _is(node, log) else None
    return None if exponent is None else softplus(exponent)


def _sigmoid(node: Node) -> Node | None:
    """1 / (1 + exp(-x))."""
    if not (_is(node, div) and number_of(node.inputs[0]) == 1):
        return None
    exponent = _one_plus_exp(node.inputs[1])
    return None if exponent is None else sigmoid(-exponent)


def _one_plus_exp(node: Node) -> Node | None:
    """The x of 1 + exp(x)."""
    if _is(node, add):
        for one, exponential in (node.inputs, node.inputs[::-1]):
            if number_of(one) == 1 and _is(exponential, exp):
                return exponential.inputs[0]
    return None


def _xlogy(node: Node) -> Node | None:
    if _is(node, mul):
        for factor, logarithm in (node.inputs, node.inputs[::-1]):
            if _is(logarithm, log):
                return xlogy(factor, logarithm.inputs[0])
    return None


def _where_for_mask(node: Node) -> Node | None:
    if _is(node, mul):
        for mask, value in (node.inputs, node.inputs[::-1]):
            if mask.op is CAST and mask.inputs[0].kind == "bool":
                return where(mask.inputs[0], value, 0.0)
    return None


def _double_where(node: Node) -> Node | None:
    """1 for the inputs of the branch that is not selected."""
    if not _is(node, where):
        return None
    condition, chosen, other = node.inputs
    leaves = [each for each in ancestors([chosen]) if each.op is INPUT or each.op is LEAF]
    alike = [x for x in leaves if (x.shape, x.kind) == (condition.shape, "float")]
    safe = {x: where(condition, x, 1.0) for x in alike}
    (inside,) = rebuilt([chosen], safe)
    return where(condition, inside, other) if inside is not chosen else None


REWRITES: dict[str, Rewrite] = {
    "norm(…) for sqrt(sum(…**2))": _norm,
    "logsumexp(…) for log(sum(exp(…)))": _logsumexp,
    "softmax(…) for exp(…) / sum(exp(…))": _softmax,
    "log_softmax(…) for log(softmax(…))": _log_softmax,
    "logsigmoid(…) for log(sigmoid(…))": _logsigmoid,
    "softplus(…) for log(1 + exp(…))": _softplus,
    "sigmoid(…) for 1 / (1 + exp(-…))": _sigmoid,
    "xlogy(a, b) for a * log(b)": _xlogy,
    "where(mask, …, 0) for mask * …": _where_for_mask,
    "where(c, f(where(c, x, 1)), …) for where(c, f(x), …)": _double_where,
}
"""Each rewrite in words: what to write for what."""
