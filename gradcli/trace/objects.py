"""Values that are neither tensors nor numbers, strings or lists: functions, layers, optimisers."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar

from gradcli.diagnostics import GradcliError, RefusedError, nearest
from gradcli.graph import EMPTY
from gradcli.trace.items import NUMPY_BOOL
from gradcli.tuples import NamedTuple

Given = dict[str, Any]
"""Arguments by name."""


class ObjectPlace(NamedTuple):
    """A value that an object holds, and what a program writes behind the object for it."""

    written: str
    value: Any


class Object:
    """A value with methods and attributes of its own, which may be called."""

    what: ClassVar[str]
    """In words, with an article."""

    title: str = "function"
    """The name of its class in Python."""

    python_class: str = ""
    """The same behind its module's name, where print shows that and no more."""

    family: ClassVar[str] = ""
    """The class that all of its kind are made from in PyTorch."""

    is_row: ClassVar[bool] = False
    """Whether functions of elements take it as a list."""

    holds_none: ClassVar[bool] = False
    """Whether `item` gives its elements also where they are None."""

    takes_bounds: ClassVar[bool] = False
    """Whether the bounds of slices between its brackets may be other values than integers."""

    takes_keys: ClassVar[bool] = False
    """Whether what stands alone between its brackets is a key, also where it is a tuple."""

    inner: Any = None
    """What it is, too, if its class is made from Python's `int`, `list` …"""

    module: str = ""
    """The path of the module that it is."""

    shows: ClassVar[bool] = False
    """Whether it may have methods that say how it is shown."""

    def special(self, name: str) -> Object | None:
        """Its method of that name with underscores, such as `__add__`, if the program has one."""
        return None

    def call(self, arguments: list[Any], keywords: Given) -> Any:
        """The value of a call, or a visitor that finds it."""
        raise self.refuses("'{}' object is not callable", "cannot be called")

    @property
    def described(self) -> str:
        """What it is, in words."""
        return self.what

    @property
    def class_name(self) -> str:
        """The name of its class, as Python's errors have it."""
        return self.title

    def refuses(self, said: str, told: str, hint: str | None = None) -> RefusedError:
        """The error for what it does not do; Python says it of its class."""
        error = ("TypeError", said.format(self.class_name))
        return RefusedError(error, "type", f"{self.described} {told}", hint=hint)

    def attribute(self, name: str) -> Any:
        """The value of an attribute. Raises `name`."""
        raise self.has_no("attribute", name)

    def stores(self, name: str) -> bool:
        """Whether an attribute is a value that the program has stored with it."""
        return False

    def set(self, name: str, value: Any) -> Any:
        """Give an attribute a value, or the visitor that does it. Raises `name`."""
        raise self.has_no("attribute", name)

    def delete(self, name: str) -> Any:
        """Let go of an attribute, or the visitor that does it. Raises `name`."""
        raise self.has_no("attribute", name)

    def places(self) -> Mapping[Any, ObjectPlace]:
        """What a program has put into it, by place; nothing where it may be read in another way."""
        return EMPTY

    def put_at(self, place: Any, value: Any) -> None:
        """Have another value at one of its places."""
        raise NotImplementedError

    def elements(self) -> Any:
        """What a number in brackets chooses from. Raises `type`."""
        raise self.refuses("'{}' object is not iterable", "has no elements")

    def looped(self) -> Any:
        """What a loop over it runs over."""
        return self

    def item(self, items: Sequence[Any]) -> Any:
        """What stands in brackets behind it chooses; None where `elements` are chosen from. Raises
        `type` where there are none.
        """
        if type(self).elements is Object.elements:
            raise self.refuses("'{}' object is not subscriptable", "has no elements")
        return None

    def set_item(self, items: Sequence[Any], value: Any) -> Any:
        """Give an element a value. Raises `type`."""
        said = "'{}' object does not support item assignment"
        raise self.refuses(said, "has no elements that can be set")

    def delete_item(self, items: Sequence[Any]) -> Any:
        """Take an element away. Raises `type`."""
        said = "'{}' object doesn't support item deletion"
        raise self.refuses(said, "has no elements that can be deleted")

    def contains(self, value: Any) -> bool:
        """Whether a value is one of its elements. Raises `type`."""
        raise self.refuses("argument of type '{}' is not iterable", "has no elements")

    def is_same(self, other: Any) -> bool:
        """Whether another value is this one."""
        return self is other

    def asked(self, name: str, *arguments: Any) -> Any:
        """What its method of that name gives, such as `__lt__`; None where it has none."""
        return None

    def key(self) -> Any:
        """What equal ones have in common as keys of a dictionary; None where it cannot be one."""
        return self

    def equals(self, other: Any) -> bool | None:
        """Whether it is equal to another value by its own rule; None where it has none."""
        return None

    def truth(self) -> bool:
        """Whether a condition holds that it is."""
        return True

    def length(self) -> int:
        """How many elements it has. Raises `type`."""
        return len(self.elements())

    def within(self) -> Sequence[Any]:
        """What it holds that print shows as a part of it: it may not be there itself."""
        return ()

    def parts(self, quoted: bool) -> list[tuple[Any, bool]] | None:
        """What print shows one after another, and whether as `repr`; None where it is `shown`."""
        return None

    def formatted(self, specification: str) -> str | None:
        """It as text in a format of its own; None where it has none."""
        return None

    def shown(self) -> str:
        """How print shows it."""
        return (
            f"<{self.python_class} object at 0x7f0000000000>"
            if self.python_class
            else (f"<{self.what}>")
        )

    def method_shown(self, name: str) -> str:
        """How print shows a method of it that is not called."""
        return "<a function>"

    def tensors(self) -> list[tuple[Any, str]]:
        """The leaves that it made, and what they are called in it."""
        return []

    def methods(self) -> dict[str, Callable[[list[Any], Given], Any]]:
        """What its methods are called, and their functions of the arguments."""
        return {}

    def method(self, name: str) -> Callable[[list[Any], Given], Any]:
        """The method of that name. Raises `name`."""
        found = self.methods().get(name)
        if found is not None:
            return found
        value = self.attribute(name) if self.stores(name) else None
        if not isinstance(value, Object):
            raise self.has_no("method", name)
        return value.call

    def has_no(self, kind: str, name: str) -> GradcliError:
        """The error for a name that it does not have."""
        guess = nearest(name, self.methods())
        known = ", ".join(self.methods())
        hint = f"did you mean .{guess}(…)?" if guess else known and f"there are .{known}"
        said = f"'{self.title}' object has no attribute '{name}'"
        return RefusedError(
            ("AttributeError", said), "name", f"{self.what} has no {kind} {name!r}", hint or None
        )


def plain_value(value: Any) -> Any:
    """What an object of a class holds that is made from Python's `int`, `list` …; others as they
    are.
    """
    while isinstance(value, Object) and value.inner is not None:
        value = value.inner
    return value


def is_row(value: object) -> bool:
    """Whether functions of elements take it as a list: a tuple, a deque."""
    return isinstance(value, tuple) or (isinstance(value, Object) and value.is_row)


class BuiltIn(Object):
    """A function of gradcli as a value: `act = torch.relu`."""

    what = "a function"

    def __init__(self, name: str, call: Callable[[str, list[Any], Given], Any]) -> None:
        """`name` is the function's, as `function_name` finds it."""
        self.name = name
        self.owner = ""
        """The class of the tensor that it is a method of."""
        self.place = ""
        """The path of the object that it is in its library: `torch.relu`, which `F.relu` is not."""
        self._call = call

    def call(self, arguments: list[Any], keywords: Given) -> Any:
        return self._call(self.name, arguments, keywords)

    def is_same(self, other: Any) -> bool:
        """Each time that it is named, another object stands for it."""
        if not isinstance(other, BuiltIn):
            return False
        if self.place and other.place:
            return self.place == other.place
        return (self.name, self._call) == (other.name, other._call)

    def key(self) -> Any:
        if self.is_class:  # as `type(x)` names it
            return "class", self.name.rpartition(".")[2]
        return "function", self.place or self.name, getattr(self._call, "func", self._call)

    def attribute(self, name: str) -> Any:
        if name != "__name__":
            return super().attribute(name)
        room, _, last = (self.place or self.name).rpartition(".")
        return f"{room.removeprefix('torch.')}_{last}" if room in _WITH_ROOM else last

    def methods(self) -> dict[str, Callable[[list[Any], Given], Any]]:
        """Of Python's classes, what makes values of them: `dict.fromkeys`."""
        known = _OF_PYTHONS_CLASSES.get(self.name, ())
        found: dict[str, Callable[[list[Any], Given], Any]]
        found = {name: partial(self._call, f"{self.name}.{name}") for name in known}
        from gradcli.trace.python_classes import METHODS  # few programs name them

        return {name: partial(self._unbound, name) for name in METHODS.get(self.name, ())} | found

    @property
    def is_class(self) -> bool:
        return self.shown().startswith("<class ")

    def special(self, name: str) -> Object | None:
        return joined(self, name) if self.is_class else None

    def item(self, items: Sequence[Any]) -> Any:
        """`list[int]`."""
        return TypeHint() if self.is_class else super().item(items)

    def _unbound(self, name: str, arguments: list[Any], keywords: Given) -> Any:
        """A method of its class, of an object of that."""
        return self._call("builtins.method", [name, *arguments], keywords)

    def shown(self) -> str:
        if self.owner:
            return f"<built-in method {self.name} of {self.owner} object at 0x7f0000000000>"
        root, _, name = self.name.rpartition(".")
        if name == "Tensor":
            return "<class 'torch.Tensor'>"
        if self.name == "np.ndarray":
            return class_shown(name)
        pythons = None if root else getattr(builtins, name, None)
        if pythons is not None:
            return str(pythons)  # as <built-in function len>
        is_class = root in _OF_CLASSES or name.endswith("Tensor")  # torch.FloatTensor
        if is_class:
            return class_shown(self.name if root == "torch.cuda" else name)
        return super().shown()


_OF_PYTHONS_CLASSES = {"dict": ("fromkeys",), "str": ("maketrans",), "bytes": ("fromhex",)}
_WITH_ROOM = ("torch.special", "torch.linalg", "torch.fft")
"""Modules whose name is part of the names of their functions."""
_OF_CLASSES = ("torch.nn", "torch.optim", "torch.optim.lr_scheduler")
"""Modules whose functions here are classes in PyTorch."""


def attribute_or_method(owner: Object, name: str) -> Any:
    """The value of an attribute, or a method as a value: `max(d, key=d.get)`. Raises `name`."""
    try:
        return owner.attribute(name)
    except GradcliError as error:
        if error.diagnostic.code == "name" and name == "__class__":
            return ClassName(owner.class_name, owner)
        method = owner.methods().get(name) if error.diagnostic.code == "name" else None
        if method is None:
            raise
        return BoundMethod(owner, name, method)


class BoundMethod(BuiltIn):
    """A method of an object as a value."""

    title = "method"

    def __init__(self, owner: Object, name: str, method: Callable[[list[Any], Given], Any]) -> None:
        super().__init__(name, lambda _, arguments, keywords: method(arguments, keywords))
        self._owner = owner

    def shown(self) -> str:
        return self._owner.method_shown(self.name)


class Dots(Object):
    """`...`: what is left out; between brackets, the axes that nothing else stands for."""

    what = "..."
    title = "ellipsis"
    bounds = Ellipsis

    def shown(self) -> str:
        return "Ellipsis"


DOTS = Dots()


class TypeHint(Object):
    """`List[int]` or `int | None` as a value, of which `isinstance` alone asks something."""

    what = "a type"

    def __init__(self, kinds: Sequence[Any] = ()) -> None:
        """`kinds` are the classes of which a value of it may be."""
        self.kinds = tuple(kinds)

    def special(self, name: str) -> Object | None:
        return joined(self, name)

    def call(self, arguments: list[Any], keywords: Given) -> Any:
        """`TypeVar('T')`."""
        return self

    def item(self, items: Sequence[Any]) -> Any:
        if self.kinds == ("Union",):
            return TypeHint(items)
        return TypeHint((*items, None)) if self.kinds == ("Optional",) else TypeHint()


def joined(kind: Any, name: str) -> Object | None:
    """The method by which a class becomes one of several: `int | None`; None for other methods."""
    if name not in ("__or__", "__ror__"):
        return None

    def join(_: str, arguments: list[Any], __: Given) -> TypeHint:
        both = (kind, arguments[0]) if name == "__or__" else (arguments[0], kind)
        own = [each.kinds if isinstance(each, TypeHint) else (each,) for each in both]
        return TypeHint([*own[0], *own[1]])

    return BuiltIn(name, join)


class HookHandle(Object):
    """What a hook was registered under."""

    what = "a hook"

    def __init__(self, remove: Callable[[], None]) -> None:
        self._remove = remove

    def methods(self) -> dict[str, Callable[[list[Any], Given], Any]]:
        return {"remove": lambda *_: self._remove()}


class Decorated(BuiltIn):
    """What a decorator of Python's has made of a function: in a class it is a method."""


class Recording(Object):
    """`torch.no_grad()` and `torch.enable_grad()`: whether the block or function is recorded."""

    what = "a block's setting"

    def __init__(self, enabled: bool | None, text: str = "") -> None:
        """None changes nothing; `text` is what print shows."""
        self.enabled = enabled
        self._text = text

    def shown(self) -> str:
        return self._text or super().shown()

    def call(self, arguments: list[Any], keywords: Given) -> Any:
        """`torch.no_grad()(f)`: the function, each call of which is such a block."""
        function: Any = arguments[0] if len(arguments) == 1 and not keywords else None
        if not hasattr(function, "again"):
            return super().call(arguments, keywords)
        made = function.again()
        made.records, made.setting = self.enabled, self
        return made

    def begin(self) -> None:
        """A block with it begins."""

    def end(self) -> None:
        """That block ends."""


class ClassName(Object):
    """What `type(x)` gives: the class that has this name."""

    what = "a class"

    def __init__(
        self,
        name: str,
        of: Any = None,
        make: Callable[[list[Any]], Any] | None = None,
        calls: Callable[[list[Any], Given], Any] | None = None,
    ) -> None:
        """`of` is the value that was asked for its class; `make` makes another one, `calls` does
        so with names, too.
        """
        self.name = name
        self.of = of
        self._make = make
        self._calls = calls

    def call(self, arguments: list[Any], keywords: Given) -> Any:
        own = getattr(self.of, "made_by", None)
        if own is not None:
            return own.call(arguments, keywords)
        if self._calls is not None:
            return self._calls(arguments, keywords)
        if self._make is None or keywords:
            return super().call(arguments, keywords)
        return self._make(arguments)

    def attribute(self, name: str) -> Any:
        own = getattr(self.of, "made_by", None)
        if own is not None:
            return own.attribute(name)
        if name == "__name__":
            return class_shown(self.name)[:-2].rpartition(".")[2].removeprefix("<class '")
        return super().attribute(name)

    def set(self, name: str, value: Any) -> Any:
        own = getattr(self.of, "made_by", None)
        return super().set(name, value) if own is None else own.set(name, value)

    def is_same(self, other: Any) -> bool:
        name = getattr(other, "name", other)
        if not isinstance(name, str):
            return False
        return self.name == (name if name == NUMPY_BOOL else name.rpartition(".")[2])

    def key(self) -> Any:
        own = getattr(self.of, "made_by", None)
        return ("class", self.name) if own is None else own.key()

    def shown(self) -> str:
        own = getattr(self.of, "made_by", None)
        if own is not None:
            return str(own.shown())
        return class_shown(getattr(self.of, "python_class", "") or self.name)


def class_shown(name: str) -> str:
    """What Python prints of a class."""
    from gradcli.trace.class_places import PLACES

    return f"<class {PLACES.get(name, name)!r}>"


def is_setting(value: Any) -> bool:
    """Whether it is `torch.no_grad()` or its like, also without the parentheses."""
    return isinstance(value, Recording) or (isinstance(value, BuiltIn) and value.name in RECORDINGS)


RECORDINGS = ("torch.no_grad", "torch.enable_grad", "torch.inference_mode")
"""Functions that give such settings."""
