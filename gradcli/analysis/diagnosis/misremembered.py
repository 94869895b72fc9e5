"""Wrong derivatives of functions that people remember."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

from gradcli.analysis.diagnosis.wording import Wording
from gradcli.graph import Node
from gradcli.ops import FUNCTIONS

Derivative: TypeAlias = Callable[[Node, Node], Node]
"""From x and y = f(x)."""
Wrong: TypeAlias = tuple[str, Derivative]
"""The wrong derivative, as text and as nodes."""

_sin, _cos, _log, _sqrt = (FUNCTIONS[name].build for name in ("sin", "cos", "log", "sqrt"))

MISREMEMBERED: Mapping[str, tuple[Wrong, ...]] = {
    "tanh": (
        ("1 - {y}", lambda x, y: 1.0 - y),
        ("1 + {y}**2", lambda x, y: 1.0 + y * y),
        ("{y}**2", lambda x, y: y * y),
        ("1 - {x}**2", lambda x, y: 1.0 - x * x),
        ("{y}*(1 - {y})", lambda x, y: y * (1.0 - y)),
    ),
    "sigmoid": (
        ("{y}*(1 + {y})", lambda x, y: y * (1.0 + y)),
        ("1 - {y}", lambda x, y: 1.0 - y),
        ("1 - {y}**2", lambda x, y: 1.0 - y * y),
        ("{x}*(1 - {x})", lambda x, y: x * (1.0 - x)),
        ("{y}**2*(1 - {y})", lambda x, y: y * y * (1.0 - y)),
    ),
    "exp": (("{x}*exp({x} - 1)", lambda x, y: x * FUNCTIONS["exp"].build(x - 1.0)),),
    "log": (
        ("1/{x}**2", lambda x, y: 1.0 / (x * x)),
        ("-1/{x}**2", lambda x, y: -1.0 / (x * x)),
        ("{x}", lambda x, y: x),
    ),
    "sqrt": (
        ("1/(2*{x})", lambda x, y: 0.5 / x),
        ("1/{y}", lambda x, y: 1.0 / y),
        ("{y}/2", lambda x, y: 0.5 * y),
        ("-1/(2*{y})", lambda x, y: -0.5 / y),
        ("{x}/2", lambda x, y: 0.5 * x),
    ),
    "sin": (("sin({x})", lambda x, y: y),),
    "cos": (("cos({x})", lambda x, y: y),),
    "tan": (
        ("1/cos({x})", lambda x, y: 1.0 / _cos(x)),
        ("1 + tan({x})", lambda x, y: 1.0 + y),
        ("1/sin({x})**2", lambda x, y: 1.0 / (_sin(x) * _sin(x))),
    ),
    "atan": (
        ("1/(1 - {x}**2)", lambda x, y: 1.0 / (1.0 - x * x)),
        ("1/sqrt(1 + {x}**2)", lambda x, y: 1.0 / _sqrt(1.0 + x * x)),
        ("1/(1 + {x})", lambda x, y: 1.0 / (1.0 + x)),
    ),
    "asin": (
        ("1/(1 - {x}**2)", lambda x, y: 1.0 / (1.0 - x * x)),
        ("1/sqrt(1 + {x}**2)", lambda x, y: 1.0 / _sqrt(1.0 + x * x)),
    ),
    "reciprocal": (
        ("log({x})", lambda x, y: _log(x)),
        ("-1/{x}", lambda x, y: -y),
        ("1/{x}**2", lambda x, y: y * y),
    ),
    "softplus": (
        ("tanh({x})", lambda x, y: FUNCTIONS["tanh"].build(x)),
        ("1/(1 + exp({x}))", lambda x, y: FUNCTIONS["sigmoid"].build(-x)),
        ("{y}*(1 - {y})", lambda x, y: y * (1.0 - y)),
    ),
    "relu": (("{x}", lambda x, y: x),),
    "pow": (
        ("{n}*{x}**{n}", lambda x, y: y.inputs[1] * y),
        ("{x}**({n} + 1)/({n} + 1), the integral", lambda x, y: y * x / (y.inputs[1] + 1.0)),
        ("{n}*{x}**({n} - 2)", lambda x, y: y.inputs[1] * y / (x * x)),
    ),
}
"""By op; for a power the derivative by its base."""
BY_EXPONENT: tuple[Wrong, ...] = (
    ("{x}*{c}**({x} - 1)", lambda x, y: x * y / y.inputs[0]),
    ("{c}**{x}", lambda x, y: y),
)


def misremembered(node: Node, position: int, words: Wording) -> Iterator[Wrong]:
    """Wrong derivatives of a node by an operand of its shape: the text, and x and y to the node."""
    table = BY_EXPONENT if position else MISREMEMBERED.get(node.op.name, ())
    x, y, first, last = (
        _atom(words.of(each))
        for each in (node.inputs[position], node, node.inputs[0], node.inputs[-1])
    )
    for text, rule in table if node.op.name in MISREMEMBERED else ():
        yield text.format(x=x, y=y, c=first, n=last), rule


def _atom(text: str) -> str:
    """The text in parentheses, unless it is a name, a number or a call."""
    return text if re.fullmatch(r"[\w.]+(\([^()]*\))?", text) else f"({text})"
