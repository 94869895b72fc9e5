"""Functions of large arrays by tables, which NumPy sweeps over in blocks in place of a forward
function: how tables are looked up, and the normal law.

|x| is taken apart into the nearest multiple of 1/4096 and a rest. exp(-rate·x²) at the multiple
comes from a table, as do the coefficients of Taylor's series of the tail about it; the value and
the derivative share all that they have in common.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from gradcli.graph import Array, Kind, Node
from gradcli.ops.elementwise import Elementwise
from gradcli.ops.exponential import exp
from gradcli.ops.selection import copysign
from gradcli.tuples import NamedTuple

if TYPE_CHECKING:
    from gradcli.graph import ArrayNamespace

FINE = 1 << 12
"""Places in a unit: so many that short series do, as to look up a number is to add three."""
DEGREE = 3
"""Of the series about a place: what they leave out is below 3e-17 of the whole."""
COARSE, LONG = 32, 8
"""Places in a unit, and the degree, of the series from which these follow."""
BITS = 128
"""Behind the point of the numbers that their coefficients are computed in."""
ONE = 1 << BITS
PI = "3.14159265358979323846264338327950288419716939937511"

Coefficients = Sequence[Sequence[float]]


def looked_up(step: Node, table: Callable[..., Array], *key: Any) -> Node:
    """The entries of a table, which is a function's result, at whole numbers from 0 on; behind its
    end the last one.
    """
    return step.graph.apply(_lookup(table, key), (step,))


def _in_one(name: str, into: Callable[..., None], kind: Kind) -> Elementwise:
    """An op that is written in NumPy, without a derivative."""

    def forward(xp: ArrayNamespace, x: Array) -> Array:
        out: Array = np.empty(x.shape, np.int64 if kind == "int" else x.dtype)
        into(x, out)
        return out

    return Elementwise(name, forward, (None,), None, 0, kind, None, into=into)


@lru_cache
def _lookup(table: Callable[..., Array], key: tuple[Any, ...]) -> Elementwise:
    def into(step: Array, out: Array) -> None:
        table(*key).take(step, mode="clip", out=out)

    return _in_one("lookup", into, "float")


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


def erf_of(law: Law, x: Node) -> Node:
    """The error function, `law` being its own: its value at the place, and Taylor's series."""
    _, place, rest, step = _parts(law, x)
    curve = (2 * place * place - 1) * (1 / 3)
    series = rest * (1 + rest * (curve * rest - place))
    slope = looked_up(step, _bells, law) * (2 / math.sqrt(math.pi))
    return copysign(looked_up(step, _erfs) + slope * series, x)


def _parts(law: Law, x: Node) -> tuple[Node, Node, Node, Node]:
    """|x|, the place next to it, what is between them, and the number of the place."""
    size = x.graph.apply(_size(law.farthest), (x,))
    moved = size + SHIFT  # which rounds it
    place = moved - SHIFT
    return size, place, size - place, x.graph.apply(_NUMBER, (moved,))


SHIFT = 1.5 * 2**52 / FINE
"""Numbers next to it are 1/`FINE` apart; what is added to it stands in their last bits."""


@lru_cache
def _size(most: float) -> Elementwise:
    def into(x: Array, out: Array) -> None:
        np.abs(np.clip(x, -most, most, out=out), out=out)  # `minimum` takes twice as long as both

    return _in_one("size", into, "float")


def _number(moved: Array, out: Array) -> None:
    np.bitwise_and(moved.view(np.int64), (1 << 32) - 1, out=out)


_NUMBER = _in_one("number", _number, "int")


@lru_cache
def _bells(law: Law) -> Array:
    """exp(-rate·x²) at all places."""
    place = np.arange(math.ceil(law.farthest * FINE) + 1) / FINE
    return np.exp(place * place * -law.rate)


@lru_cache
def _erfs() -> Array:
    """The error function at all places up to where it is 1."""
    return np.array([math.erf(place / FINE) for place in range(6 * FINE + 1)])


def _ratio(law: Law, power: int) -> Array:
    """The coefficients of one power in `_ratios`."""
    return _ratios(law)[power]


@lru_cache
def _ratios(law: Law) -> list[Array]:
    """The coefficients of the tail over the bell about all places, rising: those of the nearest
    coarse place, moved.
    """
    exact = _coarse(law)
    rows = [(row / ONE).astype(float)[:, None] for row in exact]
    first = np.array([int(math.ldexp(each, BITS)) for each in rows[0].flat], object)
    half = FINE // COARSE // 2
    between = np.arange(-half, half) / FINE
    found = []
    for power in range(DEGREE + 1):
        moved = np.zeros(())
        for i in range(LONG, power, -1):
            moved = (moved + math.comb(i, power) * rows[i]) * between
        if not power:  # what its own digits leave out
            moved += ((exact[0] - first) / ONE).astype(float)[:, None]
        if power == DEGREE - 1:  # what the next but one term is on average, as it is left out
            moved += rows[power + 2] * (0.5 / FINE) ** 2
        found.append((rows[power] + moved).reshape(-1)[half:])
    return found


def _coarse(law: Law) -> list[Array]:
    """The coefficients about places that are farther apart, times `ONE`.

    The ratio r has r' = 2·rate·(x·r - 1/w), where w is the square root of π/rate, from which all of
    them follow. They are whole numbers of Python's in arrays: in float64 the digits would cancel.
    """
    from decimal import Decimal, localcontext  # most programs start faster without

    with localcontext(prec=50):
        width = int((Decimal(PI) / Decimal(law.rate)).sqrt() * ONE)
    place = np.arange(math.ceil(law.farthest * COARSE) + 1).astype(object) * (ONE // COARSE)
    above, below = (_fixed(each, place) for each in law.inverse)
    rates = int(2 * law.rate)
    rows = [ONE * ONE // (above * ONE // below + (width * place >> BITS))]
    rows.append(rates * ((place * rows[0] >> BITS) - ONE * ONE // width))
    for power in range(2, LONG + 1):
        rows.append(rates * ((place * rows[-1] >> BITS) + rows[-2]) // power)
    return rows


def _fixed(coefficients: Sequence[float], x: Array) -> Array:
    """A polynomial in numbers with `BITS` bits behind the point."""
    found = 0 * x
    for each in reversed(coefficients):
        found = (found * x >> BITS) + int(math.ldexp(each, BITS))
    return found
