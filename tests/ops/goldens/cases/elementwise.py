"""Goldens of elementwise functions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812

from tests.ops.goldens.golden import Golden
from tests.ops.goldens.inputs import (
    INF,
    NAN,
    Domain,
    pairs,
    special,
    special_pairs,
    tensors,
)

WIDE = (-4.0, 4.0)
POSITIVE = (0.05, 4.0)
UNIT = (-0.95, 0.95)
PART = (0.02, 0.98)

UNARY: dict[str, tuple[Callable[..., Any], Domain]] = {
    "neg": (torch.neg, WIDE),
    "abs": (torch.abs, WIDE),
    "sign": (torch.sign, WIDE),
    "sqrt": (torch.sqrt, POSITIVE),
    "rsqrt": (torch.rsqrt, POSITIVE),
    "square": (torch.square, WIDE),
    "reciprocal": (torch.reciprocal, POSITIVE),
    "exp": (torch.exp, WIDE),
    "exp2": (torch.exp2, WIDE),
    "expm1": (torch.expm1, WIDE),
    "log": (torch.log, POSITIVE),
    "log2": (torch.log2, POSITIVE),
    "log10": (torch.log10, POSITIVE),
    "log1p": (torch.log1p, POSITIVE),
    "sin": (torch.sin, WIDE),
    "cos": (torch.cos, WIDE),
    "tan": (torch.tan, WIDE),
    "asin": (torch.asin, UNIT),
    "acos": (torch.acos, UNIT),
    "atan": (torch.atan, WIDE),
    "sinh": (torch.sinh, WIDE),
    "cosh": (torch.cosh, WIDE),
    "tanh": (torch.tanh, WIDE),
    "asinh": (torch.asinh, WIDE),
    "acosh": (torch.acosh, (1.05, 5.0)),
    "atanh": (torch.atanh, UNIT),
    "sinc": (torch.sinc, WIDE),
    "sigmoid": (torch.sigmoid, WIDE),
    "logit": (torch.logit, PART),
    "logsigmoid": (F.logsigmoid, WIDE),
    "softplus": (F.softplus, WIDE),
    "relu": (F.relu, WIDE),
    "relu6": (F.relu6, (-3.0, 9.0)),
    "leaky_relu": (F.leaky_relu, WIDE),
    "elu": (F.elu, WIDE),
    "selu": (F.selu, WIDE),
    "celu": (F.celu, WIDE),
    "gelu": (F.gelu, WIDE),
    "silu": (F.silu, WIDE),
    "mish": (F.mish, WIDE),
    "hardtanh": (F.hardtanh, WIDE),
    "hardsigmoid": (F.hardsigmoid, WIDE),
    "hardswish": (F.hardswish, WIDE),
    "softsign": (F.softsign, WIDE),
    "tanhshrink": (F.tanhshrink, WIDE),
    "softshrink": (F.softshrink, WIDE),
    "hardshrink": (F.hardshrink, WIDE),
    "erf": (torch.erf, WIDE),
    "erfc": (torch.erfc, WIDE),
    "erfcx": (torch.special.erfcx, WIDE),
    "erfinv": (torch.erfinv, UNIT),
    "lgamma": (torch.lgamma, POSITIVE),
    "digamma": (torch.digamma, POSITIVE),
    "i0": (torch.i0, WIDE),
    "i1": (torch.special.i1, WIDE),
    "ndtr": (torch.special.ndtr, WIDE),
    "log_ndtr": (torch.special.log_ndtr, WIDE),
    "entr": (torch.special.entr, POSITIVE),
    "floor": (torch.floor, WIDE),
    "ceil": (torch.ceil, WIDE),
    "round": (torch.round, WIDE),
    "rint": (torch.round, WIDE),
    "trunc": (torch.trunc, WIDE),
    "frac": (torch.frac, WIDE),
    "deg2rad": (torch.deg2rad, (-400.0, 400.0)),
    "rad2deg": (torch.rad2deg, WIDE),
    "nan_to_num": (torch.nan_to_num, WIDE),
    "isnan": (torch.isnan, WIDE),
    "isinf": (torch.isinf, WIDE),
    "isfinite": (torch.isfinite, WIDE),
    "logical_not": (torch.logical_not, WIDE),
}

BINARY: dict[str, tuple[Callable[..., Any], Domain, Domain]] = {
    "add": (torch.add, WIDE, WIDE),
    "sub": (torch.sub, WIDE, WIDE),
    "mul": (torch.mul, WIDE, WIDE),
    "div": (torch.div, WIDE, POSITIVE),
    "pow": (torch.pow, POSITIVE, WIDE),
    "maximum": (torch.maximum, WIDE, WIDE),
    "minimum": (torch.minimum, WIDE, WIDE),
    "fmax": (torch.fmax, WIDE, WIDE),
    "fmin": (torch.fmin, WIDE, WIDE),
    "atan2": (torch.atan2, WIDE, WIDE),
    "hypot": (torch.hypot, WIDE, WIDE),
    "copysign": (torch.copysign, WIDE, WIDE),
    "logaddexp": (torch.logaddexp, WIDE, WIDE),
    "logaddexp2": (torch.logaddexp2, WIDE, WIDE),
    "fmod": (torch.fmod, WIDE, POSITIVE),
    "remainder": (torch.remainder, WIDE, POSITIVE),
    "floor_divide": (torch.floor_divide, WIDE, POSITIVE),
    "xlogy": (torch.xlogy, WIDE, POSITIVE),
    "xlog1py": (torch.special.xlog1py, WIDE, POSITIVE),
    "eq": (torch.eq, WIDE, WIDE),
    "ne": (torch.ne, WIDE, WIDE),
    "lt": (torch.lt, WIDE, WIDE),
    "le": (torch.le, WIDE, WIDE),
    "gt": (torch.gt, WIDE, WIDE),
    "ge": (torch.ge, WIDE, WIDE),
    "logical_and": (torch.logical_and, WIDE, WIDE),
    "logical_or": (torch.logical_or, WIDE, WIDE),
    "logical_xor": (torch.logical_xor, WIDE, WIDE),
    "float_power": (torch.float_power, POSITIVE, WIDE),
}

WITHOUT_DERIVATIVE = ("floor_divide",)
"""PyTorch refuses to differentiate these."""

DEVIATES: dict[str, tuple[float, ...]] = {
    "abs": (NAN,),
    "sign": (NAN,),
    "acosh": (-1.0, -2.0, -30.0, -1e9, -1e300, -INF),
    "rsqrt": (-0.0,),
    "sinc": (1e-9, -1e-9, INF, -INF),
    "elu": (NAN,),
    "selu": (NAN,),
    "celu": (NAN,),
    "hardswish": (-INF, NAN),
    "erfcx": (INF,),
    "softsign": (INF, -INF),
    "i1": (NAN,),
    "log_ndtr": (-1e9, -1e300, -INF),
    "atan2": (0.0, -0.0, 1e-300, -1e-300),
    "hypot": (0.0, -0.0),
    "digamma": (-1.0, -2.0, -30.0, -1e9, -1e300, -INF),
    "lgamma": (-INF,),
    "copysign": (INF, -INF),
    "fmod": (1e-300, -1e-300, 1e300, -1e300),
    "remainder": (1e-300, -1e-300, 1e300, -1e300),
}
"""Special values that are left out, as `deviations.py` has a row for them."""

CANCELS = "PyTorch subtracts nearly equal numbers where the result is small"
INACCURATE: dict[str, tuple[float, float, str]] = {
    "expm1": (1e-12, 1e-15, "PyTorch takes y + 1 for exp(x), which has no digits far below 0"),
    "tanh": (1e-12, 1e-15, "PyTorch takes 1 - y*y, which has no digits where y is close to 1"),
    "sigmoid": (1e-12, 1e-15, "PyTorch takes y*(1 - y), which has no digits where y is close to 1"),
    "atan2": (1e-12, 1e-299, "x*x overflows in PyTorch"),
    "asinh": (1e-12, 1e-299, "x*x overflows in PyTorch"),
    "acosh": (1e-12, 1e-299, "x*x overflows in PyTorch"),
    "sinc": (1e-12, 1e-15, "at integers PyTorch gives the rounding error of pi"),
    "gelu": (1e-12, 1e-15, CANCELS),
    "erfcx": (1e-12, 1e-15, CANCELS),
    "ndtr": (1e-12, 1e-15, CANCELS),
    "logaddexp2": (1e-12, 1e-15, CANCELS),
    "tanhshrink": (1e-12, 1e-15, CANCELS),
    "hardsigmoid": (1e-7, 0.0, "PyTorch's 1/6 is a float32"),
    "softsign": (1e-7, 0.0, CANCELS),
    "digamma": (1e-9, 0.0, "PyTorch's trigamma has nine digits"),
}


def elementwise(
    name: str, program: str, function: Callable[..., Any], inputs: Sequence[dict[str, Any]]
) -> Golden:
    """A golden that is compared element by element."""
    rtol, atol, reason = INACCURATE.get(name, (1e-12, 0.0, ""))
    differentiable = name not in WITHOUT_DERIVATIVE
    return Golden(name, program, function, inputs, rtol, atol, reason, True, differentiable)


def goldens() -> Iterator[Golden]:
    """Every elementwise function on the same list of inputs."""
    for name, (function, domain) in UNARY.items():
        inputs = [*tensors(domain), special(DEVIATES.get(name, ()))]
        yield elementwise(name, f"{name}(x)", function, [{"x": x} for x in inputs])
    for name, (function, domain, other) in BINARY.items():
        both = [*pairs(domain, other), tuple(special_pairs(DEVIATES.get(name, ())))]
        yield elementwise(name, f"{name}(x, y)", function, [{"x": x, "y": y} for x, y in both])
