"""Large steps as a graph of their own, which the engine sweeps over in blocks and with threads."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from gradcli.engine.device import engine
from gradcli.engine.swept import LARGE
from gradcli.graph import Array, Graph, Node
from gradcli.options import Options


class Replica:
    """Nodes as a function of one leaf, in float64; of what else they need, the values are fixed."""

    def __init__(
        self,
        nodes: Sequence[Node],
        steps: Collection[Node],
        leaf: Node,
        fixed: Mapping[Node, Array],
        options: Options,
    ) -> None:
        """`steps` are what is computed, operands first. Raises `limit-memory`."""
        graph = Graph(shares=False)
        inside = {leaf: graph.input("leaf", leaf.shape, leaf.kind)}
        self._leaf = inside[leaf]
        self._feeds: dict[Node, Array] = {}
        for node, value in fixed.items():
            if node.known is not None:
                inside[node] = graph.constant(value)
            else:
                inside[node] = graph.input("fixed", node.shape, node.kind)
                self._feeds[inside[node]] = value
        for node in steps:
            graph.span = node.span
            inputs = tuple([inside[each] for each in node.inputs])
            inside[node] = graph.apply(node.op, inputs, node.attributes)
        self._engine = engine(
            [inside[node] for node in nodes],
            "cpu",
            options.threads,
            leaf.graph.ledger,
            elsewhere={self._leaf, *graph.held, *self._feeds},
        )

    def at(self, value: Array) -> list[Array]:
        """The values of the nodes for this value of the leaf. Raises what their ops raise."""
        return self._engine.run(self._feeds | {self._leaf: value})


def is_worth(steps: Collection[Node]) -> bool:
    """Whether a replica is quicker than one call of NumPy after another."""
    return any(node.size >= LARGE for node in steps) and not any(
        node.op.symmetric for node in steps
    )
