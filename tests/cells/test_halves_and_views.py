"""Floats of 16 bits, and axes that change in place: what is refused."""

from __future__ import annotations

import pytest

from gradcli.diagnostics import GradcliError
from tests.cells.test_python_lines import ours


@pytest.mark.parametrize(
    ("cell", "code", "said"),
    [
        ("torch.zeros(2, 2, layout=torch.sparse_coo)", "value", "dense here, not sparse"),
        ("torch.nn.functional.relu = torch.tanh", "name", "stays what it is"),
        ("torch.einsum(torch.ones(2), [52])", "value", "labels are numbers from 0 to 51"),
        ("torch.set_default_dtype(torch.int64)", "type", "the default dtype is one of floats"),
    ],
)
def test_what_is_refused(cell: str, code: str, said: str) -> None:
    with pytest.raises(GradcliError) as error:
        ours("import torch\n" + cell)
    assert error.value.diagnostic.code == code
    assert said in error.value.diagnostic.message
