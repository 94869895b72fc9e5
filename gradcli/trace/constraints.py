"""What parameters of distributions satisfy in PyTorch, and what it says where they do not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.diagnostics import RefusedError
from gradcli.graph import Array
from gradcli.trace.tensor_text import with_suffixes
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


def within(low: Array, high: Array, written: tuple[str, str]) -> Constraint:
    """A constraint by two parameters."""
    said = f"Interval(lower_bound={written[0]}, upper_bound={written[1]})"
    return Constraint(said, lambda x: (x >= low) & (x <= high))


def at_least(limit: Array, written: str) -> Constraint:
    """A constraint by a parameter."""
    return Constraint(f"GreaterThanEq(lower_bound={written})", lambda x: x >= limit)


def up_to(limit: int, written: str) -> Constraint:
    """Integers from 0 to a limit."""
    said = f"IntegerInterval(lower_bound=0, upper_bound={written})"
    return Constraint(said, lambda x: (x % 1 == 0) & (x >= 0) & (x <= limit))


def counts_of(total: int) -> Constraint:
    """How many of so many draws give each class."""
    return Constraint("Multinomial()", lambda x: (x >= 0).all(-1) & (x.sum(-1) <= total))


def _is_one_hot(x: Array) -> Any:
    return ((x == 0) | (x == 1)).all(-1) & (x.sum(-1) == 1)


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
TRUTH = Constraint("Boolean()", lambda x: (x == 0) | (x == 1))
COUNT = Constraint("IntegerGreaterThan(lower_bound=0)", lambda x: (x % 1 == 0) & (x >= 0))
ONE_HOT = Constraint("OneHot()", _is_one_hot)
SIMPLEX = Constraint("Simplex()", _is_simplex)


def check_value(value: Array, support: Constraint, owner: str, shown: str) -> None:
    """Raise `value` where a value is none of those that a distribution has."""
    if not np.all(support.holds(value)):
        raise _refused(
            f"Expected value argument (Tensor of shape {tuple(value.shape)}) to be within the "
            f"support ({support.said}) of the distribution {owner}, but found invalid values:"
            f"\n{shown}",
            f"{owner.partition('(')[0]}: a value is not within the support {support.said}",
        )


def check_positive(name: str, value: Array, owner: str) -> None:
    """Raise `value` where a parameter of a distribution is 0, which no constraint forbids."""
    wrong = value[value <= 0]
    if wrong.size:
        raise _refused(
            f"Expected parameter {name} (Tensor of shape {tuple(value.shape)}) of distribution "
            f"{owner} to be positive but found invalid values:\n{with_suffixes(wrong, ())}",
            f"{owner.partition('(')[0]}: {name} is not positive",
        )


def check(name: str, value: Array, constraint: Constraint, owner: str, shown: str) -> None:
    """Raise `value` where a parameter of a distribution, which print shows as `owner`, does not
    satisfy a constraint; `shown` is what print shows of the parameter.
    """
    if not np.all(constraint.holds(value)):
        raise _refused(
            f"Expected parameter {name} (Tensor of shape {tuple(value.shape)}) of distribution "
            f"{owner} to satisfy the constraint {constraint.said}, but found invalid values:"
            f"\n{shown}",
            f"{owner.partition('(')[0]}: {name} does not satisfy {constraint.said}",
        )


def _refused(said: str, message: str) -> RefusedError:
    """The error of what no distribution takes, and what PyTorch says."""
    return RefusedError(
        ("ValueError", said), "value", message, hint="validate_args=False lets it through"
    )
