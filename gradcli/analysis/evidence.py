"""How exactly a gradient was given: a formula, numbers as they were written, a file of some dtype.

A number that was written says what it is up to half a unit of its last digit: `0.955` has three
digits, and is any number from 0.9545 to 0.9555. A `0` without decimals has no digits; it is as
exact as the other numbers next to it, and exact if they are whole.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from dataclasses import dataclass, replace

import numpy as np

from gradcli.diagnostics import Source
from gradcli.graph import Array, Shape
from gradcli.language.rewrite import called, places
from gradcli.language.syntax import (
    Attribute,
    Binary,
    Call,
    Expression,
    List,
    Name,
    Number,
    Tuple,
    Unary,
)  # fmt: skip

DOUBLE_DIGITS = 16
"""Numbers with so many digits were not rounded when they were written."""
SINGLE_DIGITS = 9
"""Numbers with more digits that are all single-precision numbers come from such a computation."""
_NUMBER = re.compile(r"[0-9]*\.?(?P<fraction>[0-9]*)(?:[eE](?P<exponent>[-+]?[0-9]+))?")
HELD = frozenset({"tensor", "array", "as_tensor", "asarray"})
"""What numbers stand in where they were printed by PyTorch or NumPy."""
WRITTEN = 10_000
"""Of so many numbers at most it is asked with how many digits they were written."""
ROUGH = 1e-2
"""Numbers with fewer digits are taken as exact: 6 is not a rounded 6.4."""
SINGLE = 2e-6
"""The relative error of a computation in single precision."""
EXACT = 17
"""So many digits tell any two numbers of double precision apart."""
_MOST = 6
"""The longest exponent that is read: numbers whose exponent is longer are 0, or no numbers."""


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """What can be asked of a gradient that was given."""

    told: str
    """What it is judged to."""
    slack: Array | float = 0.0
    """By how much each number may be off, as it was written."""
    dtype: str | None = None
    """The precision that its numbers were computed in; None for that of the run."""
    formula: Source | None = None
    """The text that it is computed by; None for numbers."""

    def slack_of(self, shape: Shape) -> Array:
        """The slack of each element; one number may stand for all of them."""
        slack = np.asarray(self.slack)
        return np.broadcast_to(slack.reshape(() if slack.size == 1 else shape), shape)


def from_formula(source: Source) -> Evidence:
    """A formula is computed here, and owes no more than its rounding."""
    return Evidence("the rounding of both computations", formula=source)


def from_file(dtype: np.dtype[np.generic]) -> Evidence:
    """Numbers in binary are as exact as their dtype; whole ones are exact."""
    if dtype.kind != "f":
        return Evidence("whole numbers")
    return Evidence(f"the rounding of {dtype.name}, the dtype of the file", dtype=dtype.name)


def from_text(
    expression: Expression, source: Source, size: int, bound: Container[str]
) -> Evidence | None:
    """What numbers say by their digits; those that are worked out, as 1/3, are not rounded. None
    for an expression that is not so many plain numbers, or reads names that are `bound`.
    """
    numbers = list(_numbers(expression))
    if len(numbers) != size or not all(_is_plain(each, bound) for each in numbers):
        return None
    texts = [source.text[slice(*each.span)] if isinstance(each, Number) else "" for each in numbers]
    written = np.array([text != "" for text in texts], bool)
    if max(map(_digits, texts), default=0) >= DOUBLE_DIGITS:
        return Evidence("the rounding of float64, which the numbers have", dtype="float64")
    if texts and not written.any():
        return Evidence("the rounding of both computations")
    found = _written(
        np.array([_unit(text) for text in texts if text]),
        np.array([_is_bare_zero(text) for text in texts if text], bool),
    )
    slack = np.zeros(len(texts))
    slack[written] = found.slack
    return replace(found, slack=slack)


def from_values(values: Array) -> Evidence:
    """The same for numbers whose text is not there, by the fewest digits that give them.

    Where others have more decimals and more digits, a number may have lost zeros at its end.
    """
    numbers = [np.format_float_positional(each, unique=True, trim="-") for each in values.flat]
    texts = [text if text[-1].isdigit() else "0" for text in numbers]
    digits = max((_digits(text) for text in texts), default=0)
    if digits > SINGLE_DIGITS and np.array_equal(values.astype(np.float32), values):
        return Evidence("the rounding of float32, which the numbers have", dtype="float32")
    if digits >= DOUBLE_DIGITS:
        return Evidence("the rounding of float64, which the numbers have", dtype="float64")
    units = np.array([_unit(text) for text in texts])
    with np.errstate(all="ignore"):
        last = 10.0 ** (np.floor(np.log10(np.abs(values.reshape(-1)))) + 1 - digits)
    bare = np.array([_is_bare_zero(text) for text in texts], bool)
    sharper = np.maximum(units.min(initial=np.inf), np.where(np.isfinite(last), last, 0.0))
    found = _written(np.where(bare, units, np.minimum(units, sharper)), bare)
    return Evidence(found.told, np.reshape(found.slack, values.shape))


def rounding(numbers: Array) -> Array | float:
    """How far numbers may be from those that they were rounded from: a unit of the last digit that
    they have, or what is left of it in a computation in single precision.
    """
    if numbers.size > WRITTEN:
        return 0.0
    evidence, size = from_values(numbers), np.abs(numbers)
    if evidence.dtype == "float32":
        largest = float(np.max(size, initial=0.0, where=np.isfinite(size)))
        return np.asarray(SINGLE * (size + 0.1 * largest))
    unit = 2 * evidence.slack_of(numbers.shape)
    return unit if (unit <= ROUGH * size)[numbers != 0].all() else 0.0


def _written(units: Array, bare: Array) -> Evidence:
    """Half a unit of the last digit; a bare 0 takes the finest unit of the numbers next to it."""
    finest = float(units[~bare].min(initial=1.0))
    slack = np.where(bare, finest if finest < 1 else 0.0, units) / 2
    return Evidence("half a unit of the last digit as written", slack)


def _numbers(expression: Expression) -> Iterator[Expression]:
    """The numbers of nested lists in order, without their signs, also of tensors as printed."""
    stack = [expression]
    while stack:
        each = stack.pop()
        if isinstance(each, List | Tuple):
            stack.extend(reversed(each.items))
        elif isinstance(each, Unary) and each.operator in ("+", "-"):
            stack.append(each.operand)
        elif isinstance(each, Call) and called(each)[0] in HELD and len(each.arguments) == 1:
            stack.append(each.arguments[0])
        else:
            yield each


def _is_plain(expression: Expression, bound: Container[str]) -> bool:
    """Whether it is a number, or worked out of numbers alone."""
    for place in places(expression):
        part = place.part
        if not isinstance(part, Number | Name | Unary | Binary | Call | Attribute):
            return False
        if isinstance(part, Name) and part.id in bound:
            return False
    return True


def _unit(text: str) -> float:
    """A unit of the last digit of a number."""
    found = _NUMBER.fullmatch(text.lstrip("+-"))
    if found is None:
        return 0.0
    exponent = int((found["exponent"] or "0")[:_MOST])
    return float(f"1e{exponent - len(found['fraction'])}")


def _digits(text: str) -> int:
    """The digits of a number, without zeros in front."""
    mantissa = text.lower().partition("e")[0]
    return len(re.sub(r"\D", "", mantissa).lstrip("0"))


def _is_bare_zero(text: str) -> bool:
    return text.strip("+-0") == ""


def two_numbers(first: float, second: float, digits: int = 6) -> tuple[str, str]:
    """Texts for two numbers that differ: with so many digits, or as many as tell them apart."""
    texts = f"{first:.{digits}g}", f"{second:.{digits}g}"
    while texts[0] == texts[1] and digits < EXACT:
        digits += 1
        texts = f"{first:.{digits}g}", f"{second:.{digits}g}"
    return texts
