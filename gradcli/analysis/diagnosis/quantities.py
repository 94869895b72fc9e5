"""Other quantities that the user's numbers may be: a value, another gradient, a Jacobian."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gradcli.analysis.diagnosis.claim import Claim, close
from gradcli.analysis.diagnosis.slips import VISITS, Consequence, walked
from gradcli.analysis.diagnosis.typed import Tolerant
from gradcli.analysis.diagnosis.wording import Wording
from gradcli.differentiate import vjp
from gradcli.differentiate.forward import jvp
from gradcli.graph import CONSTANT, Node
from gradcli.ops.creation import ones_like
from gradcli.ops.elementwise import Elementwise
from gradcli.ops.joining import stack
from gradcli.ops.reductions import sum_
from gradcli.ops.shaping import expand, reshape
from gradcli.walks import ancestors

ROWS = 64
"""Larger Jacobians are not tried."""
MOST = 150
"""The most nodes that are tried; of more, those nearest to the leaf and to the output."""


def quantities(claim: Claim, words: Wording) -> Iterator[Consequence]:
    """Everything that people confuse with the gradient of the leaf."""
    for source in (
        _vectors, _products, _inside, _taken_as_leaf, _of_others, _outputs, _tangent, _jacobian,
        _second, _values,
    ):  # fmt: skip
        with Tolerant():  # where it is possible for the program
            yield from source(claim, words)


def _products(claim: Claim, words: Wording) -> Iterator[Consequence]:
    """(a*b)' as a'*b', and (a/b)' as a'/b'."""
    divided = [node for node in claim.between if node.op.infix in ("*", "/")]
    products = [node for node in divided if claim.moving.issuperset(node.inputs)]
    for node, change in _own_changes(claim, products):
        parts = [_slope(each, claim.leaf) for each in node.inputs]
        (whole,) = vjp([node], [change], [claim.leaf])
        if whole is not None and None not in parts and node.inputs[0] is not node.inputs[1]:
            wrong = claim.leaf.graph.apply(node.op, tuple(filter(None, parts)), node.attributes)
            rule = "product" if node.op.infix == "*" else "quotient"
            text = f"{rule} rule: yours is the {rule} of the derivatives in {words.of(node)}"
            yield Consequence("product-rule", text, claim.grad - whole + change * wrong)


def _inside(claim: Claim, words: Wording) -> Iterator[Consequence]:
    """f(g(x))' as f(g'(x)) or f'(g'(x)): the inner function replaced by its derivative."""
    elementwise = [node for node in claim.between if isinstance(node.op, Elementwise)]
    unary = [node for node in elementwise if len(node.inputs) == 1 and not node.op.infix]
    powers = [node for node in elementwise if node.op.infix == "**"]
    functions = [
        node
        for node in unary + powers
        if node.inputs[0] in claim.moving and node.inputs[0] is not claim.leaf
    ]  # of the leaf itself that is 1, and nobody takes anything of it
    for node, change in _own_changes(claim, functions):
        inner = _slope(node.inputs[0], claim.leaf)
        if inner is None:
            continue
        wrong = claim.leaf.graph.apply(node.op, (inner, *node.inputs[1:]), node.attributes)
        rule = "the chain rule multiplies by it"
        text = f"{words.of(node)} is taken of the derivative of {words.of(node.inputs[0])}: {rule}"
        yield Consequence("chain-inside", text, change * wrong)
        outer = _slope(wrong, inner)
        if outer is not None:
            text = f"the derivative of {words.of(node)} is taken at that of what is inside: {rule}"
            yield Consequence("chain-inside", text, change * outer)


def _taken_as_leaf(claim: Claim, words: Wording) -> Iterator[Consequence]:
    """What has a name, differentiated as if it were the leaf, which leads elsewhere, too."""
    named = [node for node in claim.between if words.is_named(node)]
    for node, change in _own_changes(claim, named):
        (whole,) = vjp([node], [change], [claim.leaf])
        if whole is not None and not close(claim.known(whole), claim.right, claim.rtol):
            text = f"the chain rule's factor, the derivative of {words.of(node)} by {claim.name}"
            yield Consequence("chain-factor", f"{text}, is missing", claim.grad - whole + change)


def _vectors(claim: Claim, _words: Wording) -> Iterator[Consequence]:
    walk = claim.walk
    title = " and ".join(walk.vectors)
    ones = [ones_like(node) for node in walk.outputs]
    twice = [each * each for each in walk.cotangents]
    told = "was left out: it is the gradient for a vector of ones"
    for cotangents, what in ((ones, told), (twice, "went in twice")) if title else ():
        text = f"the gradient vector {title} {what}"
        yield from walked(claim, walk.outputs, cotangents, "gradient-vector", text)


def _of_others(claim: Claim, words: Wording) -> Iterator[Consequence]:
    """Gradients of steps in between, named ones first, and of other leaves."""
    written = [node for node in claim.between if words.is_written(node)]
    between = _nearest(sorted(written, key=lambda node: not words.is_named(node)))
    leaves = [leaf for leaf in claim.walk.problem.leaves.values() if leaf is not claim.leaf]
    for node, grad in _changes(claim, [*between, *leaves]):
        if node not in claim.walk.outputs:
            code = "other-leaf" if node in leaves else "intermediate"
            text = f"it is the gradient of {words.of(node)}, not of {claim.name}"
            yield Consequence(code, text, grad, {"of": words.of(node)})
            if claim.leaf.size == 1 and node.size > 1 and node not in leaves:
                yield Consequence(code, f"{text}, summed", sum_(grad), {"of": words.of(node)})


def _outputs(claim: Claim, words: Wording) -> Iterator[Consequence]:
    outputs = claim.walk.outputs
    for node in _nearest(claim.between, VISITS // (1 + len(claim.between))):
        if [node] != outputs:
            shown = words.of(node) if node.size == 1 else f"sum({words.of(node)})"
            text = f"it is the gradient of {shown}, not of {', '.join(claim.walk.problem.outputs)}"
            text += ": what comes after is left out"
            yield from walked(claim, [node], [ones_like(node)], "other-output", text)


def _tangent(claim: Claim, _words: Wording) -> Iterator[Consequence]:
    (output, *more), (cotangent, *_) = claim.walk.outputs, claim.walk.cotangents
    if more or output.shape != claim.leaf.shape or output.size == 1:
        return
    (tangent,) = jvp([output], [claim.leaf], [expand(cotangent, *output.shape)])
    if tangent is not None:
        text = "it is J·v, not vᵀ·J: J is not transposed"
        yield Consequence("jacobian-transposed", text, tangent)


def _jacobian(claim: Claim, _words: Wording) -> Iterator[Consequence]:
    """The whole Jacobian, a row for each element of the only output."""
    (output, *more) = claim.walk.outputs
    if more or claim.mine.size != output.size * claim.leaf.size or not 1 < output.size <= ROWS:
        return
    graph = claim.leaf.graph
    units = np.eye(output.size, dtype=graph.dtype("float")).reshape(-1, *output.shape)
    rows = [vjp([output], [graph.constant(unit)], [claim.leaf])[0] for unit in units]
    known = [row for row in rows if row is not None]
    text = "it is the whole Jacobian: the gradient is its product with the gradient vector, vᵀ·J"
    yield Consequence("jacobian", text, reshape(stack(known), *claim.mine.shape))


def _second(claim: Claim, _words: Wording) -> Iterator[Consequence]:
    text = "it is the second derivative, not the first"
    yield from walked(claim, [claim.grad], [ones_like(claim.leaf)], "second-derivative", text)


def _values(claim: Claim, words: Wording) -> Iterator[Consequence]:
    for node in _nearest(ancestors(claim.walk.outputs)):
        if node.op is not CONSTANT and node.kind == "float":
            text = f"it is the value of {words.of(node)}, not a gradient"
            yield Consequence("value", text, node, {"of": words.of(node)})


def _own_changes(claim: Claim, nodes: list[Node]) -> Iterator[tuple[Node, Node]]:
    """Those of the leaf's shape, with their gradients."""
    found = [node for node in nodes if node.shape == claim.leaf.shape]
    return _changes(claim, _nearest(found, VISITS // (1 + len(claim.between))))


def _changes(claim: Claim, nodes: list[Node]) -> Iterator[tuple[Node, Node]]:
    """Nodes that have a gradient, with it."""
    grads = vjp(claim.walk.outputs, claim.walk.cotangents, nodes) if nodes else []
    return ((node, grad) for node, grad in zip(nodes, grads, strict=True) if grad is not None)


def _slope(of: Node, by: Node) -> Node | None:
    return vjp([of], [of.graph.constant(1.0)], [by])[0]


def _nearest(nodes: list[Node], most: int = MOST) -> list[Node]:
    """Of many nodes, the first and the last ones."""
    half = min(most, MOST) // 2
    return nodes if len(nodes) <= 2 * half else [*nodes[:half], *nodes[len(nodes) - half :]]
