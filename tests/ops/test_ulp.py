"""Elementwise values and derivatives against 50 digits: at most 4 ulp, unless stated."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gradcli.ops import FUNCTIONS
from gradcli.ops.elementwise import Elementwise
from tests.ops.measure_ulp import TABLE, measure
from tests.ops.table_cases import held_to_pytorch
from tests.ops.ulp_references import REFERENCES

MEASURED: dict[str, list[float]] = json.loads(TABLE.read_text())

EXACT_OR_DERIVED = {
    "floor", "ceil", "rint", "trunc", "sign", "where", "lerp", "angle", "nextafter"
}  # fmt: skip
"""Whole numbers and choices, which are exact; and a difference, which has no digits near 0."""


@pytest.mark.one_in(4)
@pytest.mark.parametrize("name", REFERENCES)
def test_digits(name: str) -> None:
    reference = REFERENCES[name]
    assert reference.limit == 4 or reference.stated
    worst = measure(name, count=40, seed=1)
    assert max(worst) <= reference.limit


@pytest.mark.parametrize("name", REFERENCES)
def test_the_table_holds_what_was_measured(name: str) -> None:
    assert len(MEASURED[name]) == 1 + len(REFERENCES[name].intervals)
    assert max(MEASURED[name]) <= REFERENCES[name].limit


def test_every_elementwise_op_is_measured() -> None:
    def measurable(entry: Any) -> bool:
        return (
            isinstance(entry.op, Elementwise)
            and held_to_pytorch(entry)
            and "float" in entry.op.takes
            and entry.op.result_kind is None
        )

    names = {entry.name for entry in FUNCTIONS.values() if measurable(entry)}
    assert names - set(REFERENCES) - EXACT_OR_DERIVED == set()
    assert set(MEASURED) == set(REFERENCES)
