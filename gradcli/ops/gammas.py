"""More of the gamma family: of several dimensions, incomplete, and Hurwitz's zeta function."""

from __future__ import annotations

import math
from collections.abc import Callable

from gradcli.diagnostics import GradcliError
from gradcli.graph import Node
from gradcli.ops.exponential import exp, log
from gradcli.ops.group import Group
from gradcli.ops.special import hurwitz_zeta, lgamma, scipys
from gradcli.ops.table import Case, Function

table = Group("special")


@table.function(
    aliases=("multigammaln",),
    cases=[Case("mvlgamma(x, 3)", domain=(1.2, 4.0)), Case("mvlgamma(x, p=1)", domain=(0.3, 3.0))],
    formula="p*(p - 1)/4 * log(pi) + sum(lgamma(x - j/2) for j < p)",
)
def mvlgamma(x: Node, p: int) -> Node:
    """The logarithm of the gamma function of p dimensions, for x above (p - 1)/2."""
    if p < 1:
        raise GradcliError("value", f"mvlgamma: p is {p}; it is a count of dimensions")
    x.graph.check_room(2 * p)
    total = lgamma(x)
    for j in range(1, p):
        total = total + lgamma(x - j / 2)
    return total + p * (p - 1) / 4 * math.log(math.pi)


def _refused(name: str, operand: str) -> Callable[..., Node]:
    """A derivative that nobody has: PyTorch refuses it, too."""

    def rule(y: Node, *operands: Node) -> Node:
        raise GradcliError(
            "no-grad",
            f"there is no derivative of {name} by {operand}",
            hint=f"there is one by `other`; detach(…) makes {operand} a constant, and --wrt names "
            "what a gradient is wanted for",
            span=y.span,
        )

    return rule


def _density(a: Node, x: Node) -> Node:
    """x**(a - 1) * exp(-x) / gamma(a)."""
    return exp((a - 1) * log(x) - x - lgamma(a))


gammainc: Function = table.elementwise(
    "gammainc",
    "The regularised lower incomplete gamma function.",
    (_refused("gammainc", "input"), lambda y, a, x: _density(a, x)),
    forward=scipys("gammainc"),
    operands="input other",
    aliases=("igamma",),
    latex="P({0}, {1})",
    edge=lambda xp, a, x: x,
    cases=[
        Case("gammainc(1.5, x)", domain=(0.3, 3.0)),
        Case("gammainc([[1], [3]], x)", domain=(0.5, 3.0)),
    ],
    kink="no gradient by `input`",
    numpy="scipy.special.gammainc",
    torch="torch.special.gammainc",
)
gammaincc: Function = table.elementwise(
    "gammaincc",
    "The regularised upper incomplete gamma function: 1 - gammainc(input, other).",
    (_refused("gammaincc", "input"), lambda y, a, x: -_density(a, x)),
    forward=scipys("gammaincc"),
    operands="input other",
    aliases=("igammac",),
    latex="Q({0}, {1})",
    edge=lambda xp, a, x: x,
    cases=[
        Case("gammaincc(1.5, x)", domain=(0.3, 3.0)),
        Case("gammaincc([[1], [3]], x)", domain=(0.5, 3.0)),
    ],
    kink="no gradient by `input`",
    numpy="scipy.special.gammaincc",
    torch="torch.special.gammaincc",
)
zeta: Function = table.elementwise(
    "zeta",
    "Hurwitz's zeta function: the sum of 1 / (k + other)**input from k = 0 on.",
    (_refused("zeta", "input"), lambda y, x, q: -x * zeta(x + 1, q)),
    forward=hurwitz_zeta,
    operands="input other",
    takes_numbers=("input", "other"),
    latex=r"\zeta({0}, {1})",
    edge=lambda xp, x, q: q,
    cases=[Case("zeta(2.5, x)", domain=(0.3, 3.0)), Case("zeta([[2], [4]], x)", domain=(0.5, 3.0))],
    kink="no gradient by `input`",
    numpy="scipy.special.zeta",
    torch="torch.special.zeta",
)
