"""Roots of sums of squares: norms and standard deviations."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from gradcli.algebra.algebra import Algebra
from gradcli.algebra.terms import Applied, Bracket, Called, Factor, Tensor, Term, digest
from gradcli.ops.p_norm import NORM
from gradcli.ops.statistics import VAR

HALF = Fraction(1, 2)


def norms(algebra: Algebra, term: Term) -> list[Term] | None:
    """The root of a sum of squares is a norm, and that of a variance a standard deviation."""
    for each in term.factors:
        if abs(each.power) == HALF:
            found = _root(algebra, each)
            if found is not None:
                return [algebra.without(term, [each], found)]
        if each.power.denominator == 2 and abs(each.power) > 1:
            found = _root(algebra, replace(each, power=HALF))
            if found is not None:
                power = each.power * 2
                return [algebra.without(term, [each], replace(found, power=power))]
    return None


def squared_norm(algebra: Algebra, norm: Tensor) -> Tensor | None:
    """The sum of the squares of all elements of which a norm is the root."""
    if len(norm.terms) != 1 or norm.terms[0].coefficient != 1 or len(norm.terms[0].factors) != 1:
        return None
    (only,) = norm.terms[0].factors
    if only.power != 1 or only.atom.shape:
        return None
    match only.atom:
        case Called(name="norm", operands=(x,)):
            pass
        case Applied(node=node, operands=(x,)) if node.op is NORM and node.attributes[2] == 2:
            pass
        case _:
            return None
    return algebra.total(algebra.multiply(x, x), range(x.ndim))


def _root(algebra: Algebra, factor: Factor) -> Factor | None:
    atom, power = factor.atom, factor.power * 2
    if isinstance(atom, Applied) and atom.node.op is VAR:
        axes, _, correction = atom.node.attributes
        (x,) = atom.operands
        more = () if correction == 1 else (("correction", correction),)
        found = Called(
            atom.shape,
            digest("std", atom.key),
            name="std",
            operands=(x,),
            keywords=(*dims(tuple(a % x.ndim for a in axes), x.ndim), *more),
        )
        return Factor(found, factor.labels, power)
    if not isinstance(atom, Bracket) or len(atom.tensor.terms) != 1:
        return None
    (inner,) = atom.tensor.terms
    if inner.coefficient != 1 or any(f.power % 2 or f.power <= 0 for f in inner.factors):
        return None
    bound = inner.bound
    shape = (*atom.shape, *(inner.length(label) for label in bound))
    labels = {label: len(atom.shape) + place for place, label in enumerate(bound)}
    roots = tuple(replace(f, power=f.power / 2) for f in inner.factors)
    if not bound or any(f.power != 1 for f in roots):
        return None
    x = algebra.tensor(shape, [Term(Fraction(1), roots).relabelled(labels)])
    if len(x.terms) == 1 and len(x.terms[0].factors) == 1 and x.ndim == 2 and not atom.shape:
        (only,) = x.terms[0].factors
        x = x if only.labels == (0, 1) else x.permuted((1, 0))
    first = len(atom.shape)
    if len(atom.shape) == 1 and x.ndim == 2:
        (only, *others) = x.terms[0].factors
        if not others and only.labels == (1, 0):
            x, first = x.permuted((1, 0)), 0
    axes = tuple(range(first, first + len(bound)))
    found = Called(
        atom.shape,
        digest("norm", x.key, axes),
        name="norm",
        operands=(x,),
        keywords=dims(axes, x.ndim),
    )
    return Factor(found, factor.labels, power)


def dims(axes: tuple[int, ...], ndim: int) -> tuple[tuple[str, object], ...]:
    if len(axes) == ndim:
        return ()
    return (("dim", axes[0] if len(axes) == 1 else axes),)
