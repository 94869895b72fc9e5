"""Dictionaries: what their keys are, and their methods."""

from __future__ import annotations

import operator
from collections.abc import Callable, Container, Iterable, Sequence
from functools import partial
from typing import Any, TypeAlias

from gradcli.diagnostics import GradcliError
from gradcli.graph import Node
from gradcli.trace.arguments import bind_names
from gradcli.trace.items import Items
from gradcli.trace.objects import BuiltIn, Given, Object, ObjectPlace
from gradcli.trace.values import Value, Values, describe

Key: TypeAlias = Any
"""What equal keys have in common: a number, a string, None, a tuple of keys, or the value itself of
a tensor or object.
"""
ENTRY_BYTES = 256
"""What an entry takes, on the ledger."""
_MOST = 2**50


class DictionaryView(Items):
    """The keys, values or pairs of a dictionary, which print shows as such."""

    __slots__ = ("kind",)

    def __init__(self, kind: str, prefix: str, items: list[Any]) -> None:
        super().__init__(items)
        self.kind = f"{prefix}dict_{kind}"

    def as_set(self, values: Values) -> Items | SetOfValues:
        """Keys and pairs as a set, which `-` and its like make of them; values stay a list."""
        return self if self.kind.endswith("values") else SetOfValues(values, self)


class Dictionary(Object):
    """A dictionary of the program: it changes for all names that hold it, as in Python."""

    what = "a dictionary"
    title = "dict"
    holds_none = True
    takes_keys = True
    prefix = ""
    """What print writes before the names of its views."""

    def __init__(self, values: Values, pairs: Iterable[tuple[Value, Value]] = ()) -> None:
        self.values = values
        self._entries: dict[Key, tuple[Value, Value]] = {}
        self.become(pairs)

    def put(self, key: Value, value: Value) -> None:
        """Give a key a value."""
        found = key_of(self.values, key)
        if found not in self._entries:
            self.values.graph.ledger.take(ENTRY_BYTES, "a dictionary's entries")
        first = self._entries[found][0] if found in self._entries else key
        check_no_cycle(self, value)
        self._entries[found] = first, value

    def become(self, pairs: Iterable[tuple[Value, Value]]) -> None:
        """Hold other pairs from now on."""
        self._entries = {}
        for key, value in pairs:
            self.put(key, value)

    def within(self) -> Sequence[Value]:
        return self.held()

    def places(self) -> dict[Key, ObjectPlace]:
        return {
            place: ObjectPlace(f"[{key!r}]", value)
            for place, (key, value) in self._entries.items()
            if isinstance(key, str)
        }

    def put_at(self, place: Key, value: Value) -> None:
        key, _ = self._entries[place]
        self._entries[place] = key, value

    def held(self) -> list[Value]:
        """Its values."""
        return [value for _, value in self._entries.values()]

    def pairs(self) -> list[tuple[Value, Value]]:
        """Keys and values as they are now."""
        return [(key, self.values.now(value)) for key, value in self._entries.values()]

    # --- as an object ---

    def item(self, items: Sequence[Any]) -> Value:
        key = items[0] if len(items) == 1 else tuple(items)
        found = key_of(self.values, key)
        if found not in self._entries:
            raise self._missing(key)
        return self.values.now(self._entries[found][1])

    def set_item(self, items: Sequence[Any], value: Value) -> None:
        self.put(items[0] if len(items) == 1 else tuple(items), value)

    def delete_item(self, items: Sequence[Any]) -> None:
        self._pop([items[0] if len(items) == 1 else tuple(items)], {})

    def contains(self, value: Value) -> bool:
        return key_of(self.values, value) in self._entries

    def key(self) -> Key:
        return None

    def elements(self) -> Items:
        return Items([key for key, _ in self.pairs()])

    def truth(self) -> bool:
        return bool(self._entries)

    def length(self) -> int:
        return len(self._entries)

    def special(self, name: str) -> Object | None:
        """`a | b`: the pairs of both; `a == b`."""
        operators = {"__or__": self._joined, "__eq__": self._equals}
        return BuiltIn(name, operators[name]) if name in operators else None

    def equals(self, other: Any) -> bool | None:
        if not isinstance(other, Dictionary) or isinstance(other, SetOfValues):
            return False
        from gradcli.trace.operators import is_same  # which asks dictionaries, too

        return self._entries.keys() == other._entries.keys() and all(
            is_same(self.values, each, other._entries[key][1])
            for key, (_, each) in self._entries.items()
        )

    def _equals(self, _: str, arguments: list[Value], keywords: Given) -> Value:
        return self.values.graph.constant(self.equals(arguments[0]) is True)

    def _joined(self, _: str, arguments: list[Value], keywords: Given) -> Value:
        made = Dictionary(self.values, self.pairs())
        made._update(arguments, {})
        return made

    def methods(self) -> dict[str, Callable[[list[Value], Given], Value]]:
        return {
            "keys": lambda *_: DictionaryView("keys", self.prefix, [k for k, _ in self.pairs()]),
            "values": lambda *_: DictionaryView(
                "values", self.prefix, [value for _, value in self.pairs()]
            ),
            "items": lambda *_: DictionaryView("items", self.prefix, self.pairs()),
            "get": self._get,
            "pop": self._pop,
            "popitem": lambda *_: self._pop_last(),
            "setdefault": self._set_default,
            "update": self._update,
            "copy": lambda *_: Dictionary(self.values, self.pairs()),
            "clear": lambda *_: self._entries.clear(),
            "__getitem__": lambda given, _: self.item(given),
            "__contains__": self._has,
        }

    def _has(self, arguments: list[Value], keywords: Given) -> Value:
        (key,) = bind_names("__contains__", ("key",), arguments, keywords).values()
        return self.values.graph.constant(self.contains(key))

    def _get(self, arguments: list[Value], keywords: Given) -> Value:
        given = bind_names("get", ("key", "default"), arguments, keywords, ("default",))
        if not self.contains(given["key"]):
            return given.get("default")
        return self.item([given["key"]])

    def _pop(self, arguments: list[Value], keywords: Given) -> Value:
        given = bind_names("pop", ("key", "default"), arguments, keywords, ("default",))
        if "default" in given and not self.contains(given["key"]):
            return given["default"]
        value = self.item([given["key"]])
        del self._entries[key_of(self.values, given["key"])]
        return value

    def _pop_last(self) -> tuple[Value, Value]:
        if not self._entries:
            raise GradcliError("index", "popitem(): dictionary is empty")
        return self._entries.popitem()[1]

    def _set_default(self, arguments: list[Value], keywords: Given) -> Value:
        given = bind_names("setdefault", ("key", "default"), arguments, keywords, ("default",))
        if not self.contains(given["key"]):
            self.put(given["key"], given.get("default"))
        return self.item([given["key"]])

    def _update(self, arguments: list[Value], keywords: Given) -> Value:
        for key, value in pairs_of(self.values, arguments, keywords):
            self.put(key, value)
        return None

    def _missing(self, key: Value) -> GradcliError:
        known = ", ".join(repr(each) for each in self._entries if isinstance(each, str))
        shown = repr(key) if isinstance(key, str) else describe(key)
        if isinstance(key, Node) and not key.shape:
            number = self.values.evaluator.value(key).item()
            is_whole = isinstance(number, float) and number.is_integer()
            shown = str(int(number) if is_whole else number)
        hint = f"there are {known}" if known else "d.get(key) gives None where there is none"
        return GradcliError("index", f"the dictionary has no key {shown}", hint=hint)


class Fields(Dictionary):
    """`x.__dict__` and `vars(x)`: the attributes of an object, which change with it."""

    def __init__(self, values: Values, fields: Given, hidden: Container[str] = ()) -> None:
        """Those that are `hidden` are kept elsewhere."""
        super().__init__(values, [each for each in fields.items() if each[0] not in hidden])
        self._fields = fields

    def __copy__(self) -> Dictionary:
        return Dictionary(self.values, self.pairs())

    def put(self, key: Value, value: Value) -> None:
        super().put(key, value)
        if hasattr(self, "_fields"):
            self._fields[str(key)] = value

    def methods(self) -> dict[str, Callable[[list[Value], Given], Value]]:
        return super().methods() | {"clear": lambda *_: self._fields.clear()}

    def _pop(self, arguments: list[Value], keywords: Given) -> Value:
        value = super()._pop(arguments, keywords)
        self._fields.pop(str([*arguments, *keywords.values()][0]), None)
        return value


class OrderedDictionary(Dictionary):
    """`OrderedDict`, which is shown as its pairs."""

    title = "collections.OrderedDict"
    prefix = "o"

    def methods(self) -> dict[str, Callable[[list[Value], Given], Value]]:
        return super().methods() | {"move_to_end": self._move}

    def _move(self, arguments: list[Value], keywords: Given) -> Value:
        given = bind_names("move_to_end", ("key", "last"), arguments, keywords, ("last",))
        value = self._pop([given["key"]], {})
        if "last" not in given or self.values.truth(given["last"]):
            self.put(given["key"], value)
        else:
            self.become([(given["key"], value), *self.pairs()])
        return None


class DefaultDictionary(Dictionary):
    """`defaultdict(list)`: a key that is not there gets what a function gives."""

    title = "collections.defaultdict"

    def __init__(self, values: Values, make: Object | None) -> None:
        super().__init__(values)
        self._make = make

    @property
    def maker(self) -> str:
        """The function as print shows it: a class, or a function of the program's."""
        if self._make is None or not isinstance(self._make, BuiltIn):
            return "None" if self._make is None else self._make.shown()
        return f"<class '{self._make.name}'>"

    def item(self, items: Sequence[Any]) -> Any:
        key = items[0] if len(items) == 1 else tuple(items)
        if self._make is None or self.contains(key):
            return super().item(items)
        return self._made(key, self._make)

    def _made(self, key: Value, make: Object) -> Any:
        value = yield make.call([], {})
        self.put(key, value)
        return value


_OF_SETS: dict[str, Callable[[Any, Any], Any]] = {
    "__or__": operator.or_, "__and__": operator.and_, "__sub__": operator.sub,
    "__xor__": operator.xor,
    "__eq__": operator.eq, "__ne__": operator.ne, "__le__": operator.le, "__lt__": operator.lt,
    "__ge__": operator.ge, "__gt__": operator.gt,
}  # fmt: skip
"""What operators are of the keys of two sets."""


class SetOfValues(Dictionary):
    """A set: a dictionary whose values do not count."""

    what = "a set"
    title = "set"

    def __init__(self, values: Values, elements: Iterable[Value] = ()) -> None:
        super().__init__(values, ((each, None) for each in elements))

    def elements(self) -> Items:
        """Numbers in the order that Python's sets have them in; others as they came, as the order
        of Python's is another one in each run.
        """
        keys: Iterable[Key] = self._entries
        if all(isinstance(key, bool | int | float) for key in keys):
            keys = set(keys)
        return Items([self._entries[key][0] for key in keys])

    def item(self, items: Sequence[Any]) -> Value:
        raise GradcliError("type", "a set has no elements that can be chosen", hint="list(s)")

    def special(self, name: str) -> Object | None:
        """Operators on two sets: `a | b`, `a <= b`."""
        return BuiltIn(name, self._operated) if name in _OF_SETS else None

    def equals(self, other: Any) -> bool | None:
        return isinstance(other, SetOfValues) and self._entries.keys() == other._entries.keys()

    def _operated(self, name: str, arguments: list[Value], keywords: Given) -> Value:
        other = arguments[0]
        if isinstance(other, DictionaryView):
            other = other.as_set(self.values)
        if not isinstance(other, SetOfValues):
            raise GradcliError(
                "type", f"the other side must be a set, not {describe(other)}", hint="set(xs)"
            )
        found = _OF_SETS[name](self._entries.keys(), other._entries.keys())
        if isinstance(found, bool):
            return self.values.graph.constant(found)
        entries = self._entries | other._entries
        return SetOfValues(self.values, [entries[key][0] for key in entries if key in found])

    def methods(self) -> dict[str, Callable[[list[Value], Given], Value]]:
        return {
            "add": lambda given, _: self.put(given[0], None),
            "discard": lambda given, _: self._remove(given[0]),
            "remove": self._take_out,
            "pop": lambda *_: self._pop_first(),
            "clear": lambda *_: self.become([]),
            "__contains__": self._has,
            "copy": lambda *_: SetOfValues(self.values, self.elements()),
            "update": lambda given, _: self.become(
                (each, None) for each in [*self.elements(), *self._others(given)]
            ),
            "union": lambda given, _: SetOfValues(
                self.values, [*self.elements(), *self._others(given)]
            ),
            "intersection": lambda given, _: self._of(given, True),
            "difference": lambda given, _: self._of(given, False),
            "symmetric_difference": lambda given, _: self._operated(
                "__xor__", [SetOfValues(self.values, self._others(given))], {}
            ),
            **{name: partial(self._compared, name) for name in (
                "isdisjoint", "issubset", "issuperset")},
        }  # fmt: skip

    def _compared(self, name: str, arguments: list[Value], keywords: Given) -> Value:
        own, others = set(self._entries), {key_of(self.values, e) for e in self._others(arguments)}
        found: bool = getattr(own, name)(others)
        return self.values.graph.constant(found)

    def _pop_first(self) -> Value:
        if not self._entries:
            return self._pop_last()[0]  # raises
        first: Value = self.elements()[0]
        self._remove(first)
        return first

    def _take_out(self, arguments: list[Value], keywords: Given) -> Value:
        """The same for a value that must be there."""
        if not self.contains(arguments[0]):
            raise self._missing(arguments[0])
        self._remove(arguments[0])
        return None

    def _remove(self, value: Value) -> None:
        self._entries.pop(key_of(self.values, value), None)

    def _others(self, given: Sequence[Value]) -> list[Value]:
        return [each for other in given for each in self.values.elements(other)]

    def _of(self, given: Sequence[Value], shared: bool) -> SetOfValues:
        other = SetOfValues(self.values, self._others(given))
        kept = [each for each in self.elements() if other.contains(each) == shared]
        return SetOfValues(self.values, kept)


class FrozenSetOfValues(SetOfValues):
    """`frozenset(xs)`: a set that never changes, and may be a key."""

    what = "a frozen set"
    title = "frozenset"

    def key(self) -> Key:
        return ("frozenset", frozenset(self._entries))

    def methods(self) -> dict[str, Callable[[list[Value], Given], Value]]:
        kept = ("__contains__", "copy", "union", "intersection", "difference",
                "symmetric_difference", "isdisjoint", "issubset", "issuperset")  # fmt: skip
        return {name: each for name, each in super().methods().items() if name in kept}


def pairs_of(
    values: Values, arguments: Sequence[Value], keywords: Given
) -> list[tuple[Value, Value]]:
    """The pairs that `dict(…)` and `update(…)` are given."""
    pairs: list[tuple[Value, Value]] = []
    for argument in arguments:
        if isinstance(argument, Dictionary):
            pairs += argument.pairs()
            continue
        named = argument.methods().get("items") if isinstance(argument, Object) else None
        for each in values.elements(argument if named is None else named([], {})):
            parts = values.elements(each)
            if len(parts) != 2:
                raise GradcliError(
                    "value", "a dictionary is made of pairs", hint="dict(a=1), {'a': 1}"
                )
            pairs.append((parts[0], parts[1]))
    return [*pairs, *keywords.items()]


def key_of(values: Values, value: Value) -> Key:
    """What equal keys have in common. Raises `type` for lists and dictionaries."""
    is_list = isinstance(value, Node) and bool(value.shape) and value.known is not None
    is_changing = isinstance(value, Items) or (isinstance(value, Dictionary) and not value.key())
    if is_list or is_changing:
        raise GradcliError(
            "type",
            f"{'a list' if is_list else describe(value)} cannot be a key",
            hint="a tuple can: d[(1, 2)]",
        )
    done: list[Key] = []
    waiting: list[Any] = [value]
    while waiting:  # tuples may be nested as deep as the program likes
        part = waiting.pop()
        if isinstance(part, tuple):
            waiting += [_Close(len(part)), *reversed(part)]
        elif isinstance(part, _Close):
            inner = done[len(done) - part.count :]
            del done[len(done) - part.count :]
            done.append(("tuple", *inner))
        elif isinstance(part, Node) and not part.shape and not _is_by_itself(values, part):
            done.append(values.evaluator.value(part).item())
        elif isinstance(part, Node):  # the same key when it has changed in place
            done.append(values.first.get(part, part))
        else:
            done.append(part.key() if isinstance(part, Object) else part)
    return done[0]


def _is_by_itself(values: Values, node: Node) -> bool:
    """Whether it is equal to itself alone among keys, as tensors of PyTorch's are."""
    is_tensor = values.is_pytorch and values.is_tensor(node) and not values.plain_kind(node)
    return is_tensor or node in values.parameters


def hash_of(key: Any) -> int:
    """Python's hash of numbers and of tuples of them; of others one that is the same in each run.
    It has at most 50 bits, as many as numbers hold here.
    """
    done: list[int] = []
    waiting: list[Any] = [key]
    while waiting:  # tuples may be nested as deep as the program likes
        part = waiting.pop()
        if isinstance(part, _Close):
            inner = tuple(done[len(done) - part.count :])
            del done[len(done) - part.count :]
            done.append(hash(inner))
        elif isinstance(part, tuple):
            waiting += [_Close(len(part)), *reversed(part)]
        elif isinstance(part, str | bytes):
            from hashlib import blake2s  # few programs ask for it

            digest = blake2s(part if isinstance(part, bytes) else part.encode()).digest()
            done.append(int.from_bytes(digest[:6], "little"))
        elif isinstance(part, Node):
            done.append(part.index)
        else:
            done.append(hash(part))
    number = done[0]
    return number if abs(number) < _MOST else number % _MOST


def check_no_cycle(holder: Items | Object, value: Value) -> None:
    """A list, dictionary or deque may not hold itself: what reads it would never end."""
    waiting, seen = [value], set()
    while waiting:
        part = waiting.pop()
        if part is holder:
            raise GradcliError(
                "value", f"{describe(holder)} cannot hold itself", hint=".copy() makes another one"
            )
        if isinstance(part, Items | tuple | Object) and id(part) not in seen:
            seen.add(id(part))
            waiting += part.within() if isinstance(part, Object) else part


class _Close:
    """The end of a tuple of so many parts."""

    def __init__(self, count: int) -> None:
        self.count = count
