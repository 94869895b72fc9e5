"""Rules, for several ops, of how work is split along an axis: the part of each operand for a part
of the result, or parts whose results are combined.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from gradcli.graph import Node, Shape, Split


def ways(node: Node) -> Iterable[Split]:
    """The ways to split a node's work: none if the op has no rule."""
    rule = node.op.splits
    return () if rule is None or not node.size else rule(node)


def each_element(node: Node) -> Iterator[Split]:
    """Along any axis; operands that broadcast along it are taken whole."""
    for axis in axes_to_split(node.shape):
        yield Split(axis, tuple(axis if has(x.shape, axis) else None for x in node.inputs))


def reduction(node: Node) -> Iterator[Split]:
    """Along the axes that are kept; along the others where partial results can be combined."""
    (x,) = node.inputs
    axes = node.op.axes(node)
    aligned = node.op.shaped or node.ndim == x.ndim
    for axis in axes_to_split(x.shape):
        if axis not in axes:
            gone = 0 if aligned else sum(each > axis for each in axes)
            yield Split(axis + gone, (axis,))
        elif node.op.combine:
            yield Split(None, (axis,))


def along_others(node: Node) -> Iterator[Split]:
    """Gathering and scattering along an axis: the places along the others are independent."""
    x, index = node.inputs
    for axis in axes_to_split(index.shape):
        if axis != node.attributes[-1] and x.shape[axis] == node.shape[axis] == index.shape[axis]:
            yield Split(axis, (axis, axis))


def leading(node: Node, count: int) -> Iterator[Split]:
    """Along the axes in front of the last `count` ones of the operand, as the result has them."""
    (x,) = node.inputs
    for axis in axes_to_split(x.shape[: x.ndim - count]):
        yield Split(axis - count + x.ndim - node.ndim, (axis - count,))


def axes_to_split(shape: Shape) -> Iterator[int]:
    """The axes that have a length to split."""
    return (axis for axis in range(-len(shape), 0) if shape[axis] > 1)


def has(shape: Shape, axis: int) -> bool:
    """Whether an operand goes along an axis of the result, rather than being repeated."""
    return len(shape) >= -axis and shape[axis] != 1
