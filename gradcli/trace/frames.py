"""The scopes in which names are looked up."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal

from gradcli.language import syntax
from gradcli.trace.items import Items
from gradcli.trace.objects import Given, Object, Recording
from gradcli.trace.values import Value


class Frame:
    """The names that one body can see: its own, then those of the body around it."""

    __slots__ = ("elsewhere", "functions", "imports", "of_class", "of_comprehension", "outer",
                 "own", "path", "receiver", "values")  # fmt: skip

    def __init__(self, outer: Frame | None = None, of_class: bool = False) -> None:
        self.outer = outer
        self.path: str = "" if outer is None else outer.path
        """What stands before the names of functions that are defined in it: `Net.`,
        `f.<locals>.`."""
        self.of_class = of_class
        """Whether it is a class's, whose names its methods do not see."""
        self.own: frozenset[str] = frozenset()
        """The names that are its own before they have a value, as Python has it."""
        self.of_comprehension = False
        """Whether it has the names of a comprehension alone."""
        self.receiver: tuple[Any, Value] | None = None
        """The class that a method belongs to, and what it was called on."""
        self.elsewhere: dict[str, Frame] = {}
        """The frames of `global` and `nonlocal` names."""
        self.values: dict[str, Value] = {}
        self.functions: dict[str, UserFunction] = {}
        self.imports: dict[str, str] = {} if outer is None else outer.imports
        """What imported names stand for, written with dots; imports hold in the whole program."""

    def __iter__(self) -> Iterator[Frame]:
        """The frame, then those around it, from the inside out."""
        frame: Frame | None = self
        while frame is not None:
            yield frame
            frame = frame.outer

    def holder(self, name: str) -> Frame | None:
        """The nearest frame in which a name has a value; None where a function is nearer, or a
        body that has yet to give it one.
        """
        frame: Frame | None = self
        while frame is not None and name not in frame.values:
            frame = None if name in frame.functions or name in frame.own else frame.outer
        return frame

    def owner(self, name: str) -> Frame | None:
        """The frame of the body that has yet to give a name of its own a value, if one has."""
        for frame in self:
            if name in frame.values or name in frame.functions:
                return None
            if name in frame.own:
                return frame
        return None

    def binder(self, name: str) -> Frame:
        """The frame in which an assignment of the body gives a name its value."""
        return self.elsewhere.get(name, self) if self.elsewhere else self

    @property
    def of_body(self) -> Frame:
        """The frame of the body around a comprehension, whose names `:=` binds."""
        frame = self
        while frame.of_comprehension and frame.outer is not None:
            frame = frame.outer
        return frame

    def __contains__(self, name: object) -> bool:
        """Whether a name has a value."""
        return isinstance(name, str) and self.holder(name) is not None

    def names(self) -> set[str]:
        """All names that have a value."""
        return {name for frame in self for name in frame.values}

    def lists(self) -> list[Items]:
        """The lists among its values."""
        return [each for each in self.values.values() if isinstance(each, Items)]

    def function(self, name: str) -> UserFunction | None:
        """The user's function of that name, if there is one."""
        frame: Frame | None = self
        while frame is not None and name not in frame.functions:
            frame = None if name in frame.own else frame.outer
        return None if frame is None else frame.functions[name]

    def function_names(self) -> set[str]:
        """The names of the user's functions."""
        return {name for frame in self for name in frame.functions}


class UserFunction(Object):
    """A function that the program defined, and the frame that its body sees."""

    what = "a function"

    def __init__(
        self,
        definition: syntax.FunctionDefinition,
        frame: Frame,
        run: Callable[[UserFunction, list[Value], Given], Any],
        records: bool | None = None,
    ) -> None:
        """`run` gives the visitor of a call; `records` is whether its graph is recorded, None where
        that depends on the call.
        """
        self.definition = definition
        self.frame = frame
        self.path = frame.path
        """What its whole name begins with."""
        self.records = records
        self.setting: Recording | None = None
        """What its calls are in, as in the block of a `with`."""
        self.defaults: dict[str, Value] = {}
        """What parameters are where a call gives them nothing."""
        self.binds: Literal["object", "class", "nothing", "property"] = "object"
        """What a method gets as its first argument, or that it is called without parentheses."""
        self.setter: Any = None
        """Of a property, what is called where it is given a value."""
        self.deleter: Any = None
        """The same where it is deleted."""
        self.wraps: Any = None
        """Another function, whose name and text this one has."""
        self.is_kept = False
        """Whether what it gives as a property is kept for the object."""
        self.is_abstract = False
        """Whether classes must have another of that name before they are called."""
        self.remembered: dict[Any, Value] | None = None
        """What it gave, by its arguments, where that is kept."""
        self._key: Callable[[list[Value], Given], Any] = lambda *_: None
        self._most: int | None = None
        """So many of these are kept."""
        self._hits = 0
        self._misses = 0
        self._tell: Callable[[Sequence[int | None]], Value] = lambda _: None
        self.own: frozenset[str] | None = None
        """The names of its body's own, found at the first call."""
        self.yields = False
        """Whether a call gives a generator."""
        self.owner: Any = None
        """The class whose method it is."""
        self.fields: Given = {}
        """What the program has given it: `f.calls = 0`."""
        self._run = run

    @property
    def name(self) -> str:
        """What Python calls it."""
        return "<lambda>" if self.definition.name == "lambda" else self.definition.name

    @property
    def qualified(self) -> str:
        """The same, and where it is defined: `Net.forward`."""
        return self.path + self.name

    def end(self) -> None:
        """Leave what a decorator has set for a call that ends."""
        if self.setting is not None:
            self.setting.end()

    def again(self) -> UserFunction:
        """The same function, which may be bound otherwise."""
        made = UserFunction(self.definition, self.frame, self._run, self.records)
        made.defaults, made.owner, made.yields = self.defaults, self.owner, self.yields
        made.path, made.setting = self.path, self.setting
        return made

    def call(self, arguments: list[Value], keywords: Given) -> Any:
        if self.remembered is not None:
            return self._looked_up(arguments, keywords, self.remembered)
        return self._run(self, arguments, keywords)

    def remember(
        self,
        key: Callable[[list[Value], Given], Any],
        most: int | None,
        told: Callable[[Sequence[int | None]], Value],
    ) -> None:
        """Keep what it gives, at `most` so often, by the `key` of its arguments; where that is None
        they have none. What is `told` of it is made of hits, misses, `most`, and how many there
        are.
        """
        self.remembered = {}
        self._key, self._most, self._tell = key, most, told

    def _looked_up(
        self, arguments: list[Value], keywords: Given, remembered: dict[Any, Value]
    ) -> Any:
        key = self._key(arguments, keywords)
        if key is not None and key in remembered:
            self._hits += 1
            remembered[key] = remembered.pop(key)  # the last that was asked for
            return remembered[key]
        self._misses += 1
        value = yield self._run(self, arguments, keywords)
        if key is not None and self._most != 0:
            if len(remembered) == self._most:
                del remembered[next(iter(remembered))]
            remembered[key] = value
        return value

    def _forget(self, *_: object) -> None:
        assert self.remembered is not None
        self.remembered.clear()
        self._hits = self._misses = 0

    def _told(self, *_: object) -> Value:
        return self._tell((self._hits, self._misses, self._most, len(self.remembered or ())))

    def methods(self) -> dict[str, Callable[[list[Any], Given], Any]]:
        known = self.remembered
        own: dict[str, Callable[[list[Any], Given], Any]]
        own = {name: each.call for name, each in self.fields.items() if isinstance(each, Object)}
        own["__get__"] = self._bound
        if known is None:
            return own
        return own | {"cache_clear": self._forget, "cache_info": self._told}

    def _bound(self, arguments: list[Value], keywords: Given) -> Object:
        """The method of an object that the function is."""
        return Bound(self, arguments[0])

    def set(self, name: str, value: Any) -> None:
        self.fields[name] = value

    def attribute(self, name: str) -> Any:
        if name in self.fields:
            return self.fields[name]
        if name == "__wrapped__" and self.wraps is not None:
            return self.wraps
        if name in ("__name__", "__qualname__", "__doc__") and self.wraps is not None:
            return self.wraps.attribute(name)
        if name in ("__name__", "__qualname__"):
            return self.qualified if name == "__qualname__" else self.name
        if name == "__doc__":
            return docstring(self.definition.body)
        return super().attribute(name)


class Bound(Object):
    """A method of an object, or of a class."""

    what = "a method"
    title = "method"

    def __init__(self, function: Object, receiver: Value) -> None:
        self.function = function
        self.receiver = receiver

    def call(self, arguments: list[Value], keywords: Given) -> Any:
        return self.function.call([self.receiver, *arguments], keywords)

    def attribute(self, name: str) -> Any:
        if name in ("__self__", "__func__"):
            return self.receiver if name == "__self__" else self.function
        return self.function.attribute(name)


def docstring(body: Sequence[syntax.Statement]) -> str | None:
    """The string that a body begins with."""
    first = body[0] if body else None
    text = first.value if isinstance(first, syntax.Evaluate) else None
    return text.value if isinstance(text, syntax.String) else None
