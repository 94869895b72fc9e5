"""Orthogonal polynomials, by their recurrences of three terms (DLMF 18.9).

All derivatives are polynomials of one of four families. Those of negative order are 0.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from gradcli.graph import Array, Node
from gradcli.ops.group import Group
from gradcli.ops.special import check_orders
from gradcli.ops.table import Case, Function

if TYPE_CHECKING:
    from gradcli.graph import ArrayNamespace

table = Group("special")


def _recurrence(
    xp: ArrayNamespace,
    name: str,
    n: Array,
    x: Array,
    first: Callable[[], Array],
    step: Callable[[int, Array, Array], Array],
) -> Array:
    """The polynomial number n of 1, `first`, and what `step(k, number k - 1, number k - 2)` gives
    for each k.
    """
    check_orders(xp, name, xp.maximum(n, xp.zeros((), n.dtype)))
    before = xp.ones_like(x)
    current = first()
    found = xp.where(n < 0, xp.zeros((), x.dtype), xp.where(n == 0, before, current))
    highest = int(n.max()) if n.size else 0
    for k in range(2, highest + 1):
        before, current = current, step(k, current, before)
        found = xp.where(n == k, current, found)
    return found


def _gegenbauer(xp: ArrayNamespace, n: Array, alpha: Array, x: Array) -> Array:
    return _recurrence(
        xp,
        "gegenbauer",
        n,
        x + 0 * alpha,
        lambda: 2 * alpha * x,
        lambda k, last, other: (2 * x * (k + alpha - 1) * last - (k + 2 * alpha - 2) * other) / k,
    )


gegenbauer: Function = table.elementwise(
    "gegenbauer",
    "Gegenbauer's polynomial of order n: the one of Legendre where alpha is 1/2, of Chebyshev's "
    "second kind where it is 1.",
    (
        None,
        None,
        lambda y, n, alpha, x: 2 * alpha * gegenbauer(n - 1, alpha + 1, x),
    ),
    forward=_gegenbauer,
    operands="n alpha x",
    latex="C_{{{0}}}^{{({1})}}({2})",
    arrays=6.0,
    refuses=True,
    cases=[Case("gegenbauer(3, 0.5, x)"), Case("gegenbauer([[0], [2]], 1, x)")],
    kink="no gradient by n and alpha",
)


def _laguerre(xp: ArrayNamespace, n: Array, alpha: Array, x: Array) -> Array:
    return _recurrence(
        xp,
        "laguerre",
        n,
        x + 0 * alpha,
        lambda: 1 + alpha - x,
        lambda k, last, other: ((2 * k - 1 + alpha - x) * last - (k - 1 + alpha) * other) / k,
    )


laguerre: Function = table.elementwise(
    "laguerre",
    "Laguerre's generalised polynomial of order n.",
    (None, None, lambda y, n, alpha, x: -laguerre(n - 1, alpha + 1, x)),
    forward=_laguerre,
    operands="n alpha x",
    latex="L_{{{0}}}^{{({1})}}({2})",
    arrays=6.0,
    refuses=True,
    cases=[Case("laguerre(3, 0, x)"), Case("laguerre([[0], [2]], 1, x)")],
    kink="no gradient by n and alpha",
)


def _family(
    name: str,
    doc: str,
    first: Callable[[Array], Array],
    step: Callable[[int, Array, Array, Array], Array],
    derivative: Callable[..., Node],
    latex: str,
) -> Function:
    """Polynomials by PyTorch's name, of x and the order n."""

    def forward(xp: ArrayNamespace, x: Array, n: Array) -> Array:
        return _recurrence(
            xp,
            name,
            n,
            x + 0 * n,
            lambda: first(x),
            lambda k, last, other: step(k, x, last, other),
        )

    return table.elementwise(
        name,
        doc,
        (derivative, None),
        forward=forward,
        operands="x n",
        takes_numbers=("x", "n"),
        latex=latex,
        arrays=6.0,
        refuses=True,
        cases=[Case(f"{name}(x, 3)"), Case(f"{name}(x, [[0], [2]])")],
        kink="no gradient by n",
        torch=f"torch.special.{name}",
    )


hermite_polynomial_h: Function = _family(
    "hermite_polynomial_h",
    "Hermite's polynomial of order n, as physicists define it.",
    lambda x: 2 * x,
    lambda k, x, last, other: 2 * x * last - 2 * (k - 1) * other,
    lambda y, x, n: 2 * n * hermite_polynomial_h(x, n - 1),
    "H_{{{1}}}({0})",
)
hermite_polynomial_he: Function = _family(
    "hermite_polynomial_he",
    "Hermite's polynomial of order n, as probabilists define it.",
    lambda x: x,
    lambda k, x, last, other: x * last - (k - 1) * other,
    lambda y, x, n: n * hermite_polynomial_he(x, n - 1),
    r"\mathrm{{He}}_{{{1}}}({0})",
)
chebyshev_polynomial_t: Function = _family(
    "chebyshev_polynomial_t",
    "Chebyshev's polynomial of the first kind, of order n: cos(n * acos(x)).",
    lambda x: x,
    lambda k, x, last, other: 2 * x * last - other,
    lambda y, x, n: n * gegenbauer(n - 1, 1.0, x),
    "T_{{{1}}}({0})",
)


@table.function(
    takes_numbers=("x", "n"),
    cases=[Case("legendre_polynomial_p(x, 3)")],
    kink="no gradient by n",
    order="kept",
)
def legendre_polynomial_p(x: Node, n: Node) -> Node:
    """Legendre's polynomial of order n."""
    return gegenbauer(n, 0.5, x)


@table.function(
    takes_numbers=("x", "n"),
    cases=[Case("laguerre_polynomial_l(x, 3)")],
    kink="no gradient by n",
    order="kept",
)
def laguerre_polynomial_l(x: Node, n: Node) -> Node:
    """Laguerre's polynomial of order n."""
    return laguerre(n, 0.0, x)


@table.function(
    takes_numbers=("x", "n"),
    cases=[Case("chebyshev_polynomial_u(x, 3)")],
    kink="no gradient by n",
    order="kept",
)
def chebyshev_polynomial_u(x: Node, n: Node) -> Node:
    """Chebyshev's polynomial of the second kind, of order n."""
    return gegenbauer(n, 1.0, x)


@table.function(
    takes_numbers=("x", "n"),
    cases=[Case("chebyshev_polynomial_v(x, 3)")],
    kink="no gradient by n",
    order="kept",
)
def chebyshev_polynomial_v(x: Node, n: Node) -> Node:
    """Chebyshev's polynomial of the third kind, of order n."""
    return gegenbauer(n, 1.0, x) - gegenbauer(n - 1, 1.0, x)


@table.function(
    takes_numbers=("x", "n"),
    cases=[Case("chebyshev_polynomial_w(x, 3)")],
    kink="no gradient by n",
    order="kept",
)
def chebyshev_polynomial_w(x: Node, n: Node) -> Node:
    """Chebyshev's polynomial of the fourth kind, of order n."""
    return gegenbauer(n, 1.0, x) + gegenbauer(n - 1, 1.0, x)


def _shifted(kind: str, polynomial: Function) -> Function:
    """The polynomial of 2*x - 1, for x from 0 to 1."""

    def build(x: Node, n: Node) -> Node:
        return polynomial(2 * x - 1, n)

    name = f"shifted_{polynomial.name}"
    build.__doc__ = f"Chebyshev's polynomial of the {kind} kind, of order n, at 2*x - 1."
    return table.function(
        name,
        cases=[Case(f"{name}(x, 3)", domain=(0.0, 1.0))],
        formula=f"{polynomial.name}(2*x - 1, n)",
        kink="no gradient by n",
        takes_numbers=("x", "n"),
        order="kept",
    )(build)


shifted_chebyshev_polynomial_t = _shifted("first", chebyshev_polynomial_t)
shifted_chebyshev_polynomial_u = _shifted("second", chebyshev_polynomial_u)
shifted_chebyshev_polynomial_v = _shifted("third", chebyshev_polynomial_v)
shifted_chebyshev_polynomial_w = _shifted("fourth", chebyshev_polynomial_w)
