"""What functions make of the real and the imaginary part of complex tensors."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gradcli.graph import Node
from gradcli.ops import f

Parts = tuple[Node, Node]
"""The real and the imaginary part."""
_MOST_PRODUCTS = 64
"""Up to here powers are products."""


def spread(node: Node, shape: Sequence[int]) -> Node:
    """The node in a shape that it broadcasts to."""
    return node if node.shape == tuple(shape) else f("expand", node, *shape)


def product(a: Parts, b: Parts) -> Parts:
    return a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]


def matrix_product(a: Parts, b: Parts) -> Parts:
    (ar, ai), (br, bi) = a, b
    return f("matmul", ar, br) - f("matmul", ai, bi), f("matmul", ar, bi) + f("matmul", ai, br)


def quotient(a: Parts, b: Parts) -> Parts:
    size = b[0] * b[0] + b[1] * b[1]
    real, imaginary = product(a, (b[0], -b[1]))
    return real / size, imaginary / size


def polar(size: Node, angle: Node) -> Parts:
    return size * f("cos", angle), size * f("sin", angle)


def absolute(a: Parts) -> Node:
    """The norm of both, whose derivative at 0 is 0, as PyTorch's is."""
    return f("norm", f("stack", a, dim=-1), 2, -1)


def product_of_all(a: Parts) -> Parts:
    """Of all elements: of halves, as long as there are two."""
    real, imaginary = (f("reshape", each, -1) for each in a)
    while real.size > 1:
        half = real.size // 2
        first, second, rest = (
            (f("narrow", real, 0, start, length), f("narrow", imaginary, 0, start, length))
            for start, length in ((0, half), (half, half), (2 * half, real.size - 2 * half))
        )
        real, imaginary = product(first, second)
        if rest[0].size:
            real, imaginary = (f("cat", pair) for pair in zip((real, imaginary), rest, strict=True))
    return f("reshape", real), f("reshape", imaginary)


def sign(a: Parts) -> Parts:
    """Of size 1, and 0 where that is."""
    size = absolute(a)
    is_zero = f("eq", size, 0.0)
    divisor = f("where", is_zero, f("ones_like", size), size)
    return a[0] / divisor, a[1] / divisor


def angle(a: Parts) -> Node:
    return f("atan2", a[1], a[0])


def power(a: Parts, exponent: float) -> Parts:
    if exponent.is_integer() and 0 < abs(exponent) <= _MOST_PRODUCTS:
        found = a
        for _ in range(int(abs(exponent)) - 1):
            found = product(found, a)
        constant = found[0].graph.constant
        return found if exponent > 0 else quotient((constant(1.0), constant(0.0)), found)
    return polar(absolute(a) ** exponent, angle(a) * exponent)


OF_PARTS: dict[str, Callable[[Parts], Parts]] = {
    "exp": lambda a: polar(f("exp", a[0]), a[1]),
    "log": lambda a: (f("log", absolute(a)), angle(a)),
    "sqrt": lambda a: power(a, 0.5),
    "square": lambda a: product(a, a),
    "reciprocal": lambda a: power(a, -1.0),
    "neg": lambda a: (-a[0], -a[1]),
    "conj": lambda a: (a[0], -a[1]),
    "sin": lambda a: (f("sin", a[0]) * f("cosh", a[1]), f("cos", a[0]) * f("sinh", a[1])),
    "cos": lambda a: (f("cos", a[0]) * f("cosh", a[1]), -f("sin", a[0]) * f("sinh", a[1])),
    "sinh": lambda a: (f("sinh", a[0]) * f("cos", a[1]), f("cosh", a[0]) * f("sin", a[1])),
    "cosh": lambda a: (f("cosh", a[0]) * f("cos", a[1]), f("sinh", a[0]) * f("sin", a[1])),
    "tan": lambda a: quotient(OF_PARTS["sin"](a), OF_PARTS["cos"](a)),
    "tanh": lambda a: quotient(OF_PARTS["sinh"](a), OF_PARTS["cosh"](a)),
    "sgn": sign,
    "positive": lambda a: a,
}
"""Functions that give a complex tensor, by name."""
REAL = {"abs": absolute, "absolute": absolute, "angle": angle}
"""Those that give a real one."""
OPERATORS: dict[str, Callable[[Parts, Parts], Parts]] = {
    "add": lambda a, b: (a[0] + b[0], a[1] + b[1]),
    "sub": lambda a, b: (a[0] - b[0], a[1] - b[1]),
    "mul": product,
    "truediv": quotient,
    "matmul": matrix_product,
}
