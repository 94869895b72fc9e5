"""NumPy's functions that few cells call: what is refused of them."""

from __future__ import annotations

import pytest

from gradcli.diagnostics import GradcliError
from tests.cells.test_python_lines import ours


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ("np.divide(a, b, where=b != 0)", "where= leaves elements out"),
        ("np.mgrid[0:3, 1]", "takes bounds"),
        ("np.mgrid[0:, 0:2]", "needs an upper bound"),
        ("np.mgrid[0:3:0]", "the step is not 0"),
        ("np.mgrid[0:10**6, 0:10**6]", "memory|room|more than"),
        ("np.mgrid[0:1:1000000000000j]", "memory|room|more than"),
        ("np.multiply.outer(np.ones(10**6), np.ones(10**6))", "memory|room|more than"),
        ("np.fromfunction(lambda i, j: i, (10**6, 10**6))", "memory|room|more than"),
        ("np.fromfunction(3, (2, 2))", "takes a function"),
        ("np.hanning(10**9)", "numbers above"),
        ("np.block([[a, b], a])", "equally deep"),
        ("np.ix_(np.ones((2, 2)))", "1 dimensional|must be one"),
        ("np.piecewise(a, [a > 1], [1, 2, 3])", "a function for each condition"),
        ("np.apply_along_axis(np.sum, 2, a)", "there is no axis 2"),
        ("np.rollaxis(a, 3)", "there are 1 axes"),
        ("np.add.at(a, 9, 1)", "out of bounds"),
        ("np.put(a, 9, 1)", "out of bounds"),
        ("np.put(torch.ones(2), 0, 1)", "changes arrays"),
        ("a[:2].resize(3)", "in the memory of another"),
        ("a.resize(-3)", "not negative"),
        ("a.item(9)", "out of bounds"),
        ("a.reshape(3, order='Z')", "order is 'C' or 'F'"),
        ("np.add.reduce(a, axis=4)", "out of bounds"),
        ("torch.amp.custom_fwd(print, device_type='cpu', cast_inputs=torch.float32)", "for a GPU"),
    ],
)
def test_what_is_refused(cell: str, said: str) -> None:
    with pytest.raises(GradcliError, match=said):
        ours(f"import torch, numpy as np\na, b = np.ones(3), np.zeros(3)\n{cell}")
