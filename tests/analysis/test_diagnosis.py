"""The user's own gradient: agreement, and the cause of a difference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from gradcli.analysis.diagnosis.claim import Claim, differentiate, formula, weighed
from gradcli.analysis.diagnosis.compare import Comparison, compare
from gradcli.diagnostics import GradcliError, Source
from tests.analysis.mistakes import DATA, MISTAKES, SQUARES, A, Mistake, S, X, Y
from tests.analysis.posed import posed


def compared(
    program: str, inputs: Mapping[str, Any], leaf: str, mine: Any, gradient: Sequence[Any] = ()
) -> Comparison:
    walk = differentiate(weighed(posed(program, inputs, gradient)))
    if isinstance(mine, str):
        node = formula(walk, Source("--mine", mine))
    else:
        node = walk.problem.graph.constant(np.asarray(mine, np.float64))
    return compare(Claim(walk, leaf, walk.problem.leaves[leaf], node))


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda each: f"{each.program} {each.mine}")
def test_a_mistake_is_named(mistake: Mistake) -> None:
    found = compared(
        mistake.program, mistake.data, mistake.leaf, mistake.mine, mistake.gradient
    )
    assert found.verdict == "fail"
    cause = found.causes[0]
    assert cause.code == mistake.code, found.causes
    for words in mistake.words:
        assert words in cause.message


def test_there_are_many_mistakes() -> None:
    assert len(MISTAKES) >= 80
    assert len({mistake.code for mistake in MISTAKES}) >= 25
