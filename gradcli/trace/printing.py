"""Printed values: pieces while tracing, text when the arrays are known."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from gradcli.diagnostics import GradcliError, Note
from gradcli.graph import DECIMAL, INPUT, SINGLE, Array, Node
from gradcli.ledger import Ledger
from gradcli.ops.control import BIND, DETACH, LEAF
from gradcli.trace.dictionaries import (
    DefaultDictionary,
    Dictionary,
    DictionaryView,
    FrozenSetOfValues,
    OrderedDictionary,
    SetOfValues,
)
from gradcli.trace.items import Device, Generated, Growing, Items, NumpyDtype, Unquoted
from gradcli.trace.objects import Object
from gradcli.trace.values import Value, Values
from gradcli.tuples import NamedTuple

if TYPE_CHECKING:
    from gradcli.trace.tensor_text import Style


class PrintedNumber(NamedTuple):
    """A value computed from numbers only, as `2*i`: Python would print a number, not a tensor."""

    node: Node
    is_integer: bool = True
    """Whether it is printed without a fraction, if it is whole."""
    is_exact: bool = False
    """Whether Python prints all digits of it."""


class PrintedTensor(NamedTuple):
    """A tensor with what PyTorch prints behind its elements, where it is not all usual."""

    node: Node
    suffixes: tuple[str, ...]
    style: Style | None
    """What `torch.set_printoptions` had set when it was printed."""
    single: bool = False
    """Whether PyTorch has it in float32."""


class PrintedArray(NamedTuple):
    """A tensor that was made an array of NumPy, which is printed in its way."""

    node: Node
    options: Mapping[str, Any]
    """What `np.set_printoptions` had set."""
    dtype: str
    """NumPy's dtype."""
    quoted: bool = False
    """Whether it is written as `repr` does."""
    boxed: bool = False
    """Whether it is an array even if it has no axes."""


Piece: TypeAlias = Node | PrintedTensor | PrintedNumber | PrintedArray | str
"""Text, or a tensor or number whose value is not known yet."""

MANY = 1000
"""Of arrays with more elements, `EDGE` items from both ends of each axis are shown."""
EDGE = 3
LINE = "\n"

_NAMED = (LEAF, BIND)
"""What a number may be given a name by."""
OVERHEAD = 128
"""Bytes of a piece without its text."""
CELL = 128
"""Bytes of an element's text while it is made."""
TEXTS = 3
"""Copies of printed text in memory: the line, all lines, the answer that is written."""


Moment: TypeAlias = tuple[int, int, int]
"""How many nodes there were, lines printed, and pieces of the last of these."""


class Printed(NamedTuple):
    """Lines as pieces."""

    lines: list[list[Piece]]
    others: list[list[Piece]]
    """What a program ended on that is no tensor."""
    moments: Sequence[Moment]
    """When it was printed."""
    rounded: Callable[[Node, Array], Array] | None = None
    """What a value is where the program computes in fewer digits than the run, if it does."""
    remarks: Sequence[Note] = ()
    """What is said of that."""

    @property
    def nodes(self) -> list[Node]:
        """The tensors and numbers whose values are shown."""
        waiting = (
            p for line in (*self.lines, *self.others) for p in line if not isinstance(p, str)
        )
        return list(dict.fromkeys(p if isinstance(p, Node) else p.node for p in waiting))

    def arrays(self, found: Mapping[Node, Array]) -> Mapping[Node, Array]:
        """The values of these, of those that were found."""
        if self.rounded is None:
            return found
        return {node: self.rounded(node, found[node]) for node in self.nodes}


_PYTHONS: dict[Any, str] = {Items: "list", Growing: "list", tuple: "tuple", range: "range"}
"""What classes here are in Python."""


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
        found = self._found
        stack = [] if node in found else [node]
        while stack:
            current = stack[-1]
            known = [found.get(each) for each in current.inputs]
            if current in self.values.taken_numbers:
                found[current] = True
            elif current.shape or False in known or self._is_given(current):
                found[current] = False
            elif None in known:
                stack.append(current.inputs[known.index(None)])
                continue
            else:
                found[current] = current.known is not None or bool(known)
            stack.pop()
        return found[node]

    def _is_given(self, node: Node) -> bool:
        """Whether it is a tensor by itself: an array without axes, or a leaf, unless it is a number
        of a Python program, to which a name was given.
        """
        values = self.values
        if node in values.boxed:
            return True
        if node.op is not LEAF:
            return node.op in (INPUT, DETACH)
        return values.is_pytorch or not values.is_python or node in values.arrays

    def class_of(self, value: Value) -> str:
        """The class of a number, list, tuple or range of Python's, or of an array of NumPy's,
        in programs with tensors of PyTorch's; nothing for other values.
        """
        values = self.values
        if not values.is_pytorch:
            return ""
        if isinstance(value, Node):
            if value in values.arrays:
                return "numpy.ndarray" if value.shape or value in values.boxed else ""
            if value.shape:
                return "list" if value in values.listed or value in values.number_lists else ""
            return values.plain_kind(value)
        return _PYTHONS.get(type(value), "")

    def are_beside_tensor(self, operands: Iterable[Value]) -> bool:
        """Whether one of them is a tensor of PyTorch's: no number, and no array or list."""
        values = self.values
        return values.is_pytorch and any(
            isinstance(each, Node)
            and each not in values.arrays
            and each not in values.listed
            and each not in values.number_lists
            and each not in self
            for each in operands
        )

    def stay_arrays(self, result: Value, operands: Sequence[Value]) -> None:
        """What is computed from NumPy's arrays is one, unless a tensor is among the operands."""
        if self.values.arrays and not self.are_beside_tensor(operands):
            self.values.stay_arrays(result, operands)

    def add(self, node: Node, *, is_integer: bool) -> None:
        """A node is a number."""
        self._found[node], self._integers[node] = True, is_integer

    def add_like(self, node: Node, other: Node) -> None:
        """A node is a number if another one is, and an integer if that is one."""
        self._found[node] = other in self
        if self._found[node]:
            self._integers[node] = self.is_integer(other)

    def made_like(self, number: float, other: Node) -> Node:
        """A number as what another one is: an integer if that is one."""
        graph, values = self.values.graph, self.values
        return graph.constant(number) if self.is_integer(other) else values.plain(number)

    def is_integer(self, node: Node) -> bool:
        """Whether a number, if it is whole, is an integer: outside of Python's programs it is; in
        these it depends on what it was computed of.
        """
        if not self.values.is_python:
            return True
        stack = [node]
        while stack:
            current = stack[-1]
            if current in self._integers:
                stack.pop()
                continue
            is_made = current.known is None and current not in self.values.taken_numbers
            if is_made and current.kind == "float":
                waiting = [each for each in current.inputs if each not in self._integers]
                if waiting and ("int" in current.op.takes or current.op in _NAMED):
                    stack += waiting
                    continue
            self._integers[stack.pop()] = self._is_made_integer(current)
        return self._integers[node]

    def _is_made_integer(self, node: Node) -> bool:
        """The same, where it is known of the operands."""
        if node.kind != "float":
            return True
        if node in self.values.taken_numbers:
            return self.values.taken_numbers[node].kind == "int"
        if node.known is not None:
            return node.attributes != DECIMAL and float(node.known).is_integer()
        if not node.inputs or ("int" not in node.op.takes and node.op not in _NAMED):
            return False
        return all(map(self._integers.__getitem__, node.inputs))


def pieces(
    values: Sequence[Value],
    numbers: PrintedNumbers,
    ledger: Ledger,
    separator: str = " ",
    *,
    quoted: bool = False,
) -> list[Piece]:
    """Values with a separator between them, `quoted` as `repr` writes them; nested lists are
    handled without recursion.

    The size of their text is put on the ledger: a list may hold the same list many times.
    """
    found: list[Piece] = []
    waiting: list[tuple[Value, bool]] = [
        (value, quoted) for value in reversed(_joined(values, separator))
    ]
    while waiting:
        value, quoted = waiting.pop()
        value = numbers.values.now(value)
        title = numbers.values.titles.get(id(value)) if numbers.values.titles else None
        if title is not None and title[1] is value:
            waiting += _named(title[0], value)
        elif isinstance(value, Node) and value in numbers.values.parameters:
            found += [f"Parameter containing:{LINE}", _plain(value, numbers)]
        elif isinstance(value, Items | tuple):
            waiting += _of_sequence(value)
        elif isinstance(value, Dictionary):
            waiting += _of_dictionary(value)[::-1]
        elif isinstance(value, Object) and (parts := value.parts(quoted)) is not None:
            waiting += parts[::-1]
        elif isinstance(value, str):
            if isinstance(value, NumpyDtype):
                value = Unquoted(value.shown())
            value = _of_device(value) if quoted and isinstance(value, Device) else value
            is_text = quoted and not isinstance(value, Unquoted)
            found.append(repr(value) if is_text else str(value))
        elif quoted and isinstance(value, Node) and value in numbers.arrays:
            found.append(_array(value, numbers, quoted=True))
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


def _of_sequence(value: Items | tuple[Any, ...]) -> list[tuple[Value, bool]]:
    """The parts of a list or tuple, from the last one on, and whether strings get quotes."""
    if hasattr(value, "title"):
        return _of_record(value)
    opening, closing = "[]" if isinstance(value, Items) else ("(", ",)"[len(value) != 1 :])
    if type(value).__name__ == "Size":
        opening, closing = "torch.Size([", "])"
    elif isinstance(value, Generated):
        return [(f"<generator object {value.maker} at 0x7f0000000000>", False)]
    elif isinstance(value, DictionaryView):
        opening, closing = f"{value.kind}([", "])"
    inside = [(part, place % 2 == 0) for place, part in enumerate(_joined(value, ", "))]
    return [(closing, False), *inside[::-1], (opening, False)]


def _of_dictionary(value: Dictionary) -> list[tuple[Value, bool]]:
    """The parts of a dictionary or set, and whether strings get quotes."""
    if isinstance(value, SetOfValues):
        items = _joined(value.elements(), ", ")
        inside: list[tuple[Value, bool]] = [(each, i % 2 == 0) for i, each in enumerate(items)]
        is_frozen = isinstance(value, FrozenSetOfValues)
        opening, closing = ("frozenset({", "})") if is_frozen else ("{", "}")
        if not items:
            return [("frozenset()" if is_frozen else "set()", False)]
        return [(opening, False), *inside, (closing, False)]
    name = "Counter" if hasattr(value, "ordered") else "OrderedDict"
    if not value.pairs() and (name == "Counter" or isinstance(value, OrderedDictionary)):
        return [(f"{name}()", False)]
    if hasattr(value, "ordered"):
        return [("Counter(", False), (Dictionary(value.values, value.ordered()), False),
                (")", False)]  # fmt: skip
    if isinstance(value, OrderedDictionary):
        return [("OrderedDict(", False), (Items(value.pairs()), False), (")", False)]
    if isinstance(value, DefaultDictionary):
        plain = Dictionary(value.values, value.pairs())
        return [(f"defaultdict({value.maker}, ", False), (plain, False), (")", False)]
    inside = []
    for key, each in value.pairs():
        inside += [(", ", False)] if inside else []
        inside += [(key, True), (": ", False), (each, True)]
    return [("{", False), *inside, ("}", False)]


def _of_device(name: str) -> Unquoted:
    """A device as it is written in a list."""
    kind, _, index = name.partition(":")
    return Unquoted(f"device(type={kind!r}, index={index})" if index else f"device(type={kind!r})")


def _of_record(value: Any) -> list[tuple[Value, bool]]:
    """The parts of a named tuple as Python prints them, from the last one on."""
    parts: list[tuple[Value, bool]] = [(f"{value.title}(", False)]
    for place, name in enumerate(value._fields):
        parts += [(f"{', ' if place else ''}{name}=", False), (value[place], True)]
    return [*parts, (")", False)][::-1]


def _text_bytes(piece: Piece) -> int:
    """About how many bytes the text of a piece takes where it is made and where it is written."""
    if isinstance(piece, str):
        return TEXTS * len(piece) * (1 if piece.isascii() else 4)
    if isinstance(piece, PrintedNumber):
        return CELL
    many: float = MANY
    edge = EDGE
    if isinstance(piece, PrintedTensor) and piece.style is not None:
        many, edge = piece.style.threshold, piece.style.edge
    node = piece if isinstance(piece, Node) else piece.node
    lengths = [min(length, 2 * edge) for length in node.shape] if node.size > many else node.shape
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
    if value in numbers.arrays:
        return _array(value, numbers, quoted=False)
    known = None if value.shape else value.graph.look(value)
    if known is not None:
        if value.attributes == SINGLE:
            return str(as_single(known.item()))
        whole = numbers.is_integer(value)
        return _number(known, is_integer=whole, is_exact=whole and numbers.values.is_python)
    if value in numbers:
        whole = numbers.is_integer(value)
        return PrintedNumber(value, whole, whole and numbers.values.is_python)
    suffixes, style = numbers.values.suffixes(value), numbers.values.style
    single = numbers.values.is_single(value)
    is_usual = not suffixes and not style and not single
    return value if is_usual else PrintedTensor(value, suffixes, style, single)


def _array(node: Node, numbers: PrintedNumbers, *, quoted: bool) -> PrintedArray:
    """An array of NumPy's, or a number of its."""
    values = numbers.values
    boxed = node in values.boxed
    return PrintedArray(node, values.array_options, values.array_dtype(node), quoted, boxed)


EXACT = 2**53
"""Whole numbers are exact up to here."""
_LARGEST = 3.4e38
"""Of float32."""
_OVERFLOWS = (2.0 - 2.0**-24) * 2.0**127
"""From here on numbers are infinite in float32."""


def as_single(value: float) -> float:
    """The float32 that is nearest to a number."""
    if abs(value) < _LARGEST:
        return float(struct.unpack("f", struct.pack("f", value))[0])
    return math.copysign(math.inf, value) if abs(value) > _OVERFLOWS else value


def exact(number: float) -> int:
    """A whole number of Python's. Raises `value` where its last digits are not known."""
    if abs(number) > EXACT:
        raise GradcliError(
            "value",
            f"this whole number is about {number:.6g}: whole numbers are exact up to 2**53",
            hint="write a float, as 2.0**100: its first 16 digits are right",
        )
    return int(number)


def _number(array: Array, *, is_integer: bool, is_exact: bool = False) -> str:
    """A single number as people write it."""
    if is_exact and array.dtype.kind == "f" and math.isfinite(array.item()):
        exact(array.item())
    written = str(array[()] if array.dtype == np.float32 else array.item())  # 0.1 in each dtype
    return written.removesuffix(".0") if is_integer else written


def text(line: Iterable[Piece], arrays: Mapping[Node, Array]) -> str:
    """A printed line, its tensors in PyTorch's notation."""
    return "".join(_written(piece, arrays) for piece in line)


def _written(piece: Piece, arrays: Mapping[Node, Array]) -> str:
    if isinstance(piece, str):
        return piece
    if isinstance(piece, PrintedNumber):
        array = arrays[piece.node]
        return _number(array, is_integer=piece.is_integer, is_exact=piece.is_exact)
    from gradcli.trace import tensor_text  # most programs print no tensors

    if isinstance(piece, Node):
        return tensor_text.tensor_text(arrays[piece])
    if isinstance(piece, PrintedArray):
        with np.errstate(over="ignore"):  # 1e100 is inf in float32
            array = arrays[piece.node].astype(piece.dtype)
        shown = array if array.shape or piece.boxed else array[()]
        with np.printoptions(**piece.options):
            return repr(shown) if piece.quoted else str(shown)
    style = piece.style or tensor_text.PLAIN
    array = arrays[piece.node]
    if piece.single and array.dtype == np.float64:
        array = tensor_text.as_held(array, "float32")
    return tensor_text.with_suffixes(array, piece.suffixes, style)
