"""The nodes of the syntax tree: one method for each label of the grammar.

A method gets the parts of its node (nodes, or places of tokens) and its place in the text.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from typing import Any

from gradcli.diagnostics import GradcliError, Span
from gradcli.language import targets
from gradcli.language.precedence import fold
from gradcli.language.syntax import (
    Assert,
    Assign,
    Attribute,
    AugmentedAssign,
    Break,
    ByteString,
    Call,
    ChainedAssign,
    ClassDefinition,
    Clause,
    Comprehension,
    Conditional,
    Constant,
    Context,
    Continue,
    Declaration,
    Delete,
    DictLiteral,
    Ellipsis,
    Evaluate,
    Expression,
    Field,
    For,
    FormalParameter,
    FunctionDefinition,
    Handler,
    If,
    Imaginary,
    Import,
    Imported,
    Index,
    Keyword,
    Lambda,
    List,
    Match,
    MatchCase,
    Name,
    Number,
    Outer,
    Pair,
    PassStatement,
    Raise,
    Return,
    Slice,
    Starred,
    Statement,
    String,
    Template,
    Try,
    Tuple,
    Walrus,
    While,
    With,
    Yield,
)
from gradcli.language.tokens import NUMBER_OF, Tokens, content, prefix
from gradcli.tuples import NamedTuple

Parts = Sequence[Any]

_CONSTANTS = {"true": True, "false": False, "none": None}
_CONVERSION = NUMBER_OF["CONVERSION"]
_ESCAPE = r"\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-7]{1,3}|\r\n|[\s\S])"
_BYTE = r"\\(x[0-9a-fA-F]{2}|[0-7]{1,3}|\r\n|[^uU])"
"""The same in bytes."""
_ESCAPES = {
    "n": "\n", "t": "\t", "\\": "\\", "'": "'", '"': '"', "r": "\r", "a": "\a", "b": "\b",
    "f": "\f", "v": "\v", "\n": "", "\r\n": "",
}  # fmt: skip


def _escaped(escape: re.Match[str]) -> str:
    """The character that an escape stands for."""
    body = escape[1]
    if body in _ESCAPES:
        return _ESCAPES[body]
    if body[0].isdigit():
        return chr(int(body, 8)) if body[0] < "8" else escape[0]
    number = int(body[1:], 16) if body[0] in "xuU" and len(body) > 1 else sys.maxunicode + 1
    return chr(number) if number <= sys.maxunicode else escape[0]


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:  # 0xff, 0o17, 0b101
        whole = int(text, 0)
    try:
        return float(whole)
    except OverflowError:
        return float("inf")


class _Block(NamedTuple):
    body: tuple[Statement, ...]


class Otherwise(_Block):
    """The block of `else`."""


class Finally(_Block):
    """The block of `finally`."""


class _Decorator(NamedTuple):
    value: Expression


class _Guard(NamedTuple):
    value: Expression


def _bodies(parts: Parts, wanted: type[_Block]) -> tuple[tuple[Statement, ...]]:
    """The body of that kind among the parts, which may be empty."""
    return (next((part.body for part in parts if type(part) is wanted), ()),)


class Builder:
    """Makes the nodes of one program."""

    __slots__ = ("is_ascii", "jumps", "names", "returns", "text", "tokens")

    def __init__(self, tokens: Tokens) -> None:
        self.tokens = tokens
        self.text = tokens.source.text
        self.is_ascii = not tokens.names
        """Whether names are as they are written."""
        self.jumps: list[Break | Continue] = []
        """Those for which no enclosing loop has been found yet."""
        self.names: dict[str, str] = {}
        """The names of values and functions: each is one string, however often it is written."""
        self.returns: list[Return | Yield] = []
        """Those for which no enclosing function has been found yet."""

    def error(self, span: Span, message: str, hint: str | None = None) -> GradcliError:
        return GradcliError("syntax", message, hint=hint, source=self.tokens.source, span=span)

    # --- the whole ---

    def program(self, parts: Parts, _span: Span) -> tuple[Statement, ...]:
        for jump in self.jumps:
            word = "break" if isinstance(jump, Break) else "continue"
            raise self.error(jump.span, f"`{word}` stands outside a loop")
        for statement in self.returns:
            word = "return" if isinstance(statement, Return) else "yield"
            raise self.error(
                statement.span,
                f"`{word}` stands outside a function",
                "the last expression of a program is its output: write the value alone",
            )
        return tuple(parts)

    def block(self, parts: Parts, _span: Span) -> tuple[Statement, ...]:
        return tuple(parts)

    # --- statements ---

    def evaluate(self, parts: Parts, span: Span) -> Evaluate | PassStatement:
        if type(parts[0]) is Ellipsis:
            return PassStatement(span)
        if type(parts[0]) is Walrus and parts[0].span == span:
            raise self.error(
                span,
                "`:=` names a value inside an expression",
                "a statement binds a name with =, as x = 3",
            )
        return Evaluate(parts[0], span)

    def chain(self, parts: Parts, span: Span) -> ChainedAssign:
        *written, value = parts
        source = self.tokens.source
        return ChainedAssign(
            tuple(targets.assignable(target, source) for target in written), value, span
        )

    def annotate(self, parts: Parts, span: Span) -> Assign | Declaration | PassStatement:
        """`x: float = 3`: a type means nothing here."""
        target, _, _, *values = parts
        written = targets.changeable(target, self.tokens.source)
        if values:
            return Assign(written, values[0], span)
        return Declaration(written.id, span) if isinstance(written, Name) else PassStatement(span)

    def assign(self, parts: Parts, span: Span) -> Assign | FunctionDefinition:
        target, value = parts
        if isinstance(target, Call):
            name, parameters = targets.function_head(target, self.tokens.source)
            return FunctionDefinition(name, parameters, (Return(value, value.span),), (), span)
        return Assign(targets.assignable(target, self.tokens.source), value, span)

    def augment(self, parts: Parts, span: Span) -> AugmentedAssign:
        target, place, value = parts
        operator: Any = self.tokens.text(place)[:-1]
        return AugmentedAssign(
            targets.changeable(target, self.tokens.source), operator, value, span
        )

    def class_definition(self, parts: Parts, span: Span) -> ClassDefinition:
        place, *bases, body = [part for part in parts if type(part) is not _Decorator]
        return ClassDefinition(
            self.tokens.name(place),
            tuple(base for base in bases if type(base) is not Keyword),
            tuple(each for each in bases if type(each) is Keyword and each.name != "metaclass"),
            body,
            tuple(part.value for part in parts if type(part) is _Decorator),
            span,
        )

    def outer_statement(self, parts: Parts, span: Span) -> Outer:
        word, *places = parts
        names = tuple(map(self.tokens.name, places))
        return Outer(names, self.tokens.text(word) == "global", span)

    def raise_statement(self, parts: Parts, span: Span) -> Raise:
        error, cause = [*parts, None, None][:2]
        return Raise(error, cause, span)

    def decorator(self, parts: Parts, _span: Span) -> _Decorator:
        return _Decorator(parts[1])

    def annotation(self, _parts: Parts, _span: Span) -> None:
        """A type means nothing here."""

    def function(self, parts: Parts, span: Span) -> FunctionDefinition:
        decorators = tuple(part.value for part in parts if type(part) is _Decorator)
        place, *rest, body = parts[len(decorators) :]
        parameters = tuple(part for part in rest if type(part) is FormalParameter)
        targets.check_parameters(parameters, self.tokens.source)
        if self.jumps and self.jumps[-1].span[0] >= span[0]:
            self.program([], span)
        while self.returns and self.returns[-1].span[0] >= span[0]:
            self.returns.pop()
        return FunctionDefinition(self.tokens.name(place), parameters, body, decorators, span)

    def parameter(self, parts: Parts, span: Span) -> FormalParameter:
        name, *rest = parts
        if rest and type(rest[0]) is int:  # a type means nothing here
            del rest[:2]
        return FormalParameter(self.tokens.name(name), rest[0] if rest else None, span)

    def gathering(self, parts: Parts, span: Span) -> FormalParameter:
        """`*args` and `**options`."""
        stars, name, *_ = parts
        return FormalParameter(self.tokens.text(stars) + self.tokens.name(name), None, span)

    def bare_star(self, _parts: Parts, span: Span) -> FormalParameter:
        return FormalParameter("*", None, span)

    def bare_slash(self, parts: Parts, span: Span) -> None:
        """What stands before it is given without names: that means nothing here."""
        if self.tokens.text(parts[0]) != "/":
            raise self.error(span, f"`{self.tokens.text(parts[0])}` is no parameter")

    def return_statement(self, parts: Parts, span: Span) -> Return:
        statement = Return(parts[0] if parts else None, span)
        self.returns.append(statement)
        return statement

    def yield_statement(self, parts: Parts, span: Span) -> Yield:
        return self._yielding(Yield(parts[0] if parts else None, False, None, span))

    def yield_all(self, parts: Parts, span: Span) -> Yield:
        return self._yielding(Yield(parts[0], True, None, span))

    def yield_into(self, parts: Parts, span: Span) -> Yield:
        target, *value = parts
        names = targets.assignable(target, self.tokens.source)
        return self._yielding(Yield(value[0] if value else None, False, names, span))

    def yield_all_into(self, parts: Parts, span: Span) -> Yield:
        names = targets.assignable(parts[0], self.tokens.source)
        return self._yielding(Yield(parts[1], True, names, span))

    def _yielding(self, statement: Yield) -> Yield:
        self.returns.append(statement)
        return statement

    def break_statement(self, _parts: Parts, span: Span) -> Break:
        statement = Break(span)
        self.jumps.append(statement)
        return statement

    def continue_statement(self, _parts: Parts, span: Span) -> Continue:
        statement = Continue(span)
        self.jumps.append(statement)
        return statement

    def pass_statement(self, _parts: Parts, span: Span) -> PassStatement:
        return PassStatement(span)

    def while_statement(self, parts: Parts, span: Span) -> While:
        self._close_loop(span)
        test, body, *otherwise = parts
        return While(test, body, *_bodies(otherwise, Otherwise), span)

    def for_statement(self, parts: Parts, span: Span) -> For:
        self._close_loop(span)
        target, iterable, body, *otherwise = parts
        names = targets.assignable(target, self.tokens.source)
        return For(names, iterable, body, *_bodies(otherwise, Otherwise), span)

    def _close_loop(self, span: Span) -> None:
        while self.jumps and self.jumps[-1].span[0] >= span[0]:
            self.jumps.pop()

    def if_statement(self, parts: Parts, span: Span) -> If:
        otherwise = parts[-1].body if len(parts) % 2 else ()
        return If(tuple(zip(parts[::2], parts[1::2], strict=False)), otherwise, span)

    def otherwise(self, parts: Parts, _span: Span) -> Otherwise:
        return Otherwise(parts[0])

    def match_statement(self, parts: Parts, span: Span) -> Match:
        value, *cases = parts
        return Match(value, tuple(cases), span)

    def case(self, parts: Parts, span: Span) -> MatchCase:
        pattern, *rest, body = parts
        targets.check_pattern(pattern, self.tokens.source)
        guard = next((part.value for part in rest if type(part) is _Guard), None)
        return MatchCase(
            pattern, self._named([p for p in rest if type(p) is int]), guard, body, span
        )

    def guard(self, parts: Parts, _span: Span) -> _Guard:
        return _Guard(parts[0])

    def with_statement(self, parts: Parts, span: Span) -> With:
        *contexts, body = parts
        return With(tuple(contexts), body, span)

    def context(self, parts: Parts, span: Span) -> Context:
        return Context(parts[0], self._named(parts[1:]), span)

    def try_statement(self, parts: Parts, span: Span) -> Try:
        body, *rest = parts
        handlers = tuple(part for part in rest if type(part) is Handler)
        (otherwise,) = _bodies(rest, Otherwise)
        (last,) = _bodies(rest, Finally)
        if not handlers and not last:
            raise self.error(
                (span[0], span[0] + len("try")), "this `try` has no `except`", "write except: …"
            )
        return Try(body, handlers, otherwise, last, span)

    def handler(self, parts: Parts, span: Span) -> Handler:
        *head, body = parts
        return Handler(head[0] if head else None, self._named(head[1:]), body, span)

    def last(self, parts: Parts, _span: Span) -> Finally:
        return Finally(parts[0])

    def _named(self, parts: Parts) -> str | None:
        return self.tokens.name(parts[0]) if parts else None

    def path(self, parts: Parts, _span: Span) -> str:
        return ".".join(map(self.tokens.name, parts))

    def module(self, parts: Parts, span: Span) -> Imported:
        path, *alias = parts
        if alias:
            return Imported(self.tokens.name(alias[0]), path, span)
        root = path.partition(".")[0]
        return Imported(root, root if root == path else f"{root}:{path}", span)

    def import_statement(self, parts: Parts, span: Span) -> Import:
        return Import(tuple(parts), span)

    def member(self, parts: Parts, span: Span) -> Imported:
        return Imported(self.tokens.name(parts[-1]), self.tokens.name(parts[0]), span)

    def from_statement(self, parts: Parts, span: Span) -> Import:
        path, *members = parts
        if type(members[0]) is int:  # *
            return Import((Imported("*", f"{path}.*", self.tokens.span(members[0])),), span)
        return Import(
            tuple(Imported(each.name, f"{path}.{each.path}", each.span) for each in members), span
        )

    def assert_statement(self, parts: Parts, span: Span) -> Assert:
        return Assert(parts[0], parts[1] if len(parts) > 1 else None, span)

    def delete_statement(self, parts: Parts, span: Span) -> Delete:
        items = parts[0].items if isinstance(parts[0], Tuple) else parts
        return Delete(tuple(targets.deletable(item, self.tokens.source) for item in items), span)

    # --- expressions ---

    def operation(self, parts: Parts, span: Span) -> Expression:
        return fold(parts, self.tokens, *span) if len(parts) > 1 else parts[0]

    def conditional(self, parts: Parts, span: Span) -> Conditional:
        value, test, otherwise = parts
        return Conditional(test, value, otherwise, span)

    def named(self, parts: Parts, span: Span) -> Walrus:
        name, _, value = parts
        return Walrus(self.tokens.name(name), value, span)

    def function_expression(self, parts: Parts, span: Span) -> Lambda:
        *parameters, _, value = parts
        targets.check_parameters(parameters, self.tokens.source)
        return Lambda(tuple(parameters), value, span)

    def set(self, parts: Parts, span: Span) -> Call:
        """`{a, b}` is `set([a, b])`."""
        return Call(Name("set", span), (List(tuple(parts), span),), (), span)

    def set_comprehension(self, parts: Parts, span: Span) -> Call:
        return Call(Name("set", span), (self.comprehension(parts, span),), (), span)

    def comprehension(self, parts: Parts, span: Span) -> Comprehension:
        item, *clauses = parts
        return Comprehension(item, tuple(clauses), span)

    def clause(self, parts: Parts, span: Span) -> Clause:
        target, iterable, *tests = parts
        names = targets.names_only(target, self.tokens.source)
        return Clause(names, iterable, tuple(tests), span)

    def starred(self, parts: Parts, span: Span) -> Starred:
        return Starred(parts[1], span)

    def spread(self, parts: Parts, span: Span) -> Keyword:
        return Keyword("**", parts[1], span)

    def pair(self, parts: Parts, span: Span) -> Pair:
        key, _, value = parts
        return Pair(key, value, span)

    def dictionary(self, parts: Parts, span: Span) -> DictLiteral:
        return DictLiteral(tuple(parts), span)

    def name(self, parts: Parts, span: Span) -> Name:
        name = self.text[span[0] : span[1]] if self.is_ascii else self.tokens.name(parts[0])
        return Name(self.names.setdefault(name, name), span)

    def names_at(self, spans: Sequence[Span]) -> list[Name]:
        """What `name` makes at each of some places, where names are as they are written."""
        text, known = self.text, self.names
        return [
            Name(known.setdefault(name := text[start:end], name), span)
            for span in spans
            for start, end in (span,)
        ]

    def number(self, parts: Parts, span: Span) -> Number:
        value = _number(self.tokens.text(parts[0]))
        if value == float("inf"):
            raise GradcliError(
                "value",
                "this number is too large for float64 (the largest is about 1.8e308)",
                hint="write inf for infinity",
                source=self.tokens.source,
                span=span,
            )
        return Number(value, span)

    def imaginary(self, parts: Parts, span: Span) -> Imaginary:
        return Imaginary(self.tokens.text(parts[0]), span)

    def string(self, parts: Parts, span: Span) -> String | ByteString | Template:
        """Strings that stand one after another are one."""
        pieces: list[str | Field] = []
        of_bytes = [type(part) is int and "b" in self._prefix(part) for part in parts]
        if any(of_bytes):
            return self._bytes(parts, span, whole=all(of_bytes))
        for part in parts:
            pieces += [self._string(part)] if type(part) is int else part.pieces
        if any(type(part) is not int for part in parts):
            return Template(tuple(pieces), span)
        return String("".join(pieces), span)  # type: ignore[arg-type]

    def _bytes(self, parts: Parts, span: Span, *, whole: bool) -> ByteString:
        """What is written with a `b` before its quotes; it has no characters but ASCII's."""
        text = "".join(self._string(part, escape=_BYTE) for part in parts) if whole else ""
        written = self.tokens.source.text[slice(*span)]
        if not whole or not written.isascii() or any(ord(each) > 255 for each in text):
            message = "bytes hold ASCII characters" if whole else "bytes stand next to a string"
            raise GradcliError("syntax", message, hint="'…'.encode() makes bytes of any text",
                               source=self.tokens.source, span=span)  # fmt: skip
        return ByteString(text.encode("latin-1"), span)

    def _prefix(self, place: int) -> str:
        return prefix(self.tokens.source.text, self.tokens.span(place)[0])

    def _string(self, place: int, escape: str = _ESCAPE) -> str:
        text, (start, end) = self.tokens.source.text, self.tokens.span(place)
        first, last = content(text, start, end)
        return self._unescaped(first, last, raw="r" in prefix(text, start), escape=escape)

    def _unescaped(self, start: int, end: int, *, raw: bool = False, escape: str = _ESCAPE) -> str:
        """The text of a string, in which escapes that mean nothing stay, as in Python's."""
        text = self.tokens.source.text[start:end]
        if raw or "\\" not in text:
            return text
        return re.sub(escape, _escaped, text)

    def template(self, parts: Parts, span: Span) -> Template:
        return Template(self._pieces(parts), span)

    def _pieces(self, parts: Parts) -> tuple[str | Field, ...]:
        doubled = (
            self._unescaped(*self.tokens.span(part)) if type(part) is int else part
            for part in parts
        )
        return tuple(
            each.replace("{{", "{").replace("}}", "}") if type(each) is str else each
            for each in doubled
        )

    def field(self, parts: Parts, span: Span) -> Field:
        value, *rest = parts
        conversion = ""
        if rest and type(rest[0]) is int and self.tokens.kinds[rest[0]] == _CONVERSION:
            conversion = self.tokens.text(rest.pop(0))[1:]
        elif not rest and self.tokens.source.text[slice(*span)].rstrip("} ").endswith("="):
            conversion = "r"  # of `{x=}`
        return Field(value, conversion, self._pieces(rest), span)

    def constant(self, parts: Parts, span: Span) -> Constant:
        return Constant(_CONSTANTS[self.tokens.text(parts[0]).lower()], span)

    def group(self, parts: Parts, _span: Span) -> Expression:
        node: Expression = parts[0]
        return node

    def tuple(self, parts: Parts, span: Span) -> Tuple:
        return Tuple(tuple(parts), span)

    def list(self, parts: Parts, span: Span) -> List:
        return List(tuple(parts), span)

    def attribute(self, parts: Parts, span: Span) -> Attribute:
        value, place = parts
        return Attribute(value, self.tokens.name(place), span, self.tokens.span(place))

    def call(self, parts: Parts, span: Span) -> Call:
        callee, *given = parts
        if Keyword not in map(type, given):
            return Call(callee, tuple(given), (), span)
        arguments = tuple([node for node in given if type(node) is not Keyword])
        keywords = tuple([node for node in given if type(node) is Keyword])
        for node in given[[type(each) for each in given].index(Keyword) :]:
            if type(node) not in (Keyword, Starred):
                raise self.error(
                    node.span,
                    "an argument without a name stands behind one with a name",
                    "put the arguments without names first",
                )
        names = set()
        for keyword in keywords:
            if keyword.name in names:
                raise self.error(keyword.span, f"the argument `{keyword.name}` is given twice")
            names.add(keyword.name)
        return Call(callee, arguments, keywords, span)

    def keyword(self, parts: Parts, span: Span) -> Keyword:
        return Keyword(self.tokens.name(parts[0]), parts[1], span)

    def index(self, parts: Parts, span: Span) -> Index:
        value, *items = parts
        return Index(value, tuple(items), span)

    def slice(self, parts: Parts, span: Span) -> Slice:
        bounds: dict[int, Expression] = {}
        colons = 0
        for part in parts:
            if type(part) is int:
                colons += 1
            else:
                bounds[colons] = part
        return Slice(bounds.get(0), bounds.get(1), bounds.get(2), span)

    def ellipsis(self, _parts: Parts, span: Span) -> Ellipsis:
        return Ellipsis(span)
