"""`torch.nn.utils.rnn`: sequences of several lengths without what fills them up."""

from __future__ import annotations

from typing import Any

import numpy as np

from gradcli.diagnostics import GradcliError
from gradcli.graph import Array, Node
from gradcli.ops import FUNCTIONS, f
from gradcli.ops.indexing import getitem
from gradcli.ops.kinds import cast
from gradcli.trace.arguments import bind_names
from gradcli.trace.autograd import Autograd
from gradcli.trace.given_tensors import check_row
from gradcli.trace.items import Items
from gradcli.trace.objects import Given
from gradcli.trace.special import Special
from gradcli.trace.values import Value, Values
from gradcli.tuples import NamedTuple

_UNSORTED = (
    "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You can "
    "pass `enforce_sorted=False` to pack_padded_sequence and/or pack_sequence to sidestep this "
    "requirement if you do not need ONNX exportability."
)


class _Parts(NamedTuple):
    """The elements of all sequences at the first time, those at the second, and so on; the longest
    sequence comes first.
    """

    data: Node
    """(elements, *)."""
    batch_sizes: Node
    """How many sequences there are at each time."""
    sorted_indices: Node | None
    """Which sequence each was before they were sorted; None where they were in order."""
    unsorted_indices: Node | None


class PackedSequence(_Parts):
    """Such a tuple as print shows it."""

    __slots__ = ()
    title = "PackedSequence"


class Lengths:
    """Where the elements of sequences lie, which are in order: the longest first."""

    def __init__(self, lengths: Array) -> None:
        self.lengths = lengths
        self.alive: Array = np.arange(lengths.max(initial=0))[:, None] < lengths
        """Whether a sequence goes on at a time: (times, sequences)."""

    @classmethod
    def of(cls, values: Values, packed: PackedSequence) -> Lengths:
        """The lengths of sequences that were packed."""
        sizes = values.evaluator.value(packed.batch_sizes)
        return cls((sizes[:, None] > np.arange(sizes[0])).sum(0))

    def packed(self, x: Node) -> Node:
        """The elements of (times, sequences, *) one after another."""
        times, places = np.nonzero(self.alive)
        return getitem(x, [x.graph.constant(times), x.graph.constant(places)])

    def padded(self, data: Node, fill: float, times: int) -> Node:
        """The opposite: `fill` where a sequence has ended."""
        alive = np.zeros((times, self.alive.shape[1]), bool)
        alive[: len(self.alive)] = self.alive
        places = np.where(alive, np.cumsum(alive).reshape(alive.shape) - 1, 0)
        found = getitem(data, [data.graph.constant(places)])
        mask = alive.reshape(*alive.shape, *(1,) * (data.ndim - 1))
        padded = FUNCTIONS["where"].build(data.graph.constant(mask), found, fill)
        return cast(padded, data.kind)


def in_order(values: Values, node: Node, order: Node | None, axis: int) -> Node:
    """The sequences along an axis in another order; as they are where there is none."""
    if order is None:
        return node
    found = f("index_select", node, axis, order)
    values.made_by[found] = "index_select", (node, axis, order), {}
    return found


class PackedSequences:
    """The functions by name."""

    def __init__(self, autograd: Autograd) -> None:
        self.values = autograd.values
        self.methods: dict[str, Special] = {}
        self.functions: dict[str, Special] = {
            f"torch.nn.utils.rnn.{name}": function
            for name, function in {
                "pack_padded_sequence": self._pack_padded,
                "pad_packed_sequence": self._pad_packed,
                "pack_sequence": self._pack,
                "unpack_sequence": self._unpack,
                "unpad_sequence": self._unpad,
            }.items()
        }

    def _pack_padded(self, arguments: list[Value], keywords: Given) -> Value:
        names = ("input", "lengths", "batch_first", "enforce_sorted")
        given = bind_names("pack_padded_sequence", names, arguments, keywords, names[2:])
        x = self.values.tensor(given["input"], "pack_padded_sequence: input")
        lengths = np.array(self.values.integers(given["lengths"], "lengths"))
        if x.ndim < 2 or not x.size:
            raise GradcliError("shape", "sequences have two axes or more: (times, sequences, *)")
        return self._packed(self._by_times(x, given), lengths, self._flag(given, names[3], True))

    def _packed(self, x: Node, lengths: Array, is_sorted: bool) -> PackedSequence:
        times, count = x.shape[:2]
        if lengths.shape != (count,):
            raise GradcliError(
                "shape", f"Expected `len(lengths)` to be equal to batch_size, but got "
                f"{len(lengths)} (batch_size={count})")  # fmt: skip
        if not ((lengths > 0) & (lengths <= times)).all():
            raise GradcliError("value", "lengths are 1 or more, and not more than there are times")
        if is_sorted and (np.diff(lengths) > 0).any():
            raise GradcliError("value", _UNSORTED)
        order, back = None, None
        if not is_sorted:
            places = np.argsort(-lengths, kind="stable")
            order, back = map(self.values.graph.constant, (places, np.argsort(places)))
            x, lengths = in_order(self.values, x, order, 1), lengths[places]
        found = Lengths(lengths)
        sizes = self.values.graph.constant(found.alive.sum(1).astype(np.int64))
        return PackedSequence(found.packed(x), sizes, order, back)

    def _pad_packed(self, arguments: list[Value], keywords: Given) -> tuple[Node, Node]:
        names = ("sequence", "batch_first", "padding_value", "total_length")
        given = bind_names("pad_packed_sequence", names, arguments, keywords, names[1:])
        packed = self._checked(given["sequence"])
        found = Lengths.of(self.values, packed)
        fill = self.values.number(given[names[2]], names[2]) if names[2] in given else 0.0
        times = len(found.alive)
        if given.get("total_length") is not None:
            wanted = self.values.integer(given["total_length"], "total_length")
            if wanted < times:
                raise GradcliError(
                    "value", f"total_length is {wanted}, and the longest sequence {times}"
                )
            times = wanted
        self.values.graph.check_room(times * max(1, len(found.lengths)))
        x = self._by_times(found.padded(packed.data, fill, times), given)
        axis = 0 if self._flag(given, "batch_first", False) else 1
        lengths = self.values.graph.constant(found.lengths.astype(np.int64))
        return (
            in_order(self.values, x, packed.unsorted_indices, axis),
            in_order(self.values, lengths, packed.unsorted_indices, 0),
        )

    def _pack(self, arguments: list[Value], keywords: Given) -> Value:
        names = ("sequences", "enforce_sorted")
        given = bind_names("pack_sequence", names, arguments, keywords, names[1:])
        check_row(self.values, given["sequences"])
        rows = self.values.tensors(given["sequences"], "pack_sequence: sequences")
        if not rows or any(row.shape[1:] != rows[0].shape[1:] or not row.shape for row in rows):
            raise GradcliError("shape", "pack_sequence takes tensors that differ in length alone")
        lengths = np.array([row.shape[0] for row in rows])
        longest = int(lengths.max())
        filled = [
            FUNCTIONS["pad"].build(
                row, [0, 0] * (row.ndim - 1) + [0, longest - row.shape[0]], "constant", 0.0
            )
            for row in rows
        ]
        x = FUNCTIONS["stack"].build(filled, 1)
        return self._packed(x, lengths, self._flag(given, names[1], True))

    def _unpack(self, arguments: list[Value], keywords: Given) -> Value:
        (packed,) = bind_names("unpack_sequence", ("packed_sequences",), arguments,
                               keywords).values()  # fmt: skip
        return self._unpad([*self._pad_packed([packed], {})], {})

    def _unpad(self, arguments: list[Value], keywords: Given) -> Value:
        names = ("padded_sequences", "lengths", "batch_first")
        given = bind_names("unpad_sequence", names, arguments, keywords, names[2:])
        x = self._by_times(self.values.tensor(given[names[0]], "unpad_sequence"), given)
        lengths = self.values.integers(given["lengths"], "lengths")
        return Items([getitem(x, [slice(0, n), place]) for place, n in enumerate(lengths)])

    def _checked(self, value: Any) -> PackedSequence:
        if not isinstance(value, PackedSequence):
            raise GradcliError(
                "type", "this takes a PackedSequence", hint="pack_padded_sequence(x, lengths)"
            )
        return value

    def _flag(self, given: Given, name: str, default: bool) -> bool:
        return self.values.truth(given[name]) if name in given else default

    def _by_times(self, x: Node, given: Given) -> Node:
        """The times first, or the sequences where `batch_first` was given."""
        if not self._flag(given, "batch_first", False):
            return x
        turned = f("transpose", x, 0, 1)
        self.values.made_by[turned] = "transpose", (x, 0, 1), {}
        return turned
