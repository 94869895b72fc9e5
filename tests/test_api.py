"""gradcli from Python. Expected numbers are worked out by hand."""

from __future__ import annotations

import subprocess
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import cast

import numpy as np
import pytest

import gradcli
from gradcli import GradcliError, check, derive, evaluate, grad

X = [[1.0, 2.0], [3.0, 4.0]]
CUBE = "z = (2*x)**3; out = mean(z)"


def test_values_and_gradients() -> None:
    values, grads, notes = evaluate(CUBE, {"x": X})
    assert values["out"] == 200
    np.testing.assert_array_equal(grads["x"], 6 * np.square(X))  # 24 x² / 4
    assert notes == ()


def test_a_gradient_vector_and_one_for_each_output() -> None:
    found = grad("y = x**2", {"x": [1, 2, 3]}, [1, 0.1, 0.01])
    np.testing.assert_allclose(found["x"], [2, 0.4, 0.06], rtol=1e-15)
    both = evaluate("y = x**2; z = 5*x", {"x": 3.0}, {"y": 1, "z": 10}, outputs=("y", "z"))
    assert both.grads["x"] == 56


def test_numbers_are_floats_and_arrays_what_they_are() -> None:
    values = evaluate("y = x[i]", {"x": [1, 2], "i": np.array([1, 0])}, forward_only=True).values
    assert values["x"].dtype == np.float64
    assert values["i"].dtype == np.int64
    np.testing.assert_array_equal(values["y"], [2, 1])
    assert grad("sum(x*x)", {"x": X}, dtype="float32")["x"].dtype == np.float32


def test_a_compiled_program_takes_other_values_and_shapes() -> None:
    square = gradcli.compile("sum(x**2)", wrt=("x",))
    for x in ([1.0, 2.0], [3.0, 4.0], X):
        answer = square(x=x)
        np.testing.assert_array_equal(answer.grads["x"], 2 * np.asarray(x))
    several = gradcli.compile("y = x**2")
    np.testing.assert_array_equal(several([1, 10], x=[3, 4]).grads["x"], [6, 80])


def test_a_compiled_program_that_branches() -> None:
    program = "if x > 0 { y = x**2 } else { y = -x }"
    absolute = gradcli.compile(program)
    assert [float(absolute(x=x).grads["x"]) for x in (3.0, -3.0, 4.0)] == [6, -1, 8]


def test_check_judges_formulas_numbers_and_arrays() -> None:
    program, inputs = "sum(sin(x))", {"x": [0.3, 1, 2]}
    assert check(program, inputs).verdict == "pass"
    for right in ("cos(x)", np.cos(inputs["x"]), np.cos(inputs["x"]).astype(np.float32)):
        assert check(program, inputs, mine={"x": right}).verdict == "pass"
    for wrong in ("cos(x)*(1 + 1e-5)", "-cos(x)", np.cos(inputs["x"]) * (1 + 1e-9)):
        assert check(program, inputs, mine={"x": wrong}).verdict == "fail"
    report = check(program, inputs, mine={"x": "-cos(x)"}).report
    assert report["verdict"] == "fail"
    assert report["mine"]["x"]["causes"]


def test_derive_gives_a_program() -> None:
    assert "x_grad = 2 * x" in derive("sum(x**2)", {"x": [1, 2]})


@pytest.mark.parametrize(
    ("run", "code"),
    [
        (lambda: grad("y = foo(x)", {"x": 1}), "name"),
        (lambda: grad("x**2", {"x": [1, 2]}), "gradient-required"),
        (lambda: grad("y = (", {}), "syntax"),
        (lambda: grad("x", {"x": "abc"}), "data"),
        (lambda: grad("x", {"x": [[1], [1, 2]]}), "data"),
        (lambda: grad("x", {"x": 1j}), "data"),
        (lambda: grad("x", {"z": 1}), "name"),
        (lambda: grad(cast(str, 3), {}), "usage"),
        (lambda: grad("x", cast(dict[str, float], [1])), "usage"),
        (lambda: gradcli.compile("x**"), "syntax"),
        (lambda: gradcli.compile("x**2")(x=[1, 2]), "gradient-required"),
        (lambda: check("x**2", {"x": 2}, mine={"z": "1"}), "name"),
        (lambda: evaluate("for i in range(20000) { x = x + 1 }", {"x": 1}, safe=True),
         "limit-steps"),
    ],
)  # fmt: skip
def test_errors_have_a_code(run: Callable[[], object], code: str) -> None:
    with pytest.raises(GradcliError) as caught:
        run()
    assert caught.value.diagnostic.code == code


def test_a_text_is_one_name() -> None:
    """Not as many as it has letters."""
    inputs = {"w1": 2, "x": 3}
    assert grad("w1 * x", inputs, wrt="w1") == {"w1": 3}
    assert evaluate("ab = w1 * x; ab**2", inputs, outputs="ab").grads == {"w1": 3, "x": 2}


def test_a_place_in_the_text() -> None:
    with pytest.raises(GradcliError) as caught:
        grad("y = foo(x)", {"x": 1})
    assert caught.value.diagnostic.span == (4, 7)


def test_nothing_is_imported_until_it_is_asked_for() -> None:
    text = (
        "import sys, gradcli; print('numpy' in sys.modules); gradcli.grad; print(len(dir(gradcli)))"
    )
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("False\n")
    with pytest.raises(AttributeError, match="no attribute 'gradient'"):
        gradcli.gradient  # noqa: B018


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: grad("z = x * 2"), 'give it a value: inputs={"x": …}'),
        (lambda: grad("z = x * 2", {"x": [1.0, 2.0]}), "add gradient=[1,1] (v of ones)"),
        (lambda: evaluate("a = x; b = x; a, b", {"x": 1}, 1), 'gradient={"a": …}'),
        (lambda: evaluate("x", {"x": 1, "y": 2}), "inputs: y: the program does not mention y"),
        (lambda: check("z = 3; z * x", {"x": 2}, mine={"z": "x"}), "wrt='z' makes it one"),
        (
            lambda: gradcli.explain("def f(a): return a**2\nf(x)", {"x": 2}, inside="g"),
            "inside=['f', 'all']",
        ),
        (lambda: gradcli.compile("x * w")(x=1), "give it a value: w=…"),
        (lambda: gradcli.compile("x")(x=1, y=2), "y: the program does not mention y"),
        (lambda: gradcli.compile("x")(x=[1, 2]), "add the argument [1,1] (v of ones)"),
        (lambda: evaluate("x", {"x": 1}, outputs="k"), "output k: the program binds no such name"),
    ],
)
def test_errors_name_arguments_of_python(call: Callable[[], object], said: str) -> None:
    with pytest.raises(GradcliError) as caught:
        call()
    assert said in f"{caught.value} {caught.value.diagnostic.hint}"
    shown = "".join(traceback.format_exception(caught.value))
    assert said in shown
    assert {Path(frame.filename).name for frame in traceback.extract_tb(caught.tb)} == {
        "api.py", "test_api.py",
    }  # fmt: skip
    assert "--" not in f"{caught.value} {caught.value.diagnostic.hint}"


def test_a_page_is_not_printed_into_a_prompt() -> None:
    page = gradcli.explain("x**2", {"x": 3})
    assert page.html.startswith("<!DOCTYPE html>")
    assert repr(page) == f"<a page of {len(page.html):,} characters: its text is .html>"


def test_what_a_prompt_shows_is_short() -> None:
    long = " + ".join(["sin(x)"] * 50)
    assert repr(gradcli.compile("x**2")) == "<compiled 'x**2'>"
    assert len(repr(gradcli.compile(long))) < 80
    judged = check("sum(x**3) + w", {"x": [1, 2], "w": 3})
    assert repr(judged) == "Judgement('pass', leaves={'x': 'pass', 'w': 'pass'})"
    assert judged == (judged.verdict, judged.report)
