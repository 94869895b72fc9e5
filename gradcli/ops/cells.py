"""How ops are written in the cells of a spreadsheet: see `Op.cell`.

An element is a cell, or a number that is written where it is used. A formula has one op: signs and
powers of sums cannot be read in a wrong order (`-x^2` is (-x)² there).
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Sequence
from functools import reduce
from itertools import combinations, pairwise, permutations
from math import prod
from typing import Any

import numpy as np

from gradcli.graph import Array, Node

LONGEST = 8_000
"""The most characters of a formula; Excel allows 8192."""
FEW = 3
"""A sum of more terms is written as one of ranges."""
LARGEST_MATRIX = 4
"""The most rows of a matrix whose determinant is written as a sum of products."""
_CELL = r"([A-Z]+)(\d+)"


class NotWrittenError(Exception):
    """No cell can hold this op."""


def formulas(node: Node, operands: Sequence[Array]) -> Array:
    """The formulas of a node's elements, without `=`, from the texts of those of its operands.

    Raises NotWrittenError where its entry does not say how, or a formula would be too long.
    """
    cell = node.op.cell
    if cell is None:
        raise NotWrittenError
    found = formed(cell, node, operands) if isinstance(cell, str) else cell(node, *operands)
    if any(len(text) > LONGEST for text in found.flat):
        raise NotWrittenError
    return found


def formed(template: str, node: Node, operands: Sequence[Array]) -> Array:
    """The formulas of an op on single elements, with broadcasting."""
    found = np.empty(node.shape, object)
    spread = [np.broadcast_to(operand, node.shape).ravel() for operand in operands]
    for place, texts in enumerate(zip(*spread, strict=True)):
        found.flat[place] = template.format(*texts)
    return found


def linear(node: Node, *operands: Array) -> Array:
    """The formulas of an op that adds, moves and multiplies elements: what its own forward function
    does to sums of cells. Whole numbers among the operands, such as indices, have to be known.
    """
    arguments = [
        _sums(operand) if each.kind == "float" else _numbers(operand, each)
        for each, operand in zip(node.inputs, operands, strict=True)
    ]
    try:
        result = np.asarray(node.op.forward(np, *arguments, *node.attributes), object)
    except (TypeError, ValueError, AttributeError):
        raise NotWrittenError from None
    found = np.empty(node.shape, object)
    for place, each in enumerate(np.broadcast_to(result, node.shape).flat):
        found.flat[place] = str(each if isinstance(each, CellSum) else CellSum.of(each))
    return found


def over_axes(write: Callable[[Sequence[str]], str]) -> Callable[..., Array]:
    """The formulas of a reduction along axes, from those of each group that becomes one."""

    def reduction(node: Node, operand: Array) -> Array:
        axes = sorted(axis % operand.ndim for axis in node.attributes[0])
        kept = [axis for axis in range(operand.ndim) if axis not in axes]
        groups = operand.transpose(*kept, *axes).reshape(max(node.size, 1), -1)
        found = np.empty(node.shape, object)
        for place, group in enumerate(groups):
            found.flat[place] = write(group.tolist())
        return found

    return reduction


def exponentials(cells: Sequence[str]) -> str:
    """The sum of exponentials, each less the largest, which keeps them finite."""
    every = ranges(cells)
    return "+".join(f"SUMPRODUCT(EXP({each}-MAX({every})))" for each in every.split(","))


def of_matrices(write: Callable[..., Any]) -> Callable[..., Array]:
    """The formulas of an op on matrices, and stacks of them, from those of each."""

    def matrices(node: Node, *operands: Array) -> Array:
        around = np.broadcast_shapes(*(each.shape[:-2] for each in operands))
        spread = [np.broadcast_to(_sums(each), (*around, *each.shape[-2:])) for each in operands]
        found = np.empty(node.shape, object)
        for place in np.ndindex(around):
            found[place] = write(*(each[place] for each in spread))
        for place, each in np.ndenumerate(found):
            found[place] = str(each)
        return found

    return matrices


def determinant(matrix: Array) -> CellSum:
    """The sum over permutations. Raises NotWrittenError where these are too many."""
    size = len(matrix)
    if size > LARGEST_MATRIX:
        raise NotWrittenError
    terms = [CellSum.of(0.0)]
    for order in permutations(range(size)):
        turned = sum(one > other for one, other in combinations(order, 2))
        terms.append(prod((matrix[i, j] for i, j in enumerate(order)), start=CellSum.of(1.0)))
        terms[-1] = terms[-1] * (-1.0) ** turned
    return reduce(operator.add, terms)


def cofactors(matrix: Array) -> Array:
    """The determinants without a row and a column each, with their signs."""
    found = np.empty(matrix.shape, object)
    for i, j in np.ndindex(matrix.shape):
        minor = np.delete(np.delete(matrix, i, 0), j, 1)
        found[i, j] = determinant(minor) * (-1.0) ** (i + j)
    return found


def over_determinant(sums: Array, matrix: Array) -> Array:
    """Each of some sums, divided by the determinant of a matrix."""
    texts = [f"({each})/({determinant(matrix)})" for each in sums.flat]
    return np.array(texts, object).reshape(sums.shape)


def _sums(texts: Array) -> Array:
    found = np.empty(texts.shape, object)
    for place, text in enumerate(texts.flat):
        found.flat[place] = CellSum.of(text)
    return found


def _numbers(texts: Array, node: Node) -> Array:
    if any(re.fullmatch(_CELL, text) for text in texts.flat):
        raise NotWrittenError
    kind = bool if node.kind == "bool" else int
    return np.array([float(text.strip("()")) for text in texts.flat], kind).reshape(texts.shape)


class CellSum:
    """A sum of products of cells, with factors: what linear ops make of elements."""

    dtype = np.dtype(object)
    """As NumPy's own scalars have one."""

    def __init__(self, terms: dict[tuple[str, ...], float]) -> None:
        self.terms = terms

    @staticmethod
    def of(value: Any) -> CellSum:
        """A cell, or a number."""
        if isinstance(value, CellSum):
            return value
        if isinstance(value, str) and re.fullmatch(_CELL, value):
            return CellSum({(value,): 1.0})
        number = float(value.strip("()") if isinstance(value, str) else value)
        return CellSum({(): number} if number else {})

    def __add__(self, other: Any) -> CellSum:
        terms = dict(self.terms)
        for cells, factor in CellSum.of(other).terms.items():
            terms[cells] = terms.get(cells, 0.0) + factor
        return CellSum(terms)

    __radd__ = __add__

    def __mul__(self, other: Any) -> CellSum:
        terms: dict[tuple[str, ...], float] = {}
        for left, a in self.terms.items():
            for right, b in CellSum.of(other).terms.items():
                cells = left + right
                terms[cells] = terms.get(cells, 0.0) + a * b
        return CellSum(terms)

    __rmul__ = __mul__

    def __neg__(self) -> CellSum:
        return self * -1.0

    def __sub__(self, other: Any) -> CellSum:
        return self + CellSum.of(other) * -1.0

    def __truediv__(self, other: float) -> CellSum:
        """Divided by a number."""
        return _Quotient(self.terms, float(other))

    def __str__(self) -> str:
        if not self.terms:
            return "0"
        factors = {*self.terms.values()}
        lengths = {len(cells) for cells in self.terms}
        if len(self.terms) > FEW and len(factors) == 1 and lengths <= {1, 2} and len(lengths) == 1:
            together = _together([*self.terms])
            (factor,) = factors
            return together if factor == 1 else f"{written(factor)}*{together}"
        return "+".join(_term(cells, factor) for cells, factor in self.terms.items())


class _Quotient(CellSum):
    """A sum divided by a number: rounded once, as the op does."""

    def __init__(self, terms: dict[tuple[str, ...], float], divisor: float) -> None:
        super().__init__({cells: factor / divisor for cells, factor in terms.items()})
        self._whole, self._divisor = CellSum(terms), divisor

    def __str__(self) -> str:
        whole = str(self._whole)
        return f"{whole if whole.startswith('SUM') else f'({whole})'}/{written(self._divisor)}"


def _term(cells: tuple[str, ...], factor: float) -> str:
    if not cells:
        return written(factor)
    product = "*".join(cells)
    return product if factor == 1 else f"{written(factor)}*{product}"


def _together(products: list[tuple[str, ...]]) -> str:
    """A sum of cells, or of products of two, by ranges where they lie in lines."""
    if len(products[0]) == 1:
        return f"SUM({ranges(cells[0] for cells in products)})"
    left, right = (_line([cells[side] for cells in products]) for side in (0, 1))
    if left is None or right is None:
        return f"({'+'.join(map('*'.join, products))})"
    if left[1] == right[1]:
        return f"SUMPRODUCT({left[0]},{right[0]})"
    row, column = (left, right) if left[1] else (right, left)
    return f"SUMPRODUCT(MMULT({row[0]},{column[0]}))"


def _line(cells: list[str]) -> tuple[str, bool] | None:
    """The range of cells that lie in a row (True) or in a column, in order."""
    places = [_place(cell) for cell in cells]
    steps = {(r - q, c - b) for (q, b), (r, c) in pairwise(places)}
    if steps == {(0, 1)}:
        return f"{cells[0]}:{cells[-1]}", True
    if steps == {(1, 0)}:
        return f"{cells[0]}:{cells[-1]}", False
    return None


def ranges(cells: Iterable[str]) -> str:
    """Cells as arguments of a function: those in lines as ranges."""
    found: list[list[str]] = []
    for cell in cells:
        if found and re.fullmatch(_CELL, cell) and _line([*found[-1], cell]):
            found[-1].append(cell)
        else:
            found.append([cell])
    return ",".join(f"{line[0]}:{line[-1]}" if len(line) > 1 else line[0] for line in found)


def _place(cell: str) -> tuple[int, int]:
    """Row and column, from 1."""
    match = re.fullmatch(_CELL, cell)
    if match is None:
        return -1, -1
    column = 0
    for letter in match[1]:
        column = column * 26 + ord(letter) - ord("A") + 1
    return int(match[2]), column


def written(number: float) -> str:
    """A number in a formula, read back to the same bits; a negative one in parentheses."""
    text = repr(float(number)).removesuffix(".0").replace("e", "E")
    return f"({text})" if text.startswith("-") else text
