"""How far operands are from a kink, a tie, a jump or the end of a domain."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gradcli.graph import Op
from gradcli.ops import FUNCTIONS
from gradcli.ops.extremes import AMAX
from gradcli.ops.p_norm import NORM
from gradcli.ops.statistics import MEDIAN

SMOOTH_ALL_THE_SAME = {
    "where",  # the comparison that it looks at has the edge
    # What they say is about an operand without a gradient.
    "polygamma", "spherical_jn", "ierfcx", "gegenbauer", "laguerre", "hermite_polynomial_h",
    "hermite_polynomial_he", "chebyshev_polynomial_t",
}  # fmt: skip


@pytest.mark.parametrize(
    "entry",
    {id(f): f for f in FUNCTIONS.values() if f.kink and f.op is not None}.values(),
    ids=lambda entry: str(entry.name),
)
def test_an_entry_that_speaks_of_a_kink_says_how_far_it_is(entry: Any) -> None:
    assert entry.op.edge is not None or entry.name in SMOOTH_ALL_THE_SAME


def distance(op: Op, *arguments: Any) -> Any:
    assert op.edge is not None
    return op.edge(np, *arguments)


@pytest.mark.parametrize(
    ("name", "operands", "expected"),
    [
        ("abs", [-0.25], -0.25),
        ("maximum", [1.0, 1.5], -0.5),
        ("asin", [-0.75], 0.25),
        ("acosh", [1.5], 0.5),
        ("log1p", [-0.75], 0.25),
        ("pow", [0.5, 2.5], 0.5),
        ("pow", [0.0, 3.0], np.inf),
        ("lt", [2.0, 5.0], -3.0),
        ("hypot", [3.0, 4.0], 5.0),
        ("floor", [2.0], 0.0),
        ("rint", [2.5], 0.0),
    ],
)
def test_elementwise(name: str, operands: list[float], expected: float) -> None:
    op = FUNCTIONS[name].op
    assert op is not None
    assert distance(op, *map(np.float64, operands)) == pytest.approx(expected, abs=1e-12)


def test_an_extreme_is_as_far_from_a_tie_as_its_nearest_rival() -> None:
    found = distance(AMAX, np.array([1.0, 4.0, 3.5]), (-1,), False)
    assert found.tolist() == [-3.0, 0.5, -0.5]
    assert distance(AMAX, np.array([1.0, 4.0, 4.0]), (-1,), False).tolist() == [-3.0, 0.0, 0.0]
    assert distance(MEDIAN, np.array([1.0, 9.0, 2.0]), (-1,), False).tolist() == [-1.0, 7.0, 1.0]


def test_norms() -> None:
    x = np.array([3.0, -4.0])
    assert distance(NORM, x, (-1,), False, 2.0).tolist() == [5.0]
    assert distance(NORM, x, (-1,), False, 1.0).tolist() == [3.0, -4.0]
    assert distance(NORM, x, (-1,), False, np.inf).tolist() == [-1.0, 1.0]
