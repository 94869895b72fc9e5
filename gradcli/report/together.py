"""What a step of several hands on, and the grads that come back to it: told together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby

from gradcli.analysis.backward import Grad
from gradcli.analysis.levels import Stage
from gradcli.graph import Node
from gradcli.report.about import about_stage
from gradcli.report.arrays import counted
from gradcli.report.document import Block, Chain, Paragraph, Together
from gradcli.report.sentences import Sentence

FEW = 2
"""So many values of which the same is said are told one by one."""


def handed_on(stage: Stage, chains: Sequence[Chain], left_out: int) -> Iterator[Block]:
    """The values of a step: those of which the same is said first are told under that."""
    said = next(about_stage(stage, Sentence("")), "")
    more = f", and {counted(left_out, 'more value')}" if left_out else ""
    for first, group in groupby(chains, key=lambda chain: chain.remarks[:1]):
        found = [*group]
        if first == [said] and (stage.stretch or more or len(found) > 1):
            yield _together(said + more, found)
            more = ""
        elif first and len(found) > FEW:
            yield _together(f"each of these: {first[0]}", found)
        else:
            yield from found
    if more:
        yield Paragraph(said + more)


def _together(title: str, chains: Iterable[Chain]) -> Together:
    """Chains without the first remark of each."""
    return Together(title, [replace(each, remarks=each.remarks[1:]) for each in chains])


def through(stages: Iterable[Stage], names: Mapping[Node, str]) -> str:
    """The steps that grads come through, from the last one: `y, steps 7-12 and 1-6`."""
    ordered = sorted(stages, key=lambda stage: -stage.nodes[0].index)
    named = dict.fromkeys(title(each, names) for each in ordered if not each.stretch)
    numbered = dict.fromkeys(each.stretch for each in ordered if each.stretch)
    *others, last = [*named, *numbered]
    text = f"{', '.join(others)} and {last}" if others else last
    first = next(iter(numbered), "")
    return text.replace(first, f"steps {first}", 1) if first else text


def title(stage: Stage, names: Mapping[Node, str]) -> str:
    """What a step is called: by its number, or by what it gives."""
    if stage.stretch:
        return f"steps {stage.stretch}"
    return ", ".join(names[node] for node in stage.results)


def comes_through_steps(grad: Grad) -> bool:
    """Whether a grad is told by what other steps send back, without what was given or held."""
    return grad.held is None and all(part.through is not None for part in grad.parts)
