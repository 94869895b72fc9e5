"""Explanations of a constant factor between two gradients: program's numbers, sizes, π, ln 10."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np

from gradcli.analysis.diagnosis.claim import Claim
from gradcli.analysis.diagnosis.wording import Wording
from gradcli.graph import CONSTANT, Array, Node
from gradcli.ops.exponential import exp
from gradcli.ops.powers import sqrt
from gradcli.ops.softmax import LOGSUMEXP
from gradcli.ops.statistics import VAR
from gradcli.simplify import number_of
from gradcli.walks import ancestors


class KnownNumber(NamedTuple):
    """A number of the program, and where it stands."""

    value: float
    words: str
    divides: float = 0.0
    """What it multiplies by if it is a divisor."""
    is_value: bool = False
    """Whether it is a value of this run, which may be like another number by chance."""

    def __str__(self) -> str:
        return f"{self.value:.6g} = {self.words}"


WELL_KNOWN = (
    KnownNumber(2.0, "the exponent of a square"),
    KnownNumber(math.pi, "pi"),
    KnownNumber(2 * math.pi, "2*pi"),
    KnownNumber(math.sqrt(2 * math.pi), "sqrt(2*pi)"),
    KnownNumber(math.sqrt(2), "sqrt(2)"),
    KnownNumber(math.log(2), "ln 2, of a logarithm or power to base 2"),
    KnownNumber(math.log(10), "ln 10, of a logarithm or power to base 10"),
    KnownNumber(180 / math.pi, "180/pi, degrees instead of radians"),
    KnownNumber(math.e, "e"),
    KnownNumber(10.0, "a power of ten"),
    KnownNumber(100.0, "a power of ten, or per cent"),
    KnownNumber(1000.0, "a power of ten"),
)
EXPONENT, FACTOR = "the exponent", "a constant"
"""What numbers are that stand in a program."""
EITHER = 3
"""The most things that are said to have one number."""
FIRST = 20
"""The most numbers of which pairs are tried."""
MOST = 200
"""The most single values that are tried."""


def ratio(mine: Array, right: Array, rtol: float) -> float | None:
    """The k with mine = k · right in every element; None where there is none."""
    if mine.shape != right.shape or not right.size:
        return None
    place = np.unravel_index(np.argmax(np.abs(right)), right.shape)
    if not (np.isfinite(mine).all() and np.isfinite(right).all()) or right[place] == 0:
        return None
    k = float(mine[place] / right[place])
    scaled = k * right
    near = np.abs(mine - scaled) <= 4 * rtol * np.abs(scaled) + 1e-15 * np.abs(scaled[place])
    return k if k and near.all() else None


def meanings(
    claim: Claim, words: Wording, k: float, rtol: float
) -> tuple[Sequence[str], Sequence[str]]:
    """Sentences that explain k, not its sign, the most likely first: by numbers that the program
    computes with; and by sizes and mathematics, or else by two numbers.
    """
    size = abs(k)
    own = [each for each in program_numbers(claim, words) if _explains(each.value)]
    own.sort(key=lambda each: each.value < 1)  # 2 is missing, rather than 0.5 too much
    less = KnownNumber(claim.leaf.size - 1.0, f"n - 1, with the n elements of {claim.name}")
    guesses = () if claim.is_formula else (*sizes(claim), *WELL_KNOWN, less)
    general = [each for each in guesses if _explains(each.value)]
    written, found = ([each for each in own if each.is_value == is_] for is_ in (False, True))
    told = [*_told(written, size, rtol), *_told(found, size, rtol)]
    single = told, list(_told(general, size, rtol))
    if any(single) or claim.is_formula:
        return single
    return [], list(_pairs([*own, *general][:FIRST], size, rtol))


def _explains(value: float) -> bool:
    return value not in (0.0, 1.0) and math.isfinite(value)


def _told(known: Sequence[KnownNumber], size: float, rtol: float) -> Iterator[str]:
    """A sentence for each number that explains a factor; what has the same number is in one."""
    for power, what in (
        (1, "it is a factor too much, or a division by it is missing"),
        (-1, "it is missing as a factor, or divides where it should not"),
    ):
        found = [each for each in known if _same(size, each.value**power, rtol)]
        if found:
            each_of = [*dict.fromkeys(each.words for each in found)]
            either, value = " or ".join(each_of[:EITHER]), f"{found[0].value:.6g}"
            powers = any(each.startswith(EXPONENT) for each in each_of)
            if powers or found[0].value == 2 or len(each_of) > EITHER:  # of a root, a sum of pairs
                either += f", or another {value}"
            yield f"{value} = {either}: {what}"


def _pairs(known: list[KnownNumber], size: float, rtol: float) -> Iterator[str]:
    """Two numbers, of which one is a factor and the other a factor or a divisor."""
    for a, b in product(known, known):
        if _same(size, a.value / b.value, rtol):
            yield f"{a}, divided by {b}"
        elif _same(size, a.value * b.value, rtol):
            yield f"{a}, times {b}"


def _same(a: float, b: float, rtol: float) -> bool:
    return abs(a - b) <= 2 * rtol * abs(b)


def is_written(claim: Claim, words: Wording, k: float, rtol: float) -> bool:
    """Whether a gradient without an exponent, a factor or a divisor that stands in the program is k
    times the right one.
    """
    written = [
        each for each in program_numbers(claim, words)
        if each.words.startswith((EXPONENT, FACTOR)) and _explains(each.value)
    ]  # fmt: skip
    forgotten = (each.value if each.divides else 1 / each.value for each in written)
    return any(_same(abs(k), each, rtol) for each in forgotten)


def program_numbers(claim: Claim, words: Wording) -> Iterator[KnownNumber]:
    """Numbers that the program computes with: counts, exponents, constants, single values."""
    nodes = ancestors(claim.walk.outputs)
    point = claim.points[0]
    for node in claim.between:
        if node.op.averages or node.op is VAR:
            n = node.inputs[0].size // max(1, node.size)
            place = words.place(node)
            yield KnownNumber(float(n), f"the number of elements n in {place}")
            yield KnownNumber(n / max(1, n - 1), f"n/(n - 1) in {place}")
            if node.op is VAR:
                yield KnownNumber(float(n - 1), f"n - 1 in {place}")
        if node.op.infix == "/" and node.inputs[1].span == node.span:
            above, below = node.inputs  # a derived function divides by a count
            if above in claim.moving and below not in claim.moving and below.size == 1:
                told = f"the number n of elements that {words.formula(node)} averages"
                yield KnownNumber(_single(point.value(below)), told)
        yield from _written(node, words)
    for node in nodes[:MOST]:
        single = node.size == 1 and node.kind == "float" and not claim.is_formula
        if single and node.op is not CONSTANT and node is not claim.leaf:
            value = _single(point.value(node))
            told = f"the value of {words.of(node)}"
            yield KnownNumber(value, told, is_value=True)
            yield KnownNumber(value**2, f"the square of {told}", is_value=True)
            if node.op is LOGSUMEXP:
                total = point.value(exp(node))
                told = f"the sum of which {words.of(node)} is the log"
                yield KnownNumber(_single(total), told, is_value=True)
    leaf = point.value(claim.leaf)
    if leaf is not None and leaf.size > 1 and not claim.is_formula:
        norm = float(np.linalg.norm(leaf.ravel()))
        yield KnownNumber(norm, f"the norm of {claim.name}", is_value=True)


def _written(node: Node, words: Wording) -> Iterator[KnownNumber]:
    """Exponents, factors and divisors."""
    if node.op is sqrt.op:
        yield KnownNumber(1.0, f"the root in {words.formula(node)}", 0.5)  # of its derivative
    for position, operand in enumerate(node.inputs):
        value = number_of(operand)
        counts = (node.op.infix, position) == ("/", 1) and operand.span == node.span
        if value is not None and not counts:
            what = EXPONENT if (node.op.infix, position) == ("**", 1) else FACTOR
            divides = 1 / abs(value) if value and node.op.infix == "/" and position else 0.0
            yield KnownNumber(abs(value), f"{what} in {words.formula(node)}", divides)


def _single(value: Array | None) -> float:
    return math.nan if value is None else abs(float(value.reshape(())))


def sizes(claim: Claim) -> Iterator[KnownNumber]:
    """Numbers of elements, of all and along axes."""
    named = {claim.name: claim.leaf} | claim.walk.problem.names | claim.walk.vectors
    for name, node in named.items():
        yield KnownNumber(float(node.size), f"the number of elements of {name}")
        if node.ndim > 1:
            for axis, length in enumerate(node.shape):
                yield KnownNumber(float(length), f"the length of axis {axis} of {name}")
