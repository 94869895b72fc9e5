"""The chain rule with one run's numbers: forward step by step, then backward step by step."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from gradcli.analysis.single import SingleRun
from gradcli.diagnostics import GradcliError, Note
from gradcli.differentiate import contributions
from gradcli.graph import CONSTANT, INPUT, Array, Node, Shape, ancestors, dependents
from gradcli.ops.control import DETACH, LEAF
from gradcli.ops.kinds import is_promotion
from gradcli.ops.shaping import SUM_TO

LONGEST = 400
"""The most steps of a graph that is explained: nobody would read more."""


@dataclass(frozen=True, slots=True)
class Step:
    """A value of the forward pass."""

    node: Node
    value: Array


@dataclass(frozen=True, slots=True)
class Part:
    """The part of a node's grad that comes from one of its uses."""

    through: Node | None
    """The node that uses it; None for the given gradient of an output."""
    rule: Node
    """The local rule over the nodes and the symbols that stand for grads."""
    value: Array
    summed_from: Shape | None
    """The shape of the contribution before it was summed over what had been broadcast."""
    total: Array
    """The sum of this part and all before it."""


@dataclass(frozen=True, slots=True)
class Grad:
    """The grad of a node, and its parts."""

    node: Node
    parts: list[Part]

    @property
    def value(self) -> Array:
        return self.parts[-1].total


@dataclass(frozen=True, slots=True)
class Explanation:
    """An explained run, for `gradcli.report` to render."""

    names: dict[Node, str]
    """Every node that is mentioned, and the symbols for grads: `x.grad`."""
    steps: list[Step]
    grads: list[Grad]
    titles: set[str]
    """The names that the program gives."""
    outputs: dict[str, Node]
    leaves: dict[str, Node]
    values: dict[Node, Array]
    """The values of all nodes with a name."""
    given: dict[str, Node]
    """The outputs for which a gradient was given."""
    stopped: list[Node]
    """Nodes that stop gradients: `detach`."""
    notes: list[Note] = field(default_factory=list)


def explain(run: SingleRun) -> Explanation:
    """The explanation of a run; raises `limit-nodes` where it would be too long."""
    outputs = run.prepared.outputs
    steps = [node for node in ancestors(outputs.values()) if not _is_constant(node)]
    steps = _seen(steps, run)
    if len(steps) > LONGEST:
        raise GradcliError(
            "limit-nodes",
            f"the graph has {len(steps):,} steps, too many to explain one by one",
            hint="use fewer steps of the loop, which have the same rules, or --entry for one entry",
        )
    names = name_nodes(steps, run)
    values = dict(zip(steps, run.values(steps), strict=True))
    grads = _grads(run, names, values)
    return Explanation(
        names=names,
        titles={*run.names, *run.leaves},
        steps=[Step(node, values[node]) for node in steps],
        grads=grads,
        outputs=outputs,
        leaves=run.leaves,
        values=values,
        given={
            name: outputs[name]
            for name, node in run.backward.cotangents.items()
            if node.op is INPUT
        },
        stopped=[node for node in steps if node.op is DETACH],
        notes=run.prepared.notes,
    )


def _is_constant(node: Node) -> bool:
    return node.op is CONSTANT or is_promotion(node)


def _seen(steps: list[Node], run: SingleRun) -> list[Node]:
    """Without what is computed from constants alone and has no name."""
    varying: set[Node] = set()
    named = set(run.names.values()) | set(run.leaves.values())
    for node in ancestors(steps):
        if node in named or node.op in (INPUT, LEAF) or any(x in varying for x in node.inputs):
            varying.add(node)
    return [node for node in steps if node in varying]


def name_nodes(steps: Sequence[Node], run: SingleRun) -> dict[Node, str]:
    """The program's names, and `t1`, `t2` … for what has none."""
    names: dict[Node, str] = {}
    for name, node in {**run.leaves, **run.names}.items():
        names.setdefault(node, name)
    taken = set(names.values())
    fresh = (f"t{n}" for n in itertools.count(1) if f"t{n}" not in taken)
    return {node: names[node] if node in names else next(fresh) for node in steps}


def _grads(run: SingleRun, names: dict[Node, str], values: dict[Node, Array]) -> list[Grad]:
    """The grads from the outputs to the leaves; adds their symbols to `names` and `values`."""
    backward, outputs = run.backward, run.prepared.outputs.values()
    order = ancestors(outputs)
    linked = dependents(order, run.leaves.values())
    parts: dict[Node, list[Part]] = {}
    for name, cotangent in backward.cotangents.items():
        given = run.feeds.get(cotangent, cotangent.known)
        output = backward.outputs[name]
        array = np.broadcast_to(np.asarray(given), output.shape)
        _add(parts, output, Part(None, cotangent, array, None, array))
    selected: set[Node] = set()
    grads: list[Grad] = []
    for node in reversed(order):
        if node not in parts or (node not in linked and node not in outputs):
            continue
        grad = Grad(node, parts[node])
        grads.append(grad)
        names.setdefault(node, f"#{node.index}")
        symbol = node.graph.input(f"{names[node]}.grad", node.shape, "float")
        run.feeds[symbol] = values[symbol] = grad.value
        names[symbol] = f"{names[node]}.grad"
        for position, rule in contributions(node, symbol, linked, selected):
            operand = node.inputs[position]
            value = np.broadcast_to(run.value(rule), operand.shape)
            shape = rule.inputs[0].shape if rule.op is SUM_TO else None
            _add(parts, operand, Part(node, rule, value, shape, value))
    return grads


def _add(parts: dict[Node, list[Part]], node: Node, part: Part) -> None:
    before = parts.setdefault(node, [])
    before.append(replace(part, total=before[-1].total + part.value) if before else part)
