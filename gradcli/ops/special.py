"""Special functions: the gamma family, Bessel functions.

Values come from SciPy (on a GPU from cupyx.scipy), imported when one of them is first computed.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING

import numpy as np

from gradcli.diagnostics import GradcliError
from gradcli.graph import Array, Node
from gradcli.ops.comparison import isinf
from gradcli.ops.group import Group
from gradcli.ops.rounding import remainder, round_, to_integer
from gradcli.ops.selection import abs_, where
from gradcli.ops.table import Case, Function
from gradcli.ops.trigonometric import cos

if TYPE_CHECKING:
    from gradcli.graph import ArrayNamespace

table = Group("special")


def scipys(name: str) -> Callable[..., Array]:
    """SciPy's function of that name, for the arrays of the namespace `xp`."""

    def forward(xp: ArrayNamespace, *arrays: Array) -> Array:
        library = "cupyx.scipy.special" if xp.__name__ == "cupy" else "scipy.special"
        return getattr(import_module(library), name)(*arrays)  # type: ignore[no-any-return]

    return forward


# --- the gamma family ----------------------------------------------------------------------

LGAMMA_TERMS = 29


def _lgamma(xp: ArrayNamespace, x: Array) -> Array:
    """log(abs(Γ(x))). SciPy's loses all digits near its zeros 1 and 2, and is inf close to 0. There
    it is the power series of log(Γ(2 + z)), where Γ(2 + z) = (1 + z)·z·Γ(z) (DLMF 5.7.3).
    """
    near_two = xp.abs(x - 2) <= 0.5
    near_one = xp.abs(x - 1) < 0.5
    near_zero = xp.abs(x) <= 0.5
    z = xp.where(near_two, x - 2, xp.where(near_one, x - 1, xp.where(near_zero, x, 0 * x)))
    orders = np.arange(2, LGAMMA_TERMS)
    series = (-1.0) ** orders * scipys("zetac")(np, orders.astype(float)) / orders
    found = xp.zeros((), x.dtype)
    for factor in (*series[::-1].tolist(), 1 - np.euler_gamma):
        found = (found + factor) * z
    found = xp.where(near_one | near_zero, found - xp.log1p(z), found)
    found = xp.where(near_zero, found - xp.log(xp.abs(x)), found)
    return xp.where(near_two | near_one | near_zero, found, scipys("gammaln")(xp, x))


def _digamma(xp: ArrayNamespace, x: Array) -> Array:
    """SciPy's, but below -1 by reflection (DLMF 5.5.4), from the distance to the nearest pole."""
    away = x - xp.rint(x)
    below = (x < -1) & (away != 0)
    reflected = scipys("digamma")(xp, xp.where(below, 1 - x, 1 + 0 * x))
    reflected = reflected - math.pi / xp.tan(math.pi * away)
    return xp.where(below, reflected, scipys("digamma")(xp, x))


@table.derivative(
    _lgamma,
    arrays=8.0,
    aliases=("gammaln",),
    cuda="lgamma({0})",
    latex=r"\ln \Gamma({0})",
    edge=lambda xp, x: xp.where(x > 0, x, to_integer(xp, x)),
    domain=(0.3, 3.0),
    numpy="scipy.special.gammaln",
    torch="torch.lgamma",
    confused=("digamma",),
)
def lgamma(y: Node, x: Node) -> Node:
    """log(abs(gamma(x)))."""
    return digamma(x)


@table.derivative(
    _digamma,
    arrays=6.0,
    aliases=("psi",),
    latex=r"\psi({0})",
    edge=lambda xp, x: xp.where(x > 0, x, to_integer(xp, x)),
    domain=(0.3, 3.0),
    beyond_domain=True,
    numpy="scipy.special.digamma",
    torch="torch.digamma",
    confused=("lgamma",),
)
def digamma(y: Node, x: Node) -> Node:
    """Derivative of lgamma."""
    return polygamma(1.0, x)


FAR_BELOW = -100.0
"""Below it SciPy's zeta, which adds up all terms to 9 one by one, takes long: hours at -1e12."""


def hurwitz_zeta(xp: ArrayNamespace, x: Array, q: Array) -> Array:
    """SciPy's zeta, but far below 0, for whole x, from places r and 1 - r between 0 and 1.

    The sum of 1 / (k + q)**x over all integers k, which is the same at q and r = q - floor(q), is
    that from k = 0 on and, mirrored, that of 1 - q. Where q is whole or x is not, SciPy's is quick.
    """
    far = (q < FAR_BELOW) & (q != xp.floor(q)) & (x == xp.floor(x))
    near = scipys("zeta")(xp, x, xp.where(far, 1, q))
    if xp is np and not far.any():  # a card is not waited for
        return near
    q = xp.where(far, q, -0.5)
    r = q - xp.floor(q)
    mirrored = scipys("zeta")(xp, x, 1 - r) - scipys("zeta")(xp, x, 1 - q)
    mirrored = xp.where(x % 2 == 1, -mirrored, mirrored)
    return xp.where(far, scipys("zeta")(xp, x, r) + mirrored, near)


def _polygamma(xp: ArrayNamespace, n: Array, x: Array) -> Array:
    """SciPy's, but far below 0 from `hurwitz_zeta` (DLMF 25.11.12)."""
    far = (x < FAR_BELOW) & (n != 0)
    near = scipys("polygamma")(xp, n, xp.where(far, 1, x))
    if xp is np and not far.any():  # a card is not waited for
        return near
    found = scipys("gamma")(xp, n + 1) * hurwitz_zeta(xp, n + 1, xp.where(far, x, 1))
    return xp.where(far, xp.where(n % 2 == 1, found, -found), near)


polygamma: Function = table.elementwise(
    "polygamma",
    "Derivative number n of digamma.",
    (None, lambda y, n, x: polygamma(n + 1, x)),
    forward=_polygamma,
    takes_numbers=("n",),
    operands="n x",
    latex=r"\psi^{{({0})}}({1})",
    cases=[
        Case("polygamma(1, x)", domain=(0.3, 3.0)),
        Case("polygamma([[1], [3]], x)", domain=(0.5, 3.0)),
        Case("x.polygamma(2)", domain=(0.5, 3.0)),
    ],
    kink="no gradient by n",
    receiver=1,
    numpy="scipy.special.polygamma",
    torch="",  # the order is a plain integer there, and in JAX
    jax="polygamma",
)

# --- Bessel functions ----------------------------------------------------------------------


@table.derivative(
    scipys("i0"),
    aliases=("modified_bessel_i0",),
    cuda="cyl_bessel_i0({0})",
    latex="I_0({0})",
    numpy="scipy.special.i0",
    torch="torch.i0",
)
def i0(y: Node, x: Node) -> Node:
    """Modified Bessel function of the first kind, of order 0."""
    return i1(x)


def half_near_0(x: Node, derivative: Node) -> Node:
    """The derivative of what is x/2 for small x; 1/2 where half of a number is rounded."""
    least = float(np.finfo(x.graph.dtype("float")).tiny) * 4
    return where(abs_(x) < least, 0.5, derivative)


@table.derivative(
    scipys("i1"),
    aliases=("modified_bessel_i1",),
    cuda="cyl_bessel_i1({0})",
    latex="I_1({0})",
    numpy="scipy.special.i1",
    torch="torch.special.i1",
)
def i1(y: Node, x: Node) -> Node:
    """Modified Bessel function of the first kind, of order 1."""
    return half_near_0(x, i0(x) - y / x)


SERIES_TERMS = 30
MOST_ORDER = 1000
"""A recurrence takes a step an order."""


def check_orders(xp: ArrayNamespace, name: str, n: Array) -> None:
    """Refuse orders that a recurrence cannot reach, with the error `value`."""
    if not bool(((n >= 0) & (n <= MOST_ORDER) & (n == xp.floor(n))).all()):
        raise GradcliError("value", f"{name}: orders are whole, from 0 to {MOST_ORDER}")


def _spherical_jn(xp: ArrayNamespace, n: Array, x: Array) -> Array:
    """j_n(x) by its power series below n + 1, by upward recurrence from sin(x)/x beyond.

    Each loses few digits there (Abramowitz and Stegun 10.1.2 and 10.1.19). SciPy's loses up to 40
    ulp between 0 and 3, and is not among cupyx's.
    """
    check_orders(xp, "spherical_jn", n)
    series = term = xp.ones_like(n * x)
    for k in range(1, SERIES_TERMS):
        term = term * (-x * x / 2) / (k * (2 * n + 2 * k + 1))
        series = series + term
    before, current = xp.cos(x) / x, xp.sin(x) / x
    recurrence = current
    highest = int(n.max()) if n.size else 0
    for k in range(1, highest + 1):
        series = xp.where(k <= n, series * x / (2 * k + 1), series)
        before, current = current, (2 * k - 1) * current / x - before
        recurrence = xp.where(k == n, current, recurrence)
    found = xp.where(xp.abs(x) < n + 1, series, recurrence)
    return xp.where(xp.isinf(x), xp.zeros((), x.dtype), found)


spherical_jn: Function = table.elementwise(
    "spherical_jn",
    "Spherical Bessel function of the first kind, of order n.",
    (
        None,
        lambda y, n, x: (
            (n * spherical_jn(abs_(n - 1), x) - (n + 1) * spherical_jn(n + 1, x)) / (2 * n + 1)
        ),
    ),
    forward=_spherical_jn,
    operands="n x",
    latex="j_{{{0}}}({1})",
    arrays=8.0,
    refuses=True,
    cases=[Case("spherical_jn(0, x)"), Case("spherical_jn([[1], [3]], x)")],
    kink="no gradient by n",
    numpy="scipy.special.spherical_jn",
    jax=None,
)


def _sinc(xp: ArrayNamespace, x: Array) -> Array:
    """sin(pi x) / (pi x), from the distance to the nearest integer: exactly 0 at integers."""
    nearest = xp.rint(x)
    sine = xp.sin(math.pi * (x - nearest)) * (1 - 2 * (nearest % 2))
    return xp.where(x == 0, xp.ones((), x.dtype), sine / (math.pi * x))


@table.derivative(
    _sinc,
    cuda="{0} == 0 ? ({T})1 : sinpi({0}) / (({T})3.141592653589793 * {0})",
    formula="sin(pi * x) / (pi * x)",
    numpy="np.sinc",
    torch="torch.sinc",
    textbook=("(cos(pi*x) - y)/x",),
)
def sinc(y: Node, x: Node) -> Node:
    """sin(pi * x) / (pi * x), and 1 at 0."""
    near = -math.pi * spherical_jn(1.0, math.pi * x)  # of what is below, the digits cancel there
    return where(abs_(x) < 0.6, near, where(isinf(x), 0.0, (_cosine(x) - y) / x))


def _cosine(x: Node) -> Node:
    """cos(pi * x), from the distance to the nearest integer."""
    nearest = round_(x)
    return cos(math.pi * (x - nearest)) * (1 - 2 * remainder(nearest, 2.0))
