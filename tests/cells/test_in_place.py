"""What a program's names stand for at its end, where tensors were changed in place."""

from __future__ import annotations

import numpy as np
import pytest

from gradcli import evaluate, session
from gradcli.diagnostics import GradcliError, Source
from gradcli.language.parser import ParseLimits, parse_program

START = "w = torch.zeros(2, requires_grad=True)\nall = [w, w]\n((w - 3)**2).sum().backward()\n"


@pytest.mark.parametrize(
    "step",
    [
        "with torch.no_grad():\n    w -= 0.1 * w.grad",
        "w.data -= 0.1 * w.grad",
        "with torch.no_grad():\n    w.copy_(w - 0.1 * w.grad)",
        "torch.optim.SGD([w], lr=0.1).step()",
    ],
)
def test_a_name_has_the_value_of_the_last_step(step: str) -> None:
    answer = evaluate(f"{START}{step}\n")
    np.testing.assert_allclose(answer.values["w"], [0.6, 0.6], rtol=1e-15)  # 0 - 0.1 · 2 · (0 - 3)
    np.testing.assert_allclose(answer.values["all"], np.full((2, 2), 0.6), rtol=1e-15)
    np.testing.assert_array_equal(answer.grads["w"], [-6, -6])


COPIES = [
    "flip(0)",
    "fliplr()",
    "flipud()",
    "rot90()",
    "rot90(2)",
    "repeat(1,1)",
    "tile(1,2)",
    "diag()",
    "double()",
    "clone()",
    "roll(0)",
    "mul(1)",
    "diff(n=0)",
    "contiguous().clone()",
    "scatter(0,torch.zeros(0,4,dtype=torch.long),q)",
    "t().reshape(12)",
    "t().flatten()",
    "mT.ravel()",
    "T.unflatten(0,(2,2)).flatten()",
    "t().contiguous().view(12)",
    "expand(2,3,4).reshape(24)",
    "narrow(1,0,2).flatten()",
]
OF_LISTS = ["cat", "stack", "hstack", "vstack", "dstack", "column_stack"]
"""Functions whose results are copies in PyTorch."""
VIEWS = [
    "t()",
    "mT",
    "view(4,3)",
    "reshape(4,3)",
    "flatten()",
    "ravel()",
    "unsqueeze(0)",
    "squeeze()",
    "expand(2,3,4)",
    "T",
    "diagonal()",
    "narrow(0,0,2)",
    "chunk(2)[0]",
    "split(2)[0]",
    "unbind()[0]",
    "select(0,1)",
    "permute(1,0)",
    "detach()",
    "swapaxes(0,1)",
    "movedim(0,1)",
    "unflatten(0,(3,1))",
    "tensor_split(2)[0]",
    "float()",
    "t().reshape(2,2,3)",
    "t().unsqueeze(0).squeeze()",
    "narrow(0,0,2).flatten()",
    "narrow(1,0,2).reshape(3,1,2)",
    "expand(2,3,4).reshape(2,12)",
]
"""What is in the memory of the tensor itself: the list of PyTorch's page "Tensor Views"."""


@pytest.mark.parametrize(
    ("expression", "is_view"),
    [
        *((f"q.{each}", True) for each in VIEWS),
        *((f"q.{each}", False) for each in COPIES),
        *((f"torch.{each}([q])", False) for each in OF_LISTS),
        ("torch.nn.functional.pad(q, (-1, 0))", False),
        ("torch.nn.functional.pixel_shuffle(q.reshape(1, 4, 1, 3), 2)", False),
        ("torch.zeros(3, 4).copy_(q)", False),
    ],
)
def test_what_shares_memory_with_a_tensor(expression: str, is_view: bool) -> None:
    """A copy holds what the tensor was, and no gradient flows through it to a later leaf."""
    start = f"import torch\nq = torch.arange(12.).reshape(3, 4) / 10 + 1\nk = {expression}\n"
    assert printed(f"{start}q.zero_()\nprint(bool(k.abs().sum() == 0))") == [str(is_view)]
    follows = is_view and "detach" not in expression
    assert printed(f"{start}q.requires_grad_()\nprint(k.requires_grad)") == [str(follows)]


@pytest.mark.parametrize("change", ["out.data.zero_()", "out.data[0] = 3", "c = out.data; c *= 2"])
def test_values_that_backward_needs_do_not_change_behind_its_back(change: str) -> None:
    """PyTorch gives 0 for the first: the derivative of sigmoid at what is no longer its value."""
    start = "import torch\na = torch.tensor([1., 2.], requires_grad=True)\nout = a.sigmoid()\n"
    with pytest.raises(GradcliError, match="PyTorch does not notice"):
        printed(f"{start}{change}\nout.sum().backward()")
    assert printed(f"{start}out.sum().backward()\n{change}\nprint(out.shape)")


def test_values_that_backward_does_not_need_may_change_through_data() -> None:
    start = "import torch\nx = torch.tensor([1., 2.], requires_grad=True)\ny = x * 3\n"
    found = printed(f"{start}y.data.mul_(2)\ny.sum().backward()\nprint(y.data, x.grad)")
    assert found == ["tensor([ 6., 12.]) tensor([3., 3.])"]


def printed(program: str) -> list[str]:
    parsed = parse_program(Source("program", program), ParseLimits())
    return list(session.evaluate(parsed, {}).printed)


def test_a_tensor_with_views_is_not_resized() -> None:
    program = "import torch\na = torch.arange(6)\nb = a.reshape(2, 3)\na.resize_(2, 2)\nprint(b)"
    with pytest.raises(GradcliError, match="views of this tensor"):
        session.evaluate(parse_program(Source("cell", program), ParseLimits()), {})


GRADS = [  # what changes a grad, and what it is after the next backward, which adds [2, 4]
    ("g = p.grad; g.zero_()", [2, 4]),
    ("g = p.grad; g *= 2", [6, 12]),
    ("p.grad.detach_().zero_()", [2, 4]),
    ("p.grad.detach().mul_(3)", [8, 16]),
    ("p.grad[0].add_(5).mul_(2)", [16, 8]),
    ("p.grad.view(-1)[0] = 3", [5, 8]),
    ("p.grad.mul_(2).add_(1)", [7, 13]),
    ("for g in [p.grad]: g.mul_(.5)", [3, 6]),
    ("torch.clamp_(p.grad, 0, 3)", [4, 7]),
    ("n = p.grad.numpy(); n[0] = 42", [44, 8]),
    ("p.grad.zero_(); p.grad.add_(1)", [3, 5]),
]


@pytest.mark.parametrize(("change", "expected"), GRADS)
def test_backward_adds_to_a_grad_as_it_has_become(change: str, expected: list[float]) -> None:
    answer = evaluate(
        "import torch\np = torch.tensor([1., 2.], requires_grad=True)\n(p**2).sum().backward()\n"
        f"{change}\n(p**2).sum().backward()\n"
    )
    np.testing.assert_array_equal(answer.grads["p"], expected)


def test_a_step_takes_grads_as_they_have_become_and_grads_share_no_memory() -> None:
    answer = evaluate(
        "import torch\na, b = (torch.ones(2, requires_grad=True) for _ in range(2))\n"
        "(a + b).sum().backward()\ng = a.grad\ng.mul_(0.25)\n"
        "torch.optim.SGD([a, b], lr=1.).step()\nx, y = a * 1, b * 1\n"
    )
    np.testing.assert_array_equal(answer.values["x"], [0.75, 0.75])
    np.testing.assert_array_equal(answer.values["y"], [0, 0])
