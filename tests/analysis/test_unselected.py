"""Notes on grads that are nan in PyTorch, as 0 * inf in a branch of `where` that was not selected.

The expected answers are what PyTorch 2.13 gives: nan in the grad of x, or none.
"""

from __future__ import annotations

import pytest

from gradcli.analysis.unselected import unselected_notes
from gradcli.options import Options
from gradcli.session import prepare
from tests.analysis.programs import parse

CELL = """
import torch
x = torch.tensor([{x}, 0.3], requires_grad=True)
y = torch.where(torch.tensor([False, True]), {inside}, torch.zeros(2))
y.sum().backward()
"""


def messages(text: str) -> list[str]:
    prepared = prepare(parse(text), {}, (), Options())
    return [note.message for note in unselected_notes(prepared, prepared.feeds({}, ()))]


@pytest.mark.parametrize(
    ("inside", "x"),
    [
        ("torch.sqrt(x)", 0.0),
        ("torch.sqrt(x)", -1.0),
        ("torch.log(x)", 0.0),
        ("1/x", 0.0),
        ("x**0.5", 0.0),
        ("torch.exp(x)", 1e3),
        ("torch.acos(x)", 1.0),
        ("torch.sin(x)/x", 0.0),
    ],
)
def test_nan_in_pytorch_is_told(inside: str, x: float) -> None:
    (message,) = messages(CELL.format(inside=inside, x=x))
    assert message.startswith("the grad of x at [0] is nan in PyTorch")


def test_derivatives_by_grad_are_told_of_as_well() -> None:
    asked = "print(torch.autograd.grad(y.sum(), x))"
    text = CELL.format(inside="torch.sqrt(x)", x=0.0).replace("y.sum().backward()", asked)
    (message,) = messages(text)
    assert message.startswith("the grad of x at [0] is nan in PyTorch")


@pytest.mark.parametrize(
    ("inside", "x"),
    [
        ("torch.sqrt(x)", 2.0),
        ("torch.log(x)", -1.0),
        ("torch.sqrt(torch.where(x > 0, x, 1.0))", 0.0),
        ("torch.acosh(x + 2)", -4.0),
        ("torch.xlogy(x, x)", -1.0),
        ("torch.digamma(x)", -1.0),
        ("x * 2", 0.0),
        ("torch.sqrt(torch.relu(x))", -1.0),
    ],
)
def test_where_pytorch_has_a_number_nothing_is_told(inside: str, x: float) -> None:
    assert messages(CELL.format(inside=inside, x=x)) == []


def test_what_is_nan_here_too_is_told_elsewhere() -> None:
    text = CELL.format(inside="x * 2", x=0.0) + "(torch.sqrt(x) * 0).sum().backward()\n"
    assert messages(text) == []


def test_a_large_program_is_not_searched() -> None:
    assert messages("x = zeros(5000)\nbackward(sum(where(x > 0, sqrt(x), 0)))") == []
    assert messages("x = zeros(2)\nbackward(sum(where(x > 0, sqrt(x), 0)))") != []
