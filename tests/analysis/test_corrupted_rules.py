"""A check is worth what it catches: every op's rule is made wrong on purpose."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from gradcli.analysis.check import check, gradients
from gradcli.analysis.problem import Problem
from gradcli.analysis.verdict import Check
from gradcli.graph import OPERATORS, Multiply, Node, Op, ancestors
from gradcli.ops import FUNCTIONS, Case
from tests.analysis.posed import posed
from tests.ops.table_cases import all_cases, case_id, trace

Corruption = Callable[[Node], Node | None]


def _turned(part: Node) -> Node:
    if part.ndim >= 2 and part.shape[-1] == part.shape[-2]:
        return FUNCTIONS["transpose"](part, -1, -2)
    return FUNCTIONS["flip"](part, -1) if part.ndim else part


CORRUPTIONS: dict[str, Corruption] = {
    "sign": lambda part: -part,
    "factor": lambda part: part * 2.0,
    "one percent": lambda part: part * 1.01,
    "constant term": lambda part: part + 0.1,
    "missing term": lambda part: None,
    "transposed": _turned,
}
ROUNDING = 1e-9
"""A gradient that is smaller is 0: its rule can be anything."""
SMOOTH = [case for _, case in all_cases() if case.smooth]


def problem_of(case: Case) -> Problem:
    """A case of the op table at the point that is drawn for it."""
    traced = trace(case)
    values = {node.attributes[0]: traced.feeds[node] for node in traced.inputs}
    return posed(case.program, values)


def corrupt(monkeypatch: pytest.MonkeyPatch, op: Op, corruption: Corruption) -> None:
    """Give an op a wrong rule for reverse mode."""
    right = op.vjp

    def wrong(node: Node, operand: int, cotangent: Node, multiply: Multiply) -> Node | None:
        part = right(node, operand, cotangent, multiply)
        return None if part is None else corruption(part)

    monkeypatch.setattr(op, "vjp", wrong)


def values(problem: Problem) -> list[Any]:
    """The gradients of all leaves for v of ones."""
    outputs = list(problem.outputs.values())
    ones = [np.linspace(0.5, 1.5, node.size).reshape(node.shape) for node in outputs]
    return problem.values(gradients(problem, outputs, ones))


def corrupted_checks(case: Case, names: list[str]) -> Iterator[tuple[str, Check]]:
    """The check of a case with each rule on its way made wrong, where that changes a gradient."""
    right = values(problem_of(case))
    nodes = ancestors(problem_of(case).outputs.values())
    for op in {node.op for node in nodes if node.inputs}:
        for name in names:
            with pytest.MonkeyPatch.context() as monkeypatch:
                corrupt(monkeypatch, op, CORRUPTIONS[name])
                found = values(problem_of(case))
                size = max(float(np.max(np.abs(each), initial=0.0)) for each in right)
                if not all(
                    np.allclose(a, b, rtol=1e-3, atol=max(1e-3 * size, ROUNDING))
                    for a, b in zip(right, found, strict=True)
                ):
                    yield f"{name} of {op.name}", check(problem_of(case))


def uncaught(cases: list[Case], names: list[str]) -> tuple[list[str], int]:
    """The corruptions that passed, and how many were tried."""
    passed, count = [], 0
    for case in cases:
        for what, found in corrupted_checks(case, names):
            count += 1
            if found.verdict != "fail":
                passed.append(f"{what} in {case.program} {dict(case.shapes)}: {found.verdict}")
    return passed, count


def test_one_case_of_every_function() -> None:
    first = {name: case for name, case in reversed(list(all_cases())) if case.smooth}
    passed, count = uncaught(list(first.values()), ["sign"])
    assert not passed
    assert count >= 200


@pytest.mark.slow
def test_every_case() -> None:
    passed, count = uncaught(SMOOTH, list(CORRUPTIONS))
    assert not passed
    assert count >= 500


@pytest.mark.parametrize("case", SMOOTH, ids=case_id)
def test_right_rules_do_not_fail(case: Case) -> None:
    assert check(problem_of(case)).verdict != "fail"


def test_a_sum_that_was_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    right = OPERATORS["sum_to"]

    def mean_to(node: Node, shape: tuple[int, ...]) -> Node:
        total = right(node, shape)
        return total * (total.size / node.size)

    monkeypatch.setitem(OPERATORS, "sum_to", mean_to)
    found = check(posed("sum(x * b)", {"x": [[1, 2], [3, 4]], "b": [5, 6]}))
    assert [leaf.verdict for leaf in found.leaves] == ["pass", "fail"]
