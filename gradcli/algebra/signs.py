"""Identities of sign and abs, as rewrites of terms."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from gradcli.algebra.algebra import Algebra
from gradcli.algebra.lift import elementwise
from gradcli.algebra.terms import Applied, Factor, Tensor, Term, bracket
from gradcli.ops.selection import abs_, sign


def signs(algebra: Algebra, term: Term) -> list[Term] | None:
    """sign(x)·abs(x) is x, and sign(x)/abs(x) is 1/x."""
    for each in term.factors:
        if isinstance(each.atom, Applied) and each.atom.node.op is sign.op and each.power == 1:
            for other in term.factors:
                if (
                    isinstance(other.atom, Applied)
                    and other.atom.node.op is abs_.op
                    and other.power.denominator == 1
                    and other.labels == each.labels
                    and other.atom.operands[0].key == each.atom.operands[0].key
                ):
                    (x,) = each.atom.operands
                    inverse = other.power == -1
                    left = other.power + 1 if inverse else other.power - 1
                    more = [replace(other, power=left)] if left else []
                    placed = Factor(bracket(x), each.labels)
                    if inverse:
                        (under,) = algebra.power(x, Fraction(-1)).terms
                        kept = algebra.without(term, [each, other], *more)
                        inner = under.relabelled(dict(enumerate(each.labels)))
                        number = kept.coefficient * inner.coefficient
                        return [Term(number, kept.factors + inner.factors)]
                    return [algebra.without(term, [each, other], *more, placed)]
    return None


def magnitudes(algebra: Algebra, term: Term) -> list[Term] | None:
    """abs(x)² is x², and sign(x)·x² is x·abs(x)."""
    for each in term.factors:
        if not isinstance(each.atom, Applied):
            continue
        if each.atom.node.op is abs_.op and each.power % 2 == 0:
            even = algebra.power(each.atom.operands[0], each.power)
            return [_replaced(algebra, term, [each], even, each)]
        if each.atom.node.op is not sign.op or each.power != 1:
            continue
        (x,) = each.atom.operands
        for other in term.factors:
            if other.power >= 1 and _is_at(x, other, each):
                assert abs_.op is not None
                node = each.atom.node.graph.apply(abs_.op, each.atom.node.inputs)
                size = elementwise(algebra, node, each.atom.shape, [x])
                left = algebra.power(x, other.power - 1)
                product = algebra.multiply(left, size)
                return [_replaced(algebra, term, [each, other], product, each)]
    return None


def _is_at(x: Tensor, other: Factor, at: Factor) -> bool:
    """Whether a factor is a power of x at the labels of another."""
    if len(x.terms) != 1 or x.terms[0].coefficient != 1:
        return other.atom == bracket(x) and other.labels == at.labels
    placed = x.terms[0].relabelled(dict(enumerate(at.labels)))
    return placed.factors == (replace(other, power=Fraction(1)),)


def _replaced(algebra: Algebra, term: Term, gone: list[Factor], new: Tensor, at: Factor) -> Term:
    """A product with a tensor of one term in the place of factors."""
    (made,) = new.terms
    placed = made.relabelled(dict(enumerate(at.labels)))
    return algebra.without(term, gone, *placed.factors).times(placed.coefficient)
