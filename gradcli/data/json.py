"""Strict JSON, and its nested lists as arrays.

Stricter than the standard library, which accepts bare `NaN`, doubled keys and `1e999`.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np

from gradcli.data.formats import Location
from gradcli.data.numbers import nested
from gradcli.data.replace import replacing
from gradcli.data.text import read_file
from gradcli.diagnostics import GradcliError, Source, Span, nearest
from gradcli.graph import Array, Shape
from gradcli.literals import NON_FINITE

MAX_DEPTH = 64
"""The most axes that a NumPy array has."""

_TOKEN = re.compile(r'"(?:[^"\\]+|\\.)*+"|[-+.\w]+')  # possessive: no stack for a long string


class _RefusedTokenError(ValueError):
    """A number or constant that the standard library would accept."""


def parse(text: str, name: str) -> Any:
    """The value of a JSON text. Raises `data` with the place, and `limit-depth`.

    Numbers without fraction and exponent are integers, except `-0`, which only a float can be.
    """
    source = Source(name, text)
    try:
        return json.loads(
            text,
            parse_float=_finite,
            parse_int=_integer,
            parse_constant=_refuse_constant,
            object_pairs_hook=_distinct,
        )
    except json.JSONDecodeError as error:
        what = f"not JSON: {error.msg[0].lower()}{error.msg[1:]}" if text.strip() else "empty"
        raise GradcliError(
            "data", f"{name} is {what}", source=source, span=(error.pos, error.pos + 1)
        ) from None
    except _RefusedTokenError as error:
        token, message, hint = error.args
        raise GradcliError(
            "data", f"{name}: {message}", hint=hint, source=source, span=_find(token, text)
        ) from None
    except RecursionError:
        raise GradcliError("limit-depth", f"{name} is nested too deeply") from None


def read(place: Location, memory: int) -> Array:
    """The array of a `.json` file, or what its objects hold under `KEY.KEY`; items count from 0."""
    value = _at(parse(read_file(place.path, memory), place.path), place)
    if isinstance(value, dict):
        keys = ", ".join(key[:40] for key in [*value][:20])
        raise GradcliError(
            "data",
            f"{place.name} is an object, not an array; it holds {keys or 'nothing'}",
            hint="name what is meant: @FILE.json:KEY",
        )
    return to_array(value, place.name)


def parse_array(text: str, name: str) -> Array:
    """The array of a JSON text: nested lists, or one number."""
    return to_array(parse(text, name), name)


def write(path: str, arrays: Mapping[str, Array]) -> None:
    """An object of the arrays by name, whose numbers read back to the same bits."""
    with replacing(path) as stream:
        separator = "{"
        for name, array in arrays.items():
            stream.write(f"{separator}{json.dumps(name, ensure_ascii=False)}: ".encode())
            stream.writelines(piece.encode() for piece in nested(np.asarray(array)))
            separator = ",\n "
        stream.write(b"}\n" if arrays else b"{}\n")


def _at(value: Any, place: Location) -> Any:
    """What stands under a path of keys; a key may have points in it, as `x.grad` has."""
    path, walked = place.key or "", place.path
    while path:
        if isinstance(value, dict) and path in value:
            return value[path]
        head, _, rest = path.partition(".")
        if isinstance(value, list) and head.isdecimal() and int(head[:18]) < len(value):
            value = value[int(head[:18])]
        elif isinstance(value, dict) and head in value:
            value = value[head]
        else:
            keys = [*map(str, value)] if isinstance(value, dict) else []
            near = nearest(path, keys) or nearest(head, keys)
            raise GradcliError(
                "data",
                f"{walked} has no {path[:80]!r}",
                hint=f"did you mean {near!r}?" if near else None,
            )
        walked, path = f"{walked}:{head}" if walked == place.path else f"{walked}.{head}", rest
    return value


def to_array(value: Any, name: str) -> Array:
    """Nested lists of numbers, booleans or non-finite strings as a float64 or bool array.

    Raises `data` for ragged lists and for anything that is not a number.
    """
    shape, leaves = _unnest(value, name)
    types = set(map(type, leaves))
    if types == {bool}:
        return np.array(leaves, bool).reshape(shape)
    if not types <= {float, int, bool}:
        leaves = [_number(leaf, index, shape, name) for index, leaf in enumerate(leaves)]
    return np.array(leaves, np.float64).reshape(shape)


def _unnest(value: Any, name: str) -> tuple[Shape, list[Any]]:
    """The common shape of nested lists, and the items of the innermost ones."""
    shape: Shape = ()
    level = [value]
    while any(isinstance(item, list) for item in level):
        lengths = [len(item) if isinstance(item, list) else None for item in level]
        if len(set(lengths)) > 1:
            odd = next(i for i, length in enumerate(lengths) if length != lengths[0])
            raise GradcliError(
                "data",
                f"{name} is ragged: {_place(odd, shape)} {_size(lengths[odd])}, "
                f"but {_place(0, shape)} {_size(lengths[0])}",
            )
        if len(shape) == MAX_DEPTH:
            raise GradcliError("limit-depth", f"{name} has more than {MAX_DEPTH} axes")
        shape += (len(level[0]),)
        level = [inner for item in level for inner in item]
    return shape, level


def _number(leaf: Any, index: int, shape: Shape, name: str) -> float:
    if isinstance(leaf, float | int):  # most items are numbers; bool is an int
        return float(leaf)
    if isinstance(leaf, str) and leaf in NON_FINITE:
        return NON_FINITE[leaf]
    text = f"the string {leaf[:20]!r}" if isinstance(leaf, str) else None
    what = text or ("null" if leaf is None else "an object")
    raise GradcliError(
        "data",
        f"{name}: {what} at {_place(index, shape)} is not a number",
        hint='missing numbers are written "NaN"; an array is nested lists of numbers',
    )


def _place(index: int, shape: Shape) -> str:
    """The subscripts of a flat index: `[1][0]`."""
    subscripts = "".join(f"[{i}]" for i in np.unravel_index(index, shape)) if shape else ""
    return subscripts or "the top"


def _size(length: int | None) -> str:
    return "is not a list" if length is None else f"has length {length}"


def _finite(token: str) -> float:
    value = float(token)
    if math.isinf(value):
        raise _RefusedTokenError(token, f"the number {token[:20]} overflows float64", None)
    return value


def _integer(digits: str) -> int | float:
    value = _finite(digits)
    return value if digits == "-0" else int(digits)


def _refuse_constant(token: str) -> float:
    raise _RefusedTokenError(token, f"bare {token} is not JSON", f'write it as a string: "{token}"')


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        counts = Counter(key for key, _ in pairs)
        doubled = next(key for key, count in counts.items() if count > 1)
        token = json.dumps(doubled, ensure_ascii=False)
        raise _RefusedTokenError(token, f"the key {doubled[:40]!r} stands twice", None)
    return found


def _find(token: str, text: str) -> Span | None:
    """The place where a token stands first."""
    return next((match.span() for match in _TOKEN.finditer(text) if match[0] == token), None)
