"""Functions of large arrays by tables, which NumPy sweeps over in blocks in place of a forward
function: how tables are looked up, and the normal law.

|x| is taken apart into the nearest multiple of 1/64 and a rest. exp(-rate·x²) at the multiple comes
from a table, as do the coefficients of Taylor's series of the tail about it; the value and the
derivative share all that they have in common.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from gradcli.graph import Array, Node
from gradcli.ops.elementwise import Elementwise
from gradcli.ops.exponential import exp
from gradcli.ops.kinds import cast
from gradcli.ops.rounding import rint
from gradcli.ops.selection import abs_, minimum
from gradcli.tuples import NamedTuple

FINE = 64
"""Places in a unit."""
DEGREE = 6
"""Of Taylor's series about a place: what it leaves out is below 1.5e-17 of the whole."""
BITS = 128
"""Behind the point of the numbers that the coefficients are computed in."""
PI = "3.14159265358979323846264338327950288419716939937511"

Coefficients = Sequence[Sequence[float]]


def looked_up(step: Node, table: Callable[..., Array], *key: Any) -> Node:
    """The entries of a table, which is a function's result, at whole numbers from 0 on; behind its
    end the last one.
    """
    return step.graph.apply(_lookup(table, key), (step,))


@lru_cache
def _lookup(table: Callable[..., Array], key: tuple[Any, ...]) -> Elementwise:
    def into(step: Array, out: Array) -> None:
        table(*key).take(step, mode="clip", out=out)

    def forward(xp: Any, step: Array) -> Array:
        return xp.take(table(*key), step, mode="clip")  # type: ignore[no-any-return]

    return Elementwise("lookup", forward, (None,), None, 0, "float", None, into=into)


# --- the normal law ----------------------------------------------------------------------------


class Law(NamedTuple):
    """A bell exp(-rate·x²) and the tail from x on of its integral, which is 1/2 or 1 at 0."""

    rate: float
    """1/2 or 1."""
    inverse: tuple[tuple[float, ...], ...]
    """A quotient of polynomials: the bell over the tail, less the square root of π/rate times x."""

    @property
    def farthest(self) -> float:
        """Where the bell is 0 in float64."""
        return 40.0 * math.sqrt(0.5 / self.rate)


def bell(law: Law, x: Node) -> Node:
    """exp(-rate·x²)."""
    size, place, rest, step = _parts(law, x)
    # the square of the place is exact; the rounding of that of x alone would cost x² ulp
    return exp(rest * (size + place) * -law.rate) * looked_up(step, _bells, law)


def tail(law: Law, x: Node) -> Node:
    """The tail from |x| on."""
    *_, rest, step = _parts(law, x)
    found = looked_up(step, _ratio, law, DEGREE)
    for power in reversed(range(DEGREE)):
        found = found * rest + looked_up(step, _ratio, law, power)
    return bell(law, x) * found


def _parts(law: Law, x: Node) -> tuple[Node, Node, Node, Node]:
    """|x|, the place next to it, what is between them, and the number of the place."""
    size = minimum(abs_(x), law.farthest)
    step = rint(size * float(FINE))
    place = step * (1 / FINE)
    return size, place, size - place, cast(step, "int")


@lru_cache
def _bells(law: Law) -> Array:
    """exp(-rate·x²) at all places."""
    place = np.arange(_count(law)) / FINE
    return np.exp(place * place * -law.rate)


def _ratio(law: Law, power: int) -> Array:
    """The coefficients of one power in `_ratios`."""
    return _ratios(law)[power]  # type: ignore[no-any-return]


@lru_cache
def _ratios(law: Law) -> Array:
    """The coefficients of the tail over the bell about all places, rising.

    The ratio r has r' = 2·rate·(x·r - 1/w), where w is the square root of π/rate, from which all of
    them follow. They are whole numbers of Python's in arrays: in float64 the digits would cancel.
    """
    from decimal import Decimal, localcontext  # most programs start faster without

    one = 1 << BITS
    with localcontext(prec=50):
        width = int((Decimal(PI) / Decimal(law.rate)).sqrt() * one)
    place = np.arange(_count(law)).astype(object) * (one // FINE)
    above, below = (_fixed(each, place) for each in law.inverse)
    rates = int(2 * law.rate)
    rows = [one * one // (above * one // below + (width * place >> BITS))]
    rows.append(rates * ((place * rows[0] >> BITS) - one * one // width))
    for power in range(2, DEGREE + 1):
        rows.append(rates * ((place * rows[-1] >> BITS) + rows[-2]) // power)
    return np.array([(row / one).astype(float) for row in rows])


def _fixed(coefficients: Sequence[float], x: Array) -> Array:
    """A polynomial in numbers with `BITS` bits behind the point."""
    found = 0 * x
    for each in reversed(coefficients):
        found = (found * x >> BITS) + int(math.ldexp(each, BITS))
    return found


def _count(law: Law) -> int:
    return math.ceil(law.farthest * FINE) + 2
