"""Vectors that are declared as columns, of shape (n, 1): `A @ x` for `(A @ x[:, 0])[:, None]`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from gradcli.language.construct import NOWHERE, WHOLE, attribute, binary
from gradcli.language.syntax import (
    Binary,
    Call,
    Constant,
    Expression,
    Index,
    Name,
    Number,
    Syntax,
    Unary,
)

Form: TypeAlias = Callable[[Expression], Expression]
"""How a formula is written."""


def as_they_are(formula: Expression) -> Expression:
    return formula


def columns(formula: Expression) -> Expression:
    """A formula with columns as they are. It may be wrong where it multiplies element by element,
    so it is checked as all are.
    """
    match formula:
        case Index(value=value, items=(first, Constant(value=None))) if first is WHOLE:
            formula = value
    found: Expression = _column(formula)
    return found


def _column(part: Any) -> Any:
    """A part with each `x[:, 0]` as `x`; it recurses, as formulas are shallow."""
    match part:
        case Index(value=Name() as x, items=(first, Number(value=0.0))) if first is WHOLE:
            return x
        case Binary(operator="@", left=Index(value=Name() as x, items=(_, Number(value=0.0)))):
            return binary("@", attribute(x, "T"), _column(part.right))
        case Call(callee=Name(id="outer"), arguments=(a, b)):
            return binary("@", _column(a), attribute(_column(b), "T"))
        case tuple():
            return tuple(map(_column, part))
        case Binary():
            return binary(part.operator, _column(part.left), _column(part.right))
        case Unary():
            return Unary(part.operator, _column(part.operand), NOWHERE)
        case Name() | Number():
            return part
        case Syntax():
            return type(part)(*(_column(getattr(part, each)) for each in part.__slots__))
    return part
