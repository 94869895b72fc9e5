"""Single values, tensors without elements and of one, with every axis: as PyTorch 2.13 has them.

Values, gradients of their sums, and whether it is an error, from `goldens/small_shapes.py`. PyTorch
is not needed here.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from gradcli.diagnostics import GradcliError
from gradcli.session import Options
from tests.ops.goldens.small_shapes import CALLS, STORE, key, point, shapes_of
from tests.session.programs import run

EXPECTED: dict[str, Any] = json.loads(STORE.read_text())
ALLOWED = {
    'pad(x[None], (-1, 1), "reflect") of (0, 3)',
    'pad(x[None], (-1, 1), "replicate") of ()',
    'pad(x[None], (-1, 1), "replicate") of (0, 3)',
    'pad(x[None], (1, 0), "circular") of ()',
}
"""Errors in PyTorch alone, whose modes of padding are for 2 to 5 dimensions."""


def outcome(call: str, shape: tuple[int, ...]) -> Any:
    """Shape, elements and gradient of a call as they are stored, and None for an error."""
    inputs = {"x": point(shape)} if len(shapes_of(call)) > 1 else {}
    try:
        value = run(f"y = {call}", Options(forward_only=True), **inputs).values["y"]
        grad = None
        if inputs and value.dtype.kind == "f":
            grad = run(f"sum({call})", Options(wrt=("x",)), **inputs).grads["x"].ravel()
    except GradcliError:
        return None
    return value.shape, value.ravel(), grad


@pytest.mark.one_in(4)
@pytest.mark.parametrize("call", CALLS)
def test_small_shapes(call: str) -> None:
    for shape in shapes_of(call):
        name = key(call, shape)
        found, expected = outcome(call, shape), EXPECTED[name]
        assert (found is None) == (expected is None and name not in ALLOWED), name
        if found is not None and expected is not None:
            assert found[0] == tuple(expected[0]), name
            for numbers, wanted in zip(found[1:], expected[1:], strict=True):
                if numbers is not None and wanted is not None:
                    np.testing.assert_allclose(numbers, wanted, 1e-12, 1e-12, err_msg=name)


@pytest.mark.parametrize(
    ("call", "code"),
    [
        ("chunk(zeros(0), 10**30)", "limit-nodes"),
        ("take_along_dim(0.5, 0, 0)", "axis"),
        ("gather(0.5, 0, 1)", "index"),
        ("scatter(0.5, 0, 1, 3)", "index"),
        ("eye(10**30)", "limit-memory"),
    ],
)
def test_errors(call: str, code: str) -> None:
    with pytest.raises(GradcliError) as raised:
        run(call)
    assert raised.value.diagnostic.code == code


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("triu_indices(10**30, 3)", [[0, 0, 0, 1, 1, 2], [0, 1, 2, 1, 2, 2]]),
        ("tril_indices(3, 10**30)", [[0, 1, 1, 2, 2, 2], [0, 0, 1, 0, 1, 2]]),
        ("triu_indices(0, 10**30)", [[], []]),
        ("tril_indices(10**30, 0)", [[], []]),
        ("triu_indices(2, 2, -10**30)", [[0, 0, 1, 1], [0, 1, 0, 1]]),
        ("tril_indices(2, 2, -10**30)", [[], []]),
    ],
)
def test_triangles_of_any_matrix(call: str, expected: list[list[int]]) -> None:
    assert run(call).values["out"].tolist() == expected
