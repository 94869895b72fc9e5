"""NumPy and Python next to tensors: what they read, refuse and make of them.

`numpy_of_tensors.txt` has the cells, and what PyTorch 2.13 and NumPy 2.4 printed.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cells.cells import difference, titled
from tests.cells.test_python_lines import ours

WRITTEN = Path(__file__).with_name("numpy_of_tensors.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("cell", titled(WRITTEN))
def test_cells(cell: str) -> None:
    program, _, printed = cell.partition("===\n")
    assert not difference(ours(program), printed)
