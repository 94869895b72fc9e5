"""What few cells call: what is refused of it."""

from __future__ import annotations

import pytest

from gradcli.diagnostics import GradcliError
from tests.cells.test_python_lines import ours


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ("np.nditer(np.ones(2), flags=['external_loop'])", "'external_loop' is not known"),
        ("np.nditer(3)", "takes arrays"),
        ("np.nditer(np.ones(2), order='A')", "order is not known"),
        ("it = np.nditer(np.ones(1)); it.iternext(); it[0]", "past the end"),
        ("torch.empty_strided((2, 3), (10, 1))", "strides with gaps"),
        ("torch.empty_strided((2, 3), (1,))", "a stride for each axis"),
        ("torch.quasirandom.SobolEngine(2, scramble=True)", "PyTorch's own random numbers"),
        ("torch.quasirandom.SobolEngine(0)", "dimensionality"),
        ("torch.quasirandom.SobolEngine(9).draw(10**9)", "more than|room|memory"),
        ("torch.histogram(x, torch.tensor([1., 0.]))", "edges of bins grow"),
        ("torch.histogram(x, 0)", "1 bin or more"),
        ("torch._foreach_add([x], [x, x])", "have 1 and 2 elements"),
        ("torch._foreach_add_([torch.ones(2, requires_grad=True)], 1)", "cannot change in place"),
        ("torch.autograd.graph.register_multi_grad_hook([x], print, mode='any')", "PyTorch's own"),
        ("torch.nn.grad.conv2d_input((1, 1, 3, 3), torch.ones(1, 1, 2, 2), x)", "grad_output is"),
    ],
)
def test_what_is_refused(cell: str, said: str) -> None:
    with pytest.raises(GradcliError, match=said):
        ours(f"import torch, numpy as np\nx = torch.ones(2)\n{cell}")
