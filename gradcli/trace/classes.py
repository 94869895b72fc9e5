"""Classes of the program, what they make, and how names are found in both."""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from typing import Any, ClassVar

from gradcli.diagnostics import GradcliError, RefusedError, nearest
from gradcli.trace.dictionaries import Fields
from gradcli.trace.frames import Bound, Frame, UserFunction
from gradcli.trace.items import Items
from gradcli.trace.modules import Method
from gradcli.trace.objects import BuiltIn, ClassName, Decorated, Given, Object, ObjectPlace, joined
from gradcli.trace.operators import is_same
from gradcli.trace.values import Value, Values

MODULE, FUNCTION = "torch.nn.Module", "torch.autograd.Function"
DATA = tuple(f"torch.utils.data.{name}" for name in ("Dataset", "IterableDataset", "Sampler"))
OPTIMIZER = "torch.optim.Optimizer"
SCHEDULERS = tuple(f"torch.optim.lr_scheduler.{name}" for name in ("LRScheduler", "_LRScheduler"))
ROOTS = (MODULE, FUNCTION, *DATA, OPTIMIZER, *SCHEDULERS)
"""Classes of PyTorch that the program's may be made from."""
LAYERS = "torch.nn."
"""What the names of others begin with: layers, which the program's extend."""
OPTIMISERS = "torch.optim."
"""The same of optimisers."""
_SAID_BY_LAYERS = frozenset(("__init__", "forward", "extra_repr", "reset_parameters"))
"""What PyTorch's layers say themselves: no class behind them is asked for it."""
INSTANCE_BYTES = 1024
"""What an object takes, on the ledger."""


class Class(Object):
    """A class of the program."""

    what = "a class"

    def __init__(
        self,
        name: str,
        bases: Sequence[Class],
        roots: Sequence[str],
        frame: Frame,
        make: Callable[[Class], Instance],
        apply: Callable[[Class, list[Value], Given], Any] | None = None,
        run: Callable[[Any], Value] = lambda found: found,
    ) -> None:
        """`roots` are those of PyTorch's classes that it is made from; `frame` has its names.
        `apply` computes a `torch.autograd.Function`; `run` runs what visits a method's body.
        """
        self.run = run
        self.name = name
        self.frame = frame
        self._bases = tuple(bases)
        self.order: list[Class] = [self, *_merged([[*base.order] for base in bases], bases)]
        """It and the classes that it is made from, as they are searched for names."""
        self.roots: set[str] = {*roots, *(root for base in bases for root in base.roots)}
        self.is_whole = True
        """Whether it is no `ABC`, which may lack methods."""
        self.doc: str | None = None
        """The text that its body begins with."""
        self.holds: Callable[[list[Value], Given], Any] | None = next(
            (base.holds for base in bases if base.holds is not None), None
        )
        """What gives the list, string … that its objects are, too."""
        self.is_fixed: bool = any(base.is_fixed for base in bases)
        """Whether that never changes."""
        self.describes: bool = any(base.describes for base in bases)
        """Whether it has objects that say what an attribute is: with `__get__`."""
        self.takes_types: bool = any(base.takes_types for base in bases)
        """Whether types may stand in brackets behind it: `Generic[T]`."""
        self.is_protocol = False
        """Whether objects of other classes are its own where they have what it has."""
        self.declared: tuple[str, ...] = ()
        """The names that its body gives a type."""
        self.layer = ""
        """The name of PyTorch's layer or optimiser that it stands for among those that a class is
        made from.
        """
        self._make = make
        self._apply = apply

    def found(self, name: str, after: Class | None = None) -> Value:
        """What a name is bound to in the class, or in those behind `after`; None where it has no
        value.
        """
        order = self.order if after is None else self.order[self.order.index(after) + 1 :]
        for each in order:
            if each.layer and name in _SAID_BY_LAYERS:
                return None
            if name in each.frame.functions:
                return each.frame.functions[name]
            if name in each.frame.values:
                return each.frame.values[name]
        apply = self._apply
        if name == "apply" and apply is not None and FUNCTION in self.roots:
            return BuiltIn(name, lambda _, *given: apply(self, *given))
        return None

    def behind_layer(self, name: str) -> Value:
        """What a name is bound to behind PyTorch's layer that it is made from."""
        layer = next((each for each in self.order if each.layer), None)
        return None if layer is None else self.found(name, layer)

    def has(self, name: str) -> bool:
        """Whether a name is bound to anything, None too."""
        return any(name in e.frame.functions or name in e.frame.values for e in self.order)

    def _missing(self) -> list[str]:
        """The methods that it must have, and has not."""
        names = dict.fromkeys(name for each in self.order for name in each.frame.functions)
        return [name for name in names if getattr(self.found(name), "is_abstract", False)]

    def call(self, arguments: list[Value], keywords: Given) -> Any:
        if not self.is_whole and (missing := self._missing()):
            many = "s" * (len(missing) > 1)
            raise GradcliError(
                "type",
                f"Can't instantiate abstract class {self.name} with abstract method{many} "
                f"{', '.join(sorted(missing))}",
                hint=f"class Own({self.name}): def {missing[0]}(self): …",
            )
        maker = self.found("__new__")
        if isinstance(maker, UserFunction):
            instance = yield maker.call([self, *arguments], keywords)
            if not isinstance(instance, Instance) or self not in instance.made_by.order:
                return instance
        else:
            instance = yield self.new(arguments, keywords)
        start = self.found("__init__")
        if isinstance(start, UserFunction | BuiltIn):
            yield start.call([instance, *arguments], keywords)
        elif maker is None:
            yield instance.begin(arguments, keywords)
        return instance

    def new(self, arguments: list[Value], keywords: Given) -> Any:
        """An object without what its `__init__` does."""
        instance: Any = self._make(self)
        if self.holds is not None:
            given = (arguments, keywords) if self.is_fixed else ([], {})
            yield instance.hold(*given)
        return instance

    def attribute(self, name: str) -> Value:
        if name in ("__name__", "__qualname__"):
            return self.name
        if name == "__doc__":
            return self.doc
        if name == "__mro__":
            return (*self.order, ClassName("object"))
        if name == "__bases__":
            return self._bases or (ClassName("object"),)
        value = self.found(name)
        if value is None and not self.has(name):
            raise self.has_no("attribute", name)
        own = descriptor(value, "__get__") if self.describes else None
        return bound(value, None, self) if own is None else own.call([None, self], {})

    def set(self, name: str, value: Value) -> None:
        self.frame.functions.pop(name, None)
        self.frame.values[name] = value

    def method(self, name: str) -> Method:
        if name == "__new__" and not self.has(name):
            return made_new
        value = self.attribute(name)
        if not isinstance(value, Object):
            raise self.has_no("method", name)
        return value.call

    def special(self, name: str) -> Object | None:
        return joined(self, name)

    def item(self, items: Sequence[Any]) -> Any:
        """`Box[int]`, or what its `__class_getitem__` gives."""
        own = self.found("__class_getitem__")
        if isinstance(own, UserFunction):
            return own.call([self, items[0] if len(items) == 1 else tuple(items)], {})
        return self if self.takes_types else super().item(items)

    def shown(self) -> str:
        return ClassName(self.name).shown() if self.layer else f"<class '__main__.{self.name}'>"

    def has_no(self, kind: str, name: str) -> GradcliError:
        said = f"type object '{self.name}' has no attribute '{name}'"
        return _has_no(self, said, f"the class {self.name}", kind, name, {})


def made_new(arguments: list[Any], keywords: Given) -> Any:
    """`object.__new__(cls, …)`."""
    return arguments[0].new(arguments[1:], keywords)


def _merged(orders: list[list[Class]], bases: Sequence[Class]) -> list[Class]:
    """Python's order of the classes behind one that is made from several (C3): each stands before
    those that it is made from. Raises `type` where there is none.
    """
    waiting = [*orders, [*bases]]
    found: list[Class] = []
    while waiting := [each for each in waiting if each]:
        free = (e[0] for e in waiting if not any(e[0] in other[1:] for other in waiting))
        first = next(free, None)
        if first is None:
            raise GradcliError("type", "Cannot create a consistent method resolution order (MRO)")
        found.append(first)
        waiting = [[each for each in order if each is not first] for order in waiting]
    return found


def bound(value: Value, instance: Instance | None, owner: Class) -> Value:
    """What a class's name means behind an object, or behind the class."""
    if isinstance(value, Decorated):
        return value if instance is None else Bound(value, instance)
    if not isinstance(value, UserFunction):
        return value
    if value.binds == "class":
        return Bound(value, owner)
    if value.binds == "nothing" or instance is None:
        return value
    return Bound(value, instance)


def descriptor(value: Value, name: str) -> Object | None:
    """The method of an object in a class that says what an attribute is; None where it has none."""
    return value.special(name) if isinstance(value, Instance) else None


class _Key:
    """An object of a class that has a hash of its own, among the keys of a dictionary."""

    def __init__(self, instance: Instance, number: int) -> None:
        self._instance, self._number = instance, number

    def __hash__(self) -> int:
        return self._number

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _Key):
            return False
        if self._instance is other._instance:
            return True
        return self._number == other._number and bool(self._instance.equals(other._instance))


class Instance(Object):
    """An object of a class of the program."""

    what = "an object"
    shows = True
    takes_keys = True
    is_unique: ClassVar[bool] = False
    """Whether a copy of it is itself."""

    def __init__(self, values: Values, made_by: Class) -> None:
        values.graph.ledger.take(INSTANCE_BYTES, "the program's objects")
        self.values = values
        self.made_by = made_by
        self.fields: dict[str, Value] = {}

    def begin(self, arguments: list[Value], keywords: Given) -> Any:
        """What is done where its class has no `__init__`."""
        if arguments or keywords:
            name = self.made_by.name
            said = ("TypeError", f"{name}() takes no arguments")
            raise RefusedError(said, "type", f"{name} takes no arguments", "def __init__(self)")

    @property
    def described(self) -> str:
        return f"an object of the class {self.made_by.name}"

    @property
    def class_name(self) -> str:
        return self.made_by.name

    def stores(self, name: str) -> bool:
        return name in self.fields

    def places(self) -> dict[str, ObjectPlace]:
        return {name: ObjectPlace(f".{name}", value) for name, value in self.fields.items()}

    def put_at(self, place: str, value: Value) -> None:
        self.fields[place] = value

    def kept_apart(self) -> Container[str]:
        """The attributes that are not in its `__dict__`."""
        return ()

    def attribute(self, name: str) -> Any:
        if self.made_by.describes:
            value = self.made_by.found(name)
            own = descriptor(value, "__get__")
            if own is not None and (name not in self.fields or descriptor(value, "__set__")):
                return own.call([self, self.made_by], {})
        if name in self.fields:
            return self.values.now(self.fields[name])
        if name == "__class__":
            return self.made_by
        if name == "__dict__":
            return Fields(self.values, self.fields, self.kept_apart())
        if name == "__doc__":
            return self.made_by.attribute(name)
        value = self.made_by.found(name)
        if value is None and not self.made_by.has(name):
            own = self.special("__getattr__")
            if own is not None:
                return own.call([name], {})
            raise self.has_no("attribute", name)
        if isinstance(value, UserFunction) and value.binds == "property":
            return self._kept(name, value) if value.is_kept else value.call([self], {})
        return bound(value, self, self.made_by)

    def _kept(self, name: str, function: UserFunction) -> Any:
        """What a `cached_property` gives, which is computed once."""
        value = yield function.call([self], {})
        self.fields[name] = value
        return value

    def set(self, name: str, value: Value) -> Any:
        own = self.special("__setattr__")
        return self.keep(name, value) if own is None else own.call([name, value], {})

    def keep(self, name: str, value: Value) -> Any:
        """What `object.__setattr__` does."""
        own = self.made_by.found(name)
        if isinstance(own, UserFunction) and own.binds == "property":
            return self._through("setter", name, own.setter, value)
        if self.made_by.describes and (described := descriptor(own, "__set__")):
            return described.call([self, value], {})
        if name not in self.fields and self.made_by.found("__slots__") is not None:
            from gradcli.trace.slots import check_slot

            check_slot(self, name)
        self.fields[name] = value
        return None

    def delete(self, name: str) -> Any:
        own = self.made_by.found(name)
        if isinstance(own, UserFunction) and own.binds == "property":
            return self._through("deleter", name, own.deleter)
        if name not in self.fields:
            raise self.has_no("attribute", name)
        del self.fields[name]
        return None

    def _through(self, kind: str, name: str, function: Any, *given: Value) -> Any:
        """A property is set or deleted by a function of its class."""
        if function is None:
            raise GradcliError(
                "name", f"property {name!r} of {self.made_by.name!r} object has no {kind}",
                hint=f"@{name}.{kind} above another def {name}",
            )  # fmt: skip
        return function.call([self, *given], {})

    def special(self, name: str) -> Object | None:
        """Its method of that name, such as `__add__`; None where it has none."""
        value = self.made_by.found(name)
        if isinstance(value, BuiltIn):
            return Bound(value, self)
        found = bound(value, self, self.made_by) if isinstance(value, UserFunction) else None
        return found if isinstance(found, Object) else None

    def call(self, arguments: list[Value], keywords: Given) -> Any:
        method = self.special("__call__")
        if method is None and FUNCTION in self.made_by.roots:
            said = (
                "Legacy autograd function with non-static forward method is deprecated. Please use "
                "new-style autograd function with static forward method. (Example: "
                "https://pytorch.org/docs/stable/autograd.html#torch.autograd.Function)"
            )
            raise RefusedError(
                ("RuntimeError", said),
                "type",
                "a function of autograd's is called by its class",
                hint=f"{self.made_by.name}.apply(x), with @staticmethod above forward and backward",
            )
        return super().call(arguments, keywords) if method is None else method.call(
            arguments, keywords
        )  # fmt: skip

    def item(self, items: Sequence[Any]) -> Any:
        method = self.special("__getitem__")
        if method is None:
            raise self.refuses("'{}' object is not subscriptable", "has no elements")
        return method.call([items[0] if len(items) == 1 else tuple(items)], {})

    def set_item(self, items: Sequence[Any], value: Any) -> Any:
        method = self.special("__setitem__")
        if method is None:
            return super().set_item(items, value)
        return method.call([items[0] if len(items) == 1 else tuple(items), value], {})

    def delete_item(self, items: Sequence[Any]) -> Any:
        method = self.special("__delitem__")
        if method is None:
            return super().delete_item(items)
        return method.call([items[0] if len(items) == 1 else tuple(items)], {})

    def equals(self, other: Any) -> bool | None:
        answer = self.asked("__eq__", other)
        return None if answer is None else self.values.truth(answer)

    def key(self) -> Any:
        answer = self.asked("__hash__")
        return self if answer is None else _Key(self, self.values.integer(answer, "__hash__"))

    def truth(self) -> bool:
        answer = self.asked("__bool__")
        if answer is not None:
            return self.values.truth(answer)
        return self.special("__len__") is None or self.length() > 0

    def asked(self, name: str, *arguments: Value) -> Value:
        """What its method of that name gives; None where it has none."""
        method = self.special(name)
        return None if method is None else self.made_by.run(method.call(list(arguments), {}))

    def contains(self, value: Any) -> bool:
        answer = self.asked("__contains__", value)
        if answer is not None:
            return self.values.truth(answer)
        return any(is_same(self.values, each, value) for each in self.values.elements(self))

    def length(self) -> int:
        count = self.asked("__len__")
        if count is None:
            said = "object of type '{}' has no len()"
            raise self.refuses(said, "has no length", "def __len__(self)")
        return self.values.integer(count, "__len__")

    def elements(self) -> Any:
        """What `__iter__` gives, or `__getitem__` for each number below `__len__`."""
        found = self.asked("__iter__")
        if found is self or (isinstance(found, Instance) and found.special("__next__")):
            return Items(found.counted())
        if found is not None:
            return found
        if self.special("__getitem__") is None or self.special("__len__") is None:
            raise self.refuses("'{}' object is not iterable", "has no elements")
        numbers = map(self.values.graph.constant, map(float, range(self.length())))
        return Items([self.asked("__getitem__", each) for each in numbers])

    def counted(self) -> list[Value]:
        """What `__next__` gives until it raises StopIteration."""
        items: list[Value] = []
        while True:
            try:
                items.append(self.asked("__next__"))
            except GradcliError as error:
                if getattr(error, "name", "") != "StopIteration":
                    raise
                return items

    def method(self, name: str) -> Method:
        value = self.fields.get(name, self.made_by.found(name))
        is_described = self.made_by.describes and descriptor(value, "__get__") is not None
        is_property = isinstance(value, UserFunction) and value.binds == "property"
        is_unknown = value is None and name not in self.methods() and self.special("__getattr__")
        if is_described or is_property or is_unknown or name == "__class__":
            value = self.made_by.run(self.attribute(name))
            if isinstance(value, Object):
                return value.call
        if value is None:
            return super().method(name)
        found = bound(value, self, self.made_by) if name not in self.fields else value
        if not isinstance(found, Object):
            raise GradcliError("type", f"{name} is a value of {self.described}, not a method")
        return found.call

    def has_no(self, kind: str, name: str) -> GradcliError:
        said = f"'{self.made_by.name}' object has no attribute '{name}'"
        return _has_no(self.made_by, said, self.described, kind, name, self.fields)

    def shown(self) -> str:
        said = self.values.texts.get(self)
        return f"<__main__.{self.made_by.name} object>" if said is None else said


def _has_no(
    made_by: Class, said: str, what: str, kind: str, name: str, fields: Given
) -> GradcliError:
    """`said` are Python's words."""
    known = {each for part in made_by.order for each in (*part.frame.functions, *part.frame.values)}
    guess = nearest(name, sorted(known | fields.keys()))
    hint = f"did you mean .{guess}?" if guess else "self.name = value gives it one"
    return RefusedError(
        ("AttributeError", said), "name", f"{what} has no {kind} {name!r}", hint=hint
    )
