"""How NumPy computes a node."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from gradcli.engine.products import namespace
from gradcli.engine.regions import LARGE, axes_of
from gradcli.graph import Array, Node
from gradcli.ops.elementwise import Elementwise
from gradcli.ops.shaping import SUM_TO

Kernel: TypeAlias = Callable[..., Any]


def _cube(x: Array, out: Array | None = None) -> Array:
    square = np.multiply(x, x, out=out)
    return np.multiply(square, x, out=_array(square))


def _fourth(x: Array, out: Array | None = None) -> Array:
    square = np.multiply(x, x, out=out)
    return np.multiply(square, square, out=_array(square))


def _inverse_square(x: Array, out: Array | None = None) -> Array:
    inverse = np.reciprocal(x, out=out)
    return np.multiply(inverse, inverse, out=_array(inverse))


def _array(value: Any) -> Array | None:
    """Where the next product may go: into an array, but a single number is none."""
    return value if isinstance(value, np.ndarray) else None


INTEGERS = {4: np.int32, 8: np.int64}
"""By size in bytes, integers with the bits of floats."""


def _where(condition: Array, a: Array, b: Array, out: Array) -> None:
    """Bit by bit: NumPy's own has a branch for each element, slow on conditions without order."""
    bits = out.view(INTEGERS[out.itemsize])
    mask = np.negative(condition.view(np.int8), dtype=bits.dtype)  # all ones where it holds
    np.bitwise_xor(a.view(bits.dtype), b.view(bits.dtype), out=bits)
    np.bitwise_and(bits, mask, out=bits)
    np.bitwise_xor(bits, b.view(bits.dtype), out=bits)


def _scale(a: Array, b: Array, out: Array) -> None:
    np.multiply(a, b, out=out)
    nonzero = np.not_equal(a, 0)
    if not nonzero.all():
        bits = out.view(INTEGERS[out.itemsize])
        np.bitwise_and(bits, np.negative(nonzero.view(np.int8), dtype=bits.dtype), out=bits)


def _cast(x: Array, out: Array) -> None:
    np.copyto(out, x, casting="unsafe")


POWERS: dict[float, Kernel] = {
    -2.0: _inverse_square,
    -1.0: np.reciprocal,
    2.0: np.square,
    3.0: _cube,
    4.0: _fourth,
}
"""Exponents that are many times faster as products, and as exact; -2 within 2 ulp."""

INTO: dict[str, Kernel] = {"where": _where, "scale": _scale, "cast": _cast}
"""Functions that write into `out`, by op, where the op's own forward function would allocate."""


def kernel(
    node: Node, namespace: Callable[[Node], Any] = namespace
) -> tuple[Kernel, tuple[Any, ...], tuple[Any, ...], int]:
    """How NumPy computes a node: the call, what goes before and after the operands, and how many
    of the operands it takes. `namespace` says what stands for NumPy.
    """
    op = node.op
    if isinstance(op, Elementwise) and op.ufunc is not None:
        product = _as_product(node)
        if product is not None:
            return product, (), (), 1
        return getattr(np, op.ufunc), (), (), len(node.inputs)
    if op.combine and node.graph.precision == "float64":
        return _reduction(node), (), (), 1
    return op.forward, (namespace(node),), attributes_of(node), len(node.inputs)


def _as_product(node: Node) -> Kernel | None:
    """A power or a quotient by a constant as a product that is as exact, where that is faster."""
    if node.op.name not in ("pow", "div") or node.inputs[0].ndim != node.ndim:
        return None
    constant = node.inputs[1]
    if constant.known is None or constant.shape != ():
        return None
    if node.op.name == "pow":
        return POWERS.get(_looked_at(constant))
    # Small ones gain nothing, and to look at the number would tie the plan to it.
    if node.size < LARGE:
        return None
    mantissa, exponent = math.frexp(_looked_at(constant))
    if abs(mantissa) != 0.5 or abs(exponent) > 100:
        return None
    inverse = 1 / constant.known
    return lambda x, out=None: np.multiply(x, inverse, out=out)


def _looked_at(constant: Node) -> float:
    known = constant.graph.look(constant)
    assert known is not None
    return float(known)


def attributes_of(node: Node) -> tuple[Any, ...]:
    """A node's attributes as its forward function takes them."""
    if node.op.typed:
        return (*node.attributes[:-1], node.graph.dtype(node.attributes[-1]))
    return node.attributes


def _reduction(node: Node) -> Kernel:
    """A sum, mean, product or extreme along axes, without the detour through `np.sum`."""
    axes, target = axes_of(node), node.shape
    reduce = getattr(np, node.op.combine).reduce
    if node.op is SUM_TO:
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
    into = INTO.get(node.op.name)
    return None if into is None else (into, count)
