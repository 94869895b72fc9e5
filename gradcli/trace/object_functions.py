"""Python's functions on objects and functions: `sorted`, `map`, `getattr`, `type`, `deepcopy`."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from functools import partial
from typing import Any, TypeAlias

from gradcli.diagnostics import GradcliError, RefusedError
from gradcli.graph import Node
from gradcli.ops import FUNCTIONS
from gradcli.ops.kinds import cast
from gradcli.trace.arguments import bind_names
from gradcli.trace.autograd import Autograd
from gradcli.trace.dictionaries import Dictionary
from gradcli.trace.items import Generated, Items
from gradcli.trace.iterators import Remaining, taken
from gradcli.trace.objects import BuiltIn, ClassName, Object, attribute_or_method
from gradcli.trace.operators import is_same
from gradcli.trace.printing import PrintedNumbers
from gradcli.trace.series import passed
from gradcli.trace.special import no_names
from gradcli.trace.values import Give, Value, describe

Visit: TypeAlias = Generator[Any, Any, Any]
"""A visitor that calls functions of the program."""


_CLASSES = {
    **{name: name for name in ("bool", "dict", "float", "frozenset", "int", "list", "range", "set",
                               "str", "tuple")},
    **{name: f"collections.{name}" for name in ("Counter", "OrderedDict", "deque")},
    **dict.fromkeys(("Size", "torch.Size"), "torch.Size"),
}  # fmt: skip
"""What makes another value of a class, by the name of the class: `type(xs)(ys)`."""


class ObjectFunctions:
    """The functions by name."""

    def __init__(
        self,
        autograd: Autograd,
        numbers: PrintedNumbers,
        call: Callable[[str, list[Value], dict[str, Value]], Any],
    ) -> None:
        """`call` calls a function of Python's by its name."""
        self._autograd = autograd
        self._call = call
        self.values = values = autograd.values
        self.graph = values.graph
        self.numbers = numbers
        self.functions: dict[str, Callable[[list[Value], dict[str, Value]], Any]] = {
            "sorted": self._sorted,
            "builtins.max": partial(self._extreme, "max"),
            "builtins.min": partial(self._extreme, "min"),
            "map": self._map,
            "filter": self._filter,
            "hasattr": self._has_attribute,
            "getattr": self._attribute,
            "setattr": self._set_attribute,
            "vars": self._vars,
            "delattr": self._delete_attribute,
            "type": self._type,
            "callable": self._callable,
            "issubclass": self._is_subclass,
            "iter": self._iter,
            "next": self._next,
            "divmod": self._divmod,
            "id": self._id,
            "copy.deepcopy": self._copied,
            "copy.copy": self._copied_once,
            "dict.fromkeys": self._from_keys,
            "str.maketrans": self._translation,
        }

    # --- functions of lists ---

    def _iter(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        names = ("iterable", "sentinel")
        given = bind_names("iter", names, arguments, keywords, names[1:])
        value = given["iterable"]
        if "sentinel" not in given and isinstance(value, Remaining):
            return value
        if "sentinel" not in given:
            return Remaining(self.values, self.values.elements(value))
        if not isinstance(value, Object):
            raise RefusedError(
                ("TypeError", "iter(v, w): v must be callable"), "type",
                "iter of two values calls the first one", hint="iter(f, None)",
            )  # fmt: skip
        return Remaining(self.values, self._until(value, given["sentinel"]))

    def _until(self, function: Object, sentinel: Value) -> Iterator[Value]:
        """What a function gives at each call, up to the one that gives the sentinel."""
        while True:
            value = self._autograd.run_inside(function.call([], {}))
            if is_same(self.values, value, sentinel):
                return
            yield value

    def _sorted(self, arguments: list[Value], keywords: dict[str, Value]) -> Visit:
        names = ("iterable", "key", "reverse")
        given = bind_names("sorted", names, arguments, keywords, names[1:])
        items = self.values.elements(given["iterable"])
        keys = yield self._keys(items, given.get("key"))
        down = "reverse" in given and self.values.truth(given["reverse"])
        order = sorted(range(len(items)), key=keys.__getitem__, reverse=down)
        return Items([items[i] for i in order])

    def _extreme(self, name: str, arguments: list[Value], keywords: dict[str, Value]) -> Visit:
        """The first of the smallest elements, or of the largest, by a key."""
        names = ("iterable", "key", "default")
        given = bind_names(name, names, arguments[:1], keywords, names[1:])
        items = self.values.elements(given["iterable"]) if len(arguments) < 2 else arguments
        if not items:
            if "default" in given:
                return given["default"]
            raise GradcliError("value", f"{name}: there are no elements", hint="default=0")
        keys = yield self._keys(items, given.get("key"))
        best: Any = max(keys) if name == "max" else min(keys)
        return items[keys.index(best)]

    def _keys(self, items: Sequence[Value], key: Value) -> Visit:
        """What is compared of each element."""
        found: list[Value] = []
        for each in items:
            found += [(yield key.call([each], {})) if isinstance(key, Object) else each]
        from gradcli.trace.orders import sorting_keys  # few programs sort

        return sorting_keys(self.values, self.numbers, found)

    def _map(self, arguments: list[Value], keywords: dict[str, Value]) -> Visit:
        no_names("map", keywords)
        function, rows = self._function("map", arguments)
        return self._later("map", partial(self._mapped, function, rows))

    def _mapped(self, function: Object, rows: list[Value], give: Give) -> Visit:
        for row in zip(*(taken(self.values, each) for each in rows), strict=False):
            yield give((yield function.call(list(row), {})))

    def _filter(self, arguments: list[Value], keywords: dict[str, Value]) -> Visit:
        no_names("filter", keywords)
        if len(arguments) == 2 and arguments[0] is None:
            return self._later("filter", partial(self._filtered, None, arguments[1]))
        function, rows = self._function("filter", arguments)
        return self._later("filter", partial(self._filtered, function, rows[0]))

    def _filtered(self, function: Object | None, row: Value, give: Give) -> Visit:
        for each in taken(self.values, row):
            if self.values.truth((yield function.call([each], {})) if function else each):
                yield give(each)

    def _later(self, kind: str, run: Callable[[Give], Visit]) -> Visit:
        """What a visitor gives, one by one; in the language itself a list."""
        if self.values.is_python:
            return passed(self.values, kind, (yield self.values.lazily(run)))
        found: list[Value] = []
        yield run(found.append)
        return passed(self.values, kind, found)

    def _function(self, name: str, arguments: list[Value]) -> tuple[Object, list[Value]]:
        if len(arguments) < 2 or not isinstance(arguments[0], Object):
            raise GradcliError(
                "type", f"{name} takes a function and a list", hint=f"{name}(lambda x: x, xs)"
            )
        return arguments[0], arguments[1:]

    # --- objects ---

    def _has_attribute(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        given = bind_names("hasattr", ("object", "name"), arguments, keywords)
        owner, name = given["object"], given["name"]
        try:
            return self.graph.constant(isinstance(owner, Object) and bool(owner.method(str(name))))
        except GradcliError:
            pass
        try:
            assert isinstance(owner, Object)
            self._autograd.run_inside(owner.attribute(str(name)))
        except (GradcliError, AssertionError):
            return self.graph.constant(False)
        return self.graph.constant(True)

    def _attribute(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        names = ("object", "name", "default")
        given = bind_names("getattr", names, arguments, keywords, names[2:])
        owner, name = self._object("getattr", given["object"]), given["name"]
        if "default" not in given:
            found: Value = attribute_or_method(owner, str(name))
            return found
        try:
            found = self._autograd.run_inside(attribute_or_method(owner, str(name)))
        except GradcliError:
            return given["default"]
        return found

    def _vars(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        (owner,) = bind_names("vars", ("object",), arguments, keywords).values()
        found: Value = self._object("vars", owner).attribute("__dict__")
        return found

    def _set_attribute(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        given = bind_names("setattr", ("object", "name", "value"), arguments, keywords)
        if isinstance(given["object"], Node) and given["name"] == "grad":
            grad = given["value"]
            grad = None if grad is None else self.values.tensor(grad, "a grad")
            self._autograd.set_grad(given["object"], grad)
            return None
        if isinstance(given["object"], Node) and self.values.is_pytorch:
            self.values.store(given["object"], str(given["name"]), given["value"])
            return None
        owner = self._object("setattr", given["object"])
        return owner.set(str(given["name"]), given["value"])  # type: ignore[no-any-return]

    def _delete_attribute(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        given = bind_names("delattr", ("object", "name"), arguments, keywords)
        owner = self._object("delattr", given["object"])
        return owner.delete(str(given["name"]))  # type: ignore[no-any-return]

    def _object(self, name: str, owner: Value) -> Object:
        if not isinstance(owner, Object):
            raise GradcliError("type", f"{name} is for objects, not {describe(owner)}")
        return owner

    def _type(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        from gradcli.trace.kinds_of_values import kind_of

        if len(arguments) == 3:
            made: Value = self._call("builtins.class", arguments, keywords)
            return made
        (value,) = bind_names("type", ("object",), arguments, keywords).values()
        kind = kind_of(value, self.numbers)
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            from gradcli.trace.collections_calls import RecordClass

            calls: Any = RecordClass(self.values, kind, value._fields).call
        else:
            calls = partial(self._call, _CLASSES[kind]) if kind in _CLASSES else None
        return ClassName(kind, value, calls=calls)

    def _is_subclass(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        from gradcli.trace.classes import Class
        from gradcli.trace.families import classes_behind
        from gradcli.trace.kinds_of_values import is_of_kind
        from gradcli.trace.own_errors import is_error, kinds_of

        given = bind_names("issubclass", ("cls", "class_or_tuple"), arguments, keywords)
        made, wanted = given["cls"], given["class_or_tuple"]
        if not isinstance(made, Class | ClassName | BuiltIn):
            raise RefusedError(
                ("TypeError", "issubclass() arg 1 must be a class"), "type",
                f"issubclass is for classes, not {describe(made)}",
            )  # fmt: skip
        for each in wanted if isinstance(wanted, tuple) else (wanted,):
            if not isinstance(each, Object) and not isinstance(each, str):
                said = "issubclass() arg 2 must be a class, a tuple of classes, or a union"
                raise RefusedError(("TypeError", said), "type",
                                   f"issubclass is for classes, not {describe(each)}")  # fmt: skip
            name = each.name.rpartition(".")[2] if isinstance(each, BuiltIn | ClassName) else None
            if isinstance(made, Class):
                behind = set[str]().union(*map(classes_behind, made.roots))
                is_one = each in made.order or name in behind or name == "object"
            elif isinstance(made, ClassName) and is_error(made.name):
                is_one = getattr(each, "name", None) in kinds_of(made.name)
            elif isinstance(made, ClassName):
                is_one = is_of_kind(made.of, each, self.numbers)
            else:
                is_one = name in classes_behind(made.name)
            if is_one:
                return self.graph.constant(True)
        return self.graph.constant(False)

    def _callable(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        (value,) = bind_names("callable", ("object",), arguments, keywords).values()
        return self.graph.constant(isinstance(value, Object) and not isinstance(value, Dictionary))

    def _next(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        given = bind_names("next", ("iterator", "default"), arguments, keywords, ("default",))
        iterator = given["iterator"]
        is_passed = isinstance(iterator, Generated)
        is_object = isinstance(iterator, Object) and not isinstance(iterator, Dictionary)
        if self.values.is_python and not (is_passed or is_object):
            from gradcli.trace.kinds_of_values import kind_of  # it is a mistake

            kind = kind_of(iterator, self.numbers)
            said = f"'{kind}' object is not an iterator"
            raise RefusedError(("TypeError", said), "type", said, hint="next(iter(xs))")
        if isinstance(iterator, Items) and iterator:
            first, *rest = iterator
            iterator.become(rest)
            return self.values.now(first)
        if not isinstance(iterator, Remaining):
            iterator = Remaining(self.values, self.values.elements(iterator))
        if not iterator.is_empty():
            return iterator.next()
        if "default" not in given:
            from gradcli.trace.caught import RaisedError  # most programs start faster without

            raise RaisedError("StopIteration", "")
        return given["default"]

    def _divmod(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        a, b = map(self.values.tensor, bind_names("divmod", "ab", arguments, keywords).values())
        kinds = [self.values.plain_kind(each) for each in (a, b)]
        if all(kinds) and self.values.number(b, "divmod") == 0:
            from gradcli.trace.refusals import division_by_zero

            raise division_by_zero("divmod", "float" not in kinds)
        found: tuple[Node, ...] = FUNCTIONS["floor_divide"](a, b), FUNCTIONS["remainder"](a, b)
        if a in self.values.arrays or b in self.values.arrays:
            if a.kind == "int":
                found = tuple(cast(each, "int") for each in found)
            for each in found:
                self.values.stay_arrays(each, (a, b))
        return found

    def _id(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        (value,) = bind_names("id", ("object",), arguments, keywords).values()
        number = id(value)
        if isinstance(value, Node):
            number = self.values.first.get(value, value).index
        return self.graph.constant(float(number))

    def _from_keys(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        given = bind_names("fromkeys", ("iterable", "value"), arguments, keywords, ("value",))
        keys = self.values.elements(given["iterable"])
        return Dictionary(self.values, [(key, given.get("value")) for key in keys])

    def _translation(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        """What each character becomes, for `text.translate(…)`; None for what is left out."""
        given = bind_names("maketrans", ("x", "y", "z"), arguments, keywords, ("y", "z"))
        old, new, none = (given.get(name, "") for name in "xyz")
        if isinstance(old, Dictionary):
            return old
        texts = [each for each in (old, new, none) if isinstance(each, str)]
        if len(texts) < 3 or len(texts[0]) != len(texts[1]):
            raise GradcliError("value", "maketrans takes two strings of one length, and maybe "
                               "a third")  # fmt: skip
        pairs: list[tuple[Value, Value]] = [*zip(texts[0], texts[1], strict=True)]
        return Dictionary(self.values, [*pairs, *((each, None) for each in texts[2])])

    def _copied_once(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        from gradcli.trace.copies import shallow

        (value,) = bind_names("copy", ("x",), arguments, keywords).values()
        return shallow(value)

    def _check_copied(self, node: Node) -> None:
        """Raise `value` for a tensor that gradients flow back from."""
        if self._autograd.requires_grad(node) and not self._autograd.is_leaf(node):
            raise GradcliError("value", "only leaves can be copied with what they hold",
                               hint="x.detach().clone() is a copy")  # fmt: skip

    def _copied(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        from gradcli.trace.copies import Copies

        (value,) = bind_names("deepcopy", ("x",), arguments, keywords).values()
        return Copies(self.values, self._check_copied).deep(value)
