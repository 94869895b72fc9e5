"""A syntax tree as text in its canonical form: reading it gives the same tree again.

Parentheses are written only where the tree would be another without them. Nothing recurses: what
is still to be written waits on a stack.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias

from gradcli.language.precedence import COMPARISON, LEVEL, NOT, POWER, SIGN
from gradcli.language.syntax import (
    Assert,
    Assign,
    Attribute,
    AugmentedAssign,
    Binary,
    Break,
    ByteString,
    Call,
    ChainedAssign,
    ClassDefinition,
    Compare,
    Comprehension,
    Conditional,
    Constant,
    Continue,
    Declaration,
    Delete,
    DictLiteral,
    Ellipsis,
    Evaluate,
    Expectation,
    Expression,
    Field,
    For,
    FormalParameter,
    FunctionDefinition,
    If,
    Imaginary,
    Import,
    Imported,
    Index,
    Keyword,
    Lambda,
    List,
    Match,
    Name,
    Number,
    Outer,
    Pair,
    PassStatement,
    Program,
    Raise,
    Return,
    Slice,
    Starred,
    Statement,
    String,
    Template,
    Try,
    Tuple,
    Unary,
    Walrus,
    While,
    With,
    Yield,
)  # fmt: skip

_LOOSEST = -1
_ANY = -1
_ATOM = POWER + 1

_INDENT = "    "
_DEEPEST = 16
"""Deeper blocks are not indented further, or the text of n nested ones would have n² blanks."""

_Part: TypeAlias = Expression | Keyword | Pair | Slice
_Piece: TypeAlias = str | tuple[_Part, int]
"""Text; or a node, and the least precedence with which it needs no parentheses."""


def print_expression(expression: Expression) -> str:
    """The text of an expression. Numbers are the shortest that read back to the same float64."""
    return _written([(expression, _ANY)])


def print_program(program: Program) -> str:
    """The text of a program, expectations included, one statement a line; comments are not kept."""
    expectations = {expectation.statement: expectation for expectation in program.expectations}
    lines = []
    waiting: list[tuple[int, str | Statement]] = [(0, node) for node in program.statements[::-1]]
    while waiting:
        depth, piece = waiting.pop()
        if isinstance(piece, str):
            lines.append(_INDENT * min(depth, _DEEPEST) + piece + "\n")
        else:
            inside = _statement(piece, expectations.get(piece))
            waiting += [(depth + deeper, part) for deeper, part in reversed(inside)]
    return "".join(lines)


# --- statements ----------------------------------------------------------------------------


def _statement(
    statement: Statement, expectation: Expectation | None
) -> list[tuple[int, str | Statement]]:
    """The lines and statements that a statement consists of, and how much deeper they are."""
    behind = f"  #{expectation.kind} {expectation.text}" if expectation else ""
    lines: list[tuple[int, str | Statement]] = []
    match statement:
        case FunctionDefinition(name, parameters, body, decorators):
            head = f"{name}({_parameters(parameters)})"
            is_plain = not decorators and not any(each.name[0] == "*" for each in parameters)
            if is_plain and len(body) == 1 and isinstance(body[0], Return) and body[0].value:
                return [(0, f"{head} = {_bare(body[0].value)}{behind}")]
            lines += [(0, f"@{print_expression(each)}") for each in decorators]
            blocks = [(f"def {head}", body)]
        case ClassDefinition(name, bases, keywords, body, decorators):
            lines += [(0, f"@{print_expression(each)}") for each in decorators]
            options = [f"{each.name}={_bare(each.value)}" for each in keywords]
            inside = [*map(print_expression, bases), *options]
            above = f"({', '.join(inside)})" if inside else ""
            blocks = [(f"class {name}{above}", body)]
        case Match():
            return _match(statement, behind)
        case While() | For() | If() | With() | Try():
            blocks = _blocks(statement)
        case _:
            return [(0, _simple(statement) + behind)]
    closing = ""
    for head, body in blocks:
        lines.append((0, f"{closing}{head} {{"))
        lines += [(1, inner) for inner in body]
        closing = "} "
    return [*lines, (0, "}" + behind)]


def _match(statement: Match, behind: str) -> list[tuple[int, str | Statement]]:
    """The lines and statements of `match`, and how deep they are."""
    lines: list[tuple[int, str | Statement]] = [(0, f"match {_bare(statement.value)} {{")]
    for case in statement.cases:
        guard = f" if {print_expression(case.guard)}" if case.guard else ""
        lines.append((1, f"case {_bare(case.pattern)}{_as(case.name)}{guard} {{"))
        lines += [(2, inner) for inner in case.body]
        lines.append((1, "}"))
    return [*lines, (0, "}" + behind)]


def _blocks(
    statement: While | For | If | With | Try,
) -> list[tuple[str, tuple[Statement, ...]]]:
    """The blocks of a statement and what stands before each."""
    match statement:
        case While(test, body, otherwise):
            blocks = [(f"while {print_expression(test)}", body)]
        case For(target, iterable, body, otherwise):
            blocks = [(f"for {_bare(target)} in {print_expression(iterable)}", body)]
        case If(branches, otherwise):
            blocks = [(f"elif {print_expression(test)}", body) for test, body in branches]
            blocks[0] = blocks[0][0][2:], blocks[0][1]
        case With(contexts, body):
            written = (print_expression(each.value) + _as(each.name) for each in contexts)
            return [(f"with {', '.join(written)}", body)]
        case Try(body, handlers, otherwise, last):
            blocks = [("try", body)]
            for handler in handlers:
                error = f" {print_expression(handler.error)}" if handler.error else ""
                blocks.append((f"except{error}{_as(handler.name)}", handler.body))
            blocks += [("else", otherwise)] if otherwise else []
            return [*blocks, ("finally", last)] if last else blocks
    return [*blocks, ("else", otherwise)] if otherwise else blocks


def _as(name: str | None) -> str:
    return f" as {name}" if name else ""


def _import(items: Sequence[Imported]) -> str:
    if items[0].name == "*":
        return f"from {items[0].path.removesuffix('.*')} import *"
    return f"import {', '.join(map(_imported, items))}"


def _imported(item: Imported) -> str:
    path = item.path.partition(":")[2] or item.path
    if ":" in item.path or path == item.name:
        return path
    return f"{path} as {item.name}"


def _simple(
    statement: Assign
    | ChainedAssign
    | AugmentedAssign
    | Evaluate
    | Return
    | Yield
    | Break
    | Continue
    | PassStatement
    | Declaration
    | Import
    | Assert
    | Delete
    | Outer
    | Raise,
) -> str:
    match statement:
        case Assign(target, value):
            return f"{_bare(target)} = {_bare(value)}"
        case AugmentedAssign(target, operator, value):
            return f"{print_expression(target)} {operator}= {print_expression(value)}"
        case ChainedAssign(chain, value):
            return " = ".join(map(_bare, (*chain, value)))
        case Import(items):
            return _import(items)
        case Assert(test, message):
            said = f", {print_expression(message)}" if message else ""
            return f"assert {print_expression(test)}{said}"
        case Delete(targets):
            return f"del {', '.join(map(print_expression, targets))}"
        case Evaluate(value):
            return _bare(value)
        case Return() | Yield() | Raise():
            return _left(statement)
        case Declaration(name):
            return f"{name}: object"
        case Outer(names, everywhere):
            return f"{'global' if everywhere else 'nonlocal'} {', '.join(names)}"
    return _WORDS[type(statement)]


def _left(statement: Return | Yield | Raise) -> str:
    """What leaves a body, or stops it."""
    if isinstance(statement, Raise):
        parts = [print_expression(each) for each in (statement.error, statement.cause) if each]
        return " ".join(["raise", " from ".join(parts)]) if parts else "raise"
    given = f" {_bare(statement.value)}" if statement.value else ""
    if isinstance(statement, Return):
        return f"return{given}"
    into = f"{_bare(statement.target)} = " if statement.target else ""
    return f"{into}yield{' from' * statement.all}{given}"


_WORDS: dict[type, str] = {Break: "break", Continue: "continue", PassStatement: "pass"}


def _parameters(parameters: Iterable[FormalParameter]) -> str:
    return ", ".join(
        f"{parameter.name}={print_expression(parameter.default)}"
        if parameter.default
        else parameter.name
        for parameter in parameters
    )


def _bare(expression: Expression) -> str:
    """The text where a tuple needs no parentheses: on either side of `=`, or as a statement."""
    if isinstance(expression, Tuple) and len(expression.items) > 1:
        return _written(_separated(expression.items))
    return print_expression(expression)


# --- expressions ---------------------------------------------------------------------------


def _written(pieces: list[_Piece]) -> str:
    texts = []
    waiting = pieces[::-1]
    while waiting:
        piece = waiting.pop()
        if isinstance(piece, str):
            texts.append(piece)
            continue
        part, required = piece
        strength, inside = _PIECES[type(part)](part)
        waiting += reversed(inside if strength >= required else ["(", *inside, ")"])
    return "".join(texts)


def _separated(parts: Iterable[_Part]) -> list[_Piece]:
    pieces: list[_Piece] = []
    for part in parts:
        pieces += [", ", (part, _ANY)]
    return pieces[1:]


def _number(number: Number) -> tuple[int, list[_Piece]]:
    digits, _, exponent = repr(number.value).partition("e")
    text = digits.removesuffix(".0") + (f"e{int(exponent)}" if exponent else "")
    return (SIGN if text.startswith("-") else _ATOM), [text]


_ESCAPES = {code: f"\\x{code:02x}" for code in (*range(32), 127)} | str.maketrans(
    {"\\": "\\\\", "\n": "\\n", "\t": "\\t"}
)
"""How characters without a shape of their own are written in a string."""


def _string(string: String) -> tuple[int, list[_Piece]]:
    quote = '"' if "'" in string.value and '"' not in string.value else "'"
    text = string.value.translate(_ESCAPES)
    return _ATOM, [quote, text.replace(quote, "\\" + quote), quote]


def _template(node: Template) -> tuple[int, list[_Piece]]:
    return _ATOM, ['f"""', *_text_and_fields(node.pieces), '"""']


def _text_and_fields(parts: Iterable[str | Field]) -> list[_Piece]:
    pieces: list[_Piece] = []
    for part in parts:
        if isinstance(part, str):
            text = part.translate(_ESCAPES)
            pieces.append(text.replace('"', '\\"').replace("{", "{{").replace("}", "}}"))
        else:
            pieces.append("{ " if _begins_with_a_brace(part.value) else "{")
            pieces += [(part.value, _LOOSEST + 1), part.conversion and f"!{part.conversion}"]
            pieces += [":", *_text_and_fields(part.format)] if part.format else []
            pieces.append("}")
    return pieces


def _begins_with_a_brace(value: Expression) -> bool:
    """Whether a dictionary stands first in it: two braces would be text."""
    while True:
        match value:
            case DictLiteral() | Comprehension(item=Pair()):
                return True
            case Index(value=first) | Attribute(value=first) | Call(callee=first):
                value = first
            case Binary(left=first) | Conditional(value=first) | Compare(operands=(first, *_)):
                value = first
            case _:
                return False


def _conditional(node: Conditional) -> tuple[int, list[_Piece]]:
    value, test = (node.value, LEVEL["or"]), (node.test, LEVEL["or"])
    return _LOOSEST, [value, " if ", test, " else ", (node.otherwise, _LOOSEST)]


def _lambda(node: Lambda) -> tuple[int, list[_Piece]]:
    parameters = _parameters(node.parameters)
    return _LOOSEST, [
        f"lambda {parameters}: " if parameters else "lambda: ",
        (node.value, _LOOSEST),
    ]


def _comprehension(node: Comprehension) -> tuple[int, list[_Piece]]:
    opening, closing = "{}" if isinstance(node.item, Pair) else "[]"
    pieces: list[_Piece] = [opening, (node.item, _ANY)]
    for clause in node.clauses:
        pieces += [f" for {_bare(clause.target)} in ", (clause.iterable, LEVEL["or"])]
        for test in clause.tests:
            pieces += [" if ", (test, LEVEL["or"])]
    return _ATOM, [*pieces, closing]


def _named(node: Walrus) -> tuple[int, list[_Piece]]:
    return _LOOSEST - 1, [f"{node.name} := ", (node.value, _LOOSEST)]


def _tuple(node: Tuple) -> tuple[int, list[_Piece]]:
    return _ATOM, ["(", *_separated(node.items), ",)" if len(node.items) == 1 else ")"]


def _unary(node: Unary) -> tuple[int, list[_Piece]]:
    if node.operator == "not":
        return NOT, ["not ", (node.operand, NOT)]
    return SIGN, [node.operator, (node.operand, SIGN)]


def _binary(node: Binary) -> tuple[int, list[_Piece]]:
    level = LEVEL[node.operator]
    if level == POWER:
        return level, [(node.left, _ATOM), "**", (node.right, SIGN)]
    return level, [(node.left, level), f" {node.operator} ", (node.right, level + 1)]


def _compare(node: Compare) -> tuple[int, list[_Piece]]:
    pieces: list[_Piece] = [(node.operands[0], COMPARISON + 1)]
    for operator, operand in zip(node.operators, node.operands[1:], strict=True):
        pieces += [f" {operator} ", (operand, COMPARISON + 1)]
    return COMPARISON, pieces


def _call(node: Call) -> tuple[int, list[_Piece]]:
    arguments = _separated([*node.arguments, *node.keywords])
    return _ATOM, [(node.callee, _ATOM), "(", *arguments, ")"]


def _keyword(node: Keyword) -> tuple[int, list[_Piece]]:
    return _ATOM, [node.name if node.name == "**" else f"{node.name}=", (node.value, _ANY)]


def _attribute(node: Attribute) -> tuple[int, list[_Piece]]:
    if isinstance(node.value, Number):  # a point would be read as part of the number
        return _ATOM, ["(", (node.value, _ANY), f").{node.name}"]
    return _ATOM, [(node.value, _ATOM), f".{node.name}"]


def _slice(node: Slice) -> tuple[int, list[_Piece]]:
    pieces: list[_Piece] = []
    for bound in (node.lower, node.upper, node.step):
        pieces += [":", (bound, _ANY)] if bound else [":"]
    return _ATOM, pieces[1:] if node.step else pieces[1:-1]


_PIECES: dict[type, Callable[[Any], tuple[int, list[_Piece]]]] = {
    Number: _number,
    Imaginary: lambda node: (_ATOM, [node.text]),
    String: _string,
    ByteString: lambda node: (_ATOM, [repr(node.value)]),
    Constant: lambda node: (_ATOM, [str(node.value)]),
    Name: lambda node: (_ATOM, [node.id]),
    List: lambda node: (_ATOM, ["[", *_separated(node.items), "]"]),
    Tuple: _tuple,
    Unary: _unary,
    Binary: _binary,
    Compare: _compare,
    Call: _call,
    Conditional: _conditional,
    Lambda: _lambda,
    Walrus: _named,
    Comprehension: _comprehension,
    Template: _template,
    DictLiteral: lambda node: (_ATOM, ["{", *_separated(node.pairs), "}"]),
    Pair: lambda node: (_ATOM, [(node.key, _ANY), ": ", (node.value, _ANY)]),
    Starred: lambda node: (_ATOM, ["*", (node.value, _ANY)]),
    Keyword: _keyword,
    Attribute: _attribute,
    Index: lambda node: (_ATOM, [(node.value, _ATOM), "[", *_separated(node.items), "]"]),
    Slice: _slice,
    Ellipsis: lambda _: (_ATOM, ["..."]),
}
"""The precedence of a node, and its text with its parts still to be written."""
