"""`torch.optim`: optimisers that few programs use. The formulas are those of PyTorch's
documentation of each.
"""

from __future__ import annotations

import math
from functools import partial
from typing import NoReturn

import numpy as np

from gradcli.diagnostics import GradcliError
from gradcli.graph import Node
from gradcli.ops import f
from gradcli.ops.kinds import zeros_like
from gradcli.trace.optimisers import (
    Method,
    Numbers,
    Optimisers,
    Rates,
    State,
    after_decay,
    moments,
)
from gradcli.trace.special import Special


def _ahead(step: int, n: Numbers) -> Rates:
    mu, after = (
        n["beta1"] * (1 - 0.5 * 0.96 ** (each * n["momentum_decay"])) for each in (step, step + 1)
    )
    rest = 1 - n["beta2"] ** step
    return {"mu": mu, "after": after, "rest": rest, "own": (1 - mu) * n["lr"],
            "ahead": after * n["lr"]}  # fmt: skip


def _nadam(p: Node, g: Node, state: State, rates: Rates, n: Numbers) -> Node:
    p, g = after_decay(p, g, rates, n)
    before = state.get("mu_product", p.graph.constant(1.0))
    product = state["mu_product"] = before * rates["mu"]
    m, v = moments(p, g, state, n)
    scale = f("sqrt", v / rates["rest"]) + n["eps"]
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
    p, g = after_decay(p, g, rates, n)
    m, v = moments(p, g, state, n)
    change = m / rates["bias"] * rates["size"]
    return p - change if rates["is_early"] else p - change / (f("sqrt", v) + n["eps"])


def _rprop(p: Node, g: Node, state: State, _: Rates, n: Numbers) -> Node:
    zero = zeros_like(p)
    turned = f("sign", g * state.get("prev", zero))
    size = state.get("step_size", zero + n["lr"])
    factor = f("where", turned > zero, zero + n["eta2"], f("where", turned < zero,
                zero + n["eta1"], zero + 1.0))  # fmt: skip
    g = state["prev"] = f("where", turned < zero, zero, g)
    size = state["step_size"] = f("clamp", size * factor, n["least"], n["most"])
    return p - f("sign", g) * size


def _slowing(step: int, n: Numbers) -> Rates:
    """What the next step has, and the weights of this one and of the next in the mean."""
    eta = n["lr"] / (1 + n["lambd"] * n["lr"] * step) ** n["alpha"]
    own, ahead = (1 / max(1, each - n["t0"]) for each in (step - 1, step))
    return {"eta": eta, "own": own, "mu": ahead}


def _asgd(p: Node, g: Node, state: State, rates: Rates, n: Numbers) -> Node:
    if n["weight_decay"]:
        g = g + p * n["weight_decay"]
    eta = state.get("eta", p.graph.constant(n["lr"]))
    p = p * (1.0 - eta * n["lambd"]) - g * eta
    mean = state.get("ax", zeros_like(p))
    for name in ("eta", "mu"):
        rate = rates[name]
        state[name] = rate if isinstance(rate, Node) else p.graph.constant(rate)
    state["ax"] = p if rates["own"] == 1.0 else mean + (p - mean) * rates["own"]
    return p


def _shrinking(step: int, n: Numbers) -> Rates:
    return {"new": step ** n["beta2_decay"], "size": min(n["lr"], step**-0.5)}


def _adafactor(p: Node, g: Node, state: State, rates: Rates, n: Numbers) -> Node:
    """Shazeer and Stern 2018: of a matrix, the squares are kept by rows and by columns."""
    eps: float = n["eps1"]
    if math.isnan(eps):
        eps = float(np.finfo(p.graph.dtype("float")).eps)
    size = f("maximum", _root_of_mean(p), p.graph.constant(n["eps2"])) * rates["size"]
    if n["weight_decay"]:
        p = p * rates["kept"]

    def kept(name: str, new: Node) -> Node:
        before = state.get(name, zeros_like(new))
        state[name] = before + (new - before) * rates["new"]
        return state[name]

    if g.ndim > 1:
        rows = kept("row_var", _mean(g * g, -1))
        columns = kept("col_var", _mean(g * g, -2))
        square = f("matmul", rows, columns) / f("clamp_min", _mean(rows, -2), eps)
    else:
        square = kept("variance", g * g)
    change = g / f("sqrt", f("clamp_min", square, eps * eps))
    scale = f("clamp_min", _root_of_mean(change) / n["d"], 1.0)
    return p - change * (size / scale)


def _mean(x: Node, axis: int) -> Node:
    return f("mean", x, (axis % x.ndim,), keepdim=True)


def _root_of_mean(x: Node) -> Node:
    return f("sqrt", f("mean", x * x))


_BETAS = {"betas": (0.9, 0.999), "eps": 1e-8, "weight_decay": 0}
_FLAGS = {"maximize": False, "foreach": None, "capturable": False, "differentiable": False}
MORE = {
    "NAdam": Method(
        {"lr": 2e-3, **_BETAS, "momentum_decay": 4e-3, "decoupled_weight_decay": False, **_FLAGS},
        _nadam, _ahead),
    "RAdam": Method(
        {"lr": 1e-3, **_BETAS, "maximize": False, "foreach": None, "capturable": False,
         "decoupled_weight_decay": False, "differentiable": False},
        _radam, _rectified, positional=("lr", *_BETAS, "decoupled_weight_decay")),
    "ASGD": Method(
        {"lr": 1e-2, "lambd": 1e-4, "alpha": 0.75, "t0": 1e6, "weight_decay": 0, "foreach": None,
         "maximize": False, "differentiable": False, "capturable": False}, _asgd, _slowing),
    "Rprop": Method(
        {"lr": 1e-2, "etas": (0.5, 1.2), "step_sizes": (1e-6, 50), "foreach": None,
         "maximize": False, "differentiable": False, "capturable": False}, _rprop),
    "Adafactor": Method(
        {"lr": 1e-2, "beta2_decay": -0.8, "eps": (None, 1e-3), "d": 1.0, "weight_decay": 0.0,
         "foreach": None, "maximize": False}, _adafactor, _shrinking),
}  # fmt: skip
"""By the name of PyTorch's class."""
_REFUSED = {
    "SparseAdam": ("gradients are never sparse here", "torch.optim.Adam(…)"),
    "Muon": ("it computes in bfloat16, which is not known here", "torch.optim.AdamW(…)"),
}


class MoreOptimisers:
    """The functions that make them, by the names of PyTorch's classes."""

    def __init__(self, optimisers: Optimisers) -> None:
        self.functions: dict[str, Special] = {
            **{f"torch.optim.{name}": optimisers.maker(name, each) for name, each in MORE.items()},
            **{f"torch.optim.{name}": partial(_refuse, name) for name in _REFUSED},
        }
        self.methods: dict[str, Special] = {}


def _refuse(name: str, *_: object) -> NoReturn:
    why, instead = _REFUSED[name]
    raise GradcliError("value", f"{name}: {why}", hint=f"{instead} serves here")
