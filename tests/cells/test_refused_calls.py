"""Calls that PyTorch refuses: gradcli refuses them, too, and says what PyTorch 2.13 printed.

`refused_calls.txt` has the calls, and what was printed there.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cells.cells import difference, titled
from tests.cells.test_python_lines import ours

BEFORE = """
import math
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
def t(f):
    try:
        print("ok", f())
    except Exception as e:
        print(type(e).__name__, "|", e)
a = torch.ones(2, 3)
v = torch.ones(3)
"""
WRITTEN = Path(__file__).with_name("refused_calls.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("cell", titled(WRITTEN))
def test_calls(cell: str) -> None:
    program, _, printed = cell.partition("===\n")
    assert not difference(ours(BEFORE + program), printed)
