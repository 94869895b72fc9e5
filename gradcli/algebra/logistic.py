"""Identities of the logistic function, as rewrites of terms.

Source: Bishop, Pattern Recognition and Machine Learning (2006), section 4.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from gradcli.algebra.algebra import Algebra
from gradcli.algebra.lift import softmax
from gradcli.algebra.terms import Applied, Bracket, Factor, Tensor, Term, bracket, digest, whole
from gradcli.graph import Op
from gradcli.ops.exponential import exp
from gradcli.ops.logistic import sigmoid


def sigmoids(algebra: Algebra, term: Term) -> list[Term] | None:
    """1 / (1 + exp(u)) is sigmoid(-u), and exp(u)·sigmoid(-u) is sigmoid(u), as is
    exp(u)·(1 - sigmoid(u)).
    """
    for each in term.factors:
        found = _exponential_plus_one(each)
        if found is not None and each.power.denominator == 1 and each.power < 0:
            exponential, axes = found
            made = _sigmoid(algebra, exponential, algebra.times(exponential.operands[0], -1))
            placed = tuple(each.labels[axis] for axis in axes)
            return [algebra.without(term, [each], Factor(made, placed, -each.power))]
        if not isinstance(each.atom, Applied) or each.atom.node.op is not exp.op or each.power < 0:
            continue
        (u,) = each.atom.operands
        other = _sigmoid(algebra, each.atom, algebra.times(u, -1))
        for pair in term.factors:
            if pair.atom == other and pair.labels == each.labels and pair.power > 0:
                both = min(each.power, pair.power)
                whole_pair = Factor(_sigmoid(algebra, each.atom, u), each.labels, both)
                rest = [replace(f, power=f.power - both) for f in (each, pair)]
                more = [f for f in rest if f.power]
                return [algebra.without(term, [each, pair], *more, whole_pair)]
        logistic = _sigmoid(algebra, each.atom, u)
        for pair in term.factors:
            alike = pair.labels == each.labels and pair.power == each.power == 1
            if alike and isinstance(pair.atom, Bracket):
                if not _is_complement(pair.atom.tensor, logistic):
                    continue
                return [algebra.without(term, [each, pair], Factor(logistic, each.labels))]
    return None


def _is_complement(tensor: Tensor, atom: Applied) -> bool:
    """Whether a sum is 1 - atom."""
    axes = tuple(range(tensor.ndim))
    other = Tensor(tensor.shape, (Term(Fraction(1)), Term(Fraction(-1), (Factor(atom, axes),))))
    return tensor.key == other.key


def opposites(algebra: Algebra, term: Term) -> list[Term] | None:
    """sigmoid(u)·sigmoid(-u) is sigmoid(u)·(1 - sigmoid(u)), where u has fewer signs than -u."""
    logistic = [
        (each, each.atom.operands[0])
        for each in term.factors
        if isinstance(each.atom, Applied) and each.atom.node.op is sigmoid.op and each.power == 1
    ]
    for each, u in logistic:
        if 2 * sum(part.coefficient < 0 for part in u.terms) > len(u.terms):
            continue
        opposite = algebra.times(u, -1).key
        for other, v in logistic:
            if v.key == opposite and other.labels == each.labels:
                one = Tensor(each.atom.shape, (Term(Fraction(1)),))
                rest = algebra.add(one, algebra.times(whole(each.atom), -1))
                return [algebra.without(term, [other], Factor(bracket(rest), each.labels))]
    return None


def shares(algebra: Algebra, term: Term) -> list[Term] | None:
    """exp(u) / Σ exp(u) is softmax(u)."""
    for each in term.factors:
        found = _sum_of_exponentials(each)
        if found is None or each.power >= 0:
            continue
        exponential, labels, axis = found
        for other in term.factors:
            along = tuple(label for place, label in enumerate(other.labels) if place != axis)
            if other.atom == exponential and other.power == 1 and along == labels:
                (x,) = exponential.operands
                (made,) = softmax(algebra, x, axis).terms
                placed = made.relabelled(dict(enumerate(other.labels)))
                more = [replace(each, power=each.power + 1)] if each.power != -1 else []
                return [algebra.without(term, [each, other], *more, *placed.factors)]
    return None


def _sum_of_exponentials(factor: Factor) -> tuple[Applied, tuple[int, ...], int] | None:
    """The exponential that is summed, the labels of the sum, and the axis of the sum."""
    if not isinstance(factor.atom, Bracket) or len(factor.atom.tensor.terms) != 1:
        return None
    (inner,) = factor.atom.tensor.terms
    if inner.coefficient != 1 or len(inner.factors) != 1 or len(inner.bound) != 1:
        return None
    (only,) = inner.factors
    if not (isinstance(only.atom, Applied) and only.atom.node.op is exp.op and only.power == 1):
        return None
    axis = only.labels.index(inner.bound[0])
    kept = [label for label in only.labels if label != inner.bound[0]]
    if kept != list(range(len(kept))):
        return None
    return only.atom, factor.labels, axis


def _exponential_plus_one(factor: Factor) -> tuple[Applied, tuple[int, ...]] | None:
    """The exponential in `1 + exp(u)`, and its axes there."""
    if not isinstance(factor.atom, Bracket) or len(factor.atom.tensor.terms) != 2:
        return None
    one, other = factor.atom.tensor.terms
    if one.factors:
        one, other = other, one
    if one.factors or one.coefficient != 1 or other.coefficient != 1 or len(other.factors) != 1:
        return None
    (only,) = other.factors
    if isinstance(only.atom, Applied) and only.atom.node.op is exp.op and only.power == 1:
        return only.atom, only.labels
    return None


def _sigmoid(algebra: Algebra, like: Applied, u: Tensor) -> Applied:
    node = like.node.graph.apply(_op(sigmoid.op), (like.node.inputs[0],))
    key = digest(node.op, node.attributes, [u.key])
    return Applied(like.shape, key, node=node, operands=(u,))


def _op(op: Op | None) -> Op:
    assert op is not None
    return op
