"""The syntax tree: frozen dataclasses with the span of the text that they came from.

Trees may be as deep as the program's text is long, so nothing here (or elsewhere) recurses over
them; equality and hashing are by identity.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from gradcli.diagnostics import Source, Span

# --- expressions ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Number:
    """A number, computed in float64. An integer-valued one serves where a count is wanted."""

    value: float
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class String:
    value: str
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class Constant:
    """`True`, `False` or `None`."""

    value: bool | None
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class Name:
    id: str
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class List:
    items: tuple[Expression, ...]
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class Tuple:
    items: tuple[Expression, ...]
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class Unary:
    operator: Literal["+", "-", "not"]
    operand: Expression
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class Binary:
    operator: Literal["+", "-", "*", "/", "//", "%", "@", "**", "and", "or"]
    left: Expression
    right: Expression
    span: Span
    operator_span: Span


@dataclass(frozen=True, slots=True, eq=False)
class Compare:
    """`a < b <= c`: `operands` has one more element than `operators`."""

    operators: tuple[Literal["==", "!=", "<", "<=", ">", ">="], ...]
    operands: tuple[Expression, ...]
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class Keyword:
    name: str
    value: Expression
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class Call:
    """`callee(arguments, keywords)`; a method call has an `Attribute` as its callee."""

    callee: Expression
    arguments: tuple[Expression, ...]
    keywords: tuple[Keyword, ...]
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class Attribute:
    value: Expression
    name: str
    span: Span
    name_span: Span


@dataclass(frozen=True, slots=True, eq=False)
class Slice:
    """`lower:upper:step` inside an index."""

    lower: Expression | None
    upper: Expression | None
    step: Expression | None
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class Ellipsis:
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class Index:
    """`value[items]`; `x[0, 1]` has two items, `x[(0, 1)]` one tuple."""

    value: Expression
    items: tuple[Expression | Slice | Ellipsis, ...]
    span: Span


Expression: TypeAlias = (
    Number | String | Constant | Name | List | Tuple | Unary | Binary | Compare | Call | Attribute
    | Index
)  # fmt: skip

# --- statements ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Assign:
    """`target = value`; the target is a name, a flat tuple of names, or `x.requires_grad`."""

    target: Name | Tuple | Attribute
    value: Expression
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class AugmentedAssign:
    """`name += value`: binds a new value to the name."""

    target: Name
    operator: Literal["+", "-", "*", "/", "//", "%", "@", "**"]
    value: Expression
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class Evaluate:
    """A bare expression."""

    value: Expression
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class Parameter:
    name: str
    default: Expression | None
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class Function:
    """`def f(x, y=1) { … }`; `f(x) = …` is the same with one `Return`."""

    name: str
    parameters: tuple[Parameter, ...]
    body: tuple[Statement, ...]
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class Return:
    value: Expression | None
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class Break:
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class Continue:
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class While:
    test: Expression
    body: tuple[Statement, ...]
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class For:
    target: Name | Tuple
    iterable: Expression
    body: tuple[Statement, ...]
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class If:
    """`branches` are (test, body) of `if` and each `elif`; `otherwise` is the body of `else`."""

    branches: tuple[tuple[Expression, tuple[Statement, ...]], ...]
    otherwise: tuple[Statement, ...]
    span: Span


Statement: TypeAlias = (
    Assign | AugmentedAssign | Evaluate | Function | Return | Break | Continue | While | For | If
)


@dataclass(frozen=True, slots=True, eq=False)
class Expectation:
    """A comment `#= value ± tol` or `#! code` that stands behind the statement `statement`.

    `text` is what follows `#=` or `#!`, without the blanks around it.
    """

    kind: Literal["=", "!"]
    text: str
    statement: Statement
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class Program:
    source: Source
    statements: tuple[Statement, ...]
    expectations: tuple[Expectation, ...] = ()
    notes: tuple[tuple[Span, str], ...] = ()
    """What is legal and yet likely not meant, and where."""
