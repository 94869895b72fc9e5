"""Any expression over a program's names may be an output, in every command."""

from __future__ import annotations

import json

import pytest

from tests.cli.conftest import Runner

PROGRAM = ("y = x * x", "-s", "x=1,2")


@pytest.mark.parametrize(
    "command", ["eval", "explain", "derive", "check", "jacobian", "graph", "hessian"]
)
def test_an_element(gradcli: Runner, command: str) -> None:
    assert gradcli(command, *PROGRAM, "-o", "y[1]").code == 0


def test_several(gradcli: Runner) -> None:
    answer = json.loads(gradcli("eval", *PROGRAM, "-o", "y[1], sum(y)", "--json").out)
    assert answer["outputs"] == ["y[1]", "sum(y)"]
    assert answer["grads"]["x"] == [2, 8]  # d(x1² + x0² + x1²)


def test_a_tuple_of_names(gradcli: Runner) -> None:
    answer = json.loads(gradcli("eval", "a = x; b = 2 * x", "-s", "x=1", "-o", "a,b", "--json").out)
    assert answer["outputs"] == ["a", "b"]


@pytest.mark.parametrize(
    ("text", "code", "column"),
    [("y[7]", "index", 1), ("y +", "syntax", 4), ("q + 1", "name", 1)],
)
def test_mistakes_are_shown_in_the_flag(gradcli: Runner, text: str, code: str, column: int) -> None:
    answer = gradcli("eval", *PROGRAM, "-o", text)
    assert f"error[{code}]" in answer.err
    assert f"--output:1:{column}" in answer.err
