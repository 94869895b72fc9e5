"""Operands that broadcast so that both grow are told in every command, once for each place."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Runner

SET = ("-s", "p=[[1],[2],[3]]", "-s", "y=1,2,3")
TOLD = "shapes (3, 1) and (3,) broadcast to (3, 3): both operands grow"


def told(gradcli: Runner, program: str, *flags: str) -> list[str]:
    notes = gradcli("eval", program, *SET, *flags, "--json").json["notes"]
    return [note["message"] for note in notes if note["code"] == "broadcast-both"]


@pytest.mark.parametrize(
    "program",
    [
        "mse_loss(p, y)", "sum(p - y)", "sum(p*(2*y))", "l1_loss(p, y)", "sum(maximum(p, y))",
        "sum(atan2(p, y))", "sum(p**y)", "hinge_embedding_loss(p, y)", "sum(addcmul(p, y, y))",
        "sum(lerp(p, y, 0.5))", "q = p; q += y; sum(q)", "sum(p*(p == y))",
        "sum(cosine_similarity(p, y))",
        "f(a, b) = a - b; sum(f(p, y))", "sum(p*[1, 2, 3]) + sum(y)",
    ],
)  # fmt: skip
def test_both_operands_grow(gradcli: Runner, program: str) -> None:
    (message,) = told(gradcli, program)
    assert message.endswith(TOLD)
    refused = gradcli("eval", program, *SET, "--strict", "--json")
    assert refused.code == 3
    assert refused.error["code"] == "shape"
    assert "both operands grow" in refused.error["message"]


@pytest.mark.parametrize(
    "program",
    [
        "mse_loss(p.squeeze(1), y)", "sum(p) - sum(y)", "sum(p - 1) + sum(y*2)",
        "sum(outer(y, y))*sum(p)",
        "sum(p @ y[None])", "sum(softmax(p @ y[None], dim=-1))", "sum((p @ y[None]) + y)",
        "sum(layer_norm(p @ y[None], (3,), y, y))", "std(p) + sum(cdist(p, p)) + sum(y)",
        "a, b = broadcast_tensors(p, y); sum(a*b)",
    ],
)  # fmt: skip
def test_what_is_meant_is_not_told(gradcli: Runner, program: str) -> None:
    assert told(gradcli, program, "--strict") == []


def test_the_place_is_told_once(gradcli: Runner) -> None:
    program = "t = 0\nfor i in range(3) {\n  t += sum(p - y)\n}\nt + mean(p * y)"
    assert told(gradcli, program) == [f"line 3, column 12: {TOLD}", f"line 5, column 10: {TOLD}"]


@pytest.mark.parametrize(
    "command",
    [
        ["eval"], ["check"], ["jacobian"], ["hessian", "-w", "p"], ["derive"], ["explain"],
        ["jvp", "--tangent", "p=[[1],[1],[1]]", "-w", "p"], ["graph"],
        ["hvp", "--vector", "[[1],[1],[1]]", "-w", "p"], ["explain", "--entry", "p[0,0]"],
    ],
)  # fmt: skip
def test_every_command_tells_it_and_refuses_it(gradcli: Runner, command: list[str]) -> None:
    outcome = gradcli(*command, "mse_loss(p, y)", *SET)
    assert outcome.code == 0
    assert "both operands" in " ".join((outcome.out + outcome.err).split())
    refused = gradcli(*command, "mse_loss(p, y)", *SET, "--strict")
    assert refused.code == 3
    assert "both operands grow" in refused.err


@pytest.mark.parametrize(
    "program",
    [
        "mse_loss(p, [1, 2])",
        "sum(relu(p - 2))",
        "sum(round(p))",
        "sum(log(p - 1))",
        "p = p*2; sum(p)",
    ],
)
@pytest.mark.parametrize("flags", [[], ["--entry", "p[0,0]"]])
def test_explain_has_the_notes_of_eval(gradcli: Runner, program: str, flags: list[str]) -> None:
    run = gradcli("eval", program, "-s", "p=[[1],[2]]", "--json")
    told = gradcli("explain", program, "-s", "p=[[1],[2]]", *flags, "--json")
    assert told.json["notes"] == run.json["notes"]


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_scripts_tell_it(gradcli: Runner, tmp_path: Path, jobs: str) -> None:
    path = tmp_path / "a.grad"
    path.write_text("p = [[1.], [2.], [3.]]\ny = [1., 2., 3.]\nfor i in range(2):\n    p - y\n")
    outcome = gradcli("test", str(path), "--jobs", jobs)
    assert outcome.code == 0
    assert outcome.out.count(f"line 4, column 5: {TOLD}") == 1
    assert gradcli("test", str(path), "--jobs", jobs, "--strict").code == 1


def test_a_plot_tells_it(gradcli: Runner) -> None:
    outcome = gradcli("plot", "sum(x*p - y)", "--over", "x=0:1", "--points", "3", *SET)
    assert outcome.err == f"note: line 1, column 5: {TOLD}\n"
    refused = gradcli("plot", "sum(x*p - y)", "--over", "x=0:1", "--points", "3", *SET, "--strict")
    assert "both operands grow" in refused.err


@pytest.mark.wide
def test_ones_own_formula_is_told(gradcli: Runner) -> None:
    args = ("check", "mse_loss(p, [[1],[2],[3]])", "-s", "p=[[1],[2],[4]]")
    mine = ("--mine", "2*mean(p - [1, 2, 3], dim=1, keepdim=True)")
    found = gradcli(*args, *mine, "--json")
    assert found.json["mine"]["p"]["verdict"] == "fail"
    assert f"--mine p, line 1, column 8: {TOLD}" in [n["message"] for n in found.json["notes"]]
    assert gradcli(*args, *mine, "--strict", "--json").error["code"] == "shape"
    assert gradcli("check", "mse_loss(p, y)", *SET, "--strict", "--json").error["code"] == "shape"
