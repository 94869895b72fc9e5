"""Loops over rows and elements, and lists that they make longer, are one node as well."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from gradcli.analysis.jacobian import hessian, hessian_product, jacobian, tangent_product
from gradcli.analysis.problem import pose_rolled
from gradcli.diagnostics import GradcliError, Source
from gradcli.engine.bodies import Body
from gradcli.graph import Array
from gradcli.language.parser import parse_program
from gradcli.ops.loops import Loop, NotRolled
from gradcli.options import Options
from gradcli.walks import ancestors
from tests.loops.test_rolled import answer, loops, prepared
from tests.loops.test_training import told

_numbers = np.random.default_rng(7)
INPUTS: dict[str, Array] = {
    "x": _numbers.normal(size=100),
    "X": _numbers.normal(size=(100, 3)),
    "Z": _numbers.normal(size=(100, 3)),
    "h": _numbers.normal(size=3),
    "a": np.array(0.3),
    "W": _numbers.normal(size=(3, 3)),
    "S": np.eye(3) + 0.1,
    "labels": _numbers.integers(0, 3, 100),
}

ELEMENTS = {
    "rows": "for v in X { h = tanh(h*0.5 + v) }; sum(h)",
    "elements": "y = a; for v in x { y = tanh(y*0.5 + v) }; y",
    "an element of an expression": "z = x*a; y = a; for k in range(100) { y = sin(y) + z[k] }; y",
    "the element of the next pass": "for k in range(99) { h = h*0.5 + sin(h)*X[k + 1] }; sum(h)",
    "columns": "U = X.T; for k in range(100) { h = tanh(h*0.5 + U[:, k]) }; sum(h)",
    "columns, dots": "U = X.T; for k in range(100) { h = tanh(h*0.5 + U[..., k]) }; sum(h)",
    "one column": "y = a; for k in range(100) { y = tanh(y*0.5 + X[k, 1]) }; y",
    "several columns": "y = a; for k in range(100) { y = tanh(y*X[k, 0] + X[k, 2]) }; y",
    "a new axis": "for k in range(100) { h = tanh(h*0.5 + X[k, None][0]) }; sum(h)",
    "backwards": "for k in range(100) { h = tanh(h*0.5 + X[99 - k]) }; sum(h)",
    "from the end": "for k in range(100) { h = tanh(h*0.5 + X[-k - 1]) }; sum(h)",
    "every other one": "for k in range(100) { h = tanh(h*0.5 + U[2*k]) }; sum(h)",
    "this one and the last": "y=a; for k in range(1, 100) { y = y*x[k] + tanh(y)*x[k - 1] }; y",
    "zip": "for v, w in zip(X, Z) { h = tanh(h*v + w) }; sum(h)",
    "zip of different lengths": "for v, w in zip(X[:90], Z) { h = tanh(h*v + w) }; sum(h)",
    "enumerate": "for k, v in enumerate(X) { h = tanh(h + v + 0.01*k) }; sum(h)",
    "both": "for k, (v, w) in enumerate(zip(X, Z)) { h = tanh(h + v + 0.01*k*w) }; sum(h)",
    "integers": "y = a; for v in labels { y = tanh(y*0.5 + v) }; y",
    "carried on": "p = h; for v in X { h = tanh(h*p + v); p = v }; sum(h)",
    "used afterwards": "for v in X { h = tanh(h*0.5 + v) }; sum(h)*sum(X)",
    "a list": "hs = []; for v in X { h = tanh(h + v); hs.append(h) }; sum(sin(stack(hs)))",
    "a list by its function": "hs = []; for v in x { a = sin(a + v); hs = append(hs, a) }; "
    "sum(stack(hs))",
    "a list with a beginning": "hs = [h, 2*h]; for v in X { hs.append(v*h*0.3) }; sum(sin(hs))",
    "the last item": "hs = [h]; for v in X { hs.append(tanh(hs[-1] + v)) }; sum(hs[-1]*stack(hs))",
    "two lists": "p=[]; q=[]; for v in X { h = sin(h+v); p.append(h); q.append(h*v) }; "
    "sum(stack(p)*stack(q))",
    "a list twice": "p=[]; for v in X { h = sin(h+v); p.append(h) }; sum(stack(p)*cos(stack(p)))",
    "a list before it was longer": "p=[h]; q=p; for v in X { h=sin(h+v); p=append(p, h) }; "
    "sum(sin(stack(p)))+sum(stack(q))",
    "a list with +=": "p=[]; for v in X { h = sin(h+v); p += [h] }; sum(stack(p))",
    "a list in a function": "def f(p, v) { p.append(sin(v)) }; p=[]; for v in X { f(p, v*h) }; "
    "sum(stack(p))",
    "a function": "def f(h, v) { return tanh(W @ h + v) }; for v in X { h = f(h, v) }; sum(h)",
    "a matrix refused if singular": "for v in X { h = tanh(inv(S + 0.1*h*h) @ v) }; sum(h)",
}


def given(text: str) -> dict[str, Array]:
    words = set(re.findall(r"\w+", text))
    found = {name: array for name, array in INPUTS.items() if name in words}
    return found | ({"U": np.repeat(INPUTS["X"], 2, 0)} if "U[2*k]" in text else {})


@pytest.mark.one_in(3)
@pytest.mark.parametrize("text", ELEMENTS.values(), ids=ELEMENTS)
def test_values_and_grads_have_the_bits_of_unrolled_loops(text: str) -> None:
    inputs = given(text)
    assert loops(prepared(text, inputs, Options()))
    assert answer(text, inputs) == answer(text, inputs, unroll=True)


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    "text",
    [
        "y = a; for v in x { y = tanh(y + v) }; y*x[50]*x[50]",
        "y=a; for k in range(2, 100) { y=tanh(y*x[k]*x[k-1] + sin(x[k]+y) - x[k-1]*x[k-2]*y) }; y",
        "y = a; for v in x { y = tanh(y*0.9 + sin(v)*a) }; y + sin(x[90])*a*y*x[95]",
        "y = a*sum(x*x); for v in x { y = tanh(y + v) }; y*mean(x)",
        "y = a; for k in range(2, 100) { y = y*x[k] + y*x[k-1] + tanh(y)*x[k-2] }; y",
        "y = a; for k in range(1, 100) { y = y*0.5 + sin(x[k])*a - sin(x[k - 1])*y }; y",
        "y = a; for v in x { y = y*0.5 + sin(v) }; for v in x { y = y*0.5 + sin(v) }; y",
        "y = a; for v in x { y = y*0.5 + sin(v) }; y + sin(x[70])",
        "y = a; for k in range(100) { y = y*0.5 + x[k*k % 100] }; y",
        "y = a; for k in labels { y = y*0.5 + x[k] }; y",
        "hs = []; for v in x { a = sin(a + v); hs.append(a) }; hs[3] + hs[50]",
        "hs = []; for v in x { a = sin(a + v); hs.append(a); a = a*len(hs) }; sum(hs)",
        "hs = []; for v in X { h = sin(h + v); hs.append(h) }; sum(sin(stack(hs, dim=1)))",
        "hs = []; for v in x { hs.append(v) }; sum(stack(hs)**2)",
        "hs = []; t = (hs, 1); for v in x { a = sin(a + v); t[0].append(a) }; sum(stack(hs))",
        "hs = []; q = hs; for v in x { a = sin(a + v); hs.append(a); q.append(v) }; sum(stack(q))",
        "p = []; q = p; for v in X { h = sin(h + v); p.append(h) }; sum(stack(q))",
        "hs = []; q = hs; for v in x { hs.append(a); a = sin(a + v*q[-1]) }; sum(stack(q))",
        "hs = []; t = (hs,); for v in x { q = t[0]; q.append(sin(v)) }; sum(stack(hs))",
        "y = a; for k in range(101) { y = y + x[k] }; y",
        "y = a; for v in x { y = y + v; if y > 1.5 { break } }; y",
    ],
)
def test_what_cannot_be_rows_is_taken_one_by_one(text: str) -> None:
    inputs = given(text)
    assert answer(text, inputs) == answer(text, inputs, unroll=True)


def test_the_gradient_by_rows_is_that_of_the_formula() -> None:
    # y = Σ 0.5^(99 - k) x_k
    text = "y = 0*a; for v in x { y = y*0.5 + v }; y"
    result = prepared(text, given(text), Options())
    assert loops(result)
    found = result.run(given(text)).grads["x"]
    np.testing.assert_allclose(found, 0.5 ** np.arange(99.0, -1.0, -1.0), rtol=1e-14)


def test_an_error_names_the_pass_and_its_place() -> None:
    text = "for k in range(100) { h = h*0.5 + inv(S - k*S/64) @ h }; sum(h)"
    inputs = {"S": np.eye(3), "h": INPUTS["h"]}
    found = prepared(text, inputs, Options())
    with pytest.raises(GradcliError, match=r"singular.* \(in pass 65 of the loop\)") as caught:
        found.run(inputs)
    assert text[slice(*caught.value.diagnostic.span or ())] == "inv(S - k*S/64)"


@pytest.mark.one_in(4)
@pytest.mark.parametrize("find", [tangent_product, hessian_product])
@pytest.mark.parametrize("name", ["rows", "one column", "zip", "carried on", "the last item"])
def test_second_derivatives_have_the_bits_of_unrolled_loops(name: str, find: Any) -> None:
    text = ELEMENTS[name]
    program = parse_program(Source("program", text), Options().limits.parse)
    found = []
    for unroll in (False, True):
        problem = pose_rolled(program, given(text), (), Options(unroll=unroll))
        vectors = {name: np.cos(problem.feeds[leaf]) for name, leaf in problem.leaves.items()}
        products = find(problem, vectors).products
        found.append({name: array.tobytes() for name, array in products.items()})
    assert found[0] == found[1]


def matrices(text: str, find: Any) -> list[bytes]:
    """A matrix with loops that are one node, and one with all passes written out; where a loop has
    no rule for it, both are the second.
    """
    program = parse_program(Source("program", text), Options().limits.parse)
    found = []
    for unroll in (False, True):
        problem = pose_rolled(program, given(text), (), Options(unroll=unroll))
        try:
            found.append(find(problem).matrix.values.tobytes())
        except NotRolled:
            found.append(find(problem.unrolled()).matrix.values.tobytes())
    return found


@pytest.mark.one_in(3)
@pytest.mark.parametrize("find", [jacobian, hessian])
@pytest.mark.parametrize("name", ["rows", "zip", "this one and the last"])
def test_matrices_have_the_bits_of_unrolled_loops(name: str, find: Any) -> None:
    rolled, unrolled = matrices(ELEMENTS[name], find)
    assert rolled == unrolled


@pytest.mark.parametrize("find", [jacobian, hessian])
def test_matrices_are_found_with_loops_that_are_one_node(find: Any) -> None:
    text = "y = a; for v in x { y = tanh(y*0.5 + v) }; y"
    program = parse_program(Source("program", text), Options().limits.parse)
    problem = pose_rolled(program, given(text), (), Options())
    assert any(isinstance(node.op, Loop) for node in ancestors(problem.names.values()))
    find(problem)  # which would raise NotRolled


@pytest.mark.slow
@pytest.mark.parametrize("find", [jacobian, hessian])
@pytest.mark.parametrize("name", ELEMENTS)
def test_all_matrices_have_the_bits_of_unrolled_loops(name: str, find: Any) -> None:
    test_matrices_have_the_bits_of_unrolled_loops(name, find)


def test_a_matrix_through_a_loop_in_a_loop_is_that_of_the_formula() -> None:
    # y ends as (2·0.99⁷⁰)⁷⁰·y, each element by itself
    text = "for i in range(70) { for j in range(70) { y = y*0.99 }; y = y*2 }; y"
    program = parse_program(Source("program", text), Options().limits.parse)
    problem = pose_rolled(program, {"y": np.array([1.0, -3.0, 0.5])}, (), Options())
    assert any(isinstance(node.op, Loop) for node in ancestors(problem.names.values()))
    found = jacobian(problem).matrix.values
    np.testing.assert_allclose(found, np.eye(3) * (2 * 0.99**70) ** 70, rtol=1e-11)


def test_a_loop_runs_once_for_all_its_results_that_are_looked_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    runs = []
    run = Body.run

    def counted(body: Body, *arguments: Any) -> Any:
        runs.append(body)
        return run(body, *arguments)

    monkeypatch.setattr(Body, "run", counted)
    text = """import torch
a, b, c = torch.ones(3), torch.zeros(3), torch.ones(3)
for t in range(100):
    a, b, c = a*0.9 + b, b*0.8 + 0.1, c*0.5
print((a + b + c).sum().item())"""
    told(text)
    assert len(runs) == 1
