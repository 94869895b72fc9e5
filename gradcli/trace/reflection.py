"""Python's functions that ask what a value is: `hash`, `dir`, `bin`, `format`; and `property`."""

from __future__ import annotations

from functools import partial

from gradcli.diagnostics import GradcliError
from gradcli.trace import byte_strings
from gradcli.trace.arguments import bind_names
from gradcli.trace.classes import Class, Instance
from gradcli.trace.dictionaries import FrozenSetOfValues, hash_of, key_of
from gradcli.trace.frames import UserFunction
from gradcli.trace.objects import Object
from gradcli.trace.python_functions import PythonFunctions
from gradcli.trace.slices import SliceOf
from gradcli.trace.special import Special
from gradcli.trace.values import Value, Values, describe


class PlainObject(Object):
    """`object()`: a value that is equal to itself alone."""

    what = "an object"
    title = "object"

    def shown(self) -> str:
        return "<object object>"


class Reflection:
    """The functions by name."""

    def __init__(self, values: Values, python: PythonFunctions) -> None:
        self.values = values
        self._python = python
        self.methods: dict[str, Special] = {}
        self.functions: dict[str, Special] = {
            "hash": self._hash,
            "dir": self._dir,
            **{name: partial(self._in_base, name, base) for name, base in _BASES.items()},
            "format": self._format,
            "property": self._property,
            "object": lambda *_: PlainObject(),
            "frozenset": self._frozen_set,
            "slice": self._slice,
            "bytes": partial(byte_strings.made, values),
            "bytes.fromhex": partial(byte_strings.from_hex, values),
        }

    def _hash(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        """A number that equal values have in common: that of Python for numbers."""
        (value,) = bind_names("hash", ("object",), arguments, keywords).values()
        return self.values.graph.constant(float(hash_of(key_of(self.values, value))))

    def _dir(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        """The names of what an object of the program, or its class, has."""
        from gradcli.trace.items import Items

        (owner,) = bind_names("dir", ("object",), arguments, keywords).values()
        made = owner.made_by if isinstance(owner, Instance) else owner
        if not isinstance(made, Class):
            raise GradcliError(
                "type", f"dir is for objects of the program's classes, not {describe(owner)}",
                hint="hasattr(x, 'grad') asks for one name",
            )  # fmt: skip
        fields = owner.fields if isinstance(owner, Instance) else {}
        frames = [each.frame for each in made.order]
        names = {name for each in frames for name in (*each.functions, *each.values)}
        return Items(sorted(names | fields.keys()))

    def _in_base(
        self, name: str, base: str, arguments: list[Value], keywords: dict[str, Value]
    ) -> Value:
        (value,) = bind_names(name, ("number",), arguments, keywords).values()
        return format(self.values.integer(value, name), base)

    def _format(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        names = ("value", "format_spec")
        given = bind_names("format", names, arguments, keywords, names[1:])
        return self._python.formatted(given["value"], str(given.get("format_spec", "")))

    def _property(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        """`x = property(get, set)`."""
        names = ("fget", "fset", "fdel", "doc")
        given = bind_names("property", names, arguments, keywords, names[1:])
        get = given["fget"]
        if not isinstance(get, UserFunction):
            raise GradcliError("type", "property is for functions", hint="@property above a method")
        made = get.again()
        made.binds = "property"
        made.setter, made.deleter = given.get("fset"), given.get("fdel")
        return made

    def _frozen_set(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        given = bind_names("frozenset", ("iterable",), arguments, keywords, ("iterable",))
        return FrozenSetOfValues(
            self.values, self.values.elements(given["iterable"]) if given else ()
        )

    def _slice(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        if not 0 < len(arguments) < 4 or keywords:
            raise GradcliError("type", "slice takes its end, or its start, end and step",
                               hint="slice(None), slice(0, 3)")  # fmt: skip
        bounds = [None if each is None else self.values.integer(each, "a slice's bound")
                  for each in arguments]  # fmt: skip
        return SliceOf(slice(*bounds))


_BASES = {"bin": "#b", "oct": "#o", "hex": "#x"}
"""How Python writes numbers by these functions."""
