"""Index notation: a tensor as a sum of products of indexed factors.

`A @ x` is one term, of the factors `A[0, b]` and `x[b]`: 0 is the tensor's own axis, and over the
*bound* label b the product is summed. An axis that no factor has is one along which all is equal.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from hashlib import blake2b
from itertools import count
from typing import Any, TypeAlias

from gradcli.graph import Node, Shape
from gradcli.language.syntax import Expression

BOUND = 1000
"""Labels from here on are bound; smaller ones are axes of the tensor."""
SINGLE = -1
"""The label of an axis of length 1."""
ROUNDS = 3
"""How far around it a bound label is told from others by what stands there."""


def digest(*parts: Any) -> str:
    """A short key of the parts, equal for equal parts."""
    return blake2b(repr(parts).encode(), digest_size=12).hexdigest()


# --- atoms -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Atom:
    """What takes indices. Atoms of one key are the same."""

    shape: Shape
    key: str = field(repr=False)
    symmetric: bool = field(default=False, kw_only=True)
    """A matrix that equals its transpose."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Atom) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)


@dataclass(frozen=True, slots=True, eq=False)
class Symbol(Atom):
    """Something that has a name, or a number: an expression without parts that matter here."""

    text: Expression = field(kw_only=True)


@dataclass(frozen=True, slots=True, eq=False)
class Applied(Atom):
    """The result of a node's op, on other operands."""

    node: Node = field(kw_only=True)
    operands: tuple[Tensor, ...] = field(kw_only=True)


@dataclass(frozen=True, slots=True, eq=False)
class Called(Atom):
    """A function of the language on operands and plain numbers, as `one_hot(y, 3)`."""

    name: str = field(kw_only=True)
    operands: tuple[Tensor, ...] = field(kw_only=True)
    more: tuple[Any, ...] = field(default=(), kw_only=True)
    keywords: tuple[tuple[str, Any], ...] = field(default=(), kw_only=True)


@dataclass(frozen=True, slots=True, eq=False)
class Bracket(Atom):
    """A sum in brackets."""

    tensor: Tensor = field(kw_only=True)


@dataclass(frozen=True, slots=True, eq=False)
class Delta(Atom):
    """The identity matrix."""


Place: TypeAlias = "int | Symbol"
"""Where along an axis: a number, or an input that holds one."""


@dataclass(frozen=True, slots=True, eq=False)
class UnitVector(Atom):
    """A unit vector: 1 at a place, and 0 elsewhere."""

    place: Place = field(kw_only=True)


@dataclass(frozen=True, slots=True, eq=False)
class Element(Atom):
    """Another atom at places along some axes, which it does not have."""

    of: Atom = field(kw_only=True)
    places: tuple[Place | None, ...] = field(kw_only=True)


def told_apart(place: Place | None) -> int | str | None:
    """What equal places have in common."""
    return place.key if isinstance(place, Symbol) else place


def unit(length: int, place: Place) -> UnitVector:
    return UnitVector((length,), digest("unit", length, told_apart(place)), place=place)


def delta(length: int) -> Delta:
    return Delta((length, length), digest("delta", length), symmetric=True)


# --- terms -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Factor:
    """An atom at some labels, to a power, element by element."""

    atom: Atom
    labels: tuple[int, ...] = ()
    power: Fraction = Fraction(1)


@dataclass(frozen=True, slots=True)
class Term:
    """A coefficient times factors, summed over the bound labels."""

    coefficient: Fraction
    factors: tuple[Factor, ...] = ()

    @property
    def labels(self) -> set[int]:
        return {label for factor in self.factors for label in factor.labels if label != SINGLE}

    @property
    def bound(self) -> list[int]:
        """The labels that are summed over, in the order in which they stand."""
        found = (label for each in self.factors for label in each.labels if label >= BOUND)
        return list(dict.fromkeys(found))

    @property
    def key(self) -> str:
        """Equal for terms that differ in bound labels and the order of factors only, whatever
        their coefficients.
        """
        colours = {label: str(label) if label < BOUND else "" for label in self.labels}
        colours[SINGLE] = "1"
        for _ in range(ROUNDS if len(self.bound) else 0):
            around: dict[int, list[str]] = {label: [] for label in colours}
            for factor in self.factors:
                for place, label in enumerate(factor.labels):
                    own = 0 if factor.atom.symmetric else place
                    around[label].append(digest(own, _seen(factor, colours)))
            colours |= {
                label: digest(colours[label], sorted(around[label]))
                for label in colours
                if label >= BOUND
            }
        return digest(sorted(_seen(factor, colours) for factor in self.factors))

    def relabelled(self, labels: Mapping[int, int]) -> Term:
        """The same with other labels."""
        return Term(
            self.coefficient,
            tuple(
                replace(each, labels=tuple(labels.get(label, label) for label in each.labels))
                for each in self.factors
            ),
        )

    def times(self, number: Fraction) -> Term:
        return Term(self.coefficient * number, self.factors)

    def length(self, label: int) -> int:
        """The length of an axis that some factor has."""
        return next(
            factor.atom.shape[factor.labels.index(label)]
            for factor in self.factors
            if label in factor.labels
        )


def _seen(factor: Factor, colours: Mapping[int, str]) -> tuple[Any, ...]:
    around = [colours[label] for label in factor.labels]
    if factor.atom.symmetric:
        around.sort()
    return factor.atom.key, str(factor.power), around


# --- tensors ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Tensor:
    """A sum of terms."""

    shape: Shape
    terms: tuple[Term, ...]

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def key(self) -> str:
        return digest(self.shape, sorted((each.key, str(each.coefficient)) for each in self.terms))

    @property
    def used(self) -> list[int]:
        """The axes along which it is not all equal."""
        found = {label for each in self.terms for label in each.labels}
        return [axis for axis in range(self.ndim) if axis in found]

    @property
    def size(self) -> int:
        """How many atoms it is made of, to the innermost."""
        return sum(atom_size(factor.atom) for term in self.terms for factor in term.factors)

    def permuted(self, axes: Sequence[int]) -> Tensor:
        """`axes[i]` becomes axis i."""
        labels = {axis: place for place, axis in enumerate(axes)}
        shape = tuple(self.shape[axis] for axis in axes)
        return Tensor(shape, tuple(each.relabelled(labels) for each in self.terms))

    def onto(self, axes: Sequence[int], shape: Shape) -> Tensor:
        """Of `shape`, with axis i in the place `axes[i]`."""
        labels = dict(enumerate(axes))
        return Tensor(shape, tuple(each.relabelled(labels) for each in self.terms))

    def narrowed(self) -> Tensor:
        """Without the axes along which it is all equal."""
        used = self.used
        labels = {axis: place for place, axis in enumerate(used)}
        shape = tuple(self.shape[axis] for axis in used)
        return Tensor(shape, tuple(each.relabelled(labels) for each in self.terms))


def atom_size(atom: Atom) -> int:
    match atom:
        case Applied() | Called():
            return 1 + sum(each.size for each in atom.operands)
        case Bracket():
            return atom.tensor.size
        case Element():
            return atom_size(atom.of)
    return 1


def scalar(value: Fraction | int) -> Tensor:
    """A single number."""
    return Tensor((), (Term(Fraction(value)),) if value else ())


def whole(atom: Atom, power: int | Fraction = 1) -> Tensor:
    """An atom as a tensor, to a power."""
    labels = tuple(axis if length != 1 else SINGLE for axis, length in enumerate(atom.shape))
    return Tensor(atom.shape, (Term(Fraction(1), (Factor(atom, labels, Fraction(power)),)),))


def bracket(tensor: Tensor) -> Bracket:
    """A tensor as an atom."""
    symmetric = tensor.ndim == 2 and tensor.permuted((1, 0)).key == tensor.key
    return Bracket(tensor.shape, digest("bracket", tensor.key), symmetric=symmetric, tensor=tensor)


def fresh_labels(*terms: Term) -> Iterable[int]:
    """Bound labels that none of the terms has."""
    return count(max((BOUND, *(label + 1 for term in terms for label in term.labels))))


def apart(term: Term, *others: Term) -> Term:
    """The term with bound labels that the others do not have."""
    fresh = fresh_labels(term, *others)
    return term.relabelled(dict(zip(term.bound, fresh, strict=False)))
