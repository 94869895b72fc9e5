"""Single numbers in the words of the program: `trace(X.T @ X)` rather than `sum(X**2)`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from gradcli.diagnostics import GradcliError
from gradcli.graph import Node
from gradcli.language.construct import NOWHERE, attribute, binary, name, number
from gradcli.language.printer import print_expression
from gradcli.language.syntax import (
    Assign,
    Attribute,
    Binary,
    Call,
    Evaluate,
    Expression,
    Name,
    Number,
    Program,
    Syntax,
)
from gradcli.ops import FUNCTIONS
from gradcli.ops.elementwise import Elementwise
from gradcli.trace import Tracer
from gradcli.trace.names import parts_of

TITLE = "a part of the program"
"""No name of a program."""


def said(program: Program, tracer: Tracer) -> Iterator[tuple[Expression, Node]]:
    """Reductions, products of vectors and powers of these that the program writes, which are single
    numbers, and their nodes; `tracer` has run the program.
    """
    targets = [each.target for each in program.statements if isinstance(each, Assign)]
    counts = Counter(each.id for each in targets if isinstance(each, Name))
    twice = {title for title, count in counts.items() if count > 1}
    if len(targets) != sum(counts.values()) or twice:
        return
    for statement in program.statements:
        if isinstance(statement, Assign | Evaluate):
            for part in _parts(statement.value):
                node = _node(part, tracer) if is_reduction(part) else None
                if node is not None and node.size == 1 and not _has_rows(part, tracer):
                    yield _unturned(part, tracer), node


def _parts(value: Expression) -> Iterator[Expression]:
    waiting: list[Any] = [value]
    while waiting:
        part = waiting.pop()
        yield part
        waiting += parts_of(part)


def is_reduction(part: Any) -> bool:
    """Whether a single number is made of many."""
    match part:
        case Attribute(value=value):
            return is_reduction(value)
        case Binary(operator="**", left=left, right=Number()):
            return isinstance(left, Call) and is_reduction(left)
        case Binary(operator="@"):
            return True
        case Call(callee=Name(id=title)) if title in FUNCTIONS:
            return not isinstance(FUNCTIONS[title].op, Elementwise)
    return False


def _unturned(part: Any, tracer: Tracer) -> Any:
    """A part without the `.T` of vectors, which changes nothing. It recurses: what is written in
    one expression is shallow.
    """
    match part:
        case Attribute(value=value, name="T"):
            node = _node(value, tracer)
            inner = _unturned(value, tracer)
            return inner if node is not None and node.ndim < 2 else attribute(inner, "T")
        case Call():
            arguments, keywords = _unturned((part.arguments, part.keywords), tracer)
            return Call(part.callee, arguments, keywords, NOWHERE)
        case tuple():
            return tuple(_unturned(each, tracer) for each in part)
        case Syntax():
            return type(part)(*(_unturned(getattr(part, x), tracer) for x in part.__slots__))
    return part


def _has_rows(part: Expression, tracer: Tracer) -> bool:
    """Whether a function in it has `x @ A` as an operand, which formulas write as `A.T @ x`."""
    calls = (each for each in _parts(part) if isinstance(each, Call))
    for each in (inner for call in calls for inner in _parts(call)):
        if isinstance(each, Binary) and each.operator == "@":
            product, left = _node(each, tracer), _node(each.left, tracer)
            if product is not None and left is not None and product.ndim == left.ndim == 1:
                return True
    return False


def _node(part: Expression, tracer: Tracer) -> Node | None:
    """The node of an expression: nodes are interned, so it is the one that the program made."""
    try:
        tracer.run_all([Assign(name(TITLE), part, NOWHERE)])
    except GradcliError:
        return None
    value = tracer.globals.values.pop(TITLE, None)
    return value if isinstance(value, Node) else None


def over_inputs(part: Any, values: Mapping[str, Expression]) -> Any:
    """A part of a tree with values in the place of their names. It recurses: what is written in
    one expression is shallow.
    """
    match part:
        case Name(id=title):
            return values.get(title, part)
        case Call():
            arguments, keywords = over_inputs((part.arguments, part.keywords), values)
            return Call(part.callee, arguments, keywords, NOWHERE)
        case tuple():
            return tuple(over_inputs(each, values) for each in part)
        case Syntax():
            return type(part)(*(over_inputs(getattr(part, x), values) for x in part.__slots__))
    return part


def in_words(part: Any, words: Mapping[str, Expression]) -> Any:
    """A part of a tree in the words of the program, by the text for which they stand. It recurses:
    formulas are shallow.
    """
    if isinstance(part, Attribute | Binary | Call):
        found = words.get(print_expression(part))
        if found is not None:
            return found
    match part:
        case tuple():
            return tuple(in_words(each, words) for each in part)
        case Binary(operator="**", left=left, right=Number(value=power)):
            base = in_words(left, words)
            match base:
                case Binary(operator="**", left=root, right=Number(value=inner)):
                    return binary("**", root, number(inner * power))
            return binary("**", base, part.right)
        case Syntax():
            return type(part)(*(in_words(getattr(part, x), words) for x in part.__slots__))
    return part
