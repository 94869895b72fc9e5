"""What values of a program hold: found from names, through lists, objects and functions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeAlias

from gradcli.graph import Node
from gradcli.trace.classes import Class
from gradcli.trace.frames import Frame, UserFunction
from gradcli.trace.items import Items
from gradcli.trace.objects import Object
from gradcli.trace.series import Series

Seen: TypeAlias = Callable[[Frame], Iterable[Any]]
"""The values in a frame that count."""


def held(frames: Iterable[Frame], seen: Seen) -> Iterator[Any]:
    """The tensors and objects, and the lists whose items are not made yet, that are `seen` in some
    frames and those around them, and what these hold; each once.
    """
    known, waiting = set[int](), [*frames]
    values = list[Any]()
    while waiting or values:
        if not values:
            for frame in waiting.pop():
                if id(frame) not in known:
                    known.add(id(frame))
                    values += filter(_may_hold, seen(frame))
            continue
        value = values.pop()
        if id(value) in known:
            continue
        known.add(id(value))
        if isinstance(value, Node):
            yield value
            continue
        if isinstance(value, Object | Series):
            yield value
        values += filter(_may_hold, _inside(value))
        if isinstance(value, UserFunction):
            waiting.append(value.frame)


def _inside(value: Any) -> Iterable[Any]:
    """What a value holds."""
    if isinstance(value, Items):
        return value.entries() if type(value) is Items else ()
    if isinstance(value, dict):
        return value.values()
    if isinstance(value, Class):
        return (*vars(value).values(), *(each for of in value.order for each in all_in(of.frame)))
    return value if isinstance(value, list | tuple | set) else vars(value).values()


def all_in(frame: Frame) -> Iterable[Any]:
    """All values in a frame."""
    return (*frame.values.values(), *frame.functions.values())


def _may_hold(value: Any) -> bool:
    return isinstance(value, Node | Object | list | tuple | Items | dict | set)
