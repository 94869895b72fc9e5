"""What a picture of a graph shows: loops once, and the grads of all nodes, retained or not."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

import numpy as np

from gradcli.analysis.levels import MOST, Levels, Stage, body_of, passes_in
from gradcli.differentiate import vjp
from gradcli.engine.evaluator import Evaluator
from gradcli.graph import CONSTANT, INPUT, Array, Node
from gradcli.language.syntax import Program
from gradcli.ops.kinds import is_promotion
from gradcli.ops.loops import Loop, NotRolled
from gradcli.result import Result, WholeLoop
from gradcli.session import Gradient, Options, evaluate, unrolled
from gradcli.walks import ancestors


def pictured(
    program: Program,
    inputs: Mapping[str, Array],
    gradients: Sequence[Gradient],
    options: Options,
    opened: Collection[str] = (),
) -> Result:
    """The answer to a run with what a picture shows; arguments are those of `session.evaluate`.

    `opened` are `for`, `while`, one pass such as `pass 3`, or `all`: loops that are shown as the
    nodes of their passes.
    """
    asked = options._replace(trace_values=True, passages=True, alone=passes_in(opened))
    result = with_loops(evaluate(program, inputs, gradients, asked), opened)
    try:
        return _with_grads(result)
    except NotRolled:
        return pictured(program, inputs, gradients, unrolled(options), opened)


def with_loops(result: Result, opened: Collection[str] = ()) -> Result:
    """The result with its long loops as single nodes, where it has not been seen to yet."""
    if result.passages is None:
        return result
    order = ancestors(result.outputs.values())
    parts = [each for each in result.passages.ended if each.kind in ("loop", "pass")]
    levels = Levels(parts, opened, set(result.outputs.values()))
    found: dict[Node, WholeLoop] = {}
    for stage in levels.parts(order):
        long = len(stage.nodes) > MOST or any(isinstance(node.op, Loop) for node in stage.nodes)
        if stage.passage is not None and long:
            body = tuple(body_of(stage.passage, result.program))
            whole = WholeLoop(stage.passage.result, body, tuple(_read(stage)))
            found.update(dict.fromkeys(stage.results, whole))
    return result._replace(loops=found, passages=None)


def _read(stage: Stage) -> Iterator[Node]:
    """What the nodes of a step read of others, each once, without constants."""
    inside = set(stage.nodes)
    seen: set[Node] = set()
    for node in stage.nodes:
        for operand in node.inputs:
            while is_promotion(operand):
                operand = operand.inputs[0]  # noqa: PLW2901 (what it promotes)
            if operand not in inside and operand not in seen and operand.op is not CONSTANT:
                seen.add(operand)
                yield operand


def _with_grads(result: Result) -> Result:
    """The result with the grads of its nodes, those of the last pass or, where passes add up, of
    all: each in its node's shape.

    Nodes that no gradient reaches have none, nor has anything where nothing was differentiated, or
    where an input is too large for its values to be shown.
    """
    passes = result.passes if result.accumulated else result.passes[-1:]
    only = {*result.outputs.values()} if len(result.outputs) == 1 else set()  # its grad is v
    shown = _shown(result)
    wanted = [
        each
        for each in result.node_values
        if each.kind == "float" and each not in only and each in shown
    ]
    if not passes or not wanted:
        return result
    order = ancestors(result.outputs.values())
    if any(node.op is INPUT and node not in result.node_values for node in order):
        return result
    feeds = {node: np.asarray(array) for node, array in result.node_values.items()}
    outputs = {name: result.outputs[name] for name in passes[-1].gradient}
    cotangents: list[Node] = []
    for name, output in outputs.items():
        given = result.graph.input(f"{name}.grad", output.shape, "float")
        feeds[given] = np.sum([each.gradient[name] for each in passes], axis=0)
        cotangents.append(given)
    found = vjp([*outputs.values()], cotangents, wanted)
    evaluator = Evaluator(feeds, result.graph.ledger)
    reached = {node: grad for node, grad in zip(wanted, found, strict=True) if grad is not None}
    return result._replace(
        node_grads={node: evaluator.computed(grad) for node, grad in reached.items()}
    )


def _shown(result: Result) -> set[Node]:
    """The nodes that are drawn: those inside loops that are shown once are not."""
    found = set(result.outputs.values())
    pending = list(found)
    while pending:
        node = pending.pop()
        loop = result.loops.get(node)
        for operand in node.inputs if loop is None else loop.operands:
            if operand not in found:
                found.add(operand)
                pending.append(operand)
    return found
