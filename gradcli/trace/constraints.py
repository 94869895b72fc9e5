"""What parameters of distributions satisfy in PyTorch, and what it says where they do not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.diagnostics import RefusedError
from gradcli.graph import Array
from gradcli.tuples import NamedTuple


class Constraint(NamedTuple):
    said: str
    """How PyTorch writes it."""
    holds: Callable[[Array], Any]
    """Where it is satisfied."""


def less_than(limit: Array, written: str) -> Constraint:
    """A constraint by another parameter."""
    return Constraint(f"LessThan(upper_bound={written})", lambda x: x < limit)


def each(constraint: Constraint) -> Constraint:
    """Of each part of a value that has several."""
    return Constraint(f"IndependentConstraint({constraint.said}, 1)", constraint.holds)


def _is_simplex(x: Array) -> Any:
    return (x >= 0).all() & (np.abs(x.sum(-1) - 1) < 1e-6).all()


REAL = Constraint("Real()", lambda x: x == x)
POSITIVE = Constraint("GreaterThan(lower_bound=0.0)", lambda x: x > 0)
NOT_NEGATIVE = Constraint("GreaterThanEq(lower_bound=0.0)", lambda x: x >= 0)
PROBABILITY = Constraint(
    "Interval(lower_bound=0.0, upper_bound=1.0)", lambda x: (x >= 0) & (x <= 1)
)
BELOW_1 = Constraint(
    "HalfOpenInterval(lower_bound=0.0, upper_bound=1.0)", lambda x: (x >= 0) & (x < 1)
)
SIMPLEX = Constraint("Simplex()", _is_simplex)


def check(name: str, value: Array, constraint: Constraint, owner: str, shown: str) -> None:
    """Raise `value` where a parameter of a distribution, which print shows as `owner`, does not
    satisfy a constraint; `shown` is what print shows of the parameter.
    """
    if np.all(constraint.holds(value)):
        return
    said = (
        f"Expected parameter {name} (Tensor of shape {tuple(value.shape)}) of distribution {owner} "
        f"to satisfy the constraint {constraint.said}, but found invalid values:\n{shown}"
    )
    raise RefusedError(
        ("ValueError", said),
        "value",
        f"{owner.partition('(')[0]}: {name} does not satisfy {constraint.said}",
        hint="validate_args=False lets it through",
    )
