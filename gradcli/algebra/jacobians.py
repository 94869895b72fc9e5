"""Matrices of derivatives from products with a vector: what stands before the vector."""

from __future__ import annotations

from fractions import Fraction
from itertools import islice

from gradcli.algebra.algebra import Algebra
from gradcli.algebra.elements import opened
from gradcli.algebra.means import summed
from gradcli.algebra.terms import (
    BOUND,
    SINGLE,
    Applied,
    Atom,
    Bracket,
    Called,
    Element,
    Factor,
    Symbol,
    Tensor,
    Term,
    apart,
    delta,
    fresh_labels,
)
from gradcli.diagnostics import GradcliError
from gradcli.graph import Shape
from gradcli.language.syntax import Name


def without_seed(algebra: Algebra, tensor: Tensor, seed: str, shape: Shape) -> Tensor:
    """The matrix of which a tensor is the product with `seed`, of the given shape: the axes of the
    seed, then those of the tensor. Raises `not-differentiable` where it cannot be taken out.
    """
    ndim = len(shape)
    whole = (*shape, *tensor.shape)
    terms = []
    waiting = list(tensor.terms)
    while waiting:
        term = waiting.pop(0)
        holding = [each for each in term.factors if _holds(each.atom, seed)]
        if len(holding) != 1 or holding[0].power != 1:
            raise _stuck()
        (factor,) = holding
        rest = Term(term.coefficient, tuple(f for f in term.factors if f is not factor))
        if isinstance(factor.atom, Bracket):
            for inner in factor.atom.tensor.terms:
                placed = apart(inner, term).relabelled(dict(enumerate(factor.labels)))
                number = rest.coefficient * placed.coefficient
                waiting.append(Term(number, rest.factors + placed.factors))
            continue
        if isinstance(factor.atom, Element):
            several = islice(fresh_labels(term), len(factor.atom.places))
            found = opened(factor, list(several))
            waiting.append(Term(rest.coefficient, rest.factors + found.factors))
            continue
        if isinstance(factor.atom, Called) and factor.atom.name == "mean":
            waiting.append(summed(algebra, rest, factor))
            continue
        if not isinstance(factor.atom, Symbol):
            raise _stuck()
        terms.append(_opened(rest, factor, ndim))
    return algebra.tensor(whole, terms)


def _opened(rest: Term, seed: Factor, ndim: int) -> Term:
    """A term without the seed, whose labels become the first axes."""
    moved = {axis: axis + ndim for axis in rest.labels | set(seed.labels) if 0 <= axis < BOUND}
    extra: list[Factor] = []
    labels = seed.labels
    for axis, label in enumerate(labels):
        if label == SINGLE:
            continue
        if label >= BOUND and label not in moved:
            moved[label] = axis
        else:  # an axis that the result has as well
            length = delta(seed.atom.shape[axis])
            extra.append(Factor(length, (axis, moved[label])))
    bound = [label for label in rest.bound if label not in moved]
    fresh = fresh_labels(rest)
    moved |= dict(zip(bound, fresh, strict=False))
    found = rest.relabelled(moved)
    return Term(Fraction(found.coefficient), (*found.factors, *extra))


def _holds(atom: Atom, seed: str) -> bool:
    """Whether the seed stands in an atom."""
    waiting = [atom]
    while waiting:
        each = waiting.pop()
        tensors: tuple[Tensor, ...] = ()
        if isinstance(each, Symbol) and isinstance(each.text, Name) and each.text.id == seed:
            return True
        if isinstance(each, Applied | Called):
            tensors = each.operands
        elif isinstance(each, Bracket):
            tensors = (each.tensor,)
        elif isinstance(each, Element):
            waiting.append(each.of)
        waiting += [f.atom for tensor in tensors for term in tensor.terms for f in term.factors]
    return False


def _stuck() -> GradcliError:
    return GradcliError(
        "not-differentiable",
        "this matrix of derivatives cannot be written as a formula",
        hint="leave --jacobian or --hessian out: the gradient has a formula",
    )
