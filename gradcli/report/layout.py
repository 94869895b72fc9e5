"""The size of what text is laid out for."""

from __future__ import annotations

from gradcli.tuples import NamedTuple


class Layout(NamedTuple):
    """How wide text may be, and how much of an answer is shown."""

    width: int
    precision: int = 6
    """Significant digits of numbers."""
    ascii_only: bool = False
    colour: bool = False
    tree: bool | None = False
    """Of the graph: nothing, all (True), or the first lines (None)."""
