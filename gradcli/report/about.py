"""Remarks about the steps of an explanation: what they are in the program."""

from __future__ import annotations

from collections.abc import Iterator

from gradcli.analysis.explain import Explanation, Step
from gradcli.analysis.levels import Stage, body_of
from gradcli.language.syntax import Program
from gradcli.ops.control import DETACH
from gradcli.report.arrays import counted
from gradcli.report.sentences import Sentence
from gradcli.trace.loops import REPEATED

QUOTED = 8
"""The most lines of a loop's body that are quoted."""


def about_step(step: Step, explanation: Explanation) -> Iterator[str]:
    """What a value of the forward pass is, besides what gives it."""
    yield from _quoted(step, explanation.program)
    yield from _before(step, explanation)
    yield from _taken(step, explanation)


def about_stage(item: Stage | None, sentence: Sentence) -> Iterator[str]:
    """What a step of several is, where no sentence says it."""
    if item is None or item.single or sentence.text:
        return
    if item.stretch:
        yield f"steps {item.stretch}: --inside {item.stretch} shows them"
    elif item.passage is not None and item.passage.kind == "loop":
        if item.title == REPEATED:
            yield f"the same lines {item.passage.result:,} times: --inside {REPEATED} opens them"
            return
        yield f"a loop of {counted(item.passage.result, 'pass')}: --inside {item.title} opens it"
    elif item.passage is not None and item.passage.kind == "passes":
        first, _, last = item.title.partition("-")
        what = f"passes {int(first):,} to {int(last):,}" if last else f"pass {first}"
        yield f'{what}: --inside "pass {first}" shows {"one of them" if last else "it"}'
    elif item.passage is not None and item.passage.kind != "write":
        yield f"{item.title}: --inside {item.title} shows its steps"


def _quoted(step: Step, program: Program) -> Iterator[str]:
    """The body of a loop, as the program has it."""
    passage = step.stage.passage
    if passage is None or passage.kind != "loop" or step.node is not step.stage.results[0]:
        return
    text = body_of(passage, program)
    if 0 < len(text) <= QUOTED:
        yield f"in each pass: {text[0]}" if len(text) == 1 else "in each pass:"
        yield from (f"  {line}" for line in text if len(text) > 1)


def _before(step: Step, explanation: Explanation) -> Iterator[str]:
    """What a tensor was before the program wrote into it."""
    passage = step.stage.passage
    if passage is None or passage.kind != "write" or passage.span is None:
        return
    before = explanation.names.get(passage.arguments["x"])
    if before is not None:
        target = explanation.program.source.text[slice(*passage.span)]
        yield f"{target} is written: {before} is what was there before"


def _taken(step: Step, explanation: Explanation) -> Iterator[str]:
    """Of what a gradient is that the program takes, and by what."""
    if step.node not in explanation.taken:
        return
    names = explanation.names
    outputs, by = explanation.taken[step.node]
    of = [names[each] for each in outputs if each in names]
    if len(of) == len(outputs) and by in names:
        yield f"the gradient of {', '.join(of)} by {names[by]}, which the program takes"
        if step.node.op is DETACH:
            yield "a constant from here on: the program does not ask for create_graph"
