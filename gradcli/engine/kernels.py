"""How NumPy computes a node."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from gradcli.engine.products import namespace
from gradcli.graph import Node
from gradcli.ops.elementwise import Elementwise

Kernel: TypeAlias = Callable[..., Any]
Runner: TypeAlias = tuple[Kernel, tuple[Any, ...], tuple[Any, ...], int]
"""What computes something: a call, what goes before and after the operands, and how many of the
operands it takes."""


def kernel(node: Node, namespace: Callable[[Node], Any] = namespace) -> Runner:
    """How NumPy computes a node. `namespace` says what stands for NumPy."""
    op = node.op
    if isinstance(op, Elementwise) and op.ufunc is not None:
        if op.by_number is not None and (quicker := op.by_number(node)) is not None:
            return quicker, (), (), 1
        return getattr(np, op.ufunc), (), (), len(node.inputs)
    if op.combine and node.graph.precision == "float64":
        return _reduction(node), (), (), 1
    return op.forward, (namespace(node),), attributes_of(node), len(node.inputs)


def bound(call: Kernel, before: tuple[Any, ...], after: tuple[Any, ...]) -> Kernel:
    """The call as one of its operands alone."""
    if not after:
        return partial(call, *before)
    return lambda *operands, **more: call(*before, *operands, *after, **more)


def attributes_of(node: Node) -> tuple[Any, ...]:
    """A node's attributes as its forward function takes them."""
    if node.op.typed:
        return (*node.attributes[:-1], node.graph.dtype(node.attributes[-1]))
    return node.attributes


def _reduction(node: Node) -> Kernel:
    """A sum, mean, product or extreme along axes, without the detour through `np.sum`."""
    axes, target = node.op.axes(node), node.shape
    reduce = getattr(np, node.op.combine).reduce
    if node.op.shaped:
        return lambda x: reduce(x, axes, None, None, True).reshape(target)
    keepdim = node.attributes[1]
    if not node.op.averages:
        return lambda x: reduce(x, axes, None, None, keepdim)
    shape = node.inputs[0].shape
    count = node.graph.dtype("float").type(math.prod(shape[axis] for axis in axes))
    return lambda x: reduce(x, axes, None, None, keepdim) / count


def kernel_into(node: Node) -> tuple[Kernel, int] | None:
    """A call `(*operands, out=…)` for an elementwise node and how many operands it takes, if there
    is one. Only a ufunc may be given an operand as `out`.
    """
    call, before, _, count = kernel(node)
    if not before:
        return call, count
    return None if node.op.into is None else (node.op.into, count)
