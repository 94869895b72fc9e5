"""Python's `re`, for patterns that cannot take long.

Python's engine goes back and tries again, and some patterns make it do so without end. So a
pattern is read before it is used: no choice may stand inside what repeats, nothing refers back to a
group, and the ways in which it may fit are counted.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from re import _parser
from typing import Any

from gradcli.diagnostics import GradcliError
from gradcli.trace.arguments import bind_names
from gradcli.trace.items import Items
from gradcli.trace.objects import Given, Object
from gradcli.trace.special import Special
from gradcli.trace.values import Value, Values, describe

LONGEST = 1000
"""Characters of a pattern."""
DEEPEST = 50
"""Groups in each other."""
MOST_STEPS = 5 * 10**8
"""What the engine may have to try."""
_BACK = ("GROUPREF", "GROUPREF_EXISTS", "GROUPREF_IGNORE")
_REPEATS = ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT")


def compiled(pattern: Value, flags: int = 0) -> re.Pattern[str]:
    """The pattern. Raises `value` for one that is wrong, or that may take long."""
    if not isinstance(pattern, str):
        raise GradcliError("type", f"a pattern is a string, not {describe(pattern)}")
    if len(pattern) > LONGEST or pattern.count("(") > DEEPEST:
        raise GradcliError("value", "this pattern is too long", hint="use several")
    try:
        with warnings.catch_warnings(action="ignore"):
            _ways(_parser.parse(pattern, flags), 0)
            return re.compile(pattern, flags)
    except (re.error, OverflowError) as error:
        raise GradcliError("value", f"this is no pattern: {error}") from None


def _ways(parsed: Any, size: int, inside: bool = False) -> int:
    """In how many ways a pattern may fit at one place of a text of that size: the product of what
    may be chosen, and of how often it is tried. Groups are at most `DEEPEST`.
    """
    ways = 1
    for name, value in parsed:
        kind = str(name)
        if kind in _BACK:
            raise _too_slow("refers back to a group")
        if kind in _REPEATS:
            low, high, body = value
            if inside and low != high:
                raise _too_slow("repeats what repeats")
            ways *= _ways(body, size, inside or high != 1) * max(1, low)
            ways *= 1 + min(high - low, size)
        elif kind == "BRANCH":
            if inside:
                raise _too_slow("repeats what stands before or behind |")
            ways *= sum(_ways(each, size) for each in value[1])
        else:
            parts = value if isinstance(value, tuple | list) else (value,)
            for each in parts:
                if isinstance(each, _parser.SubPattern):
                    ways *= _ways(each, size, inside)
    return ways


def _too_slow(why: str) -> GradcliError:
    return GradcliError("value", f"a pattern that {why} may take very long",
                        hint="repeat single characters and classes: [a-z]+, and name no group "
                        "again")  # fmt: skip


class Found(Object):
    """Where a pattern fits: `m.group(1)`."""

    what = "a match"
    title = "Match"

    def __init__(self, values: Values, match: re.Match[str]) -> None:
        self._values = values
        self._match = match

    def methods(self) -> dict[str, Callable[[list[Any], Given], Any]]:
        match = self._match
        number = self._values.graph.constant
        return {
            "group": lambda given, _: self._group(given),
            "groups": lambda *_: match.groups(),
            "start": lambda *_: number(float(match.start())),
            "end": lambda *_: number(float(match.end())),
            "span": lambda *_: (number(float(match.start())), number(float(match.end()))),
        }

    def item(self, items: Sequence[Any]) -> Any:
        return self._group(items)

    def _group(self, names: Sequence[Value]) -> Any:
        keys = [e if isinstance(e, str) else self._values.integer(e, "a group") for e in names]
        try:
            return self._match.group(*keys)
        except IndexError:
            raise GradcliError("index", "the pattern has no such group") from None


class CompiledPattern(Object):
    """`re.compile(…)`."""

    what = "a pattern"
    title = "Pattern"

    def __init__(self, patterns: Patterns, pattern: re.Pattern[str]) -> None:
        self._patterns = patterns
        self.pattern = pattern

    def methods(self) -> dict[str, Callable[[list[Any], Given], Any]]:
        return {name: partial(self._called, name) for name in FUNCTIONS_OF_PATTERNS}

    def _called(self, name: str, arguments: list[Value], keywords: Given) -> Any:
        return self._patterns.functions[f"re.{name}"]([self, *arguments], keywords)


FUNCTIONS_OF_PATTERNS = ("findall", "finditer", "sub", "split", "match", "search", "fullmatch")
"""Functions of a pattern and a text."""


class Patterns:
    """The functions by name."""

    def __init__(self, values: Values) -> None:
        self._values = values
        self.functions: dict[str, Special] = {
            "re.findall": self._all,
            "re.finditer": self._each,
            "re.sub": self._replaced,
            "re.split": self._split,
            "re.compile": self._compiled,
            "re.escape": lambda given, _: re.escape(str(given[0])),
            **{f"re.{name}": partial(self._one, name) for name in ("match", "search", "fullmatch")},
        }

    def _given(
        self, names: tuple[str, ...], arguments: list[Value], keywords: Given
    ) -> tuple[re.Pattern[str], str, dict[str, Value]]:
        """The pattern and the text, which together do not take long, and all arguments."""
        given = bind_names("this", (*names, "flags"), arguments, keywords, ("count", "maxsplit",
                           "flags"))  # fmt: skip
        flags = self._values.integer(given["flags"], "flags") if "flags" in given else 0
        pattern, text = given["pattern"], given["string"]
        found = (
            pattern.pattern if isinstance(pattern, CompiledPattern) else compiled(pattern, flags)
        )
        if not isinstance(text, str):
            raise GradcliError("type", f"a pattern is looked for in a string, not {describe(text)}")
        parsed = _parser.parse(found.pattern, found.flags & ~re.UNICODE)
        if _ways(parsed, len(text)) * (len(text) + 1) > MOST_STEPS:
            raise GradcliError(
                "value", f"this pattern may take very long on {len(text):,} characters",
                hint="split the text first",
            )  # fmt: skip
        self._values.graph.ledger.take(64 * len(text) + 64, "a string")
        return found, text, given

    def _all(self, arguments: list[Value], keywords: Given) -> Value:
        pattern, text, _ = self._given(("pattern", "string"), arguments, keywords)
        return Items(pattern.findall(text))

    def _each(self, arguments: list[Value], keywords: Given) -> Value:
        pattern, text, _ = self._given(("pattern", "string"), arguments, keywords)
        return Items([Found(self._values, each) for each in pattern.finditer(text)])

    def _one(self, name: str, arguments: list[Value], keywords: Given) -> Value:
        pattern, text, _ = self._given(("pattern", "string"), arguments, keywords)
        found: re.Match[str] | None = getattr(pattern, name)(text)
        return None if found is None else Found(self._values, found)

    def _split(self, arguments: list[Value], keywords: Given) -> Value:
        names = ("pattern", "string", "maxsplit")
        pattern, text, given = self._given(names, arguments, keywords)
        most = self._values.integer(given["maxsplit"], "maxsplit") if "maxsplit" in given else 0
        return Items(pattern.split(text, most))

    def _compiled(self, arguments: list[Value], keywords: Given) -> Value:
        given = bind_names("compile", ("pattern", "flags"), arguments, keywords, ("flags",))
        flags = self._values.integer(given["flags"], "flags") if "flags" in given else 0
        return CompiledPattern(self, compiled(given["pattern"], flags))

    def _replaced(self, arguments: list[Value], keywords: Given) -> Any:
        """`re.sub(pattern, repl, text)`: another text, or what a function gives of each match."""
        names = ("pattern", "repl", "string", "count")
        pattern, text, given = self._given(names, arguments, keywords)
        most = self._values.integer(given["count"], "count") if "count" in given else 0
        other = given["repl"]
        parts: list[str] = []
        end = 0
        for done, match in enumerate(pattern.finditer(text)):
            if most and done == most:
                break
            if isinstance(other, Object):
                new = yield other.call([Found(self._values, match)], {})
            else:
                new = _expanded(match, other)
            parts += [text[end : match.start()], str(new)]
            self._values.graph.ledger.take(4 * len(parts[-1]), "a string")
            end = match.end()
        return "".join([*parts, text[end:]])


def _expanded(match: re.Match[str], other: Value) -> str:
    """What stands in the place of a match, in which `\\1` is a group."""
    if not isinstance(other, str):
        raise GradcliError("type", f"a match is replaced by a string, not {describe(other)}")
    if "\\" not in other:  # else it is read again for each match
        return other
    try:
        return match.expand(other)
    except (re.error, IndexError) as error:
        raise GradcliError("value", f"{other!r} cannot stand in its place: {error}") from None
