"""Identities of calculus and linear algebra, as rewrites of terms and atoms.

Each says the same in another way for regular matrices and away from kinks. Sources: Petersen and
Pedersen, The Matrix Cookbook (2012), section 1; Bishop, Pattern Recognition and Machine Learning
(2006), section 4.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from gradcli.algebra.algebra import Algebra, Rewrites, inside, spread
from gradcli.algebra.common import (
    MOST_TERMS,
    cleared,
    length,
    one_denominator,
    regrouped,
    same_denominators,
    shared_functions,
)
from gradcli.algebra.elements import elements
from gradcli.algebra.functions import exponents, on_the_diagonal, reshaped
from gradcli.algebra.lift import elementwise, softmax
from gradcli.algebra.logistic import opposites, shares, sigmoids
from gradcli.algebra.means import means
from gradcli.algebra.norms import norms
from gradcli.algebra.pieces import compared, kept_parts, pieces
from gradcli.algebra.signs import magnitudes, signs
from gradcli.algebra.terms import (
    BOUND,
    SINGLE,
    Applied,
    Atom,
    Bracket,
    Called,
    Delta,
    Factor,
    Tensor,
    Term,
    UnitVector,
    bracket,
    delta,
    digest,
    whole,
)
from gradcli.ops.classes import ONE_HOT
from gradcli.ops.determinants import DET
from gradcli.ops.exponential import exp, log
from gradcli.ops.hyperbolic import cosh, sinh, tanh
from gradcli.ops.softmax import LOGSUMEXP

# --- terms -----------------------------------------------------------------------------------


def powers(algebra: Algebra, term: Term) -> list[Term] | None:
    """x·x is x², x/x is 1."""
    found: dict[tuple[str, tuple[int, ...]], Factor] = {}
    for each in term.factors:
        labels = tuple(sorted(each.labels)) if each.atom.symmetric else each.labels
        if isinstance(each.atom, Delta | UnitVector) and (each.atom.key, labels) in found:
            continue  # its elements are 0 and 1
        before = found.get((each.atom.key, labels))
        first = before or replace(each, labels=each.labels if SINGLE in labels else labels)
        power = each.power + (before.power if before else 0)
        found[each.atom.key, labels] = replace(first, power=power)
    if len(found) == len(term.factors) and all(each.power for each in found.values()):
        return None
    kept = [each for each in found.values() if each.power]
    return [algebra.without(Term(term.coefficient, term.factors), term.factors, *kept)]


def deltas(algebra: Algebra, term: Term) -> list[Term] | None:
    """Σ_j δ[i, j]·x[j] is x[i], δ[i, j]·A[i, j] is δ[i, j]·A[i, i], and Σ_i δ[i, i] the length of
    the axis.
    """
    for each in term.factors:
        if not isinstance(each.atom, Delta):
            continue
        first, second = each.labels
        if first == second:
            return [algebra.without(term, [each])]
        label, other = (second, first) if second >= BOUND else (first, second)
        if label >= BOUND:
            rest = Term(term.coefficient, tuple(f for f in term.factors if f is not each))
            return [rest.relabelled({label: other})]
        rest = Term(term.coefficient, tuple(f for f in term.factors if f is not each))
        if second in rest.labels:
            return [Term(term.coefficient, (*rest.relabelled({second: first}).factors, each))]
    return None


def inverses(algebra: Algebra, term: Term) -> list[Term] | None:
    """inv(A) @ A is the identity."""
    for each in term.factors:
        if not (isinstance(each.atom, Called) and each.atom.name == "inv" and each.power == 1):
            continue
        (inside,) = each.atom.operands
        single = inside.terms[0] if len(inside.terms) == 1 else None
        if single and len(single.factors) == 1 and single.coefficient == 1:
            (only,) = single.factors
            turned = only.labels == (1, 0)
            key = only.atom.key if only.power == 1 and set(only.labels) == {0, 1} else ""
        else:
            turned, key = False, bracket(inside).key
        for other in term.factors:
            if other.atom.key != key or other.power != 1 or len(other.labels) != 2:
                continue
            i, j = each.labels
            p, q = reversed(other.labels) if turned else other.labels
            count = [label for factor in term.factors for label in factor.labels]
            for inner, outer in (((j, p), (i, q)), ((i, q), (p, j))):
                if inner[0] == inner[1] >= BOUND and count.count(inner[0]) == 2:
                    identity = delta(each.atom.shape[0])
                    rest = tuple(f for f in term.factors if f is not each and f is not other)
                    return [Term(term.coefficient, (*rest, Factor(identity, outer)))]
    return None


def sums_to_one(algebra: Algebra, term: Term) -> list[Term] | None:
    """The sum of a softmax over its axis is 1, and so is that of one_hot over its classes."""
    for each in term.factors:
        axis = _summing_to_one(each.atom)
        if axis is None or each.power != 1:
            continue
        label = each.labels[axis]
        uses = [other for f in term.factors for other in f.labels if other == label]
        if label >= BOUND and len(uses) == 1:
            rest = Term(term.coefficient, tuple(f for f in term.factors if f is not each))
            left = {x for x in each.labels if x >= BOUND and x != label} - rest.labels
            return [algebra.counted(rest, [term.length(x) for x in left])]
    return None


def _summing_to_one(atom: Atom) -> int | None:
    """The axis along which the elements sum to 1."""
    if isinstance(atom, Applied) and atom.node.op is ONE_HOT:
        return len(atom.shape) - 1
    if isinstance(atom, Called) and atom.name == "softmax":
        axis: int = dict(atom.keywords)["dim"]
        return axis
    return None


def tangents(algebra: Algebra, term: Term) -> list[Term] | None:
    """sinh(x)/cosh(x) is tanh(x)."""
    for each in term.factors:
        if not (isinstance(each.atom, Applied) and each.atom.node.op is sinh.op):
            continue
        for other in term.factors:
            if (
                isinstance(other.atom, Applied)
                and other.atom.node.op is cosh.op
                and other.labels == each.labels
                and other.power == -each.power
                and other.atom.operands[0].key == each.atom.operands[0].key
            ):
                assert tanh.op is not None
                node = each.atom.node
                found = elementwise(
                    algebra,
                    node.graph.apply(tanh.op, node.inputs),
                    each.atom.shape,
                    each.atom.operands,
                )
                (made,) = found.terms[0].factors
                placed = replace(made, labels=each.labels, power=each.power)
                return [algebra.without(term, [each, other], placed)]
    return None


# --- sums ------------------------------------------------------------------------------------


def complements(algebra: Algebra, tensor: Tensor) -> Tensor | None:
    """a·f - c·a·f² is a·f·(1 - c·f), of whole numbers c."""
    if len(tensor.terms) > MOST_TERMS:
        return None
    for first in tensor.terms:
        for second in tensor.terms:
            if first is second or not first.factors:
                continue
            times = -second.coefficient / first.coefficient
            if times < 1 or times.denominator != 1:
                continue
            for factor in first.factors:
                if not isinstance(factor.atom, Applied) or factor.power < 1:
                    continue
                more = replace(factor, power=factor.power + 1)
                squared = tuple(more if f is factor else f for f in first.factors)
                if Term(Fraction(1), squared).key == second.key:
                    one = Tensor(factor.atom.shape, (Term(Fraction(1)),))
                    rest = algebra.add(one, algebra.times(whole(factor.atom), -times))
                    made = Factor(bracket(rest), factor.labels)
                    product = Term(first.coefficient, (*first.factors, made))
                    others = (t for t in tensor.terms if t is not first and t is not second)
                    return Tensor(tensor.shape, (product, *others))
    return None


def expanded(algebra: Algebra, tensor: Tensor) -> Tensor | None:
    """(1 - y)·p - y·(1 - p) is p - y: brackets multiplied out, where that leaves less to write."""
    found = tensor
    while len(found.terms) <= MOST_TERMS:
        opened = next(
            (
                (place, inside(term, factor))
                for place, term in enumerate(found.terms)
                for factor in term.factors
                if _opens(factor) and len(term.factors) > 1
            ),
            None,
        )
        if opened is None:
            break
        place, terms = opened
        every = (*found.terms[:place], *terms, *found.terms[place + 1 :])
        found = algebra.sum_of(tensor.shape, every)
        if length(found) < length(tensor):
            return found
    return None


def _opens(factor: Factor) -> bool:
    """Whether a factor is a sum of products without sums over labels, and of single numbers."""
    return isinstance(factor.atom, Bracket) and factor.power == 1


# --- atoms -----------------------------------------------------------------------------------


def exponentials(algebra: Algebra, atom: Atom) -> Tensor | None:
    """exp(x - logsumexp(x)) is softmax(x); exp and log undo each other."""
    if not isinstance(atom, Applied) or atom.node.op not in (exp.op, log.op):
        return None
    (x,) = atom.operands
    other = log.op if atom.node.op is exp.op else exp.op
    if len(x.terms) == 1:
        (term,) = x.terms
        if term.coefficient == 1 and len(term.factors) == 1:
            (only,) = term.factors
            if isinstance(only.atom, Applied) and only.atom.node.op is other and only.power == 1:
                return only.atom.operands[0].onto(only.labels, x.shape)
        return None
    if atom.node.op is not exp.op:
        return None
    for place, term in enumerate(x.terms):
        if term.coefficient != -1 or len(term.factors) != 1:
            continue
        (only,) = term.factors
        if isinstance(only.atom, Applied) and only.atom.node.op is LOGSUMEXP and only.power == 1:
            axes = only.atom.node.attributes[0]
            rest = Tensor(x.shape, (*x.terms[:place], *x.terms[place + 1 :]))
            if len(axes) == 1 and rest.key == only.atom.operands[0].key:
                return softmax(algebra, rest, axes[0] % rest.ndim)
    return None


def inverted(algebra: Algebra, atom: Atom) -> Tensor | None:
    """inv(A.T) is inv(A).T, inv(inv(A)) is A, inv(c·A) is inv(A)/c."""
    if not isinstance(atom, Called) or atom.name != "inv" or atom.operands[0].ndim != 2:
        return None
    (x,) = atom.operands
    if len(x.terms) != 1:
        return None
    (term,) = x.terms
    numbers = tuple(f for f in term.factors if not f.labels)
    rest = tuple(f for f in term.factors if f.labels)
    if term.coefficient != 1 or numbers:
        inner = _inverse(algebra, Tensor(x.shape, (Term(Fraction(1), rest),)))
        divided = tuple(replace(f, power=-f.power) for f in numbers)
        scaled = Tensor((), (Term(1 / term.coefficient, divided),))
        return algebra.product(x.shape, (inner, (0, 1)), (scaled, ()))
    if len(rest) != 1:
        return _of_product(algebra, x)
    if rest[0].power != 1:
        return None
    (only,) = rest
    if isinstance(only.atom, Delta):
        return x
    turned = only.labels == (1, 0)
    if isinstance(only.atom, Called) and only.atom.name == "inv":
        inside = only.atom.operands[0]
        return inside.permuted((1, 0)) if turned else inside
    return _inverse(algebra, whole(only.atom)).permuted((1, 0)) if turned else None


def _of_product(algebra: Algebra, x: Tensor) -> Tensor | None:
    """inv(A @ B) is inv(B) @ inv(A), for square matrices."""
    (term,) = x.terms
    around = {label: [f for f in term.factors if label in f.labels] for label in term.labels}
    chained = all(
        len(f.labels) == 2 and f.power == 1 and f.atom.shape[0] == x.shape[0] == f.atom.shape[1]
        for f in term.factors
    ) and all(len(found) == (2 if label >= BOUND else 1) for label, found in around.items())
    if not chained or len(term.factors) != len(term.bound) + 1:
        return None
    parts = []
    for each in term.factors:
        inner = _inverse(algebra, whole(each.atom))
        parts.append((inner, each.labels[::-1]))
    moved = [(tensor, [_opposite(label) for label in labels]) for tensor, labels in parts]
    return algebra.product(x.shape, *moved)


def _opposite(label: int) -> int:
    """The inverse has its axes the other way round."""
    return 1 - label if label < BOUND else label


def determinants(algebra: Algebra, atom: Atom) -> Tensor | None:
    """det(inv(A)) is 1 / det(A), det(A.T) is det(A)."""
    if not isinstance(atom, Applied) or atom.node.op is not DET or atom.operands[0].ndim != 2:
        return None
    (x,) = atom.operands
    if len(x.terms) != 1 or len(x.terms[0].factors) != 1 or x.terms[0].coefficient != 1:
        return None
    (only,) = x.terms[0].factors
    if isinstance(only.atom, Called) and only.atom.name == "inv":
        return algebra.power(_determinant(algebra, atom, only.atom.operands[0]), Fraction(-1))
    if only.labels == (1, 0) and only.power == 1:
        return _determinant(algebra, atom, whole(only.atom))
    return None


def _determinant(algebra: Algebra, like: Applied, x: Tensor) -> Tensor:
    key = digest(like.node.op, like.node.attributes, [x.key])
    return algebra.atom(replace(like, key=key, operands=(x,)))


def _inverse(algebra: Algebra, x: Tensor) -> Tensor:
    symmetric = x.permuted((1, 0)).key == x.key
    made = Called(x.shape, digest("inv", x.key), name="inv", operands=(x,), symmetric=symmetric)
    return algebra.atom(made)


REWRITES = Rewrites(
    (
        deltas,
        elements,
        powers,
        inverses,
        exponents,
        reshaped,
        on_the_diagonal,
        sums_to_one,
        norms,
        sigmoids,
        opposites,
        shares,
        signs,
        magnitudes,
        tangents,
        kept_parts,
        cleared,
        regrouped,
        spread,
        means,
    ),
    (exponentials, inverted, determinants, compared),
    (pieces, expanded, complements),
    (one_denominator, shared_functions, same_denominators),
)
"""All of them."""
PLAIN = Rewrites((powers,))
"""What remains where one of them is wrong."""
