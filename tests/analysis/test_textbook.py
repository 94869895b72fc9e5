"""The gradients that entries state in the textbook's form, against those of reverse mode."""

from __future__ import annotations

import re

import pytest

from gradcli.analysis.levels import Stage
from gradcli.language.construct import name
from gradcli.language.printer import print_expression
from gradcli.ops import FUNCTIONS, Case
from gradcli.ops.table import Function
from gradcli.report.sentences import Sentences
from gradcli.spelling.spell import function_of
from gradcli.spelling.textbook import instantiate
from tests.analysis.test_sentences import told
from tests.ops.table_cases import all_cases, case_id, trace

UNSTATED = (
    ".U", ".Vh", "eigenvectors", "'U')[1]", "enable_gqa", "dropout_p", "groups=2", "'same'",
    "output_padding",
)  # fmt: skip
"""Cases of other results, or with options for which no textbook has a formula."""
SIDE_BY_SIDE = re.compile(r"(max|avg)_pool[123]d\(x, \d\)")
"""Pooling over windows that do not overlap, which textbooks have."""
STATED = [
    (title, case)
    for title, case in all_cases()
    if FUNCTIONS[title].gradients
    and not any(text in case.program for text in UNSTATED)
    and ("_pool" not in title or SIDE_BY_SIDE.fullmatch(case.program))
]


def called(stage: Stage | None) -> Function | None:
    """The function that a step of an explanation calls."""
    if stage is None:
        return None
    if stage.single:
        return function_of(stage.nodes[0].op)
    return stage.passage.function if stage.passage else None


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("title", "case"), STATED, ids=case_id)
def test_gradient(title: str, case: Case) -> None:
    traced = trace(case)
    values = [traced.feeds[node] for node in traced.inputs]
    explanation = told(case.program, dict(zip(case.shapes, values, strict=True)))
    sentences = Sentences(explanation, explanation.passes[-1])
    compared = 0
    for grad in explanation.grads:
        for part in grad.parts:
            function = called(part.through)
            if function is None or function.name != title:
                continue
            assert part.through is not None
            texts = [*sentences.textbook(part.through, grad.node)]
            assert not texts or any(sentences.agrees(text, part.value) for text in texts)
            compared += len(texts)
    assert compared


def test_lengths_are_numbers_and_ones_are_left_out() -> None:
    text = "cotangent * (input - target) / input.shape[0] * input.numel()"
    operands = {"input": name("z"), "target": name("y"), "cotangent": name("out.grad")}
    found = instantiate(text, operands, {"input": (2, 3)})
    assert print_expression(found) == "out.grad * (z - y) / 2 * 6"
    one = instantiate("1 * input", {"input": name("z")}, {})
    assert print_expression(one) == "z"
