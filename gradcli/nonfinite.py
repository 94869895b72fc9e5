"""Where a nan or an infinity came from: the first op that made one out of finite numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from gradcli.diagnostics import GradcliError, Note
from gradcli.differentiate import vjp
from gradcli.engine.device import run
from gradcli.engine.mapped import pieces, stored
from gradcli.engine.plan import Plan
from gradcli.graph import INPUT, Array, Node
from gradcli.passes import Backward
from gradcli.tuples import NamedTuple

SEARCH_BYTES = 1 << 28
"""A run whose values together take more than this, or than half of the free memory, is not searched
for the op."""


class Question(NamedTuple):
    """The results of a run: the outputs, and the backward passes from them to leaves."""

    outputs: Sequence[Node]
    leaves: Sequence[Node]
    backwards: Sequence[Backward]


def explain_nonfinite(
    plan: Plan,
    values: Mapping[str, Array],
    grads: Sequence[Mapping[str, Array]],
    feeds: Mapping[Node, Array],
    question: Question,
) -> list[Note]:
    """A note on the first op that made a non-finite number, if one is among values and grads.

    It names another way to write the program where one was tried and is finite.
    """
    with np.errstate(all="ignore"):
        bad = [name for name, array in values.items() if not _finite(array)]
        bad += [
            f"the grad of {name}"
            for each in grads
            for name, array in each.items()
            if not _finite(array)
        ]
        return _first_culprit(plan, bad[0], feeds, question) if bad else []


def _first_culprit(
    plan: Plan, name: str, feeds: Mapping[Node, Array], question: Question
) -> list[Note]:
    what = f"{name} is not finite everywhere"
    nodes = plan.nodes
    most = min(SEARCH_BYTES, nodes[0].graph.ledger.room // 2)
    if sum(node.size for node in nodes) * 8 > most:
        return [Note("nonfinite", what)]
    values = dict(zip(nodes, run(nodes, feeds), strict=True))
    for node in nodes:
        if not _finite(values[node]) and all(_finite(values[each]) for each in node.inputs):
            remedy = _remedy(question, feeds, by_value=node.origin is None)
            story = f"{what}: {_describe(node, values)}{remedy}"
            return [Note("nonfinite", story)]
    return [Note("nonfinite", what)]


def _finite(array: Array) -> bool:
    file = stored(array)
    if array.dtype.kind != "f" or (file is not None and file.finite):
        return True
    # A finite sum proves that all are finite, quickly; finite numbers may have an infinite sum.
    return all(
        bool(np.isfinite(np.add.reduce(piece, None))) or bool(np.isfinite(piece).all())
        for piece in pieces(array)
    )


def _describe(node: Node, values: Mapping[Node, Array]) -> str:
    """`log of 0 at [2] gave -inf`, `in the backward of sqrt, 1 / 0 at [0] gave inf`."""
    value = values[node]
    place = tuple(int(i) for i in np.argwhere(~np.isfinite(value))[0])
    made = f"{value[place]:g}"
    at = f" at [{', '.join(map(str, place))}]" if place else ""
    if node.op is INPUT or node.known is not None:
        name = node.attributes[0] if node.attributes else "a constant"
        return f"{name} holds {made}{at}"
    operands = [_operand(values[each], value.shape, place) for each in node.inputs]
    backward = "" if node.origin is None else f"in the backward of {node.origin.op.name}, "
    infix = node.op.infix
    if infix and len(operands) == 2:
        step = f" {infix} ".join(operands)
    elif all(operands):
        step = f"{node.op.name} of {', '.join(operands)}"
    else:
        step = node.op.name
    return f"{backward}{step}{at} gave {made}"


def _remedy(question: Question, feeds: Mapping[Node, Array], *, by_value: bool) -> str:
    """What to write instead: a rewrite that was tried and is finite, or has finite values."""
    from gradcli.remedies import (
        remedies,
    )  # most runs are finite, and start faster without

    better = ""
    try:
        for words, replacements in remedies(question.outputs):
            finite = [*map(_finite, run(_rewritten(question, replacements), feeds))]
            if all(finite):
                return f"; {words} is finite here: it was tried"
            if all(finite[: len(question.outputs)]) and by_value:
                better = f"; {words} has a finite value here: it was tried"
    except GradcliError:  # a limit, or a function that does not accept these operands
        pass
    return better


def _rewritten(question: Question, replacements: Mapping[Node, Node]) -> list[Node]:
    """The values and grads with some nodes replaced."""
    from gradcli.simplify import rebuilt

    concerned = [*question.outputs, *question.leaves]
    new = dict(zip(concerned, rebuilt(concerned, replacements), strict=True))
    leaves = [new[leaf] for leaf in question.leaves]
    nodes = [new[output] for output in question.outputs]
    for each in question.backwards:
        outputs = [new[output] for output in each.outputs.values()]
        grads = vjp(outputs, list(each.cotangents.values()), leaves)
        nodes += [grad for grad in grads if grad is not None]
    return nodes


def _operand(array: Array, shape: tuple[int, ...], place: tuple[int, ...]) -> str:
    """The element of an operand that went into an element of the result, where they correspond."""
    try:
        return f"{np.broadcast_to(array, shape)[place]:g}"
    except ValueError:
        return ""
