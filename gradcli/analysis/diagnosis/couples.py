"""Two mistakes in one formula that explain it together.

Two in different terms change the formula by the sum of what each changes, and two in different
factors by the product: so of thousands of mutants the pairs are found by their numbers alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, islice

import numpy as np

from gradcli.analysis.diagnosis.alternatives import Slip
from gradcli.analysis.diagnosis.mutants import LIKELY, Mutant, with_each
from gradcli.analysis.diagnosis.mutation import EACH, Mutation
from gradcli.analysis.diagnosis.typed import Tolerant
from gradcli.graph import Array, Node
from gradcli.language.rewrite import Place, places, replaced
from gradcli.language.syntax import Expression, Name, Number

DEAREST, OF_NUMBERS, OF_TERMS = 1.6, 1.9, 1.7
"""What each of two costs at most, and what it does if it is a factor like log(10), or a name that
is not taken away.
"""
PAIRS, SHOWN = 400, 12
"""So many pairs that give the numbers are kept, and so many of them, the most likely, tried."""
SAMPLE = 40
"""So many elements are compared first."""
NEARLY = 1e-8


def couple(mutation: Mutation) -> Slip | None:
    """The most likely two that were found."""
    return next(chain(_apart(mutation), _of_the_pen(mutation)), None)


def _apart(mutation: Mutation) -> Iterator[Slip]:
    """Two in different terms, or in different factors; twice the same piece may be put there by a
    coincidence.
    """
    grad, mine = (_numbers(mutation, each) for each in (mutation.claim.grad, mutation.claim.mine))
    known: list[Mutant] = []
    rows: list[Array] = []
    for node, mutant in list(mutation.tried.items()):
        if mutant is not None and mutant.there is None and _is_likely(mutant):
            row = _numbers(mutation, node)
            if row.shape == grad.shape and np.isfinite(row).all():
                known.append(mutant)
                rows.append(row)
    if not rows or grad.shape != mine.shape or not np.isfinite(grad).all():
        return
    table = np.stack(rows)
    with np.errstate(all="ignore"):
        sums = _pairs(table - mine, grad - mine)
        products = _pairs(np.log(np.abs(table / mine)), np.log(np.abs(grad / mine)))
    found = sorted({*sums, *products}, key=lambda each: known[each[0]].cost + known[each[1]].cost)
    couples = ((known[one], known[other]) for one, other in found)
    for one, other in islice(
        (each for each in couples if not (_replaces(*each) or _is_done_once(*each))), SHOWN
    ):
        formula = _both(one, other)
        if formula is None or mutation.idles(formula) or not mutation.explains(formula):
            continue
        if one.put != other.put or not one.put or mutation.is_plain(formula):
            yield Slip((one, other), formula, doubtful=_wraps(one, other) or _wraps(other, one))


def _replaces(*couple: Mutant) -> bool:
    """Whether something is put for what is taken away: with that, anything can be explained."""
    one = ["extra" for each in couple if isinstance(each.instead, Number)]  # a/1 for a/2
    kinds = {*one, *(each.code.rpartition("-")[2] for each in couple)}
    return kinds >= {"extra", "missing"}


def _is_done_once(*couple: Mutant) -> bool:
    """Whether a name is not taken away in one place alone."""
    codes = {each.code for each in couple}
    dear = any(each.cost > DEAREST and each.code == "term-missing" for each in couple)
    return dear and len(codes) > 1


def _is_likely(mutant: Mutant) -> bool:
    piece = mutant.piece and places(mutant.piece.expression)
    named = piece is None or any(isinstance(each.part, Name) and each.is_value for each in piece)
    own = (
        mutant.code == "term-missing" and mutant.piece and isinstance(mutant.piece.expression, Name)
    )
    dearest = OF_TERMS if own else DEAREST if named else OF_NUMBERS
    return not mutant.cuts_off and mutant.cost <= dearest


def _wraps(outer: Mutant, inner: Mutant) -> bool:
    """Whether one changes the whole of something of which the other changes a part."""
    whole = outer.place.part
    inside = _is_inside(inner.place, outer.place)
    return inside and any(each.part is whole for each in places(outer.instead))


def _both(one: Mutant, other: Mutant) -> Expression | None:
    """The formula with two changes; None where one leaves no place for the other."""
    inner, outer = (one, other) if _is_inside(one.place, other.place) else (other, one)
    if _is_inside(inner.place, outer.place):
        inside = (each for each in places(outer.instead) if each.part is inner.place.part)
        found = next(inside, None)
        return found and replaced(outer.place, replaced(found, inner.instead))
    parts = [each.part for each in places(one.place.whole)]
    there = {
        next(n for n, part in enumerate(parts) if part is each.place.part): each.instead
        for each in (one, other)
    }
    return with_each(one.place.whole, there)


def _is_inside(place: Place, other: Place) -> bool:
    """Whether a place is another one, or inside of it."""
    above: Place | None = place
    while above is not None and above.part is not other.part:
        above = above.above
    return above is not None


def _numbers(mutation: Mutation, node: Node) -> Array:
    """Some elements of a node at all points; none where it has no value."""
    with Tolerant():
        values = [point.value(node) for point in mutation.points]
        flat = np.concatenate([np.ravel(np.asarray(each, np.float64)) for each in values])
        return np.asarray(flat[np.linspace(0, flat.size - 1, min(flat.size, SAMPLE)).astype(int)])
    return np.empty(0)


def _pairs(rows: Array, whole: Array) -> list[tuple[int, int]]:
    """Which two rows have this sum."""
    usable = np.flatnonzero(np.isfinite(rows).all(axis=1) & rows.any(axis=1))
    if not usable.size or not np.isfinite(whole).all():
        return []
    rows = rows[usable]
    weights = np.random.default_rng(0).uniform(0.5, 1.0, whole.size)
    keys, target = rows @ weights, float(whole @ weights)
    order = np.argsort(keys)
    slack = NEARLY * (np.abs(whole) @ weights + np.abs(rows) @ weights)
    ends = [np.searchsorted(keys[order], target - keys + side * slack) for side in (-1, 1)]
    found = []
    for one, (first, last) in enumerate(zip(*ends, strict=True)):
        for other in order[first:last]:
            near = np.abs(rows[one] + rows[other] - whole) <= NEARLY * np.abs(whole).max()
            if one < other and near.all():
                found.append((int(usable[one]), int(usable[other])))
        if len(found) >= PAIRS:
            break
    return found


def _of_the_pen(mutation: Mutation) -> Iterator[Slip]:
    """Two that are made often, at any two places."""
    likely = (each for each in mutation.mutants if each.cost <= LIKELY)
    for first in islice(likely, mutation.firsts):
        if mutation.left <= 0:
            return
        mutants = islice(mutation.grower.slight(first.tree), EACH * mutation.left)
        for second in mutation.right(each for each in mutants if each.cost <= LIKELY):
            yield Slip((first, second), second.tree)
