"""`contextlib`: blocks that a function of the program begins and ends."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from gradcli.diagnostics import GradcliError
from gradcli.trace.arguments import bind_names
from gradcli.trace.autograd import Autograd
from gradcli.trace.caught import Caught, RaisedError
from gradcli.trace.iterators import Remaining
from gradcli.trace.objects import BuiltIn, Decorated, Given, Object, Recording
from gradcli.trace.own_errors import OwnError, kinds_of
from gradcli.trace.special import Special
from gradcli.trace.values import Value, Values


def _as_method(name: str, known: Mapping[str, Special]) -> Object | None:
    """One of these methods, which are given no name."""
    return BuiltIn(name, lambda _, *given: known[name](*given)) if name in known else None


class ManagedBlock(Object):
    """What `with` begins: a generator that yields once, where the block stands."""

    what = "a block's setting"

    def __init__(self, values: Values, generator: Remaining) -> None:
        self._values = values
        self._generator = generator

    def special(self, name: str) -> Object | None:
        known = {"__enter__": self._begin, "__exit__": self._end}
        return BuiltIn(name, known[name]) if name in known else None

    def _begin(self, _: str, arguments: list[Value], keywords: Given) -> Value:
        if self._generator.is_empty():
            raise GradcliError("value", "generator didn't yield",
                               hint="a context manager yields once")  # fmt: skip
        return self._generator.next()

    def _end(self, _: str, arguments: list[Value], keywords: Given) -> Value:
        said: Any = arguments[1]
        if isinstance(said, Caught):
            return self._failed(RaisedError(said.kind, str(said)))
        if isinstance(said, OwnError):
            return self._failed(RaisedError(said.made_by.name, said.shown(), said))
        if not self._generator.is_empty():
            raise GradcliError("value", "generator didn't stop",
                               hint="a context manager yields once")  # fmt: skip
        return self._values.graph.constant(False)

    def _failed(self, error: GradcliError) -> Value:
        """Raise the block's error where the generator stands; whether that is content with it."""
        try:
            self._generator.fail(error)
        except GradcliError as raised:
            if raised is not error:
                raise
            return self._values.graph.constant(False)
        return self._values.graph.constant(True)


class PlainBlock(Object):
    """`nullcontext(x)`: a block like any other."""

    what = "a block's setting"

    def __init__(self, value: Value) -> None:
        self._value = value

    def special(self, name: str) -> Object | None:
        known: dict[str, Callable[..., Value]] = {
            "__enter__": lambda *_: self._value,
            "__exit__": lambda *_: None,
        }
        return BuiltIn(name, known[name]) if name in known else None


class SuppressingBlock(Object):
    """`suppress(ValueError)`: a block that ends where such an error is raised."""

    what = "a block's setting"

    def __init__(self, values: Values, classes: Sequence[Value]) -> None:
        self._values = values
        self._names = {name for each in classes if (name := getattr(each, "name", None))}

    def special(self, name: str) -> Object | None:
        known: dict[str, Callable[..., Value]] = {
            "__enter__": lambda *_: None,
            "__exit__": self._end,
        }
        return BuiltIn(name, known[name]) if name in known else None

    def _end(self, _: str, arguments: list[Value], keywords: Given) -> Value:
        said: Any = arguments[1]
        if said is None:
            return None
        kinds = kinds_of(said.kind) if isinstance(said, Caught) else said.kinds()
        return self._values.graph.constant(not self._names.isdisjoint(kinds))


class ExitStack(Object):
    """`ExitStack()`: a block that holds others, which it ends with itself, the last one first."""

    what = "a stack of blocks"
    title = "ExitStack"

    def __init__(self, autograd: Autograd) -> None:
        self._autograd = autograd
        self._ends: list[Object] = []

    def special(self, name: str) -> Object | None:
        known: dict[str, Special] = {"__enter__": lambda *_: self, "__exit__": self._end}
        return _as_method(name, known)

    def methods(self) -> dict[str, Special]:
        return {
            "enter_context": self._enter,
            "callback": self._call_back,
            "close": lambda *_: self._end([None, None, None], {}),
        }

    def _enter(self, arguments: list[Value], keywords: Given) -> Any:
        (block,) = bind_names("enter_context", ("cm",), arguments, keywords).values()
        if isinstance(block, Recording):
            records = self._autograd.records()
            if block.enabled is not None:
                self._autograd.set_records(block.enabled)
            block.begin()
            self._ends.append(BuiltIn("end", lambda *_: self._stop(block, records)))
            return None
        enter, leave = (
            block.special(name) if isinstance(block, Object) else None
            for name in ("__enter__", "__exit__")
        )
        if enter is None or leave is None:
            raise GradcliError("type", "enter_context takes what with takes",
                               hint="stack.enter_context(torch.no_grad())")  # fmt: skip
        value = yield enter.call([], {})
        self._ends.append(leave)
        return value

    def _stop(self, block: Recording, records: bool) -> None:
        block.end()
        self._autograd.set_records(records)

    def _call_back(self, arguments: list[Value], keywords: Given) -> Value:
        function: Any = arguments[0] if arguments else None
        if not isinstance(function, Object):
            raise GradcliError("type", "callback takes a function", hint="stack.callback(f, x)")

        def call(*_: Any) -> Any:
            yield function.call(arguments[1:], keywords)

        self._ends.append(BuiltIn("end", call))
        return function

    def _end(self, arguments: list[Value], keywords: Given) -> Any:
        """Leave the blocks; the result is whether one was content with the error."""
        values, failure = self._autograd.values, arguments
        while self._ends:
            leave = self._ends.pop()
            found = yield leave.call(failure, {})
            if failure[1] is not None and values.truth(found):
                failure = [None, None, None]
        return values.graph.constant(failure is not arguments)


class Managers:
    """The functions by name."""

    def __init__(self, autograd: Autograd) -> None:
        self._values = values = autograd.values
        self.functions: dict[str, Special] = {
            "contextlib.contextmanager": self._manager,
            "contextlib.ExitStack": lambda *_: ExitStack(autograd),
            "contextlib.nullcontext": lambda given, _: PlainBlock(given[0] if given else None),
            "contextlib.suppress": lambda given, _: SuppressingBlock(values, given),
        }

    def _manager(self, arguments: list[Value], keywords: Given) -> Value:
        (function,) = bind_names("contextmanager", ("func",), arguments, keywords).values()
        if not isinstance(function, Object):
            raise GradcliError("type", "contextmanager is for functions",
                               hint="@contextmanager above def f(): …")  # fmt: skip
        made = function

        def call(_: str, given: list[Value], named: Given) -> Any:
            generator = yield made.call(given, named)
            if not isinstance(generator, Remaining):
                raise GradcliError("type", "a context manager is a function that yields")
            return ManagedBlock(self._values, generator)

        return Decorated("contextmanager", call)
