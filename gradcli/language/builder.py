"""Tokens and parts to nodes of the syntax tree: one method for each label of the grammar.

A part is a node, the number of a token, or a block (a tuple of statements). What the grammar lets
through and the language does not (an odd target, `return` outside a function) is refused here.
"""

from __future__ import annotations

import re
from typing import Any, TypeAlias

from gradcli.diagnostics import GradcliError, Span
from gradcli.language.lexer import Tokens, normalised
from gradcli.language.mistakes import misplaced_expectation, not_assignable, syntax_error
from gradcli.language.precedence import climb
from gradcli.language.syntax import (
    Assign, Attribute, AugmentedAssign, Break, Call, Constant, Continue, Ellipsis,
    Evaluate, Expectation, Expression, For, Function, If, Index, Keyword, List, Name, Number,
    Parameter, Program, Return, Slice, Statement, String, Tuple, While,
)  # fmt: skip
from gradcli.language.tables import load_tables

Parts: TypeAlias = list[Any]

_CONSTANTS = {"true": True, "false": False, "none": None}
_ESCAPE = re.compile(r"\\(.)")
_ESCAPES = {"n": "\n", "t": "\t", "\\": "\\", "'": "'", '"': '"'}


class Builder:
    def __init__(self, tokens: Tokens) -> None:
        self.tokens = tokens
        self.text = tokens.source.text
        self.colon = load_tables().number["COLON"]
        self.expected = {tokens.ends[i]: (span, i) for span, i in tokens.expectations}
        """End of a statement to the comment behind it."""
        self.expectations: list[Expectation] = []
        self.returns: list[Span] = []
        """Those that no function has claimed yet; `jumps` likewise for loops."""
        self.jumps: list[tuple[Span, str]] = []

    def finish(self, statements: tuple[Statement, ...]) -> Program:
        if self.returns:
            raise self._error(self.returns[0], "`return` stands outside of a function")
        self._no_jumps(0)
        if self.expected:
            span, _ = next(iter(self.expected.values()))
            raise misplaced_expectation(self.tokens.source, span)
        return Program(
            self.tokens.source, statements, tuple(self.expectations), tuple(self.tokens.notes)
        )

    def program(self, parts: Parts, span: Span) -> tuple[Statement, ...]:
        return tuple(parts)

    def block(self, parts: Parts, span: Span) -> tuple[Statement, ...]:
        return tuple(parts)

    # --- statements -------------------------------------------------------------------------

    def evaluate(self, parts: Parts, span: Span) -> Statement:
        return self._expect(Evaluate(parts[0], span))

    def assign(self, parts: Parts, span: Span) -> Statement:
        target, value = parts
        if type(target) is Call and type(target.callee) is Name:
            body = Return(value, value.span)
            function = self._function(target.callee.id, self._parameters(target), (body,), span)
            return self._expect(function)
        return self._expect(Assign(self._target(target, value), value, span))

    def augment(self, parts: Parts, span: Span) -> Statement:
        target, operator, value = parts
        if type(target) is not Name:
            raise not_assignable(self.tokens.source, target)
        sign: Any = self.tokens.text(operator)[:-1]
        return self._expect(AugmentedAssign(target, sign, value, span))

    def function(self, parts: Parts, span: Span) -> Statement:
        name, *parameters, body = parts
        self.returns = [place for place in self.returns if place[0] < span[0]]
        self._no_jumps(span[0])
        return self._expect(self._function(self._name(name), tuple(parameters), body, span))

    def parameter(self, parts: Parts, span: Span) -> Parameter:
        return Parameter(self._name(parts[0]), parts[1] if len(parts) == 2 else None, span)

    def return_statement(self, parts: Parts, span: Span) -> Statement:
        self.returns.append(span)
        return self._expect(Return(parts[0] if parts else None, span))

    def break_statement(self, parts: Parts, span: Span) -> Statement:
        self.jumps.append((span, "break"))
        return self._expect(Break(span))

    def continue_statement(self, parts: Parts, span: Span) -> Statement:
        self.jumps.append((span, "continue"))
        return self._expect(Continue(span))

    def while_statement(self, parts: Parts, span: Span) -> Statement:
        self._claim_jumps(span)
        return self._expect(While(*parts, span))

    def for_statement(self, parts: Parts, span: Span) -> Statement:
        target, iterable, body = parts
        self._claim_jumps(span)
        if type(target) is Attribute:
            raise not_assignable(self.tokens.source, target)
        return self._expect(For(self._target(target), iterable, body, span))

    def if_statement(self, parts: Parts, span: Span) -> Statement:
        branches = tuple(zip(parts[0::2], parts[1::2], strict=False))
        otherwise = parts[-1] if len(parts) % 2 else ()
        return self._expect(If(branches, otherwise, span))

    # --- expressions ------------------------------------------------------------------------

    def expression(self, parts: Parts, span: Span) -> Expression:
        expression: Expression = parts[0] if len(parts) == 1 else climb(parts, self.tokens)
        return expression

    def name(self, parts: Parts, span: Span) -> Name:
        return Name(self._name(parts[0]), span)

    def number(self, parts: Parts, span: Span) -> Number:
        value = float(self.text[span[0] : span[1]])
        if value == float("inf"):
            raise GradcliError(
                "value",
                "the number is too large for float64, whose largest is 1.7976931348623157e308",
                hint="infinity is written `inf`",
                source=self.tokens.source,
                span=span,
            )
        return Number(value, span)

    def string(self, parts: Parts, span: Span) -> String:
        text = self.text[span[0] + 1 : span[1] - 1]
        if "\\" not in text:
            return String(text, span)
        for escape in _ESCAPE.finditer(text):
            if escape[1] not in _ESCAPES:
                start = span[0] + 1 + escape.start()
                raise self._error(
                    (start, start + 2), f"`{escape[0]}` means nothing", "a backslash is `\\\\`"
                )
        return String(_ESCAPE.sub(lambda escape: _ESCAPES[escape[1]], text), span)

    def constant(self, parts: Parts, span: Span) -> Constant:
        return Constant(_CONSTANTS[self._name(parts[0]).lower()], span)

    def group(self, parts: Parts, span: Span) -> Expression:
        """The node inside, which is not seen by anyone yet: its span takes in the parentheses."""
        node: Expression = parts[0]
        object.__setattr__(node, "span", span)
        return node

    def tuple(self, parts: Parts, span: Span) -> Tuple:
        return Tuple(tuple(parts), span)

    def list(self, parts: Parts, span: Span) -> List:
        return List(tuple(parts), span)

    def attribute(self, parts: Parts, span: Span) -> Attribute:
        value, name = parts
        name_span = self.tokens.starts[name], self.tokens.ends[name]
        return Attribute(value, self._name(name), span, name_span)

    def call(self, parts: Parts, span: Span) -> Call:
        callee, *arguments = parts
        keywords = [part for part in arguments if type(part) is Keyword]
        if not keywords:
            return Call(callee, tuple(arguments), (), span)
        positional = arguments[: len(arguments) - len(keywords)]
        if late := next((part for part in positional if type(part) is Keyword), None):
            following = arguments[arguments.index(late) + 1]
            raise self._error(
                following.span, f"an argument without a name stands behind `{late.name}=`"
            )
        self._no_doubles(keywords, "argument")
        return Call(callee, tuple(positional), tuple(keywords), span)

    def keyword(self, parts: Parts, span: Span) -> Keyword:
        return Keyword(self._name(parts[0]), parts[1], span)

    def index(self, parts: Parts, span: Span) -> Index:
        return Index(parts[0], tuple(parts[1:]), span)

    def slice(self, parts: Parts, span: Span) -> Slice:
        bounds: list[Expression | None] = [None]
        for part in parts:
            if type(part) is int:
                bounds.append(None)
            else:
                bounds[-1] = part
        lower, upper, step = [*bounds, None][:3]
        return Slice(lower, upper, step, span)

    def ellipsis(self, parts: Parts, span: Span) -> Ellipsis:
        return Ellipsis(span)

    # --- what the grammar lets through ------------------------------------------------------

    def _name(self, token: int) -> str:
        return normalised(self.tokens.text(token))

    def _target(self, target: Expression, value: Expression | None = None) -> Any:
        names = target.items if type(target) is Tuple else (target,)
        if type(target) is Attribute and target.name == "requires_grad":
            if type(target.value) is Name:
                return target
        elif names and all(type(name) is Name for name in names):
            return target
        raise not_assignable(self.tokens.source, target, value)

    def _parameters(self, call: Call) -> tuple[Parameter, ...]:
        """The arguments of `f(x, y=1)` where it stands left of `=`."""
        for argument in call.arguments:
            if type(argument) is not Name:
                raise self._error(
                    argument.span,
                    "a parameter is a name",
                    "left of `=` a call defines a function: f(x, y=1) = x + y",
                )
        plain = [Parameter(name.id, None, name.span) for name in call.arguments]
        return (*plain, *(Parameter(key.name, key.value, key.span) for key in call.keywords))

    def _function(
        self, name: str, parameters: tuple[Parameter, ...], body: Any, span: Span
    ) -> Function:
        self._no_doubles(parameters, "parameter")
        with_default = False
        for parameter in parameters:
            if with_default and parameter.default is None:
                raise self._error(
                    parameter.span,
                    f"the parameter `{parameter.name}` needs a default: one before it has one",
                )
            with_default = parameter.default is not None
        return Function(name, parameters, body, span)

    def _no_doubles(self, named: Any, what: str) -> None:
        seen: set[str] = set()
        for item in named:
            if item.name in seen:
                raise self._error(item.span, f"the {what} `{item.name}` stands here twice")
            seen.add(item.name)

    def _claim_jumps(self, loop: Span) -> None:
        self.jumps = [jump for jump in self.jumps if jump[0][0] < loop[0]]

    def _no_jumps(self, start: int) -> None:
        for span, word in self.jumps:
            if span[0] >= start:
                raise self._error(span, f"`{word}` stands outside of a loop")

    def _expect(self, statement: Any) -> Any:
        """The statement, with the expectation behind it if there is one."""
        if self.expected and (found := self.expected.pop(statement.span[1], None)):
            (start, end), _ = found
            kind = self.text[start + 1]
            expected = self.text[start + 2 : end].strip()
            if not expected or (kind == "=" and type(statement) is not Evaluate):
                raise misplaced_expectation(self.tokens.source, (start, end))
            self.expectations.append(
                Expectation(kind, expected, statement, (start, end))  # type: ignore[arg-type]
            )
        return statement

    def _error(self, span: Span, message: str, hint: str | None = None) -> GradcliError:
        return syntax_error(self.tokens.source, span, message, hint)
