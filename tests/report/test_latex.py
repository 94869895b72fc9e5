"""LaTeX of every op, sample and seed is well formed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from gradcli.analysis.derive import derive
from gradcli.analysis.explain import explain
from gradcli.analysis.meaning import Meaning
from gradcli.analysis.single import run
from gradcli.diagnostics import GradcliError, Source
from gradcli.graph import Array
from gradcli.language.parser import ParseLimits, parse_expression
from gradcli.ops import Case
from gradcli.report import latex
from gradcli.report.explain import write_latex
from gradcli.report.layout import Layout
from gradcli.session import Gradient, Options
from tests.analysis.programs import output_shape, parse
from tests.ops.table_cases import all_cases, each_case, trace
from tests.report.latex_checker import faults

ROOT = Path(__file__).parents[2]
SAMPLES = sorted((ROOT / "samples").rglob("*.grad"))
SEEDS = json.loads((ROOT / "tests" / "cli" / "seed_cases.json").read_text())["cases"]


def written(text: str, inputs: Mapping[str, Array], gradient: Array | None = None) -> list[str]:
    """The derived program, and the explanation."""
    gradients = [] if gradient is None else [Gradient(gradient)]
    posed = parse(text), dict(inputs), gradients, Options(seed=1)
    (explained,) = write_latex(explain(*posed), Layout(80))
    derived = derive(run(*posed))
    return [latex.equations(derived.program, derived.shapes), explained]


@pytest.mark.one_in(3)
@each_case(all_cases())
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


@pytest.mark.one_in(4)
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
        ("A * B", r"A \odot B"),
        ("s * A * 2 * B", r"s \cdot A \cdot 2 \odot B"),
        ("sum(u) * A", r"\operatorname{sum}\left(u\right) \cdot A"),
        ("sum(A, dim=0) * u", r"\operatorname{sum}\left(A, \mathrm{dim}=0\right) \odot u"),
        ("A**2 + s**2 + u[0]**2", r"A^{\odot 2} + s^{2} + u_{[0]}^{2}"),
        ("inv(A).T @ det(B)", r"\left(A^{-1}\right)^{\top} \, \det B"),
        ("outer(u, u) - t(A)", r"u \, u^{\top} - A^{\top}"),
        ("add(u, u, alpha=2)", r"\operatorname{add}\left(u, u, \mathrm{alpha}=2\right)"),
    ],
)
def test_formula(text: str, formula: str) -> None:
    shapes = {"A": (2, 2), "B": (2, 2), "u": (2,), "s": ()}
    formulas = latex.Mathematics(Meaning.of_shapes(shapes))
    found = formulas.of(parse_expression(Source("formula", text), ParseLimits()))
    assert found == formula
    assert faults(found) == []


def test_infinity() -> None:
    derived = derive(
        run(parse("y = sum(maximum(x, c))"), {"x": np.ones(2), "c": np.array([-np.inf, np.nan])})
    )
    assert r"-\infty \\ \mathrm{nan}" in latex.equations(derived.program, derived.shapes)


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


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x @ y", r"x^{\top} \, y"),
        ("x @ A @ y", r"x^{\top} \, A \, y"),
        ("x.T @ A @ y", r"x^{\top} \, A \, y"),
        ("A @ y", r"A \, y"),
        ("x @ A", r"A^{\top} \, x"),
        ("x @ A @ B.T", r"B \, A^{\top} \, x"),
        ("A @ B", r"A \, B"),
        ("(x + x) @ A", r"A^{\top} \, \left(x + x\right)"),
        ("2 * x @ A @ y", r"\left(2 \cdot x\right)^{\top} \, A \, y"),
        ("y_1**2", r"{y^{(1)}}^{\odot 2}"),
        ("loss_2", r"{\mathrm{loss}^{(2)}}"),
        ("[1, 2]", r"\begin{bmatrix} 1 \\ 2 \end{bmatrix}"),
        ("[1, 2, 3, 4, 5]", r"\begin{bmatrix} 1 & 2 & 3 & 4 & 5 \end{bmatrix}^{\top}"),
        ("x[[0, 2]]", r"x_{[(0, 2)]}"),
    ],
)
def test_vectors_are_columns(text: str, expected: str) -> None:
    shapes = {"x": (3,), "y": (4,), "A": (3, 4), "B": (5, 4), "y_1": (2,), "loss_2": ()}
    formula = parse_expression(Source("test", text), ParseLimits())
    assert latex.Mathematics(Meaning.of_shapes(shapes)).of(formula) == expected
