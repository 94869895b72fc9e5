"""The values of expressions while tracing, and conversions between them.

Numbers, truth values and tensors are nodes. Where an op needs a plain number (an axis, a count, a
condition) the engine computes the node's value.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import NoneType
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

import numpy as np

from gradcli.diagnostics import GradcliError, RefusedError
from gradcli.engine.evaluator import Evaluator
from gradcli.graph import CONSTANT, EMPTY, SINGLE, Array, Graph, Kind, Node
from gradcli.ops.control import bind, leaf
from gradcli.ops.kinds import cast
from gradcli.ops.loops import Stretch, Unlike
from gradcli.ops.shapes import show
from gradcli.trace.changes import Changes
from gradcli.trace.items import Growing, Items, NamedRows
from gradcli.trace.objects import Object

if TYPE_CHECKING:
    from gradcli.ops.indexing import Item
    from gradcli.trace.pass_numbers import PassNumbers
    from gradcli.trace.passages import Passages
    from gradcli.trace.tensor_text import Style

Value: TypeAlias = "Node | str | tuple[Any, ...] | Items | Object | range | None"

Give: TypeAlias = Callable[[Value], Any]
"""What a visitor does with each value that it finds: it yields what this gives."""

_PLACES = ("range", "an index of a ", "a slice's bound")
"""What integers of Python's are for, or tensors of one."""


class PlainNumbers(Protocol):
    """Tells numbers of Python's from tensors."""

    def __contains__(self, node: Node, /) -> bool:
        """Whether it is such a number."""

    def is_integer(self, node: Node) -> bool:
        """Whether that is an integer in Python."""


class Trained(Protocol):
    """A layer."""

    training: bool
    """Whether it is being trained."""


class StandIns(Protocol):
    """A pass of a loop that stands for others."""

    def counter(self, items: range) -> Node:
        """What stands for a number that each pass has of its own."""

    def has_made(self, items: Items) -> bool:
        """Whether a list is one that the pass has made itself."""

    def number_in(self, node: Node) -> Node | None:
        """What stands for the number that is taken out of a tensor, if each pass has its own."""

    def numbered(self, numbers: Array) -> Node:
        """The same for numbers that are given."""

    def numbers(self, node: Node) -> PassNumbers | None:
        """The values of a node in all passes, if it depends on such numbers alone."""

    def item(self, values: Sequence[Any], numbers: PassNumbers) -> Node:
        """What stands for the numbers in a list at places that each pass has of its own."""

    def row(self, node: Node, numbers: range) -> Node:
        """What stands for the rows of a tensor, one for each pass."""

    def element(self, node: Node, places: list[Item], moving: Mapping[int, PassNumbers]) -> Node:
        """What stands for `node[places]`, where some places are other ones in each pass."""


_PYTORCHS = frozenset((
    "shape", "ndim", "dtype", "device", "grad_fn", "is_leaf", "T", "mT", "name", "layout", "data",
    "requires_grad", "itemsize", "nbytes", "output_nr", "retains_grad", "is_cuda", "is_cpu", "H",
))  # fmt: skip
"""Attributes of tensors that only PyTorch sets."""


class Values(Changes):
    """Conversions, which may look at the values of nodes."""

    __slots__ = (
        "alone", "any_pass", "array_dtype", "array_options", "attributes", "complex_of_modules",
        "computed_once", "cut_row", "distinct", "explicit", "gathered", "gathers", "in_complex",
        "is_again", "is_python", "is_pytorch", "lazily", "made_by", "mapped", "members_given",
        "modes", "number_lists", "of_complex", "on_card", "parameters", "passages",
        "plain_numbers", "printed_into", "rolls", "schedulers", "shortest_loop", "style",
        "suffixes", "symbols", "taken_apart", "taken_numbers", "texts", "titles",
    )  # fmt: skip

    def __init__(self, graph: Graph, evaluator: Evaluator) -> None:
        super().__init__(graph, evaluator)
        self.passages: Passages | None = None
        """Which part of the program makes which nodes, where that is to be remembered."""
        self.alone: frozenset[int] = frozenset()
        """The passes of loops that are traced one by one in any case."""
        self.taken_apart: set[Node] = set()
        """Tensors whose elements passes take in several ways."""
        self.on_card = False
        """Whether a GPU computes what is traced: each pass over large arrays is kernels there."""
        self.shortest_loop = 0
        """The fewest passes that become one node."""
        self.number_lists: set[Node] = set()
        """Leaves that stand for lists of numbers, while there are no leaves that were marked."""
        self.explicit = False
        """Whether only marked leaves and inputs are differentiated by."""
        self.computed_once: set[Any] | None = None
        """Parameters that were computed and are not again, in a block that says so."""
        self.distinct = False
        """Whether tensors that are made equal must stay apart, as one of them may change."""
        self.attributes: dict[Node, dict[str, Value]] = {}
        """What the program has stored with tensors: `x.g = …`, by what these were first."""
        self.parameters: set[Node] = set()
        """Leaves that `nn.Parameter` and layers made."""
        self.complex_of_modules: list[Any] = []
        """The complex tensors that modules hold."""
        self.made_by: dict[Node, tuple[str, Sequence[Any], Mapping[str, Any]]] = {}
        """The calls of functions that made nodes, where PyTorch would print what made them."""
        self.titles: dict[int, tuple[str, Any]] = {}
        """The functions that made named results, by the identity of these."""
        self.suffixes: Callable[[Node], tuple[str, ...]] = lambda node: ()
        """What is printed behind the elements of a tensor."""
        self.texts: dict[Object, str] = {}
        """What objects have last said of how they are shown in lists."""
        self.array_dtype: Callable[[Node], str] = lambda node: _ARRAY_DTYPES[node.kind]
        """NumPy's dtype of an array."""
        self.style: Style | None = None
        """How tensors are written, where `torch.set_printoptions` has set it."""
        self.array_options: Mapping[str, Any] = {}
        """The same for arrays, by `np.set_printoptions`."""
        self.taken_numbers: dict[Node, Node] = {}
        """What stands for numbers that passes of loops take out of tensors, with these."""
        self.modes: dict[Trained, tuple[bool, bool]] = {}
        self.schedulers: list[Any] = []
        """The schedulers of learning rates that the program has made."""
        """Whether layers were being trained before that was first set, and are now."""
        self.rolls = False
        """Whether passes of loops may become one node."""
        self.gathers = False
        """Whether passes may, too, whose values have names of their own."""
        self.gathered: list[NamedRows] = []
        """Such names, whose values are no nodes: to the program they are None."""
        self.any_pass: StandIns | None = None
        """The pass that is being traced, if it stands for others."""
        self.mapped: set[Node] = set()
        """The rows that functions are computing with which `vmap` calls."""
        self.printed_into: Callable[[str], None] | None = None
        """What print writes into, where that is a text of the program's own."""
        self.is_again = False
        """Whether such a function is called for another row, and has printed what it prints."""
        self.symbols: frozenset[Node] = frozenset()
        """Single whole numbers without values: an element at such a place is not looked up."""
        self.of_complex: Callable[[str, list[Any], dict[str, Any]], Any] | None = None
        """Calls a function of complex numbers, once there are any; None where it has no others."""
        self.members_given = False
        """Whether the program has given a module a value: `torch.pi = …`."""
        self.in_complex: Callable[[Any, Any], Any] | None = None
        """Gives a tensor in a complex dtype."""
        self.is_pytorch = False
        """Whether the program has imported PyTorch."""
        self.cut_row: Callable[[Node, Node], Node] = lambda row, of: row
        """A row of a tensor as it is where nothing may be recorded; the tracer sets it."""
        self.lazily: Callable[[Callable[[Give], Any]], Any]
        """The items that a visitor gives, as they are asked for; the tracer sets it."""
        self.plain_numbers: PlainNumbers | None = None
        """Tells numbers of Python's from tensors, and which of them are integers there."""
        self.is_python = False
        """Whether it has imported anything: then 2 and 2.0 are two kinds of numbers, as there."""

    # --- tensors and lists as they are now ---

    def now(self, value: Value) -> Value:
        """A value as it is now, if it is a tensor that was changed in place."""
        return self.current(value) if self.latest and isinstance(value, Node) else value

    def as_list(self, items: Items) -> Node:
        """A list as a tensor; its elements are still those of the list."""
        node = self.tensor(items)
        if node.op is not CONSTANT:
            self.listed[node] = items
        return node

    def elements(self, value: Value) -> list[Value]:
        """What a loop runs over: elements, or rows."""
        if isinstance(value, Node) and value in self.listed:
            value = self.listed[value]
        if isinstance(value, Node) and value.shape:
            if self.explicit and value in self.number_lists:
                return [self.graph.constant(each) for each in self.evaluator.value(value).tolist()]
            return [*self.rows(value)]
        if isinstance(value, str):
            return list(value)
        if isinstance(value, Object):
            return self.elements(value.elements())
        if isinstance(value, range):
            self.graph.check_room(len(value))
            return [self.graph.constant(float(each)) for each in value]
        if isinstance(value, Items | tuple):
            if not self.latest:
                return list(value)
            return [self.current(each) if isinstance(each, Node) else each for each in value]
        from gradcli.trace.index_errors import nothing_inside  # a rare error

        raise nothing_inside(describe(value), self.plain_kind(value), value in self.boxed)

    def is_single(self, node: Node) -> bool:
        """Whether PyTorch has the tensor in float32, and the run computes in more digits."""
        if node.kind != "float" or self.graph.precision == "float32":
            return False
        if not self.is_pytorch and node not in self.arrays:
            return False
        return self.array_dtype(node) == "float32"

    def plain(self, number: float | bool, *, single: bool = False) -> Node:
        """A number of Python's as a node: 2.0 stays a float where the program is Python's, and one
        of float32 (`single`) is written with the digits of that.
        """
        if self.is_python and type(number) is float:
            if number.is_integer():
                return self.graph.decimal(number)
            if single:
                return self.graph.decimal(number, SINGLE)
        return self.graph.constant(number)

    def setting(self, value: Any) -> Value:
        """What something was made with, where that may be a number of Python's, or several."""
        if isinstance(value, tuple):
            return tuple(map(self.setting, value))
        return self.plain(value) if isinstance(value, bool | int | float) else value

    def listing(self, value: Value) -> Value:
        """An array of numbers as the nested lists that it was written as."""
        if not isinstance(value, Node) or not value.shape:
            return value
        self.graph.check_room(value.size)
        level: list[Value] = [
            self.plain(each) for each in self.evaluator.value(value).ravel().tolist()
        ]
        for axis in reversed(range(value.ndim)):
            length = value.shape[axis]
            level = [Items(level[i : i + length]) for i in range(0, len(level), length or 1)]
        return level[0] if level else Items([])

    def is_number_of_numpy(self, node: Node) -> bool:
        """Whether it is a number of NumPy's, as an array has for elements."""
        return not node.shape and node in self.arrays and node not in self.boxed

    def stay_arrays(self, result: Value, operands: Sequence[Value]) -> None:
        """What is computed from NumPy's arrays is printed as one."""
        if isinstance(result, Node) and any(
            isinstance(each, Node) and each in self.arrays for each in operands
        ):
            self.arrays.add(result)

    @property
    def is_apart(self) -> bool:
        """Whether each tensor that is made is one of its own, also where others are equal to it."""
        return self.distinct or self.is_pytorch

    def store(self, node: Node, name: str, value: Value) -> None:
        """Store a value with a tensor: `p.rate = 0.1`. Raises `name` for what PyTorch alone sets,
        and where there is no tensor.
        """
        if name in _PYTORCHS or node.known is not None:
            raise GradcliError("name", f"{describe(node)}: its {name!r} cannot be set")
        self.attributes.setdefault(self.first.get(node, node), {})[name] = value

    def is_tensor(self, value: Value) -> bool:
        """Whether it is a tensor of PyTorch's: no array, list, or number of Python's."""
        return (
            isinstance(value, Node)
            and value.op is not CONSTANT  # a list that stands in a call or between brackets
            and not (self.plain_numbers is not None and value in self.plain_numbers)
            and value not in self.arrays
            and value not in self.listed
            and value not in self.number_lists
        )

    def own(self, node: Node) -> Node:
        """A tensor that was made, as a node of its own where it may change."""
        return leaf(node, marked=False) if self.is_apart and self.explicit else node

    def check_change(self, items: Items) -> None:
        """Raise `Unlike` where a pass that stands for others would change a list of all passes."""
        if self.any_pass is None or isinstance(items, Growing) or self.any_pass.has_made(items):
            return
        raise Unlike("it changes a list that has no name of its own")

    def check_set(self, owner: Value) -> None:
        """Raise `Unlike` where a pass that stands for others would set an element of something else
        than a tensor, or a list of its own.
        """
        if self.any_pass is None or isinstance(owner, Node):
            return
        if not isinstance(owner, Items) or not self.any_pass.has_made(owner):
            raise Unlike("it sets elements of lists, dictionaries or objects")

    def check_change_of_deque(self) -> None:
        """Raise `Unlike` where a pass that stands for others would change a deque."""
        if self.any_pass is not None:
            raise Unlike("it changes a deque")

    def check_draw(self) -> None:
        """Raise `Unlike` where a pass that stands for others would draw a number of its own."""
        if self.any_pass is not None:
            raise Unlike("it draws numbers that are known")

    # --- tensors ---

    def new(self, built: Any, oldest: int) -> Any:
        """The results of a function as tensors of their own where the graph distinguishes tensors:
        a node older than index `oldest` was returned unchanged, as by `x[:]`.
        """
        if self.graph.shares:
            return built
        if isinstance(built, tuple):
            parts = [self.new(part, oldest) for part in built]
            return built._make(parts) if hasattr(built, "_make") else tuple(parts)
        is_old = isinstance(built, Node) and built.index < oldest and built.op is not CONSTANT
        return bind(built) if is_old and built.kind == "float" else built

    def tensor(self, value: Value, what: str = "this") -> Node:
        """The value as a node; a list of equal shapes becomes a stack."""
        if isinstance(value, Node):
            return value
        if isinstance(value, Items):
            return self._stack(value)
        hint = _NOT_TENSORS.get(type(value), "stack([a, b]) makes a tensor of several")
        raise GradcliError("type", f"{what} must be a tensor, not {describe(value)}", hint=hint)

    def _stack(self, items: Items) -> Node:
        """Nested lists as one tensor, from the innermost lists outwards, each list once."""
        from gradcli.ops.joining import stack

        done: dict[int, Node] = {}
        pending: list[Items | tuple[Any, ...]] = [items]
        while pending:
            current = pending[-1]
            if isinstance(current, Items) and current.is_rolled:
                done[id(pending.pop())] = stack(self.pieces(current, "a list"))
                continue
            inner = [each for each in current if _is_list(each) and id(each) not in done]
            if inner:
                pending += inner
                continue
            pending.pop()
            if not current and pending and self.is_pytorch:
                done[id(current)] = self.graph.constant(np.zeros(0))
                continue
            if not current:
                raise GradcliError(
                    "type", "an empty list is not a tensor", hint="zeros(0) is an empty one"
                )
            nodes = [
                done[id(item)] if _is_list(item) else self.tensor(self.now(item), "an element")
                for item in current
            ]
            known = _numbers(nodes)
            try:
                done[id(current)] = stack(nodes) if known is None else self.graph.constant(known)
            except GradcliError as refused:
                from gradcli.trace.index_errors import uneven  # a rare error

                raise uneven(items) or refused from None
        return done[id(items)]

    def tensors(self, value: Value, what: str) -> list[Node]:
        """A list or tuple of tensors; a tensor stands for its rows, but not where PyTorch takes a
        tuple.
        """
        name, _, parameter = what.partition(": ")
        if parameter == "tensors" and self.is_pytorch and self.is_tensor(value):
            said = f"{name}(): argument 'tensors' (position 1) must be tuple of Tensors, not Tensor"
            raise RefusedError(("TypeError", said), "type", f"{what} must be a list of tensors",
                               hint=f"{name}([a, b])")  # fmt: skip
        if isinstance(value, Node):
            return self.rows(value)
        if isinstance(value, Items | tuple):
            found = value if isinstance(value, Items) and value.is_rolled else self.elements(value)
            return [self.tensor(item, f"an element of {what}") for item in found]
        raise GradcliError(
            "type",
            f"{what} must be a list of tensors, not {describe(value)}",
            hint="a list is written [a, b]",
        )

    def rows(self, node: Node) -> list[Node]:
        """The elements along the first axis."""
        from gradcli.ops.indexing import getitem

        if not node.shape:
            raise GradcliError(
                "type", "a single value has no rows", hint="reshape(x, 1) is a row of one"
            )
        self.graph.check_room(node.shape[0])
        return [self.as_row(getitem(node, [i]), node) for i in range(node.shape[0])]

    def as_row(self, row: Node, of: Node) -> Node:
        """What iteration gives: an array of an array; PyTorch says that `unbind` has made it."""
        if of in self.arrays:
            self.arrays.add(row)
        elif self.is_pytorch:
            self.made_by.setdefault(row, ("unbind", (of,), EMPTY))
            return self.cut_row(row, of)
        return row

    def pieces(self, value: Value, what: str) -> list[Node | Stretch]:
        """The same, and what a loop has made together as stretches."""
        if not isinstance(value, Items) or not value.is_rolled:
            return [*self.tensors(value, what)]
        return [
            each if isinstance(each, Stretch) else self.tensor(each, f"an element of {what}")
            for each in value.entries()
        ]

    def index(self, value: Value, what: str) -> Node:
        """A tensor of integers; floats with integer values count, as numbers are floats here."""
        node = self.tensor(value, what)
        if node.kind == "float" and not _are_whole(self.evaluator.value(node)):
            raise GradcliError(
                "type",
                f"{what} must hold integers",
                hint="round(x) or floor(x) makes integers of them",
            )
        return cast(node, "int")

    def known_index(self, value: Value, what: str) -> Node:
        """The same as a constant: its values are looked at now."""
        return self.graph.constant(self.evaluator.value(self.index(value, what)))

    def known(self, value: Value, what: str) -> Node:
        """A tensor as a constant, looked at now."""
        return self.graph.constant(self.evaluator.value(self.tensor(value, what)))

    # --- plain values ---

    def number(self, value: Value, what: str) -> float:
        """A single number, looked at now."""
        node = self.tensor(value, what)
        if node.size != 1:
            raise GradcliError(
                "type",
                f"{what} must be a single number; it is {show(node.shape)}",
                hint="x[0] is one element, sum(x) or max(x) a single number",
            )
        return float(self.evaluator.value(node).reshape(()))

    def integer(self, value: Value, what: str) -> int:
        """A single integer-valued number, looked at now."""
        if isinstance(value, Node) and value.kind == "bool":
            raise GradcliError(
                "type", f"{what} must be an integer, not a truth value", hint="write 0 or 1"
            )
        if isinstance(value, Node) and value.kind == "float":
            is_tensor = self.is_pytorch and self.is_tensor(value) and what.startswith(_PLACES)
            if is_tensor or self.plain_kind(value) == "float":
                from gradcli.trace.index_errors import float_for_integer  # a rare error

                raise float_for_integer(what, is_tensor=is_tensor)
        number = self.number(value, what)
        if number != number or number in (float("inf"), float("-inf")) or number != int(number):
            raise GradcliError(
                "type", f"{what} must be an integer, not {number:g}", hint="// divides to integers"
            )
        return int(number)

    def place(self, value: Value, what: str) -> int:
        """An integer as Python's own types take it, where a truth value is 0 or 1."""
        is_truth = self.is_python and isinstance(value, Node) and value.kind == "bool"
        return int(self.number(value, what)) if is_truth else self.integer(value, what)

    def plain_kind(self, value: Value) -> str:
        """The class of a number of Python's; nothing for other values."""
        numbers = self.plain_numbers
        if not self.is_python or numbers is None or not isinstance(value, Node):
            return ""
        if value not in numbers:
            return ""
        return "bool" if value.kind == "bool" else "int" if numbers.is_integer(value) else "float"

    def integers(self, value: Value, what: str) -> tuple[int, ...]:
        """One or several integers, as a tuple."""
        if isinstance(value, Items | tuple):
            return tuple(self.integer(item, what) for item in value)
        node = self.tensor(value, what)
        if not node.shape:
            return (self.integer(node, what),)
        if node.ndim > 1:
            raise GradcliError(
                "type", f"{what} must be integers in one row", hint="write (0, 1) or [0, 1]"
            )
        return tuple(self.integer(row, what) for row in self.rows(node))

    def numbers(self, value: Value, what: str) -> tuple[float, ...]:
        """One or several numbers, as a tuple."""
        if isinstance(value, Items | tuple):
            return tuple(self.number(item, what) for item in value)
        node = self.tensor(value, what)
        if node.ndim != 1:
            return (self.number(node, what),)
        return tuple(self.number(row, what) for row in self.rows(node))

    def check_look(self, value: Value, done: str) -> None:
        """Raise `value` where the numbers of rows are looked at that `vmap` gives a function."""
        if self.mapped:
            from gradcli.trace.mapped import refuse_rows  # few programs have them

            refuse_rows(self.mapped, value, done)

    def truth(self, value: Value) -> bool:
        """Whether a condition holds; it must be a single value."""
        if value is None or isinstance(value, str | tuple | Items):
            return bool(value)
        if isinstance(value, Object):
            return value.truth()
        if isinstance(value, range):
            return len(value) > 0
        if self.mapped:
            self.check_look(value, "condition")
        if value.size != 1:
            from gradcli.trace.numpy_wordings import in_numpys_words  # few programs fail

            error = GradcliError(
                "value",
                f"a condition of {'several' if value.size else 'no'} elements: {show(value.shape)}",
                hint="all(…) or any(…) makes one of them; where(…) chooses element by element",
            )
            raise in_numpys_words(error, (value,), self.arrays)
        return bool(self.evaluator.value(value).reshape(()))


_ARRAY_DTYPES: dict[Kind, str] = {"float": "float64", "int": "int64", "bool": "bool"}
NO_GRAD_YET = "a .grad is None until a backward has reached its leaf"
_NOT_TENSORS: dict[type[Any], str] = {
    NoneType: NO_GRAD_YET,
    str: "numbers and names stand without quotes",
    range: "arange(n) is a tensor",
    tuple: "t[0] is the first of its values, and a, b = t binds each of them",
}
"""What to write instead, for values that are not tensors."""


def _is_list(item: Any) -> bool:
    return isinstance(item, Items | tuple)


def _are_whole(array: Array) -> bool:
    """Whether all numbers are integers that floats can hold, looked at in blocks."""
    from gradcli.engine.blocks import blocks  # most programs start faster without

    parts = (array[place] for place in blocks(array.shape))
    return all(bool(np.all((part == np.floor(part)) & (np.abs(part) < 2**53))) for part in parts)


def describe(value: Value) -> str:
    """What a value is, in words."""
    if isinstance(value, Node):
        return f"a tensor of shape {show(value.shape)}" if value.shape else "a single value"
    if isinstance(value, str):
        return "a string"
    if value is None:
        return "None"
    if isinstance(value, Object):
        return value.what
    return (
        "a tuple"
        if isinstance(value, tuple)
        else "a list"
        if isinstance(value, Items)
        else "a range"
    )


def _numbers(nodes: Sequence[Node]) -> Array | None:
    """The elements of a list side by side, where all are constants of one shape."""
    known = [
        node.known
        for node in nodes
        if node.op is CONSTANT and node.kind == "float" and node.known is not None
    ]
    same = len(known) == len(nodes) and len({array.shape for array in known}) == 1
    return np.stack(known) if same else None
