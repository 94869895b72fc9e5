"""Unit vectors as seeds: a matrix that they meet first is not multiplied, its rows are taken.

The Jacobian of tanh(W @ x) is diag(1 - y²)·I·W: to multiply by the identity would take nearly all
of the time.
"""

from __future__ import annotations

from collections.abc import Sequence

from gradcli.graph import Node, ancestors, dependents
from gradcli.ops.axes import matrix_transpose
from gradcli.ops.contractions import MATMUL
from gradcli.ops.elementwise import Elementwise
from gradcli.tuples import NamedTuple


class FirstProduct(NamedTuple):
    """A product of a vector and a matrix through which alone a seed gets to the results."""

    product: Node
    vector: Node
    """Its operand that comes from the seed, element by element."""
    rows: Node
    """The matrix whose row k is the product for the vector that is 1 at k, and 0 elsewhere."""


def first_product(seed: Node, results: Sequence[Node]) -> FirstProduct | None:
    """The product that a seed meets first; None where it meets something else."""
    users: dict[Node, list[Node]] = {}
    order = ancestors(results)
    linked = dependents(order, [seed])
    for node in order:
        for operand in node.inputs:
            if operand in linked:
                users.setdefault(operand, []).append(node)
    at = seed
    while at not in results and len(users.get(at, ())) == 1:
        (user,) = users[at]
        if user.op is MATMUL:
            return _of(user, at)
        if not isinstance(user.op, Elementwise) or user.shape != at.shape:
            return None
        at = user
    return None


def _of(product: Node, vector: Node) -> FirstProduct | None:
    left, right = product.inputs
    if vector.ndim != 1 or product.ndim != 1:
        return None
    return FirstProduct(product, vector, right if left is vector else matrix_transpose(left))
