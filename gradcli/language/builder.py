"""The nodes of the syntax tree: one method for each label of the grammar.

A method gets the parts of its node (nodes, or places of tokens) and its place in the text.
"""

from __future__ import annotations

import re
from typing import Any

from gradcli.diagnostics import GradcliError, Span
from gradcli.language import targets
from gradcli.language.precedence import fold
from gradcli.language.syntax import (
    Assign,
    Attribute,
    AugmentedAssign,
    Break,
    Call,
    Constant,
    Continue,
    Ellipsis,
    Evaluate,
    Expression,
    For,
    FormalParameter,
    FunctionDefinition,
    If,
    Index,
    Keyword,
    List,
    Name,
    Number,
    PassStatement,
    Return,
    Slice,
    Statement,
    String,
    Tuple,
    While,
)
from gradcli.language.tokens import Tokens

Parts = list[Any]

_CONSTANTS = {"true": True, "false": False, "none": None}
_ESCAPE = re.compile(r"\\(.)")
_ESCAPES = {"n": "\n", "t": "\t", "\\": "\\", "'": "'", '"': '"'}


class Builder:
    """Makes the nodes of one program."""

    __slots__ = ("jumps", "names", "returns", "tokens")

    def __init__(self, tokens: Tokens) -> None:
        self.tokens = tokens
        self.jumps: list[Break | Continue] = []
        """Those for which no enclosing loop has been found yet."""
        self.names: set[str] = set()
        """The names of values and functions."""
        self.returns: list[Return] = []
        """Those for which no enclosing function has been found yet."""

    def error(self, span: Span, message: str, hint: str | None = None) -> GradcliError:
        return GradcliError("syntax", message, hint=hint, source=self.tokens.source, span=span)

    # --- the whole ---

    def program(self, parts: Parts, _span: Span) -> tuple[Statement, ...]:
        for jump in self.jumps:
            word = "break" if isinstance(jump, Break) else "continue"
            raise self.error(jump.span, f"`{word}` stands outside a loop")
        for statement in self.returns:
            raise self.error(
                statement.span,
                "`return` stands outside a function",
                "the last expression of a program is its output: write the value alone",
            )
        return tuple(parts)

    def block(self, parts: Parts, _span: Span) -> tuple[Statement, ...]:
        return tuple(parts)

    # --- statements ---

    def evaluate(self, parts: Parts, span: Span) -> Evaluate:
        return Evaluate(parts[0], span)

    def assign(self, parts: Parts, span: Span) -> Assign | FunctionDefinition:
        target, value = parts
        if isinstance(target, Call):
            name, parameters = targets.function_head(target, self.tokens.source)
            return FunctionDefinition(name, parameters, (Return(value, value.span),), span)
        return Assign(targets.assignable(target, self.tokens.source), value, span)

    def augment(self, parts: Parts, span: Span) -> AugmentedAssign:
        target, place, value = parts
        operator: Any = self.tokens.text(place)[:-1]
        name = targets.name_only(target, self.tokens.source)
        return AugmentedAssign(name, operator, value, span)

    def function(self, parts: Parts, span: Span) -> FunctionDefinition:
        place, *parameters, body = parts
        targets.check_parameters(parameters, self.tokens.source)
        if self.jumps and self.jumps[-1].span[0] >= span[0]:
            self.program([], span)
        while self.returns and self.returns[-1].span[0] >= span[0]:
            self.returns.pop()
        return FunctionDefinition(self.tokens.name(place), tuple(parameters), body, span)

    def parameter(self, parts: Parts, span: Span) -> FormalParameter:
        return FormalParameter(
            self.tokens.name(parts[0]), parts[1] if len(parts) > 1 else None, span
        )

    def return_statement(self, parts: Parts, span: Span) -> Return:
        self.returns.append(Return(parts[0] if parts else None, span))
        return self.returns[-1]

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
        return While(parts[0], parts[1], span)

    def for_statement(self, parts: Parts, span: Span) -> For:
        self._close_loop(span)
        target, iterable, body = parts
        return For(targets.names_only(target, self.tokens.source), iterable, body, span)

    def _close_loop(self, span: Span) -> None:
        while self.jumps and self.jumps[-1].span[0] >= span[0]:
            self.jumps.pop()

    def if_statement(self, parts: Parts, span: Span) -> If:
        otherwise = parts.pop() if len(parts) % 2 else ()
        return If(tuple(zip(parts[::2], parts[1::2], strict=True)), otherwise, span)

    # --- expressions ---

    def expression(self, parts: Parts, span: Span) -> Expression:
        return fold(parts, self.tokens, *span) if len(parts) > 1 else parts[0]

    def name(self, parts: Parts, span: Span) -> Name:
        name = self.tokens.name(parts[0])
        self.names.add(name)
        return Name(name, span)

    def number(self, parts: Parts, span: Span) -> Number:
        value = float(self.tokens.text(parts[0]))
        if value == float("inf"):
            raise GradcliError(
                "value",
                "this number is too large for float64 (the largest is about 1.8e308)",
                hint="write inf for infinity",
                source=self.tokens.source,
                span=span,
            )
        return Number(value, span)

    def string(self, parts: Parts, span: Span) -> String:
        text = self.tokens.text(parts[0])[1:-1]
        if "\\" in text:
            for escape in _ESCAPE.finditer(text):
                if escape[1] not in _ESCAPES:
                    at = span[0] + 1 + escape.start()
                    raise self.error(
                        (at, at + 2),
                        f"{escape[0]} means nothing in a string",
                        r"there are \n \t \\ \' and \"; write \\ for a backslash",
                    )
            text = _ESCAPE.sub(lambda escape: _ESCAPES[escape[1]], text)
        return String(text, span)

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
        arguments = tuple(node for node in given if type(node) is not Keyword)
        if len(arguments) == len(given):
            return Call(callee, arguments, (), span)
        keywords = tuple(given[len(arguments) :])
        names = set()
        for keyword in keywords:
            if type(keyword) is not Keyword:
                raise self.error(
                    keyword.span,
                    "an argument without a name stands behind one with a name",
                    "put the arguments without names first",
                )
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
