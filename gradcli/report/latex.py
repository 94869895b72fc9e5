"""Syntax trees as LaTeX. Only trees that gradcli makes: they are shallow, so recursion is safe."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isfinite, isnan
from typing import Any

from gradcli.language.precedence import LEVEL, POWER, SIGN
from gradcli.language.printer import print_expression
from gradcli.language.syntax import (
    Assign,
    Attribute,
    Binary,
    Call,
    Compare,
    Constant,
    Ellipsis,
    Expression,
    Index,
    List,
    Name,
    Number,
    Program,
    Slice,
    String,
    Tuple,
    Unary,
)
from gradcli.ops import FUNCTIONS
from gradcli.ops.elementwise import Elementwise

ATOM = POWER + 1
_SYMBOLS = {
    "*": r" \cdot ", "@": r" \, ", "%": r" \bmod ", "//": r" \div ",
    "&": r" \mathbin{\&} ", "|": r" \mathbin{|} ", "and": r" \land ", "or": r" \lor ",
}  # fmt: skip
_UNARY = {"not": r"\lnot ", "~": r"{\sim} "}
_COMPARISONS = {"==": "=", "!=": r"\ne", "<=": r"\le", ">=": r"\ge"}
_ESCAPES = str.maketrans({c: f"\\{c}" for c in "_#$%&{}"} | {"^": r"\^{}", "~": r"\~{}", "\\": "/"})


def equations(program: Program) -> str:
    """The assignments of a program, one below the other in an `align*`."""
    lines = [
        f"{expression(statement.target)} &= {expression(statement.value)}"
        for statement in program.statements
        if isinstance(statement, Assign)
    ]
    return "\\begin{align*}\n" + " \\\\\n".join(lines) + "\n\\end{align*}\n"


def escape(text: str) -> str:
    """Plain text, safe between formulas."""
    return text.translate(_ESCAPES)


def expression(node: Expression) -> str:
    """A formula."""
    return _written(node)[0]


def _written(node: Any) -> tuple[str, int]:
    """The text, and its precedence."""
    return _WRITERS[type(node)](node)


def _within(node: Expression, least: int) -> str:
    text, strength = _written(node)
    return text if strength >= least else rf"\left({text}\right)"


def _unary(node: Unary) -> tuple[str, int]:
    sign = _UNARY.get(node.operator, node.operator)
    return sign + _within(node.operand, SIGN), SIGN


def _binary(node: Binary) -> tuple[str, int]:
    operator, left, right = node.operator, node.left, node.right
    level = LEVEL[operator]
    if operator == "/":
        return rf"\frac{{{expression(left)}}}{{{expression(right)}}}", level
    if level == POWER:
        return f"{_within(left, ATOM)}^{{{expression(right)}}}", POWER
    symbol = _SYMBOLS.get(operator, f" {operator} ")
    return _within(left, level) + symbol + _within(right, level + 1), level


def _compare(node: Compare) -> tuple[str, int]:
    parts = [_within(node.operands[0], 0)]
    for symbol, operand in zip(node.operators, node.operands[1:], strict=True):
        parts += [_COMPARISONS.get(symbol, symbol), _within(operand, 0)]
    return " ".join(parts), 0


def _attribute(node: Attribute) -> tuple[str, int]:
    if node.name == "grad":
        return rf"\overline{{{expression(node.value)}}}", ATOM
    if node.name in ("T", "mT"):
        return f"{_within(node.value, ATOM)}^{{\\top}}", POWER
    return rf"{_within(node.value, ATOM)}.\mathrm{{{escape(node.name)}}}", ATOM


def _index(node: Index) -> tuple[str, int]:
    inside = ", ".join(_written(item)[0] for item in node.items)
    value = _within(node.value, ATOM)
    whole = f"{{{value}}}" if "_" in value else value  # a symbol takes one subscript
    return f"{whole}_{{[{inside}]}}", ATOM


def _slice(node: Slice) -> tuple[str, int]:
    bounds = [expression(bound) if bound else "" for bound in (node.lower, node.upper)]
    return ":".join([*bounds, *([expression(node.step)] if node.step else [])]), ATOM


def _call(node: Call) -> tuple[str, int]:
    name = print_expression(node.callee)  # with its module, where a program names that: np.median
    if name == "detach" and len(node.arguments) == 1:
        return _written(node.arguments[0])
    entry = FUNCTIONS.get(name)
    if entry is not None and isinstance(entry.op, Elementwise) and entry.op.latex:
        return entry.op.latex.format(*(_within(each, ATOM) for each in node.arguments)), SIGN
    arguments = [expression(each) for each in node.arguments]
    arguments += [rf"\mathrm{{{escape(k.name)}}}={expression(k.value)}" for k in node.keywords]
    return rf"\operatorname{{{escape(name)}}}\left({', '.join(arguments)}\right)", ATOM


def _matrix(items: Sequence[Expression]) -> str:
    """A matrix from a list of rows, a row from a list of numbers."""
    if any(isinstance(item, List) for item in items):
        rows = [
            " & ".join(map(expression, item.items)) if isinstance(item, List) else expression(item)
            for item in items
        ]
    else:
        rows = [" & ".join(map(expression, items))]
    return r"\begin{bmatrix} " + r" \\ ".join(rows) + r" \end{bmatrix}"


def _number(value: float) -> tuple[str, int]:
    """A number, as a product where it has an exponent."""
    if not isfinite(value):
        return (r"\mathrm{nan}" if isnan(value) else r"\infty"), ATOM
    digits, _, exponent = repr(value).partition("e")
    digits = digits.removesuffix(".0")
    if exponent:
        return rf"{digits} \cdot 10^{{{int(exponent)}}}", LEVEL["*"]
    return digits, ATOM


def _name(name: str) -> str:
    """One letter as it is; `x_grad` as the gradient by x."""
    if name.endswith("_grad"):
        return rf"\nabla_{{{_name(name.removesuffix('_grad'))}}}"
    letters = name.rstrip("0123456789")
    if len(letters) == 1:
        return f"{letters}_{{{name[1:]}}}" if name[1:] else letters
    return rf"\mathrm{{{escape(name)}}}"


_WRITERS: dict[type, Callable[[Any], tuple[str, int]]] = {
    Attribute: _attribute,
    Binary: _binary,
    Call: _call,
    Compare: _compare,
    Constant: lambda node: (rf"\mathrm{{{node.value}}}", ATOM),
    Ellipsis: lambda _: (r"\dots", ATOM),
    Index: _index,
    List: lambda node: (_matrix(node.items), ATOM),
    Name: lambda node: (_name(node.id), ATOM),
    Number: lambda node: _number(node.value),
    Slice: _slice,
    String: lambda node: (rf"\text{{{escape(node.value)}}}", ATOM),
    Tuple: lambda node: (f"({', '.join(map(expression, node.items))})", ATOM),
    Unary: _unary,
}
"""By kind of node."""
