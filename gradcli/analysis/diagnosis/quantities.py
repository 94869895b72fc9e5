"""Other quantities that the user's numbers may be: a value, another gradient, a Jacobian."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gradcli.analysis.diagnosis.claim import Claim
from gradcli.analysis.diagnosis.slips import VISITS, Consequence
from gradcli.analysis.diagnosis.typed import MISFITS
from gradcli.analysis.diagnosis.wording import Wording
from gradcli.differentiate import vjp
from gradcli.differentiate.forward import jvp
from gradcli.graph import CONSTANT, Node, ancestors
from gradcli.ops.elementwise import Elementwise
from gradcli.ops.joining import stack
from gradcli.ops.shaping import expand, reshape

ROWS = 64
"""Larger Jacobians are not tried."""
MOST = 150
"""The most nodes that are tried; of more, those nearest to the leaf and to the output."""


def quantities(claim: Claim, words: Wording) -> Iterator[Consequence]:
    """Everything that people confuse with the gradient of the leaf."""
    for found in (
        _vectors(claim), _product_of_derivatives(claim, words), _inside(claim, words),
        _intermediates(claim, words),
        _leaves(claim, words), _outputs(claim, words), _tangent(claim), _jacobian(claim),
        _second(claim), _values(claim, words),
    ):  # fmt: skip
        try:
            yield from found
        except MISFITS:  # not possible for this program
            continue


def _product_of_derivatives(claim: Claim, words: Wording) -> Iterator[Consequence]:
    """(a*b)' as a'*b', and (a/b)' as a'/b'."""
    moving = {claim.leaf, *claim.between}
    products = [
        node
        for node in claim.between
        if node.op.infix in ("*", "/")
        and node.shape == claim.leaf.shape
        and moving.issuperset(node.inputs)
        and node.inputs[0] is not node.inputs[1]
    ]
    products = _nearest(products, VISITS // (1 + len(claim.between)))
    changes = vjp(claim.walk.outputs, claim.walk.cotangents, products) if products else []
    one = claim.leaf.graph.constant(1.0)
    for node, change in zip(products, changes, strict=True):
        parts = [vjp([each], [one], [claim.leaf])[0] for each in node.inputs]
        (whole,) = vjp([node], [change], [claim.leaf]) if change is not None else [None]
        if change is not None and whole is not None and None not in parts:
            a, b = (part for part in parts if part is not None)
            is_product = node.op.infix == "*"
            wrong = claim.grad - whole + change * (a * b if is_product else a / b)
            rule = "product" if is_product else "quotient"
            text = f"{rule} rule: yours is the {rule} of the derivatives in {words.of(node)}"
            yield Consequence("product-rule", text, wrong)


def _vectors(claim: Claim) -> Iterator[Consequence]:
    walk = claim.walk
    if not walk.vectors:
        return
    title = " and ".join(walk.vectors)
    ones = [expand(claim.leaf.graph.constant(1.0), *node.shape) for node in walk.outputs]
    without = f"the gradient vector {title} was left out: it is the gradient for a vector of ones"
    yield from _by(claim, walk.outputs, ones, "gradient-vector", without)
    twice = [each * each for each in walk.cotangents]
    yield from _by(
        claim, walk.outputs, twice, "gradient-vector", f"the gradient vector {title} went in twice"
    )


def _inside(claim: Claim, words: Wording) -> Iterator[Consequence]:
    """f(g(x))' as f(g'(x)) or f'(g'(x)): the inner function replaced by its derivative."""
    moving = {claim.leaf, *claim.between}
    found = [
        node
        for node in claim.between
        if _is_function(node) and node.inputs[0] in moving and node.shape == claim.leaf.shape
    ]
    found = _nearest(found, VISITS // (1 + len(claim.between)))
    changes = vjp(claim.walk.outputs, claim.walk.cotangents, found) if found else []
    one = claim.leaf.graph.constant(1.0)
    for node, change in zip(found, changes, strict=True):
        (inner,) = vjp([node.inputs[0]], [one], [claim.leaf])
        if change is not None and inner is not None:
            wrong = claim.leaf.graph.apply(node.op, (inner, *node.inputs[1:]), node.attributes)
            text = f"{words.of(node)} is taken of the derivative of {words.of(node.inputs[0])}"
            rule = "the chain rule multiplies by it"
            yield Consequence("chain-inside", f"{text}: {rule}", change * wrong)
            (outer,) = vjp([wrong], [one], [inner])
            if outer is not None:
                text = f"the derivative of {words.of(node)} is taken at that of what is inside"
                yield Consequence("chain-inside", f"{text}: {rule}", change * outer)


def _is_function(node: Node) -> bool:
    """Whether a node is a function of one operand, or a power."""
    one = len(node.inputs) == 1 and not node.op.infix
    return isinstance(node.op, Elementwise) and (one or node.op.infix == "**")


def _intermediates(claim: Claim, words: Wording) -> Iterator[Consequence]:
    """Named ones first."""
    chosen = _nearest(sorted(claim.between, key=lambda node: not words.is_named(node)))
    grads = vjp(claim.walk.outputs, claim.walk.cotangents, chosen)
    for node, grad in zip(chosen, grads, strict=True):
        if grad is not None and node not in claim.walk.outputs:
            text = f"it is the gradient of {words.of(node)}, not of {claim.name}"
            yield Consequence("intermediate", text, grad, {"of": words.of(node)})


def _leaves(claim: Claim, words: Wording) -> Iterator[Consequence]:
    others = [leaf for leaf in claim.walk.problem.leaves.values() if leaf is not claim.leaf]
    grads = vjp(claim.walk.outputs, claim.walk.cotangents, others)
    for leaf, grad in zip(others, grads, strict=True):
        if grad is not None:
            text = f"it is the gradient of {words.of(leaf)}, not of {claim.name}"
            yield Consequence("other-leaf", text, grad, {"of": words.of(leaf)})


def _outputs(claim: Claim, words: Wording) -> Iterator[Consequence]:
    whole = len(claim.walk.outputs) == 1
    for node in _nearest(claim.between, VISITS // (1 + len(claim.between))):
        if whole and node in claim.walk.outputs:
            continue
        ones = expand(node.graph.constant(1.0), *node.shape)
        title = words.of(node)
        shown = title if node.size == 1 else f"sum({title})"
        outputs = ", ".join(claim.walk.problem.outputs)
        text = f"it is the gradient of {shown}, not of {outputs}: what comes after is left out"
        yield from _by(claim, [node], [ones], "other-output", text)


def _tangent(claim: Claim) -> Iterator[Consequence]:
    (output, *more), (cotangent, *_) = claim.walk.outputs, claim.walk.cotangents
    if more or output.shape != claim.leaf.shape or output.size == 1:
        return
    (tangent,) = jvp([output], [claim.leaf], [expand(cotangent, *output.shape)])
    if tangent is not None:
        yield Consequence(
            "jacobian-transposed", "it is J·v, not vᵀ·J: J is not transposed", tangent
        )


def _jacobian(claim: Claim) -> Iterator[Consequence]:
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


def _second(claim: Claim) -> Iterator[Consequence]:
    ones = expand(claim.leaf.graph.constant(1.0), *claim.leaf.shape)
    text = "it is the second derivative, not the first"
    yield from _by(claim, [claim.grad], [ones], "second-derivative", text)


def _values(claim: Claim, words: Wording) -> Iterator[Consequence]:
    for node in _nearest(ancestors(claim.walk.outputs)):
        if node.op is not CONSTANT and node.kind == "float":
            text = f"it is the value of {words.of(node)}, not a gradient"
            yield Consequence("value", text, node, {"of": words.of(node)})


def _by(
    claim: Claim, outputs: list[Node], cotangents: list[Node], code: str, message: str
) -> Iterator[Consequence]:
    (grad,) = vjp(outputs, cotangents, [claim.leaf])
    if grad is not None and grad is not claim.grad:
        yield Consequence(code, message, grad)


def _nearest(nodes: list[Node], most: int = MOST) -> list[Node]:
    """Of many nodes, the first and the last ones."""
    half = min(most, MOST) // 2
    return nodes if len(nodes) <= 2 * half else [*nodes[:half], *nodes[len(nodes) - half :]]
