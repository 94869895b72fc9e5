"""The check of Hessians: right ones pass, and a wrong rule for a gradient's own ops is caught."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gradcli.analysis.check import check, gradients
from gradcli.analysis.problem import Problem
from gradcli.graph import Op
from gradcli.walks import ancestors
from tests.analysis.corruptions import corrupted
from tests.analysis.posed import posed

X = np.array([0.7, 1.9, -1.2])
PROGRAMS = [
    "sum(sin(x))",
    "sum(exp(x) * x)",
    "sum(x**3)",
    "sum(tanh(x)**2)",
    "logsumexp(x)",
    "softmax(x) @ [1, 2, 3]",
    "sum(log(1 + x**2))",
    "norm(x)",
    "prod(x)",
    "sum(sigmoid(x) / (2 + x))",
    "mean(erf(x) * [1, 2, 3])",
    "sum(inv(outer(x, x) + eye(3)))",
    "logdet(outer(x, x) + eye(3))",
    "sum(gelu(x))",
    "sum(cumsum(x, 0)**3)",
]


def pose(program: str) -> Problem:
    return posed(program, {"x": X})


def gradient_ops(problem: Problem) -> list[Op]:
    """The ops that the gradient is made of, on the way from x."""
    (grad,) = gradients(problem, list(problem.outputs.values()), [np.ones(())])
    moving = {problem.leaves["x"]}
    for node in ancestors([grad]):
        if moving.intersection(node.inputs):
            moving.add(node)
    return list(dict.fromkeys(node.op for node in moving if node.inputs))


def hessian_product(problem: Problem) -> Any:
    """H·(1, 1.5, 2), by reverse mode twice."""
    firsts = gradients(problem, list(problem.outputs.values()), [np.ones(())])
    return problem.values(gradients(problem, firsts, [np.array([1, 1.5, 2])]))[0]


@pytest.mark.parametrize("program", PROGRAMS)
def test_right_hessians_pass(program: str) -> None:
    assert check(pose(program), order=2).verdict == "pass"


@pytest.mark.one_in(5)
@pytest.mark.parametrize("name", ["sign", "factor", "one percent", "missing term"])
@pytest.mark.parametrize("program", PROGRAMS)
def test_wrong_second_derivatives_fail(program: str, name: str) -> None:
    right = hessian_product(pose(program))
    for op in gradient_ops(pose(program)):
        with corrupted(op, name):
            wrong = hessian_product(pose(program))
            if not np.allclose(right, wrong, rtol=1e-4):
                assert check(pose(program), order=2).verdict == "fail", op.name


def test_the_gradient_may_be_right_while_the_hessian_is_not() -> None:
    (cos,) = (op for op in gradient_ops(pose("sum(sin(x))")) if op.name == "cos")
    with corrupted(cos, "sign"):
        assert check(pose("sum(sin(x))")).verdict == "pass"
        assert check(pose("sum(sin(x))"), order=2).verdict == "fail"
