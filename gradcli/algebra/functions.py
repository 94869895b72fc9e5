"""Functions of single elements, and tensors of other shapes, as rewrites of terms."""

from __future__ import annotations

from itertools import islice

from gradcli.algebra.algebra import Algebra
from gradcli.algebra.lift import elementwise
from gradcli.algebra.terms import (
    BOUND,
    SINGLE,
    Applied,
    Factor,
    Tensor,
    Term,
    apart,
    fresh_labels,
)
from gradcli.ops.elementwise import Elementwise
from gradcli.ops.powers import pow_
from gradcli.ops.shaping import RESHAPE


def exponents(algebra: Algebra, term: Term) -> list[Term] | None:
    """x**(n - 1)·x is x**n."""
    for each in term.factors:
        if not (isinstance(each.atom, Applied) and each.atom.node.op is pow_.op):
            continue
        base, exponent = each.atom.operands
        single = base.terms[0] if len(base.terms) == 1 else None
        if each.power != 1 or not single or single.coefficient != 1 or len(single.factors) != 1:
            continue
        (only,) = single.factors
        if not all(0 <= axis < len(each.labels) for axis in only.labels):
            continue  # a sum, or an axis of length 1
        labels = tuple(each.labels[axis] for axis in only.labels)
        for other in term.factors:
            power = other.power / only.power
            if (other.atom, other.labels) != (only.atom, labels) or power.denominator != 1:
                continue
            more = Tensor(exponent.shape, (Term(power),))
            operands = [base, algebra.add(exponent, more)]
            found = elementwise(algebra, each.atom.node, each.atom.shape, operands)
            return _in_place_of(algebra, term, [each, other], found, each.labels)
    return None


def on_the_diagonal(algebra: Algebra, term: Term) -> list[Term] | None:
    """The diagonal of f(A) is f of the diagonal, where f is a function of single elements."""
    for each in term.factors:
        atom = each.atom
        if not (isinstance(atom, Applied) and isinstance(atom.node.op, Elementwise)):
            continue
        if len(each.labels) == 2 and each.labels[0] == each.labels[1]:
            shape = atom.shape[:1]
            operands = [algebra.product(shape, (x, (0, 0))) for x in atom.operands]
            found = elementwise(algebra, atom.node, shape, operands)
            found = algebra.power(found, each.power)
            return _in_place_of(algebra, term, [each], found, each.labels[:1])
    return None


def _in_place_of(
    algebra: Algebra, term: Term, gone: list[Factor], new: Tensor, labels: tuple[int, ...]
) -> list[Term] | None:
    """The term with a tensor at some labels in the place of factors; None if that is a sum."""
    if len(new.terms) != 1:
        return None
    made = apart(new.terms[0], term).relabelled(dict(enumerate(labels)))
    return [algebra.without(term, gone, *made.factors).times(made.coefficient)]


def reshaped(algebra: Algebra, term: Term) -> list[Term] | None:
    """A sum over all elements does not ask for their order: tensors that are reshaped in the same
    way are summed as they were.
    """
    for each in term.factors:
        if not (isinstance(each.atom, Applied) and each.atom.node.op is RESHAPE):
            continue
        (x,) = each.atom.operands
        alike = [f for f in term.factors if set(f.labels) & set(each.labels)]
        own = [label for label in each.labels if label != SINGLE]
        same = all(
            f.labels == each.labels
            and isinstance(f.atom, Applied)
            and f.atom.node.op is RESHAPE
            and f.atom.operands[0].shape == x.shape
            for f in alike
        )
        if not same or len(set(own)) < len(own) or any(label < BOUND for label in own):
            continue
        labels = list(islice(fresh_labels(term), x.ndim))
        parts = [
            (algebra.power(f.atom.operands[0], f.power), labels)
            for f in alike if isinstance(f.atom, Applied)
        ]  # fmt: skip
        return _in_place_of(algebra, term, alike, algebra.product((), *parts), ())
    return None
