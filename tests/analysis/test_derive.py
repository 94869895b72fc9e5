"""The derived program: it gives the gradient, reads back, derives again, and is plain."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gradcli.analysis.derive import derive
from gradcli.analysis.single import run
from gradcli.diagnostics import GradcliError
from gradcli.language.printer import print_program
from gradcli.language.syntax import Evaluate
from gradcli.ops import Case
from gradcli.report import latex
from gradcli.report.program import render
from gradcli.session import Gradient, Options, evaluate
from tests.analysis.programs import assert_same, both, generated, output_shape, parse, used
from tests.ops.table_cases import all_cases, each_case, trace

SEEDS = json.loads((Path(__file__).parents[1] / "cli" / "seed_cases.json").read_text())["cases"]
QUICK, ALL = 60, 1000


def check(text: str, inputs: dict[str, Any]) -> None:
    shape = output_shape(text, inputs)
    gradient = np.random.default_rng(7).uniform(0.5, 1.5, shape) if shape else None
    assert_same(*both(text, inputs, gradient))


@pytest.mark.one_in(6)
@each_case(all_cases())
def test_every_op(name: str, case: Case) -> None:
    traced = trace(case)
    if not case.smooth or traced.output.kind != "float":
        return
    inputs = {
        shown: traced.feeds[node] for shown, node in zip(case.shapes, traced.inputs, strict=True)
    }
    check(case.program, inputs)


@pytest.mark.parametrize("seed", range(QUICK))
def test_generated_programs(seed: int) -> None:
    check(*generated(seed))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(QUICK, ALL))
def test_more_generated_programs(seed: int) -> None:
    check(*generated(seed))


@pytest.mark.parametrize("keywords", ["atol=0.5", "rtol=0.2", "rtol=0.1, atol=2"])
def test_cutoffs_stay_under_their_names(keywords: str) -> None:
    """The singular values are 9.85 and 0.41."""
    check(f"sum(pinv(x, {keywords})**2)", {"x": np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.5]])})


def test_a_product_of_many_factors() -> None:
    check("y = x; for i in range(300) { y = sin(y)/cos(y) }\ny", {"x": np.array(0.01)})


@pytest.mark.parametrize("case", SEEDS, ids=[case["id"] for case in SEEDS])
def test_seeds(case: dict[str, Any]) -> None:
    if "error" not in case["expect"]:
        inputs = {name: np.array(value, float) for name, value in case["set"].items()}
        gradient = np.array(case["gradient"], float) if "gradient" in case else None
        assert_same(*both(case["program"], inputs, gradient))


@pytest.mark.parametrize(
    ("text", "x", "gradient", "expected"),
    [
        ("z = (2*x)**3; out = mean(z)", [[1, 2], [3, 4]], None, "x_grad = 6 * x**2"),
        ("y = 2*x; z = y**3", 2, None, "x_grad = 24 * x**2"),
        ("x**2", [1, 2], [1, 0.1], "x_grad = 2 * v * x"),
        ("sum(x)", [1, 2], None, "x_grad = ones_like(x)"),
        ("sum(x**2)", [1, 2], None, "x_grad = 2 * x"),
        ("x * x * x", 2, None, "x_grad = 3 * x**2"),
        ("1 / x", 2, None, "x_grad = -1 / x**2"),
        ("exp(3*x)", 2, None, "x_grad = 3 * exp(3 * x)"),
        ("x * 0", 2, None, "x_grad = 0"),
        ("x + x + x", 2, None, "x_grad = 3"),
        ("(3 * x)**2 / 6", 2, None, "x_grad = 3 * x"),
        ("(x * 2)**2 / 6", 2, None, "x_grad = 4 * x / 3"),
        ("x**2 * 0.5 / 3", 2, None, "x_grad = x / 3"),
    ],
)
def test_reads_plainly(text: str, x: Any, gradient: Any, expected: str) -> None:
    gradients = [] if gradient is None else [Gradient(np.array(gradient, float))]
    derived = derive(run(parse(text), {"x": np.array(x, float)}, gradients))
    assert render(derived).splitlines()[-1] == expected


def test_reads_back_to_the_same_text() -> None:
    for seed in range(20):
        text, inputs = generated(seed)
        shape = output_shape(text, inputs)
        gradients = [Gradient(np.ones(shape))] if shape else []
        printed = print_program(derive(run(parse(text), used(text, inputs), gradients)).program)
        assert print_program(parse(printed)) == printed


def test_derived_again_is_the_second_derivative() -> None:
    first = derive(run(parse("sum(sin(x)**2)"), {"x": np.array([0.3, 1.1])}))
    second = derive(run(parse(render(first)), {}, [Gradient(np.array([1.0, 1.0]))]))
    values = evaluate(parse(render(second)), {}, (), Options()).values
    np.testing.assert_allclose(values["x_grad"], 2 * np.cos([0.6, 2.2]), rtol=1e-12)
    third = derive(run(parse(render(second)), {}, [Gradient(np.array([1.0, 1.0]))]))
    values = evaluate(parse(render(third)), {}, (), Options()).values
    np.testing.assert_allclose(values["x_grad"], -4 * np.sin([0.6, 2.2]), rtol=1e-12)


@pytest.mark.parametrize(
    ("text", "x", "plain", "finite"),
    [
        ("x / x", 0.0, "nan", "0"),
        ("0 * x**2", float("inf"), "nan", "0"),
    ],
)
def test_nan_goes_away_only_if_it_is_assumed_not_to_come(
    text: str, x: float, plain: str, finite: str
) -> None:
    inputs = {"x": np.array(x)}
    _, kept = both(text, inputs)
    _, gone = both(text, inputs, assume_finite=True)
    assert f"{float(kept['x']):g}" == plain
    assert f"{float(gone['x']):g}" == finite


def test_formulas() -> None:
    derived = derive(run(parse("z = (2*x)**3; out = mean(z)"), {"x": np.array([[1.0, 2.0]])}))
    assert latex.equations(derived.program, derived.shapes) == (
        "\\begin{align*}\n"
        "x &= \\begin{bmatrix} 1 & 2 \\end{bmatrix} \\\\\n"
        "\\nabla_{x} &= 12 \\cdot x^{\\odot 2}\n"
        "\\end{align*}\n"
    )


def test_a_symbol_has_one_subscript() -> None:
    (statement,) = parse("t1[0] * w[1] * t1[0][1]").statements
    assert isinstance(statement, Evaluate)
    assert latex.Mathematics().of(statement.value) == (
        r"{t_{1}}_{[0]} \cdot w_{[1]} \cdot {{t_{1}}_{[0]}}_{[1]}"
    )


def test_one_pass_only() -> None:
    ones = Gradient(np.ones(2))
    with pytest.raises(GradcliError, match="two passes"):
        run(parse("x**2"), {"x": np.ones(2)}, [ones, ones])


@pytest.mark.parametrize("name", ["inf", "nan", "pi", "e"])
@pytest.mark.parametrize(
    "program",
    [
        "sum({0} * x)",
        "sum({0} * [1/0, 0/0, -1/0])",
        "sum({0} * x**2 * pi * exp(1))",
        "sum(maximum({0} * x, -1/0))",
        "sum(clamp({0} * x, -1/0, 1/0))",
        "norm({0} * x, 1/0)",
        "sum(masked_fill({0} * x, x > 3, -1/0))",
        "sum(nan_to_num({0} * x, posinf=1/0))",
        "sum(pad({0} * x, (1, 1), value=0/0))",
        "inf = 2 * {0}; nan = inf * {0}; sum(x * inf * nan * [1/0, 1, 0/0])",
    ],
)
def test_constants_whose_names_are_the_users(program: str, name: str) -> None:
    inputs = {name: np.array([1.0, -2.0, 0.5]), "x": np.array([np.inf, 4.0, np.nan])}
    assert_same(*both(program.format(name), inputs))
