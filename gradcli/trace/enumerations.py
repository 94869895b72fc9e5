"""`class Colour(Enum)`: names for values, each an object of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gradcli.diagnostics import RefusedError
from gradcli.trace.classes import Class, Instance
from gradcli.trace.items import Items
from gradcli.trace.objects import BuiltIn, Given, Object
from gradcli.trace.operators import METHODS, binary, comparison, is_same
from gradcli.trace.values import Value, Values

_COMPARED = ("==", "!=", "<", "<=", ">", ">=")


class Auto(Object):
    """`auto()`: the number behind the last one."""

    what = "auto()"


class Member(Instance):
    """A name and its value."""

    is_unique = True

    def __init__(
        self, values: Values, made_by: Class, name: str, value: Value, plain: bool
    ) -> None:
        super().__init__(values, made_by)
        self.fields = {"name": name, "value": value}
        self._is_number = plain

    def special(self, name: str) -> Object | None:
        """A member of an `IntEnum` is a number, too."""
        own = super().special(name)
        if self._is_number and name in ("__int__", "__float__"):
            return BuiltIn(name, lambda *_: self.fields["value"])
        operator = _OPERATORS.get(name) if self._is_number and own is None else None
        if operator is None:
            return own
        return BuiltIn(name, lambda _, given, __: self._operated(operator, given[0]))

    def _operated(self, operator: str, other: Value) -> Value:
        value = other.fields["value"] if isinstance(other, Member) else other
        operate = comparison if operator in _COMPARED else binary
        return operate(self.values, operator, self.fields["value"], value)

    def parts(self, quoted: bool) -> list[tuple[Any, bool]] | None:
        if not quoted or self in self.values.texts:
            return None
        return [(f"<{self.shown()}: ", False), (self.fields["value"], True), (">", False)]

    def shown(self) -> str:
        return f"{self.made_by.name}.{self.fields['name']}"


_OPERATORS = {f"__{name}__": operator for operator, name in METHODS.items()}


class Enumeration(Object):
    """The class."""

    what = "an enumeration"

    def __init__(
        self, values: Values, made: Class, plain: bool, written: Callable[..., str]
    ) -> None:
        """`plain` members are numbers; `written` gives a value as text."""
        self.values = values
        self._written = written
        self._made = made
        self.members: dict[str, Member] = {}
        held = made.frame.values
        for name in [*held]:
            if name.startswith("_"):
                continue
            value = held.pop(name)
            if isinstance(value, Auto):
                value = values.graph.constant(float(len(self.members) + 1))
            self.members[name] = Member(values, made, name, value, plain)

    def elements(self) -> Items:
        return Items(list(self.members.values()))

    def call(self, arguments: list[Value], keywords: Given) -> Value:
        """The member with a value."""
        (value,) = arguments
        for member in self.members.values():
            if is_same(self.values, member.fields["value"], value):
                return member
        shown = self._written(value, quoted=True)
        raise RefusedError(
            ("ValueError", f"{shown} is not a valid {self._made.name}"),
            "value", f"{shown} is no value of {self._made.name}",
            hint=f"there are {', '.join(self.members)}",
        )  # fmt: skip

    def item(self, items: Sequence[Any]) -> Value:
        return self._member(str(items[0]), "KeyError", repr(str(items[0])))

    def contains(self, value: Any) -> bool:
        return any(value is member for member in self.members.values())

    def attribute(self, name: str) -> Any:
        if name == "__members__":
            from gradcli.trace.dictionaries import Dictionary

            return Dictionary(self.values, self.members.items())
        if name == "__name__" or self._made.found(name) is not None:
            return self._made.attribute(name)
        said = f"type object {self._made.name!r} has no attribute {name!r}"
        return self._member(name, "AttributeError", said)

    def method(self, name: str) -> Any:
        return self._made.method(name)

    def is_same(self, other: Any) -> bool:
        return other is self or other is self._made

    def _member(self, name: str, kind: str, said: str) -> Member:
        """Python's error for one that is not there is of this kind, and says this."""
        if name not in self.members:
            raise RefusedError(
                (kind, said), "name", f"{self._made.name} has no member {name!r}",
                hint=f"there are {', '.join(self.members)}",
            )  # fmt: skip
        return self.members[name]

    def shown(self) -> str:
        return f"<enum '{self._made.name}'>"
