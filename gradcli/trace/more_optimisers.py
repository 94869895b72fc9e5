"""`torch.optim`: optimisers that few programs use. The formulas are those of PyTorch's
documentation of each.
"""

from __future__ import annotations

import math

from gradcli.graph import Node
from gradcli.ops import FUNCTIONS
from gradcli.ops.kinds import zeros_like
from gradcli.trace.optimisers import METHODS, Method, Numbers, Optimisers, Rates, State
from gradcli.trace.special import Special


def _f(name: str, *operands: Node | float) -> Node:
    found: Node = FUNCTIONS[name].build(*operands)
    return found


def _after_decay(p: Node, g: Node, n: Numbers) -> tuple[Node, Node]:
    """A parameter and its grad, one of which has the decay of weights."""
    if n["decoupled_weight_decay"] and n["weight_decay"]:
        return p * (1 - n["lr"] * n["weight_decay"]), g
    return p, g + p * n["weight_decay"] if n["weight_decay"] else g


def _moments(p: Node, g: Node, state: State, n: Numbers) -> tuple[Node, Node]:
    zero = zeros_like(p)
    m = state["m"] = state.get("m", zero) * n["beta1"] + g * (1 - n["beta1"])
    v = state["v"] = state.get("v", zero) * n["beta2"] + g * g * (1 - n["beta2"])
    return m, v


def _ahead(step: int, n: Numbers) -> Rates:
    mu, after = (
        n["beta1"] * (1 - 0.5 * 0.96 ** (each * n["momentum_decay"])) for each in (step, step + 1)
    )
    rest = 1 - n["beta2"] ** step
    return {"mu": mu, "after": after, "rest": rest, "own": (1 - mu) * n["lr"],
            "ahead": after * n["lr"]}  # fmt: skip


def _nadam(p: Node, g: Node, state: State, rates: Rates, n: Numbers) -> Node:
    p, g = _after_decay(p, g, n)
    before = state.get("product", p.graph.constant(1.0))
    product = state["product"] = before * rates["mu"]
    m, v = _moments(p, g, state, n)
    scale = _f("sqrt", v / rates["rest"]) + n["eps"]
    own: Node = g * rates["own"] / (1.0 - product)
    ahead: Node = m * rates["ahead"] / (1.0 - product * rates["after"])
    return p - own / scale - ahead / scale


def _rectified(step: int, n: Numbers) -> Rates:
    rest = 1 - n["beta2"] ** step
    most = 2 / (1 - n["beta2"]) - 1
    length = most - 2 * step * n["beta2"] ** step / rest
    rates: Rates = {"bias": 1 - n["beta1"] ** step, "is_early": length <= 5, "size": n["lr"]}
    if length > 5:
        part = (length - 4) * (length - 2) * most / ((most - 4) * (most - 2) * length)
        rates["size"] = n["lr"] * math.sqrt(part) * math.sqrt(rest)
    return rates


def _radam(p: Node, g: Node, state: State, rates: Rates, n: Numbers) -> Node:
    p, g = _after_decay(p, g, n)
    m, v = _moments(p, g, state, n)
    change = m / rates["bias"] * rates["size"]
    return p - change if rates["is_early"] else p - change / (_f("sqrt", v) + n["eps"])


def _rprop(p: Node, g: Node, state: State, _: Rates, n: Numbers) -> Node:
    size = state.get("size", zeros_like(p) + n["lr"])
    turned = _f("sign", g * state.get("before", zeros_like(p)))
    zero = zeros_like(p)
    factor = _f("where", turned > zero, zero + n["eta2"], _f("where", turned < zero,
                zero + n["eta1"], zero + 1.0))  # fmt: skip
    size = state["size"] = _f("clamp", size * factor, n["least"], n["most"])
    g = state["before"] = _f("where", turned < zero, zero, g)
    return p - _f("sign", g) * size


def _slowing(step: int, n: Numbers) -> Rates:
    size = n["lr"] / (1 + n["lambd"] * n["lr"] * (step - 1)) ** n["alpha"]
    return {"size": size, "kept": 1 - n["lambd"] * size}


def _asgd(p: Node, g: Node, _: State, rates: Rates, n: Numbers) -> Node:
    if n["weight_decay"]:
        g = g + p * n["weight_decay"]
    return p * rates["kept"] - g * rates["size"]


_ADAM: Numbers = {"beta1": 0.9, "beta2": 0.999, "eps": 1e-8, "weight_decay": 0}
MORE = {
    "NAdam": Method({"lr": 2e-3, **_ADAM, "momentum_decay": 4e-3,
                     "decoupled_weight_decay": 0}, _nadam, _ahead),
    "ASGD": Method({"lr": 1e-2, "lambd": 1e-4, "alpha": 0.75, "t0": 1e6,
                    "weight_decay": 0}, _asgd, _slowing),
    "RAdam": Method({"lr": 1e-3, **_ADAM, "decoupled_weight_decay": 0}, _radam, _rectified),
    "Rprop": Method({"lr": 1e-2, "eta1": 0.5, "eta2": 1.2, "least": 1e-6, "most": 50}, _rprop),
}  # fmt: skip
"""By the name of PyTorch's class."""


class MoreOptimisers:
    """The functions that make them, by the names of PyTorch's classes."""

    def __init__(self, optimisers: Optimisers) -> None:
        METHODS.update(MORE)
        self.functions: dict[str, Special] = {
            f"torch.optim.{name}": optimisers.maker(name) for name in MORE
        }
        self.methods: dict[str, Special] = {}
