"""Bessel functions of order 0 and 1, and Airy's function. Derivatives: DLMF 10.6, 10.29 and 9.2."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from gradcli.graph import Array, Node
from gradcli.ops.group import Group
from gradcli.ops.selection import sign
from gradcli.ops.special import half_near_0, scipys, spherical_jn
from gradcli.ops.table import Case, Function

if TYPE_CHECKING:
    from gradcli.graph import ArrayNamespace
    from gradcli.ops.group import Ends

table = Group("special")

POLE_AT_0: Ends = {
    "edge": lambda xp, x: x,
    "domain": (0.3, 3.0),
    "kink": "infinite at 0, nan below",
}

# --- the first and the second kind ---------------------------------------------------------


@table.derivative(
    scipys("j0"),
    aliases=("j0",),
    cuda="isinf({0}) ? {0} - {0} : ::j0({0})",
    latex="J_0({0})",
    numpy="scipy.special.j0",
    torch="torch.special.bessel_j0",
)
def bessel_j0(y: Node, x: Node) -> Node:
    """Bessel function of the first kind, of order 0."""
    return -bessel_j1(x)


@table.derivative(
    scipys("j1"),
    aliases=("j1",),
    cuda="isinf({0}) ? {0} - {0} : ::j1({0})",
    latex="J_1({0})",
    numpy="scipy.special.j1",
    torch="torch.special.bessel_j1",
)
def bessel_j1(y: Node, x: Node) -> Node:
    """Bessel function of the first kind, of order 1."""
    return half_near_0(x, bessel_j0(x) - y / x)


@table.derivative(
    scipys("y0"),
    aliases=("y0",),
    cuda="isinf({0}) ? {0} - {0} : ::y0({0})",
    latex="Y_0({0})",
    **POLE_AT_0,
    numpy="scipy.special.y0",
    torch="torch.special.bessel_y0",
)
def bessel_y0(y: Node, x: Node) -> Node:
    """Bessel function of the second kind, of order 0; x is positive."""
    return -bessel_y1(x)


@table.derivative(
    scipys("y1"),
    aliases=("y1",),
    cuda="isinf({0}) ? {0} - {0} : ::y1({0})",
    latex="Y_1({0})",
    **POLE_AT_0,
    numpy="scipy.special.y1",
    torch="torch.special.bessel_y1",
)
def bessel_y1(y: Node, x: Node) -> Node:
    """Bessel function of the second kind, of order 1; x is positive."""
    return bessel_y0(x) - y / x


@table.function(cases=[Case("spherical_bessel_j0(x)")], formula="sin(x) / x", order="kept")
def spherical_bessel_j0(x: Node) -> Node:
    """Spherical Bessel function of the first kind, of order 0: sin(x)/x, and 1 at 0."""
    return spherical_jn(0.0, x)


# --- modified, and scaled by an exponential ------------------------------------------------


@table.derivative(
    scipys("i0e"),
    latex=r"e^{{-|{0}|}} I_0({0})",
    edge=lambda xp, x: x,
    formula="exp(-abs(x)) * i0(x)",
    kink="0 at 0",
    elsewhere={"torch": "0", "jax": "0"},
    numpy="scipy.special.i0e",
    torch="torch.special.i0e",
)
def i0e(y: Node, x: Node) -> Node:
    """Modified Bessel function of the first kind, of order 0, times exp(-abs(x))."""
    return i1e(x) - sign(x) * y


@table.derivative(
    scipys("i1e"),
    latex=r"e^{{-|{0}|}} I_1({0})",
    edge=lambda xp, x: x,
    formula="exp(-abs(x)) * i1(x)",
    numpy="scipy.special.i1e",
    torch="torch.special.i1e",
)
def i1e(y: Node, x: Node) -> Node:
    """Modified Bessel function of the first kind, of order 1, times exp(-abs(x))."""
    return half_near_0(x, i0e(x) - y * (sign(x) + 1 / x))


@table.derivative(
    scipys("k0"),
    aliases=("k0",),
    latex="K_0({0})",
    **POLE_AT_0,
    numpy="scipy.special.k0",
    torch="torch.special.modified_bessel_k0",
)
def modified_bessel_k0(y: Node, x: Node) -> Node:
    """Modified Bessel function of the second kind, of order 0; x is positive."""
    return -modified_bessel_k1(x)


@table.derivative(
    scipys("k1"),
    aliases=("k1",),
    latex="K_1({0})",
    **POLE_AT_0,
    numpy="scipy.special.k1",
    torch="torch.special.modified_bessel_k1",
)
def modified_bessel_k1(y: Node, x: Node) -> Node:
    """Modified Bessel function of the second kind, of order 1; x is positive."""
    return -modified_bessel_k0(x) - y / x


@table.derivative(
    scipys("k0e"),
    aliases=("k0e",),
    latex="e^{{{0}}} K_0({0})",
    formula="exp(x) * k0(x)",
    **POLE_AT_0,
    numpy="scipy.special.k0e",
    torch="torch.special.scaled_modified_bessel_k0",
)
def scaled_modified_bessel_k0(y: Node, x: Node) -> Node:
    """Modified Bessel function of the second kind, of order 0, times exp(x)."""
    return y - scaled_modified_bessel_k1(x)


@table.derivative(
    scipys("k1e"),
    aliases=("k1e",),
    latex="e^{{{0}}} K_1({0})",
    formula="exp(x) * k1(x)",
    **POLE_AT_0,
    numpy="scipy.special.k1e",
    torch="torch.special.scaled_modified_bessel_k1",
)
def scaled_modified_bessel_k1(y: Node, x: Node) -> Node:
    """Modified Bessel function of the second kind, of order 1, times exp(x)."""
    return y - scaled_modified_bessel_k0(x) - y / x


# --- Airy ----------------------------------------------------------------------------------


def _airy(xp: ArrayNamespace, x: Array) -> Array:
    value: Array = scipys("airy")(xp, x)[0]
    return value


def _airy_slope(xp: ArrayNamespace, x: Array) -> Array:
    value: Array = scipys("airy")(xp, x)[1]
    return value


@table.derivative(
    _airy,
    arrays=4.0,
    host=math.inf,
    latex=r"\mathrm{{Ai}}({0})",
    torch="torch.special.airy_ai",
)
def airy_ai(y: Node, x: Node) -> Node:
    """Airy's function Ai, which solves y'' = x * y."""
    return airy_slope(x)


airy_slope: Function = table.elementwise(
    "airy_slope",
    "The derivative of airy_ai.",
    lambda y, x: x * airy_ai(x),
    forward=_airy_slope,
    arrays=4.0,
    host=math.inf,
    latex=r"\mathrm{{Ai}}'({0})",
)
