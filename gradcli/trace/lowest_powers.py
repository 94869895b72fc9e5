"""Derivatives that are constant, which PyTorch follows on: those of x**2 by x twice, as powers of
0, and those of relu(x) and its like.

The derivative of a power has a power in it that is lower by 1, and only the one of a power of 0 is
known to be 0. So one more derivative requires grad than depends on something.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

from gradcli.graph import Node
from gradcli.ops import FUNCTIONS
from gradcli.ops.reductions import sum_
from gradcli.trace.values import Values

_POWERS = (FUNCTIONS["pow"].op, FUNCTIONS["square"].op)
_PIECEWISE = frozenset(
    f"{name}Backward0"
    for name in ("Relu", "LeakyRelu", "Hardtanh", "Hardsigmoid", "Hardshrink", "Softshrink",
                 "Threshold", "PreluKernel", "RreluWithNoise", "MaxPool2DWithIndices",
                 "MaxPool3DWithIndices")
)  # fmt: skip
"""Nodes of PyTorch's that keep on which piece an element lies."""


def followed(
    values: Values, node_name: Callable[[Node], str], derivative: Node, passed: Collection[Node]
) -> Node:
    """A constant derivative as PyTorch has it, where gradients have passed these nodes."""
    for node in passed:
        base = _base(node) or _of_pieces(values, node_name, node)
        if base is not None and base in passed:
            power: Node = FUNCTIONS["pow"].build(sum_(base), 0.0)
            return derivative * power
    return derivative


def _of_pieces(values: Values, node_name: Callable[[Node], str], node: Node) -> Node | None:
    """What a function of pieces looks at."""
    _, arguments, _ = values.made_by.get(node, ("", node.inputs, None))
    is_one = node_name(node) in _PIECEWISE and arguments and isinstance(arguments[0], Node)
    return arguments[0] if is_one else None


def _base(node: Node) -> Node | None:
    """What is raised to a power of 1 here: that itself, or a derivative of a square."""
    if node.op is _POWERS[0] and _exponent(node) == 1:
        return node.inputs[0]
    square = node.origin
    if square is None or square.op not in _POWERS or _exponent(square) != 2:
        return None
    return square.inputs[0] if square.inputs[0] in node.inputs else None


def _exponent(power: Node) -> float | None:
    if len(power.inputs) == 1:
        return 2.0
    known = power.inputs[1].known
    return None if known is None or known.size != 1 else float(known.reshape(()))
