"""The syntax tree: immutable records with the span of text that they come from.

Trees may be as deep as the program's text is long, so nothing here (or elsewhere) recurses over
them; equality and hashing are by identity.
"""

from __future__ import annotations

from types import FunctionType
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, dataclass_transform

from gradcli.diagnostics import Source, Span
from gradcli.tuples import NamedTuple


def _fill_1(self: Any, a: Any) -> None:
    self.a = a


def _fill_2(self: Any, a: Any, b: Any) -> None:
    self.a, self.b = a, b


def _fill_3(self: Any, a: Any, b: Any, c: Any) -> None:
    self.a, self.b, self.c = a, b, c


def _fill_4(self: Any, a: Any, b: Any, c: Any, d: Any) -> None:
    self.a, self.b, self.c, self.d = a, b, c, d


def _fill_5(self: Any, a: Any, b: Any, c: Any, d: Any, e: Any) -> None:
    self.a, self.b, self.c, self.d, self.e = a, b, c, d, e


def _fill_6(self: Any, a: Any, b: Any, c: Any, d: Any, e: Any, f: Any) -> None:
    self.a, self.b, self.c, self.d, self.e, self.f = a, b, c, d, e, f


_FILLS = (_fill_1, _fill_2, _fill_3, _fill_4, _fill_5, _fill_6)
"""By the count of fields: a constructor, of which each class takes the code with its own names in
place of `a`, `b` …. A text holds so many nodes that a loop over the fields would take a fifth of
the time of parsing.
"""


class _Slotted(type):
    """Gives a class a slot for each annotated field, and a constructor that takes them in order, as
    `match` does.
    """

    def __new__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> _Slotted:
        fields = tuple(namespace.get("__annotations__", ()) if bases else ())
        namespace.setdefault("__slots__", fields)
        namespace["__match_args__"] = fields
        if fields:
            code = _FILLS[len(fields) - 1].__code__.replace(co_names=fields)
            namespace["__init__"] = FunctionType(code, {})
        return super().__new__(cls, name, bases, namespace)


@dataclass_transform(frozen_default=True, eq_default=False)
class Syntax(metaclass=_Slotted):
    """A node: fields by position, never changed, as to type checkers. It behaves like a dataclass
    with slots, which would take half a millisecond for each class at every start.
    """

    __slots__: tuple[str, ...]
    span: Span

    def __repr__(self) -> str:
        return f"<{type(self).__name__} at {self.span}>"


class LateSyntax(Syntax):
    """A node of which the fields may come later, when one is asked for: see `moved`.

    A class of its own, as what has `__getattr__` takes three times as long to read.
    """

    __slots__ = ("moved_from",)

    if not TYPE_CHECKING:

        def __getattr__(self, field: str) -> Any:
            """A field that is not there yet, of a statement that has moved: see `moved`."""
            if field == "moved_from":
                raise AttributeError(field)
            try:
                fill, statement, by = self.moved_from
            except AttributeError:
                raise AttributeError(f"{type(self).__name__} has no {field}") from None
            fill(self, statement, by)
            return object.__getattribute__(self, field)


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


class ByteString(Syntax):
    """`b"abc"`."""

    value: bytes
    span: Span


class Constant(Syntax):
    """`True`, `False` or `None`."""

    value: bool | None
    span: Span


class Field(Syntax):
    """`{value!r:format}` in a string; `format` is a row of text and fields."""

    value: Expression
    conversion: str
    format: tuple[str | Field, ...]
    span: Span


class Template(Syntax):
    """`f"…"`: a row of text and fields."""

    pieces: tuple[str | Field, ...]
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
    operator: Literal[
        "+", "-", "*", "/", "//", "%", "@", "**", "&", "^", "|", "<<", ">>", "and", "or"
    ]
    left: Expression
    right: Expression
    span: Span
    operator_span: Span


class Compare(Syntax):
    """`a < b <= c`: `operands` has one more element than `operators`."""

    operators: tuple[Literal["==", "!=", "<", "<=", ">", ">=", "is", "is not", "in", "not in"], ...]
    operands: tuple[Expression, ...]
    span: Span


class Keyword(Syntax):
    """`name=value`; the name is `**` where all pairs of a dictionary are given: `**value`."""

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


class Imaginary(Syntax):
    """`2j`, a number of Python's; programs of the language's own have real ones alone."""

    text: str
    span: Span


class Ellipsis(Syntax):
    """`...`: all axes that an index does not name; a value that stands for what is left out."""

    span: Span


class Index(Syntax):
    """`value[items]`; `x[0, 1]` has two items, `x[(0, 1)]` one tuple."""

    value: Expression
    items: tuple[Expression | Slice, ...]
    span: Span


class Conditional(Syntax):
    """`value if test else otherwise`."""

    test: Expression
    value: Expression
    otherwise: Expression
    span: Span


class Lambda(Syntax):
    """`lambda x, y=1: value`."""

    parameters: tuple[FormalParameter, ...]
    value: Expression
    span: Span


class Clause(Syntax):
    """`for target in iterable if test if test` of a comprehension."""

    target: Name | Tuple
    iterable: Expression
    tests: tuple[Expression, ...]
    span: Span


class Pair(Syntax):
    """`key: value` of a dictionary."""

    key: Expression
    value: Expression
    span: Span


class DictLiteral(Syntax):
    """`{key: value, **others}`."""

    pairs: tuple[Pair | Keyword, ...]
    span: Span


class Comprehension(Syntax):
    """`[item for … in …]`, and the same in parentheses: a list; a dictionary of pairs."""

    item: Expression | Pair
    clauses: tuple[Clause, ...]
    span: Span


class Walrus(Syntax):
    """`name := value`: a value that gets a name."""

    name: str
    value: Expression
    span: Span


class Starred(Syntax):
    """`*value` among arguments or items: each of its elements is one; in a target, what is left."""

    value: Expression
    span: Span


Expression: TypeAlias = (
    Number | String | ByteString | Template | Constant | Name | List | Tuple | Unary | Binary
    | Compare | Call | Attribute | Index | Conditional | Lambda | Comprehension | DictLiteral
    | Starred | Walrus | Ellipsis | Imaginary
)  # fmt: skip

Target: TypeAlias = Name | Tuple | Attribute | Index
"""What stands left of `=`."""

# --- statements ----------------------------------------------------------------------------


class Assign(LateSyntax):
    """`target = value`; the target is a name, an attribute, an element, or a tuple of these."""

    target: Target
    value: Expression
    span: Span


class ChainedAssign(LateSyntax):
    """`a = b = value`."""

    targets: tuple[Target, ...]
    value: Expression
    span: Span


class AugmentedAssign(LateSyntax):
    """`name += value`: binds a new value to the name. Also `x.data += value`, `x[0] += value`."""

    target: Name | Attribute | Index
    operator: Literal["+", "-", "*", "/", "//", "%", "@", "**", "&", "^", "|", "<<", ">>"]
    value: Expression
    span: Span


class Evaluate(LateSyntax):
    """A bare expression."""

    value: Expression
    span: Span


class FormalParameter(Syntax):
    """`name=default`; the name has its stars where it gathers arguments: `*args`, `**options`."""

    name: str
    default: Expression | None
    span: Span


class FunctionDefinition(Syntax):
    """`def f(x, y=1): …`; `f(x) = …` is the same with one `Return`."""

    name: str
    parameters: tuple[FormalParameter, ...]
    body: tuple[Statement, ...]
    decorators: tuple[Expression, ...]
    span: Span


class ClassDefinition(Syntax):
    """`class name(bases, name=value): …`; of the keywords, a metaclass means nothing here."""

    name: str
    bases: tuple[Expression, ...]
    keywords: tuple[Keyword, ...]
    body: tuple[Statement, ...]
    decorators: tuple[Expression, ...]
    span: Span


class Outer(Syntax):
    """`global a, b` (`everywhere`) and `nonlocal a, b`: names that an outer body binds."""

    names: tuple[str, ...]
    everywhere: bool
    span: Span


class Raise(Syntax):
    """`raise error from cause`; without an error, that which is handled."""

    error: Expression | None
    cause: Expression | None
    span: Span


class Return(Syntax):
    value: Expression | None
    span: Span


class Yield(Syntax):
    """`target = yield value`; `yield from value` gives `all` of its elements."""

    value: Expression | None
    all: bool
    target: Target | None
    span: Span


class Break(Syntax):
    span: Span


class Continue(Syntax):
    span: Span


class Declaration(Syntax):
    """`name: int`: a name without a value."""

    name: str
    span: Span


class PassStatement(Syntax):
    """Nothing is done."""

    span: Span


class While(Syntax):
    """`otherwise` is the body of `else`, which runs unless the loop is left by `break`."""

    test: Expression
    body: tuple[Statement, ...]
    otherwise: tuple[Statement, ...]
    span: Span


class For(Syntax):
    target: Target
    iterable: Expression
    body: tuple[Statement, ...]
    otherwise: tuple[Statement, ...]
    span: Span


class If(Syntax):
    """`branches` are (test, body) of `if` and each `elif`; `otherwise` is the body of `else`."""

    branches: tuple[tuple[Expression, tuple[Statement, ...]], ...]
    otherwise: tuple[Statement, ...]
    span: Span


class MatchCase(Syntax):
    """`case pattern as name if guard: body`. A pattern is written as an expression, in which names
    stand for what is found.
    """

    pattern: Expression
    name: str | None
    guard: Expression | None
    body: tuple[Statement, ...]
    span: Span


class Match(Syntax):
    """`match value: …`: the body of the first case whose pattern fits."""

    value: Expression
    cases: tuple[MatchCase, ...]
    span: Span


class Context(Syntax):
    """`value as name` of `with`."""

    value: Expression
    name: str | None
    span: Span


class With(Syntax):
    contexts: tuple[Context, ...]
    body: tuple[Statement, ...]
    span: Span


class Handler(Syntax):
    """`except error as name: body`."""

    error: Expression | None
    name: str | None
    body: tuple[Statement, ...]
    span: Span


class Try(Syntax):
    """`otherwise` is the body of `else`, `last` that of `finally`."""

    body: tuple[Statement, ...]
    handlers: tuple[Handler, ...]
    otherwise: tuple[Statement, ...]
    last: tuple[Statement, ...]
    span: Span


class Imported(Syntax):
    """What an import binds a name to: `path` is written with dots."""

    name: str
    path: str
    span: Span


class Import(Syntax):
    """`import a.b as c`, or `from a import b, c`."""

    items: tuple[Imported, ...]
    span: Span


class Assert(Syntax):
    test: Expression
    message: Expression | None
    span: Span


class Delete(Syntax):
    """`del a, d[k], x.y`."""

    targets: tuple[Name | Attribute | Index, ...]
    span: Span


Statement: TypeAlias = (
    Assign
    | ChainedAssign
    | AugmentedAssign
    | Evaluate
    | FunctionDefinition
    | ClassDefinition
    | Outer
    | Raise
    | Return
    | Yield
    | Break
    | Continue
    | PassStatement
    | Declaration
    | While
    | For
    | If
    | Match
    | With
    | Try
    | Import
    | Assert
    | Delete
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


def bodies(statement: Statement) -> tuple[tuple[Statement, ...], ...]:
    """The bodies directly inside a statement."""
    match statement:
        case FunctionDefinition() | ClassDefinition() | With():
            return (statement.body,)
        case While() | For():
            return statement.body, statement.otherwise
        case If():
            return *(body for _, body in statement.branches), statement.otherwise
        case Match():
            return tuple(case.body for case in statement.cases)
        case Try():
            handled = (handler.body for handler in statement.handlers)
            return statement.body, *handled, statement.otherwise, statement.last
    return ()
