"""Inputs: a node for each name that is bound from outside, and arrays by node."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np

from gradcli.diagnostics import GradcliError, Source, nearest
from gradcli.graph import INTERNED_BYTES, Array, Graph, Node, kind_of
from gradcli.language.syntax import Program
from gradcli.ledger import in_memory


def input_nodes(graph: Graph, program: Program, inputs: Mapping[str, Array]) -> dict[str, Node]:
    """A node for every input. Raises `name` for an input that the program does not mention."""
    for name in inputs:
        if name not in program.names:
            raise _unknown(name, program.names)
    nodes = {name: graph.input(name, array.shape, kind_of(array)) for name, array in inputs.items()}
    for name, array in inputs.items():
        if array.nbytes > INTERNED_BYTES and not _takes_none(array):
            graph.hold(nodes[name])
    return nodes


def input_feeds(nodes: Mapping[str, Node], inputs: Mapping[str, Array]) -> dict[Node, Array]:
    """The inputs' arrays by node, in the dtypes of the graph."""
    return {
        node: np.asarray(inputs[name], node.graph.dtype(node.kind)) for name, node in nodes.items()
    }


def in_files(nodes: Mapping[str, Node], inputs: Mapping[str, Array]) -> set[Node]:
    """The inputs that lie elsewhere, such as in mapped files, and so take no memory."""
    return {nodes[name] for name, array in inputs.items() if _takes_none(array)}


def _takes_none(array: Array) -> bool:
    """Whether an array takes no memory of its own: it is mapped, or one element is repeated."""
    if array.size > 1 and not any(array.strides):
        return True
    if in_memory(array):
        return False
    from gradcli.engine.mapped import mapping  # most programs start faster without

    return mapping(array) is not None


def _unknown(name: str, known: Collection[str]) -> GradcliError:
    guess = nearest(name, known)
    return GradcliError(
        "name",
        f"--set {name}: the program does not mention {name}",
        source=Source(f"--set {name}", ""),
        hint=f"did you mean {guess!r}?" if guess else "leave it out, or use the name",
    )
