"""Numbers and tensors as text, by Python's format specifications."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from gradcli.diagnostics import GradcliError, RefusedError
from gradcli.tuples import NamedTuple

_SPECIFICATION = re.compile(
    r"(?:.?[<>=^])?[-+ ]?z?#?0?(\d*)[_,]?(?:\.(\d+))?([bcdeEfFgGnosxX%]?)", re.DOTALL
)
_PERCENT = re.compile(
    r"%(?:\((\w+)\))?([-+ #0]*)(\d*)(?:\.(\d+))?([sdifFeEgGrcxXo%]|.|$)", re.DOTALL
)
_INTEGRAL = frozenset("bcdoxX")
WIDEST = 1000
"""The largest width and precision: more fills memory with blanks."""


def formatted(value: str | int | float, specification: str) -> str:
    """`format(value, specification)`; a number with an integer value is an integer where that is
    asked for, and an integer a float where digits are.
    """
    found = _SPECIFICATION.fullmatch(specification)
    if found is None or any(int(part or 0) > WIDEST for part in found.group(1, 2)):
        raise GradcliError(
            "value",
            f"{specification!r} is no format",
            hint="{x:.3f} has three decimals, {x:>8} is 8 characters wide",
        )
    return _written(_number(value, found[3], found[2]), specification)


def _number(value: str | int | float, letter: str, precision: str | None) -> str | float | int:
    if isinstance(value, float) and value.is_integer() and letter and letter in _INTEGRAL:
        return int(value)
    if isinstance(value, int) and not isinstance(value, bool) and not letter and precision:
        return float(value)
    return value


def _written(value: str | float | int, specification: str) -> str:
    try:
        return format(value, specification)
    except (ValueError, OverflowError) as error:
        what = "a string" if isinstance(value, str) else "a number"
        raise RefusedError(
            (type(error).__name__, str(error)),
            "value", f"the format {specification!r} does not fit {what}: {error}",
            hint="d is for whole numbers, f and e for all, s for strings",
        ) from None  # fmt: skip


class Fillings(NamedTuple):
    """The values of a template, by their places: as numbers, and as text."""

    size: int
    number: Callable[[int], Any]
    written: Callable[[int, bool], str]
    """As `repr` writes it, or as `str` does."""
    names: Mapping[str, int]
    """The places of `%(name)s`."""


def percent(template: str, values: Fillings) -> str:
    """`template % values`."""
    parts, place, used = [], 0, 0
    for found in _PERCENT.finditer(template):
        parts.append(template[place : found.start()])
        place = found.end()
        name, flags, width, precision, letter = found.groups()
        if letter == "%":
            parts.append("%")
            continue
        number = used
        if name is not None:
            if name not in values.names:
                raise RefusedError(("KeyError", repr(name)), "value", f"there is no value {name!r}")
            number = values.names[name]
        elif used == values.size:
            raise GradcliError("type", f"{template!r} has more places than there are values")
        else:
            used += 1
        if letter in "sr":
            value, letter = values.written(number, letter == "r"), "s"
        else:
            value = values.number(number)
        parts.append(_converted(value, flags, width, precision, letter))
    if used < values.size and not values.names:
        raise GradcliError("type", f"{template!r} has fewer places than there are values")
    return "".join([*parts, template[place:]])


def _converted(value: Any, flags: str, width: str, precision: str | None, letter: str) -> str:
    if max(int(width or 0), int(precision or 0)) > WIDEST or letter not in "sdifFeEgGcxXo":
        raise GradcliError("value", f"%{flags}{width}{letter} is no format", hint="%d, %.3f, %s")
    points = "" if precision is None else f".{precision}"
    if letter == "s" or (isinstance(value, str) and letter == "c" and len(value) == 1):
        pass
    elif isinstance(value, str):
        raise GradcliError("type", f"%{letter} is for numbers, and {value!r} is a string")
    elif letter in "dicxXo":
        value, letter = int(value), "d" if letter == "i" else letter
    try:
        return str(f"%{flags}{width}{points}{letter}" % value)
    except (ValueError, OverflowError, TypeError) as error:
        raise GradcliError("value", f"%{letter} does not fit: {error}") from None


_PLACE = re.compile(
    r"\{\{|\}\}|\{(\w*(?:\.\w+|\[\w+\])*)(?:!([rsa]))?(?::((?:[^{}]|\{\w*\})*))?\}|[{}]"
)


_STEP = re.compile(r"\[\w+\]|\w+")


def steps(field: str) -> list[str]:
    """`['a', '[0]', 'x']` for the field `a[0].x`; the first is empty in `{[0]}`."""
    found = _STEP.findall(field)
    return found if field[:1].isalnum() or field[:1] == "_" else ["", *found]


def places(template: str) -> list[str | tuple[str, str, str]]:
    """The parts of the text of `'…{}…'.format(…)`: text, and fields as name, conversion (r, s, a or
    none) and specification.
    """
    parts: list[str | tuple[str, str, str]] = []
    last = 0
    for found in _PLACE.finditer(template):
        parts.append(template[last : found.start()])
        last = found.end()
        if found[0] in ("{{", "}}"):
            parts.append(found[0][0])
        elif len(found[0]) == 1:
            raise GradcliError(
                "value",
                f"a `{found[0]}` in {template!r} belongs to no field",
                hint="fields are {}, {0} and {name:.3f}; the character itself is written twice",
            )
        else:
            parts.append((found[1], found[2] or "", found[3] or ""))
    return [*parts, template[last:]]
