"""Nodes that are wanted of a graph, planned for a device."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from gradcli.engine.device import engine
from gradcli.engine.plan import Engine
from gradcli.engine.swept import LARGE
from gradcli.graph import EMPTY, Array, Graph, Node
from gradcli.options import Options


class Planned:
    """Computes the values of some nodes, as often as they are asked for."""

    def __init__(
        self,
        graph: Graph,
        wanted: Sequence[Node],
        elsewhere: Collection[Node],
        looked: Collection[Node],
        known: Mapping[Node, Array],
        options: Options,
    ) -> None:
        """Arguments and errors are those of `engine.device.engine`; values of nodes are `known`
        that are the same in all runs.
        """
        self.wanted = wanted
        """The nodes whose values are asked for."""
        self._lowered: dict[Node, Node] = {}
        """The nodes that are computed in place of others."""
        if graph.largest >= LARGE or known:
            from gradcli.engine.lowering import lower

            first, order = _unknown(wanted, known)
            self._lowered |= {node: graph.fixed(known[node]) for node in first}
            lower(order, self._lowered)
        self.engine: Engine = engine(
            self.computed(wanted),
            options.device,
            options.threads,
            graph.ledger,
            set(self.computed(elsewhere)),
            self.computed(looked),
        )

    def run(
        self, feeds: Mapping[Node, Array], into: Mapping[Node, Array] = EMPTY
    ) -> dict[Node, Array]:
        """The values of the wanted nodes; those of nodes in `into` are written there."""
        targets = dict(zip(self.computed(into), into.values(), strict=True))
        return dict(zip(self.wanted, self.engine.run(feeds, targets), strict=True))

    def computed(self, nodes: Iterable[Node]) -> list[Node]:
        """The nodes that the engine computes for these."""
        return [self._lowered.get(node, node) for node in nodes]


def _unknown(wanted: Sequence[Node], known: Mapping[Node, Array]) -> tuple[list[Node], list[Node]]:
    """The known nodes that others are computed from, and these, operands first."""
    pending, seen, first = [*wanted], set(wanted), list[Node]()
    order: list[Node] = []
    while pending:
        node = pending.pop()
        if node in known:
            first.append(node)
            continue
        order.append(node)
        fresh = [each for each in node.inputs if each not in seen]
        seen.update(fresh)
        pending += fresh
    return first, sorted(order, key=lambda node: node.index)
