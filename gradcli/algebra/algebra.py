"""Sums and products of tensors in index notation, simplified as they are made."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TypeAlias

from gradcli.algebra.terms import (
    BOUND,
    SINGLE,
    Atom,
    Bracket,
    Factor,
    Symbol,
    Tensor,
    Term,
    apart,
    bracket,
    digest,
    fresh_labels,
    scalar,
    whole,
)
from gradcli.graph import Shape
from gradcli.language.construct import name

TermRewrite: TypeAlias = "Callable[[Algebra, Term], list[Term] | None]"
"""Terms that add up to the same, or None where there is nothing to do."""
AtomRewrite: TypeAlias = "Callable[[Algebra, Atom], Tensor | None]"
"""A tensor that is the same, or None."""
SumRewrite: TypeAlias = "Callable[[Algebra, Tensor], Tensor | None]"
"""A tensor that is the same, or None."""


@dataclass(frozen=True, slots=True)
class Rewrites:
    """What is simplified, in the order in which it is tried."""

    terms: Sequence[TermRewrite] = ()
    atoms: Sequence[AtomRewrite] = ()
    sums: Sequence[SumRewrite] = ()
    last: Sequence[SumRewrite] = ()
    """For finished sums only, whose products no other rewrite has to find."""


MOST = 200
"""No term is rewritten more often."""


class Algebra:
    """Makes tensors, which are simplified by its rewrites."""

    def __init__(self, rewrites: Rewrites, lengths: Mapping[int, str]) -> None:
        """`lengths` are the lengths of axes that have a name."""
        self.rewrites = rewrites
        self.lengths = lengths
        self._brackets: dict[str, Tensor] = {}
        """Sums that stand in brackets somewhere, by key."""

    # --- numbers ---

    def length(self, value: int) -> Tensor:
        """The length of an axis as a number, under its name if it has one."""
        if value in self.lengths:
            text = name(self.lengths[value])
            return whole(Symbol((), digest("length", value), text=text))
        return scalar(value)

    # --- atoms and terms ---

    def atom(self, atom: Atom) -> Tensor:
        """An atom, or what it is rewritten to."""
        for rewrite in self.rewrites.atoms:
            found = rewrite(self, atom)
            if found is not None:
                return found
        return whole(atom)

    def tensor(self, shape: Shape, terms: Sequence[Term]) -> Tensor:
        """The sum of terms, simplified."""
        tensor = self.sum_of(shape, terms)
        for rewrite in self.rewrites.sums:
            while (found := rewrite(self, tensor)) is not None:
                tensor = found
        return tensor

    def finished(self, tensor: Tensor) -> Tensor:
        """A result in its last form; it recurses into brackets, as formulas are shallow."""
        if self.rewrites.last:
            tensor = Tensor(tensor.shape, tuple(map(self._inside_finished, tensor.terms)))
        for rewrite in self.rewrites.last:
            while (found := rewrite(self, tensor)) is not None:
                tensor = found
        return tensor

    def _inside_finished(self, term: Term) -> Term:
        """The term with its sums in brackets in their last form."""
        for factor in term.factors:
            if isinstance(factor.atom, Bracket) and factor.power == 1:
                inner = self.finished(factor.atom.tensor)
                if inner.key != factor.atom.tensor.key:
                    made = apart(self._labelled(inner, factor.labels), term)
                    term = self.without(term, [factor], *made.factors).times(made.coefficient)
        return term

    def sum_of(self, shape: Shape, terms: Sequence[Term]) -> Tensor:
        """The sum of terms, each simplified, and equal ones together."""
        done: dict[str, Term] = {}
        waiting = list(reversed(terms))
        for _ in range(MOST * (1 + len(terms))):
            if not waiting:
                break
            term = waiting.pop()
            again = self._rewritten(term)
            if again is not None:
                waiting += reversed(again)
                continue
            key = term.key
            before = done.get(key)
            both = term.coefficient + (before.coefficient if before else 0)
            done[key] = Term(both, (before or term).factors)
        kept = tuple(each for each in (*done.values(), *waiting) if each.coefficient)
        return Tensor(shape, kept)

    def _rewritten(self, term: Term) -> list[Term] | None:
        for factor in term.factors:
            if isinstance(factor.atom, Bracket) and factor.power == 1:
                single = inside(term, factor)
                if len(single) <= 1:
                    return single
        for rewrite in self.rewrites.terms:
            found = rewrite(self, term)
            if found is not None:
                return found
        return None

    def without(self, term: Term, gone: Sequence[Factor], *more: Factor) -> Term:
        """The term with other factors in the place of some; a bound label that nothing has any
        more is summed: it counts its axis.
        """
        rest = Term(term.coefficient, (*(f for f in term.factors if f not in gone), *more))
        left = set(rest.bound)
        return self.counted(rest, [term.length(x) for x in term.bound if x not in left])

    # --- arithmetic ---

    def add(self, *tensors: Tensor) -> Tensor:
        """The sum of tensors of one shape."""
        return self.tensor(tensors[0].shape, [term for each in tensors for term in each.terms])

    def times(self, tensor: Tensor, number: Fraction | int) -> Tensor:
        """A tensor times a number."""
        return Tensor(
            tensor.shape, tuple(term.times(Fraction(number)) for term in tensor.terms if number)
        )

    def product(self, shape: Shape, *parts: tuple[Tensor, Sequence[int]]) -> Tensor:
        """The product of tensors, each with a label for each of its axes: an axis of the result, or
        a bound label, over which the product is summed.
        """
        several = [tensor for tensor, _ in parts if len(tensor.terms) > 1]
        factors = [self._labelled(tensor, labels) for tensor, labels in parts]
        if len(several) == 1 and not any(
            each.factors for (tensor, _), each in zip(parts, factors, strict=True)
            if tensor not in several
        ):  # fmt: skip
            number = Fraction(1)
            for (tensor, _), each in zip(parts, factors, strict=True):
                number *= 1 if tensor in several else each.coefficient
            ((tensor, labels),) = [part for part in parts if part[0] in several]
            if abs(number) == 1 and not any(label >= BOUND for label in labels):
                moved = dict(zip(range(tensor.ndim), labels, strict=True))
                return Tensor(
                    shape, tuple(each.relabelled(moved).times(number) for each in tensor.terms)
                )
        if any(not tensor.terms for tensor, _ in parts):
            return Tensor(shape, ())
        found = Term(Fraction(1))
        for part in factors:
            each = self._inner_apart(part, found, parts)
            found = Term(found.coefficient * each.coefficient, found.factors + each.factors)
        alone = [length for label, length in _summed(parts) if label not in found.labels]
        return self.tensor(shape, [self.counted(found, alone)])

    def counted(self, term: Term, lengths: Iterable[int]) -> Term:
        """The term times lengths of axes over which it is summed, being equal along them."""
        for length in lengths:
            (count,) = self.length(length).terms
            term = Term(term.coefficient * count.coefficient, term.factors + count.factors)
        return term

    def _labelled(self, tensor: Tensor, labels: Sequence[int]) -> Term:
        """A tensor as one term."""
        if len(tensor.terms) == 1:
            (term,) = tensor.terms
            fresh = fresh_labels(term, Term(Fraction(1), (Factor(_NOTHING, tuple(labels)),)))
            moved = dict(zip(term.bound, fresh, strict=False))
            return term.relabelled(moved | dict(enumerate(labels)))
        return self.bracketed(tensor.narrowed(), [labels[axis] for axis in tensor.used])

    def bracketed(self, tensor: Tensor, labels: Sequence[int]) -> Term:
        """A sum as a factor, and what all of its terms share; of -b and of b.T there is one sum
        only, the one that came first.
        """
        shared = [
            factor
            for factor in (tensor.terms[0].factors if tensor.terms else ())
            if not factor.labels and all(factor in each.factors for each in tensor.terms)
        ]
        sizes = {abs(each.coefficient) for each in tensor.terms}
        number = sizes.pop() if len(sizes) == 1 else Fraction(1)
        if all(each.coefficient < 0 for each in tensor.terms):
            number = -number
        terms = (
            Term(each.coefficient / number, tuple(f for f in each.factors if f not in shared))
            for each in tensor.terms
        )
        sign, inner, places = self._known_bracket(Tensor(tensor.shape, tuple(terms)))
        kept = tuple(labels[place] for place in places)
        return Term(number * sign, (*shared, Factor(bracket(inner), kept)))

    def _known_bracket(self, tensor: Tensor) -> tuple[int, Tensor, Sequence[int]]:
        """A sign, a sum in brackets that is there already, and the order of its axes."""
        orders = ((0, 1), (1, 0)) if tensor.ndim == 2 else (range(tensor.ndim),)
        for order in orders:
            for sign in (1, -1):
                other = self._brackets.get(self.times(tensor.permuted(order), sign).key)
                if other is not None:
                    return sign, other, order
        self._brackets[tensor.key] = tensor
        return 1, tensor, range(tensor.ndim)

    def _inner_apart(
        self, term: Term, other: Term, parts: Sequence[tuple[Tensor, Sequence[int]]]
    ) -> Term:
        """The term with inner bound labels that the other does not have; those of `parts` stay."""
        outer = {label for _, labels in parts for label in labels}
        inner = [label for label in term.bound if label not in outer]
        every = Term(Fraction(1), (Factor(_NOTHING, tuple(outer)),))
        fresh = fresh_labels(term, other, every)
        return term.relabelled(dict(zip(inner, fresh, strict=False)))

    def multiply(self, *tensors: Tensor) -> Tensor:
        """The product, element by element, of tensors of one shape."""
        axes = range(tensors[0].ndim)
        return self.product(tensors[0].shape, *((each, axes) for each in tensors))

    def power(self, tensor: Tensor, power: Fraction) -> Tensor:
        """Each element to a power."""
        if power == 0:
            return Tensor(tensor.shape, (Term(Fraction(1)),))
        if not tensor.terms:
            return tensor
        if len(tensor.terms) == 1:
            (term,) = tensor.terms
            plain = not term.bound and (
                power.denominator == 1
                or (term.coefficient == 1 and [f.power for f in term.factors] == [1])
            )
            if plain:
                factors = tuple(replace(each, power=each.power * power) for each in term.factors)
                number = term.coefficient ** int(power) if power.denominator == 1 else Fraction(1)
                return self.tensor(tensor.shape, [Term(Fraction(number), factors)])
            if power.denominator == 1 and len(parts := _apart(term)) > 1:
                raised = (self.power(Tensor(tensor.shape, (each,)), power) for each in parts)
                return self.multiply(*raised)
        narrow = tensor.narrowed()
        factor = Factor(bracket(narrow), tuple(tensor.used), power)
        return self.tensor(tensor.shape, [Term(Fraction(1), (factor,))])

    def total(self, tensor: Tensor, axes: Sequence[int]) -> Tensor:
        """The sum over axes, which are gone then."""
        if not axes:
            return tensor
        kept = [axis for axis in range(tensor.ndim) if axis not in axes]
        labels = [kept.index(axis) if axis in kept else BOUND + axis for axis in range(tensor.ndim)]
        return self.product(tuple(tensor.shape[axis] for axis in kept), (tensor, labels))


_NOTHING = Atom((), "nothing")
"""Stands where labels are told apart from others."""


def inside(term: Term, factor: Factor) -> list[Term]:
    """The terms of a bracket, each in the place of the bracket."""
    assert isinstance(factor.atom, Bracket)
    rest = Term(term.coefficient, tuple(each for each in term.factors if each is not factor))
    found = []
    for inner in factor.atom.tensor.terms:
        placed = apart(inner, term, rest).relabelled(dict(enumerate(factor.labels)))
        found.append(Term(rest.coefficient * placed.coefficient, rest.factors + placed.factors))
    return found


def spread(algebra: Algebra, term: Term) -> list[Term] | None:
    """A bracket that alone has some axes that are summed, term by term: where that leaves fewer
    terms, or these are products of matrices.
    """
    for factor in term.factors:
        if isinstance(factor.atom, Bracket) and factor.power == 1 and factor.labels:
            others = {label for each in term.factors if each is not factor for label in each.labels}
            summed = [label for label in factor.labels if label >= BOUND and label not in others]
            if not summed:
                continue
            chained = all(inner.bound for inner in factor.atom.tensor.terms)
            places = [
                algebra.counted(inner, [term.length(x) for x in summed if x not in inner.labels])
                for inner in inside(term, factor)
            ]
            free = max((label for label in term.labels if label < BOUND), default=-1)
            found = algebra.tensor((1,) * (free + 1), places)
            if chained or len(found.terms) < len(places):
                return list(found.terms)
    return None


def _apart(term: Term) -> list[Term]:
    """A product as those of factors that are summed over the same labels; first what is not."""
    groups: list[tuple[set[int], list[Factor]]] = [(set(), [])]
    for factor in term.factors:
        labels = {label for label in factor.labels if label >= BOUND}
        alike = [each for each in groups if each[0] & labels] if labels else [groups[0]]
        for each in alike:
            groups.remove(each)
        joined = (labels.union(*(x for x, _ in alike)), [f for _, fs in alike for f in fs])
        groups.insert(0 if not labels else len(groups), (joined[0], [*joined[1], factor]))
    (_, plain), *summed = groups
    first = [Term(term.coefficient, tuple(plain))] if plain or term.coefficient != 1 else []
    return first + [Term(Fraction(1), tuple(factors)) for _, factors in summed]


def _summed(parts: Sequence[tuple[Tensor, Sequence[int]]]) -> list[tuple[int, int]]:
    """The bound labels of parts, and their lengths."""
    found = {
        label: length
        for tensor, labels in parts
        for label, length in zip(labels, tensor.shape, strict=True)
        if label >= BOUND
    }
    return list(found.items())


__all__ = ["SINGLE", "Algebra", "Rewrites", "spread"]
