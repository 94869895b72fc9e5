"""Errors of Python's, and what cells print of them: Python 3.11 and PyTorch 2.13 printed it.

`errors_of_python.txt` has the cells, and what was printed there.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cells.cells import difference, titled
from tests.cells.test_python_lines import ours

WRITTEN = Path(__file__).with_name("errors_of_python.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("cell", titled(WRITTEN))
def test_a_cell(cell: str) -> None:
    program, _, printed = cell.partition("===\n")
    assert not difference(ours(program), printed)
