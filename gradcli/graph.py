"""The graph of values: ops, nodes and interning.

A node is the result of an op on other nodes. Operands exist before the node that uses them, so a
node's `index` is a topological order: sorting by it is all that any walk needs (`walks.py`).

A graph may serve again for a program that differs in its numbers or inputs alone (`plans.py`).
These words tell what may change then:

- A *constant* is known for good. A *literal* is a number of the program, or an array of some: it is
  known too, but another may stand in its *place* next time. Places count the program's numbers.
- To *look* at a value is to decide by it how the graph goes on. A literal that was looked at is
  *pinned*: the graph holds for this number only. The others are *free*.
- Nodes that were looked at while tracing and depend on an input are *guards*: the graph holds while
  their values are the same.
"""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import MappingProxyType, ModuleType
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

import numpy as np

from gradcli.diagnostics import GradcliError
from gradcli.ledger import Ledger
from gradcli.tuples import NamedTuple

if TYPE_CHECKING:
    from types import EllipsisType
    from typing import TypedDict, Unpack

    import numpy.typing as npt

    from gradcli.diagnostics import Span

    class Facts(TypedDict, total=False):
        """What an entry may state about its op: attributes of `Op`, which explains them."""

        selects: bool
        branches: bool
        beyond_domain: bool
        contracts: bool
        unique: bool
        combine: str
        averages: bool
        orders: bool
        view: bool
        copies: bool
        moves: bool
        shaped: bool
        axes: Callable[[Node], tuple[int, ...]]
        work: Callable[[Node], float] | None
        cost: int | Callable[[Node], int]
        exact: bool | Callable[[Node], bool]
        splits: Callable[[Node], Iterable[Split]] | None
        parts: Callable[..., Node | None] | None
        by_number: Callable[[Node], Callable[..., Any] | None] | None
        of_units: Callable[..., None] | None
        into: Callable[..., None] | None
        over_first: Callable[..., Array] | None
        in_blocks: Callable[..., Node | None] | None
        plain: Callable[..., Any] | None
        of_array: Callable[[Node], Callable[..., Any]] | None
        cuda: str | Callable[[Node], str]
        edge: Callable[..., Array] | None
        edgeless: Callable[[Node], bool] | None
        host: float
        refuses: bool
        symmetric: bool
        rounded: Callable[..., Array] | None
        takes: frozenset[Kind]
        typed: bool
        infix: str
        cell: str | Callable[..., Array] | None
        textbook: Sequence[str]
        by_book: Callable[..., Any] | None
        misremembered: Sequence[Sequence[str]]
        attributes: tuple[str, ...]
        flat: bool
        spell: Callable[..., Any] | None
        fields: Callable[[Node], Sequence[tuple[str, Shape]]] | None


if TYPE_CHECKING:
    Array: TypeAlias = npt.NDArray[Any]

    class ArrayNamespace(ModuleType):
        """The functions of arrays that compute on a device: NumPy's, or another library's."""

        linalg: Any
        fft: Any
        lib: Any
        cuda: Any
        add: Any
        maximum: Any
        minimum: Any
        int64: Any
        complex64: Any

        def frexp(self, x: Array) -> tuple[Array, Array]: ...
        def split(self, x: Array, places: Any, axis: int) -> list[Array]: ...
        def errstate(self, **modes: str) -> Any: ...
        def result_type(self, *arrays: Any) -> Any: ...
        def broadcast_arrays(self, *arrays: Array) -> list[Array]: ...
        def __getattr__(self, name: str) -> Callable[..., Array]: ...

else:
    Array = np.ndarray
NUMPY = cast("ArrayNamespace", np)
Shape: TypeAlias = tuple[int, ...]
Kind: TypeAlias = Literal["float", "int", "bool"]
"""What a node holds. A run has one floating-point dtype; integers are int64."""
KINDS: tuple[Kind, ...] = ("bool", "int", "float")
"""Each has room for the values of those before it."""
Precision: TypeAlias = Literal["float64", "float32"]
Attributes: TypeAlias = tuple[Any, ...]
Index: TypeAlias = "Array | tuple[int, EllipsisType]"
"""What picks a literal's numbers from an array of those of the program."""
Multiply: TypeAlias = "Callable[[Node, Node | float], Node]"
"""How a walk multiplies a (co)tangent by a local derivative: see `differentiate`."""

EMPTY: Mapping[Any, Any] = MappingProxyType({})
"""Nothing is given: the default of arguments that are mappings."""

DECIMAL = ("decimal",)
SINGLE = ("single",)
"""The attributes of a constant that is a whole number, and a float in Python."""

MAX_RANK = 64
"""NumPy's limit on dimensions."""

MAX_ELEMENTS = 2**59
"""NumPy counts bytes in 63 bits."""

NODE_BYTES = 1024
"""What a node takes, with its share in the plan."""

TRANCHE = 1024
"""Nodes that are put on the ledger at a time."""

INTERNED_BYTES = 1024
"""Constants up to this size are compared by their bytes; larger ones are nodes of their own."""


class Split(NamedTuple):
    """One way to split the work of a node. Axes are counted from the right."""

    axis: int | None
    """The axis of the result; None where each part leaves a summand, or what else `combine` says,
    of the shape of the result."""
    operands: tuple[int | None, ...]
    """The axis of each operand; None where every part takes all of it."""


class Op:
    """What a node does: its shape rule, its forward function and its derivative rules.

    Subclasses in `gradcli.ops.kinds` fill in the rules for one kind of op each. Attributes of a
    node are a tuple in the order of the forward function's trailing parameters. What else is known
    of an op are the facts below, which its entry states where they differ from what stands here.
    """

    name: str
    selects: bool = False
    """Some elements get no gradient at all: a zero cotangent below means "not selected"."""
    branches: bool = False
    """It selects by a condition of the program's, which is its first operand."""
    beyond_domain: bool = False
    """Its derivative is nan outside its domain, where that of PyTorch is a number."""
    flat: bool = False
    """The result changes in steps only: the derivative is 0 wherever there is one."""
    contracts: bool = False
    """Elements are mixed by products, so "not selected" does not reach below."""
    unique: bool = False
    """Never shared, although op, operands and attributes are the same."""
    combine: str = ""
    """For a reduction along axes: the NumPy function that combines partial results."""
    averages: bool = False
    """The combined result is divided by the count of elements."""
    orders: bool = False
    """Long rows are put in order, which `sort_in_place` of the array namespace does if it has it.
    """
    view: bool = False
    """The value lies in the memory of the first operand."""
    copies: bool = False
    """Each element of the result is one of an operand, or 0: nothing is rounded."""
    moves: bool = False
    """A view in which elements stand elsewhere; others are reshaped, if at all."""
    shaped: bool = False
    """The first attribute is the shape of the result."""
    axes: Callable[[Node], tuple[int, ...]] = staticmethod(lambda node: node.attributes[0])
    """For a reduction: the axes that it reduces, counted from the right."""
    work: Callable[[Node], float] | None = None
    """How many elements its forward function has in memory besides operands and result, if that is
    much: copies for LAPACK and the like."""
    cost: int | Callable[[Node], int] = 40
    """For an op on single elements: about how long it takes for one, in units of an addition."""
    exact: bool | Callable[[Node], bool] = False
    """IEEE 754 prescribes the result to the last bit, wherever the elements lie."""
    splits: Callable[[Node], Iterable[Split]] | None = None
    """The ways to split a node's work along an axis; None where nothing is known of it."""
    parts: Callable[..., Node | None] | None = None
    """`(*operands, *attributes)`: what is computed in its place where it is large, of elementary
    ops; reduced axes are kept at length 1. None where it is computed as it is."""
    by_number: Callable[[Node], Callable[..., Any] | None] | None = None
    """Where the second operand is a number that makes it quick: the NumPy function `(x, out=None)`
    of the first operand that gives the value, rounded as well."""
    of_units: Callable[..., None] | None = None
    """For an op that is linear in an operand that is a vector, as is the result, where that is
    quick: `(rows, position, places, values, *others, *attributes)` writes the results for the
    vectors that are one of the values at its place and 0 elsewhere, into rows of zeros."""
    into: Callable[..., None] | None = None
    """`(*operands, out)`: writes the value where the forward function would allocate."""
    over_first: Callable[..., Array] | None = None
    """`(xp, *operands)`: for an op that copies its first operand and changes little of it, its
    value made of that operand itself, which nothing else needs then."""
    in_blocks: Callable[..., Node | None] | None = None
    """`(*operands)`: what NumPy computes in its place in float64 where it is large, block by block:
    nodes that are a call each, and that the derivative may share. None where it is computed as it
    is."""
    plain: Callable[..., Any] | None = None
    """`(*operands)`: the value for Python's own numbers, or NumPy's, where that has the bits of
    float64."""
    of_array: Callable[[Node], Callable[..., Any]] | None = None
    """`(node)`: its value by one call of its operand's array, for which what follows from the
    attributes is computed once."""
    cuda: str | Callable[[Node], str] = ""
    """For an op on single elements: its value in CUDA C++, an expression, or statements that end
    by returning it, of the operands `{0}`, `{1}` … and the floating-point type `{T}`."""
    edge: Callable[..., Array] | None = None
    """`(xp, *operands, *attributes)`: how far the operands are from where the op is not smooth (a
    kink, a tie, a jump, the end of the domain), in any shape. 0 there; where there are two sides
    to it, the sign tells them apart."""
    edgeless: Callable[[Node], bool] | None = None
    """Whether a node has no edge, whatever its operands are: known numbers among them tell."""
    host: float = 0
    """Where arrays live on a device, results of up to so many elements are computed by the CPU and
    sent there: infinity where only NumPy or SciPy can."""
    refuses: bool = False
    """Its forward function raises an error for values that it cannot take, such as an index out of
    range: then the program is wrong, whether or not anything needs the result."""
    symmetric: bool = False
    """Its matrix is taken to be symmetric: one triangle is read, the gradient is that of both."""
    rounded: Callable[..., Array] | None = None
    """`(operand, rounding)`: an operand with errors of rounding that leave it the structure which
    the forward function looks for. None where it looks for none."""
    takes: frozenset[Kind] = frozenset(KINDS)
    """The kinds that it computes with; operands of others are promoted: `gradcli.ops.promotion`."""
    typed: bool = False
    """The last attribute is a kind; the forward function gets the dtype that stands for it."""
    infix: str = ""
    """The operator that the language writes between the operands, or in front of the only one."""
    cell: str | Callable[..., Array] | None = None
    """How a spreadsheet writes it: for an op on single elements a formula of the cells `{0}`, `{1}`
    …; for others `(node, *operands)`, from arrays of cells the array of formulas, see
    `gradcli.ops.cells`. None where that is not known."""
    textbook: Sequence[str] = ()
    """By operand: the derivative of y by it as textbooks write it, over the operands x and n, where
    the rule is another, more exact one."""
    by_book: Callable[..., Any] | None = None
    """The cotangent of the first operand as textbooks have it, for regular operands away from
    kinks, where the rule is another: `(change, y, *operands, *attributes)`; for a reduction its
    local derivative, `(y, x, *attributes)`."""
    misremembered: Sequence[Sequence[str]] = ()
    """By operand: wrong derivatives that people remember, of y by the operands x and n, in the
    language; a remark may follow behind a comma."""
    attributes: tuple[str, ...] = ()
    """By which keywords the attributes are passed to the function of the op's name; empty where
    they are, in order, the parameters that follow its operands."""
    spell: Callable[..., Any] | None = None
    """`(node, *operands)`: the node as an expression of the language over those of its operands,
    where neither an operator nor a call of the function of the op's name says it; None where the
    language has no words for it."""
    fields: Callable[[Node], Sequence[tuple[str, Shape]]] | None = None
    """For an op that packs several results side by side into a row, given its operand: what they
    are called, and their shapes behind the batch axes."""

    holds_back = False
    """Its kind of op has a `differentiable` of its own: gradients do not flow from all floats to
    all floats."""

    def __init_subclass__(cls) -> None:
        cls.holds_back = cls.differentiable is not Op.differentiable

    def __init__(self, name: str, **facts: Unpack[Facts]) -> None:
        self.name = name
        vars(self).update(facts)

    def __repr__(self) -> str:
        return f"<op {self.name}>"

    def infer(self, inputs: tuple[Node, ...], attributes: Attributes) -> tuple[Shape, Kind]:
        """Shape and kind of the result; raises `shape`, `axis` … where the operands do not fit."""
        raise NotImplementedError

    def forward(self, xp: Any, *arguments: Any) -> Array:
        """The value on the array namespace `xp`; the arguments are arrays, then the attributes."""
        raise NotImplementedError

    def vjp(self, node: Node, operand: int, cotangent: Node, multiply: Multiply) -> Node | None:
        """The cotangent of one operand, in the node's broadcast shape; None is a structural zero.

        `cotangent` has the node's shape, or for elementwise ops one that broadcasts to it.
        """
        raise NotImplementedError

    def jvp(self, node: Node, tangents: Sequence[Node | None], multiply: Multiply) -> Node | None:
        """The tangent of the node; `tangents` has one entry an operand, None for a zero."""
        raise NotImplementedError

    def batched(self, node: Node, inputs: tuple[Node, ...]) -> Node | None:
        """The node with a batch axis in front; `inputs` are its operands, and those that are not
        the node's own have it. None without a rule.
        """
        return None

    def withheld(self) -> Collection[int]:
        """The operands to which its rule, if a program states it, gave no gradient when it was last
        asked: None, not 0.
        """
        return ()

    def differentiable(self, node: Node, operand: int) -> bool:
        """Whether a gradient can flow from the node to this operand."""
        return node.kind == "float" and node.inputs[operand].kind == "float"

    def has_edge(self, node: Node) -> bool:
        """Whether the node is not smooth for some operands: see `edge`."""
        if self.edge is None or (self.edgeless is not None and self.edgeless(node)):
            return False
        return any(each.kind == "float" for each in node.inputs)


class Node:
    """One value of the graph. Operators build further nodes; `==` compares identity."""

    __slots__ = (
        "attributes", "graph", "index", "inputs", "kind", "known", "op", "origin", "shape", "size",
        "sources", "span",
    )  # fmt: skip

    def __init__(
        self,
        graph: Graph,
        op: Op,
        inputs: tuple[Node, ...],
        attributes: Attributes,
        shape: Shape,
        kind: Kind,
        known: Array | None = None,
    ) -> None:
        index = graph.count
        if index >= graph.paid:
            graph.pay(1)
        self.graph = graph
        self.op = op
        self.inputs = inputs
        self.attributes = attributes
        self.shape = shape
        self.size = 1
        """The number of elements."""
        if shape:
            self.size = math.prod(shape)
            _check_lengths(shape, self.size)
            if self.size > graph.largest:
                graph.largest = self.size
        self.kind = kind
        self.known = known
        """The array of a constant or a literal, to compute with; to decide by it: `Graph.look`."""
        self.sources: Sequence[Node] | None = None
        """The operands that gradients can flow back to, once asked for: `gradcli.walks.sources`."""
        self.span = graph.span
        self.origin = graph.origin
        self.index = index
        graph.count = index + 1
        if op.refuses and graph.origin is None:
            if graph.tried is not None:
                graph.tried(self)
            graph.refusing.append(self)

    @property
    def ndim(self) -> int:
        return len(self.shape)

    def __repr__(self) -> str:
        return f"<node {self.index} {self.op.name} {self.shape}>"

    def __add__(self, other: Operand) -> Node:
        return OPERATORS["add"](self, other)

    def __radd__(self, other: Operand) -> Node:
        return OPERATORS["add"](other, self)

    def __sub__(self, other: Operand) -> Node:
        return OPERATORS["sub"](self, other)

    def __rsub__(self, other: Operand) -> Node:
        return OPERATORS["sub"](other, self)

    def __mul__(self, other: Operand) -> Node:
        return OPERATORS["mul"](self, other)

    def __rmul__(self, other: Operand) -> Node:
        return OPERATORS["mul"](other, self)

    def __truediv__(self, other: Operand) -> Node:
        return OPERATORS["div"](self, other)

    def __rtruediv__(self, other: Operand) -> Node:
        return OPERATORS["div"](other, self)

    def __pow__(self, other: Operand) -> Node:
        return OPERATORS["pow"](self, other)

    def __rpow__(self, other: Operand) -> Node:
        return OPERATORS["pow"](other, self)

    def __matmul__(self, other: Node) -> Node:
        return OPERATORS["matmul"](self, other)

    def __neg__(self) -> Node:
        return OPERATORS["neg"](self)

    def __lt__(self, other: Operand) -> Node:
        return OPERATORS["lt"](self, other)

    def __le__(self, other: Operand) -> Node:
        return OPERATORS["le"](self, other)

    def __gt__(self, other: Operand) -> Node:
        return OPERATORS["gt"](self, other)

    def __ge__(self, other: Operand) -> Node:
        return OPERATORS["ge"](self, other)


Operand: TypeAlias = Node | float
OPERATORS: dict[str, Callable[..., Node]] = {}
"""The functions behind Node's operators, filled by `gradcli.ops`."""


class Known(Op):
    """An array that is known before any run, in `node.known`."""

    def forward(self, xp: Any, *arguments: Any) -> Array:
        raise AssertionError("the engine takes what is known from the node")


class Input(Op):
    """A value that is bound from outside; its name is the attribute."""

    unique = True

    def forward(self, xp: Any, *arguments: Any) -> Array:
        raise AssertionError("the engine is fed the values of inputs")


CONSTANT = Known("constant")
LITERAL = Known("literal")
INPUT = Input("input")


class Graph:
    """A growing set of interned nodes: same op, operands and attributes are the same node."""

    def __init__(
        self,
        precision: Precision = "float64",
        seed: int | None = None,
        max_nodes: int | None = None,
        shares: bool = True,
        ledger: Ledger | None = None,
    ) -> None:
        """Without `shares`, only constants are interned: an op makes a new node each time, so that
        a node is a tensor, with a gradient and a fate of its own.

        Nodes, and arrays that are made while the graph is built, are put on the `ledger`.
        """
        self.precision: Precision = precision
        self.seed = seed
        self.draws = 0
        self.max_nodes = max_nodes
        self.largest = 1
        """The most elements that a node has, or 1."""
        self.shares = shares
        self.ledger = ledger or Ledger()
        self.held: set[Node] = set()
        """Inputs and constants whose arrays the ledger has."""
        self.count = 0
        self.paid = TRANCHE if max_nodes is None else min(TRANCHE, max_nodes)
        """How many nodes the ledger has; the first cost nothing."""
        self.span: Span | None = None
        """Where in the program the nodes that are being built come from."""
        self.origin: Node | None = None
        """The node whose derivative they are part of; None while the program itself is traced."""
        self._dtypes = {
            "float": np.dtype(precision),
            "int": np.dtype(np.int64),
            "bool": np.dtype(np.bool_),
        }
        self.literals: dict[Node, Index] = {}
        """The literals, and the places of their numbers."""
        self.places: dict[int, Node] = {}
        """By place: the literal, or the constant, that the number belongs to."""
        self.looked: set[Node] = set()
        """Nodes that were looked at."""
        self.refusing: list[Node] = []
        """Nodes of the program itself whose op may refuse its operands."""
        self.tried: Callable[[Node], object] | None = None
        """Computes such a node at once, where its error may be caught."""
        self.ops: set[Op] = set()
        """The ops of all nodes that were applied."""
        self._interned: dict[Any, Node] = {}
        self._numbers: dict[float, Node] = {}
        """Constants that were asked for as numbers: to find them among all takes longer."""

    @contextmanager
    def derivatives(self) -> Iterator[None]:
        """What is built inside is part of the derivative of the node that is the `origin` then."""
        before = self.origin
        try:
            yield
        finally:
            self.origin = before

    def apply(self, op: Op, inputs: tuple[Node, ...], attributes: Attributes = ()) -> Node:
        """The node of `op` on `inputs`: an existing one if there is one."""
        key = (op, inputs, attributes)
        node = self._interned.get(key)
        if node is None:
            shape, kind = op.infer(inputs, attributes)
            node = Node(self, op, inputs, attributes, shape, kind)
            self.ops.add(op)
            if self.shares and not op.unique:
                self._interned[key] = node
        return node

    def constant(self, value: Array | float | bool) -> Node:
        """A node with a known value; a plain number is a float, also if it is an int in Python."""
        is_whole = isinstance(value, int) and not isinstance(value, bool)
        if is_whole:
            value = float(value)
        if value.__class__ is float:
            found = self._numbers.get(value)
            if found is not None:
                return found
            node = self._equal(CONSTANT, self._single(value), "float")
            if value and node.op is not LITERAL:  # 0.0 and -0.0 are equal, and two
                self._numbers[value] = node
        else:
            node = self._known(CONSTANT, value)
        if node.op is LITERAL:
            self.looked.add(node)  # with another number it would not be the same node
        return node

    def decimal(self, value: float, attributes: tuple[str] = DECIMAL) -> Node:
        """A float of Python's that is whole, such as `2.0`: another node than that of the integer,
        which computes the same. With `SINGLE`, a number that was taken out of a tensor of float32,
        which is written with the digits of that.
        """
        array = np.asarray(value, self.dtype("float"))
        key = (Known, attributes, array.tobytes())
        node = self._interned.get(key)
        if node is None:
            node = self._interned[key] = Node(self, CONSTANT, (), attributes, (), "float", array)
        return node

    def fixed(self, value: Array) -> Node:
        """A constant that no other node of the program is, whatever its value."""
        node = Node(self, CONSTANT, (), (), value.shape, kind_of(value), value)
        if value.nbytes > INTERNED_BYTES:
            self.hold(node)
        return node

    def literal(self, value: Array | float, places: Sequence[int]) -> Node:
        """Numbers of the program, and their places; a constant if one is equal, or if large.

        Numbers with a minus are counted from the end, behind which all stand once more, negative.
        """
        count = self.count
        node = self._known(LITERAL, value)
        if self.count > count and node.op is LITERAL:
            shape = node.shape
            self.literals[node] = np.array(places).reshape(shape) if shape else (places[0], ...)
        self.places |= dict.fromkeys(places, node)
        return node

    def look(self, node: Node) -> Array | None:
        """What a node is known to be, to decide by it how the graph goes on; None if it is not."""
        if node.op is LITERAL:
            self.looked.add(node)
        return node.known

    def found(self, op: Op, inputs: tuple[Node, ...], attributes: Attributes = ()) -> Node | None:
        """The node that `apply` would give again, if there is one."""
        return self._interned.get((op, inputs, attributes))

    def shared(self) -> Iterable[Node]:
        """The nodes that `apply` and `constant` may give again, operands first."""
        return self._interned.values()

    def mark(self) -> tuple[int, int]:
        """The state that `forget` goes back to."""
        return len(self._interned), len(self.refusing)

    def forget(self, mark: tuple[int, int]) -> None:
        """Give out no node again that was made since a mark: nothing uses these."""
        interned, refusing = mark
        while len(self._interned) > interned:
            self._interned.popitem()
        self._numbers.clear()
        del self.refusing[refusing:]

    def constants(self) -> list[Array]:
        """The values of the small floating-point constants."""
        nodes = (node for node in self._interned.values() if node.op is CONSTANT)
        return [np.asarray(node.known) for node in nodes if node.kind == "float"]

    def _single(self, number: float) -> Array:
        """A number as an array."""
        if self.precision == "float64":
            return np.asarray(number)
        with np.errstate(over="ignore"):  # too large for float32 is infinite
            return np.asarray(number).astype(self.dtype("float"))

    def _known(self, op: Op, value: Array | float | bool) -> Node:
        array = np.asarray(value)
        kind = kind_of(array)
        if array.dtype != self.dtype(kind):
            with np.errstate(over="ignore"):  # too large for float32 is infinite
                array = array.astype(self.dtype(kind))
        if array.nbytes > INTERNED_BYTES:
            large = Node(self, CONSTANT, (), (), array.shape, kind, array)
            self.hold(large)
            return large
        return self._equal(op, array, kind)

    def _equal(self, op: Op, array: Array, kind: Kind) -> Node:
        """The node of a small array: an existing one if there is one."""
        key = (Known, kind, array.shape, array.tobytes())
        node = self._interned.get(key)
        if node is None:
            node = Node(self, op, (), (), array.shape, kind, array)
            self._interned[key] = node
        return node

    def input(self, name: str, shape: Shape, kind: Kind) -> Node:
        """A node whose value is given when the graph is run."""
        return Node(self, INPUT, (), (name,), shape, kind)

    def hold(self, node: Node) -> None:
        """Put the array of an input or a constant on the ledger. Raises `limit-memory`."""
        size = node.size * self.dtype(node.kind).itemsize
        self.ledger.take(size, f"a value of shape {node.shape}", node.span)
        self.held.add(node)

    def lift(self, value: Operand) -> Node:
        """A node as it is, a number as a constant."""
        return value if isinstance(value, Node) else self.constant(value)

    def reseed(self, seed: int) -> None:
        """Let what is drawn from now on come from a seed of the program's own."""
        self.seed, self.draws = seed, 0

    def draw(self) -> tuple[int, int]:
        """The seed and the number of the next random draw; a seed is drawn if none was given."""
        if self.seed is None:
            self.seed = int.from_bytes(os.urandom(4))
        self.draws += 1
        return self.seed, self.draws

    def dtype(self, kind: Kind) -> np.dtype[Any]:
        """The array dtype that stands for a kind in this graph."""
        return self._dtypes[kind]

    def check_room(self, count: int) -> None:
        """Raise `limit-nodes` or `limit-memory` if `count` more nodes are too many."""
        if self.count + count > self.paid:
            self.pay(count)

    def pay(self, count: int) -> None:
        """Put nodes on the ledger ahead of their time."""
        if self.max_nodes is not None and self.count + count > self.max_nodes:
            raise GradcliError(
                "limit-nodes",
                f"the graph has more than {self.max_nodes:,} nodes",
                hint="use fewer steps; a note says which loops were unrolled, each pass by itself",
            )
        wanted = max(self.count + count, min(self.paid + TRANCHE, self.max_nodes or sys.maxsize))
        new = (wanted - self.paid) * NODE_BYTES
        self.ledger.take(new, f"a graph of {wanted:,} nodes", self.span)
        self.paid = wanted


def _check_lengths(shape: Shape, size: int) -> None:
    """Raise `shape` for more axes than NumPy has, `limit-memory` for lengths that it cannot count,
    even with an axis of length 0.
    """
    if len(shape) > MAX_RANK:
        raise GradcliError(
            "shape",
            f"this value has {len(shape)} dimensions",
            hint=f"there can be {MAX_RANK} at most",
        )
    if (size or math.prod(length for length in shape if length)) > MAX_ELEMENTS:
        raise GradcliError(
            "limit-memory",
            f"a value of shape {shape} is larger than any memory",
            hint="use smaller lengths",
        )


def kind_of(array: Array) -> Kind:
    """The kind of an array's dtype."""
    letter = array.dtype.kind
    return "float" if letter == "f" else "bool" if letter == "b" else "int"
