"""What `eval`, `check` and `explain` say of kinks and ties, and what other frameworks do there."""

from __future__ import annotations

import math
from typing import Any

import pytest

from gradcli.ops import FUNCTIONS
from gradcli.ops.table import FRAMEWORKS
from tests.cli.conftest import Runner
from tests.ops.elsewhere import AT_KINKS


def told(gradcli: Runner, *arguments: str) -> list[str]:
    """The notes on kinks that a command line gives."""
    notes = gradcli(*arguments, "--json").json["notes"]
    return [each["message"] for each in notes if each["code"] == "kink"]


@pytest.mark.parametrize(
    ("program", "inputs", "parts"),
    [
        (
            "sum(relu(x))",
            ["x=1,0,-2"],
            ["relu(x) at 1:5, element [1]: at a", "operand is 0", "0 at 0"],
        ),
        ("y = 2*x\nabs(y)", ["x=0"], ["abs(y) at 2:1: at a kink or tie"]),
        ("relu6(x)", ["x=6"], ["relu6(x) at 1:1", "0 at 0 and 6"]),
        ("maximum(x, y)", ["x=1", "y=1"], ["operands are 1 and 1", "each side gets half"]),
        ("max(x)", ["x=1,3,3"], ["max(x) at 1:1: at a kink or tie", "ties share equally"]),
        ("sum(sort(x)[0]*[1,2,3])", ["x=2,1,2"], ["sort(x)", "ties keep their order"]),
        ("where(x > 2, x, 0)", ["x=2"], ["x > 2 at 1:7: at a kink or tie"]),
        ("norm(x)", ["x=0,0"], ["norm(x) at 1:1: at a kink"]),
        ("sqrt(x)", ["x=0"], ["inf at 0"]),
        ("sum(eigvalsh(x)*[1,2])", ["x=[[2,0],[0,2]]"], ["eigvalsh(x)", "repeated values"]),
        ("eigh(x)[1][0,1]", ["x=[[2,0],[0,2]]"], ["eigenvalues are repeated"]),
        ("sum(svdvals(x)*[1,2])", ["x=[[1,0],[0,1]]"], ["svdvals(x)", "repeated values"]),
    ],
)
def test_what_is_at_a_kink_is_told(
    gradcli: Runner, program: str, inputs: list[str], parts: list[str]
) -> None:
    flags = [part for each in inputs for part in ("-s", each)]
    for command in ("eval", "check"):
        note = told(gradcli, command, program, *flags)[0]
        for part in parts:
            assert part in note, command
    explained = " ".join(gradcli("explain", program, *flags).out.split())
    assert ": at a kink or tie" in explained
    assert parts[-1] in explained


@pytest.mark.parametrize(
    ("program", "value"),
    [
        ("relu(x)", "1e-300"),
        ("x**2", "0"),
        ("sin(x)*exp(x)", "0"),
        ("relu(x - 0.2999999)", "0.3"),
        ("floor(x)*x", "2"),
        ("max(x)", "1,3,2.9999999"),
    ],
)
def test_nothing_is_told_elsewhere(gradcli: Runner, program: str, value: str) -> None:
    assert told(gradcli, "eval", program, "-s", f"x={value}") == []


def test_nearer_than_rounding(gradcli: Runner) -> None:
    """0.1 + 0.2 - 0.3 is 5.6e-17 in float64, and 0 in decimals."""
    (note,) = told(gradcli, "eval", "abs(x + y - 0.3)", "-s", "x=0.1", "-s", "y=0.2")
    assert "5.6e-17 from a kink or tie, which is nearer than rounding" in note
    assert told(gradcli, "eval", "abs(x + y - 0.3)", "-s", "x=0.1", "-s", "y=0.20000000001") == []


def test_distances_are_listed(gradcli: Runner) -> None:
    program = ("eval", "sum(relu(x - 3)) + floor(sum(x))", "-s", "x=1,2.75", "--kinks")
    near, jump = told(gradcli, *program)
    assert "relu(x - 3) at 1:5, element [1]: 0.25 from its nearest kink or tie" in near
    assert "operand is -0.25" in near
    assert "floor(sum(x)) at 1:20: 0.2" in jump
    assert told(gradcli, "eval", "sin(x)", "-s", "x=1", "--kinks") == [
        "nothing on the way from the leaves has a kink or a tie"
    ]


def test_large_programs_are_searched_when_asked(gradcli: Runner) -> None:
    program = ("eval", "sum(relu(x))", "-s", "x=zeros(20000)")
    assert told(gradcli, *program) == []
    assert len(told(gradcli, *program, "--kinks")) == 1


def test_what_a_framework_does(gradcli: Runner) -> None:
    program = ("eval", "abs(x)", "-s", "x=0")
    assert told(gradcli, *program, "--as", "jax")[0].endswith("in JAX 0.10: 1")
    assert told(gradcli, *program, "--as", "torch")[0].endswith("in PyTorch 2.13: 0")
    assert gradcli(*program, "--as", "theano", "--json").code == 2
    (condition,) = told(gradcli, "eval", "where(x > 2, x, 0)", "-s", "x=2", "--as", "torch")
    assert "PyTorch" not in condition  # a truth value has no derivative


def test_the_table_is_whole() -> None:
    """Every entry names known frameworks, and those that are measured are in the list."""
    stated = {(each.name, key) for each in FUNCTIONS.values() for key in each.elsewhere}
    assert {key for _, key in stated} <= FRAMEWORKS.keys()
    assert {name for name, _ in AT_KINKS} <= {name for name, _ in stated}
    for name, _ in AT_KINKS:
        assert FUNCTIONS[name].kink, name


def matches(stated: str, measured: list[float], constants: dict[str, float]) -> bool:
    """Whether the numbers in a fact are those that were measured."""
    if stated == "the first gets all":
        return measured[0] == 1 and not any(measured[1:])
    if "shared equally" in stated:
        return len({each for each in measured if each}) == 1 and sum(measured) == 1
    texts = stated.partition(" (")[0].split(", ")
    found = [constants[text] if text in constants else float(text) for text in texts]
    return all(
        math.isnan(a) == math.isnan(b) and (math.isnan(a) or math.isclose(a, b, rel_tol=1e-4))
        for a, b in zip(found, measured, strict=False)
    )


CONSTANTS = {"the slope": 0.01, "the weight": 0.25, "alpha": 2.0}


@pytest.mark.slow
@pytest.mark.parametrize(("name", "point"), AT_KINKS)
def test_pytorch_does_what_is_stated(name: str, point: tuple[Any, ...]) -> None:
    torch = pytest.importorskip("torch")
    call = AT_KINKS[name, point].torch
    inputs = [torch.tensor(x, dtype=torch.float64, requires_grad=True) for x in point]
    call(torch, *inputs).sum().backward()
    measured = [float(each) for x in inputs for each in x.grad.reshape(-1)]
    assert matches(FUNCTIONS[name].elsewhere["torch"], measured, CONSTANTS)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "point"), [key for key, calls in AT_KINKS.items() if calls.jax is not None]
)
def test_jax_does_what_is_stated(name: str, point: tuple[Any, ...]) -> None:
    jax = pytest.importorskip("jax")
    call = AT_KINKS[name, point].jax
    assert call is not None

    def total(*inputs: Any) -> Any:
        return jax.numpy.sum(call(jax, *inputs))

    inputs = [jax.numpy.asarray(x, dtype="float32") for x in point]
    found = jax.grad(total, argnums=tuple(range(len(inputs))))(*inputs)
    measured = [float(each) for x in found for each in x.reshape(-1)]
    assert matches(FUNCTIONS[name].elsewhere["jax"], measured, CONSTANTS)


LOOPS = [
    ("for i in range(200):\n    s = s + relu(x*i - 10)", "2", "relu(x*i - 10) at 3:13: at a kink"),
    ("for i in range(200):\n    s = s + relu(x*i - 10)", "2.03", ""),
    ("for i in range(300):\n    s = sin(s) + 0.1*abs(s - x)", "0", "abs(s - x) at 3:22: at a kink"),
    (
        "for i in range(20):\n    for j in range(20):\n        s = s + abs(x - i*j)",
        "6",
        "abs(x - i*j) at 4:17: at a kink",
    ),
    ("for i in range(1, 100):\n    s = s + max(x*i)", "1,2,2", "max(x*i) at 3:13: at a kink"),
    ("for i in range(1, 100):\n    s = s + max(x*i)", "1,2,3", ""),
]


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("loop", "value", "note"), LOOPS)
@pytest.mark.parametrize("command", ["eval", "check"])
def test_kinks_in_the_passes_of_loops_are_told(
    gradcli: Runner, command: str, loop: str, value: str, note: str
) -> None:
    found = told(gradcli, command, f"s = 0\n{loop}", "-s", f"x={value}")
    assert [each[: len(note)] for each in found] == [note] * bool(note)
