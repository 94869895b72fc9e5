"""`gradcli check --mine`: the user's own gradient, as a user gives it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tests.cli.conftest import Runner

CUBES = ("z = (2*x)**3; out = mean(z)", "--set", "x=[[1,2],[3,4]]")
RIGHT = [[6.0, 24.0], [54.0, 96.0]]


@pytest.mark.parametrize(
    "mine",
    ["x=24*x**2/4", "x=[[6,24],[54,96]]", "24*x**2/4", "x=3*(2*x)**2*2/4", "x=3*z/x/4"],
)
def test_the_right_gradient_passes(gradcli: Runner, mine: str) -> None:
    outcome = gradcli("check", *CUBES, "--mine", mine, "--json")
    assert outcome.code == 0
    found = outcome.json["mine"]["x"]
    assert found["verdict"] == outcome.json["verdict"] == "pass"
    assert found["mine"] == found["gradient"] == RIGHT
    assert found["causes"] == []


def test_a_wrong_one_fails_and_the_mistake_is_named(gradcli: Runner) -> None:
    outcome = gradcli("check", *CUBES, "--mine", "x=24*x**2", "--json")
    assert outcome.code == 1
    assert outcome.json["verdict"] == "fail"
    assert outcome.json["leaves"]["x"]["verdict"] == "pass"
    found = outcome.json["mine"]["x"]
    assert found["causes"][0]["code"] == "mean"
    assert found["causes"][0]["details"] == {"factor": 4.0}
    assert found["formula"] == "6 * x**2"
    assert found["sure"]


def test_it_reads_well(gradcli: Runner) -> None:
    outcome = gradcli("check", *CUBES, "--mine", "x=24*x**2")
    assert outcome.code == 1
    lines = outcome.out.splitlines()
    assert "yours for x: fail" in lines
    cause = next(line for line in lines if line.startswith("cause: "))
    assert "4 times the gradient" in cause
    assert "       ^^^^^^^" in lines
    assert "should: 24 * x**2 / 4" in lines
    assert max(map(len, lines)) <= 100


def test_every_leaf_may_have_one(gradcli: Runner) -> None:
    program = ("y = X@w; sum(y**2)", "-s", "X=[[1,2],[3,4]]", "-s", "w=1,2", "--json")
    mine = ("--mine", "X=2*outer(y, w)", "--mine", "w=X@(2*y)")
    outcome = gradcli("check", *program, *mine)
    assert outcome.code == 1
    found = outcome.json["mine"]
    assert (found["X"]["verdict"], found["w"]["verdict"]) == ("pass", "fail")
    assert found["w"]["causes"][0]["code"] == "operand-transposed"


@pytest.mark.parametrize("suffix", ["npy", "json", "csv"])
def test_numbers_come_from_a_file(gradcli: Runner, tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"mine.{suffix}"
    if suffix == "npy":
        np.save(path, np.array(RIGHT).T)
    elif suffix == "json":
        path.write_text(json.dumps(np.array(RIGHT).T.tolist()))
    else:
        path.write_text("6,54\n24,96\n")
    outcome = gradcli("check", *CUBES, "--mine", f"x=@{path}", "--json")
    assert outcome.code == 1
    assert outcome.json["mine"]["x"]["causes"][0]["code"] == "transposed"


def test_the_gradient_vector_is_v(gradcli: Runner) -> None:
    program = ("y = x**2", "-s", "x=1,2,3", "-g", "1,0.1,0.01", "--json")
    assert gradcli("check", *program, "--mine", "x=2*x*v").code == 0
    outcome = gradcli("check", *program, "--mine", "x=2*x")
    assert outcome.json["mine"]["x"]["causes"][0]["code"] == "gradient-vector"


def test_without_one_the_outputs_are_added_up(gradcli: Runner) -> None:
    outcome = gradcli("check", "y = x**2", "-s", "x=1,2,3", "--mine", "2*x", "--json")
    assert outcome.code == 0
    assert outcome.json["gradient"] == {"y": [1.0, 1.0, 1.0]}
    assert any("weighed by ones" in note["message"] for note in outcome.json["notes"])


def test_functions_and_loops_of_the_program_serve(gradcli: Runner) -> None:
    program = "f(t) = t*exp(t)\ny = 0\nfor i in range(3) { y = y + f(x) }\nsum(y)"
    args = ("check", program, "-s", "x=0.1,0.7", "--json")
    assert gradcli(*args, "--mine", "3*(f(x) + exp(x))").code == 0
    assert gradcli(*args, "--mine", "3*f(x)").json["mine"]["x"]["verdict"] == "fail"


def test_a_choice_at_a_kink_is_no_mistake(gradcli: Runner) -> None:
    args = ("check", "sum(relu(x))", "-s", "x=1,0,-3", "--mine", "x=1,1,0", "--json")
    outcome = gradcli(*args)
    assert outcome.code == 0
    found = outcome.json["mine"]["x"]
    assert found["verdict"] == "inconclusive"
    assert "kink of relu" in found["causes"][0]["message"]
    assert found["causes"][0]["details"]["kinks"] == [[1]]
    assert gradcli(*args, "--strict").code == 1


def test_numbers_that_agree_by_chance_do_not_pass(gradcli: Runner) -> None:
    outcome = gradcli("check", "y = x**2", "-s", "x=2", "--mine", "x**2", "--json")
    found = outcome.json["mine"]["x"]
    assert found["verdict"] == "inconclusive"
    assert [cause["code"] for cause in found["causes"]] == ["coincidence"]
    assert "x**2 instead of 2 * x" in found["causes"][0]["message"]


SINES = ("check", "y=sum(sin(x))", "-s", "x=0.3,1,2")
NORMED = "c = x - mean(x); s = mean(c**2); sum(c/sqrt(s + 1e-5)*g)"


@pytest.mark.parametrize(
    ("mine", "verdict"),
    [
        ("cos(x)", "pass"),
        ("cos(x)*(1+1e-5)", "fail"),
        ("cos(x)*(1+1e-12)", "fail"),
        ("0.955,0.540,-0.416", "pass"),
        ("0.956,0.540,-0.416", "fail"),
        ("0.95533648912560598,0.54030230586813977,-0.41614683654714241", "pass"),
        ("0.95533648912560598,0.54030230586813977,-0.41614683696328925", "fail"),
    ],
)
def test_formulas_agree_to_rounding_and_numbers_to_their_last_digit(
    gradcli: Runner, mine: str, verdict: str
) -> None:
    outcome = gradcli(*SINES, "--mine", mine, "--json")
    assert outcome.json["mine"]["x"]["verdict"] == verdict
    assert outcome.code == (verdict == "fail")


def test_one_digit_too_many_is_found(gradcli: Runner) -> None:
    outcome = gradcli("check", *CUBES, "--mine", "x=[[6,24.1],[54,96]]", "--json")
    assert outcome.code == 1
    assert outcome.json["mine"]["x"]["causes"][0]["details"]["indices"] == [[0, 1]]


@pytest.mark.parametrize(
    ("mine", "verdict"),
    [("0,0.955", "pass"), ("0.000,0.955", "pass"), ("0,0.95534", "fail"), ("0,1", "fail")],
)
def test_a_0_is_as_exact_as_its_neighbours(gradcli: Runner, mine: str, verdict: str) -> None:
    args = ("check", "sum(c*sin(x))", "-s", "c=4e-4,1", "-s", "x=0.3,0.3", "-w", "x", "--json")
    assert gradcli(*args, "--mine", mine).json["mine"]["x"]["verdict"] == verdict


@pytest.mark.parametrize(
    ("gradient", "mine", "verdict"),
    [
        ("1.4,1.4", "1,1", "inconclusive"), ("1.4,1.4", "1", "inconclusive"),
        ("1.4,24", "1,24", "inconclusive"), ("150,140", "1e2", "inconclusive"),
        ("24.3,24", "24,24", "inconclusive"), ("0.14,0.1", "0.1,0.1", "inconclusive"),
        ("1.5e-7,2e-7", "2e-7,2e-7", "inconclusive"),
        ("1,24", "1,24", "pass"), ("154.2,124", "154,124", "pass"), ("0.54,0.5", "0.5,0.5", "pass"),
        ("0.0123,2.34", "0.01,2.34", "pass"), ("0.003,2.34", "0.00,2.34", "pass"),
        ("1.6,1", "1,1", "fail"), ("0.4,24", "0,24", "fail"),
    ],
)  # fmt: skip
def test_what_may_be_any_number_confirms_none(
    gradcli: Runner, gradient: str, mine: str, verdict: str
) -> None:
    args = ("check", "sum(c*x)", "-s", f"c={gradient}", "-s", "x=1,2", "-w", "x", "--json")
    assert gradcli(*args, "--mine", mine).json["mine"]["x"]["verdict"] == verdict


@pytest.mark.parametrize(
    ("mine", "verdict"),
    [
        ("[cos(0.3), cos(1), cos(2)]", "pass"), ("cos(0.3), 0.5403, cos(4/2)", "pass"),
        ("[cos(0.3), cos(1), 1.0001*cos(2)]", "fail"), ("[cos(0.3), 0.5404, cos(2)]", "fail"),
        ("cos(0.3)", "fail"),
        ("tensor([0.9553, 0.5403, -0.4161])", "pass"),
        ("np.array([0.955, cos(1), -0.416])", "pass"),
        ("torch.tensor([0.9553, 0.5403, -0.4161], dtype=torch.float64)", "pass"),
        ("tensor([0.9553, 0.5404, -0.4161])", "fail"),
        ("2*tensor([0.9553, 0.5403, -0.4161])", "fail"),
    ],
)  # fmt: skip
def test_numbers_may_be_worked_out(gradcli: Runner, mine: str, verdict: str) -> None:
    assert gradcli(*SINES, "--mine", f"x={mine}", "--json").json["mine"]["x"]["verdict"] == verdict


def test_numbers_that_are_worked_out_stand_for_this_point(gradcli: Runner) -> None:
    args = ("check", "sum(x**2)/3", "-s", "x=0.5,1,1.5", "--strict", "--mine")
    assert gradcli(*args, "[1/3, 2/3, 1]").code == 0
    assert gradcli(*args, "[1/3, 2/3.0001, 1]").code == 1
    assert gradcli(*args, "2*arange(0.5, 2, 0.5)/3").code == 1  # that is no number, but a formula


def test_shares_of_a_maximum_add_up(gradcli: Runner) -> None:
    args = ("check", "max(x)", "-s", "x=1,2,2", "--strict", "--mine")
    assert gradcli(*args, "x=0,0.5,0.5").code == 0
    assert gradcli(*args, "x=0,1,1").code == 1


def test_a_file_without_numbers_has_another_shape(gradcli: Runner, tmp_path: Path) -> None:
    np.save(tmp_path / "mine.npy", np.zeros(0))
    mine = f"x=@{tmp_path / 'mine.npy'}"
    outcome = gradcli("check", "sum(x**2)", "-s", "x=1,2", "--mine", mine)
    assert outcome.code == 1
    assert "the shape is (0,), the leaf's is (2,)" in outcome.out
    empty = gradcli("check", "sum(x**2)", "-s", "x=zeros(0)", "--mine", mine)
    assert empty.out.endswith("pass: the gradient has no elements\n")


def test_elements_may_have_any_sizes(gradcli: Runner) -> None:
    args = ("check", "sum(x**2)", "-s", "x=1e-300,1,1e150", "--strict", "--mine")
    assert gradcli(*args, "2*x").code == 0
    assert gradcli(*args, "2*x*stack([1.001, 1, 1])").code == 1


@pytest.mark.wide
def test_a_forgotten_eps_is_found(gradcli: Runner) -> None:
    args = ("check", NORMED, "-s", "x=0.5,2,-0.7", "-s", "g=1,0.2,-0.4", "-w", "x", "--json")
    n = "c/sqrt({0})"
    formula = f"(g - mean(g) - {n}*mean(g*{n}))/sqrt({{0}})"
    right = gradcli(*args, "--mine", formula.format("(s + 1e-5)"))
    assert right.json["mine"]["x"]["verdict"] == "pass"
    wrong = gradcli(*args, "--mine", formula.format("s"))
    assert wrong.json["mine"]["x"]["verdict"] == "fail"


@pytest.mark.parametrize(
    ("dtype", "size", "verdict"),
    [
        ("float64", 0, "pass"), ("float64", 1e-9, "fail"),
        ("float32", 0, "pass"), ("float32", 1e-4, "fail"),
        ("float16", 0, "pass"), ("float16", 0.1, "fail"),
    ],
)  # fmt: skip
def test_a_file_is_judged_by_its_dtype(
    gradcli: Runner, tmp_path: Path, dtype: str, size: float, verdict: str
) -> None:
    numbers = np.cos([0.3, 1, 2]) * [1, 1 + size, 1]
    np.save(tmp_path / "mine.npy", numbers.astype(dtype))
    np.savez(tmp_path / "mine.npz", a=numbers.astype(dtype))
    for name in ("mine.npy", "mine.npz", "mine.npz:a"):
        outcome = gradcli(*SINES, "--mine", f"x=@{tmp_path / name}", "--json")
        found = outcome.json["mine"]["x"]
        assert found["verdict"] == verdict
        assert dtype in found["judged"]["to"]


def test_another_program_may_round_more(gradcli: Runner, tmp_path: Path) -> None:
    """1 - tanh(x)**2 loses digits where tanh(x) is near 1."""
    x = np.array([0.3, 4.1, -4.3])
    np.save(tmp_path / "mine.npy", 1 - np.tanh(x) ** 2)
    args = ("check", "sum(tanh(x))", "-s", "x=0.3,4.1,-4.3", "--json", "--mine")
    for mine in (f"@{tmp_path}/mine.npy", ",".join(map(repr, (1 - np.tanh(x) ** 2).tolist()))):
        assert gradcli(*args, mine).json["mine"]["x"]["verdict"] == "pass"


@pytest.mark.parametrize(
    ("asked", "verdict"),
    [
        (["--rtol", "1e-4"], "pass"), (["--rtol", "1e-6"], "fail"),
        (["--atol", "1e-4"], "pass"), (["--atol", "1e-6"], "fail"),
        (["--digits", "4"], "pass"), (["--digits", "6"], "fail"),
    ],
)  # fmt: skip
def test_how_closely_it_must_agree_may_be_said(
    gradcli: Runner, asked: list[str], verdict: str
) -> None:
    outcome = gradcli(*SINES, "--mine", "cos(x)*(1+1e-5)", *asked, "--json")
    assert outcome.json["mine"]["x"]["verdict"] == verdict


def test_the_margin_is_printed(gradcli: Runner) -> None:
    outcome = gradcli(*SINES, "--mine", "0.955,0.540,-0.416")
    assert (
        " margin: 3.3 digits agree, 3.0 digits must: half a unit of the last digit" in outcome.out
    )


def test_what_float32_cannot_show_is_no_pass(gradcli: Runner) -> None:
    for mine, verdict in (("cos(x)", "pass"), ("cos(x)*(1+1e-9)", "inconclusive"),
                          ("cos(x)*(1+1e-6)", "fail")):  # fmt: skip
        outcome = gradcli(*SINES, "--dtype", "float32", "--mine", mine, "--json")
        assert outcome.json["mine"]["x"]["verdict"] == verdict


@pytest.mark.parametrize(
    ("args", "code", "words"),
    [
        (["--mine", "y=1"], "name", "not a leaf"),
        (["--mine", "x=1", "--mine", "x=2"], "usage", "twice"),
        (["--mine", "x="], "usage", "--mine"),
        (["--mine", "x=24*xx"], "name", "xx"),
        (["--mine", "x=24*"], "syntax", ""),
        (["--mine", "x=@no-such-file.npy"], "file", "no file"),
        (["--mine", "x=@a.npy", "--safe"], "usage", "--safe"),
        (["--mine", "x=1", "--order", "2"], "usage", "--order 2"),
        (["--rtol", "1e-3"], "usage", "--mine"),
        (["--mine", "x=1", "--rtol", "1e-3", "--digits", "3"], "usage", "--rtol"),
        (["--mine", "x=1", "--rtol", "nan"], "usage", "not a number"),
        (["--mine", "x=1", "--digits", "nan"], "usage", "not a number"),
        (["-g", "@-", "--mine", "x=@-"], "usage", "read once"),
        (["--mine", "x=x@ones(3)"], "shape", "matmul"),
    ],
)
def test_what_cannot_be_read(gradcli: Runner, args: list[str], code: str, words: str) -> None:
    outcome = gradcli("check", *CUBES, *args, "--json")
    assert outcome.code in (2, 3)
    assert outcome.error["code"] == code
    assert words in outcome.error["message"]


def test_a_choice_at_a_kink_is_no_slip_in_a_formula(gradcli: Runner) -> None:
    args = ("check", "sum(relu(x))", "-s", "x=1,0,-3", "--mine", "x=(x >= 0)", "--json")
    found = gradcli(*args).json["mine"]["x"]
    assert found["verdict"] == "inconclusive"
    assert found["causes"][0]["code"] == "elements"


def test_a_slip_has_a_place_and_a_correction(gradcli: Runner) -> None:
    program = ("check", "y = X@w; sum(y**2)", "-s", "X=[[1,2],[3,5]]", "-s", "w=1,2")
    (cause, *_) = gradcli(*program, "--mine", "w=X.T@(3*y)", "--json").json["mine"]["w"]["causes"]
    assert cause["place"] == {"line": 1, "column": 6, "text": "3"}
    assert cause["correction"] == "X.T @ (2 * y)"
    assert set(cause) == {"code", "message", "details", "place", "correction"}


def test_many_elements_may_hold_a_few_that_rounding_hides(gradcli: Runner, tmp_path: Path) -> None:
    """Where a few of many gradients almost vanish, their last digits are no reason for doubt."""
    x = np.linspace(0.5, 3.0, 10_001)
    x[17] = 1 + 1e-9  # the gradient is 3*(x - 1)*(x + 1)
    right = 3 * (x * x) - 3
    np.save(tmp_path / "x.npy", x)
    asked = ("check", "sum(x**3 - 3*x)", "-s", f"x=@{tmp_path}/x.npy", "--mine")
    np.save(tmp_path / "mine.npy", right)
    file = f"@{tmp_path}/mine.npy"
    assert gradcli(*asked, file, "--json").json["mine"]["x"]["verdict"] == "pass"
    for wrong in (1e-9, 1e-6):
        np.save(tmp_path / "mine.npy", right * (1 + wrong * (np.arange(x.size) == 5_000)))
        assert gradcli(*asked, file, "--json").json["mine"]["x"]["verdict"] == "fail"
    few = ("check", "sum(x**3 - 3*x)", "-s", "x=2,1.000000001", "--mine")
    np.save(tmp_path / "mine.npy", 3 * np.array([2.0, 1.000000001]) ** 2 - 3)
    assert gradcli(*few, file, "--json").json["mine"]["x"]["verdict"] == "inconclusive"


def test_a_factor_that_nothing_explains_is_told(gradcli: Runner) -> None:
    outcome = gradcli("check", "sum(x**2)", "-s", "x=[[1,2],[3,4]]", "--mine",
                      "[[2.0002,4.0004],[6.0006,8.0008]]", "--json")  # fmt: skip
    message = outcome.json["mine"]["x"]["causes"][0]["message"]
    assert message.startswith("it is 1.0001 times the gradient: no number")
