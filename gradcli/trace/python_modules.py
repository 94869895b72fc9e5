"""Parts of Python's library that cells import: functools, itertools, time, dataclasses."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from gradcli.diagnostics import GradcliError, Note
from gradcli.graph import Node
from gradcli.trace.arguments import bind_names
from gradcli.trace.autograd import Autograd
from gradcli.trace.classes import Class, Instance
from gradcli.trace.copies import shallow
from gradcli.trace.dataclass import DefaultField, fields_of, make_dataclass
from gradcli.trace.dictionaries import Dictionary, key_of
from gradcli.trace.frames import UserFunction
from gradcli.trace.itertools_calls import ItertoolsCalls
from gradcli.trace.objects import BuiltIn, Decorated, Given, Object
from gradcli.trace.operators import comparison, is_same
from gradcli.trace.values import Value, describe
from gradcli.trace.warned import Warnings

TICK = 1e-3
"""Seconds that the clock goes on each time that it is looked at."""

_KEPT = 128
"""So many results `lru_cache` keeps, unless it is given another number."""


class FieldOfClass(Object):
    """A field of a dataclass."""

    what = "a field"

    def __init__(self, name: str) -> None:
        self.name = name

    def attribute(self, name: str) -> Value:
        return self.name if name == "name" else super().attribute(name)


class Partial(Object):
    """`partial(f, …)`: a function that has some of its arguments already."""

    what = "a function"
    title = "partial"

    def __init__(self, function: Object, arguments: list[Value], keywords: Given) -> None:
        self.function = function
        self.arguments = arguments
        self.keywords = keywords

    def call(self, arguments: list[Value], keywords: Given) -> Any:
        return self.function.call([*self.arguments, *arguments], {**self.keywords, **keywords})

    def attribute(self, name: str) -> Any:
        if name == "func":
            return self.function
        return tuple(self.arguments) if name == "args" else super().attribute(name)

    def methods(self) -> dict[str, Callable[[list[Value], Given], Any]]:
        return {"func": self.function.call}


class PythonModules:
    """The functions by name."""

    def __init__(self, autograd: Autograd, written: Callable[[Value], str]) -> None:
        """`written` gives values as print writes them."""
        self._written = written
        self.autograd = autograd
        self.values = autograd.values
        self._looks = 0
        self.functions: dict[str, Callable[[list[Value], Given], Any]] = {
            "functools.partial": self._partial,
            "functools.partialmethod": self._partial_method,
            "functools.reduce": self._reduce,
            "functools.wraps": self._wrapping,
            "functools.update_wrapper": self._wrapped,
            "timeit.timeit": self._timed,
            "functools.lru_cache": partial(self._remembering, "lru_cache"),
            "functools.cache": partial(self._remembering, "cache"),
            **ItertoolsCalls(self.values).functions,
            **dict.fromkeys(
                (
                    "time.time",
                    "time.perf_counter",
                    "time.process_time",
                    "time.monotonic",
                    "timeit.default_timer",
                ),
                self._time,
            ),
            **dict.fromkeys(
                (
                    "time.sleep",
                    "gc.collect",
                    "traceback.print_exc",  # to the standard error
                    "traceback.print_stack",
                ),
                lambda *_: None,
            ),
            **Warnings(autograd).functions,
            **dict.fromkeys(("time.time_ns", "time.perf_counter_ns"), self._nanoseconds),
            "dataclasses.dataclass": self._dataclass,
            "dataclasses.field": self._field,
            "dataclasses.asdict": self._as_dictionary,
            "dataclasses.is_dataclass": self._is_dataclass,
            "dataclasses.astuple": self._as_tuple,
            "dataclasses.fields": self._fields,
            "dataclasses.replace": self._replaced,
            "functools.total_ordering": self._total_ordering,
            "functools.cached_property": self._cached_property,
        }

    def _function(self, name: str, value: Value) -> Object:
        if not isinstance(value, Object):
            raise GradcliError("type", f"{name} takes a function, not {describe(value)}",
                               hint=f"{name}(f, …): the name of f without ( )")  # fmt: skip
        return value

    # --- functools ---

    def _partial(self, arguments: list[Value], keywords: Given) -> Value:
        function, *given = arguments or [None]
        return Partial(self._function("partial", function), given, dict(keywords))

    def _partial_method(self, arguments: list[Value], keywords: Given) -> Value:
        """A method that has some of its arguments already."""
        function, *first = arguments or [None]
        method = self._function("partialmethod", function)

        def called(_: str, given: list[Value], named: Given) -> Any:
            return method.call([given[0], *first, *given[1:]], {**keywords, **named})

        return Decorated("partialmethod", called)

    def _reduce(self, arguments: list[Value], keywords: Given) -> Any:
        names = ("function", "iterable", "initial")
        given = bind_names("reduce", names, arguments, keywords, names[2:])
        function = self._function("reduce", given["function"])
        items = [*([given["initial"]] if "initial" in given else []),
                 *self.values.elements(given["iterable"])]  # fmt: skip
        if not items:
            raise GradcliError("value", "reduce: there are no elements", hint="reduce(f, xs, 0)")
        total = items[0]
        for each in items[1:]:
            total = yield function.call([total, each], {})
        return total

    def _remembering(self, name: str, arguments: list[Value], keywords: Given) -> Value:
        """`@lru_cache`, `@lru_cache(maxsize=None)` and `@cache`: what a function gave is kept."""
        if arguments and not isinstance(arguments[0], Object):  # @lru_cache(32)
            arguments, keywords = arguments[1:], {"maxsize": arguments[0], **keywords}
        names = ("user_function", "typed", "maxsize")
        given = bind_names("lru_cache", names, arguments, keywords, names)
        most: Value = self.values.plain(_KEPT) if name == "lru_cache" else None
        most = given.get("maxsize", most)
        if not isinstance(given.get("user_function"), Object):

            def decorate(_: str, inner: list[Value], __: Given) -> Value:
                return self._remembering(name, inner, {"maxsize": most})

            return BuiltIn(name, decorate)
        function: Any = given["user_function"]
        if isinstance(function, UserFunction):
            kept = None if most is None else self.values.integer(most, "maxsize")
            function.remember(self._key, kept, self._told)
        found: Value = function
        return found

    def _told(self, counts: Sequence[int | None]) -> Value:
        """`f.cache_info()`."""
        from gradcli.trace.collections_calls import record  # few programs ask

        numbers = [each if each is None else self.values.plain(each) for each in counts]
        return record("CacheInfo", ("hits", "misses", "maxsize", "currsize"), numbers)

    def _key(self, arguments: list[Value], keywords: Given) -> Any:
        """What equal arguments have in common; None where some cannot be a key."""
        try:
            return key_of(self.values, (*arguments, *keywords, *keywords.values()))
        except GradcliError:
            return None

    def _wrapping(self, arguments: list[Value], keywords: Given) -> Value:
        """`@wraps(f)`: a function that has the name and the text of f."""
        (wrapped,) = bind_names("wraps", ("wrapped",), arguments, keywords).values()

        def decorate(_: str, given: list[Value], __: Given) -> Value:
            if isinstance(given[0], UserFunction):
                given[0].wraps = wrapped
            return given[0]

        return BuiltIn("decorator", decorate)

    def _wrapped(self, arguments: list[Value], keywords: Given) -> Any:
        """`update_wrapper(g, f)`: g with the name and the text of f."""
        given = bind_names("update_wrapper", ("wrapper", "wrapped"), arguments, keywords)
        wraps: Any = self._wrapping([given["wrapped"]], {})
        return wraps.call([given["wrapper"]], {})

    # --- time ---

    def _timed(self, arguments: list[Value], keywords: Given) -> Any:
        """`timeit.timeit(f, number=100)`: the time that as many calls take, by the clock below."""
        names = ("stmt", "number", "globals")
        given = bind_names("timeit", names, arguments, keywords, names[1:])
        function = self._function("timeit", given["stmt"])
        count = self.values.integer(given["number"], "number") if "number" in given else 1_000_000
        for _ in range(count):
            yield function.call([], {})
        return self._time([], {})

    def _time(self, arguments: list[Value], keywords: Given) -> Node:
        """A clock that goes on by the same time at each look, so that runs can be repeated."""
        bind_names("time", (), arguments, keywords)
        note = Note("time", f"a program's clock goes on by {TICK} s each time it is looked at, so "
                    "that runs can be repeated")  # fmt: skip
        if note not in self.autograd.notes:
            self.autograd.notes.append(note)
        self._looks += 1
        return self.values.graph.constant(self._looks * TICK)

    def _nanoseconds(self, arguments: list[Value], keywords: Given) -> Node:
        seconds = self.values.number(self._time(arguments, keywords), "a time")
        return self.values.graph.constant(float(round(seconds * 1e9)))

    # --- dataclasses ---

    def _dataclass(self, arguments: list[Value], keywords: Given) -> Value:
        """`@dataclass`, and `@dataclass(frozen=True)`."""
        if not arguments:
            return BuiltIn("dataclass", lambda _, given, __: self._dataclass(given, keywords))
        (made,) = arguments
        if not isinstance(made, Class):
            raise GradcliError("type", f"dataclass is for classes, not {describe(made)}",
                               hint="@dataclass above class Name: …")  # fmt: skip
        frozen = "frozen" in keywords and self.values.truth(keywords["frozen"])
        make_dataclass(made, self.values, self._written, frozen)
        if "order" in keywords and self.values.truth(keywords["order"]):
            less = partial(self._less, fields_of(made, "compare"))
            made.frame.values["__lt__"] = BuiltIn("__lt__", less)
            self._total_ordering([made], {})
        return made

    def _less(self, fields: Sequence[str], _: str, arguments: list[Value], keywords: Given) -> Any:
        """Whether the fields of one come before those of the other."""
        rows = [[each.attribute(name) for name in fields] for each in self._instances(arguments)]
        for a, b in zip(*rows, strict=True):
            if not is_same(self.values, a, b):
                return comparison(self.values, "<", a, b)
        return self.values.graph.constant(False)

    def _instances(self, values: Sequence[Value]) -> list[Instance]:
        found = [each for each in values if isinstance(each, Instance)]
        if len(found) < len(values):
            raise GradcliError("type", "this is for objects of dataclasses")
        return found

    def _as_dictionary(self, arguments: list[Value], keywords: Given) -> Value:
        given = bind_names("asdict", ("obj",), arguments, keywords)
        (owner,) = self._instances([given["obj"]])
        pairs = [(name, owner.attribute(name)) for name in fields_of(owner.made_by)]
        return Dictionary(self.values, [(name, self._plain(value)) for name, value in pairs])

    def _is_dataclass(self, arguments: list[Value], keywords: Given) -> Value:
        (value,) = bind_names("is_dataclass", ("obj",), arguments, keywords).values()
        made = value.made_by if isinstance(value, Instance) else value
        is_one = isinstance(made, Class) and made.found("__dataclass_fields__") is not None
        return self.values.graph.constant(is_one)

    def _as_tuple(self, arguments: list[Value], keywords: Given) -> Value:
        """The values of the fields, those of dataclasses in them as tuples, too."""
        given = bind_names("astuple", ("obj",), arguments, keywords)
        (owner,) = self._instances([given["obj"]])
        found = [owner.attribute(name) for name in fields_of(owner.made_by)]
        return tuple(
            self._as_tuple([each], {}) if self._is_one(each) else shallow(each) for each in found
        )

    def _fields(self, arguments: list[Value], keywords: Given) -> Value:
        """What there is to say of the fields of a dataclass, or of an object of one."""
        (value,) = bind_names("fields", ("class_or_instance",), arguments, keywords).values()
        made = value.made_by if isinstance(value, Instance) else value
        if not isinstance(made, Class) or not made.declared:
            raise GradcliError("type", "fields is for dataclasses and objects of theirs")
        return tuple(FieldOfClass(name) for name in fields_of(made))

    def _is_one(self, value: Value) -> bool:
        """Whether it is an object of a dataclass."""
        return isinstance(value, Instance) and bool(value.made_by.declared) and not value.is_unique

    def _plain(self, value: Value) -> Value:
        """What a field holds, of a dataclass as a dictionary."""
        return self._as_dictionary([value], {}) if self._is_one(value) else shallow(value)

    def _replaced(self, arguments: list[Value], keywords: Given) -> Any:
        (owner,) = self._instances(arguments)
        fields = {name: owner.attribute(name) for name in fields_of(owner.made_by)}
        return (yield owner.made_by.call([], {**fields, **keywords}))

    def _total_ordering(self, arguments: list[Value], keywords: Given) -> Value:
        """The comparisons that a class has not, of the one that it has and of `==`."""
        (made,) = bind_names("total_ordering", ("cls",), arguments, keywords).values()
        if not isinstance(made, Class):
            raise GradcliError("type", "total_ordering is for classes")
        names = ("__lt__", "__gt__", "__le__", "__ge__")
        root = next((name for name in names if made.found(name) is not None), None)
        if root is None:
            raise GradcliError("value", "must define at least one ordering operation: < > <= >=",
                               hint="def __lt__(self, other): …")  # fmt: skip
        for name in names:
            if made.found(name) is None:
                made.frame.values[name] = BuiltIn(name, partial(self._ordered, root))
        return made

    def _ordered(self, root: str, name: str, arguments: list[Value], keywords: Given) -> Value:
        """`name` of two objects, of `root` and `==`."""
        one, other = arguments
        if not isinstance(one, Instance):
            raise GradcliError("type", f"{describe(one)} has no {root}")
        holds = self.values.truth(one.asked(root, other))
        equal = bool(one.equals(other))
        less = {
            "__lt__": holds,
            "__le__": holds and not equal,
            "__gt__": not holds and not equal,
            "__ge__": not holds,
        }[root]
        found = {
            "__lt__": less,
            "__le__": less or equal,
            "__gt__": not less and not equal,
            "__ge__": not less,
        }[name]
        return self.values.graph.constant(found)

    def _cached_property(self, arguments: list[Value], keywords: Given) -> Value:
        (function,) = bind_names("cached_property", ("func",), arguments, keywords).values()
        if not isinstance(function, UserFunction):
            raise GradcliError("type", "cached_property is for methods")
        function.binds, function.is_kept = "property", True
        return function

    def _field(self, arguments: list[Value], keywords: Given) -> Value:
        names = ("default", "default_factory", "repr", "init", "compare")
        given = bind_names("field", names, arguments, keywords, names)
        without = [
            name for name in names[2:] if name in given and not self.values.truth(given[name])
        ]
        return DefaultField(given.get("default"), given.get("default_factory"), without)
