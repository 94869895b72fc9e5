"""A check is worth what it catches: every op's rule is made wrong on purpose."""

from __future__ import annotations

import math
from collections.abc import Iterator

import pytest

from gradcli.analysis.check import check
from gradcli.analysis.problem import Problem
from gradcli.analysis.verdict import Check
from gradcli.graph import OPERATORS, Node
from gradcli.ops import FUNCTIONS, Case
from tests.analysis.corruptions import CORRUPTIONS, corrupted_check, ops_of
from tests.analysis.posed import posed
from tests.ops.table_cases import all_cases, case_id, trace

PARTS = 20
"""Of the sweep over all cases, each of a few minutes at most."""

SMOOTH = [case for _, case in all_cases() if case.smooth]


def size(case: Case) -> int:
    """How many elements its inputs have."""
    return sum(math.prod(shape) for shape in case.shapes.values())


SMALLEST = {
    name: case
    for name, case in sorted(all_cases(), key=lambda pair: size(pair[1]), reverse=True)
    if case.smooth
}
"""One case of every function that has smooth ones."""


def problem_of(case: Case) -> Problem:
    """A case of the op table at the point that is drawn for it."""
    traced = trace(case)
    values = {node.attributes[0]: traced.feeds[node] for node in traced.inputs}
    return posed(case.program, values)


def corrupted_checks(case: Case, names: list[str]) -> Iterator[tuple[str, Check]]:
    """The check of a case with each rule on its way made wrong, where that changes a gradient."""
    for op in ops_of(problem_of(case)):
        for name in names:
            found = corrupted_check([lambda: problem_of(case)], op, name)
            if found is not None:
                yield f"{name} of {op.name}", found


def uncaught(cases: list[Case], names: list[str]) -> tuple[list[str], int]:
    """The corruptions that passed, and how many were tried."""
    passed, count = [], 0
    for case in cases:
        for what, found in corrupted_checks(case, names):
            count += 1
            if found.verdict != "fail":
                passed.append(f"{what} in {case.program} {dict(case.shapes)}: {found.verdict}")
    return passed, count


@pytest.mark.wide
def test_the_smallest_case_of_every_op() -> None:
    """With one corruption each, another for the next op. Functions made of others are `slow`."""
    names = list(CORRUPTIONS)
    passed, count = [], 0
    for place, (name, case) in enumerate(SMALLEST.items()):
        if FUNCTIONS[name].op is not None:
            missed, tried = uncaught([case], [names[place % len(names)]])
            passed += missed
            count += tried
    assert not passed
    assert count >= 60


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_every_case(part: int) -> None:
    passed, count = uncaught(SMOOTH[part::PARTS], list(CORRUPTIONS))
    assert not passed
    assert count >= 5_000 // PARTS


@pytest.mark.one_in(14)
@pytest.mark.parametrize("case", SMALLEST.values(), ids=case_id)
def test_right_rules_do_not_fail(case: Case) -> None:
    assert check(problem_of(case)).verdict != "fail"


@pytest.mark.slow
@pytest.mark.parametrize(
    "case", [case for case in SMOOTH if case not in SMALLEST.values()], ids=case_id
)
def test_right_rules_do_not_fail_in_larger_cases(case: Case) -> None:
    assert check(problem_of(case)).verdict != "fail"


def test_a_sum_that_was_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    right = OPERATORS["sum_to"]

    def mean_to(node: Node, shape: tuple[int, ...]) -> Node:
        total = right(node, shape)
        return total * (total.size / node.size)

    monkeypatch.setitem(OPERATORS, "sum_to", mean_to)
    found = check(posed("sum(x * b)", {"x": [[1, 2], [3, 4]], "b": [5, 6]}))
    assert [leaf.verdict for leaf in found.leaves] == ["pass", "fail"]
