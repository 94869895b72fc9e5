"""An explanation as data: the steps, their equations and values, and what each is used for."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from gradcli.analysis.backward import Grad, Part, ToldPass
from gradcli.analysis.explain import Explanation, Step
from gradcli.analysis.levels import Stage
from gradcli.analysis.paths import SumOverPaths
from gradcli.data.numbers import nested
from gradcli.graph import INPUT, Array
from gradcli.ops.control import LEAF
from gradcli.report.explain import is_changed
from gradcli.report.json import noted
from gradcli.report.layout import Layout
from gradcli.report.sentences import Sentence, Sentences


def write(told: Explanation | SumOverPaths, layout: Layout) -> Iterator[str]:
    """One JSON object; numbers are at full precision."""
    found = _entry(told) if isinstance(told, SumOverPaths) else _run(told, layout)
    yield json.dumps(found, ensure_ascii=layout.ascii_only) + "\n"


def _run(told: Explanation, layout: Layout) -> dict[str, Any]:
    forward = Sentences(told, None, layout.precision)
    return {
        "steps": [_step(step, told, _sentence(step, told, forward)) for step in told.steps],
        "passes": [_pass(each, told, layout) for each in told.passes],
        "notes": noted(told.notes),
    }


def _sentence(step: Step, told: Explanation, forward: Sentences) -> Sentence:
    """What gives a value, also where a program has changed a leaf."""
    node = step.node
    changed = role(step, told) == "leaf" and is_changed(node, told.names)
    return forward.rule(node.inputs[0], step.value) if changed else forward.step(step)


def _step(step: Step, told: Explanation, sentence: Sentence) -> dict[str, Any]:
    node, stage = step.node, step.stage
    return {
        "name": told.names[node],
        "shape": list(node.shape),
        **_equation(sentence),
        "value": _numbers(step.value),
        "span": span(stage, told),
        "role": role(step, told),
        "inside": stage.title or None,
        "used_for": [
            told.names[each.node]
            for each in told.steps
            if each.stage is not stage and any(node in inner.inputs for inner in each.stage.nodes)
        ],
    }


def role(step: Step, told: Explanation) -> str:
    """What a value is: leaf, input, output or intermediate."""
    node = step.node
    if node in told.leaves.values() or any(node in each.leaves for each in told.passes):
        return "leaf"
    if node in told.outputs.values():
        return "output"
    return "input" if node.op in (INPUT, LEAF) else "intermediate"


def span(stage: Stage, told: Explanation) -> dict[str, Any] | None:
    """Where the program computes it: line and column from 1, and the text."""
    found = stage.passage.span if stage.passage else stage.nodes[-1].span
    if found is None:
        return None
    line, column = told.program.source.locate(found[0])
    text = told.program.source.text[slice(*found)]
    return {"start": found[0], "end": found[1], "line": line, "column": column, "text": text}


def _pass(told: ToldPass, explanation: Explanation, layout: Layout) -> dict[str, Any]:
    sentences = Sentences(explanation, told, layout.precision)
    return {
        "line": told.line,
        "grads": [
            _grad(grad, told, explanation, sentences)
            for grad in told.grads
            if grad.node not in explanation.unshown
        ],
    }


def _grad(
    grad: Grad, told: ToldPass, explanation: Explanation, sentences: Sentences
) -> dict[str, Any]:
    return {
        "name": f"{explanation.names[grad.node]}.grad",
        "shape": list(grad.node.shape),
        "value": _numbers(grad.value),
        "held": None if grad.held is None else _numbers(grad.held),
        "role": "leaf" if grad.node in told.leaves else "intermediate",
        "parts": [_part(grad, part, explanation, sentences) for part in grad.parts],
    }


def _part(grad: Grad, part: Part, explanation: Explanation, sentences: Sentences) -> dict[str, Any]:
    through = part.through
    return {
        "through": [explanation.names[node] for node in through.results] if through else None,
        **_equation(sentences.part(grad, part)),
        "value": _numbers(part.value),
    }


def _equation(sentence: Sentence) -> dict[str, Any]:
    return {
        "expression": sentence.text or None,
        "with_numbers": sentence.numbers or None,
        "where": dict(sentence.where),
    }


def _entry(told: SumOverPaths) -> dict[str, Any]:
    return {
        "entry": told.name,
        "paths": [
            {"places": path.places, "factors": path.factors, "v": path.v, "product": path.product}
            for path in told.paths
        ],
        "count": told.count,
        "total": told.total,
        "grad": told.grad,
        "notes": noted(told.notes),
    }


def _numbers(array: Array) -> Any:
    """Nested lists; what is not finite is a string."""
    return json.loads("".join(nested(array)))
