"""`@dataclass`: classes whose objects are made from the values of their fields."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

from gradcli.trace.arguments import bind_names
from gradcli.trace.caught import RaisedError
from gradcli.trace.classes import Class, Instance
from gradcli.trace.dictionaries import hash_of, key_of
from gradcli.trace.objects import BuiltIn, Given, Object
from gradcli.trace.operators import is_same
from gradcli.trace.values import Value, Values


class DefaultField(Object):
    """`field(default_factory=list)`."""

    what = "a field of a dataclass"

    def __init__(self, default: Value, factory: Value, without: Collection[str] = ()) -> None:
        self.default = default
        self.factory = factory
        self.without = without
        """Of `init`, `repr` and `compare`, what it has no part in."""

    def made(self) -> Any:
        """The default for one object, or the visitor that makes it."""
        return self.factory.call([], {}) if isinstance(self.factory, Object) else self.default


def fields_of(made: Class, part: str = "") -> list[str]:
    """The names of a dataclass's fields, those of the classes that it is made from first; those
    that have a `part` in `init`, `repr` or `compare`.
    """
    names = dict.fromkeys(name for each in reversed(made.order) for name in each.declared)
    return [
        name for name in names
        if not isinstance(field := made.found(name), DefaultField) or part not in field.without
    ]  # fmt: skip


def make_dataclass(
    made: Class, values: Values, written: Callable[..., str], frozen: bool = False
) -> None:
    """Give a class the methods that a dataclass has, unless it has its own. Objects of a `frozen`
    one never change, and may be keys.
    """
    fields = fields_of(made)
    defaults = {name: made.found(name) for name in fields}
    optional = {name for name in fields if any(name in each.frame.values for each in made.order)}

    def start(_: str, arguments: list[Value], keywords: Given) -> Any:
        instance, *rest = arguments
        assert isinstance(instance, Instance)
        given = bind_names(made.name, fields_of(made, "init"), rest, keywords, optional)
        for name in fields:
            value = given.get(name, defaults[name])
            if isinstance(value, DefaultField):
                value = yield value.made()
            instance.fields[name] = value
        after = instance.special("__post_init__")
        if after is not None:
            yield after.call([], {})

    def shown(_: str, arguments: list[Value], __: Given) -> str:
        """`Config(lr=0.1, name='ridge')`."""
        (instance,) = arguments
        assert isinstance(instance, Instance)
        pairs = ((name, instance.attribute(name)) for name in fields_of(made, "repr"))
        texts = (f"{name}={written(value, quoted=True)}" for name, value in pairs)
        return f"{made.name}({', '.join(texts)})"

    def equals(_: str, arguments: list[Value], __: Given) -> Value:
        one, other = arguments
        same = isinstance(one, Instance) and isinstance(other, Instance) and all(
            is_same(values, one.attribute(name), other.attribute(name))
            for name in fields_of(made, "compare")
        )  # fmt: skip
        return values.graph.constant(same)

    def refuses(_: str, arguments: list[Value], __: Given) -> Value:
        raise RaisedError("FrozenInstanceError", f"cannot assign to field {arguments[1]!r}")

    def key(_: str, arguments: list[Value], __: Given) -> Value:
        (instance,) = arguments
        assert isinstance(instance, Instance)
        return values.graph.constant(
            float(
                hash_of(
                    key_of(
                        values,
                        tuple(instance.attribute(name) for name in fields_of(made, "compare")),
                    )
                )
            )
        )

    made.frame.values["__dataclass_fields__"] = tuple(fields)
    methods = {"__init__": start, "__repr__": shown, "__eq__": equals}
    if frozen:
        methods |= {"__setattr__": refuses, "__hash__": key}
    for name, method in methods.items():
        if name not in made.frame.functions:
            made.frame.values[name] = BuiltIn(name, method)
