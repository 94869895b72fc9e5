"""Programs drawn for the campaign against PyTorch, with functions, loops, branches, broadcasting,
arrays without elements, and passes of their own: what is told of them is true.
"""

from __future__ import annotations

import warnings

import pytest

from gradcli.analysis.explain import Explanation, explain
from gradcli.diagnostics import GradcliError
from gradcli.session import Gradient, Options
from tests.analysis.programs import parse
from tests.analysis.told import problems

pytest.importorskip("torch", reason="the maker looks at what it draws with PyTorch")

from tests.campaigns.against.program import HERE
from tests.campaigns.against.statements import make

SEED = 151526
"""No other run draws programs of this seed."""


def told(number: int, *opened: str) -> Explanation | None:
    """The explanation of a program; None where it is refused, or nothing has a derivative."""
    drawn = make(SEED, number)
    options = Options(
        outputs=(drawn.output,) if drawn.output else (),
        wrt=drawn.wrt if drawn.output else (),
        precision="float32" if drawn.dtype == "float32" else "float64",
    )
    gradients = [] if drawn.gradient is None else [Gradient(drawn.gradient)]
    try:
        return explain(parse(drawn.text(HERE)), drawn.inputs, gradients, options, opened)
    except GradcliError:
        return None


def found(number: int, *opened: str) -> list[str]:
    """What is false or cannot be read; programs that divide by 0 do so without a warning."""
    explanation = told(number, *opened)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [] if explanation is None else [*problems(explanation)]


@pytest.mark.parametrize("number", range(20))
def test_some_programs(number: int) -> None:
    assert found(number) == []


@pytest.mark.slow
@pytest.mark.parametrize("number", range(1000))
def test_a_thousand_programs(number: int) -> None:
    assert found(number) == []
    assert found(number, "all") == []


def test_most_programs_are_told() -> None:
    assert sum(told(number) is not None for number in range(20)) >= 10
