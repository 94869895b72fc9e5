"""Formulas for all lengths: in the form of textbooks, and none that is wrong."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import partial

import numpy as np
import pytest

from gradcli.algebra.algebra import Algebra
from gradcli.algebra.identities import REWRITES
from gradcli.algebra.terms import Term
from gradcli.analysis.symbolic.derived import Symbolic, derive_for_all
from gradcli.analysis.symbolic.formula import Order
from gradcli.analysis.symbolic.sizes import Lengths
from gradcli.diagnostics import GradcliError
from gradcli.language.printer import print_program
from gradcli.options import Options
from gradcli.report.program import render
from gradcli.session import evaluate
from tests.analysis.cookbook import COOKBOOK, COOKBOOK_MATRICES
from tests.analysis.learning import LEARNING, LEARNING_MATRICES
from tests.analysis.programs import parse
from tests.analysis.textbook import FORMS, FURTHER, MATRICES, PIECES, Form


def lengths(text: str) -> dict[str, Lengths]:
    """`A=n,n x=n` as shapes."""
    pairs = (part.split("=") for part in text.split())
    return {
        name: tuple(int(n) if n.isdecimal() else n for n in shape.split(",") if n)
        for name, shape in pairs
    }


def written(found: Symbolic, title: str) -> str:
    """The formula of one result, with what it uses in the place of names."""
    lines = dict(line.split(" = ", 1) for line in print_program(found.program).splitlines())
    text = lines.pop(title)
    return text if "t1" not in text else f"{text}; {lines}"


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    "form",
    [*FORMS, *FURTHER, *PIECES, *COOKBOOK, *LEARNING],
    ids=lambda form: f"{form.program}, {form.title}",
)
def test_gradients_of_textbooks(form: Form) -> None:
    wrt = (form.title.removesuffix("_grad"),)
    found = derive_for_all(parse(form.program), lengths(form.shapes), options=Options(wrt=wrt))
    assert written(found, form.title) == form.expected, form.source
    assert "not simplified" not in render(found)


@pytest.mark.parametrize(
    "form",
    [*MATRICES, *COOKBOOK_MATRICES, *LEARNING_MATRICES],
    ids=lambda form: f"{form.program}, {form.title}",
)
def test_matrices_of_textbooks(form: Form) -> None:
    order: Order = "hessian" if form.title.endswith("hessian") else "jacobian"
    wrt = (form.title.partition("_")[0],)
    shapes = lengths(form.shapes)
    found = derive_for_all(parse(form.program), shapes, order, Options(wrt=wrt))
    assert written(found, form.title) == form.expected, form.source


def test_a_formula_is_a_program() -> None:
    found = derive_for_all(parse("x.T @ A @ x"), lengths("A=n,n x=n"))
    assert render(found) == (
        "# the gradient of out for all n: x (n), A (n, n)\n"
        "x_grad = (A + A.T) @ x\n"
        "A_grad = outer(x, x)\n"
    )
    a, x = np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([5.0, 6.0])
    values = evaluate(parse(render(found)), {"A": a, "x": x}, (), Options(forward_only=True)).values
    np.testing.assert_allclose(values["x_grad"], (a + a.T) @ x)


def test_labels_stay_parameters() -> None:
    found = derive_for_all(parse("cross_entropy(z, y)"), lengths("z=n,k y=n"))
    assert found.shapes.whole == {"y"}
    assert render(found).splitlines()[1:] == [
        "# y holds whole numbers",
        "n = z.shape[0]",
        "k = z.shape[1]",
        "z_grad = (softmax(z, dim=1) - one_hot(y, k)) / n",
    ]


def test_a_place_is_a_whole_number() -> None:
    found = derive_for_all(parse("-log_softmax(z)[k]"), lengths("z=n"))
    assert found.shapes.whole == {"k"}
    with pytest.raises(GradcliError, match="values decide"):
        derive_for_all(parse("x[k + 1]"), lengths("x=n"))


@pytest.mark.parametrize(
    ("program", "given", "said"),
    [
        ("x @ A", "x=n", "(n,) @ ()"),
        ("A @ B", "A=n,k B=n,k", "(n, k) @ (n, k)"),
        ("x + y", "x=n y=m", "n and m elements"),
    ],
)
def test_errors_name_lengths(program: str, given: str, said: str) -> None:
    with pytest.raises(GradcliError) as error:
        derive_for_all(parse(program), lengths(given))
    assert said in error.value.diagnostic.message


def test_two_places_may_be_the_same() -> None:
    found = derive_for_all(parse("x[i] * x[j]"), lengths("x=n"))
    assert written(found, "x_grad") == "x[j] * one_hot(i, n) + x[i] * one_hot(j, n)"
    found = derive_for_all(parse("x[i] * x[j]"), lengths("x=n"), "hessian")
    assert written(found, "x_hessian") == (
        "outer(one_hot(j, n), one_hot(i, n)) + outer(one_hot(i, n), one_hot(j, n))"
    )


@pytest.mark.parametrize("program", ["det(X.T @ X)", "det(X @ X.T)"])
def test_a_formula_without_a_value_where_the_derivative_vanishes(program: str) -> None:
    """`inv` of a singular matrix is an error or not, as rounding has it."""
    assert "inv" in print_program(derive_for_all(parse(program), lengths("X=n,m")).program)


def test_values_of_the_program_keep_their_names() -> None:
    program = parse("h = tanh(W @ x + b); y = V @ h; loss = sum((y - t)**2)")
    found = derive_for_all(program, lengths("W=m,n x=n b=m V=k,m t=k"))
    assert print_program(found.program).splitlines()[:2] == ["h = tanh(W @ x + b)", "y = V @ h"]


def double(algebra: Algebra, term: Term) -> list[Term] | None:
    """A wrong identity: what has one factor counts twice."""
    once = term.coefficient == Fraction(1) and len(term.factors) == 1
    return [term.times(Fraction(2))] if once else None


@pytest.mark.parametrize(
    ("program", "given"),
    [("x.T @ A @ x", "A=n,n x=n"), ("a @ X @ b", "a=n X=n,m b=m"), ("trace(A @ B)", "A=n,m B=m,n")],
)
def test_a_wrong_identity_is_caught(program: str, given: str) -> None:
    wrong = replace(REWRITES, terms=(double, *REWRITES.terms))
    shapes = lengths(given)
    found = derive_for_all(parse(program), shapes, rewrites=wrong)
    right = derive_for_all(parse(program), shapes)
    assert print_program(found.program) == print_program(right.program)
    assert found.remarks[-1] == "not simplified by double: what it gave was not the gradient"


def test_nothing_is_left_out_where_two_identities_are_wrong() -> None:
    wrong = replace(REWRITES, terms=(double, partial(double), *REWRITES.terms))
    found = derive_for_all(parse("x.T @ A @ x"), lengths("A=n,n x=n"), rewrites=wrong)
    assert found.remarks[-1].startswith("not simplified by any identity")
    assert "x_grad" in print_program(found.program)


@pytest.mark.parametrize(
    ("program", "shapes", "message"),
    [
        ("s = 0\nfor i in range(x.shape[0]) { s = s + x[i]**2 }\ns", "x=n", "n changes what"),
        ("if x.shape[0] > 100 { y = sum(x) } else { y = sum(x**2) }\ny", "x=n", "no formula was"),
        ("if sum(x) > 0 { y = sum(x) } else { y = sum(x**2) }\ny", "x=n", "values decide"),
        ("sum(x * y)", "x=n y=m", "broadcast"),
        ("sum(x)", "z=n", "does not mention z"),
    ],
)
def test_what_has_no_one_formula(program: str, shapes: str, message: str) -> None:
    with pytest.raises(GradcliError, match=message):
        derive_for_all(parse(program), lengths(shapes))
