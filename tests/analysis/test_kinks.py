"""At kinks there are two derivatives, or none: no right rule fails there, no wrong one passes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gradcli.analysis.check import check
from gradcli.analysis.problem import Problem
from tests.analysis.corruptions import corrupted_check, ops_of
from tests.analysis.kinks import KINKED
from tests.analysis.posed import posed

IDS = [f"{program} {inputs}".replace(" ", "") for program, inputs in KINKED]


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("program", "inputs"), KINKED, ids=IDS)
def test_right_rules_do_not_fail(program: str, inputs: dict[str, Any]) -> None:
    assert check(posed(program, inputs)).verdict != "fail"


@pytest.mark.one_in(5)
@pytest.mark.parametrize(
    ("program", "inputs", "corruption"),
    [
        pytest.param(*case, each, marks=() if turn == place % 3 else pytest.mark.slow)
        for place, case in enumerate(KINKED)
        for turn, each in enumerate(("sign", "factor", "missing term"))
    ],
)
def test_wrong_rules_do_not_pass(program: str, inputs: dict[str, Any], corruption: str) -> None:
    def shifted(seed: int) -> Problem:
        generator = np.random.default_rng(seed)
        moves = {name: 1e-3 * generator.standard_normal(np.shape(x)) for name, x in inputs.items()}
        return posed(program, {name: x + moves[name] for name, x in inputs.items()})

    poses = [lambda: posed(program, inputs), lambda: shifted(1), lambda: shifted(2)]
    for op in ops_of(posed(program, inputs)):
        found = corrupted_check(poses, op, corruption)
        assert found is None or found.verdict != "pass", f"{corruption} of {op.name}"
