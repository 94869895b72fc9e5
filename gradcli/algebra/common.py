"""What terms of a finished sum share, taken out: done last, as other identities look for products.

`1/(1 + x) - x/(1 + x)²` is `1/(1 + x)²`, and `exp(-x) - x·exp(-x)` is `(1 - x)·exp(-x)`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import permutations

from gradcli.algebra.algebra import Algebra, inside
from gradcli.algebra.terms import (
    BOUND,
    Applied,
    Bracket,
    Factor,
    Symbol,
    Tensor,
    Term,
    atom_size,
    bracket,
)
from gradcli.ops.exponential import exp
from gradcli.ops.logistic import sigmoid
from gradcli.ops.powers import pow_

MOST_TERMS = 12
"""No sum of more terms is looked at as a whole."""
MOST_EXPANDED = 2
"""No higher power of a sum is multiplied out."""
MOST_FACTORS = 6
"""Among more factors no sum of products is looked for."""


def one_denominator(algebra: Algebra, tensor: Tensor) -> Tensor | None:
    """a/u + b/u² is (a·u + b)/u², where u multiplied out cancels with b or with what both share."""
    if len(tensor.terms) > MOST_TERMS:
        return None
    for first, second in permutations(tensor.terms, 2):
        for factor in second.factors:
            found = _raised(algebra, tensor, first, second, factor)
            if found is not None:
                others = [each for each in tensor.terms if each is not first and each is not second]
                return algebra.tensor(tensor.shape, [*others, found])
    return None


def _raised(
    algebra: Algebra, tensor: Tensor, first: Term, second: Term, factor: Factor
) -> Term | None:
    """Both terms over the denominator of the second."""
    if not isinstance(factor.atom, Bracket) or factor.power >= 0 or not _is_free(factor):
        return None
    same = (f for f in first.factors if f.atom == factor.atom and f.labels == factor.labels)
    before = next(same, None)
    difference = (before.power if before else 0) - factor.power
    if difference <= 0 or difference > MOST_EXPANDED:
        return None
    shared = [f for f in first.factors if f in second.factors and f is not before and _is_free(f)]
    terms = _multiplied_out(_less(first, before, *shared), replace(factor, power=difference))
    terms += _opened(_less(second, factor, *shared))
    total = algebra.tensor(tensor.shape, terms)
    if not total.terms:
        return None
    made = algebra.bracketed(total.narrowed(), total.used)
    fewer = before is not None and len(total.terms) < len(terms)
    cancels = fewer or made.factors[-1].atom in {f.atom for f in shared}
    if len(total.terms) == 1:
        (made,) = total.terms
    found = Term(made.coefficient, (*shared, *made.factors, factor))
    written = [Tensor(tensor.shape, each) for each in ((first, second), (found,))]
    return found if cancels and length(written[1]) < length(written[0]) else None


def _less(term: Term, *gone: Factor | None) -> Term:
    return Term(term.coefficient, tuple(each for each in term.factors if each not in gone))


def _opened(term: Term) -> list[Term]:
    """The terms of a product with sums."""
    for factor in term.factors:
        if isinstance(factor.atom, Bracket) and factor.power == 1 and _is_free(factor):
            return [part for each in inside(term, factor) for part in _opened(each)]
    return [term]


def _multiplied_out(term: Term, factor: Factor) -> list[Term]:
    """The terms of a product with a whole power of a sum; another power stays."""
    if factor.power.denominator != 1:
        return [Term(term.coefficient, (*term.factors, factor))]
    terms, single = [term], replace(factor, power=Fraction(1))
    for _ in range(int(factor.power)):
        terms = [
            part
            for each in terms
            for part in inside(Term(each.coefficient, (*each.factors, single)), single)
        ]
    return terms


def shared_functions(algebra: Algebra, tensor: Tensor) -> Tensor | None:
    """a·exp(x) + b·exp(x) is (a + b)·exp(x), of all terms."""
    if not 1 < len(tensor.terms) <= MOST_TERMS:
        return None
    first, *others = tensor.terms
    shared = [
        f for f in first.factors if _is_growth(f) and all(f in each.factors for each in others)
    ]
    return _taken_out(algebra, tensor, tensor.terms, shared) if shared else None


def same_denominators(algebra: Algebra, tensor: Tensor) -> Tensor | None:
    """a/u + b/u is (a + b)/u, of some of several terms."""
    if not 2 < len(tensor.terms) <= MOST_TERMS:
        return None
    groups: dict[frozenset[Factor], list[Term]] = {}
    for each in tensor.terms:
        below = frozenset(f for f in each.factors if f.power < 0 and not f.labels)
        groups.setdefault(below, []).append(each)
    for below, terms in groups.items():
        if 1 < len(terms) < len(tensor.terms) and not all(
            isinstance(f.atom, Symbol) for f in below
        ):
            return _taken_out(algebra, tensor, terms, [*below])
    return None


def _taken_out(
    algebra: Algebra, tensor: Tensor, terms: Sequence[Term], shared: Sequence[Factor]
) -> Tensor:
    """The sum with what some terms share before a bracket, in the place of the first."""
    rest = [_less(each, *shared) for each in terms]
    total = algebra.sum_of(tensor.shape, [part for each in rest for part in _opened(each)])
    if not 0 < len(total.terms) <= len(rest):
        total = Tensor(tensor.shape, tuple(rest))
    made = algebra.bracketed(total.narrowed(), total.used)
    found = Term(made.coefficient, (*made.factors, *shared))
    first = tensor.terms.index(terms[0])
    before = (each for each in tensor.terms[:first] if each not in terms)
    after = (each for each in tensor.terms[first:] if each not in terms)
    return Tensor(tensor.shape, (*before, found, *after))


def regrouped(algebra: Algebra, term: Term) -> list[Term] | None:
    """Σ_j W[i, j]·h[j] / (W @ h)[i]² is 1 / (W @ h)[i]."""
    for outer in term.factors:
        atom = outer.atom
        if not isinstance(atom, Bracket) or outer.power > -1 or len(atom.tensor.terms) != 1:
            continue
        (inner,) = atom.tensor.terms
        if inner.coefficient != 1 or not inner.bound:
            continue
        others = [each for each in term.factors if each is not outer]
        for chosen in (
            permutations(others, len(inner.factors)) if len(others) < MOST_FACTORS else ()
        ):
            if _are(inner, chosen, outer, term):
                more = [replace(outer, power=outer.power + 1)] if outer.power != -1 else []
                left = tuple(each for each in others if each not in chosen)
                return [Term(term.coefficient, (*left, *more))]
    return None


def _are(inner: Term, chosen: Sequence[Factor], outer: Factor, term: Term) -> bool:
    """Whether factors are those of a sum of products, at the labels of a bracket."""
    found = dict(enumerate(outer.labels))
    for own, each in zip(inner.factors, chosen, strict=True):
        if own.atom != each.atom or own.power != each.power:
            return False
        for label, at in zip(own.labels, each.labels, strict=True):
            if found.setdefault(label, at) != at:
                return False
    bound = [found[label] for label in inner.bound]
    rest = {label for each in term.factors if each not in chosen for label in each.labels}
    return len(set(bound)) == len(bound) and all(x >= BOUND and x not in rest for x in bound)


def cleared(algebra: Algebra, term: Term) -> list[Term] | None:
    """a·(1 + b/a) is a + b, and so are powers of it: 1/(x²·(1 + y²/x²)) is 1/(x² + y²). What is
    left of s·(1 - 1/s²) is s - 1/s.
    """
    for outer in term.factors:
        if not isinstance(outer.atom, Bracket):
            continue
        inner = outer.atom.tensor
        axes = {label: axis for axis, label in enumerate(outer.labels)}
        for factor in term.factors:
            power = factor.power / outer.power
            if factor is outer or power <= 0 or not set(factor.labels) <= set(axes):
                continue
            times = Factor(factor.atom, tuple(axes[label] for label in factor.labels), power)
            lowest = min(_power_of(times, each) for each in inner.terms)
            if power.denominator != 1 or lowest > -power:
                continue
            if lowest < -power:
                if outer.power == 1 and len(term.factors) == 2:
                    return inside(term, outer)
                continue
            product = (Term(each.coefficient, (*each.factors, times)) for each in inner.terms)
            found = algebra.sum_of(inner.shape, [*product])
            if len(found.terms) > 1:
                labels = tuple(outer.labels[axis] for axis in found.used)
                made = Factor(bracket(found.narrowed()), labels, outer.power)
                return [algebra.without(term, [outer, factor], made)]
    return None


def _power_of(factor: Factor, term: Term) -> Fraction:
    """To which power a product has what a factor has."""
    same = (f.power for f in term.factors if (f.atom, f.labels) == (factor.atom, factor.labels))
    return sum(same, Fraction(0))


def _is_growth(factor: Factor) -> bool:
    """An exponential, a power with a variable exponent, or the logistic function."""
    atom = factor.atom
    ops = (exp.op, pow_.op, sigmoid.op)
    return _is_free(factor) and isinstance(atom, Applied) and atom.node.op in ops


def _is_free(factor: Factor) -> bool:
    """Whether it is summed over no label."""
    return all(label < BOUND for label in factor.labels)


def length(tensor: Tensor) -> int:
    """How long a tensor is to write, about."""
    return sum(
        1 + sum(1 + 2 * atom_size(factor.atom) for factor in term.factors) for term in tensor.terms
    )
