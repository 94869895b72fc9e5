"""NumPy's grids of places, and arrays that are put together of blocks: `np.mgrid`, `np.block`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from itertools import islice
from types import EllipsisType
from typing import Any

import numpy as np

from gradcli.diagnostics import GradcliError
from gradcli.graph import Array, Node
from gradcli.ops.axes import movedim
from gradcli.ops.joining import cat
from gradcli.ops.kinds import cast
from gradcli.ops.shapes import broadcast
from gradcli.ops.shaping import expand, reshape
from gradcli.trace.arguments import bind_names
from gradcli.trace.arrays_of_numpy import ArrayCalls
from gradcli.trace.complex_tensors import ComplexNumber
from gradcli.trace.items import Items
from gradcli.trace.objects import Object
from gradcli.trace.slices import SliceOf
from gradcli.trace.special import Special
from gradcli.trace.values import Value
from gradcli.trace.whole_numbers import are_integers

_DEEPEST = 32
"""So many lists in lists are the most that NumPy's arrays have axes for."""
_FROM = {"triu_indices_from": ("arr", "k"), "tril_indices_from": ("arr", "k"),
         "diag_indices_from": ("arr",)}  # fmt: skip


class PlacesBetween(Object):
    """`np.mgrid` and `np.ogrid`: the places between bounds that stand in their brackets."""

    what = "an object that makes grids"
    takes_bounds = True

    def __init__(self, arrays: ArrayCalls, title: str) -> None:
        self._arrays = arrays
        self.title = title

    def item(self, items: Sequence[Any]) -> Value:
        if not items or not all(isinstance(each, slice) for each in items):
            raise GradcliError("value", f"np.{self.title} takes bounds",
                               hint=f"np.{self.title}[0:3, -1:1:5j]")  # fmt: skip
        axes = [between(self._arrays, self.title, each) for each in items]
        if len(axes) == 1:
            return self._arrays.array(axes[0])
        common = np.result_type(*axes)
        axes = [each.astype(common) for each in axes]
        if self.title == "ogrid":
            return tuple(map(self._arrays.array, np.ix_(*axes)))
        self._arrays.values.graph.check_room(len(axes) * np.prod([*map(len, axes)], dtype=object))
        return self._arrays.array(np.stack(np.meshgrid(*axes, indexing="ij")))


class Joining(Object):
    """`np.c_` and `np.r_`: what stands in their brackets as columns, or as one row."""

    what = "an object that joins arrays"
    takes_bounds = True

    def __init__(self, arrays: ArrayCalls, title: str) -> None:
        self._arrays = arrays
        self.title = title

    def item(self, items: Sequence[Any]) -> Value:
        values, name = self._arrays.values, f"np.{self.title}"
        if any(isinstance(each, str | EllipsisType | None) for each in items):
            raise GradcliError(
                "value", f"{name} joins arrays and numbers here", hint="np.arange(0, 5)"
            )
        parts = [self._arrays.array(between(self._arrays, self.title, each))
                 if isinstance(each, slice) else each for each in items]  # fmt: skip
        axes = 2 if self.title == "c_" else 1
        is_whole = all(
            each.kind == "int"
            if isinstance(each, Node) and each.shape
            else are_integers(each, self._arrays.numbers)
            for each in parts
        )
        nodes = []
        for each in parts:
            node = values.tensor(each, name)
            node = cast(node, "int") if is_whole else node
            nodes.append(node if node.ndim >= axes else reshape(node, (*node.shape, 1, 1)[:axes]))
        joined = cat(nodes, -1)
        values.arrays.add(joined)
        return joined


def between(arrays: ArrayCalls, title: str, bounds: slice) -> Array:
    """The numbers between bounds: `0:3`, `0:1:0.1`, or five from one to the other of `0:1:5j`."""
    plain, room = partial(arrays.plain, title), arrays.values.graph.check_room
    start = 0 if bounds.start is None else plain(bounds.start)
    stop = plain(bounds.stop)
    if stop is None:
        raise GradcliError("value", f"np.{title} needs an upper bound", hint=f"np.{title}[0:3]")
    if isinstance(bounds.step, ComplexNumber):
        count = int(abs(bounds.step.number))
        room(count)
        return np.linspace(start, stop, count)
    step = 1 if bounds.step is None else plain(bounds.step)
    if not step:
        raise GradcliError("value", f"np.{title}: the step is not 0")
    room(max(0, math.ceil((stop - start) / step)))
    return np.arange(start, stop, step)


class IndexMaker(Object):
    """`np.s_[1:3]`: what stands between brackets, as a value."""

    what = "a maker of indices"
    title = "IndexExpression"
    holds_none = True

    def __init__(self, *, keeps_one: bool) -> None:
        """A single index is a tuple, too, where that is kept."""
        self._keeps_one = keeps_one

    def item(self, items: Sequence[Any]) -> Any:
        found = tuple(SliceOf(each) if isinstance(each, slice) else each for each in items)
        return found if self._keeps_one or len(found) > 1 else found[0]


class ArrayGrids:
    """The functions by name."""

    def __init__(self, arrays: ArrayCalls) -> None:
        self._arrays = arrays
        self._values = arrays.values
        self.methods: dict[str, Special] = {}
        self.functions: dict[str, Special] = {
            "np.ix_": self._open,
            "np.block": self._block,
            "np.broadcast_arrays": self._broadcast,
            "np.rollaxis": self._rolled,
            **{f"np.{name}": partial(self._from, name) for name in _FROM},
        }
        self.constants: dict[str, Value] = {
            "numpy.s_": IndexMaker(keeps_one=False),
            "numpy.index_exp": IndexMaker(keeps_one=True),
            **{f"numpy.{name}": PlacesBetween(arrays, name) for name in ("mgrid", "ogrid")},
            **{f"numpy.{name}": Joining(arrays, name) for name in ("c_", "r_")},
        }

    def _open(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        """`a[np.ix_(rows, columns)]`: all rows with all columns."""
        found = [np.asarray(self._arrays.plain("ix_", each)) for each in arguments]
        try:
            return tuple(map(self._arrays.array, np.ix_(*found)))
        except ValueError as error:
            raise GradcliError("value", f"np.ix_: {error}") from None

    def _from(self, name: str, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        names = _FROM[name]
        given = bind_names(f"np.{name}", names, arguments, keywords, names[1:])
        array = np.asarray(self._arrays.plain(name, given.pop("arr")))
        options = {key: self._arrays.plain(name, each) for key, each in given.items()}
        try:
            return tuple(map(self._arrays.array, getattr(np, name)(array, **options)))
        except ValueError as error:
            raise GradcliError("value", f"np.{name}: {error}") from None

    def _broadcast(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        nodes = [self._values.tensor(each, "broadcast_arrays") for each in arguments]
        shape = broadcast("broadcast_arrays", [each.shape for each in nodes])
        return tuple(each if each.shape == shape else expand(each, shape) for each in nodes)

    def _rolled(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        """`np.rollaxis(a, 2)`: that axis comes before another one, or first."""
        names = ("a", "axis", "start")
        given = bind_names("np.rollaxis", names, arguments, keywords, names[2:])
        node = self._values.tensor(given["a"], "rollaxis")
        axis = self._values.integer(given["axis"], "axis")
        start = self._values.integer(given["start"], "start") if "start" in given else 0
        if not -node.ndim <= axis < node.ndim or not -node.ndim <= start <= node.ndim:
            raise GradcliError("value", f"np.rollaxis: there are {node.ndim} axes")
        axis, start = axis % node.ndim, start + node.ndim if start < 0 else start
        made = movedim(node, (axis,), (start - (axis < start),))
        self._values.arrays.add(made)
        return made

    def _block(self, arguments: list[Value], keywords: dict[str, Value]) -> Value:
        """`np.block([[A, B], [C, D]])`: the innermost lists are joined along the last axis, those
        around them along the one before it.
        """
        (given,) = bind_names("np.block", ("arrays",), arguments, keywords).values()
        depth, level = 0, [given]
        levels: list[Any] = [level]
        while any(isinstance(each, Items) for each in level):
            if not all(isinstance(each, Items) and each for each in level) or depth == _DEEPEST:
                raise GradcliError("value", "np.block: all arrays stand equally deep in lists",
                                   hint="[[A, B], [C, D]]")  # fmt: skip
            depth += 1
            level = [part for each in level for part in self._values.elements(each)]
            levels.append(level)
        nodes = [self._values.tensor(each, "block") for each in level]
        most = max(depth, *(each.ndim for each in nodes))
        nodes = [reshape(each, (1,) * (most - each.ndim) + each.shape) for each in nodes]
        for up in range(1, depth + 1):
            above, rest = levels[depth - up], iter(nodes)
            nodes = [cat([*islice(rest, len(each))], -up) for each in above]
        made: Node = nodes[0]
        self._values.arrays.add(made)
        return made
