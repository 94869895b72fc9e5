"""Goldens of elementwise functions that take parameters or more than two tensors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812

from tests.ops.goldens.golden import Golden
from tests.ops.goldens.inputs import INF, NAN, Domain, draw, pairs, special, tensors

WIDE: Domain = (-4.0, 4.0)
POSITIVE: Domain = (0.05, 4.0)

ONE: dict[str, list[tuple[str, Callable[..., Any]]]] = {
    "add": [
        ("add(x, 2)", lambda x: torch.add(x, 2)),
        ("torch.add(x, 2, alpha=3)", lambda x: torch.add(x, 2, alpha=3)),
    ],
    "pow": [
        ("x**2", lambda x: x**2),
        ("x**3", lambda x: x**3),
        ("x**0.5", lambda x: x**0.5),
        ("x**-1", lambda x: x**-1),
        ("x**0", lambda x: x**0),
        ("2**x", lambda x: 2**x),
        ("pow(0, x)", lambda x: torch.pow(0, x)),
    ],
    "clamp": [
        ("clamp(x, -1.5, 1.7)", lambda x: torch.clamp(x, -1.5, 1.7)),
        ("clamp(x, min=-1.5)", lambda x: torch.clamp(x, min=-1.5)),
        ("clamp(x, max=1.7)", lambda x: torch.clamp(x, max=1.7)),
        ("clamp(x, 1.7, -1.5)", lambda x: torch.clamp(x, 1.7, -1.5)),
    ],
    "clamp_min": [("clamp_min(x, 0.3)", lambda x: torch.clamp_min(x, 0.3))],
    "clamp_max": [("clamp_max(x, 0.3)", lambda x: torch.clamp_max(x, 0.3))],
    "round": [("round(x, decimals=2)", lambda x: torch.round(x, decimals=2))],
    "nan_to_num": [
        ("nan_to_num(x, 3, 4, 5)", lambda x: torch.nan_to_num(x, 3.0, 4.0, 5.0)),
        ("nan_to_num(x, posinf=4)", lambda x: torch.nan_to_num(x, posinf=4.0)),
    ],
    "softplus": [("softplus(x, beta=2, threshold=3)", lambda x: F.softplus(x, 2, 3))],
    "leaky_relu": [("leaky_relu(x, 0.2)", lambda x: F.leaky_relu(x, 0.2))],
    "elu": [("elu(x, alpha=0.7)", lambda x: F.elu(x, 0.7))],
    "celu": [("celu(x, alpha=0.7)", lambda x: F.celu(x, 0.7))],
    "gelu": [("gelu(x, approximate='tanh')", lambda x: F.gelu(x, approximate="tanh"))],
    "hardtanh": [("hardtanh(x, -0.3, 1.9)", lambda x: F.hardtanh(x, -0.3, 1.9))],
    "softshrink": [("softshrink(x, 1.1)", lambda x: F.softshrink(x, 1.1))],
    "hardshrink": [("hardshrink(x, lambd=1.1)", lambda x: F.hardshrink(x, 1.1))],
    "threshold": [("threshold(x, 0.5, -7)", lambda x: F.threshold(x, 0.5, -7))],
    "logit": [("logit(x, eps=0.3)", lambda x: torch.logit(x, eps=0.3))],
    "polygamma": [
        ("polygamma(1, x)", lambda x: torch.polygamma(1, x)),
        ("polygamma(2, x)", lambda x: torch.polygamma(2, x)),
        ("polygamma(0, x)", lambda x: torch.polygamma(0, x)),
    ],
}
"""Functions of one tensor."""

TWO: dict[str, list[tuple[str, Callable[..., Any]]]] = {
    "add": [("add(x, y, alpha=0.5)", lambda x, y: torch.add(x, y, alpha=0.5))],
    "sub": [("x.sub(other=y, alpha=-2)", lambda x, y: x.sub(other=y, alpha=-2))],
    "div": [
        ("div(x, y, rounding_mode='floor')",
         lambda x, y: torch.div(x, y, rounding_mode="floor")),
        ("torch.div(x, y, rounding_mode='trunc')",
         lambda x, y: torch.div(x, y, rounding_mode="trunc")),
        ("div(x, y, rounding_mode=None)", lambda x, y: torch.div(x, y, rounding_mode=None)),
    ],
    "max": [("max(x, other=y)", lambda x, y: torch.max(x, other=y))],
    "min": [("x.min(other=y)", lambda x, y: x.min(other=y))],
    "where": [
        ("where(x > y, x, y)", lambda x, y: torch.where(x > y, x, y)),
        ("where(x < 0, y, 3)", lambda x, y: torch.where(x < 0, y, 3.0)),
    ],
    "clamp": [
        ("clamp(x, max=y)", lambda x, y: torch.clamp(x, max=y)),
        ("clamp(x, y, y + 1)", lambda x, y: torch.clamp(x, y, y + 1)),
    ],
    "lerp": [
        ("lerp(x, y, 0.3)", lambda x, y: torch.lerp(x, y, 0.3)),
        ("lerp(x, y, 0.8)", lambda x, y: torch.lerp(x, y, 0.8)),
    ],
    "addcmul": [("addcmul(x, y, x, value=0.5)", lambda x, y: torch.addcmul(x, y, x, value=0.5))],
    "addcdiv": [("addcdiv(x, x, y)", lambda x, y: torch.addcdiv(x, x, y))],
    "heaviside": [("heaviside(x, y)", torch.heaviside)],
    "prelu": [("prelu(x, w)", F.prelu)],
}  # fmt: skip
"""Functions of two tensors."""

LEFT_OUT: dict[str, tuple[float, ...]] = {
    "polygamma": (-1.0, -2.0, -30.0, -1e9, -1e300, INF, -INF),
    "heaviside": (NAN,),
    "addcdiv": (1e-300, -1e-300),
    "elu": (NAN,),
    "celu": (NAN,),
}
"""Special values for which `deviations.py` has a row."""

INACCURATE: dict[str, tuple[float, float, str]] = {
    "gelu": (1e-12, 1e-15, "PyTorch takes 1 + tanh(u), which cancels far below 0"),
    "polygamma": (1e-9, 0.0, "PyTorch's trigamma and zeta have nine digits"),
    "celu": (1e-6, 0.0, "PyTorch's 1/alpha is a float32"),
}


def golden(
    name: str, program: str, function: Callable[..., Any], inputs: list[dict[str, Any]]
) -> Golden:
    """A golden that is compared element by element."""
    rtol, atol, reason = INACCURATE.get(name, (1e-12, 0.0, ""))
    return Golden(name, program, function, inputs, rtol, atol, reason, True, name != "heaviside")


def goldens() -> Iterator[Golden]:
    """Every function on the same list of inputs, its special values last."""
    for name, calls in ONE.items():
        domain = POSITIVE if name in ("pow", "polygamma") else WIDE
        values = [*tensors(domain), special(LEFT_OUT.get(name, ()))]
        for program, function in calls:
            yield golden(name, program, function, [{"x": x} for x in values])
    for name, calls in TWO.items():
        domain = (0.3, 3.0) if name == "addcdiv" else WIDE
        row = special(LEFT_OUT.get(name, ()))
        both = [*pairs(domain), (row, np.roll(row, 5)), (np.roll(row, 8), row)]
        for program, function in calls:
            if name == "prelu":
                inputs = [{"x": x, "w": np.array([0.25])} for x in tensors(WIDE)]
                inputs.append({"x": draw((2, 3, 2), WIDE), "w": draw((3,))})
            else:
                inputs = [{"x": x, "y": y} for x, y in both]
            yield golden(name, program, function, inputs)
    weights = draw((3,), (0.0, 1.0))
    yield golden(
        "lerp",
        "lerp(x, y, w)",
        torch.lerp,
        [{"x": draw((2, 3), WIDE, 1), "y": draw((3,), WIDE, 2), "w": weights}],
    )
    yield golden(
        "addcmul",
        "addcmul(x, y, w)",
        torch.addcmul,
        [{"x": draw((2, 3), WIDE, 1), "y": draw((2, 1), WIDE, 2), "w": weights}],
    )
