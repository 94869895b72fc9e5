"""What is known of tensors at one time of a trace: what they have become in place, and their grads.

A pass of a loop that is traced to see whether it is one of many is undone with it.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from typing import Any

from gradcli.graph import Node
from gradcli.ops.control import LEAF
from gradcli.ops.loops import Unlike
from gradcli.trace.autograd import Autograd


class TensorState:
    """The state as it is now, which `restore` goes back to."""

    def __init__(self, autograd: Autograd, leaves: dict[Node, str]) -> None:
        """`leaves` are those that the program has made, with their names."""
        self._autograd, self._values = autograd, autograd.values
        self._live: tuple[dict[Node, Any], ...] = (
            self._values.latest,
            leaves,
            autograd.grads,
            autograd.names,
            autograd.written,
        )
        self._kept: list[dict[Node, Any]] = [dict(each) for each in self._live]
        self._calls, self._notes = len(autograd.calls), len(autograd.notes)
        self.freed = len(autograd.freed)
        """How many nodes were freed."""

    def restore(self) -> None:
        """Go back to this state; what is known of nodes made since then may stay."""
        for live, kept in zip(self._live, self._kept, strict=True):
            live.clear()
            live.update(kept)
        del self._autograd.calls[self._calls :], self._autograd.notes[self._notes :]

    def changed_since(
        self, before: TensorState, start: int, current: Callable[[Node], Node]
    ) -> list[Node]:
        """The tensors older than index `start` that have changed in place since then, as they are
        now. Views follow what they are views of.
        """
        newer = islice(self._kept[0], len(before._kept[0]), None)
        return [current(node) for node in newer if node.index < start and not self._is_view(node)]

    def grads_since(
        self, before: TensorState, start: int, current: Callable[[Node], Node]
    ) -> dict[Node, Node]:
        """The grads that tensors older than index `start` have now, where they are other ones than
        then, by tensor as it is now. Raises `Unlike` where one has come or gone.
        """
        then: dict[Node, Node] = {current(node): grad for node, grad in before._kept[2].items()}
        lines = {current(node): line for node, line in before._kept[4].items()}
        found: dict[Node, Node] = {}
        for node, grad in self._kept[2].items():
            old = then.pop(node, None)
            if lines.get(node) != self._kept[4].get(node) and self._is_older(node, start):
                raise Unlike("it is the first that leaves a grad")
            if old is grad or not self._is_older(node, start):
                continue
            if old is None:
                raise Unlike("it is the first that leaves a grad")
            found[node] = grad
        if then:
            raise Unlike("a grad is gone after it")
        return found

    def _is_view(self, node: Node) -> bool:
        return node.op.view and node.op is not LEAF and node not in self._values.copies

    def _is_older(self, node: Node, start: int) -> bool:
        return self._values.first.get(node, node).index < start
