"""NumPy's words for errors of its functions and operators, which a cell may print."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from gradcli.diagnostics import GradcliError, RefusedError
from gradcli.graph import Node
from gradcli.trace.wordings import Phrase, plain

_SHAPE = r"(\([-\d, ]*\))"


def in_numpys_words(
    error: GradcliError, operands: Iterable[Any], arrays: set[Node]
) -> GradcliError:
    """The error as NumPy says it, where one of the operands is an array."""
    told = error.diagnostic
    if not any(each in arrays for each in operands if isinstance(each, Node)):
        return error
    for pattern, kind, words in _PHRASES:
        found = re.search(pattern, told.message)
        if found is not None:
            said = words(*map(plain, found.groups()))
            worded = RefusedError((kind, said), told.code, told.message, told.hint)
            worded.diagnostic = told
            return worded
    return error


def _product(a: tuple[int, ...], b: tuple[int, ...]) -> str:
    place = 0 if len(b) < 2 else len(b) - 2
    return (
        "matmul: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature "
        f"(n?,k),(k,m?)->(n?,m?) (size {b[place]} is different from {a[-1]})"
    )


def _joined(first: tuple[int, ...], other: tuple[int, ...], place: str, axis: str) -> str:
    if len(first) != len(other):
        return (
            "all the input arrays must have same number of dimensions, but the array at index 0 "
            f"has {len(first)} dimension(s) and the array at index {place} has {len(other)} "
            "dimension(s)"
        )
    where = next(
        each for each, (a, b) in enumerate(zip(first, other, strict=True))
        if a != b and each != int(axis)
    )  # fmt: skip
    return (
        "all the input array dimensions except for the concatenation axis must match exactly, but "
        f"along dimension {where}, the array at index 0 has size {first[where]} and the array at "
        f"index {place} has size {other[where]}"
    )


def _written(shape: tuple[int, ...]) -> str:
    return f"({','.join(map(str, shape))}{',' * (len(shape) == 1)})"


_PHRASES = (
    Phrase(rf"^\S+: shapes {_SHAPE} and {_SHAPE} do not broadcast", "ValueError", lambda a, b:
            f"operands could not be broadcast together with shapes {_written(a)} {_written(b)} "),
    Phrase(rf"^matmul: inner dimensions differ: {_SHAPE} @ {_SHAPE}", "ValueError", _product),
    Phrase(rf"^reshape: {_SHAPE} has (\d+) elements, which do not fit {_SHAPE}", "ValueError",
            lambda _, count, shape: f"cannot reshape array of size {count} into shape "
            f"{_written(shape)}"),
    Phrase(rf"^cat: {_SHAPE} and {_SHAPE} at place (\d+) differ not only in axis (\d+)",
            "ValueError", _joined),
    Phrase(rf"^a value of {_SHAPE} cannot be put into {_SHAPE}", "ValueError", lambda new, old:
            f"could not broadcast input array from shape {_written(new)} into shape "
            f"{_written(old)}"),
    Phrase(r"^stack: shapes \(", "ValueError", lambda:
            "all input arrays must have the same shape"),
    Phrase(r"^(?:inv|solve): the matrix is singular", "LinAlgError", lambda: "Singular matrix"),
    Phrase(r"^cholesky: the matrix is not positive definite", "LinAlgError", lambda:
            "Matrix is not positive definite"),
    Phrase(r"^\w+ takes square matrices", "LinAlgError", lambda:
            "Last 2 dimensions of the array must be square"),
    Phrase(r"^index (-?\d+) is out of range for axis (\d+), which has (\d+) elements?",
            "IndexError", lambda place, axis, length:
            f"index {place} is out of bounds for axis {axis} with size {length}"),
    Phrase(r"^(\d+) indices for (\d+) dimensions?", "IndexError", lambda given, axes:
            f"too many indices for array: array is {axes}-dimensional, but {given} were indexed"),
    Phrase(r"^a condition of several elements", "ValueError", lambda: "The truth value of an "
            "array with more than one element is ambiguous. Use a.any() or a.all()"),
    Phrase(r"^a tensor of shape .* has no attribute '(\w+)'", "AttributeError", lambda name:
            f"'numpy.ndarray' object has no attribute '{name}'"),
    Phrase(r"^\w+: dim (-?\d+) is out of range for (\d+) dimensions?", "AxisError",
            lambda axis, count: f"axis {axis} is out of bounds for array of dimension {count}"),
)  # fmt: skip
"""The first that fits is taken."""
