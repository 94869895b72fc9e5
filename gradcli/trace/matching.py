"""What `match` compares: whether a pattern of `case` fits a value, and what its names stand for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradcli.diagnostics import GradcliError
from gradcli.graph import Node
from gradcli.language import syntax
from gradcli.trace.classes import Class, Instance
from gradcli.trace.dictionaries import Dictionary
from gradcli.trace.items import Items
from gradcli.trace.kinds_of_values import is_of_kind
from gradcli.trace.operators import is_same
from gradcli.trace.printing import PrintedNumbers
from gradcli.trace.values import Value, Values
from gradcli.trace.visits import Visit

Names = dict[str, Value]
"""What the names of a pattern stand for."""
_ANY = "_"


class Matching:
    """Compares patterns with values: visitors, so that no pattern is too deep."""

    def __init__(
        self,
        values: Values,
        numbers: PrintedNumbers,
        visit: Callable[[syntax.Expression], Visit | Value],
    ) -> None:
        """`visit` gives the visitor of an expression."""
        self._values = values
        self._numbers = numbers
        self._visit = visit

    def names(self, pattern: syntax.Expression, value: Value) -> Visit:
        """What the names of the pattern stand for; None where it does not fit."""
        if isinstance(pattern, syntax.Name):
            return {} if pattern.id == _ANY else {pattern.id: value}
        if isinstance(pattern, syntax.Binary):
            left = yield self.names(pattern.left, value)
            return left if left is not None else (yield self.names(pattern.right, value))
        if isinstance(pattern, syntax.Tuple | syntax.List):
            return (yield self._row(pattern.items, value))
        if isinstance(pattern, syntax.DictLiteral):
            return (yield self._dictionary(pattern, value))
        if isinstance(pattern, syntax.Call):
            return (yield self._object(pattern, value))
        if isinstance(pattern, syntax.Constant):
            wanted = pattern.value
            if wanted is None:
                return {} if value is None else None
            is_truth = isinstance(value, Node) and value.kind == "bool" and value.size == 1
            return {} if is_truth and self._values.truth(value) == wanted else None
        return {} if is_same(self._values, (yield self._visit(pattern)), value) else None

    def _row(self, patterns: tuple[syntax.Expression, ...], value: Value) -> Visit:
        """Of lists and tuples: part by part, where one may take what is left."""
        if not isinstance(value, Items | tuple):
            return None
        parts: list[Value] = list(value)
        star = next((i for i, p in enumerate(patterns) if isinstance(p, syntax.Starred)), None)
        if len(parts) != len(patterns) if star is None else len(parts) < len(patterns) - 1:
            return None
        if star is not None:
            behind = len(parts) - (len(patterns) - star - 1)
            parts = [*parts[:star], Items(parts[star:behind]), *parts[behind:]]
        return (yield self._all(list(patterns), parts))

    def _all(self, patterns: list[syntax.Expression], parts: list[Value]) -> Visit:
        found: Names = {}
        for pattern, part in zip(patterns, parts, strict=True):
            inner = pattern.value if isinstance(pattern, syntax.Starred) else pattern
            names = yield self.names(inner, part)
            if names is None:
                return None
            found |= names
        return found

    def _dictionary(self, pattern: syntax.DictLiteral, value: Value) -> Visit:
        """Of a dictionary that has these keys, and maybe others."""
        if not isinstance(value, Dictionary):
            return None
        patterns: list[syntax.Expression] = []
        parts: list[Value] = []
        rest = Dictionary(self._values, value.pairs())
        for pair in pattern.pairs:
            patterns.append(pair.value)
            if isinstance(pair, syntax.Keyword):  # `**rest`, which stands last
                parts.append(rest)
                break
            key = yield self._visit(pair.key)
            if not value.contains(key):
                return None
            parts.append(value.item([key]))
            rest.delete_item([key])
        return (yield self._all(patterns, parts))

    def _object(self, pattern: syntax.Call, value: Value) -> Visit:
        """Of an object of a class, whose attributes have these values; `int()`, `str(x)`."""
        name = pattern.callee.id if isinstance(pattern.callee, syntax.Name) else ""
        is_own = name not in _KINDS
        made: Any = (yield self._visit(pattern.callee)) if is_own else name
        if not is_of_kind(value, made, self._numbers):
            return None
        if not is_own:
            return (yield self._all(list(pattern.arguments), [value] * len(pattern.arguments)))
        is_class = isinstance(made, Class)
        fields = [each.name for each in pattern.keywords]
        patterns: list[syntax.Expression] = [each.value for each in pattern.keywords]
        if pattern.arguments:
            declared = (made.found("__match_args__") or made.declared) if is_class else ()
            if len(declared) < len(pattern.arguments):
                raise GradcliError("type", f"{name} has no order of its attributes",
                                   hint=f"case {name}(x=…): …")  # fmt: skip
            fields = [*declared[: len(pattern.arguments)], *fields]
            patterns = [*pattern.arguments, *patterns]
        owner: Any = value
        if not isinstance(owner, Instance):
            return None if fields else {}
        parts: list[Value] = []
        for field in fields:
            parts += [(yield owner.attribute(field))]
        return (yield self._all(patterns, parts))


_KINDS = ("int", "float", "str", "list", "tuple", "dict", "bool")
"""Kinds of Python's own, whose patterns name the value itself."""
