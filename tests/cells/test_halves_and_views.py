"""Floats of 16 bits, axes that change in place, and small things that cells say: gradcli prints
what PyTorch 2.13 printed.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from gradcli.diagnostics import GradcliError
from tests.cells.cells import difference, titled
from tests.cells.test_python_lines import ours

WRITTEN = Path(__file__).with_name("halves_and_views.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("cell", titled(WRITTEN))
def test_a_cell(cell: str) -> None:
    program, _, printed = cell.partition("===\n")
    assert not difference(ours(program), printed)


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
