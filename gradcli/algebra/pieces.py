"""Identities of functions that are put together of pieces: `where`, `maximum`, comparisons."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import permutations

from gradcli.algebra.algebra import Algebra
from gradcli.algebra.lift import elementwise
from gradcli.algebra.terms import BOUND, Applied, Atom, Factor, Tensor, Term
from gradcli.graph import Op
from gradcli.ops.activation import relu
from gradcli.ops.comparison import gt, lt
from gradcli.ops.kinds import CAST
from gradcli.ops.selection import maximum, where

MOST_TERMS = 12
"""No sum of more terms is looked at as a whole."""


def compared(algebra: Algebra, atom: Atom) -> Tensor | None:
    """q·x > (q - 1)·x is x > 0, where that is shorter; 0 > x is x < 0."""
    op = _op(atom)
    if not isinstance(atom, Applied) or op is None or op not in (gt.op, lt.op):
        return None
    a, b = atom.operands
    if not b.terms:
        return None
    gap = algebra.add(a, algebra.times(b, -1))
    turned = bool(gap.terms) and all(each.coefficient < 0 for each in gap.terms)
    if not gap.terms or (a.terms and gap.size >= a.size + b.size):
        return None
    other = lt.op if op is gt.op else gt.op
    assert other is not None
    nothing = Tensor(atom.shape, ())
    node = atom.node.graph.apply(other if turned else op, atom.node.inputs)
    gap = algebra.times(gap, -1) if turned else gap
    return elementwise(algebra, node, atom.shape, [gap, nothing])


def kept_parts(algebra: Algebra, term: Term) -> list[Term] | None:
    """max(0, x)·(x > 0) is max(0, x)."""
    for each in term.factors:
        if _op(each.atom) is not CAST or each.power <= 0:
            continue
        for other in term.factors:
            kept = _kept_part(other.atom)
            if kept is not None and other.power > 0 and other.labels == each.labels:
                (condition,) = _operands(each.atom)
                if _positive(condition) == kept.key:
                    return [algebra.without(term, [each])]
    return None


def pieces(algebra: Algebra, tensor: Tensor) -> Tensor | None:
    """where(c, a, 0)·p + where(c, 0, b)·q is where(c, a·p, b·q)."""
    if len(tensor.terms) > MOST_TERMS:
        return None
    for first, second in permutations(tensor.terms, 2):
        for yes in _branches(first, 1):
            for no in _branches(second, 2):
                same = yes.labels == no.labels and _condition(yes) == _condition(no)
                merged = _merged(algebra, (first, yes), (second, no)) if same else None
                if merged is not None:
                    others = (t for t in tensor.terms if t is not first and t is not second)
                    return algebra.sum_of(tensor.shape, [*others, merged])
    return None


def _branches(term: Term, place: int) -> Iterator[Factor]:
    """Factors `where(c, a, b)` of which only the operand at a place is not 0."""
    for each in term.factors:
        if _op(each.atom) is where.op and each.power == 1:
            operands = _operands(each.atom)
            plain = len(set(each.labels)) == len(each.labels) and min(each.labels, default=0) >= 0
            if plain and operands[place].terms and not operands[3 - place].terms:
                yield each


def _condition(factor: Factor) -> str:
    return _operands(factor.atom)[0].key


def _merged(
    algebra: Algebra, first: tuple[Term, Factor], second: tuple[Term, Factor]
) -> Term | None:
    """The two products as one, of what both have and a `where` of what they have not."""
    (term, yes), (other, no) = first, second
    shared = [
        each for each in term.factors
        if each in other.factors and all(x < BOUND or x in yes.labels for x in each.labels)
    ]  # fmt: skip
    one = _times_rest(algebra, term, yes, shared, 1)
    two = _times_rest(algebra, other, no, shared, 2)
    if one is None or two is None:
        return None
    number = Fraction(1)
    if len(one.terms) == len(two.terms) == 1:
        a, b = one.terms[0], two.terms[0]
        both = [each for each in a.factors if not each.labels and each in b.factors]
        if abs(a.coefficient) == abs(b.coefficient):
            number = a.coefficient
        one, two = (
            Tensor(
                each.shape,
                (Term(part.coefficient / number, tuple(f for f in part.factors if f not in both)),),
            )
            for each, part in ((one, a), (two, b))
        )
        shared += both
    assert isinstance(yes.atom, Applied)
    operands = [_operands(yes.atom)[0], one, two]
    (made,) = elementwise(algebra, yes.atom.node, yes.atom.shape, operands).terms
    placed = made.relabelled(dict(enumerate(yes.labels)))
    return Term(number * placed.coefficient, (*shared, *placed.factors))


def _times_rest(
    algebra: Algebra, term: Term, branch: Factor, shared: list[Factor], place: int
) -> Tensor | None:
    """What a branch selects, times the rest of the product, if that has no other axes."""
    rest = Term(
        term.coefficient,
        tuple(each for each in term.factors if each is not branch and each not in shared),
    )
    around = {label for each in (branch, *shared) for label in each.labels}
    if any(
        label not in branch.labels and (label < BOUND or label in around) for label in rest.labels
    ):
        return None
    axes = {label: axis for axis, label in enumerate(branch.labels)}
    shape = branch.atom.shape
    factor = Tensor(shape, (rest.relabelled(axes),))
    return algebra.multiply(_operands(branch.atom)[place], factor)


def _op(atom: Atom) -> Op | None:
    return atom.node.op if isinstance(atom, Applied) else None


def _operands(atom: Atom) -> tuple[Tensor, ...]:
    assert isinstance(atom, Applied)
    return atom.operands


def _kept_part(atom: Atom) -> Tensor | None:
    """The x of `relu(x)` and `maximum(0, x)`."""
    if _op(atom) is relu.op:
        return _operands(atom)[0]
    if _op(atom) is maximum.op:
        a, b = _operands(atom)
        return b if not a.terms else a if not b.terms else None
    return None


def _positive(condition: Tensor) -> str:
    """The key of the x of a condition `x > 0`."""
    if len(condition.terms) != 1 or len(condition.terms[0].factors) != 1:
        return ""
    (only,) = condition.terms[0].factors
    if _op(only.atom) is not gt.op or _operands(only.atom)[1].terms:
        return ""
    return _operands(only.atom)[0].key
