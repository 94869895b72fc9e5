"""Subscripts: `x[i, 1:]`, of tensors, lists, tuples and strings, also where each pass of a loop has
another one.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from gradcli.diagnostics import GradcliError
from gradcli.graph import Node
from gradcli.ops.kinds import cast
from gradcli.ops.loops import Unlike
from gradcli.ops.shapes import show
from gradcli.ops.shaping import reshape, unsqueeze
from gradcli.trace.items import Items
from gradcli.trace.values import Value, Values
from gradcli.tuples import NamedTuple

if TYPE_CHECKING:
    from gradcli.ops.indexing import Item
    from gradcli.trace.pass_numbers import PassNumbers

_LONG_INDEX = 32
"""So many items between brackets are elements of one index, whatever they are."""


class MovingSlice(NamedTuple):
    """Slices of one length that passes take, which a pass stands for."""

    first: slice
    """That of the first of these passes."""
    starts: PassNumbers
    """Where it begins in each of them."""


def of_first_pass(items: Sequence[Any]) -> list[Any]:
    """Subscripts, with the slice of the first pass for one that moves."""
    return [each.first if isinstance(each, MovingSlice) else each for each in items]


def moving_slice(values: Values, bounds: Sequence[Value]) -> MovingSlice | None:
    """What stands for slices that begin elsewhere in each pass and are of one length; None for
    other slices. Raises `Unlike` where they differ in more.
    """
    assert values.any_pass is not None
    lower, upper, step = bounds
    found = [
        values.any_pass.numbers(each) if isinstance(each, Node) else None for each in (lower, upper)
    ]
    starts, stops = found
    if starts is None and stops is None:
        return None
    if starts is None or stops is None or step is not None or not stops.moves_with(starts):
        raise Unlike("the slices that it takes are not of one length")
    return MovingSlice(slice(int(starts.first), int(stops.first)), starts)


def subscript(values: Values, value: Value, items: Sequence[Any]) -> Value:
    """`value[items]`: of a tensor, or one item of a list or tuple."""
    if values.listed and isinstance(value, Node) and value in values.listed and len(items) == 1:
        place = items[0]
        if isinstance(place, Node) and not place.shape and place.kind != "bool":
            value = values.listed[value]
    if isinstance(value, str) and len(items) == 1:
        place = items[0]
        if isinstance(place, slice):
            return value[place]
        return _element(values, tuple(value), items, "a string")
    if isinstance(value, Items | tuple | range):
        return _element(values, value, items)
    node = values.tensor(value, "what is indexed")
    _check_indices(values, items)
    _check_steps(values, node, items)
    indices = [
        values.tensor(item, "an index") if isinstance(item, Items) and item else item
        for item in map(partial(_spelled_out, values), _as_several(values, node, items))
    ]
    if any(_is_mask(each) and not each.shape for each in indices):
        node, indices = _spread_truths(values, node, indices)
    width = sum(map(_axes_of, indices))
    places: list[Item] = []
    moving: dict[int, PassNumbers] = {}
    axis = 0
    for index in indices:
        if _is_mask(index):
            _check_mask(node, index, axis)
        different = _in_each_pass(values, index)
        if different is not None:
            first, moving[len(places)] = different
            places += [first]
        else:
            plain = index is Ellipsis or isinstance(index, slice)
            places += [index] if plain else indices_of(values, index)
        axis += node.ndim - width if index is Ellipsis else _axes_of(index)
    if moving and values.any_pass is not None:
        return values.any_pass.element(node, places, moving)
    return _picked(values, node, places)


def indices_of(values: Values, value: Value) -> list[Item]:
    """One subscript as indices; a mask is one array of indices for each axis that it covers."""
    if value is None:
        return [None]
    if isinstance(value, Items) and not value:
        return [values.graph.constant(np.zeros(0, np.int64))]
    node = values.tensor(value, "an index")
    if values.is_pytorch and node.kind == "int" and values.array_dtype(node) == "uint8":
        node = cast(node, "bool")  # as masks were before there were truth values
    if node.kind == "bool":
        mask = np.atleast_1d(values.evaluator.value(node))
        chosen = 8 * mask.ndim * int(np.count_nonzero(mask))
        values.graph.ledger.require(2 * chosen, "what a mask chooses", node.span)
        places = np.nonzero(mask)
        return [values.graph.constant(each.astype(np.int64, copy=False)) for each in places]
    if not node.shape and node not in values.symbols:
        return [values.integer(node, "an index")]
    return [values.index(node, "an index")]


def indices_of_all(values: Values, value: Value, what: str) -> list[Item]:
    """Subscripts that are given as a list or tuple of index tensors."""
    each_of = value if isinstance(value, Items | tuple) else values.tensors(value, what)
    _check_indices(values, each_of)
    return [item for each in each_of for item in indices_of(values, each)]


def _check_indices(values: Values, items: Sequence[Any]) -> None:
    """Raise `type` where PyTorch would have floats between brackets."""
    for each in items:
        is_of_floats = values.is_pytorch and isinstance(each, Node) and each.kind == "float"
        if is_of_floats and values.is_tensor(each):
            from gradcli.trace.index_errors import float_as_index  # a rare error

            raise float_as_index()


def _check_steps(values: Values, node: Node, items: Sequence[Any]) -> None:
    """Raise `value` where a slice would go backwards, which only arrays do in PyTorch."""
    if not values.is_pytorch or node in values.arrays:
        return
    for each in items:
        if isinstance(each, slice) and each.step is not None and each.step < 0:
            from gradcli.trace.index_errors import backwards  # a rare error

            raise backwards()


def _in_each_pass(values: Values, index: Any) -> tuple[int | slice, PassNumbers] | None:
    """An index that is another one in each pass: the first, and where all of them are."""
    if isinstance(index, MovingSlice):
        return index.first, index.starts
    if values.any_pass is None or not isinstance(index, Node):
        return None
    numbers = values.any_pass.numbers(index)
    return None if numbers is None else (int(numbers.first), numbers)


def _item_in_each_pass(values: Values, sequence: Sequence[Any], index: Any) -> Node | None:
    """What stands for the items of a list at an index that is another one in each pass."""
    if values.any_pass is None or not isinstance(index, Node):
        return None
    numbers = values.any_pass.numbers(index)
    if numbers is None:
        return None
    return values.current(values.any_pass.item(sequence, numbers))


def _picked(values: Values, node: Node, places: list[Item]) -> Node:
    """The elements of a tensor at these places."""
    from gradcli.ops.indexing import getitem

    oldest = values.graph.count
    try:
        picked: Node = values.new(getitem(node, places), oldest)
    except GradcliError as error:
        from gradcli.trace.numpy_wordings import in_numpys_words  # few programs fail

        raise in_numpys_words(error, (node,), values.arrays) from None
    return picked


def _as_several(values: Values, node: Node, items: Sequence[Any]) -> Sequence[Any]:
    """What indices stand for: a list of lists alone is several indices in PyTorch."""
    if not values.is_pytorch or len(items) != 1 or node in values.arrays:
        return items
    index = items[0]
    if isinstance(index, Node) and index in values.number_lists and index.ndim > 1:
        return values.elements(index)
    if not isinstance(index, Items) or len(index) >= _LONG_INDEX:
        return items
    held = values.elements(index)
    return held if any(map(_is_several, held)) else items


def _spelled_out(values: Values, index: Any) -> Any:
    """A range between brackets as the list of its numbers."""
    return Items(values.elements(index)) if isinstance(index, range) else index


def _spread_truths(values: Values, node: Node, indices: Sequence[Any]) -> tuple[Node, list[Any]]:
    """An axis of length 1 for each single truth value, which takes all of it or nothing."""
    rest = node.ndim - sum(map(_axes_of, indices))
    if rest < 0:
        return node, list(indices)
    axis = 0
    spread: list[Any] = []
    for index in indices:
        if _is_mask(index) and not index.shape:
            node = unsqueeze(node, axis)
            spread += indices_of(values, reshape(index, 1))
            axis += 1
        else:
            spread.append(index)
            axis += rest if index is Ellipsis else _axes_of(index)
    return node, spread


def _check_mask(node: Node, mask: Node, axis: int) -> None:
    covered = node.shape[axis : axis + mask.ndim]
    if mask.shape != covered:
        raise GradcliError(
            "index",
            f"a mask of {show(mask.shape)} does not fit a tensor of {show(node.shape)}",
            hint="a mask has the lengths of the axes that it covers",
        )


def _element(
    values: Values, sequence: Sequence[Any], items: Sequence[Any], kind: str = ""
) -> Value:
    if len(items) == 1 and isinstance(items[0], slice):
        if items[0].step == 0:
            raise GradcliError("value", "the step of a slice is 0", hint="x[::1] is every element")
        part: Value = sequence[items[0]]  # type: ignore[assignment]
        is_kind = isinstance(sequence, tuple) and not hasattr(sequence, "_fields")
        return part if not is_kind else type(sequence)(part)  # type: ignore[call-arg,return-value]
    if len(items) != 1:
        return subscript(values, values.tensor(Items(list(sequence))), items)
    found = _item_in_each_pass(values, sequence, items[0])
    if found is not None:
        return found
    kind = kind or ("a tuple" if isinstance(sequence, tuple) else "a list")
    place = values.place(items[0], f"an index of {kind}")
    try:
        element = sequence[place]
    except IndexError:
        from gradcli.trace.index_errors import out_of_range  # a rare error

        raise out_of_range(place, len(sequence), kind) from None
    if values.latest and isinstance(element, Node):
        return values.current(element)
    return values.graph.constant(float(element)) if isinstance(element, int) else element


def _is_several(index: Any) -> bool:
    """Whether it makes the list that it stands in several indices."""
    if index is None or index is Ellipsis or isinstance(index, Items | tuple | slice):
        return True
    return isinstance(index, Node) and bool(index.shape)


def _is_mask(index: Any) -> bool:
    return isinstance(index, Node) and index.kind == "bool"


def _axes_of(index: Any) -> int:
    """The number of axes that a subscript other than `...` covers; a single truth value covers
    none.
    """
    if index is None or index is Ellipsis:
        return 0
    return index.ndim if _is_mask(index) else 1
