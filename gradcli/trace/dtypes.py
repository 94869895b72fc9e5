"""The dtypes of a cell's tensors as PyTorch prints them: `dtype=torch.int32`.

A run computes in one floating-point dtype and in 64-bit integers. What PyTorch would have is known
from where a dtype was named: it is passed on from there, by its rules of promotion. Integers of
fewer bits wrap around after each operation, and floats of 16 bits are rounded to these.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from gradcli.diagnostics import GradcliError
from gradcli.graph import CONSTANT, Node
from gradcli.ops import FUNCTIONS
from gradcli.ops.control import LEAF, bind, leaf
from gradcli.ops.elementwise import Elementwise
from gradcli.ops.kinds import CAST, JointlyLinear, Linear, cast
from gradcli.ops.loops import Unlike
from gradcli.trace.items import Items
from gradcli.trace.values import Value, Values

INTEGERS = ("uint8", "int8", "int16", "int32", "int64")
FLOATS = ("float16", "bfloat16", "float32", "float64")
"""From the one that gives way to the others to the one that stays."""
HALVES = ("float16", "bfloat16")
"""Those of 16 bits, which few numbers fit into as they are."""
ALIASES = {
    "float": "float32", "double": "float64", "half": "float16", "int": "int32", "long": "int64",
    "short": "int16", "char": "int8", "byte": "uint8",
}  # fmt: skip
"""PyTorch's other names."""
_CODES = ("info", "pivots", "exponent")
"""Fields of what factors matrices, and says how that went; and of `frexp`."""
_PERMUTATION = "P"
"""A field of what factors matrices, as well: of integers, in the dtype of the factors."""
_BITS = {"uint8": 8, "int8": 8, "int16": 16, "int32": 32}
"""Of the dtypes that wrap around sooner than integers of a run do."""
_BY_RANKS: dict[tuple[int, ...], str] = {(1, 1): "dot", (2, 1): "mv", (3, 3): "bmm"}
"""The functions that products of so many axes are made of."""
_COUNTING = ("add", "multiply")
"""Reductions of these add and multiply integers of any dtype as int64."""


class Dtypes:
    """Which dtype each tensor has; `default` is that of floats."""

    def __init__(self, values: Values) -> None:
        self.values = values
        self.default = "float32"
        self.autocast = ""
        """The dtype of 16 bits that products are computed in; nothing where they are not."""
        self._before: list[tuple[int, str]] = []
        """What the default was before, and how many nodes there were when it changed."""
        self._named: dict[Node, str] = {}
        """Tensors whose dtype the program names, where it is not its kind's default."""
        self.of_numpy: set[Node] = set()
        """What NumPy has computed itself, in a dtype that it chose."""
        self._wrapped: dict[Node, Node] = {}
        """What results of fewer bits have become."""
        self.halves: set[Node] = set()
        """What functions gave of floats of 16 bits: gradients that come to these are rounded."""
        self.has_halves = False
        """Whether there is any tensor of these."""
        self._found: dict[Node, str | None] = {}
        """What is known of others; None where numbers alone say nothing of it."""

    def of(self, node: Node) -> str:
        """The dtype of a tensor, without `torch.`."""
        if not (self._named or self.values.arrays or self._before):
            return self._usual(node)
        node = self.values.first.get(node, node)
        return self._of(node) or self._usual(node)

    def known(self, node: Node) -> str | None:
        """The same; None for what is made of numbers alone, which other operands make a dtype."""
        return self._of(self.values.first.get(node, node))

    def set_default(self, dtype: str) -> None:
        """Let floats be of that dtype from now on: those that there are stay what they are."""
        if dtype != self.default:
            self.has_halves = self.has_halves or dtype in HALVES
            graph = self.values.graph
            self._before.append((graph.count, self.default))
            graph.forget((0, graph.mark()[1]))  # one that is made again is of the new dtype
            self.default = dtype

    def suffix(self, node: Node) -> str:
        """What is printed of it: nothing where it is the default of its kind."""
        dtype = self.of(node)
        return "" if dtype in (self.default, "int64", "bool") else f"dtype=torch.{dtype}"

    def as_dtype(self, node: Node, dtype: str) -> Node:
        """The node as one of that dtype, of its kind already: itself if that is so."""
        dtype = ALIASES.get(dtype, dtype)
        if self.of(node) == dtype:
            return self.in_half(node)
        node = _in_bits(node, dtype)
        made = bind(node) if node.kind == "float" else leaf(node, marked=False)
        self.values.copies.add(made)
        self.values.made_by[made] = "to", (), {}
        self.name(made, dtype)
        return self.in_half(made)

    def of_call(self, name: str, result: Value, first: int) -> Value:
        """What a function gives, with codes of success and pivots that are int32 as in PyTorch, and
        permutations in the dtype of the factors.
        Raises `type` where it multiplies tensors of several dtypes.
        """
        if isinstance(result, Node):
            self.check_product(name, result, first)
            if name == "float_power":  # of any operands
                self.name(result, "float64")
        names = getattr(result, "_fields", ())
        if not isinstance(result, tuple):
            return result
        dtypes = dict.fromkeys(_CODES, "int32")
        if _PERMUTATION in names:
            dtypes[_PERMUTATION] = self.of(result[-1])
        if dtypes.keys().isdisjoint(names):
            return result
        pairs = zip(names, result, strict=True)
        found = [
            self.as_dtype(each, dtypes[name]) if name in dtypes else each for name, each in pairs
        ]
        made: Value = type(result)(*found)  # type: ignore[arg-type]
        return made

    def wrapped(self, result: Any, first: int) -> Any:
        """What was computed, by nodes from index `first` on, as its dtype holds it."""
        if not isinstance(result, Node) or result.kind == "bool":
            return result
        if result.kind == "float":
            return self.in_half(result)
        if not self._named:
            return result
        if result.index < first:
            return self._wrapped.get(result, result)
        if result.op.view:
            return result
        made = self._wrapped[result] = _in_bits(result, self.of(result))
        return made

    def in_half(self, node: Node, dtype: str = "") -> Node:
        """Floats as a dtype of 16 bits holds them, which is their own unless one is given; others
        as they are. The difference is a constant: gradients flow as if it were none.
        """
        if not self.has_halves or node in self.halves:
            return node
        dtype = dtype or self.of(node)
        if dtype not in HALVES or self._is_pythons(node):
            return node
        if node not in self._wrapped:
            if self.values.any_pass is not None:
                raise Unlike("it rounds to 16 bits")
            self._wrapped[node] = self._rounded(node, dtype)
        return self._wrapped[node]

    def of_mixed(self, given: Sequence[Value]) -> str:
        """The dtype of the first, if that has 16 bits and another one 32; nothing otherwise."""
        if not given or not isinstance(given[0], Node):
            return ""
        dtype = self.of(given[0])
        others = (each for each in given[1:] if isinstance(each, Node) and each.shape)
        is_mixed = dtype in HALVES and any(self.of(each) == "float32" for each in others)
        return dtype if is_mixed else ""

    def _is_pythons(self, node: Node) -> bool:
        """Whether it is a number of Python's: these have 64 bits whatever tensors have."""
        numbers = self.values.plain_numbers
        is_usual = self.default in HALVES and not node.shape
        return is_usual and numbers is not None and node in numbers

    def put_in_half(self, new: Node, old: Node) -> Node:
        """What takes the place of a tensor, rounded where that has 16 bits; a leaf stays one."""
        dtype = self.of(old)
        if new.kind != "float" or dtype not in HALVES:
            return new
        if new.op is not LEAF:
            return self.in_half(self.like(new, old))
        inside = self.in_half(new.inputs[0], dtype)
        return new if inside is new.inputs[0] else leaf(inside, *new.attributes)

    def _rounded(self, node: Node, dtype: str) -> Node:
        from gradcli.trace.tensor_text import as_held  # few programs have halves

        value = self.values.evaluator.value(node)
        held = as_held(value, dtype)
        made = node
        if not np.array_equal(held, value, equal_nan=True):
            with np.errstate(invalid="ignore"):
                change = np.where(held == value, 0.0, held - value)
            made = self.values.rounded_of(node, node + node.graph.constant(change))
            self.name(made, dtype)
        if not made.op.view:
            self.halves.add(made)
        return made

    def gradient(self, node: Node, change: Node) -> Node:
        """A gradient as it comes to a tensor: that of one of 16 bits is of these."""
        return self.in_half(change, self.of(node)) if node in self.halves else change

    def held(self, node: Node, holder: Node) -> Node:
        """What is put into a tensor of integers, as that holds it."""
        if node.kind != "int" or not self._named:
            return node
        dtype = self.of(holder)
        return self.as_dtype(_in_bits(node, dtype), dtype)

    def of_numbers(self, given: Iterable[Value], kind: str) -> str:
        """The dtype of a tensor that is made of NumPy's numbers, in lists or alone; nothing where
        there are none of that kind among them.
        """
        found: list[str] = []
        waiting = list(given)
        while waiting:
            part = waiting.pop()
            if isinstance(part, Items | tuple):
                if isinstance(part, Items) and part.is_rolled:
                    return ""
                waiting += part
            elif isinstance(part, Node) and not part.shape:
                is_numpys = part in self.values.arrays and part.kind == kind
                found.append(self.of(part) if is_numpys else "")
        usual = self.default if kind == "float" else "int64"
        if not any(found):
            return ""
        return _highest((each or usual for each in found), FLOATS + INTEGERS) or ""

    def name_whole(self, node: Node, operands: Iterable[Value]) -> None:
        """Give integers that were computed as floats the dtype that follows from operands."""
        nodes = [e for e in operands if isinstance(e, Node) and e.kind == "int"]
        rows = _highest([self.of(each) for each in nodes if each.shape], INTEGERS)
        found = rows or _highest(map(self.of, nodes), INTEGERS)
        if self._named and found is not None:
            self._named[node] = found

    def like(self, node: Node, other: Node) -> Node:
        """The node as one of the kind and dtype of another."""
        return self.as_dtype(cast(node, other.kind), self.of(other))

    def check_product(self, name: str, result: Node, first: int) -> None:
        """Raise `type` where a product, made since index `first`, has factors of several dtypes,
        which PyTorch does not multiply.
        """
        for node in (result, *result.inputs):
            if node.index >= first and node.op.contracts and len(node.inputs) == 2:
                sides = [
                    each.inputs[0] if each.op is CAST and each.index >= first else each
                    for each in node.inputs
                ]
                if result not in self.values.arrays:
                    self.check_factors(name, *sides)

    def check_factors(self, name: str, *sides: Value) -> None:
        """The same of two factors, before they are multiplied."""
        nodes = [each for each in sides if isinstance(each, Node)]
        if len(nodes) < 2 or not self.values.arrays.isdisjoint(nodes) or not _fit(*nodes[:2]):
            return
        left, right = (self._of(self.values.first.get(each, each)) for each in map(_turned, nodes))
        if nodes[0].kind != nodes[1].kind and all(map(self.values.is_tensor, nodes)):
            left, right = (
                each or self._usual(node) for each, node in zip((left, right), nodes, strict=True)
            )
        name = _BY_RANKS.get(tuple(each.ndim for each in nodes), name)
        if left is not None and right is not None and left != right:
            graph = self.values.graph
            graph.forget((0, graph.mark()[1]))  # made again, it is looked at again
            raise GradcliError(
                "type",
                f"{name}: the dtypes of the factors differ: {left} and {right}",
                hint="x.float() makes float32 of a tensor, x.to(w.dtype) what w has",
            )

    def name(self, node: Node, dtype: str) -> None:
        """Give a tensor that was just made a dtype of its kind."""
        dtype = self._named[node] = ALIASES.get(dtype, dtype)
        self.has_halves = self.has_halves or dtype in HALVES

    def rename(self, node: Node, dtype: str) -> None:
        """Give a tensor another dtype in place."""
        first = self.values.first.get(node, node)
        for each in (first, self.values.current(first)):
            self.name(each, dtype)
            self._found[each] = self._named[each]

    def add_like(self, node: Node, other: Node) -> None:
        """Give a tensor that was just made the dtype of another one."""
        found = self._of(self.values.first.get(other, other))
        if found is not None:
            self._named[node] = found

    def _usual(self, node: Node) -> str:
        """The dtype of tensors of that kind where none is named."""
        if node.kind != "float":
            return "int64" if node.kind == "int" else "bool"
        if node in self.values.arrays:
            return "float64"
        earlier = (dtype for count, dtype in self._before if node.index < count)
        return next(earlier, self.default)

    def _of(self, node: Node) -> str | None:
        """The same as it follows from operands, of which those without axes come last."""
        stack = [node]
        while stack:
            current = stack[-1]
            if current in self._found:
                stack.pop()
                continue
            parents = [] if current in self._named else _parents(current)
            if self.values.first:  # a tensor keeps its dtype where it changes in place
                parents = [self.values.first.get(each, each) for each in parents]
            if current in self.values.arrays:  # NumPy's default is not PyTorch's
                parents = [each for each in parents if each in self.values.arrays or each.inputs]
            waiting = [each for each in parents if each not in self._found]
            if waiting:
                stack += waiting
            else:
                self._found[stack.pop()] = self._following(current, parents)
        return self._found[node]

    def _following(self, node: Node, parents: list[Node]) -> str | None:
        if node in self._named:
            return self._named[node]
        if node.kind == "bool":
            return "bool"
        if node in self.values.arrays and any(map(_is_of_integers, node.inputs)):
            return "float64"  # NumPy's rule for floats and an array of integers
        order = FLOATS if node.kind == "float" else INTEGERS
        rows = [self._found[each] for each in parents if each.shape]
        arrays = self.values.arrays if node not in self.values.arrays else ()
        singles = [self._found[e] for e in parents if not e.shape and e not in arrays]
        found = _highest(rows, order) or _highest(singles, order)
        is_given = node.op is LEAF or (node.op is CONSTANT and node.shape)
        is_earlier = node.op is not CONSTANT and self._before and node.index < self._before[-1][0]
        is_own = is_given or is_earlier or node in self.values.arrays
        return self._usual(node) if found is None and is_own else found


def kept(dtypes: Dtypes | None, new: Node, old: Node) -> Node:
    """What is written into a tensor, in its dtype."""
    return new if dtypes is None or new.kind != old.kind else dtypes.like(new, old)


def _parents(node: Node) -> list[Node]:
    """The operands that a node has its dtype of."""
    op = node.op
    if op is CONSTANT or op is CAST or node.kind == "bool":
        return []
    alike = [each for each in node.inputs if each.kind == node.kind]
    if node.kind == "float" or isinstance(op, Elementwise | JointlyLinear):
        return alike
    if op.combine in _COUNTING or not (op.combine or op.view or isinstance(op, Linear)):
        return []
    from gradcli.ops.scans import CUMSUM  # few programs ask

    if op is CUMSUM:  # which adds integers as sums do
        return []
    return alike[:1]


def _is_of_integers(node: Node) -> bool:
    """Whether it is an array of integers that was made floats of."""
    return node.op is CAST and node.kind == "float" and node.inputs[0].kind == "int" and (
        bool(node.shape)
    )  # fmt: skip


def _in_bits(node: Node, dtype: str) -> Node:
    """Integers as a dtype holds them: the rest of a division by how many it has."""
    bits = _BITS.get(dtype)
    if bits is None:
        return node
    lowest = 0 if dtype.startswith("u") else -(2 ** (bits - 1))
    known = node.known
    if known is not None and (known >= lowest).all() and (known < lowest + 2**bits).all():
        return node
    graph = node.graph
    low, count = (graph.constant(np.array(each)) for each in (lowest, 2**bits))
    rest = FUNCTIONS["remainder"]
    return (
        FUNCTIONS["add"](rest(FUNCTIONS["sub"](node, low), count), low)
        if lowest
        else rest(node, count)
    )


def _highest(dtypes: Iterable[str | None], order: tuple[str, ...]) -> str | None:
    known = {each for each in dtypes if each in order}
    if known == {"uint8", "int8"}:
        return "int16"
    return max(known, key=order.index, default=None)


def _fit(left: Node, right: Node) -> bool:
    """Whether the lengths of two factors do not keep them from being multiplied."""
    rows = right.shape[-2:][:1]
    if len(left.shape) == len(right.shape) == 1:  # of two rows PyTorch looks at the dtypes first
        return True
    return not left.shape or not rows or left.shape[-1] == rows[0]


def _turned(node: Node) -> Node:
    """What a factor is transposed of: `model.double()` may have come in between."""
    while node.op.moves and len(node.inputs) == 1:
        (node,) = node.inputs
    return node
