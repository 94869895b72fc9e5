"""Hyperbolic functions and their inverses."""

from __future__ import annotations

from gradcli.ops.elementwise import elementwise
from gradcli.ops.powers import hypot, sqrt, square
from gradcli.ops.table import Function

sinh = elementwise(
    "sinh",
    "Hyperbolic sine.",
    "sinh",
    lambda y, x: cosh(x),
    group="hyperbolic",
    cuda="sinh({0})",
    latex=r"\sinh {0}",
    formula="(exp(x) - exp(-x)) / 2",
    cost=4,
)
cosh: Function = elementwise(
    "cosh",
    "Hyperbolic cosine.",
    "cosh",
    lambda y, x: sinh(x),
    group="hyperbolic",
    cuda="cosh({0})",
    latex=r"\cosh {0}",
    formula="(exp(x) + exp(-x)) / 2",
    cost=4,
)
tanh = elementwise(
    "tanh",
    "Hyperbolic tangent.",
    "tanh",
    lambda y, x: 1 / square(cosh(x)),  # 1 - y*y: 120 ulp between 1 and 3, none right by 20
    group="hyperbolic",
    cuda="tanh({0})",
    latex=r"\tanh {0}",
    formula="sinh(x) / cosh(x)",
    cost=4,
)
asinh = elementwise(
    "asinh",
    "Inverse hyperbolic sine.",
    "arcsinh",
    lambda y, x: 1 / hypot(x, 1.0),
    group="hyperbolic",
    aliases=("arcsinh",),
    cuda="asinh({0})",
    latex=r"\mathrm{{arsinh}} {0}",
    formula="asinh(x)",
)
acosh = elementwise(
    "acosh",
    "Inverse hyperbolic cosine; nan below 1.",
    "arccosh",
    lambda y, x: 1 / (sqrt(x - 1) * sqrt(x + 1)),
    group="hyperbolic",
    aliases=("arccosh",),
    cuda="acosh({0})",
    latex=r"\mathrm{{arcosh}} {0}",
    formula="acosh(x)",
    edge=lambda xp, x: x - 1,
    domain=(1.3, 3.0),
    kink="inf at 1",
)
atanh = elementwise(
    "atanh",
    "Inverse hyperbolic tangent.",
    "arctanh",
    lambda y, x: 1 / ((1 - x) * (1 + x)),
    group="hyperbolic",
    aliases=("arctanh",),
    cuda="atanh({0})",
    latex=r"\mathrm{{artanh}} {0}",
    formula="atanh(x)",
    edge=lambda xp, x: 1 - xp.abs(x),
    domain=(-0.8, 0.8),
    kink="inf at -1 and 1",
)
