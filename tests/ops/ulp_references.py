"""What elementwise functions are, in mpmath's words, and where their digits are measured.

Intervals keep away from poles, from ends of domains, and from zeros that the true value or
derivative has between floats, where a relative error means nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from mpmath import mp

Intervals: TypeAlias = tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Reference:
    """An exact function of one or two numbers, and the intervals that each is drawn from."""

    exact: Callable[..., Any]
    intervals: tuple[Intervals, ...]
    program: str = ""
    """What gradcli runs, where it is not the plain call."""
    stated: str = ""
    """Why more than 4 ulp are lost."""
    limit: float = 4.0
    """In units in the last place, of the value and of each derivative."""


def one(exact: Callable[..., Any], *intervals: tuple[float, float], **rest: Any) -> Reference:
    """A function of one number."""
    return Reference(exact, (intervals,), **rest)


def two(
    exact: Callable[..., Any], a: tuple[float, float], b: tuple[float, float], **rest: Any
) -> Reference:
    """A function of two numbers."""
    return Reference(exact, ((a,), (b,)), **rest)


def sigmoid(x: Any) -> Any:
    """The logistic function."""
    return 1 / (1 + mp.exp(-x))


def elu(x: Any) -> Any:
    """x above 0, else exp(x) - 1."""
    return x if x > 0 else mp.expm1(x)


def log_add(x: Any, y: Any) -> Any:
    """log(exp(x) + exp(y))."""
    return mp.log(mp.exp(x) + mp.exp(y))


def inverse_erf(x: Any) -> Any:
    """erfinv, sharpened by Newton's method, as mpmath's own loses digits."""
    y = mp.erfinv(x)
    return y - (mp.erf(y) - x) * mp.sqrt(mp.pi) / 2 * mp.exp(y * y)


def normal(x: Any) -> Any:
    """The normal distribution function; erfc keeps its digits on both sides."""
    return mp.erfc(-x / mp.sqrt(2)) / 2


CEPHES = "SciPy's rational approximations"


def half_odd(x: Any) -> Any:
    """What gammainc(5/2, x) is less than erf(sqrt(x)) (DLMF 8.4.1 and 8.8.5)."""
    return 2 * mp.exp(-x) * mp.sqrt(x / mp.pi) * (1 + 2 * x / 3)


TAIL = "a quotient of polynomials, 2 ulp, and exp(-x**2), 2 ulp"
SELU = (mp.mpf("1.0507009873554804934193349852946"), mp.mpf("1.6732632423543772848170429916717"))
WIDE = (-30.0, 30.0)
GAMMA = ((0.1, 0.9), (1.1, 1.35), (1.6, 1.9), (2.1, 100.0))

REFERENCES: dict[str, Reference] = {
    "neg": one(lambda x: -x, WIDE),
    "abs": one(abs, WIDE),
    "sqrt": one(mp.sqrt, (0.01, 100.0)),
    "rsqrt": one(lambda x: 1 / mp.sqrt(x), (0.01, 100.0)),
    "square": one(lambda x: x * x, WIDE),
    "reciprocal": one(lambda x: 1 / x, (0.01, 100.0)),
    "exp": one(mp.exp, WIDE),
    "exp2": one(lambda x: mp.mpf(2) ** x, WIDE),
    "expm1": one(mp.expm1, WIDE),
    "log": one(mp.log, (0.01, 100.0)),
    "log2": one(lambda x: mp.log(x, 2), (0.01, 100.0)),
    "log10": one(mp.log10, (0.01, 100.0)),
    "log1p": one(mp.log1p, (-0.9, 100.0)),
    "entr": one(lambda x: -x * mp.log(x), (0.01, 0.3), (0.45, 0.95), (1.05, 5.0)),
    "sin": one(mp.sin, (-10.0, 10.0)),
    "cos": one(mp.cos, (-10.0, 10.0)),
    "tan": one(mp.tan, (-1.5, 1.5)),
    "asin": one(mp.asin, (-0.99, 0.99)),
    "acos": one(mp.acos, (-0.99, 0.99)),
    "atan": one(mp.atan, WIDE),
    "sinh": one(mp.sinh, WIDE),
    "cosh": one(mp.cosh, WIDE),
    "tanh": one(mp.tanh, WIDE),
    "asinh": one(mp.asinh, (-100.0, 100.0)),
    "acosh": one(mp.acosh, (1.1, 100.0)),
    "atanh": one(mp.atanh, (-0.99, 0.99)),
    "deg2rad": one(mp.radians, (-400.0, 400.0)),
    "rad2deg": one(mp.degrees, WIDE),
    "sigmoid": one(sigmoid, WIDE),
    "log_odds": one(lambda x: mp.log(x / (1 - x)), (0.01, 0.99)),
    "bernoulli_nll": two(
        lambda x, t: -t * mp.log(x) - (1 - t) * mp.log(1 - x), (0.02, 0.4), (0.5, 0.98)
    ),
    "logit": one(lambda x: mp.log(x / (1 - x)), (0.01, 0.99)),
    "logsigmoid": one(lambda x: -mp.log1p(mp.exp(-x)), WIDE),
    "softplus": one(lambda x: mp.log1p(mp.exp(x)), (-30.0, 19.9)),
    "relu": one(lambda x: max(x, mp.mpf(0)), WIDE),
    "relu6": one(lambda x: min(max(x, mp.mpf(0)), mp.mpf(6)), WIDE),
    "leaky_relu": one(lambda x: x if x > 0 else mp.mpf(0.01) * x, WIDE),
    "hardtanh": one(lambda x: min(max(x, mp.mpf(-1)), mp.mpf(1)), (-3.0, 3.0)),
    "hardsigmoid": one(lambda x: min(max(x + 3, mp.mpf(0)), mp.mpf(6)) / 6, (-2.5, 5.0)),
    "hardswish": one(
        lambda x: x * min(max(x + 3, mp.mpf(0)), mp.mpf(6)) / 6, (-2.9, -1.7), (-1.3, 2.9)
    ),
    "elu": one(elu, WIDE),
    "celu": one(elu, WIDE),
    "selu": one(lambda x: SELU[0] * x if x > 0 else SELU[0] * SELU[1] * mp.expm1(x), WIDE),
    "silu": one(
        lambda x: x * sigmoid(x),
        (-30.0, -2.0),
        (-0.8, 30.0),
        stated="its derivative is a sum of two products with sigmoid",
        limit=6.0,
    ),
    "mish": one(
        lambda x: x * mp.tanh(mp.log1p(mp.exp(x))),
        (-30.0, -1.5),
        (-0.9, 30.0),
        stated="a product of three factors: tanh', sigmoid and x",
        limit=8.0,
    ),
    "gelu": one(lambda x: x * normal(x), (-5.0, -1.0), (-0.5, 5.0), stated=TAIL, limit=7.0),
    "softsign": one(lambda x: x / (1 + abs(x)), (-100.0, 100.0)),
    "tanhshrink": one(lambda x: x - mp.tanh(x), (-30.0, -1.0), (-1.0, 1.0), (1.0, 30.0)),
    "softshrink": one(lambda x: x - 0.5 if x > 0 else x + 0.5, (-30.0, -0.6), (0.6, 30.0)),
    "hardshrink": one(lambda x: x, (-30.0, -0.6), (0.6, 30.0)),
    "erf": one(mp.erf, (-5.0, 5.0)),
    "erfc": one(mp.erfc, (-5.0, 10.0), stated=TAIL, limit=5.0),
    "erfcx": one(
        lambda x: mp.exp(x * x) * mp.erfc(x),
        (-1.0, 3.0),
        stated="its derivative comes from a recurrence below 1",
        limit=16.0,
    ),
    "ierfcx": one(
        lambda x: 1 / mp.sqrt(mp.pi) - x * mp.exp(x * x) * mp.erfc(x),
        (-1.0, 3.0),
        program="ierfcx(1, x)",
        stated="a recurrence below 1",
        limit=32.0,
    ),
    "erfinv": one(
        inverse_erf, (-0.9, 0.9), stated="exp(y**2) multiplies the error of y by 2*y**2", limit=7.0
    ),
    "ndtr": one(normal, (-10.0, 5.0), stated=TAIL, limit=5.0),
    "log_ndtr": one(lambda x: mp.log(normal(x)), (-20.0, 5.0), stated=TAIL, limit=9.0),
    "lgamma": one(
        mp.loggamma,
        (0.1, 1.35),
        (1.6, 3.0),
        (3.0, 100.0),
        stated="its derivative is SciPy's digamma",
        limit=6.0,
    ),
    "digamma": one(mp.digamma, *GAMMA, stated="SciPy's zeta function", limit=6.0),
    "polygamma": one(
        lambda x: mp.psi(1, x),
        (0.1, 100.0),
        program="polygamma(1, x)",
        stated="SciPy's zeta function",
        limit=6.0,
    ),
    "i0": one(
        lambda x: mp.besseli(0, x), (-20.0, -0.01), (0.01, 20.0), stated="SciPy's i1", limit=14.0
    ),
    "i1": one(
        lambda x: mp.besseli(1, x), (-20.0, -0.01), (0.01, 20.0), stated="SciPy's i1", limit=14.0
    ),
    "sinc": one(
        mp.sincpi,
        (-0.9, -0.01),
        (0.01, 0.9),
        stated="a power series of alternating terms",
        limit=6.0,
    ),
    "spherical_jn": one(
        lambda x: mp.sin(x) / x**2 - mp.cos(x) / x,
        (0.01, 1.9),
        program="spherical_jn(1, x)",
        stated="a power series of alternating terms",
        limit=8.0,
    ),
    "bessel_j0": one(lambda x: mp.besselj(0, x), (0.1, 1.9), (2.6, 3.6), stated=CEPHES, limit=8.0),
    "bessel_j1": one(lambda x: mp.besselj(1, x), (0.1, 1.5), (2.2, 3.6), stated=CEPHES, limit=24.0),
    "bessel_y0": one(lambda x: mp.bessely(0, x), (0.01, 0.7), (1.1, 2.0), stated=CEPHES, limit=16),
    "bessel_y1": one(
        lambda x: mp.bessely(1, x), (0.01, 1.8), (2.6, 3.4), stated=CEPHES, limit=48.0
    ),
    "i0e": one(
        lambda x: mp.exp(-abs(x)) * mp.besseli(0, x),
        (-2.0, -0.01),
        (0.01, 2.0),
        stated="the derivative is a difference of two such functions",
        limit=16.0,
    ),
    "i1e": one(
        lambda x: mp.exp(-abs(x)) * mp.besseli(1, x),
        (-1.0, -0.01),
        (0.01, 1.0),
        stated="the derivative is a difference of two such functions",
        limit=48.0,
    ),
    "modified_bessel_k0": one(lambda x: mp.besselk(0, x), (0.01, 2.0), stated=CEPHES, limit=12.0),
    "modified_bessel_k1": one(lambda x: mp.besselk(1, x), (0.01, 2.0), stated=CEPHES, limit=12.0),
    "scaled_modified_bessel_k0": one(
        lambda x: mp.exp(x) * mp.besselk(0, x),
        (0.01, 2.0),
        stated="the derivative is a difference of two such functions",
        limit=64.0,
    ),
    "scaled_modified_bessel_k1": one(
        lambda x: mp.exp(x) * mp.besselk(1, x),
        (0.01, 2.0),
        stated="the derivative is a difference of two such functions",
        limit=64.0,
    ),
    "airy_ai": one(mp.airyai, (-0.9, -0.1), (0.1, 3.0), stated=CEPHES, limit=200.0),
    "ndtri": one(
        lambda x: mp.sqrt(2) * inverse_erf(2 * x - 1),
        (0.01, 0.4),
        (0.6, 0.99),
        stated="exp(y**2/2) multiplies the error of y by y**2",
        limit=16.0,
    ),
    "gammainc": one(
        lambda x: mp.erf(mp.sqrt(x)) - half_odd(x),
        (0.1, 4.0),
        program="gammainc(2.5, x)",
        stated="an exponential of a sum",
        limit=40.0,
    ),
    "gammaincc": one(
        lambda x: mp.erfc(mp.sqrt(x)) + half_odd(x),
        (0.1, 4.0),
        program="gammaincc(2.5, x)",
        stated="an exponential of a sum",
        limit=40.0,
    ),
    "zeta": one(
        lambda x: mp.psi(1, x),
        (0.1, 20.0),
        program="zeta(2, x)",
        stated="SciPy's zeta function",
        limit=8.0,
    ),
    "hermite_polynomial_h": one(
        lambda x: 8 * x**3 - 12 * x, (0.1, 0.6), (1.4, 5.0), program="hermite_polynomial_h(x, 3)"
    ),
    "hermite_polynomial_he": one(
        lambda x: x**3 - 3 * x, (0.1, 0.9), (1.9, 5.0), program="hermite_polynomial_he(x, 3)"
    ),
    "chebyshev_polynomial_t": one(
        lambda x: 4 * x**3 - 3 * x, (0.1, 0.4), (0.95, 2.0), program="chebyshev_polynomial_t(x, 3)"
    ),
    "gaussian": one(lambda x: mp.exp(-x * x), (-10.0, 10.0), program="gaussian(x, 1)"),
    "frac": one(lambda x: x - mp.floor(x), (0.01, 0.99)),
    "add": two(lambda x, y: x + y, WIDE, WIDE),
    "sub": two(lambda x, y: x - y, WIDE, WIDE),
    "mul": two(lambda x, y: x * y, WIDE, WIDE),
    "div": two(lambda x, y: x / y, WIDE, (0.1, 30.0)),
    "scale": two(lambda x, y: x * y, WIDE, WIDE),
    "pow": two(
        lambda x, y: x**y,
        (0.1, 0.9),
        (-5.0, 5.0),
        stated="the rounding of exponent - 1 counts log(base) times",
        limit=10.0,
    ),
    "hypot": two(mp.hypot, WIDE, WIDE),
    "atan2": two(mp.atan2, WIDE, (0.1, 30.0)),
    "logaddexp": two(log_add, (0.5, 4.0), (0.5, 4.0)),
    "logaddexp2": two(lambda x, y: mp.log(2**x + 2**y, 2), (0.5, 4.0), (0.5, 4.0)),
    "xlogy": two(lambda x, y: x * mp.log(y), WIDE, (1.1, 30.0)),
    "xlog1py": two(lambda x, y: x * mp.log1p(y), WIDE, (0.1, 30.0)),
    "maximum": two(max, (-3.0, 0.0), (0.1, 3.0)),
    "minimum": two(min, (-3.0, 0.0), (0.1, 3.0)),
    "fmax": two(max, (-3.0, 0.0), (0.1, 3.0)),
    "fmin": two(min, (-3.0, 0.0), (0.1, 3.0)),
    "clamp_min": two(max, (-3.0, 0.0), (0.1, 3.0)),
    "clamp_max": two(min, (-3.0, 0.0), (0.1, 3.0)),
    "copysign": two(lambda x, y: x, (0.1, 3.0), (0.1, 3.0)),
    "fmod": two(mp.fmod, (1.01, 1.99), (0.501, 0.504)),
    "remainder": two(mp.fmod, (1.01, 1.99), (0.501, 0.504)),
}
