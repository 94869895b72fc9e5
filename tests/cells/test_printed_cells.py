"""Cells print what PyTorch 2.13, NumPy 2.4 and Python 3.11 print.

The files `*.txt` have the cells, and what was printed there.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cells.cells import difference, titled
from tests.cells.test_python_lines import ours

EXACT = ("kinds_and_rates", "models_and_memory")
"""Files whose cells print the same to the letter."""
TEXTS = {
    path.stem: path.read_text(encoding="utf-8") for path in Path(__file__).parent.glob("*.txt")
}


CELLS = [cell for name in sorted(TEXTS.keys() - {*EXACT}) for cell in titled(TEXTS[name])]


@pytest.mark.parametrize("cell", CELLS)
def test_a_cell(cell: str) -> None:
    program, _, printed = cell.partition("===\n")
    assert not difference(ours(program), printed)


@pytest.mark.parametrize("cell", [cell for name in EXACT for cell in titled(TEXTS[name])])
def test_a_cell_to_the_letter(cell: str) -> None:
    program, _, printed = cell.partition("===\n")
    assert ours(program).rstrip() == printed.rstrip()
