"""`grad_fn` has the name that PyTorch 2.13 gives it: `make_torch_nodes.py` has asked it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cells.test_python_lines import ours

NAMES: dict[str, list[str]] = json.loads(
    Path(__file__).with_name("torch_nodes.json").read_text(encoding="utf-8")
)
OTHERS = frozenset((
    "trapezoid", "cumulative_trapezoid", "inner", "matrix_power", "cond", "dropout3d",
    "multi_head_attention_forward", "tensorinv", "zeta",
))  # fmt: skip
"""Compositions that end on another op in PyTorch, for some shapes alone: these have their own."""


@pytest.mark.parametrize("name", sorted(NAMES.keys() - OTHERS))
def test_the_node_of_a_function_has_pytorchs_name(name: str) -> None:
    cell, expected = NAMES[name]
    assert ours(cell) == f"{expected}\n"
