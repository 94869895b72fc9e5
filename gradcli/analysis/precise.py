"""Nodes computed step by step in a precision of one's choice, and what rounding does to them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from gradcli.analysis.montecarlo import (
    ULPS,
    RandomRounding,
    chooses,
    largest_change,
    roundings,
)
from gradcli.diagnostics import GradcliError
from gradcli.engine.kernels import kernel
from gradcli.graph import EMPTY, Array, Node
from gradcli.ops.elementwise import Elementwise

SUMMANDS = 256
"""Adding up this many numbers takes about as many roundings as one step; more of them, by the
square root.
"""
STEPS = 4.0
"""The roundings of a function on single elements that takes several calls of NumPy."""
DYADIC = 2.0**20
"""Numbers that are whole after multiplication by this are exact as they were written."""


class NotPreciseError(Exception):
    """An op on the way has no value in this precision."""


class Steps:
    """Nodes for given values of others, which are exact; all floats have one dtype."""

    def __init__(
        self, nodes: Sequence[Node], feeds: Mapping[Node, Array], dtype: np.dtype[Any]
    ) -> None:
        """Raises `limit-memory`."""
        self._nodes = nodes
        self._feeds = feeds
        self._dtype = dtype
        self._order = _needed(nodes, feeds)
        self._users = Counter(each for node in self._order for each in node.inputs)
        self._users.update(nodes)
        self.elements = sum(node.size for node in self._order)
        if self._order:
            ledger = self._order[0].graph.ledger
            ledger.require(3 * dtype.itemsize * self.elements, "what rounding does")

    def values(self) -> list[Array]:
        """The values of the nodes. Raises NotPreciseError, and what ops raise."""
        found = self._run()
        return [found[node] for node in self._nodes]

    def noise(self, unit: float, constants: float = 0.0) -> list[Array]:
        """What rounding may do to each node, where the last place is `unit` relative to 1;
        `constants` is the same for the numbers of the program. Raises what `values` does.
        """
        chosen = [node for node in self._order if chooses(node)]
        exact = self._run(keep=chosen)
        choices = {node: exact[node] for node in chosen}
        largest = [ULPS * unit * np.abs(exact[node]) for node in self._nodes]
        for seed in range(roundings(self.elements)):
            try:
                found = self._run(RandomRounding(ULPS * unit, seed), choices, constants / unit)
            except GradcliError:
                return [np.full(node.shape, np.inf) for node in self._nodes]
            for place, node in enumerate(self._nodes):
                change = largest_change(found[node], exact[node])
                largest[place] = np.fmax(largest[place], change)
        return largest

    def _run(
        self,
        rounding: RandomRounding | None = None,
        choices: Mapping[Node, Array] = EMPTY,
        constants: float = 0.0,
        keep: Sequence[Node] = (),
    ) -> dict[Node, Array]:
        """The values of the nodes and of those to keep; others are dropped after their last use."""
        users = self._users + Counter(keep)
        values: dict[Node, Array] = {}
        with np.errstate(all="ignore"):
            for node in self._order:
                if node in self._feeds or node.known is not None:
                    values[node] = self._given(node, rounding, constants)
                elif node in choices:
                    values[node] = choices[node]
                else:
                    values[node] = self._computed(node, values, rounding)
                for each in node.inputs:
                    users[each] -= 1
                    if not users[each]:
                        values.pop(each, None)
        return values

    def _given(self, node: Node, rounding: RandomRounding | None, constants: float) -> Array:
        known = self._feeds.get(node)
        value = np.asarray(node.known if known is None else known)
        if node.kind != "float":
            return value
        value = value.astype(self._dtype)
        if known is None and rounding is not None and constants:
            whole = DYADIC * value == np.rint(DYADIC * value)
            return np.where(whole, value, rounding(value, constants))
        return value

    def _computed(
        self, node: Node, values: Mapping[Node, Array], rounding: RandomRounding | None
    ) -> Array:
        call, before, after, count = kernel(node)
        if node.op.typed and node.kind == "float":
            after = (*after[:-1], self._dtype)
        operands = [values[each] for each in node.inputs[:count]]
        exact = node.op.view or node.op.copies or node.op.selects
        rounds = None if exact else rounding
        times = _roundings(node)
        if rounds is not None and not isinstance(node.op, Elementwise):  # it adds up on the way
            inside = partial(rounds, times=times)
            rounded = node.op.rounded
            operands = [rounded(each, inside) if rounded else inside(each) for each in operands]
        try:
            result = np.asarray(call(*before, *operands, *after))
        except (TypeError, ValueError):
            raise NotPreciseError from None
        if node.kind == "float" and result.dtype != self._dtype:
            raise NotPreciseError
        return result if rounds is None else rounds(result, times)


def _roundings(node: Node) -> float:
    """The error of an op, in roundings of a single step."""
    if isinstance(node.op, Elementwise):
        return 1.0 if node.op.ufunc is not None else STEPS
    return max(1.0, math.sqrt(max((each.size for each in node.inputs), default=1) / SUMMANDS))


def _needed(nodes: Sequence[Node], feeds: Mapping[Node, Array]) -> list[Node]:
    """The nodes and all that they are computed from, down to those that are given."""
    found = set(nodes)
    stack = list(nodes)
    while stack:
        node = stack.pop()
        if node in feeds or node.known is not None:
            continue
        for operand in node.inputs:
            if operand not in found:
                found.add(operand)
                stack.append(operand)
    return sorted(found, key=lambda node: node.index)
