"""What the analyses say alike of programs that they cannot look into."""

from __future__ import annotations

import pytest

from tests.cli.conftest import Runner


@pytest.mark.parametrize("command", ["explain", "derive", "check", "jacobian", "hessian"])
@pytest.mark.parametrize(
    ("program", "code", "reason"),
    [
        ("x.sum().backward()", "no-grad", "the program calls backward itself"),
        ("x > 1", "not-differentiable", "out holds bool values"),
        ("print(x)", "not-differentiable", "the program ends on no value"),
    ],
)
def test_nothing_to_differentiate(
    gradcli: Runner, command: str, program: str, code: str, reason: str
) -> None:
    answer = gradcli(command, program, "-s", "x=1,2")
    if command == "explain" and "backward" in program:
        assert "called in line 1" in answer.out  # it tells the program's own passes
        return
    if command == "explain":
        assert f"There is none: {reason}" in " ".join(answer.out.split())
        return
    assert answer.code == 3
    assert answer.err.startswith(f"error[{code}]: {reason}")


@pytest.mark.parametrize("command", ["explain", "derive", "check", "jacobian", "hessian"])
def test_no_leaf(gradcli: Runner, command: str) -> None:
    answer = gradcli(command, "detach(2) * 3")
    if command == "explain":
        assert "There is none: there is no leaf to differentiate by" in answer.out
        return
    assert answer.err.startswith("error[no-grad]: there is no leaf")
    assert "--set NAME=… makes one" in answer.err
