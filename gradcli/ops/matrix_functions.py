"""Powers, exponentials, norms and condition numbers of matrices along the last two axes."""

from __future__ import annotations

import math
from collections.abc import Callable
from math import comb, factorial
from typing import TYPE_CHECKING, Any

import numpy as np

from gradcli.diagnostics import GradcliError
from gradcli.graph import NUMPY, Array, Node
from gradcli.ops.axes import matrix_transpose, permute
from gradcli.ops.comparison import eq
from gradcli.ops.creation import eye, zeros
from gradcli.ops.determinants import INV_OR_LIMIT, slogdet
from gradcli.ops.diagonals import DIAG_EMBED
from gradcli.ops.extremes import amax, amin
from gradcli.ops.group import Group
from gradcli.ops.joining import cat
from gradcli.ops.kinds import General, cast
from gradcli.ops.p_norm import NORM
from gradcli.ops.reductions import reduce_axes, sum_
from gradcli.ops.selection import abs_, where
from gradcli.ops.shapes import normalize_axes, normalize_axis, reduced, show
from gradcli.ops.shaping import EXPAND, expand, reshape, take_slices
from gradcli.ops.spectra import svdvals
from gradcli.ops.systems import check_square, copies, inv, matrices, square
from gradcli.ops.table import Case, floats

if TYPE_CHECKING:
    from gradcli.graph import ArrayNamespace

table = Group("linear algebra")

# --- powers --------------------------------------------------------------------------------


@table.function(
    cases=[
        Case("matrix_power(x, 3)", {"x": (3, 3)}),
        Case("matrix_power(x, 6)", {"x": (2, 2, 2)}),
        Case("matrix_power(x, -2)", {"x": (3, 3)}),
        Case("x @ matrix_power(x, 0)", {"x": (2, 2)}),
    ],
    autocast="lower",
)
def matrix_power(x: Node, n: int) -> Node:
    """The product of n matrices x; of inverses where n is negative."""
    check_square("matrix_power", x)
    if n < 0:
        x, n = inv.build(x), -n
    if n == 0:
        return expand(cast(eye(x.graph, x.shape[-1]), x.kind), x.shape)
    result: Node | None = None
    while n:
        if n % 2:
            result = x if result is None else result @ x
        n //= 2
        if n:
            x = x @ x
    assert result is not None, "the highest binary digit of n is 1"
    return result


# --- exponentials --------------------------------------------------------------------------


def _expm(xp: ArrayNamespace, a: Array) -> Array:
    if not a.size:
        return a
    finite = xp.isfinite(a).all(axis=(-2, -1), keepdims=True)
    calm = xp.where(finite, a, xp.zeros((), a.dtype))
    if _is_pair(calm):
        above = calm[..., : a.shape[-1] // 2, :]
        result = _pair(xp, *_exponentials(xp, xp.stack(xp.split(above, 2, axis=-1))))
    else:
        (result,) = _exponentials(xp, calm[None])
    return xp.where(finite, result, xp.full((), np.nan, a.dtype))


def _is_pair(a: Array) -> bool:
    """Whether matrices are [[a, change], [0, a]], as in the derivative."""
    half, odd = divmod(a.shape[-1], 2)
    first, last = slice(None, half), slice(half, None)
    return (
        not odd
        and bool(a[..., first, last].any())
        and not a[..., last, first].any()
        and bool((a[..., first, first] == a[..., last, last]).all())
    )


def _rounded(a: Array, rounding: Callable[[Array], Array]) -> Array:
    """With other errors in each half, a pair would be none, and computed in another way."""
    if not _is_pair(a):
        return rounding(a)
    value, change = np.split(rounding(a[..., : a.shape[-1] // 2, :]), 2, axis=-1)
    return _pair(NUMPY, value, change)


def _pair(xp: ArrayNamespace, value: Array, change: Array) -> Array:
    """[[value, change], [0, value]]."""
    upper = xp.concat([value, change], axis=-1)
    lower = xp.concat([xp.zeros_like(value), value], axis=-1)
    return xp.concat([upper, lower], axis=-2)


PADE = [float(comb(13, j) * factorial(26 - j) // factorial(13)) for j in range(14)]
"""Padé approximation: the exponential is about Σ PADE[j] x**j / Σ PADE[j] (-x)**j."""
NEAR = 4.74
"""Up to this norm it and its derivative are exact to double precision."""


def _exponentials(xp: ArrayNamespace, a: Array) -> Array:
    """The exponential of a[0], and its derivatives along a[1], if there is one.

    Each step is done with a value and what it changes by, so a derivative takes three products of
    matrices where [[a[0], a[1]], [0, a[0]]] would take eight.

    Al-Mohy and Higham, Computing the Fréchet derivative of the matrix exponential (2009). SciPy's
    `expm` loses 1e-12 of [[4, 4], [4, 4]].
    """

    def times(x: Array, y: Array) -> Array:
        product = xp.matmul(x[0], y)
        product[1:] += xp.matmul(x[1:], y[0])
        return product

    def half_of_series(parity: int) -> Array:
        """The even terms, or the odd ones divided by x."""
        low: Array = sum(PADE[parity + 2 * j] * powers[j] for j in range(1, 4))
        high: Array = sum(PADE[parity + 6 + 2 * j] * powers[j] for j in range(1, 4))
        low[0] += PADE[parity] * one
        return low + times(powers[3], high)

    rounds = _halvings(xp, a[0])
    x = xp.ldexp(a, -rounds)
    one = xp.eye(a.shape[-1], dtype=a.dtype)
    second = times(x, x)
    fourth = times(second, second)
    powers: list[Any] = [one, second, fourth, times(fourth, second)]
    even, odd = half_of_series(0), times(x, half_of_series(1))
    above, below = even + odd, even - odd
    result = xp.empty_like(above)
    result[0] = xp.linalg.solve(below[0], above[0])
    result[1:] = xp.linalg.solve(below[0], above[1:] - xp.matmul(below[1:], result[0]))
    for number in range(int(rounds.max(initial=0))):
        result = xp.where(number < rounds, times(result, result), result)
    return result


def _halvings(xp: ArrayNamespace, a: Array) -> Array:
    """How often each matrix is halved until it is near."""
    count = a.shape[-1]
    mean = (xp.abs(a) / count).sum(axis=-2).max(axis=-1)  # the sum may overflow
    over = xp.log2(xp.maximum(mean, NEAR / count)) - math.log2(NEAR / count)
    return xp.ceil(over).astype(np.int64)[..., None, None]


def _expm_change(change: Node, a: Node) -> Node:
    """The derivative along `change`: a corner of the exponential of [[a, change], [0, a]].

    Najfeld and Havel, Derivatives of the matrix exponential and their computation (1995).
    """
    count = a.shape[-1]
    below = cat([zeros(a.graph, a.shape), a], -1)
    both = a.graph.apply(MATRIX_EXP, (cat([cat([a, change], -1), below], -2),))
    lead = tuple((0, length, 1) for length in a.shape[:-2])
    return take_slices(both, (*lead, (0, count, 1), (count, count, 1)))


def _expm_by_book(change: Node, y: Node, a: Node) -> Node:
    """Multiples of the identity commute with the matrix."""
    if change.op is DIAG_EMBED and change.inputs[0].op is EXPAND:
        (single,) = change.inputs[0].inputs
        if single.size == 1:
            return single * matrix_transpose(y)
    return _expm_change(change, matrix_transpose(a))


MATRIX_EXP = General(
    "matrix_exp",
    infer=lambda a: (a.shape, "float"),
    forward=_expm,
    adjoints=(lambda change, y, a: _expm_change(change, matrix_transpose(a)),),
    forward_rule=lambda tangents, y, a: _expm_change(tangents[0], a),
    by_book=_expm_by_book,
    contracts=True,
    host=math.inf,
    rounded=_rounded,
    work=copies(12, 0),
)


@table.function(
    aliases=("expm",),
    op=MATRIX_EXP,
    cases=[Case("matrix_exp(x)", {"x": (3, 3)}), Case("matrix_exp(x)", {"x": (2, 2, 2)})],
    formula="eye(n) + x + x @ x / 2 + x @ x @ x / 6 + …",
    torch="torch.linalg.matrix_exp",
    gradients={
        "x": (
            (
                "matrix_exp(cat([cat([x.mT, cotangent], -1), cat([zeros_like(x), x.mT], -1)], -2))"
                "[..., : x.shape[-1], x.shape[-1] :]"
            ),
        ),
    },
    demands={"x": floats("linalg.matrix_exp")},
)
def matrix_exp(x: Node) -> Node:
    """The matrix exponential of square matrices."""
    return x.graph.apply(MATRIX_EXP, (square("matrix_exp", x),))


# --- norms ---------------------------------------------------------------------------------

ORDERS = "'fro', 'nuc', 1, -1, 2, -2, inf or -inf"


@table.function(
    takes_dtype=True,
    cases=[
        Case("matrix_norm(x)", {"x": (2, 3)}),
        Case("matrix_norm(x, 'nuc')", {"x": (3, 2)}),
        Case("matrix_norm(x, ord=2)", {"x": (2, 2, 3)}),
        Case("matrix_norm(x, ord=-2)", {"x": (2, 3)}),
        Case("matrix_norm(x, ord=1, dim=(0, 2))", {"x": (2, 2, 3)}),
        Case("matrix_norm(x, ord=-1, keepdim=True)", {"x": (2, 3)}),
        Case("matrix_norm(x, ord=inf, dim=(1, 0), keepdim=True)", {"x": (2, 3, 2)}),
        Case("matrix_norm(x, ord=-inf)", {"x": (2, 3)}),
    ],
    kink="ties share equally; singular vectors of repeated values share as LAPACK orders them",
    demands={"x": floats("linalg.matrix_norm")},
)
def matrix_norm(
    x: Node, ord: float | str = "fro", dim: tuple[int, ...] = (-2, -1), keepdim: bool = False
) -> Node:
    """A norm of matrices along two axes: Frobenius, nuclear (the sum of the singular values), 2
    and -2 (the largest and the least of them), 1 and -1 (sums of columns), inf and -inf (of rows).
    """
    if len(dim) != 2:
        raise GradcliError("axis", f"matrix_norm: dim is two axes, not {dim}")
    axes = normalize_axes("matrix_norm", dim, matrices("matrix_norm", x).ndim)
    rows, columns = (normalize_axis("matrix_norm", axis, x.ndim) for axis in dim)
    others = (axis for axis in range(-x.ndim, 0) if axis not in axes)
    found = _norm(permute(matrices("matrix_norm", x), (*others, rows, columns)), ord)
    return reshape(found, reduced(x.shape, axes, keepdim=True)) if keepdim else found


def _norm(x: Node, order: float | str) -> Node:
    if order == "fro":
        return reduce_axes(NORM, x, (-2, -1), False, 2.0)
    if order == "nuc":
        return sum_(svdvals.build(x), (-1,))
    if isinstance(order, str) or abs(order) not in (1, 2, math.inf):
        raise GradcliError("value", f"matrix_norm: ord is {ORDERS}, not {order!r}")
    if abs(order) == 2:
        sizes = svdvals.build(x)
    else:
        sizes = sum_(abs_(x), (-2,) if abs(order) == 1 else (-1,))
    if not sizes.shape[-1]:
        if order > 0:
            return sum_(sizes, (-1,))
        raise GradcliError("value", f"matrix_norm of order {order:g} of nothing: {show(x.shape)}")
    return amax(sizes, (-1,)) if order > 0 else amin(sizes, (-1,))


@table.function(
    cases=[
        Case("cond(x)", {"x": (3, 2)}),
        Case("cond(x, -2)", {"x": (2, 2)}),
        Case("cond(x, 'fro')", {"x": (2, 2, 2)}),
        Case("cond(x, p=1)", {"x": (3, 3)}),
    ],
    formula="matrix_norm(x, p) * matrix_norm(inv(x), p)",
    autocast="float32",
    demands={"x": floats("linalg.svd", "linalg_svd_cpu")},
)
def cond(x: Node, p: float | str | None = None) -> Node:
    """The condition number in a norm (see `matrix_norm`), that of order 2 without one."""
    x = matrices("cond", x)
    if isinstance(p, str):
        x = square("cond", x)
    if not x.size:  # of nothing, as in PyTorch
        return zeros(x.graph, x.shape[:-2])
    if p is None or p in (2, -2):
        values = svdvals.build(x)
        largest, least = amax(values, (-1,)), amin(values, (-1,))
        return least / largest if p == -2 else largest / least
    x = square("cond", x)
    found = _norm(x, p) * _norm(x.graph.apply(INV_OR_LIMIT, (x,)), p)
    return where(eq(slogdet.build(x).sign, 0.0), math.inf, found)
