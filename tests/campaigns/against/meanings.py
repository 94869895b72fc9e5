"""Elementwise functions of PyTorch as gradcli means them, for `conventions`."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import scipy.special
import torch

within = torch.clip


def nan_where(mask: Any, y: Any) -> Any:
    return y * torch.where(mask, math.nan, 1.0).to(y.dtype)


def nan_at_nan(x: Any, y: Any) -> Any:
    """y, and nan with the derivative nan where x is nan."""
    return torch.where(x.isnan(), math.nan * torch.where(x.isnan(), x, 0.0), y).to(y.dtype)


def clamped(original: Any, x: Any, min: Any = None, max: Any = None) -> Any:
    low = -torch.inf if min is None else min
    high = torch.inf if max is None else max
    inside = (x > low) & (x < high)
    return torch.where(inside, x, within(x.detach(), low, high).to(x.dtype))


def clamped_above(original: Any, x: Any, max: Any) -> Any:
    return clamped(original, x, None, max)


def abs_(original: Any, x: Any) -> Any:
    """Nothing flows back to 0, where PyTorch multiplies by 0."""
    if not x.is_floating_point():
        return original(x)
    return torch.where(x == 0, original(x.detach()), torch.where(x < 0, -x, x))


def l1_loss(original: Any, x: Any, target: Any, reduction: str = "mean") -> Any:
    loss = abs_(torch.abs, x - target)
    return loss if reduction == "none" else getattr(loss, reduction)()


def erfcx(original: Any, x: Any) -> Any:
    return original(x.masked_fill(x == math.inf, 1)).masked_fill(x == math.inf, 0)


def hypot(original: Any, a: Any, b: Any) -> Any:
    origin = (a == 0) & (b == 0)
    away = torch.where(origin, 1.0, a).to(a.dtype)
    return original(away, b).masked_fill(origin, 0)


def atan2(original: Any, a: Any, b: Any) -> Any:
    size = torch.maximum(a.detach().abs(), b.detach().abs())
    size = size.where((size > 0) & size.isfinite(), torch.ones_like(size))
    return original(a / size, b / size)


def elu(original: Any, x: Any, alpha: float = 1.0, inplace: bool = False) -> Any:
    below = torch.expm1(within(x, max=0))
    return nan_at_nan(x, torch.where(x > 0, x, alpha * below))


def hardswish(original: Any, x: Any, inplace: bool = False) -> Any:
    return nan_at_nan(x, original(x))


def asinh(original: Any, x: Any) -> Any:
    """Far from 0 a logarithm, whose derivative squares nothing."""
    far = x.abs() > 2.0**60
    size = torch.where(far, x, 1.0).abs().to(x.dtype)
    line = torch.sign(x).detach() * (torch.log(size) + math.log(2))
    return torch.where(far, line, original(torch.where(far, 0.0, x).to(x.dtype)))


def celu(original: Any, x: Any, alpha: float = 1.0, inplace: bool = False) -> Any:
    return alpha * elu(original, x / alpha)


def selu(original: Any, x: Any, inplace: bool = False) -> Any:
    return 1.0507009873554805 * elu(original, x, 1.6732632423543772)


TANHSHRINK = (1 / 3, -2 / 15, 17 / 315, -62 / 2835, 1382 / 155925, -21844 / 6081075)
"""The Taylor series of x - tanh(x), by odd powers from the third on."""


def tanhshrink(original: Any, x: Any) -> Any:
    near = torch.where(x.abs() < 0.1, x, 0.0).to(x.dtype)
    series = sum(factor * near ** (3 + 2 * i) for i, factor in enumerate(TANHSHRINK))
    return torch.where(x.abs() < 0.1, series, original(x))


def softshrink(original: Any, x: Any, lambd: float = 0.5) -> Any:
    return original(x, lambd) + 0.0


def remainder(out: Any, x: Any, divisor: Any) -> Any:
    divisor = torch.as_tensor(divisor)
    signed = torch.zeros_like(out).copysign(divisor) if out.is_floating_point() else out
    return torch.where(out == 0, signed, out)


def polygamma(out: Any, n: int, x: Any) -> Any:
    """From SciPy, and below 0 by reflection: there SciPy adds up as many terms as -x is."""
    x = x.detach().double()
    found = torch.as_tensor(scipy.special.polygamma(n, torch.where(x < 0, 1 - x, x).numpy()))
    turned = torch.tensor([turns(n, each) for each in x.reshape(-1).tolist()], dtype=x.dtype)
    below = (-1) ** n * found - turned.reshape(x.shape)
    return torch.where(x < 0, below, found).to(out.dtype)


def turns(n: int, x: float) -> float:
    """The nth derivative of pi * cot(pi * x), which has the period 1; infinite at its poles."""
    if not math.isfinite(x):
        return math.nan
    if x == round(x):
        return (-1) ** n * math.inf
    with mpmath.workdps(50):
        start = mpmath.mpf(x) - math.floor(x)
        return float(mpmath.diff(lambda each: mpmath.pi * mpmath.cot(mpmath.pi * each), start, n))


def digamma(out: Any, x: Any) -> Any:
    """From 50 digits, as PyTorch's lose some near the poles."""
    with mpmath.workdps(50):
        found = [digits(each) for each in x.detach().reshape(-1).tolist()]
    return torch.where(x < 0, torch.tensor(found, dtype=out.dtype).reshape(out.shape), out)


def digits(x: float) -> float:
    return float(mpmath.digamma(x)) if math.isfinite(x) and x != round(x) else math.nan


def as_numpy(name: str) -> Callable[..., Any]:
    def function(out: Any, a: Any, b: Any) -> Any:
        found = getattr(np, name)(a.detach().numpy(), b.detach().numpy())
        return torch.as_tensor(found).to(out.dtype)

    return function


def gelu(out: Any, x: Any, approximate: str = "none") -> Any:
    return x * gate_of(x, approximate)[0]


def gelu_backward(out: Any, change: Any, x: Any, approximate: str = "none") -> Any:
    gate, slope = gate_of(x, approximate)
    return change * (gate + x * slope)


def ndtr(original: Any, x: Any) -> Any:
    return 0.5 * torch.special.erfc(-x / math.sqrt(2))


def gate_of(x: Any, approximate: str) -> tuple[Any, Any]:
    """What gelu multiplies x by, and its derivative."""
    if approximate == "none":
        return ndtr(None, x), torch.exp(-0.5 * x * x) / math.sqrt(2 * math.pi)
    k, c = 2 * math.sqrt(2 / math.pi), 0.044715
    inside = k * (x + c * x**3)
    gate = torch.sigmoid(inside)
    return gate, gate * torch.sigmoid(-inside) * k * (1 + 3 * c * x * x)
