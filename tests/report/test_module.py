"""Formulas as something to keep: they run elsewhere, and check themselves there."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from gradcli.analysis.symbolic.derived import Symbolic, derive_for_all
from gradcli.analysis.symbolic.formula import Order
from gradcli.options import Options
from gradcli.report.module import function, of_formulas
from gradcli.session import evaluate
from tests.analysis.learning import LEARNING, LEARNING_MATRICES
from tests.analysis.programs import parse
from tests.analysis.test_symbolic import lengths
from tests.analysis.textbook import FORMS, MATRICES, PIECES, Form

SQUARES = "r = X @ w - y; loss = sum(r**2) / X.shape[0]"
SHAPES = "X=n,k w=k y=n"


def formulas(form: Form) -> Symbolic:
    leaf, _, kind = form.title.partition("_")
    order: Order = {"grad": "gradient", "jacobian": "jacobian"}.get(kind, "hessian")  # type: ignore[assignment]
    options = Options(wrt=(leaf,))
    return derive_for_all(parse(form.program), lengths(form.shapes), order, options)


def said(text: str, folder: Path) -> str:
    """What a module prints when it is run."""
    file = folder / "module.py"
    file.write_text(text)
    command = [sys.executable, str(file)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert not done.returncode, done.stderr
    return done.stdout


def test_a_function_takes_all_that_it_needs() -> None:
    text = function(derive_for_all(parse(SQUARES), lengths(SHAPES), options=Options(wrt=("w",))))
    assert "def grad(X, w, y)" in text
    given = {"X": np.array([[1.0, 2.0]]), "w": np.array([3.0, 4.0]), "y": np.array([5.0])}
    program = parse(f"{text}\ng = grad(X, w, y)")
    values = evaluate(program, given, (), Options(forward_only=True)).values
    np.testing.assert_allclose(values["g"], [12.0, 24.0])  # 2·(11 - 5)·[1, 2]


def test_a_module_checks_itself(tmp_path: Path) -> None:
    text = of_formulas(derive_for_all(parse(SQUARES), lengths(SHAPES)), "numpy")
    assert "def value_and_grad(X, w, y):" in text
    assert "    X: (n, k)" in text
    assert said(text, tmp_path).startswith("agrees to ")
    wrong = text.replace("w_grad = 2.0 *", "w_grad = 3.0 *").replace("w_grad = 2 *", "w_grad = 3 *")
    assert wrong != text
    with pytest.raises(AssertionError):
        said(wrong, tmp_path)


@pytest.mark.parametrize("library", ["numpy", "torch", "jax"])
@pytest.mark.parametrize(
    "program", ["y = x/sqrt(2*pi)", "y = exp(-x**2/2)/sqrt(2*pi)", "y = log(pi*x) + sin(pi*x)"]
)
def test_constants_are_numbers_elsewhere(program: str, library: str, tmp_path: Path) -> None:
    text = of_formulas(derive_for_all(parse(program), lengths("")), library)
    assert "3.14159265358979" in text
    used = {each.id for each in ast.walk(ast.parse(text)) if isinstance(each, ast.Name)}
    assert "pi" not in used
    if library == "numpy":
        assert said(text, tmp_path).startswith("agrees to ")


@pytest.mark.slow
@pytest.mark.parametrize("library", ["numpy", "torch", "jax"])
@pytest.mark.parametrize(
    "form",
    [*FORMS, *MATRICES, *PIECES, *LEARNING, *LEARNING_MATRICES],
    ids=lambda x: f"{x.program}, {x.title}",
)
def test_modules_of_all_forms(form: Form, library: str, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip(library)
    code = compile(of_formulas(formulas(form), library), "module", "exec")
    exec(code, {"__name__": "__main__"})
    assert capsys.readouterr().out.startswith("agrees to ")


@pytest.mark.parametrize("library", ["numpy", "torch", "jax"])
@pytest.mark.parametrize(
    "form",
    [
        Form("logdet(X)", "X=n,n", "X_grad", "", ""),
        Form("sum(softplus(x))", "x=n", "x_grad", "", ""),
        Form("sum(softmax(X, dim=1) * A)", "X=n,m A=n,m", "X_grad", "", ""),
        Form("x.T @ A @ x", "x=n A=n,n", "x_grad", "", ""),
        Form("cross_entropy(z, y)", "z=n,k y=n", "z_grad", "", ""),
    ],
    ids=lambda x: x if isinstance(x, str) else x.program,
)
def test_some_modules(form: Form, library: str, capsys: pytest.CaptureFixture[str]) -> None:
    test_modules_of_all_forms(form, library, capsys)
