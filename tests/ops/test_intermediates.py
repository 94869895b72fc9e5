"""The gradient of an intermediate is its own, whatever made it.

In PyTorch a function that changes nothing makes a new tensor all the same, with a gradient apart
from that of its operand, or gives back the operand itself. Which does what was seen in PyTorch
2.13. The programs are z = Σx² + Σy³ with y made of x, where ∂z/∂y is 3y² if y is a new tensor, and
has the 2x of the rest too if y is x.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gradcli.analysis.check import check
from gradcli.analysis.jacobian import hessian, jacobian
from gradcli.diagnostics import GradcliError
from gradcli.graph import Array
from gradcli.ops import FUNCTIONS, Case
from gradcli.session import Options
from tests.analysis.posed import posed
from tests.ops.table_cases import all_cases, each_case, trace
from tests.session.programs import run

SINGLE, VECTOR, MATRIX, BATCH = (
    1.0 + np.arange(np.prod(shape)).reshape(shape) for shape in ((), (2,), (2, 2), (1, 1, 2))
)
NEW: list[tuple[str, Array]] = [
    *((call, SINGLE) for call in ("x[...]", "x.T", "x.expand(())", "x.reshape(())", "x.flip(())")),
    *((call, SINGLE) for call in ("sum(x)", "mean(x)", "prod(x)", "max(x)", "amin(x)")),
    *((call, SINGLE) for call in ("median(x)", "nanmean(x)", "logsumexp(x)", "roll(x, 1)")),
    *((call, SINGLE) for call in ("cumsum(x, 0)", "cumprod(x, 0)", "cummax(x, 0)[0]")),
    *((call, SINGLE) for call in ("sort(x)[0]", "topk(x, 1)[0]", "diag(x[None])[0, 0]")),
    *((call, VECTOR) for call in ("x[:]", "x[...]", "x[0:2]", "x.reshape(2)", "x.view(-1)")),
    *((call, VECTOR) for call in ("x.unflatten(0, (2,))", "x.ravel()", "x.squeeze()")),
    *((call, VECTOR) for call in ("x.squeeze(0)", "x.expand(2)", "x.expand(-1)", "x.T", "t(x)")),
    *((call, VECTOR) for call in ("broadcast_to(x, (2,))", "x.expand_as(x)", "x.permute(0)")),
    *((call, VECTOR) for call in ("x.transpose(0, 0)", "x.movedim(0, 0)", "narrow(x, 0, 0, 2)")),
    *((call, VECTOR) for call in ("pad(x, (0, 0))", "cat([x])", "hstack([x])", "split(x, 2)[0]")),
    *((call, VECTOR) for call in ("chunk(x, 1)[0]", "meshgrid(x)[0]", "x.repeat(1)")),
    *((call, VECTOR) for call in ("tile(x, (1,))", "repeat_interleave(x, 1)", "diff(x, 0)")),
    *((call, VECTOR) for call in ("x + 0", "x - 0", "x * 1", "x / 1", "x**1", "-(-x)")),
    *((call, VECTOR) for call in ("where(x > 0, x, 0)", "masked_fill(x, x > 9, 0)", "relu(x)")),
    *((call, VECTOR) for call in ("x.clone()", "x.to(torch.float64, copy=True)", "einsum('i', x)")),
    *((call, VECTOR) for call in ("tensor(x)", "clamp(x, min=0)", "nan_to_num(x)", "x[[0, 1]]")),
    *((call, MATRIX) for call in ("x[:, :]", "x.permute(0, 1)", "x.swapaxes(1, 1)", "x.T.T")),
    *((call, MATRIX) for call in ("x.mT.mT", "rot90(x, 0)", "rot90(x, 4)", "block_diag(x)")),
    *((call, MATRIX) for call in ("vstack([x])", "column_stack([x])", "matrix_power(x, 1)")),
    *((call, MATRIX) for call in ("tril(x, 5)", "einsum('ij->ij', x)", "pad(x, (0, 0, 0, 0))")),
    *((call, MATRIX) for call in ("roll(x, 0)", "roll(x, 0, 1)", "flip(x, ())", "x.view(2, 2)")),
    *((call, BATCH) for call in ("dstack([x])", "avg_pool1d(x, 1)", "max_pool1d(x, 1)")),
    *((call, BATCH) for call in ("pad(x, (0, 0), 'circular')", "pad(x, (0, 0), 'replicate')")),
]
"""What gives a new tensor."""
SAME: list[tuple[str, Array]] = [
    *((call, VECTOR) for call in ("x", "+x", "x.contiguous()", "x.to(torch.float64)", "x.cpu()")),
    *((call, VECTOR) for call in ("x.double()", "x.flatten()", "x.sum_to_size(2)")),
    *((call, VECTOR) for call in ("cartesian_prod(x)", "as_tensor(x)", "(x, 1)[0]", "[x][0]")),
    *((call, VECTOR) for call in ("x.type(torch.float64)", "same(x)", "append([], x)[0]")),
    *((call, MATRIX) for call in ("flatten(x, 1)", "x.sum_to_size(2, 2)")),
]
"""What gives the operand itself."""
CALLS = [(call, x, 0) for call, x in NEW] + [(call, x, 1) for call, x in SAME]


def program(call: str) -> str:
    return f"same(t) = t\ny = {call}\nz = sum(x**2) + sum(y**3)\n"


def ask_wrt(call: str, x: Array) -> Any:
    return run(program(call), Options(wrt=("y",)), x=x).grads["y"]


def ask_wrt_of_both(call: str, x: Array) -> Any:
    return run(program(call), Options(wrt=("x", "y")), x=x).grads["y"]


def ask_retain_grad(call: str, x: Array) -> Any:
    return run(program(call), Options(retain_grad=("y",)), x=x).passes[0].retained["y"]


def ask_retain_all(call: str, x: Array) -> Any:
    passes = run(program(call), Options(retain_grad=("all",)), x=x).passes
    return passes[0].retained["y"] if "y" in passes[0].retained else passes[0].grads["x"]


def ask_retain_grad_in_the_program(call: str, x: Array) -> Any:
    return run(program(call) + "y.retain_grad(); z.backward(); y.grad", x=x).values["out"]


def ask_grad_in_the_program(call: str, x: Array) -> Any:
    return run(program(call) + "grad(z, y)", x=x).values["out"]


def ask_jacobian(call: str, x: Array) -> Any:
    return jacobian(posed(program(call), {"x": x}, wrt=("y",))).matrix.values.reshape(x.shape)


def ask_check(call: str, x: Array) -> Any:
    (leaf,) = check(posed(program(call), {"x": x}, wrt=("y",))).leaves
    assert leaf.verdict == "pass"
    return np.reshape([finding.gradient for finding in leaf.findings], x.shape)


@pytest.mark.one_in(4)
@pytest.mark.parametrize(("call", "x", "same"), CALLS, ids=[call for call, _, _ in CALLS])
@pytest.mark.parametrize(
    "ask",
    [
        ask_wrt,
        ask_wrt_of_both,
        ask_retain_grad,
        ask_retain_all,
        ask_retain_grad_in_the_program,
        ask_grad_in_the_program,
        ask_jacobian,
        ask_check,
    ],
)
def test_what_changes_nothing(ask: Any, call: str, x: Array, same: int) -> None:
    np.testing.assert_array_equal(ask(call, x), 3 * x**2 + same * 2 * x)


@pytest.mark.parametrize(("call", "x", "same"), CALLS, ids=[call for call, _, _ in CALLS])
def test_second_derivatives(call: str, x: Array, same: int) -> None:
    found = hessian(posed(program(call), {"x": x}, wrt=("y",))).matrix.values
    np.testing.assert_array_equal(np.diag(found), (6 * x + same * 2).ravel())


def test_a_second_name_is_the_same_tensor() -> None:
    """∂z/∂w of z = y·w where w is y: both factors move."""
    text = "y = 2*x; w = y; z = y*w"
    assert run(text, Options(wrt=("w",)), x=3.0).grads["w"] == 12
    assert run(text, Options(wrt=("y",)), x=3.0).grads["y"] == 12
    assert run("y = 2*x; w = 2*x; z = y*w", Options(wrt=("w",)), x=3.0).grads["w"] == 6


def with_single_elements(case: Case) -> Case:
    return case._replace(shapes={name: (1,) * len(shape) for name, shape in case.shapes.items()})


AS_THEY_STAND_AND_WITH_SINGLE_ELEMENTS = [
    (name, each) for name, case in all_cases() for each in (case, with_single_elements(case))
]


@each_case(AS_THEY_STAND_AND_WITH_SINGLE_ELEMENTS)
def test_every_op(name: str, case: Case) -> None:
    """Lengths of 1 are where most functions have nothing to do."""
    if case.program.startswith("lu_unpack") and case.shapes["x"] == (1, 1):
        return  # the pivots are those of a larger matrix
    try:
        traced = trace(case)
        traced.value(traced.output)
    except GradcliError:
        return  # some functions need more than one element
    if traced.output.kind != "float" or FUNCTIONS[name].passes_on:
        return
    inputs = {str(node.attributes[0]): traced.feeds[node] for node in traced.inputs}
    rest = " + ".join(f"sum({name}**2)" for name in inputs)
    text = f"made = {case.program}\nz = {rest} + sum(made**3)"
    result = run(text, Options(wrt=("made",), seed=1), **inputs)
    np.testing.assert_array_equal(result.grads["made"], 3 * result.values["made"] ** 2)
