"""The syntax tree: immutable records with the span of text that they come from.

Trees may be as deep as the program's text is long, so nothing here (or elsewhere) recurses over
them; equality and hashing are by identity.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple, TypeAlias, dataclass_transform

from gradcli.diagnostics import Source, Span


class _Slotted(type):
    """Gives a class a slot for each annotated field, and lets `match` take the fields in order."""

    _set: tuple[Callable[[Any, Any], None], ...]
    """The setter of each slot of an object: it takes half the time of `object.__setattr__`."""

    def __new__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> _Slotted:
        fields = namespace.get("__annotations__", ()) if bases else ()
        namespace["__slots__"] = namespace["__match_args__"] = tuple(fields)
        made = super().__new__(cls, name, bases, namespace)
        made._set = tuple([getattr(made, field).__set__ for field in fields])
        return made


@dataclass_transform(frozen_default=True, eq_default=False)
class Syntax(metaclass=_Slotted):
    """A node: fields by position, never changed. It behaves like a frozen dataclass, which would
    take half a millisecond for each class at every start.
    """

    __slots__: tuple[str, ...]
    span: Span

    def __init__(self, *values: Any) -> None:
        for set_field, value in zip(type(self)._set, values, strict=True):
            set_field(self, value)

    def __setattr__(self, field: str, value: Any) -> None:
        raise AttributeError(f"{type(self).__name__}.{field} cannot be changed")

    def __repr__(self) -> str:
        return f"<{type(self).__name__} at {self.span}>"


SAME = "="
"""The label of a grammar rule with one part, whose value is the value of that part."""
SPLICE = "_"
"""The label of a rule whose parts become parts of the rule above."""


# --- expressions ---------------------------------------------------------------------------


class Number(Syntax):
    """A number, computed in float64. Where a count is expected, it must have an integer value."""

    value: float
    span: Span


class String(Syntax):
    value: str
    span: Span


class Constant(Syntax):
    """`True`, `False` or `None`."""

    value: bool | None
    span: Span


class Name(Syntax):
    id: str
    span: Span


class List(Syntax):
    items: tuple[Expression, ...]
    span: Span


class Tuple(Syntax):
    items: tuple[Expression, ...]
    span: Span


class Unary(Syntax):
    operator: Literal["+", "-", "~", "not"]
    operand: Expression
    span: Span


class Binary(Syntax):
    operator: Literal["+", "-", "*", "/", "//", "%", "@", "**", "&", "|", "and", "or"]
    left: Expression
    right: Expression
    span: Span
    operator_span: Span


class Compare(Syntax):
    """`a < b <= c`: `operands` has one more element than `operators`."""

    operators: tuple[Literal["==", "!=", "<", "<=", ">", ">="], ...]
    operands: tuple[Expression, ...]
    span: Span


class Keyword(Syntax):
    name: str
    value: Expression
    span: Span


class Call(Syntax):
    """`callee(arguments, keywords)`; a method call has an `Attribute` as its callee."""

    callee: Expression
    arguments: tuple[Expression, ...]
    keywords: tuple[Keyword, ...]
    span: Span


class Attribute(Syntax):
    value: Expression
    name: str
    span: Span
    name_span: Span


class Slice(Syntax):
    """`lower:upper:step` inside an index."""

    lower: Expression | None
    upper: Expression | None
    step: Expression | None
    span: Span


class Ellipsis(Syntax):
    span: Span


class Index(Syntax):
    """`value[items]`; `x[0, 1]` has two items, `x[(0, 1)]` one tuple."""

    value: Expression
    items: tuple[Expression | Slice | Ellipsis, ...]
    span: Span


Expression: TypeAlias = (
    Number | String | Constant | Name | List | Tuple | Unary | Binary | Compare | Call | Attribute
    | Index
)  # fmt: skip

# --- statements ----------------------------------------------------------------------------


class Assign(Syntax):
    """`target = value`; the target is a name, a flat tuple of names, or `x.requires_grad`."""

    target: Name | Tuple | Attribute
    value: Expression
    span: Span


class AugmentedAssign(Syntax):
    """`name += value`: binds a new value to the name."""

    target: Name
    operator: Literal["+", "-", "*", "/", "//", "%", "@", "**", "&", "|"]
    value: Expression
    span: Span


class Evaluate(Syntax):
    """A bare expression."""

    value: Expression
    span: Span


class FormalParameter(Syntax):
    name: str
    default: Expression | None
    span: Span


class FunctionDefinition(Syntax):
    """`def f(x, y=1): …`; `f(x) = …` is the same with one `Return`."""

    name: str
    parameters: tuple[FormalParameter, ...]
    body: tuple[Statement, ...]
    span: Span


class Return(Syntax):
    value: Expression | None
    span: Span


class Break(Syntax):
    span: Span


class Continue(Syntax):
    span: Span


class PassStatement(Syntax):
    """Nothing is done."""

    span: Span


class While(Syntax):
    test: Expression
    body: tuple[Statement, ...]
    span: Span


class For(Syntax):
    target: Name | Tuple
    iterable: Expression
    body: tuple[Statement, ...]
    span: Span


class If(Syntax):
    """`branches` are (test, body) of `if` and each `elif`; `otherwise` is the body of `else`."""

    branches: tuple[tuple[Expression, tuple[Statement, ...]], ...]
    otherwise: tuple[Statement, ...]
    span: Span


Statement: TypeAlias = (
    Assign
    | AugmentedAssign
    | Evaluate
    | FunctionDefinition
    | Return
    | Break
    | Continue
    | PassStatement
    | While
    | For
    | If
)


class Expectation(Syntax):
    """A comment `#= value ± tol` or `#! code` that stands behind the statement `statement`.

    `text` is what follows `#=` or `#!`, without the blanks around it.
    """

    kind: Literal["=", "!"]
    text: str
    statement: Statement
    span: Span


class Program(NamedTuple):
    source: Source
    statements: tuple[Statement, ...]
    expectations: tuple[Expectation, ...] = ()
    notes: tuple[tuple[Span, str], ...] = ()
    """Warnings about what is allowed but probably not meant, and where it stands."""
    names: frozenset[str] = frozenset()
    """Every name of a value or function in the text, read or bound."""
