"""`slice(0, 3)` as a value, and the steps of `x[0, :3]`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gradcli.graph import Node
from gradcli.trace.objects import Object


class SliceOf(Object):
    """What stands for `0:3` between brackets."""

    what = "a slice"
    title = "slice"

    def __init__(self, bounds: slice) -> None:
        self.bounds = bounds

    def equals(self, other: Any) -> bool | None:
        return isinstance(other, SliceOf) and self.bounds == other.bounds

    def shown(self) -> str:
        return repr(self.bounds)


def last_step(node: Node, items: Sequence[Any]) -> str | None:
    """The last of the steps by which PyTorch finds `node[items]`, one for each that is a number, a
    slice of less than all, or None; None where others are among them, or nothing is left out.
    """
    found, axis = None, 0
    for place, item in enumerate(items):
        if item is None:
            found = "unsqueeze"
        elif item is Ellipsis:
            axis = node.ndim - sum(each is not None for each in items[place + 1 :])
        elif isinstance(item, slice):
            length = node.shape[axis]
            found = found if item.indices(length) == (0, length, 1) else "slice"
            axis += 1
        elif isinstance(item, Node) and not item.shape and item.kind != "bool":
            found = "select"
            axis += 1
        else:
            return None
    return found
