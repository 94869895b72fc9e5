"""`@dataclass`: classes whose objects are made from the values of their fields."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gradcli.trace.arguments import bind_names
from gradcli.trace.classes import Class, Instance
from gradcli.trace.objects import BuiltIn, Given, Object
from gradcli.trace.operators import is_same
from gradcli.trace.values import Value, Values


class DefaultField(Object):
    """`field(default_factory=list)`."""

    what = "a field of a dataclass"

    def __init__(self, default: Value, factory: Value) -> None:
        self.default = default
        self.factory = factory

    def made(self) -> Any:
        """The default for one object, or the visitor that makes it."""
        return self.factory.call([], {}) if isinstance(self.factory, Object) else self.default


def fields_of(made: Class) -> list[str]:
    """The names of a dataclass's fields, those of the classes that it is made from first."""
    names = (name for each in reversed(made.order) for name in each.declared)
    return list(dict.fromkeys(names))


def make_dataclass(made: Class, values: Values, written: Callable[[Value], str]) -> None:
    """Give a class the methods that a dataclass has, unless it has its own."""
    fields = fields_of(made)
    defaults = {name: made.found(name) for name in fields}
    optional = {name for name in fields if any(name in each.frame.values for each in made.order)}

    def start(_: str, arguments: list[Value], keywords: Given) -> Any:
        instance, *rest = arguments
        assert isinstance(instance, Instance)
        given = bind_names(made.name, fields, rest, keywords, optional)
        for name in fields:
            value = given.get(name, defaults[name])
            instance.set(name, (yield value.made()) if isinstance(value, DefaultField) else value)
        after = instance.special("__post_init__")
        if after is not None:
            yield after.call([], {})

    def shown(_: str, arguments: list[Value], __: Given) -> str:
        """`Config(lr=0.1, name='ridge')`."""
        (instance,) = arguments
        assert isinstance(instance, Instance)
        pairs = ((name, instance.attribute(name)) for name in fields)
        texts = (f"{n}={v!r}" if isinstance(v, str) else f"{n}={written(v)}" for n, v in pairs)
        return f"{made.name}({', '.join(texts)})"

    def equals(_: str, arguments: list[Value], __: Given) -> Value:
        one, other = arguments
        same = isinstance(one, Instance) and isinstance(other, Instance) and all(
            is_same(values, one.attribute(name), other.attribute(name)) for name in fields
        )  # fmt: skip
        return values.graph.constant(same)

    for name, method in (("__init__", start), ("__repr__", shown), ("__eq__", equals)):
        if name not in made.frame.functions:
            made.frame.values[name] = BuiltIn(name, method)
