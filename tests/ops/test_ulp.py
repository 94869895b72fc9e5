"""Elementwise values and derivatives against 50 digits: at most 4 ulp, unless stated."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from gradcli.engine.swept import LARGE
from gradcli.ops import FUNCTIONS
from gradcli.ops.elementwise import Elementwise
from tests.ops.measure_ulp import TABLE, computed, measure
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


IN_BLOCKS = [name for name in REFERENCES if getattr(FUNCTIONS[name].op, "in_blocks", None)]
"""Functions that are computed in another way where they are large."""


def test_some_are_computed_in_blocks() -> None:
    assert {"ndtr", "erfc", "gaussian"} <= {*IN_BLOCKS}


@pytest.mark.parametrize("name", IN_BLOCKS)
def test_digits_of_large_arrays(name: str) -> None:
    worst = measure(name, count=500, seed=2, size=LARGE)
    assert max(worst) <= 4


@pytest.mark.parametrize("name", IN_BLOCKS)
def test_the_ends_of_large_arrays(name: str) -> None:
    ends = np.array([0.0, -0.0, 5e-324, 1e-8, 39.0, 50.0, 1e10, np.inf, np.nan])
    operands = [np.concatenate([ends, -ends])] * len(REFERENCES[name].intervals)
    points = [each.ravel() for each in np.meshgrid(*operands)]
    few = computed(name, REFERENCES[name], points)
    many = computed(name, REFERENCES[name], [np.resize(each, LARGE) for each in points])
    for one, whole in zip(few, many, strict=True):
        other, there = whole[: one.size], ~np.isnan(one)
        np.testing.assert_allclose(other, one, rtol=1e-15)
        np.testing.assert_array_equal(np.signbit(other)[there], np.signbit(one)[there])


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
