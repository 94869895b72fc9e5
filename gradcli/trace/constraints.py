"""What parameters of distributions satisfy in PyTorch, and what it says where they do not."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from gradcli.diagnostics import RefusedError
from gradcli.graph import Array, Shape
from gradcli.trace.tensor_text import with_suffixes
from gradcli.tuples import NamedTuple


class Constraint(NamedTuple):
    said: str
    """How PyTorch writes it."""
    holds: Callable[[Array], Any]
    """Where it is satisfied."""
    events: int = 0
    """How many of the last axes are parts of one value."""
    is_discrete: bool = False


def each(constraint: Constraint, axes: int = 1) -> Constraint:
    """Of each part of a value that has several, along so many axes."""

    def holds(x: Array) -> Any:
        found = constraint.holds(x)
        return found.reshape(*found.shape[: found.ndim - axes], -1).all(-1)

    said = f"IndependentConstraint({constraint.said}, {axes})"
    return Constraint(said, holds, constraint.events + axes, constraint.is_discrete)


def any_of_parts(constraint: Constraint) -> Constraint:
    """Of one of several distributions that lie along an axis more than a value has."""
    return Constraint(
        f"MixtureSameFamilyConstraint({constraint.said})",
        lambda x: constraint.holds(x[..., None]).all(-1),
        constraint.events,
        constraint.is_discrete,
    )


def less_than(limit: Any, written: str) -> Constraint:
    """Numbers below a limit."""
    return Constraint(f"LessThan(upper_bound={written})", lambda x: x < limit)


def greater_than(limit: Any, written: str) -> Constraint:
    """Numbers above a limit."""
    return Constraint(f"GreaterThan(lower_bound={written})", lambda x: x > limit)


def at_least(limit: Any, written: str) -> Constraint:
    """Numbers from a limit on."""
    return Constraint(f"GreaterThanEq(lower_bound={written})", lambda x: x >= limit)


def _between(low: str, high: str) -> str:
    return f"(lower_bound={low}, upper_bound={high})"


def within(low: Any, high: Any, written: tuple[str, str]) -> Constraint:
    """Numbers from a limit to another."""
    return Constraint(f"Interval{_between(*written)}", lambda x: (x >= low) & (x <= high))


def below(low: Any, high: Any, written: tuple[str, str]) -> Constraint:
    """Numbers from a limit to below another."""
    return Constraint(f"HalfOpenInterval{_between(*written)}", lambda x: (x >= low) & (x < high))


def counted(low: Any, high: Any, written: tuple[str, str]) -> Constraint:
    """Integers from a limit to another."""
    return Constraint(
        f"IntegerInterval{_between(*written)}",
        lambda x: (x % 1 == 0) & (x >= low) & (x <= high),
        is_discrete=True,
    )


def counts_from(low: int) -> Constraint:
    """Integers from a limit on."""
    said = f"IntegerGreaterThan(lower_bound={low})"
    return Constraint(said, lambda x: (x % 1 == 0) & (x >= low), is_discrete=True)


def counts_of(total: int) -> Constraint:
    """How many of so many draws give each class."""
    return Constraint(
        "Multinomial()", lambda x: (x >= 0).all(-1) & (x.sum(-1) <= total), 1, is_discrete=True
    )


def _is_one_hot(x: Array) -> Any:
    return ((x == 0) | (x == 1)).all(-1) & (x.sum(-1) == 1)


def _is_simplex(x: Array) -> Any:
    return (x >= 0).all(-1) & (np.abs(x.sum(-1) - 1) < 1e-6)


def _is_square(x: Array) -> Any:
    return np.full(x.shape[:-2], x.shape[-2] == x.shape[-1])


def _is_lower(x: Array) -> Any:
    return (np.tril(x) == x).all((-2, -1))


def _is_cholesky(x: Array) -> Any:
    return _is_lower(x) & (np.diagonal(x, 0, -2, -1) > 0).all(-1)


def _is_correlations(x: Array) -> Any:
    slack = float(np.finfo(np.float32).eps) * x.shape[-1] * 10
    return _is_cholesky(x) & (np.abs(np.linalg.norm(x, axis=-1) - 1) <= slack).all(-1)


def _is_symmetric(x: Array) -> Any:
    found = _is_square(x)
    turned = np.swapaxes(x, -2, -1)
    return np.isclose(x, turned, atol=1e-6).all((-2, -1)) if found.all() else found


def _eigenvalues_hold(holds: Callable[[Array], Any], x: Array) -> Any:
    found = _is_symmetric(x)
    return holds(np.linalg.eigvalsh(x)).all(-1) if found.all() else found


REAL = Constraint("Real()", lambda x: x == x)
POSITIVE = greater_than(0, "0.0")
NOT_NEGATIVE = at_least(0, "0.0")
PROBABILITY = within(0, 1, ("0.0", "1.0"))
BELOW_1 = below(0, 1, ("0.0", "1.0"))
TRUTH = Constraint("Boolean()", lambda x: (x == 0) | (x == 1), is_discrete=True)
COUNT = counts_from(0)
ONE_HOT = Constraint("OneHot()", _is_one_hot, 1, is_discrete=True)
SIMPLEX = Constraint("Simplex()", _is_simplex, 1)
LOWER_CHOLESKY = Constraint("LowerCholesky()", _is_cholesky, 2)
POSITIVE_DEFINITE = Constraint(
    "PositiveDefinite()", partial(_eigenvalues_hold, lambda found: found > 0), 2
)
DEPENDENT = Constraint("Dependent()", lambda x: np.ones(x.shape, bool))
"""What follows from other parameters."""

BY_NAME = {
    "dependent": DEPENDENT, "boolean": TRUTH, "one_hot": ONE_HOT, "nonnegative_integer": COUNT,
    "positive_integer": counts_from(1), "real": REAL, "real_vector": each(REAL),
    "positive": POSITIVE, "nonnegative": NOT_NEGATIVE, "unit_interval": PROBABILITY,
    "simplex": SIMPLEX, "lower_triangular": Constraint("LowerTriangular()", _is_lower, 2),
    "lower_cholesky": LOWER_CHOLESKY,
    "corr_cholesky": Constraint("CorrCholesky()", _is_correlations, 2),
    "square": Constraint("Square()", _is_square, 2),
    "symmetric": Constraint("Symmetric()", _is_symmetric, 2),
    "positive_semidefinite": Constraint(
        "PositiveSemidefinite()", partial(_eigenvalues_hold, lambda found: found >= 0), 2
    ),
    "positive_definite": POSITIVE_DEFINITE,
}  # fmt: skip
"""Those that PyTorch has under a name."""


def check_value(value: Array, support: Constraint, owner: str, shown: str) -> None:
    """Raise `value` where a value is none of those that a distribution has."""
    if not np.all(support.holds(value)):
        raise refused(
            f"Expected value argument (Tensor of shape {tuple(value.shape)}) to be within the "
            f"support ({support.said}) of the distribution {owner}, but found invalid values:"
            f"\n{shown}",
            f"{owner.partition('(')[0]}: a value is not within the support {support.said}",
        )


def check_positive(name: str, value: Array, owner: str) -> None:
    """Raise `value` where a parameter of a distribution is 0, which no constraint forbids."""
    wrong = value[value <= 0]
    if wrong.size:
        raise refused(
            f"Expected parameter {name} (Tensor of shape {tuple(value.shape)}) of distribution "
            f"{owner} to be positive but found invalid values:\n{with_suffixes(wrong, ())}",
            f"{owner.partition('(')[0]}: {name} is not positive",
        )


def check(name: str, value: Array, constraint: Constraint, owner: str, shown: str) -> None:
    """Raise `value` where a parameter of a distribution, which print shows as `owner`, does not
    satisfy a constraint; `shown` is what print shows of the parameter.
    """
    if not np.all(constraint.holds(value)):
        raise refused(
            f"Expected parameter {name} (Tensor of shape {tuple(value.shape)}) of distribution "
            f"{owner} to satisfy the constraint {constraint.said}, but found invalid values:"
            f"\n{shown}",
            f"{owner.partition('(')[0]}: {name} does not satisfy {constraint.said}",
        )


def check_shape(found: Shape, shape: Shape, events: int) -> None:
    """Raise `value` where a value of a shape is none of a distribution of another."""
    border = len(shape) - events
    own = found[max(0, len(found) - events) :] if events else ()
    if own != shape[border:]:
        raise refused(
            f"The right-most size of value must match event_shape: torch.Size({[*found]}) vs "
            f"torch.Size({[*shape[border:]]}).",
            f"a value has the lengths {shape[border:]} at its end; this one is {found}",
        )
    pairs = zip(found[::-1], shape[::-1], strict=False)
    if any(1 not in pair and pair[0] != pair[1] for pair in pairs):
        raise refused(
            "Value is not broadcastable with batch_shape+event_shape: "
            f"torch.Size({[*found]}) vs torch.Size({[*shape]}).",
            f"a value of the shape {found} is none of a distribution of the shape {shape}",
        )


def refused(said: str, message: str) -> RefusedError:
    """The error of what no distribution takes, and what PyTorch says."""
    return RefusedError(
        ("ValueError", said), "value", message, hint="validate_args=False lets it through"
    )
