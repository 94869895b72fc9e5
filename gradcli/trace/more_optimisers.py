"""`torch.optim`: optimisers that few programs use. The formulas are those of PyTorch's
documentation of each.
"""

from __future__ import annotations

import math

from gradcli.graph import Node
from gradcli.ops import FUNCTIONS
from gradcli.ops.kinds import zeros_like
from gradcli.trace.optimisers import METHODS, Method, Numbers, Optimisers, State
from gradcli.trace.special import Special


def _f(name: str, *operands: Node | float) -> Node:
    found: Node = FUNCTIONS[name].build(*operands)
    return found


def _moments(p: Node, g: Node, state: State, n: Numbers) -> tuple[Node, Node]:
    zero = zeros_like(p)
    m = state["m"] = state.get("m", zero) * n["beta1"] + g * (1 - n["beta1"])
    v = state["v"] = state.get("v", zero) * n["beta2"] + g * g * (1 - n["beta2"])
    return m, v


def _nadam(p: Node, g: Node, state: State, step: int, n: Numbers) -> Node:
    if n["weight_decay"]:
        g = g + p * n["weight_decay"]
    mu, after = (
        n["beta1"] * (1 - 0.5 * 0.96 ** (each * n["momentum_decay"])) for each in (step, step + 1)
    )
    before = state.get("product", p.graph.constant(1.0))
    product = state["product"] = before * mu
    m, v = _moments(p, g, state, n)
    scale = _f("sqrt", v / (1 - n["beta2"] ** step)) + n["eps"]
    own: Node = g * ((1 - mu) * n["lr"]) / (1.0 - product)
    ahead: Node = m * (after * n["lr"]) / (1.0 - product * after)
    return p - own / scale - ahead / scale


def _radam(p: Node, g: Node, state: State, step: int, n: Numbers) -> Node:
    if n["weight_decay"]:
        g = g + p * n["weight_decay"]
    m, v = _moments(p, g, state, n)
    unbiased = m / (1 - n["beta1"] ** step)
    rest = 1 - n["beta2"] ** step
    most = 2 / (1 - n["beta2"]) - 1
    length = most - 2 * step * n["beta2"] ** step / rest
    if length <= 5:
        return p - unbiased * n["lr"]
    rectified = math.sqrt((length - 4) * (length - 2) * most / ((most - 4) * (most - 2) * length))
    return p - unbiased * (n["lr"] * rectified * math.sqrt(rest)) / (_f("sqrt", v) + n["eps"])


def _rprop(p: Node, g: Node, state: State, _: int, n: Numbers) -> Node:
    size = state.get("size", zeros_like(p) + n["lr"])
    turned = _f("sign", g * state.get("before", zeros_like(p)))
    zero = zeros_like(p)
    factor = _f("where", turned > zero, zero + n["eta2"], _f("where", turned < zero,
                zero + n["eta1"], zero + 1.0))  # fmt: skip
    size = state["size"] = _f("clamp", size * factor, n["least"], n["most"])
    g = state["before"] = _f("where", turned < zero, zero, g)
    return p - _f("sign", g) * size


_ADAM: Numbers = {"beta1": 0.9, "beta2": 0.999, "eps": 1e-8, "weight_decay": 0.0}
MORE = {
    "NAdam": Method({"lr": 2e-3, **_ADAM, "momentum_decay": 4e-3}, _nadam),
    "RAdam": Method({"lr": 1e-3, **_ADAM}, _radam),
    "Rprop": Method({"lr": 1e-2, "eta1": 0.5, "eta2": 1.2, "least": 1e-6, "most": 50.0}, _rprop),
}
"""By the name of PyTorch's class."""


class MoreOptimisers:
    """The functions that make them, by the names of PyTorch's classes."""

    def __init__(self, optimisers: Optimisers) -> None:
        METHODS.update(MORE)
        self.functions: dict[str, Special] = {
            f"torch.optim.{name}": optimisers.maker(name) for name in MORE
        }
        self.methods: dict[str, Special] = {}
