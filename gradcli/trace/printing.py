"""What `print` makes of values: pieces while tracing, text when the arrays are known."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

import numpy as np

from gradcli.graph import CONSTANT, Array, Node
from gradcli.trace.items import Items
from gradcli.trace.values import Value

Piece: TypeAlias = Node | str
"""Text, or a tensor whose array is not known yet."""

WIDTH = 80
DIGITS = 8


def pieces(values: Sequence[Value]) -> list[Piece]:
    """Values with blanks between them; lists in lists are taken apart without recursion."""
    found: list[Piece] = []
    waiting: list[tuple[Value, bool]] = [(value, False) for value in reversed(_joined(values, " "))]
    while waiting:
        value, quoted = waiting.pop()
        if isinstance(value, Items | tuple):
            opening, closing = "[]" if isinstance(value, Items) else ("(", ",)"[len(value) != 1 :])
            inside = _joined(value, ", ")
            waiting.append((closing, False))
            waiting += [(part, place % 2 == 0) for place, part in enumerate(inside)][::-1]
            waiting.append((opening, False))
        elif isinstance(value, str):
            found.append(repr(value) if quoted else value)
        else:
            found.append(_plain(value))
    return found


def _joined(values: Sequence[Value], separator: str) -> list[Value]:
    """Values at even places, the separator between them."""
    joined: list[Value] = []
    for value in values:
        joined += [value, separator]
    return joined[:-1]


def _plain(value: Node | range | None) -> Piece:
    """A number as people write it; tensors wait for the run."""
    if isinstance(value, Node) and value.op is CONSTANT and not value.shape:
        assert value.data is not None
        return (
            str(value.data.item()).removesuffix(".0") if value.kind == "float" else str(value.data)
        )
    return value if isinstance(value, Node) else str(value)


def tensors(lines: Iterable[Iterable[Piece]]) -> list[Node]:
    """The tensors that lines show."""
    return list(dict.fromkeys(p for line in lines for p in line if isinstance(p, Node)))


def text(line: Iterable[Piece], arrays: Mapping[Node, Array]) -> str:
    """A printed line, its tensors in PyTorch's notation."""
    return "".join(piece if isinstance(piece, str) else _tensor(arrays[piece]) for piece in line)


def _tensor(array: Array) -> str:
    """`tensor([1.5, 2. ])`; long axes by their edges. Every option is said, so that nothing
    that NumPy was told elsewhere changes it.
    """
    numbers = np.array2string(
        array,
        max_line_width=WIDTH,
        precision=DIGITS,
        suppress_small=False,
        separator=", ",
        prefix="tensor(",
        threshold=1000,
        edgeitems=3,
        floatmode="maxprec",
        sign="-",
    )
    return f"tensor({numbers})"
