"""Objects of the program's classes that are made from Python's: `class Names(list)`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, Protocol

from gradcli.graph import Node
from gradcli.trace.classes import Class, Instance
from gradcli.trace.dictionaries import Dictionary, key_of
from gradcli.trace.items import Items
from gradcli.trace.modules import Method
from gradcli.trace.objects import BuiltIn, Given, Object, plain_value
from gradcli.trace.operators import METHODS, is_same
from gradcli.trace.python_classes import METHODS as NAMES
from gradcli.trace.values import Value, Values

_OPERATORS = {f"__{name}__": operator for operator, name in METHODS.items()}
_TURNED = {f"__r{name}__": operator for operator, name in METHODS.items()}
_CONVERSIONS = {f"__{name}__": name for name in ("int", "float", "bool")}


class Language(Protocol):
    """The tracer, as such objects know it."""

    @property
    def python(self) -> Any:
        """Python's functions, and text of values."""

    @property
    def library(self) -> Any:
        """What can be called besides the op table."""

    def operated(self, operator: str, left: Value, right: Value) -> Any:
        """The value of an operator on two values, or the visitor that finds it."""

    def element(self, owner: Value, items: list[Any]) -> Any:
        """`owner[items]`, or the visitor that finds it."""

    def sort_list(self, items: Items, arguments: list[Value], keywords: Given) -> Any:
        """`xs.sort(key=f, reverse=True)`."""

    def named_call(self, name: str, arguments: list[Value], keywords: Given) -> Any:
        """The value of a call of a function of Python's."""


class OwnValue(Instance):
    """An object that is a list, dictionary, string, tuple or number, too."""

    holds_none = True

    def __init__(self, values: Values, made_by: Class, language: Language) -> None:
        super().__init__(values, made_by)
        self._language = language
        self.inner: Value = None
        self._has_names = False
        """Whether its keys are its attributes, as `self.__dict__ = self` makes them."""

    def hold(self, arguments: list[Value], keywords: Given) -> Any:
        """Be made of these arguments."""
        assert self.made_by.holds is not None
        given = list(map(plain_value, arguments))
        self.inner = plain_value((yield self.made_by.holds(given, keywords)))

    def begin(self, arguments: list[Value], keywords: Given) -> Any:
        if self.made_by.is_fixed:
            return None
        return self.hold(arguments, keywords)

    # --- operators ---

    def special(self, name: str) -> Object | None:
        own = super().special(name)
        if own is not None:
            return own
        if name in _OPERATORS:
            return BuiltIn(name, self._operated)
        if name in _TURNED and not isinstance(self.inner, Dictionary):
            return BuiltIn(name, self._turned)
        if name in _CONVERSIONS and isinstance(self.inner, Node | str):
            convert = partial(self._language.named_call, _CONVERSIONS[name], [self.inner])
            return BuiltIn(name, lambda *_: convert({}))
        return None

    def _operated(self, name: str, arguments: list[Value], keywords: Given) -> Any:
        return self._language.operated(_OPERATORS[name], self.inner, plain_value(arguments[0]))

    def _turned(self, name: str, arguments: list[Value], keywords: Given) -> Any:
        return self._language.operated(_TURNED[name], plain_value(arguments[0]), self.inner)

    def equals(self, other: Any) -> bool | None:
        own = super().special("__eq__")
        return (
            super().equals(other) if own else is_same(self.values, self.inner, plain_value(other))
        )

    def key(self) -> Any:
        own = super().special("__hash__")
        return super().key() if own else key_of(self.values, self.inner)

    # --- elements ---

    def item(self, items: Sequence[Any]) -> Any:
        if super().special("__getitem__") is not None:
            return super().item(items)
        return self._found(items)

    def _found(self, items: Sequence[Any]) -> Any:
        held, missing = self.inner, super().special("__missing__")
        if missing is not None and isinstance(held, Dictionary) and not held.contains(items[0]):
            return missing.call([items[0]], {})
        return self._language.element(held, list(items))

    def set_item(self, items: Sequence[Any], value: Any) -> Any:
        if super().special("__setitem__") is not None:
            return super().set_item(items, value)
        return self._put(items, value)

    def _put(self, items: Sequence[Any], value: Value) -> Any:
        if isinstance(self.inner, Items):
            self._language.library.sequences.set_element(self.inner, items, value)
            return None
        if isinstance(self.inner, Object):
            return self.inner.set_item(items, value)
        return super().set_item(items, value)

    def delete_item(self, items: Sequence[Any]) -> Any:
        if super().special("__delitem__") is not None:
            return super().delete_item(items)
        return self._drop(items)

    def _drop(self, items: Sequence[Any]) -> Any:
        if isinstance(self.inner, Items):
            self._language.library.sequences.delete_element(self.inner, items)
            return None
        return self.inner.delete_item(items) if isinstance(self.inner, Object) else None

    def elements(self) -> Any:
        if super().special("__iter__") is not None:
            return super().elements()
        return Items(self.values.elements(self.inner))

    def contains(self, value: Any) -> bool:
        if super().special("__contains__") is not None:
            return super().contains(value)
        if isinstance(self.inner, Object):
            return self.inner.contains(value)
        if isinstance(self.inner, str):
            return isinstance(plain_value(value), str) and plain_value(value) in self.inner
        return any(is_same(self.values, e, value) for e in self.values.elements(self.inner))

    def length(self) -> int:
        if super().special("__len__") is not None:
            return super().length()
        if isinstance(self.inner, Node):
            said = "object of type '{}' has no len()"
            raise self.refuses(said, "has no length", "def __len__(self)")
        held = self.inner
        return held.length() if isinstance(held, Object) else len(held)  # type: ignore[arg-type]

    def truth(self) -> bool:
        if super().special("__bool__") or super().special("__len__"):
            return super().truth()
        return self.values.truth(self.inner)

    # --- names and text ---

    def set(self, name: str, value: Value) -> Any:
        if name == "__dict__" and value is self:
            self._has_names = True
            return None
        if self._has_names and super().special("__setattr__") is None:
            return self._put([name], value)
        return super().set(name, value)

    def attribute(self, name: str) -> Any:
        if self._has_names and isinstance(self.inner, Object) and self.inner.contains(name):
            return self.inner.item([name])
        known = name in self.fields or self.made_by.found(name) is not None
        if not known and name in getattr(self.inner, "_fields", ()):
            return getattr(self.inner, name)
        if not known and name in self.methods():
            return super(Instance, self).attribute(name)  # raises: it is a method
        return super().attribute(name)

    def methods(self) -> dict[str, Method]:
        found: dict[str, Method] = {
            "__init__": self.begin,
            "__getitem__": lambda given, _: self._found(given),
            "__setitem__": lambda given, _: self._put(given[:1], given[1]),
            "__delitem__": lambda given, _: self._drop(given),
            "__neg__": lambda *_: self._operated("__mul__", [self.values.plain(-1)], {}),
            "__len__": lambda *_: self._language.named_call("len", [self.inner], {}),
            "__iter__": lambda *_: self._language.named_call("iter", [self.inner], {}),
            "__contains__": lambda given, _: self._language.operated("in", given[0], self.inner),
            "__repr__": lambda *_: self._language.python.written(self.inner, quoted=True),
            "__str__": lambda *_: self._language.python.written(self.inner),
        }
        found |= {name: partial(self._operated, name) for name in _OPERATORS}
        found |= {name: partial(self._turned, name) for name in _TURNED}
        if isinstance(self.inner, Object):
            held = self.inner.methods().items()
            return {**found, **{name: each for name, each in held if not name.startswith("__")}}
        kind = next((e for e in (str, tuple) if isinstance(self.inner, e)), list)
        names = [*NAMES[kind.__name__], *(("_asdict", "_replace") if kind is tuple else ())]
        return found | {name: partial(self._of_held, name) for name in names}

    def _of_held(self, name: str, arguments: list[Value], keywords: Given) -> Any:
        """A method of the list, tuple or string that it holds."""
        held, language = self.inner, self._language
        if isinstance(held, Items):
            if name == "sort":
                return language.sort_list(held, arguments, keywords)
        else:
            arguments = list(map(plain_value, arguments))
        if name == "format":
            return language.python.filled(held, arguments, keywords)
        found = language.library.sequences.method(held, name)(arguments, keywords)
        if name != "_replace":
            return found
        made = OwnValue(self.values, self.made_by, language)
        made.inner, made.fields = found, dict(self.fields)
        return made

    def within(self) -> Sequence[Any]:
        return (self.inner,)

    def parts(self, quoted: bool) -> list[tuple[Any, bool]] | None:
        return None if self in self.values.texts else [(self.inner, quoted)]

    def formatted(self, specification: str) -> str | None:
        found: str = self._language.python.formatted(self.inner, specification)
        return found

    def shown(self) -> str:
        said = self.values.texts.get(self)
        return self._language.python.written(self.inner) if said is None else said
