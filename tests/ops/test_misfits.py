"""Arguments that do not fit: the code, and what the message shows."""

from __future__ import annotations

import numpy as np
import pytest

from gradcli.diagnostics import GradcliError, Source
from gradcli.language.parser import ParseLimits, parse_program
from gradcli.session import Options, evaluate


@pytest.mark.parametrize(
    ("program", "code", "shown"),
    [
        ("einsum('ij,jk->ik', x, x)", "shape", ["'j'", "3 in (2, 3)", "2 in (2, 3)"]),
        ("einsum('ijk->i', x)", "shape", ["'ijk'", "(2, 3)"]),
        ("einsum('ii', x)", "shape", ["'i'", "(2, 3)"]),
        ("einsum('ij->ik', x)", "value", ["'k'"]),
        ("einsum('ij,jk', x)", "value", ["2 operands", "1 are given"]),
        ("einsum('i1', x)", "value", ["'1'"]),
        ("tensordot(x, x, 3)", "axis", ["(2, 3)"]),
        ("tensordot(x, x, 1)", "shape", ["(2, 3)"]),
        ("addmm(ones(5), x, x.T)", "shape", ["(5,)", "(2, 2)"]),
        ("cross(ones(2), ones(2))", "shape", ["(2,)"]),
        ("multi_dot([x, x])", "shape", ["(2, 3) @ (2, 3)"]),
        ("det(x)", "shape", ["(2, 3)"]),
        ("solve(eye(2), ones(3, 1))", "shape", ["(2, 2)", "(3, 1)"]),
        ("inv(ones(3, 3))", "singular", ["pivot"]),
        ("inv([[1, 2], [2, 4]])", "singular", ["pivot 2"]),
        ("solve([[0, 0], [0, 1]], ones(2))", "singular", ["pivot"]),
        ("cholesky([[4, 2], [2, 1]] - 0.5*eye(2))", "singular", ["pivot 2"]),
        ("cholesky(0 - eye(2))", "singular", ["pivot 1"]),
        ("matrix_norm(x, 3)", "value", ["'fro'"]),
        ("qr(x, 'full')", "value", ["'full'"]),
        ("sort(x, 2)", "axis", ["dim 2"]),
        ("topk(x, 4)", "value", ["4", "(2, 3)"]),
        ("kthvalue(x, 0)", "value", ["(2, 3)"]),
        ("gather(x, 0, [0, 1])", "shape", ["(2,)", "(2, 3)"]),
        ("gather(x, 0, [[2]])", "index", ["2", "axis of 2"]),
        ("scatter(x, 1, [[0]], ones(3))", "shape", ["(1, 1)", "(3,)", "(2, 3)"]),
        ("index_add(x, 0, [0], ones(2, 3))", "shape", ["(1, 3)", "(2, 3)"]),
        ("index_put(x, [[0]], ones(5))", "shape", ["(5,)", "(1, 3)"]),
        ("x[2]", "index", ["2"]),
        ("x[0, 0, 0]", "index", ["(2, 3)"]),
        ("x[[True, False, True]]", "index", ["(3,)", "(2, 3)"]),
        ("pad(x, (3, 0), 'reflect')", "shape", ["3 and 0", "(2, 3)"]),
        ("pad(x, (1, 1), 'mirror')", "value", ["'mirror'"]),
        ("split(x, [1, 3], 1)", "shape", ["(1, 3)", "(2, 3)"]),
        ("unflatten(x, 1, (2, 2))", "shape", ["(2, 2)", "(2, 3)"]),
        ("x.repeat(2)", "value", ["(2,)", "(2, 3)"]),
        ("roll(x, (1, 2), dims=(0,))", "axis", ["2 shifts", "1 dims"]),
        ("cat([x, x.T])", "shape", ["(2, 3)", "(3, 2)"]),
        ("meshgrid(x)", "shape", ["(2, 3)"]),
        ("unfold(x, 0, 3, 1)", "value", ["3", "(2, 3)"]),
    ],
)
def test_misfit(program: str, code: str, shown: list[str]) -> None:
    parsed = parse_program(Source("program", program), ParseLimits())
    inputs = {"x": np.arange(6.0).reshape(2, 3)} if "x" in program else {}
    with pytest.raises(GradcliError) as caught:
        evaluate(parsed, inputs, [], Options(forward_only=True))
    assert caught.value.diagnostic.code == code
    for text in shown:
        assert text in caught.value.diagnostic.message


@pytest.mark.parametrize(
    ("program", "shape"),
    [
        ("x[0, :, [0, 1]]", (3, 2)),
        ("x[[0, 1], :, [0, 1]]", (2, 3)),
        ("x[:, 0, [0, 1, 1]]", (2, 3)),
        ("x[..., x[0, 0] > 1]", (2, 3, 2)),
        ("x[None, ..., None]", (1, 2, 3, 4, 1)),
        ("x[x > 3]", (20,)),
        ("sum(x)[sum(x) > 0]", (1,)),
        ("sum(x)[sum(x) < 0]", (0,)),
    ],
)
def test_subscripts_are_read_as_pytorch_reads_them(program: str, shape: tuple[int, ...]) -> None:
    inputs = {"x": np.arange(24.0).reshape(2, 3, 4)}
    parsed = parse_program(Source("program", program), ParseLimits())
    result = evaluate(parsed, inputs, [], Options(forward_only=True))
    (output,) = result.outputs
    assert result.values[output].shape == shape
