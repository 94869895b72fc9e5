"""Printed values: pieces while tracing, text when the arrays are known."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from gradcli.graph import DECIMAL, INPUT, Array, Node, Shape
from gradcli.ledger import Ledger
from gradcli.ops.control import DETACH, LEAF
from gradcli.trace.dictionaries import Dictionary, OrderedDictionary, SetOfValues
from gradcli.trace.items import Items
from gradcli.trace.objects import Object
from gradcli.trace.values import Value, Values
from gradcli.tuples import NamedTuple


class PrintedNumber(NamedTuple):
    """A value computed from numbers only, as `2*i`: Python would print a number, not a tensor."""

    node: Node
    is_integer: bool = True
    """Whether it is printed without a fraction, if it is whole."""


class PrintedTensor(NamedTuple):
    """A tensor with what PyTorch prints behind its elements."""

    node: Node
    suffixes: tuple[str, ...]


class PrintedArray(NamedTuple):
    """A tensor that was made an array of NumPy, which is printed in its way."""

    node: Node


Piece: TypeAlias = Node | PrintedTensor | PrintedNumber | PrintedArray | str
"""Text, or a tensor or number whose value is not known yet."""

WIDTH = 80
MANY = 1000
"""Of arrays with more elements, `EDGE` items from both ends of each axis are shown."""
EDGE = 3
LINE = "\n"

OVERHEAD = 128
"""Bytes of a piece without its text."""
CELL = 128
"""Bytes of an element's text while it is made."""
TEXTS = 3
"""Copies of printed text in memory: the line, all lines, the answer that is written."""


class Printed(NamedTuple):
    """Lines as pieces."""

    lines: list[list[Piece]]
    others: list[list[Piece]]
    """What a program ended on that is no tensor."""

    @property
    def nodes(self) -> list[Node]:
        """The tensors and numbers whose values are shown."""
        waiting = (
            p for line in (*self.lines, *self.others) for p in line if not isinstance(p, str)
        )
        return list(dict.fromkeys(p if isinstance(p, Node) else p.node for p in waiting))


class PrintedNumbers:
    """Distinguishes numbers from tensors; what it has found out about a node is kept."""

    def __init__(self, values: Values) -> None:
        self.values = values
        self.arrays = values.arrays
        """Tensors that are printed as NumPy's."""
        self._found: dict[Node, bool] = {}
        self._integers: dict[Node, bool] = {}

    def __contains__(self, node: Node) -> bool:
        """Whether a single value is made of constants by operations that have operands."""
        stack = [node]
        while stack:
            current = stack[-1]
            waiting = [each for each in current.inputs if each not in self._found]
            if current in self._found:
                stack.pop()
            elif current.shape or current.op in (LEAF, INPUT, DETACH):
                self._found[current] = False
            elif waiting:
                stack += waiting
            else:
                made = bool(current.inputs) and all(map(self._found.__getitem__, current.inputs))
                self._found[current] = current.known is not None or made
        return self._found[node]

    def is_integer(self, node: Node) -> bool:
        """Whether a number, if it is whole, is an integer: outside of Python's programs it is; in
        these it depends on what it was computed of.
        """
        if not self.values.is_python:
            return True
        stack = [node]
        while stack:
            current = stack[-1]
            if current not in self._integers and current.known is None and current.kind == "float":
                waiting = [each for each in current.inputs if each not in self._integers]
                if waiting and "int" in current.op.takes:
                    stack += waiting
                    continue
            self._integers[stack.pop()] = self._is_made_integer(current)
        return self._integers[node]

    def _is_made_integer(self, node: Node) -> bool:
        """The same, where it is known of the operands."""
        if node.kind != "float":
            return True
        if node.known is not None:
            return node.attributes != DECIMAL and float(node.known).is_integer()
        if "int" not in node.op.takes or not node.inputs:
            return False
        return all(map(self._integers.__getitem__, node.inputs))


def pieces(
    values: Sequence[Value], numbers: PrintedNumbers, ledger: Ledger, separator: str = " "
) -> list[Piece]:
    """Values with a separator between them; nested lists are handled without recursion.

    The size of their text is put on the ledger: a list may hold the same list many times.
    """
    found: list[Piece] = []
    waiting: list[tuple[Value, bool]] = [
        (value, False) for value in reversed(_joined(values, separator))
    ]
    while waiting:
        value, quoted = waiting.pop()
        title = numbers.values.titles.get(id(value)) if numbers.values.titles else None
        if title is not None and title[1] is value:
            waiting += _named(title[0], value)
        elif isinstance(value, Node) and value in numbers.values.parameters:
            found += [f"Parameter containing:{LINE}", _plain(value, numbers)]
        elif isinstance(value, Items | tuple):
            opening, closing = "[]" if isinstance(value, Items) else ("(", ",)"[len(value) != 1 :])
            inside = _joined(value, ", ")
            if type(value).__name__ == "Size":
                opening, closing = "torch.Size([", "])"
            waiting.append((closing, False))
            waiting += [(part, place % 2 == 0) for place, part in enumerate(inside)][::-1]
            waiting.append((opening, False))
        elif isinstance(value, SetOfValues):
            items = _joined(value.elements(), ", ")
            waiting.append(("}" if items else "set()", False))
            waiting += [(part, place % 2 == 0) for place, part in enumerate(items)][::-1]
            waiting.append(("{" if items else "", False))
        elif isinstance(value, Dictionary) and hasattr(value, "ordered"):
            counts = Dictionary(numbers.values, value.ordered())
            waiting += [(")", False), (counts, False), ("Counter(", False)]
        elif isinstance(value, OrderedDictionary):
            waiting += [(")", False), (Items(value.pairs()), False), ("OrderedDict(", False)]
        elif isinstance(value, Dictionary):
            waiting.append(("}", False))
            for place, (key, each) in reversed(list(enumerate(value.pairs()))):
                comma = ", " if place + 1 < value.length() else ""
                waiting += [(comma, False), (each, True), (": ", False), (key, True)]
            waiting.append(("{", False))
        elif isinstance(value, str):
            found.append(repr(value) if quoted else value)
        else:
            found.append(_plain(value, numbers))
        ledger.take(OVERHEAD + (_text_bytes(found[-1]) if found else 0), "what is printed")
    return found


def _named(title: str, value: Any) -> list[tuple[Value, bool]]:
    """The parts of named results as PyTorch prints them, from the last one on."""
    parts: list[Value] = [f"torch.return_types.{title.rpartition('.')[2]}({LINE}"]
    for name in value._fields:
        comma = f",{LINE}" if name != value._fields[-1] else ")"
        parts += [f"{name}=", getattr(value, name), comma]
    return [(part, False) for part in reversed(parts)]


def _text_bytes(piece: Piece) -> int:
    """About how many bytes the text of a piece takes where it is made and where it is written."""
    if isinstance(piece, str):
        return TEXTS * len(piece) * (1 if piece.isascii() else 4)
    if isinstance(piece, PrintedNumber):
        return CELL
    if isinstance(piece, PrintedArray | PrintedTensor):
        piece = piece.node
    shape = piece.shape
    lengths = [min(length, 2 * EDGE) for length in shape] if piece.size > MANY else shape
    return CELL * math.prod(lengths)


def _joined(values: Sequence[Value], separator: str) -> list[Value]:
    """The values with the separator between them."""
    joined: list[Value] = []
    for value in values:
        joined += [value, separator]
    return joined[:-1]


def _plain(value: Node | Object | range | None, numbers: PrintedNumbers) -> Piece:
    """The piece for a value: what is known after the run, or its text."""
    if isinstance(value, Object):
        return value.shown()
    if not isinstance(value, Node):
        return str(value)
    known = None if value.shape else value.graph.look(value)
    if known is not None:
        return _number(known, is_integer=numbers.is_integer(value))
    if value in numbers.arrays:
        return PrintedArray(value)
    if value in numbers:
        return PrintedNumber(value, numbers.is_integer(value))
    suffixes = numbers.values.suffixes(value)
    return PrintedTensor(value, suffixes) if suffixes else value


def _number(array: Array, *, is_integer: bool) -> str:
    """A single number as people write it."""
    written = str(array.item())
    return written.removesuffix(".0") if is_integer else written


def text(line: Iterable[Piece], arrays: Mapping[Node, Array]) -> str:
    """A printed line, its tensors in PyTorch's notation."""
    return "".join(_written(piece, arrays) for piece in line)


def _written(piece: Piece, arrays: Mapping[Node, Array]) -> str:
    if isinstance(piece, str):
        return piece
    if isinstance(piece, PrintedNumber):
        return _number(arrays[piece.node], is_integer=piece.is_integer)
    if isinstance(piece, PrintedArray):
        return str(arrays[piece.node])
    if isinstance(piece, PrintedTensor):
        return _with_suffixes(_tensor(arrays[piece.node]), piece.suffixes)
    return _tensor(arrays[piece])


def _with_suffixes(tensor: str, suffixes: Sequence[str]) -> str:
    """The text of a tensor with suffixes, in a line of their own where they do not fit."""
    found = tensor.removesuffix(")")
    width = len(found) - found.rfind(LINE) + 1
    for suffix in suffixes:
        if width + len(suffix) + 2 > WIDTH:
            indent = len("tensor(")
            found += f",{LINE}{' ' * indent}{suffix}"
            width = indent + len(suffix)
        else:
            found += f", {suffix}"
            width += len(suffix) + 2
    return f"{found})"


def _tensor(array: Array) -> str:
    """The array as `torch/_tensor_str.py` writes a tensor of a default dtype; of long axes only the
    edges.
    """
    if not array.size:
        size = "" if array.ndim == 1 else f", size={array.shape}"
        dtype = {"f": "", "i": ", dtype=torch.int64", "b": ", dtype=torch.bool"}[array.dtype.kind]
        return f"tensor([]{size}{dtype})"
    cut = [array.size > MANY and length > 2 * EDGE for length in array.shape]
    for axis, is_cut in enumerate(cut):
        if is_cut:
            array = array.take([*range(EDGE), *range(-EDGE, 0)], axis)
    cells, width = _cells(array)
    return f"tensor({_rows(cells, array.shape, cut, width, len('tensor('))})"


def _cells(array: Array) -> tuple[list[str], int]:
    """The elements in one notation, and the width of those that are finite and not 0."""
    numbers = array.ravel().tolist()
    if array.dtype.kind != "f":
        texts = [str(number) for number in numbers]
        width = max(map(len, texts))
        return [each.rjust(width) for each in texts], width
    sizes = [abs(number) for number in numbers if number and math.isfinite(number)]
    notate = _notation(sizes)
    found = (number for number in numbers if number and math.isfinite(number))
    width = max((len(notate(number)) for number in found), default=1)
    return [notate(number).rjust(width) for number in numbers], width


def _notation(sizes: Sequence[float]) -> Callable[[float], str]:
    """Whole numbers as `3.`, others with four digits; with exponents if magnitudes differ much."""
    least, most = min(sizes, default=1.0), max(sizes, default=1.0)
    if most / least > 1000 or most > 1e8 or least < 1e-4:
        return "{:.4e}".format
    if all(map(float.is_integer, sizes)):
        return lambda number: f"{number:.0f}." if math.isfinite(number) else f"{number:.0f}"
    return "{:.4f}".format


def _rows(cells: Sequence[str], shape: Shape, cut: Sequence[bool], width: int, indent: int) -> str:
    """Cells in brackets, rows below each other, `...` where an axis is cut."""
    if not shape:
        return cells[0]
    below = " " * (indent + 1)
    if len(shape) == 1:
        items = [*cells[:EDGE], " ...", *cells[EDGE:]] if cut[0] else cells
        count = max(1, (WIDTH - indent) // (width + 2))
        lines = [", ".join(items[i : i + count]) for i in range(0, len(items), count)]
        return f"[{f',{LINE}{below}'.join(lines)}]"
    size = len(cells) // shape[0]
    parts = [
        _rows(cells[start : start + size], shape[1:], cut[1:], width, indent + 1)
        for start in range(0, len(cells), size)
    ]
    if cut[0]:
        parts.insert(EDGE, "...")
    return f"[{f',{LINE * (len(shape) - 1)}{below}'.join(parts)}]"
