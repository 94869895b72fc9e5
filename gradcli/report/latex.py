"""Syntax trees as LaTeX. Only trees that gradcli makes: they are shallow, so recursion is safe.

A product or a power of arrays, element by element, is written with \\odot; of single numbers as
usual. Which of the two it is follows from the shapes of the operands.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from math import isfinite, isnan
from string import Formatter
from typing import Any

from gradcli.analysis.meaning import Meaning
from gradcli.diagnostics import Source
from gradcli.graph import Shape
from gradcli.language.parser import ParseLimits, parse_expression
from gradcli.language.precedence import LEVEL, POWER, SIGN
from gradcli.language.printer import print_expression
from gradcli.language.syntax import (
    Assign,
    Attribute,
    Binary,
    ByteString,
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

ATOM = POWER + 1
HIGHEST = 4
"""A column of more numbers is written as a row, transposed."""
_SYMBOLS = {
    "*": r" \cdot ", "@": r" \, ", "%": r" \bmod ", "//": r" \div ",
    "&": r" \mathbin{\&} ", "^": r" \oplus ",
    "|": r" \mathbin{|} ", "and": r" \land ", "or": r" \lor ",
}  # fmt: skip
_UNARY = {"not": r"\lnot ", "~": r"{\sim} "}
_COMPARISONS = {"==": "=", "!=": r"\ne", "<=": r"\le", ">=": r"\ge"}
_SYMBOLS_IN_TEXT = {"vᵀ·J": r"\(v^{\top} J\)", "ᵀ": r"\(^{\top}\)", "·": r"\(\cdot\)"}
_ESCAPES = str.maketrans({c: f"\\{c}" for c in "_#$%&{}"} | {
    "^": r"\^{}", "~": r"\~{}", "\\": "/", "<": r"\textless{}", ">": r"\textgreater{}",
})  # fmt: skip


def equations(program: Program, shapes: Mapping[str, Shape]) -> str:
    """The assignments of a program over inputs of these shapes, one below the other."""
    meaning = Meaning.of_shapes(shapes)
    formulas = Mathematics(meaning)
    lines = []
    for statement in program.statements:
        if isinstance(statement, Assign):
            lines.append(f"{formulas.of(statement.target)} &= {formulas.of(statement.value)}")
            meaning.define(statement)
    return "\\begin{align*}\n" + " \\\\\n".join(lines) + "\n\\end{align*}\n"


def escape(text: str) -> str:
    """Plain text, safe between formulas."""
    escaped = text.translate(_ESCAPES)
    for written, symbol in _SYMBOLS_IN_TEXT.items():
        escaped = escaped.replace(written, symbol)
    return escaped


class Mathematics:
    """Writes formulas over names whose shapes a meaning knows."""

    def __init__(self, meaning: Meaning | None = None) -> None:
        self._meaning = meaning

    def of(self, node: Expression) -> str:
        """A formula."""
        return self._written(node)[0]

    def _written(self, node: Any) -> tuple[str, int]:
        """The text, and its precedence."""
        return _WRITERS[type(node)](self, node)

    def _within(self, node: Expression, least: int) -> str:
        text, strength = self._written(node)
        return text if strength >= least else rf"\left({text}\right)"

    def _is_array(self, node: Expression) -> bool:
        """Whether an operand has elements: what is not known counts as a single number."""
        if self._meaning is None or isinstance(node, Number):
            return False
        return bool(self._meaning.shape(print_expression(node)))

    def derivatives(self, path: Sequence[str]) -> str:
        """The product of the derivatives along a path of elements such as `x[0, 1]`."""
        shown = [self.of(parse_expression(Source("place", each), ParseLimits())) for each in path]
        factors = [rf"\frac{{\partial {b}}}{{\partial {a}}}" for a, b in pairwise(shown)]
        return r" \, ".join([*factors, rf"\overline{{{shown[-1]}}}"])

    def unary(self, node: Unary) -> tuple[str, int]:
        sign = _UNARY.get(node.operator, node.operator)
        return sign + self._within(node.operand, SIGN), SIGN

    def binary(self, node: Binary) -> tuple[str, int]:
        operator, left, right = node.operator, node.left, node.right
        level = LEVEL[operator]
        if operator == "/":
            return rf"\frac{{{self.of(left)}}}{{{self.of(right)}}}", level
        if operator == "@":
            return self._matrix_product(node), level
        if level == POWER:
            by_element = r"\odot " if self._is_array(left) else ""
            return f"{self._within(left, ATOM)}^{{{by_element}{self.of(right)}}}", POWER
        symbol = _SYMBOLS.get(operator, f" {operator} ")
        if operator == "*" and self._is_array(left) and self._is_array(right):
            symbol = r" \odot "
        return self._within(left, level) + symbol + self._within(right, level + 1), level

    def _matrix_product(self, node: Binary) -> str:
        """A product of matrices and vectors, which are columns: `x @ A @ y` is xᵀAy, and `x @ A`,
        a vector, Aᵀx.
        """
        factors: list[Expression] = [node]
        while isinstance(factors[0], Binary) and factors[0].operator == "@":
            factors[:1] = [factors[0].left, factors[0].right]
        ndim = [len(self._shape(each) or (0, 0)) for each in factors]
        first, *rest = factors
        if ndim[0] != 1 or any(each != 2 for each in ndim[1:-1]):
            texts = [self._within(first, LEVEL["@"]), *(self._within(x, SIGN) for x in rest)]
        elif ndim[-1] == 1:
            texts = [self._transposed(first), *(self._within(each, SIGN) for each in rest)]
        else:
            texts = [*(self._transposed(each) for each in reversed(rest)), self._plain(first)]
        return _SYMBOLS["@"].join(texts)

    def _transposed(self, node: Expression) -> str:
        """A matrix with its axes turned, or a vector as a row."""
        if isinstance(node, Attribute) and node.name in ("T", "mT"):
            inner = self._within(node.value, ATOM)
            return inner if len(self._shape(node) or ()) == 2 else f"{inner}^{{\\top}}"
        return f"{self._within(node, ATOM)}^{{\\top}}"

    def _plain(self, node: Expression) -> str:
        """A vector as a column."""
        bare = node.value if isinstance(node, Attribute) and node.name in ("T", "mT") else node
        return self._within(bare, SIGN)

    def _shape(self, node: Expression) -> Shape | None:
        return None if self._meaning is None else self._meaning.shape(print_expression(node))

    def compare(self, node: Compare) -> tuple[str, int]:
        parts = [self._within(node.operands[0], 0)]
        for symbol, operand in zip(node.operators, node.operands[1:], strict=True):
            parts += [_COMPARISONS.get(symbol, symbol), self._within(operand, 0)]
        return " ".join(parts), 0

    def attribute(self, node: Attribute) -> tuple[str, int]:
        if node.name == "grad":
            return rf"\overline{{{self.of(node.value)}}}", ATOM
        if node.name in ("T", "mT"):
            return f"{self._within(node.value, ATOM)}^{{\\top}}", POWER
        return rf"{self._within(node.value, ATOM)}.\mathrm{{{escape(node.name)}}}", ATOM

    def index(self, node: Index) -> tuple[str, int]:
        inside = ", ".join(map(self._place, node.items))
        value = self._within(node.value, ATOM)
        whole = f"{{{value}}}" if "_" in value else value  # a symbol takes one subscript
        return f"{whole}_{{[{inside}]}}", ATOM

    def _place(self, item: Any) -> str:
        """What stands in brackets: several numbers are no vector there."""
        if isinstance(item, List) and not any(isinstance(each, List) for each in item.items):
            return f"({', '.join(map(self.of, item.items))})"
        return self._written(item)[0]

    def slice(self, node: Slice) -> tuple[str, int]:
        bounds = [self.of(bound) if bound else "" for bound in (node.lower, node.upper)]
        return ":".join([*bounds, *([self.of(node.step)] if node.step else [])]), ATOM

    def call(self, node: Call) -> tuple[str, int]:
        name = print_expression(node.callee)  # with its module, where a program says: np.median
        if name == "detach" and len(node.arguments) == 1:
            return self._written(node.arguments[0])
        entry = FUNCTIONS.get(name)
        if entry is not None and not node.keywords and _takes(entry.latex, len(node.arguments)):
            operands = (self._within(each, ATOM) for each in node.arguments)
            return entry.latex.format(*operands), SIGN
        arguments = [self.of(each) for each in node.arguments]
        arguments += [rf"\mathrm{{{escape(k.name)}}}={self.of(k.value)}" for k in node.keywords]
        return rf"\operatorname{{{escape(name)}}}\left({', '.join(arguments)}\right)", ATOM

    def list(self, node: List) -> tuple[str, int]:
        """A matrix from a list of rows, a column from a list of numbers; a long one lies down."""
        items = node.items
        lies = len(items) > HIGHEST and not any(isinstance(item, List) for item in items)
        rows = [node] if lies else items
        lines = [
            " & ".join(map(self.of, row.items)) if isinstance(row, List) else self.of(row)
            for row in rows
        ]
        matrix = r"\begin{bmatrix} " + r" \\ ".join(lines) + r" \end{bmatrix}"
        return (matrix + r"^{\top}", POWER) if lies else (matrix, ATOM)

    def tuple(self, node: Tuple) -> tuple[str, int]:
        return f"({', '.join(map(self._place, node.items))})", ATOM


def _takes(latex: str, count: int) -> bool:
    """Whether a template is for so many operands."""
    return (
        bool(latex)
        and len({place for _, place, _, _ in Formatter().parse(latex) if place}) == count
    )


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
    plain, _, number = name.rpartition("_")
    if plain and number.isdecimal():  # a name that is bound several times
        return f"{{{_name(plain)}^{{({number})}}}}"
    letters = name.rstrip("0123456789")
    if len(letters) == 1:
        return f"{letters}_{{{name[1:]}}}" if name[1:] else letters
    return rf"\mathrm{{{escape(name)}}}"


_WRITERS: dict[type, Callable[[Mathematics, Any], tuple[str, int]]] = {
    Attribute: Mathematics.attribute,
    Binary: Mathematics.binary,
    Call: Mathematics.call,
    Compare: Mathematics.compare,
    Constant: lambda _, node: (rf"\mathrm{{{node.value}}}", ATOM),
    Ellipsis: lambda _, node: (r"\dots", ATOM),
    Index: Mathematics.index,
    List: Mathematics.list,
    Name: lambda _, node: (_name(node.id), ATOM),
    Number: lambda _, node: _number(node.value),
    Slice: Mathematics.slice,
    ByteString: lambda _, node: (rf"\text{{{escape(repr(node.value))}}}", ATOM),
    String: lambda _, node: (rf"\text{{{escape(node.value)}}}", ATOM),
    Tuple: Mathematics.tuple,
    Unary: Mathematics.unary,
}
"""By kind of node."""
