"""How PyTorch and JAX compute functions at points where they are not smooth."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple


class Calls(NamedTuple):
    """A function by the module of each framework, and its inputs."""

    torch: Callable[..., Any]
    jax: Callable[..., Any] | None = None


AT_KINKS: dict[tuple[str, tuple[Any, ...]], Calls] = {
    ("abs", (0.0,)): Calls(lambda t, x: t.abs(x), lambda j, x: j.numpy.abs(x)),
    ("sign", (0.0,)): Calls(lambda t, x: t.sign(x), lambda j, x: j.numpy.sign(x)),
    ("copysign", (0.0, 1.0)): Calls(
        lambda t, a, b: t.copysign(a, b), lambda j, a, b: j.numpy.copysign(a, b)
    ),
    ("floor", (2.0,)): Calls(lambda t, x: t.floor(x), lambda j, x: j.numpy.floor(x)),
    ("ceil", (2.0,)): Calls(lambda t, x: t.ceil(x), lambda j, x: j.numpy.ceil(x)),
    ("trunc", (2.0,)): Calls(lambda t, x: t.trunc(x), lambda j, x: j.numpy.trunc(x)),
    ("round", (0.5,)): Calls(lambda t, x: t.round(x), lambda j, x: j.numpy.round(x)),
    ("frac", (2.0,)): Calls(lambda t, x: t.frac(x)),
    ("log", (0.0,)): Calls(lambda t, x: t.log(x), lambda j, x: j.numpy.log(x)),
    ("log2", (0.0,)): Calls(lambda t, x: t.log2(x), lambda j, x: j.numpy.log2(x)),
    ("log10", (0.0,)): Calls(lambda t, x: t.log10(x), lambda j, x: j.numpy.log10(x)),
    ("log1p", (-1.0,)): Calls(lambda t, x: t.log1p(x), lambda j, x: j.numpy.log1p(x)),
    ("logit", (0.0,)): Calls(lambda t, x: t.logit(x), lambda j, x: j.scipy.special.logit(x)),
    ("atanh", (1.0,)): Calls(lambda t, x: t.atanh(x), lambda j, x: j.numpy.arctanh(x)),
    ("erfinv", (1.0,)): Calls(lambda t, x: t.erfinv(x), lambda j, x: j.scipy.special.erfinv(x)),
    ("ndtri", (0.0,)): Calls(
        lambda t, x: t.special.ndtri(x), lambda j, x: j.scipy.special.ndtri(x)
    ),
    ("entr", (0.0,)): Calls(lambda t, x: t.special.entr(x), lambda j, x: j.scipy.special.entr(x)),
    ("i0e", (0.0,)): Calls(lambda t, x: t.special.i0e(x), lambda j, x: j.scipy.special.i0e(x)),
    ("dist", ((1.0, 2.0), (1.0, 2.0))): Calls(lambda t, a, b: t.dist(a, b)),
    ("cdist", (((1.0, 2.0),), ((1.0, 2.0),))): Calls(lambda t, a, b: t.cdist(a, b)),
    ("max_pool1d", ((1.0, 1.0, 0.5),)): Calls(
        lambda t, x: t.nn.functional.max_pool1d(x[None, None], 3)
    ),
    ("max_pool2d", (((1.0, 1.0), (1.0, 0.5)),)): Calls(
        lambda t, x: t.nn.functional.max_pool2d(x[None, None], 2)
    ),
    ("relu", (0.0,)): Calls(lambda t, x: t.relu(x), lambda j, x: j.nn.relu(x)),
    ("relu6", (0.0,)): Calls(lambda t, x: t.nn.functional.relu6(x), lambda j, x: j.nn.relu6(x)),
    ("relu6", (6.0,)): Calls(lambda t, x: t.nn.functional.relu6(x), lambda j, x: j.nn.relu6(x)),
    ("leaky_relu", (0.0,)): Calls(
        lambda t, x: t.nn.functional.leaky_relu(x), lambda j, x: j.nn.leaky_relu(x)
    ),
    ("prelu", ((0.0,), (0.25,))): Calls(lambda t, x, w: t.nn.functional.prelu(x, w)),
    ("elu", (0.0,)): Calls(lambda t, x: t.nn.functional.elu(x, 2.0), lambda j, x: j.nn.elu(x, 2.0)),
    ("celu", (0.0,)): Calls(
        lambda t, x: t.nn.functional.celu(x, 2.0), lambda j, x: j.nn.celu(x, 2.0)
    ),
    ("selu", (0.0,)): Calls(lambda t, x: t.nn.functional.selu(x), lambda j, x: j.nn.selu(x)),
    ("hardtanh", (1.0,)): Calls(
        lambda t, x: t.nn.functional.hardtanh(x), lambda j, x: j.nn.hard_tanh(x)
    ),
    ("hardsigmoid", (3.0,)): Calls(
        lambda t, x: t.nn.functional.hardsigmoid(x), lambda j, x: j.nn.hard_sigmoid(x)
    ),
    ("hardswish", (-3.0,)): Calls(
        lambda t, x: t.nn.functional.hardswish(x), lambda j, x: j.nn.hard_swish(x)
    ),
    ("hardshrink", (0.5,)): Calls(lambda t, x: t.nn.functional.hardshrink(x)),
    ("softshrink", (0.5,)): Calls(lambda t, x: t.nn.functional.softshrink(x)),
    ("threshold", (1.0,)): Calls(lambda t, x: t.nn.functional.threshold(x, 1.0, 5.0)),
    ("maximum", (1.0, 1.0)): Calls(
        lambda t, a, b: t.maximum(a, b), lambda j, a, b: j.numpy.maximum(a, b)
    ),
    ("minimum", (1.0, 1.0)): Calls(
        lambda t, a, b: t.minimum(a, b), lambda j, a, b: j.numpy.minimum(a, b)
    ),
    ("fmax", (1.0, 1.0)): Calls(lambda t, a, b: t.fmax(a, b), lambda j, a, b: j.numpy.fmax(a, b)),
    ("fmin", (1.0, 1.0)): Calls(lambda t, a, b: t.fmin(a, b), lambda j, a, b: j.numpy.fmin(a, b)),
    ("clamp", (1.0,)): Calls(lambda t, x: t.clamp(x, 1, 2), lambda j, x: j.numpy.clip(x, 1, 2)),
    ("clamp_min", (1.0,)): Calls(
        lambda t, x: t.clamp_min(x, 1), lambda j, x: j.numpy.clip(x, 1, None)
    ),
    ("max", ((1.0, 3.0, 3.0),)): Calls(lambda t, x: t.max(x), lambda j, x: j.numpy.max(x)),
    ("min", ((1.0, 1.0, 3.0),)): Calls(lambda t, x: t.min(x), lambda j, x: j.numpy.min(x)),
    ("amax", ((1.0, 3.0, 3.0),)): Calls(lambda t, x: t.amax(x), lambda j, x: j.numpy.max(x)),
    ("amin", ((1.0, 1.0, 3.0),)): Calls(lambda t, x: t.amin(x), lambda j, x: j.numpy.min(x)),
    ("std", ((5.0, 5.0, 5.0),)): Calls(lambda t, x: t.std(x), lambda j, x: j.numpy.std(x, ddof=1)),
    ("norm", ((0.0, 0.0),)): Calls(lambda t, x: t.norm(x), lambda j, x: j.numpy.linalg.norm(x)),
    ("sqrt", (0.0,)): Calls(lambda t, x: t.sqrt(x), lambda j, x: j.numpy.sqrt(x)),
    ("hypot", (0.0, 0.0)): Calls(
        lambda t, a, b: t.hypot(a, b), lambda j, a, b: j.numpy.hypot(a, b)
    ),
    ("pow", (0.0, 0.0)): Calls(lambda t, a, b: t.pow(a, b), lambda j, a, b: j.numpy.power(a, b)),
    ("atan2", (0.0, 0.0)): Calls(
        lambda t, a, b: t.atan2(a, b), lambda j, a, b: j.numpy.arctan2(a, b)
    ),
    ("asin", (1.0,)): Calls(lambda t, x: t.asin(x), lambda j, x: j.numpy.arcsin(x)),
    ("acos", (1.0,)): Calls(lambda t, x: t.acos(x), lambda j, x: j.numpy.arccos(x)),
    ("acosh", (1.0,)): Calls(lambda t, x: t.acosh(x), lambda j, x: j.numpy.arccosh(x)),
    ("xlogy", (0.0, 0.0)): Calls(
        lambda t, a, b: t.xlogy(a, b), lambda j, a, b: j.scipy.special.xlogy(a, b)
    ),
    ("l1_loss", (1.0, 1.0)): Calls(
        lambda t, a, b: t.nn.functional.l1_loss(a, b), lambda j, a, b: j.numpy.abs(a - b)
    ),
    ("remainder", (4.0, 2.0)): Calls(
        lambda t, a, b: t.remainder(a, b), lambda j, a, b: j.numpy.remainder(a, b)
    ),
    ("fmod", (4.0, 2.0)): Calls(lambda t, a, b: t.fmod(a, b), lambda j, a, b: j.numpy.fmod(a, b)),
}
"""By function and the point."""
