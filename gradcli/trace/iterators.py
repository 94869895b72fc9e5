"""What is taken from one value after another: by `next`, or by a loop."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Protocol

from gradcli.diagnostics import GradcliError, RefusedError
from gradcli.ops.loops import Unlike
from gradcli.trace.arguments import bind_names
from gradcli.trace.items import Items
from gradcli.trace.objects import Given, Object
from gradcli.trace.operators import is_same
from gradcli.trace.values import Value, Values


class YieldingBody(Protocol):
    """The body of a function that yields, as those who take its values know it."""

    returned: Value

    def go_on(self, error: GradcliError | None = None, sent: Value = None) -> Any:
        """Run it to its next value; None where it ends."""


class Remaining(Object):
    """The values that are left of some, which are found as they are asked for."""

    what = "an iterator"
    title = "generator"

    def __init__(
        self,
        values: Values,
        items: Iterable[Value],
        body: YieldingBody | None = None,
    ) -> None:
        """`body` is that of a function of the program that yields them."""
        self.values = values
        self._made_in = values.any_pass
        self._body = body
        self._rest = iter(items)
        self._next: list[Value] = []
        """The next value, where it was looked for."""

    def is_empty(self) -> bool:
        """Whether nothing is left."""
        if self.values.any_pass not in (None, self._made_in):
            raise Unlike("it goes on with what gives values one by one")
        if not self._next:
            self._next += islice(self._rest, 1)
        return not self._next

    def next(self) -> Value:
        """The next value, which is left no more."""
        return self.values.now(self._next.pop() if self._next else next(self._rest))

    def taken(self) -> Iterator[Value]:
        """What is left, one by one."""
        while not self.is_empty():
            yield self.next()

    def fail(self, error: GradcliError) -> None:
        """Raise an error where the generator stands, which may be content with it."""
        if self._body is None:
            raise error
        self._body.go_on(error)

    @property
    def returned(self) -> Value:
        """What a generator has returned at its end."""
        return None if self._body is None else self._body.returned

    def elements(self) -> Items:
        """All that is left, which is left no more."""
        found: list[Value] = []
        for each in self.taken():
            found.append(each)
            self.values.graph.check_room(len(found))
        return Items(found)

    def item(self, items: Sequence[Any]) -> Any:
        raise self.refuses("'{}' object is not subscriptable", "has no elements")

    def contains(self, value: Value) -> bool:
        return any(is_same(self.values, each, value) for each in self.taken())

    def length(self) -> int:
        said = f"object of type '{self.title}' has no len()"
        raise RefusedError(("TypeError", said), "type", "an iterator has no length",
                           hint="list(it) has one")  # fmt: skip

    def methods(self) -> dict[str, Callable[[list[Any], Given], Any]]:
        known: dict[str, Callable[[list[Any], Given], Any]] = {
            "close": lambda *_: self._close(),
            "__next__": lambda *_: self._asked(),
        }
        return known if self._body is None else known | {"send": self._send}

    def _send(self, arguments: list[Any], keywords: Given) -> Value:
        """Go on with a value where the generator stands, up to its next one."""
        (value,) = bind_names("send", ("value",), arguments, keywords).values()
        assert self._body is not None
        if self._next:
            return self.next()
        found = self._body.go_on(None, value)
        if found is None:
            raise self._ended()
        return self.values.now(found.value)

    def _ended(self) -> GradcliError:
        from gradcli.trace.caught import RaisedError  # most programs start faster without

        return RaisedError("StopIteration", "")

    def _asked(self) -> Value:
        if self.is_empty():
            raise self._ended()
        return self.next()

    def _close(self) -> None:
        """Let go of the rest; a generator ends where it stands, as by an error."""
        from gradcli.trace.caught import RaisedError  # most programs start faster without

        left = RaisedError("GeneratorExit", "")
        try:
            if self._body is not None:
                self._body.go_on(left)
        except GradcliError as error:
            if error is not left:
                raise
        self._rest, self._next = iter(()), []


class Walked(Remaining):
    """What a method of PyTorch's gives one by one, as `net.parameters()`."""

    def __init__(self, values: Values, maker: str, items: Iterable[Value]) -> None:
        super().__init__(values, items)
        self._maker = maker

    def shown(self) -> str:
        return f"<generator object {self._maker} at 0x7f0000000000>"


def all_read(
    name: str, arguments: list[Value], keywords: dict[str, Value]
) -> tuple[list[Value], dict[str, Value]]:
    """What a function is given: one of PyTorch's reads what comes one by one, once."""
    if not name.startswith("torch."):
        return arguments, keywords
    return [*map(_all, arguments)], {key: _all(value) for key, value in keywords.items()}


def _all(value: Value) -> Value:
    return value.elements() if isinstance(value, Remaining) else value


def taken(values: Values, value: Value) -> Iterator[Value]:
    """What a loop runs over, one by one; of an iterator nothing before it is asked for."""
    looped = value.looped() if isinstance(value, Object) else value
    return looped.taken() if isinstance(looped, Remaining) else iter(values.elements(value))
