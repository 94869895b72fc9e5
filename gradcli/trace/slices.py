"""`slice(0, 3)` as a value."""

from __future__ import annotations

from typing import Any

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
