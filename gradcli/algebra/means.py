"""Means along whole axes, and the sums that they are."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from gradcli.algebra.algebra import Algebra
from gradcli.algebra.norms import dims
from gradcli.algebra.terms import BOUND, Bracket, Called, Factor, Term, digest, fresh_labels, whole


def means(algebra: Algebra, term: Term) -> list[Term] | None:
    """A sum over whole axes, divided by their lengths, is a mean."""
    for each in term.factors:
        if each.power != 1 or (isinstance(each.atom, Bracket) and not each.labels):
            continue
        others = {label for f in term.factors if f is not each for label in f.labels}
        alone = [x for x in each.labels if x >= BOUND and x not in others]
        places = [place for place, x in enumerate(each.labels) if x in alone]
        if not alone or len(set(alone)) < len(places):
            continue
        divisors: list[Factor] = []
        for place in places:
            (count,) = algebra.length(each.atom.shape[place]).terms
            divisors += [replace(f, power=Fraction(-1)) for f in count.factors]
        if len(divisors) < len(places) or any(d not in term.factors for d in divisors):
            continue
        if len(set(divisors)) < len(divisors):
            continue
        kept = [place for place in range(len(each.labels)) if place not in places]
        x = whole(each.atom)
        found = Called(
            tuple(x.shape[place] for place in kept),
            digest("mean", x.key, places),
            name="mean",
            operands=(x,),
            keywords=dims(tuple(places), x.ndim),
        )
        factor = Factor(found, tuple(each.labels[place] for place in kept))
        rest = (f for f in term.factors if f is not each and f not in divisors)
        return [Term(term.coefficient, (*rest, factor))]
    return None


def summed(algebra: Algebra, rest: Term, mean: Factor) -> Term:
    """A product with a mean, as the sum over the axes along which it is taken."""
    assert isinstance(mean.atom, Called)
    (x,) = mean.atom.operands
    (inner,) = x.terms
    dim = dict(mean.atom.keywords).get("dim", tuple(range(x.ndim)))
    gone = dim if isinstance(dim, tuple) else (dim,)
    fresh, kept = iter(fresh_labels(rest, Term(Fraction(1), (mean,)))), iter(mean.labels)
    labels = {axis: next(fresh if axis in gone else kept) for axis in range(x.ndim)}
    found = inner.relabelled(labels)
    for axis in gone:
        (count,) = algebra.power(algebra.length(x.shape[axis]), Fraction(-1)).terms
        found = Term(found.coefficient * count.coefficient, found.factors + count.factors)
    return Term(rest.coefficient * found.coefficient, rest.factors + found.factors)
