"""`gradcli check` as a user meets it: what it prints, and what it exits with."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gradcli.cli import sweep
from gradcli.graph import Node
from gradcli.ops import FUNCTIONS
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


def corrupt(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Turn the sign of what an op gives back."""
    op = FUNCTIONS[name].op
    assert op is not None
    right = op.vjp

    def wrong(*arguments: Any) -> Node | None:
        part = right(*arguments)
        return None if part is None else -part

    monkeypatch.setattr(op, "vjp", wrong)


def test_a_wrong_gradient_fails(gradcli: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    corrupt(monkeypatch, "tanh")
    outcome = gradcli("check", "sum(tanh(x)) + sum(y)", "-s", "x=0,1", "-s", "y=1", "--json")
    assert outcome.code == 1
    assert outcome.json["verdict"] == "fail"
    leaves = outcome.json["leaves"]
    assert [leaves[name]["verdict"] for name in "xy"] == ["fail", "pass"]
    worst = leaves["x"]["worst"]
    assert worst["gradient"] == pytest.approx(-worst["reference"])
    assert outcome.json["walk"]["verdict"] == "fail"  # forward mode has its own rule


def test_what_is_said_of_a_wrong_gradient(gradcli: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    corrupt(monkeypatch, "exp")
    outcome = gradcli("check", "exp(x)", "-s", "x=1")
    assert outcome.code == 1
    row = next(line.split() for line in outcome.out.splitlines() if line.startswith("x "))
    assert row == ["x", "()", "fail", "0", "x", "-2.71828", "2.71828"]
    assert "fail: " in outcome.out


def test_a_kink_is_named_with_its_distance(gradcli: Runner) -> None:
    program = "sum(abs(abs(x - 1) - 4e-9) + 1e6)"  # smooth only from 1 to 1.000000004
    finding = gradcli("check", program, "-s", "x=2,1.000000001", "--json").json["leaves"]["x"]
    assert finding["verdict"] == "inconclusive"
    assert finding["worst"]["index"] == [1]
    assert finding["worst"]["reason"] == "a kink of abs(x - 1) at x[1], 1e-09 away"


def test_the_line_falls_with_the_step_and_rises_with_rounding(gradcli: Runner) -> None:
    outcome = gradcli("check", "sum(exp(x))", "-s", "x=1,2", "--json")
    errors = [
        abs(quotient / np.exp(1) - 1) for _, quotient in outcome.json["leaves"]["x"]["quotients"]
    ]
    assert errors[0] > 1e-4 > 1e-8 > min(errors)
    assert errors[-1] > 1e3 * min(errors)
    steps = [step for step, _ in outcome.json["leaves"]["x"]["quotients"]]
    assert steps == sorted(steps, reverse=True)


def test_hessians(gradcli: Runner) -> None:
    answer = gradcli("check", "sum(x**3) + x[0]*x[1]", "-s", "x=2,1", "--order", "2", "--json").json
    assert answer["order"] == 2
    assert answer["verdict"] == "pass"


def test_outputs_of_several_elements_are_weighed(gradcli: Runner) -> None:
    answer = gradcli("check", "x**2", "-s", "x=1,2", "--json").json
    assert len(answer["gradient"]["out"]) == 2
    assert [note["code"] for note in answer["notes"]] == ["gradient"]
    given = gradcli("check", "x**2", "-s", "x=1,2", "-g", "1,0", "--json").json
    assert given["gradient"] == {"out": [1, 0]}
    assert given["notes"] == []


def test_float32_is_measured_with_its_own_rounding(gradcli: Runner) -> None:
    answer = gradcli(
        "check", "sum(tanh(x)*x)", "-s", "x=1,2,0.1", "--dtype", "float32", "--json"
    ).json
    assert answer["verdict"] == "pass"
    assert 5 < answer["leaves"]["x"]["digits"] < 10


def test_large_leaves_are_checked_along_directions(gradcli: Runner) -> None:
    outcome = gradcli("check", "sum(x**3)", "-s", "x=linspace(1,2,3000)", "--json")
    assert outcome.json["verdict"] == "pass"
    leaf = outcome.json["leaves"]["x"]
    assert leaf["size"] == 3000
    assert 0 < leaf["checked"] < 3000
    assert leaf["directions"] == {"moved": 3000, "count": 5, "missed": 0.03125}
    (note,) = [each for each in outcome.json["notes"] if each["code"] == "check"]
    assert "all 3,000 elements" in note["message"]


def test_an_empty_leaf_passes(gradcli: Runner) -> None:
    outcome = gradcli("check", "sum(x)", "-s", "x=zeros(0)", "--json")
    assert outcome.json["verdict"] == "pass"
    assert outcome.json["leaves"]["x"]["worst"] is None


def test_an_unused_leaf_passes(gradcli: Runner) -> None:
    answer = gradcli("check", "y = 0*x + 3*z; 3*z", "-s", "x=2", "-s", "z=1", "--json").json
    assert answer["leaves"]["x"]["verdict"] == "pass"


def test_matrices_that_are_taken_to_be_symmetric(gradcli: Runner) -> None:
    for program in ("eigvalsh(a)[0]", "sum(eigh(a)[1][0]**2 * [1, 2])", "cholesky(a)[1, 1]"):
        outcome = gradcli("check", program, "-s", "a=[[2,0.5],[0.5,3]]", "--json")
        assert outcome.json["verdict"] == "pass", program


def test_what_overflows_is_no_failure(gradcli: Runner) -> None:
    outcome = gradcli("check", "sum((1/exp(x))**2) + x", "-s", "x=-4000", "--json")
    assert outcome.json["verdict"] == "inconclusive"


def test_what_underflows_is_no_failure(gradcli: Runner) -> None:
    outcome = gradcli("check", "sum(x**2)", "-s", "x=1e-200", "--json")
    assert outcome.json["verdict"] == "inconclusive"


def test_the_least_numbers_are_checked(gradcli: Runner) -> None:
    args = ("check", "x*log(x)", "--strict", "--mine", "log(x) + 1", "-s")
    assert gradcli(*args, "x=1e-300").code == 0
    assert gradcli(*args, "x=5e-324").code == 1  # it has no digits


def test_an_empty_leaf_hides_no_digits_of_another(gradcli: Runner) -> None:
    outcome = gradcli("check", "sum(x) + y**2", "-s", "x=zeros(0)", "-s", "y=2")
    assert outcome.out.endswith("pass: the gradient is confirmed to 15 digits\n")


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["x > 1", "-s", "x=2"], "not-differentiable"),
        (["1 + 1"], "no-grad"),
        (["x**2", "-s", "x=2", "-g", "1", "-g", "2"], "usage"),
    ],
)
def test_nothing_to_check(gradcli: Runner, arguments: list[str], code: str) -> None:
    assert gradcli("check", *arguments, "--json").error["code"] == code


def test_float32_of_linear_functions(gradcli: Runner) -> None:
    """Their gradients do not depend on the leaf, and are rounded all the same."""
    arguments = ["mean(w @ x) / 3", "-s", "w=randn(20,30)", "-s", "x=randn(30)", "--seed", "1"]
    answer = gradcli("check", *arguments, "--dtype", "float32", "--json").json
    assert answer["verdict"] == "pass"


def test_a_value_that_is_none_is_the_reason(gradcli: Runner) -> None:
    answer = gradcli("check", "log(x)", "-s", "x=-1")
    assert answer.code == 0
    assert "x: inconclusive, a value on the way from the leaf is not finite" in answer.out


def test_fewer_digits_than_asked_for_are_inconclusive(gradcli: Runner) -> None:
    args = ("check", "sum(sin(x))", "-s", "x=0.3,1", "--dtype", "float32", "--json")
    assert gradcli(*args, "--digits", "5", "--strict").code == 0
    outcome = gradcli(*args, "--digits", "9", "--strict")
    assert outcome.code == 1
    assert outcome.json["verdict"] == "inconclusive"
    found = outcome.json["leaves"]["x"]
    assert "digits, not to 9" in found["worst"]["reason"]
    assert 5 <= found["digits"] < 9
    assert found["unconfirmed"] == [[0], [1]]
    text = gradcli(*args[:-1], "--digits", "9").out
    assert "not confirmed: 2 of 2 elements: x[0], x[1]" in text


def test_the_digits_that_are_confirmed_are_told(gradcli: Runner) -> None:
    assert "confirmed to 15 digits" in gradcli("check", *CUBES).out
    both = gradcli("check", *CUBES, "--mine", "x=24*x**2/4").out
    assert both.endswith("pass: the gradient is confirmed to 15 digits; yours agrees\n")


def test_a_check_by_many_machines_that_is_interrupted_says_so(
    gradcli: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(sweep, "check", interrupt)
    outcome = gradcli("check", "sum(x**2)", "-s", "x=1,2", "--cluster", "local")
    assert outcome.code == 130
    assert "nothing is known yet" in outcome.err
