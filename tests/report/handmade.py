"""Results made by hand: graphs from the op table, values by NumPy, grads as the test says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gradcli.diagnostics import Note, Source
from gradcli.graph import Array, Graph, Node
from gradcli.language.syntax import Program
from gradcli.session import Pass, Result
from gradcli.walks import ancestors


class Handmade:
    """Leaves and bindings in the order of a program; `result` runs it with NumPy."""

    def __init__(self) -> None:
        self.graph = Graph()
        self.fed: dict[Node, Array] = {}
        self.names: dict[str, Node] = {}
        self.leaves: dict[str, Node] = {}

    def leaf(self, name: str, value: Any) -> Node:
        array = np.asarray(value)
        kind = {"f": "float", "i": "int", "b": "bool"}[array.dtype.kind]
        node = self.graph.input(name, array.shape, kind)  # type: ignore[arg-type]
        self.fed[node] = array
        if kind == "float":
            self.leaves[name] = node
        return self.bind(name, node)

    def bind(self, name: str, node: Node) -> Node:
        self.names[name] = node
        return node

    def values(self) -> dict[Node, Array]:
        found: dict[Node, Array] = dict(self.fed)
        for node in ancestors(self.names.values()):
            if node.known is not None:
                found[node] = node.known
            elif node not in found:
                operands = [found[operand] for operand in node.inputs]
                found[node] = np.asarray(node.op.forward(np, *operands, *node.attributes))
        return found

    def result(
        self,
        *outputs: str,
        passes: Sequence[tuple[Mapping[str, Any], Mapping[str, Any]]] = (),
        retained: Mapping[str, Any] | None = None,
        accumulated: bool = False,
        notes: Sequence[str] = (),
        seed: int | None = None,
        printed: Sequence[str] = (),
        keep_values: bool = True,
    ) -> Result:
        """`passes` are (gradient by output, grad by leaf) pairs."""
        found = self.values() if keep_values else {}
        made = [
            Pass(_arrays(given), _arrays(grads), _arrays(retained or {})) for given, grads in passes
        ]
        grads = dict(made[-1].grads) if made else {}
        if accumulated:
            grads = {name: np.sum([p.grads[name] for p in made], axis=0) for name in grads}
        return Result(
            program=Program(Source("program", ""), ()),
            graph=self.graph,
            outputs={name: self.names[name] for name in outputs},
            names=self.names,
            values={name: found[node] for name, node in self.names.items() if node in found},
            node_values={node: value for node, value in found.items() if value.size <= 64},
            passes=made,
            grads=grads,
            leaves=self.leaves,
            precision="float64",
            device="cpu",
            seed=seed,
            accumulated=accumulated,
            notes=[Note("test", note) for note in notes],
            printed=list(printed),
        )


def _arrays(named: Mapping[str, Any]) -> dict[str, Array]:
    return {name: np.asarray(value, dtype=np.float64) for name, value in named.items()}
