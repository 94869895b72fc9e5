"""Inference mode and saved tensors: gradcli prints what PyTorch 2.13 prints."""

from __future__ import annotations

import pytest

from gradcli.diagnostics import GradcliError
from tests.cells.cells import difference, titled
from tests.cells.test_python_lines import ours

CELLS = r"""
### tensors of inference mode are not saved for backward
import torch
w = torch.ones(2, requires_grad=True)
with torch.inference_mode():
    y = w * 2
    z = torch.ones(2)
print(y.is_inference(), z[0].is_inference(), y.requires_grad, (w + y).sum(), w - y)
print(torch.cat([w, y]))
def said(f):
    try: print(f())
    except RuntimeError as e: print(str(e)[:56])
said(lambda: w * y)
said(lambda: (w ** 2 * z).sum())
said(lambda: torch.matmul(w, z))
said(lambda: w * z[0])
said(lambda: w / z)
said(lambda: torch.nn.Linear(2, 1)(z))
said(lambda: y.requires_grad_())
c = y.clone()
print(c.is_inference(), y * 2, (y * z).sum())
(w * c).sum().backward()
print(w.grad)
with torch.inference_mode():
    y.add_(1)
    print(y, w * y)
said(lambda: y.add_(1))
said(lambda: z.zero_())
===
True True False tensor(6., grad_fn=<SumBackward0>) tensor([-1., -1.], grad_fn=<SubBackward0>)
tensor([1., 1., 2., 2.], grad_fn=<CatBackward0>)
Inference tensors cannot be saved for backward. Please d
Inference tensors cannot be saved for backward. Please d
Inference tensors cannot be saved for backward. Please d
Inference tensors cannot be saved for backward. Please d
Inference tensors cannot be saved for backward. Please d
Inference tensors cannot be saved for backward. Please d
Setting requires_grad=True on inference tensor outside I
False tensor([4., 4.]) tensor(4.)
tensor([2., 2.])
tensor([3., 3.]) tensor([3., 3.])
Inplace update to inference tensor outside InferenceMode
Inplace update to inference tensor outside InferenceMode
### a number that inference mode has used is no tensor of it
import torch
x = torch.tensor([3.0], requires_grad=True)
with torch.inference_mode():
    t = x + 1
a = torch.tensor([1., 2.], requires_grad=True)
b = a.clone().detach().requires_grad_(True)
(a * b.detach()).sum().backward()
print(a.grad, b.grad)
===
tensor([1., 2.]) None
### hooks of saved tensors that change nothing
import torch
x = torch.ones(3, requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(lambda x: x.cpu(), lambda x: x):
    y = x * x
y.sum().backward()
print(x.grad)
===
tensor([2., 2., 2.])
"""


@pytest.mark.parametrize("cell", titled(CELLS))
def test_a_cell(cell: str) -> None:
    program, _, printed = cell.partition("===\n")
    assert not difference(ours(program), printed)


def test_hooks_that_change_what_is_saved_are_refused() -> None:
    program = (
        "import torch\nx = torch.ones(3, requires_grad=True)\n"
        "with torch.autograd.graph.saved_tensors_hooks(lambda x: x * 2, lambda x: x):\n"
        "    y = x * x"
    )
    with pytest.raises(GradcliError) as caught:
        ours(program)
    assert "packed by no function here" in caught.value.diagnostic.message
