"""LaTeX of every op, sample and seed is well formed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from gradcli.analysis.derive import derive
from gradcli.analysis.explain import explain
from gradcli.analysis.single import run
from gradcli.diagnostics import GradcliError, Source
from gradcli.graph import Array
from gradcli.language.parser import ParseLimits, parse_expression
from gradcli.ops import Case
from gradcli.report import latex
from gradcli.report.document import as_latex, render
from gradcli.report.explain import blocks
from gradcli.session import Gradient, Options
from tests.analysis.programs import output_shape, parse
from tests.ops.table_cases import all_cases, case_id, trace
from tests.report.latex_checker import faults

ROOT = Path(__file__).parents[2]
SAMPLES = sorted((ROOT / "samples").rglob("*.grad"))
SEEDS = json.loads((ROOT / "tests" / "cli" / "seed_cases.json").read_text())["cases"]


def written(text: str, inputs: Mapping[str, Array], gradient: Array | None = None) -> list[str]:
    """The derived program, and the explanation."""
    gradients = [] if gradient is None else [Gradient(gradient)]
    posed = parse(text), dict(inputs), gradients, Options(seed=1)
    explained = render(blocks(explain(*posed)), as_latex)
    return [latex.equations(derive(run(*posed)).program), explained]


@pytest.mark.parametrize(
    ("name", "case"),
    [each for each in all_cases() if each[1].program != "float(x > 0)"],
    ids=case_id,
)
def test_every_op(name: str, case: Case) -> None:
    traced = trace(case)
    if traced.output.kind != "float":
        return
    inputs = {
        shown: traced.feeds[node] for shown, node in zip(case.shapes, traced.inputs, strict=True)
    }
    shape = output_shape(case.program, inputs)
    for text in written(case.program, inputs, np.ones(shape) if shape else None):
        assert faults(text) == [], text


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.stem)
def test_samples(sample: Path) -> None:
    try:
        texts = written(sample.read_text(), {})
    except GradcliError:
        return  # a sample of what has no single gradient
    for text in texts:
        assert faults(text) == [], text


@pytest.mark.parametrize("seed", SEEDS, ids=[seed["id"] for seed in SEEDS])
def test_seeds(seed: dict[str, object]) -> None:
    given = seed["set"]
    assert isinstance(given, dict)
    inputs = {name: np.array(value, float) for name, value in given.items()}
    shape = output_shape(str(seed["program"]), inputs)
    for text in written(str(seed["program"]), inputs, np.ones(shape) if shape else None):
        assert faults(text) == [], text


@pytest.mark.parametrize(
    ("text", "formula"),
    [
        ("1e20**x", r"\left(1 \cdot 10^{20}\right)^{x}"),
        ("x1[0]", r"{x_{1}}_{[0]}"),
        ("x.T**2", r"\left(x^{\top}\right)^{2}"),
        ("a_b", r"\mathrm{a\_b}"),
    ],
)
def test_formula(text: str, formula: str) -> None:
    found = latex.expression(parse_expression(Source("formula", text), ParseLimits()))
    assert found == formula
    assert faults(found) == []


def test_infinity() -> None:
    derived = derive(
        run(parse("y = sum(maximum(x, c))"), {"x": np.ones(2), "c": np.array([-np.inf, np.nan])})
    )
    assert r"-\infty & \mathrm{nan}" in latex.equations(derived.program)


@pytest.mark.parametrize(
    "text",
    [
        "{x", "x}", "x^2^3", "x_1_2", "x^{2}^{3}", r"\frac{x}", r"\foo", r"\left(x", r"x\right)",
        r"\left x\right)", r"\begin{bmatrix} x", r"\begin{x} \end{x}", "a & b", "x^", "50%",
        "x_{1^}",        r"\left(x}\right)", r"\sqrt x",
    ],
)  # fmt: skip
def test_what_is_not_well_formed_is_told(text: str) -> None:
    assert faults(text)
