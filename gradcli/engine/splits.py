"""How the work of an op can be split along an axis: which part of each operand a part of the result
takes, or which parts leave something to be combined.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from gradcli.engine.regions import axes_of
from gradcli.graph import Node, Shape
from gradcli.ops.elementwise import Elementwise
from gradcli.ops.shaping import EXPAND, SUM_TO


@dataclass(frozen=True, slots=True)
class Split:
    """One way to split the work of a node. Axes are counted from the right."""

    axis: int | None
    """The axis of the result; None where each part leaves a summand, or what else `combine` says,
    of the shape of the result."""
    operands: tuple[int | None, ...]
    """The axis of each operand; None where every part takes all of it."""


def splits(node: Node) -> Iterator[Split]:
    """The ways to split a node's work: none for an op of which nothing is known."""
    rule = _each_element if isinstance(node.op, Elementwise) else RULES.get(node.op.name)
    if rule is None and node.op.combine:
        rule = _reduction
    return iter(()) if rule is None or not node.size else rule(node)


def _each_element(node: Node) -> Iterator[Split]:
    for axis in _axes(node.shape):
        yield Split(axis, tuple(axis if _has(x.shape, axis) else None for x in node.inputs))


def _reduction(node: Node) -> Iterator[Split]:
    (x,) = node.inputs
    axes = axes_of(node)
    aligned = node.op is SUM_TO or node.ndim == x.ndim
    for axis in _axes(x.shape):
        if axis not in axes:
            gone = 0 if aligned else sum(each > axis for each in axes)
            yield Split(axis + gone, (axis,))
        elif node.op.combine:
            yield Split(None, (axis,))


def _softmax(node: Node) -> Iterator[Split]:
    for axis in _axes(node.shape):
        if axis != node.attributes[0]:
            yield Split(axis, (axis,))


def _along_others(node: Node) -> Iterator[Split]:
    """Gathering and scattering along an axis: the places along the others are independent."""
    x, index = node.inputs
    for axis in _axes(index.shape):
        if axis != node.attributes[-1] and x.shape[axis] == node.shape[axis] == index.shape[axis]:
            yield Split(axis, (axis, axis))


def _permute(node: Node) -> Iterator[Split]:
    for i, axis in enumerate(node.attributes[0]):
        yield Split(i - node.ndim, (axis,))


def _reshape(node: Node) -> Iterator[Split]:
    """Axes that stay: as long as before, with as many elements in front of them."""
    (x,) = node.inputs
    before = {
        (math.prod(x.shape[:i]), length): i - x.ndim
        for i, length in enumerate(x.shape)
        if length > 1
    }
    for i, length in enumerate(node.shape):
        axis = before.get((math.prod(node.shape[:i]), length))
        if axis is not None:
            yield Split(i - node.ndim, (axis,))


def _product(node: Node) -> Iterator[Split]:
    """What repeats elements may be cut, not whole: NumPy copies it each time that it multiplies."""
    for split in _einsum(node) if node.op.name == "einsum" else _matmul(node):
        operands = zip(node.inputs, split.operands, strict=True)
        if all(axis is not None or x.op is not EXPAND for x, axis in operands):
            yield split


def _matmul(node: Node) -> Iterator[Split]:
    a, b = node.inputs
    if a.ndim > 2 or b.ndim > 2:
        yield from _matmul_of_batches(node)
        return
    if a.ndim == 2:
        yield Split(-b.ndim, (-2, None))
    if b.ndim == 2:
        yield Split(-1, (None, -1))
    yield Split(None, (-1, -b.ndim))


def _matmul_of_batches(node: Node) -> Iterator[Split]:
    a, b = node.inputs
    if min(a.ndim, b.ndim) > 1:
        yield Split(-2, (-2, None))
        for axis in range(-node.ndim, -2):
            if node.shape[axis] > 1:
                yield Split(axis, tuple(axis if _has(x.shape, axis) else None for x in (a, b)))
    elif b.ndim == 1:
        for axis in range(-a.ndim, -1):
            yield Split(axis + 1, (axis, None))


def _einsum(node: Node) -> Iterator[Split]:
    """Along any label, as each stands in two of the operands and the result, or in all three."""
    inputs, _, out = node.attributes[0].partition("->")
    parts = (out, *inputs.split(","))
    for label in dict.fromkeys("".join(parts)):
        axis, *operands = [x.index(label) - len(x) if label in x else None for x in parts]
        yield Split(axis, tuple(operands))


RULES: dict[str, Callable[[Node], Iterator[Split]]] = {
    "bind": _each_element,
    "cast": _each_element,
    "detach": _each_element,
    "einsum": _product,
    "expand": _each_element,
    "gather": _along_others,
    "logsumexp": _reduction,
    "matmul": _product,
    "norm": _reduction,
    "permute": _permute,
    "reshape": _reshape,
    "scatter_sum": _along_others,
    "softmax": _softmax,
    "var": _reduction,
}
"""By op, the ways to split it, where it is neither elementwise nor a plain reduction."""

SHAPED = frozenset(("expand", "reshape", "scatter_sum", "sum_to"))
"""Ops whose first attribute is the shape of the result."""


def _axes(shape: Shape) -> Iterator[int]:
    """The axes that have a length to split."""
    return (axis for axis in range(-len(shape), 0) if shape[axis] > 1)


def _has(shape: Shape, axis: int) -> bool:
    """Whether an operand goes along an axis of the result, rather than being repeated."""
    return len(shape) >= -axis and shape[axis] != 1
