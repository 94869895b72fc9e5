"""Elements, rows and columns at single places, by unit vectors: `x[k]` is Σ_i e_k[i]·x[i]."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from gradcli.algebra.algebra import Algebra
from gradcli.algebra.terms import (
    BOUND,
    Atom,
    Delta,
    Element,
    Factor,
    Place,
    Tensor,
    Term,
    UnitVector,
    digest,
    told_apart,
    unit,
    whole,
)
from gradcli.graph import Node, Shape


def picked(algebra: Algebra, node: Node, x: Tensor) -> Tensor | None:
    """A slice of one place along some axes and all of the others."""
    (slices,) = node.attributes
    places = _places(slices, x.shape)
    if places is None or node.inputs[0].op.fields is not None:
        return None
    labels = [axis if place is None else BOUND + axis for axis, place in enumerate(places)]
    return algebra.product(node.shape, (x, labels), *units(x.shape, places, BOUND))


def placed(algebra: Algebra, node: Node, x: Tensor) -> Tensor | None:
    """Zeros but at one place along some axes."""
    shape, slices = node.attributes
    places = _places(slices, shape)
    if places is None or x.ndim != len(shape):
        return None
    return algebra.product(shape, (x, range(x.ndim)), *units(shape, places, 0))


def units(
    shape: Shape, places: Sequence[Place | None], first: int
) -> list[tuple[Tensor, Sequence[int]]]:
    """Unit vectors for the places, with labels counted from the first."""
    return [
        (whole(unit(length, place)), [first + axis])
        for axis, (length, place) in enumerate(zip(shape, places, strict=True))
        if place is not None
    ]


def _places(
    slices: Sequence[tuple[int, int, int]], shape: Sequence[int]
) -> list[Place | None] | None:
    """The place along each axis, None where all of the axis is meant; None for other slices."""
    found: list[Place | None] = []
    for (first, count, step), length in zip(slices, shape, strict=True):
        if (first, count, step) == (0, length, 1):
            found.append(None)
        elif count == 1:
            found.append(first)
        else:
            return None
    return found


def elements(algebra: Algebra, term: Term) -> list[Term] | None:
    """e_k[i]·x[i] is e_k[i]·x[k], which summed over i is x[k]; e_2[i]·e_3[i] is 0."""
    for each in term.factors:
        if not isinstance(each.atom, UnitVector):
            continue
        (label,) = each.labels
        others = [f for f in term.factors if f is not each and label in f.labels]
        if not others and label < BOUND:
            continue
        more = {f.atom for f in others if isinstance(f.atom, UnitVector)} - {each.atom}
        if more and all(isinstance(other.place, int) for other in (each.atom, *more)):
            return []
        if more:
            continue  # names of places, which may be the same
        apart = tuple(f for f in term.factors if f is not each and f not in others)
        kept = (each,) if label < BOUND else ()
        moved = (found for f in others if (found := _at(f, label, each.atom)) is not None)
        return [Term(term.coefficient, (*apart, *kept, *moved))]
    return None


def _at(factor: Factor, label: int, at: UnitVector) -> Factor | None:
    """A factor at a place along the axes of a label; None where that is 1."""
    atom, labels = factor.atom, list(factor.labels)
    while label in labels:
        axis = labels.index(label)
        labels.pop(axis)
        if isinstance(atom, UnitVector):
            return None
        atom = at if isinstance(atom, Delta) else _element(atom, axis, at.place)
    return Factor(atom, tuple(labels), factor.power)


def _element(atom: Atom, axis: int, place: Place) -> Element:
    base = atom
    places: list[Place | None] = [None] * len(atom.shape)
    if isinstance(atom, Element):
        base, places = atom.of, list(atom.places)
    free = [each for each, known in enumerate(places) if known is None]
    places[free[axis]] = place
    shape = tuple(length for length, known in zip(base.shape, places, strict=True) if known is None)
    key = digest("element", base.key, [*map(told_apart, places)])
    return Element(shape, key, of=base, places=tuple(places))


def opened(factor: Factor, fresh: Sequence[int]) -> Term:
    """An element as a sum over unit vectors, with labels for the axes that it does not have."""
    atom = factor.atom
    assert isinstance(atom, Element)
    own, more = iter(factor.labels), iter(fresh)
    labels = [next(own) if place is None else next(more) for place in atom.places]
    found = [
        Factor(unit(length, place), (label,))
        for length, place, label in zip(atom.of.shape, atom.places, labels, strict=True)
        if place is not None
    ]
    return Term(Fraction(1), (Factor(atom.of, tuple(labels), factor.power), *found))
