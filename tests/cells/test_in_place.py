"""What a program's names stand for at its end, where tensors were changed in place."""

from __future__ import annotations

import numpy as np
import pytest

from gradcli import evaluate

START = "w = torch.zeros(2, requires_grad=True)\nall = [w, w]\n((w - 3)**2).sum().backward()\n"


@pytest.mark.parametrize(
    "step",
    [
        "with torch.no_grad():\n    w -= 0.1 * w.grad",
        "w.data -= 0.1 * w.grad",
        "with torch.no_grad():\n    w.copy_(w - 0.1 * w.grad)",
        "torch.optim.SGD([w], lr=0.1).step()",
    ],
)
def test_a_name_has_the_value_of_the_last_step(step: str) -> None:
    answer = evaluate(f"{START}{step}\n")
    np.testing.assert_allclose(answer.values["w"], [0.6, 0.6], rtol=1e-15)  # 0 - 0.1 · 2 · (0 - 3)
    np.testing.assert_allclose(answer.values["all"], np.full((2, 2), 0.6), rtol=1e-15)
    np.testing.assert_array_equal(answer.grads["w"], [-6, -6])
