"""Error functions and the normal law."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from gradcli.graph import Array, Node
from gradcli.ops.group import WITHIN_1, Group
from gradcli.ops.kinds import cast
from gradcli.ops.powers import square
from gradcli.ops.selection import abs_, where
from gradcli.ops.special import check_orders, scipys
from gradcli.ops.table import Case, Function
from gradcli.ops.tabulated import Law, bell, erf_of, tail

if TYPE_CHECKING:
    from gradcli.graph import ArrayNamespace

table = Group("special")


FARTHEST = 40.0
"""exp(-x²/2) is 0 from here on."""
_TAIL = (
    (2.0, 2.4766838330053775538, 1.5683527005363739617, 0.64472766762382826835,
     0.18686261418003158079, 0.039304457214863935406, 0.0059835718399476875345,
     0.00063651166225810370065, 0.000043166755950907551791, 1.4388836090291205339e-6),
    (1.0, 1.6937714930153230929, 1.4189502116737719543, 0.76116700504952583129,
     0.2870707596116196148, 0.079218235404771106212, 0.016184629803004740141,
     0.0024215418440273149728, 0.00025507947780857828596, 0.000017221044047889942867,
     5.7403150826385578327e-7),
)  # fmt: skip
"""exp(-x²/2)/(1 - Φ(x)) - √(2π)·x for x from 0 to `FARTHEST` as a quotient of polynomials, rising
coefficients: within 4e-18 by least squares with Lawson's weights in 40 digits. None is negative, so
no digits are lost, and √(2π)·x outweighs the errors of the rest where they grow.
"""
_TAIL_OF_ERF = tuple(
    tuple(factor * each * 2 ** (power / 2) for power, each in enumerate(coefficients))
    for factor, coefficients in zip((0.5, 1), _TAIL, strict=True)
)
"""exp(-x²)/erfc(x) - √π·x in the same way."""
NORMAL, ERROR = Law(0.5, _TAIL), Law(1.0, _TAIL_OF_ERF)
STEPS = 64 * 16 + 1
"""How many multiples of 1/16 there are from 0 to 64."""
PIECE = 1 << 13
"""Elements of the arrays that are between two calls of NumPy: they stay in the nearest caches."""


def _in_pieces(forward: Callable[..., Array]) -> Callable[..., Array]:
    """The same function, of an element at a time, which takes a large array piece by piece."""

    def swept(xp: ArrayNamespace, x: Array, *more: Any) -> Array:
        if x.size <= PIECE or xp is not np or any(np.size(each) > 1 for each in more):
            return forward(xp, x, *more)
        flat = x.reshape(-1)
        found = np.empty_like(flat)
        for start in range(0, flat.size, PIECE):
            place = slice(start, start + PIECE)
            found[place] = forward(xp, flat[place], *more)
        return found.reshape(x.shape)

    return swept


def _quotient(xp: ArrayNamespace, x: Array, coefficients: Sequence[Sequence[float]]) -> Array:
    """A quotient of two polynomials: multiplications and additions of whole arrays, which NumPy
    does with all lanes of the processor, take a tenth of the time of SciPy's branches.
    """
    above, below = (_polynomial(xp, x, each) for each in coefficients)
    above /= below
    return above


def _polynomial(xp: ArrayNamespace, x: Array, coefficients: Sequence[float]) -> Array:
    *rest, highest = coefficients
    found = x * highest
    for each in rest[:0:-1]:
        found += each
        found *= x
    found += rest[0]
    return found


def _bell(xp: ArrayNamespace, x: Array, rate: Array | float) -> Array:
    """exp(-rate·x²) for |x| < 64. The rounding of x² alone costs x² ulp, so x = high + low, high²
    exact.
    """
    high = xp.rint(x * 16)
    steps = xp.abs(high)
    high *= 0.0625
    low = x - high
    low *= x + high
    bell = xp.exp(low * -rate)
    if xp is np and x.size >= STEPS and np.size(rate) == 1:  # to look them up is quicker than exp
        with np.errstate(invalid="ignore"):
            bell *= _at_steps(float(np.ravel(rate)[0]), x.dtype).take(
                steps.astype(np.intp), mode="clip"
            )
        return bell
    high *= high
    return xp.exp(high * -rate) * bell


@lru_cache(maxsize=8)
def _at_steps(rate: float, dtype: np.dtype[Any]) -> Array:
    """exp(-rate·x²) for the x from 0 to 64 in steps of 1/16, to the bit as for others."""
    high = np.arange(STEPS, dtype=dtype)
    high *= 0.0625
    high *= high
    return np.exp(high * -dtype.type(rate))  # type: ignore[no-any-return]


@_in_pieces
def _gaussian(xp: ArrayNamespace, x: Array, rate: Array | float) -> Array:
    """exp(-rate·x²)."""
    small = xp.abs(x) < 64
    if xp is np and small.all():  # a card would have to be waited for
        return _bell(xp, x, rate)
    within = xp.where(small, x, 0)
    return xp.where(small, _bell(xp, within, rate), xp.exp(-rate * x * x))


def _upper(xp: ArrayNamespace, distance: Array) -> Array:
    """1 - Φ, the upper tail of the normal law: SciPy's own loses x² ulp there."""
    inverse = _quotient(xp, distance, _TAIL)
    inverse += math.sqrt(2 * math.pi) * distance
    return _bell(xp, distance, 0.5) / inverse


def _upper_of_erf(xp: ArrayNamespace, distance: Array) -> Array:
    """erfc from 0 on."""
    inverse = _quotient(xp, distance, _TAIL_OF_ERF)
    inverse += math.sqrt(math.pi) * distance
    return _bell(xp, distance, 1.0) / inverse


@_in_pieces
def _erfc(xp: ArrayNamespace, x: Array) -> Array:
    tail = _upper_of_erf(xp, xp.minimum(xp.abs(x), FARTHEST * 0.7))
    return xp.abs((x < 0) * tail.dtype.type(2) - tail)


@_in_pieces
def _ndtr(xp: ArrayNamespace, x: Array) -> Array:
    tail = _upper(xp, xp.minimum(xp.abs(x), FARTHEST))
    return xp.abs((x > 0) - tail)


def _log_ndtr(xp: ArrayNamespace, x: Array) -> Array:
    """log(Φ(x)) from erfcx far below 0, else from the small upper tail."""
    low = xp.log(scipys("erfcx")(xp, -math.sqrt(0.5) * x) / 2) - x * x / 2
    return xp.where(x < -1, low, xp.log1p(-_ndtr(xp, -x)))


def _erfcx(xp: ArrayNamespace, x: Array) -> Array:
    """exp(x²)·erfc(x), below 0 as 2·exp(x²) - erfcx(-x): SciPy's own loses x² ulp there."""
    low = 2 * _gaussian(xp, x, -1.0) - scipys("erfcx")(xp, -x)
    return xp.where(x < -1, low, scipys("erfcx")(xp, x))


def _gaussian_in_blocks(x: Node, rate: Node) -> Node | None:
    known = None if rate.shape else rate.graph.look(rate)
    law = next((law for law in (NORMAL, ERROR) if law.rate == known), None)
    return None if law is None else bell(law, x)


gaussian: Function = table.elementwise(
    "gaussian",
    "exp(-rate * x**2), with all its digits.",
    (lambda y, x, rate: -2 * rate * x * y, lambda y, x, rate: -square(x) * y),
    forward=_gaussian,
    in_blocks=_gaussian_in_blocks,
    operands="x rate",
    arrays=5.2,
    cuda="{T} high = {0} * {0}; {T} low = fma({0}, {0}, -high);"
    " bool near = abs({0}) < 64;"  # farther out x² may be infinite, and the rate 0
    " return exp(-{1} * (near ? high : {0}) * (near ? 1 : {0})) * (near ? 1 - {1} * low : 1);",
    latex="e^{{-{1} {0}^2}}",
    formula="exp(-rate * x**2)",
    cell="EXP(-{1}*{0}*{0})",
)


@table.derivative(
    scipys("erf"),
    in_blocks=partial(erf_of, ERROR),
    cuda="erf({0})",
    numpy="scipy.special.erf",
    torch="torch.erf",
    textbook=("2*exp(-x**2)/sqrt(pi)",),
    confused=("erfc",),
    cell="ERF({0})",
)
def erf(y: Node, x: Node) -> Node:
    """Error function."""
    return 2 / math.sqrt(math.pi) * gaussian(x, 1.0)


@table.derivative(
    _erfc,
    in_blocks=lambda x: abs_(2 * cast(x < 0, "float") - tail(ERROR, x)),
    cuda="erfc({0})",
    arrays=5.0,
    formula="1 - erf(x)",
    numpy="scipy.special.erfc",
    torch="torch.erfc",
    confused=("erf",),
    cell="ERFC({0})",
)
def erfc(y: Node, x: Node) -> Node:
    """1 - erf(x), exact for large x."""
    return -2 / math.sqrt(math.pi) * gaussian(x, 1.0)


@table.derivative(
    _erfcx,
    cuda="erfcx({0})",
    arrays=6.0,
    formula="exp(x**2) * erfc(x)",
    numpy="scipy.special.erfcx",
    torch="torch.special.erfcx",
    jax=None,
    cell="EXP({0}*{0})*ERFC({0})",
)
def erfcx(y: Node, x: Node) -> Node:
    """exp(x**2) * erfc(x)."""
    return -2 * ierfcx(1.0, x)  # 2*x*y - 2/sqrt(pi): 4e5 ulp by 700


ERFCX_FRACTION = 1.0
"""From here on the continued fraction is short, and below it the recurrence keeps its digits."""
FRACTION_TERMS = 240


def _ierfcx(xp: ArrayNamespace, n: Array, x: Array) -> Array:
    """The recurrence over orders (DLMF 7.18.7), upward from erfcx; each step loses x² ulp above 0,
    so for large x it is taken downward, as a continued fraction of ratios of neighbours.
    """
    check_orders(xp, "ierfcx", n)
    highest = int(n.max()) if n.size else 0
    large = xp.where(x < ERFCX_FRACTION, ERFCX_FRACTION, x) + 0 * n
    ratio, downward = xp.zeros_like(large), _erfcx(xp, large)
    for k in range(highest + FRACTION_TERMS, 0, -1):
        ratio = 0.5 / (large + (k + 1) * ratio)
        if k <= highest:
            downward = xp.where(k <= n, downward * ratio, downward)
    current = _erfcx(xp, x)
    before, upward = xp.full_like(current, 2 / math.sqrt(math.pi)), current + 0 * n
    for k in range(1, highest + 1):
        before, current = current, (before - 2 * x * current) / (2 * k)
        upward = xp.where(k == n, current, upward)
    return xp.where(x < ERFCX_FRACTION, upward, downward)


ierfcx: Function = table.elementwise(
    "ierfcx",
    "exp(x**2) times integral number n of erfc: erfcx is number 0.",
    (None, lambda y, n, x: -2 * (n + 1) * ierfcx(n + 1, x)),
    forward=_ierfcx,
    operands="n x",
    latex=r"e^{{{1}^2}} \, \mathrm{{i}}^{{{0}}}\mathrm{{erfc}}({1})",
    arrays=9.0,
    refuses=True,
    cases=[Case("ierfcx(1, x)"), Case("ierfcx([[0], [3]], x)")],
    kink="no gradient by n",
    jax=None,
)


@table.derivative(
    scipys("erfinv"),
    cuda="erfinv({0})",
    latex=r"\mathrm{{erf}}^{{-1}}({0})",
    **WITHIN_1,
    elsewhere={"torch": "inf", "jax": "inf"},
    numpy="scipy.special.erfinv",
    torch="torch.erfinv",
    cell="NORMSINV(({0}+1)/2)/SQRT(2)",
)
def erfinv(y: Node, x: Node) -> Node:
    """Inverse of the error function."""
    return math.sqrt(math.pi) / 2 / gaussian(y, 1.0)


@table.derivative(
    _ndtr,
    in_blocks=lambda x: abs_(cast(x > 0, "float") - tail(NORMAL, x)),
    cuda="normcdf({0})",
    latex=r"\Phi({0})",
    arrays=5.0,
    formula="erfc(-x / sqrt(2)) / 2",
    numpy="scipy.special.ndtr",
    torch="torch.special.ndtr",
    cell="ERFC(-{0}/SQRT(2))/2",
    textbook=("exp(-x**2/2)/sqrt(2*pi)",),
)
def ndtr(y: Node, x: Node) -> Node:
    """Probability that a standard normal variable is below x."""
    return 1 / math.sqrt(2 * math.pi) * gaussian(x, 0.5)


@table.derivative(
    _log_ndtr,
    cuda="{0} < -1 ? log(erfcx(-{0} * ({T})0.7071067811865476) / 2) - {0} * {0} / 2"
    " : log1p(-normcdf(-{0}))",
    latex=r"\ln \Phi({0})",
    arrays=7.0,
    formula="log(ndtr(x))",
    numpy="scipy.special.log_ndtr",
    torch="torch.special.log_ndtr",
    cell="LN(ERFC(-{0}/SQRT(2))/2)",
)
def log_ndtr(y: Node, x: Node) -> Node:
    """log(ndtr(x)), exact far below 0."""
    # The density over the probability; below 0 both would vanish.
    return where(
        x < 0,
        math.sqrt(2 / math.pi) / erfcx(-math.sqrt(0.5) * x),
        1 / math.sqrt(2 * math.pi) * gaussian(x, 0.5) / ndtr(x),
    )


@table.derivative(
    scipys("ndtri"),
    latex=r"\Phi^{{-1}}({0})",
    edge=lambda xp, x: 0.5 - xp.abs(x - 0.5),
    domain=(0.1, 0.9),
    kink="inf at 0 and 1",
    elsewhere={"torch": "inf", "jax": "0"},
    numpy="scipy.special.ndtri",
    torch="torch.special.ndtri",
    cell="NORMSINV({0})",
)
def ndtri(y: Node, x: Node) -> Node:
    """Inverse of `ndtr`: what a standard normal variable is below with probability x."""
    return math.sqrt(2 * math.pi) / gaussian(y, 0.5)
