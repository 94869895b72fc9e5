"""`grad_fn` has the name that PyTorch 2.13 gives it: `make_torch_nodes.py` has asked it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cells.test_python_lines import ours

NAMES: dict[str, list[str]] = json.loads(
    Path(__file__).with_name("torch_nodes.json").read_text(encoding="utf-8")
)
BY_CALL = json.loads(
    Path(__file__).with_name("torch_nodes_by_call.json").read_text(encoding="utf-8")
)
OTHERS = frozenset((
    "multi_head_attention_forward", "tensorinv", "zeta",
))  # fmt: skip
"""Compositions that end on another op in PyTorch, for some shapes alone: these have their own."""


@pytest.mark.parametrize("name", sorted(NAMES.keys() - OTHERS))
def test_the_node_of_a_function_has_pytorchs_name(name: str) -> None:
    cell, expected = NAMES[name]
    assert ours(cell) == f"{expected}\n"


@pytest.mark.parametrize("start", range(0, len(BY_CALL["names"]), 50))
def test_names_are_pytorchs_by_shapes_and_options(start: int) -> None:
    calls = [*BY_CALL["names"]][start : start + 50]
    shown = "print(r.grad_fn.name() if r.grad_fn is not None else None)"
    lines = [line for call in calls for line in (f"r = {call}", shown)]
    names = ours("\n".join([*BY_CALL["before"], *lines])).splitlines()
    assert dict(zip(calls, names, strict=True)) == {
        call: str(BY_CALL["names"][call]) for call in calls
    }
