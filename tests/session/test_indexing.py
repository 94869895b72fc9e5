"""Single truth values among subscripts. What comes out was seen in PyTorch 2.13."""

from __future__ import annotations

import pytest

from tests.session.programs import error, grads, value


@pytest.mark.parametrize(
    ("index", "expected"),
    [
        ("True", [[[1, 2], [3, 4]]]),
        ("False", []),
        ("True, True", [[[1, 2], [3, 4]]]),
        ("True, 0", [[1, 2]]),
        ("0, True", [[1, 2]]),
        ("0, True, 0", [1]),
        (":, True, 0", [[1], [3]]),
        (":, True", [[[1, 2]], [[3, 4]]]),
        (":, False", [[], []]),
        ("None, True", [[[[1, 2], [3, 4]]]]),
        ("..., True", [[[1], [2]], [[3], [4]]]),
        ("True, ..., 0", [[1, 3]]),
        ("True, [0, 1]", [[1, 2], [3, 4]]),
        ("True, :, [0, 1]", [[1, 3], [2, 4]]),
        ("[0, 1], True, [0, 1]", [1, 4]),
        ("True, x > 2", [3, 4]),
        ("[True, False], True", [[1, 2]]),
        ("sum(x) > 3, 0", [[1, 2]]),
    ],
)
def test_a_truth_value_is_an_axis_of_its_own(index: str, expected: list[object]) -> None:
    assert value(f"x[{index}]", x=[[1.0, 2.0], [3.0, 4.0]]) == expected


def test_a_gradient_flows_back() -> None:
    assert grads("sum(x[:, True, 0] * 5)", x=[[1.0, 2.0], [3.0, 4.0]]) == {"x": [[5, 0], [5, 0]]}
    assert grads("sum(x[True, True])", x=3.0) == {"x": 1}
    assert grads("sum(x[False])", x=3.0) == {"x": 0}


def test_too_many_indices() -> None:
    assert error("x[0, 0, 0, True]", x=[[1.0]]).diagnostic.code == "index"
