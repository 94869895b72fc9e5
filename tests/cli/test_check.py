"""`gradcli check` as a user meets it: what it prints, and what it exits with."""

from __future__ import annotations

import pytest

from tests.cli.conftest import Runner

CUBES = ("z = (2*x)**3; out = mean(z)", "--set", "x=[[1,2],[3,4]]")


def test_a_right_gradient_passes(gradcli: Runner) -> None:
    outcome = gradcli("check", *CUBES, "--json")
    assert outcome.code == 0
    assert outcome.json["verdict"] == "pass"
    assert outcome.json["leaves"]["x"]["digits"] > 9
    assert outcome.json["leaves"]["x"]["checked"] == 4


@pytest.mark.parametrize(("strict", "code"), [([], 0), (["--strict"], 1)])
def test_no_answer_is_an_error_under_strict(gradcli: Runner, strict: list[str], code: int) -> None:
    outcome = gradcli("check", "sum(floor(x))", "-s", "x=2", *strict, "--json")
    assert outcome.json["verdict"] == "inconclusive"
    assert outcome.code == code
