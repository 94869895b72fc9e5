"""Values that a program may use no more are let go where many were computed, and come again where
it uses them all the same.
"""

from __future__ import annotations

import numpy as np
import pytest

from gradcli.engine import evaluator
from gradcli.engine.evaluator import Evaluator
from tests.loops.test_training import told

TRAINING = """
import torch
torch.manual_seed(0)
X = torch.linspace(-1, 1, 6000, dtype=torch.float64).reshape(60, 100)
y = X[:, :1]**2
w = torch.linspace(-0.1, 0.1, 100, dtype=torch.float64).reshape(100, 1).requires_grad_()
{0}
def fit(passes):
    for i in range(passes):
        loss = (((X*(1 + 0.01*i)) @ w - y)**2).mean()
        loss.backward()
        with torch.no_grad():
            w.sub_(0.001*w.grad)
        w.grad = None
        {1}
    return loss
print(fit(60))
{2}
"""
LOOKS = "if loss.item() < 0: break"
PROGRAMS = {
    "a look in each pass": TRAINING.format("", LOOKS, "print(w[:3])"),
    "no look before the end": TRAINING.format("", "", "if w.sum().item() < 9: print(w[:3])"),
    "what a generator holds": TRAINING.format(
        "def later():\n    a = X*3\n    yield a.sum()\n    yield (a*2).sum()\n"
        "g = later()\nprint(next(g))",
        LOOKS,
        "print(next(g))",
    ),
    "a graph that waits for backward": TRAINING.format(
        "v = torch.ones(60, 100, dtype=torch.float64, requires_grad=True)\n"
        "waits = ((X*v).tanh()**2).sum()\nprint(waits)",
        LOOKS,
        "waits.backward()\nprint(v.grad.sum(), v.grad[0, :3])",
    ),
    "a list of tensors, and a view": TRAINING.format(
        "kept = [X*2]\nrow = (X*4)[3]\nprint(kept[0].sum(), row.sum())",
        LOOKS + "\n        kept.append(w.detach()*1)",
        "print(torch.stack(kept[1:]).sum(), row.sum(), kept[0].mean())",
    ),
}


@pytest.fixture
def peak(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The most bytes that values took which were kept."""
    found, count = [0], Evaluator._count

    def counted(self: Evaluator, change: int) -> None:
        count(self, change)
        found[0] = max(found[0], self._bytes)

    monkeypatch.setattr(Evaluator, "_count", counted)
    return found


@pytest.mark.parametrize("name", PROGRAMS)
def test_values_that_are_used_no_more_are_let_go(
    name: str, peak: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = told(PROGRAMS[name], unroll=True)
    assert peak[0] > 2_500_000  # 60 passes of 48,000 bytes and more
    peak[0] = 0
    monkeypatch.setattr(evaluator, "SWEPT", 400_000)
    assert told(PROGRAMS[name], unroll=True) == wanted
    assert peak[0] < 1_500_000


def test_training_ends_where_numpy_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluator, "SWEPT", 400_000)
    x = np.linspace(-1, 1, 6000).reshape(60, 100)
    y, w = x[:, :1] ** 2, np.linspace(-0.1, 0.1, 100).reshape(100, 1)
    for i in range(60):
        rows = (1 + 0.01 * i) * x
        w = w - 0.001 * 2 * rows.T @ (rows @ w - y) / 60
    (printed, *_), _ = told(TRAINING.format("", LOOKS, "print(w.sum().item())"), unroll=True)
    assert float(printed[1]) == pytest.approx(w.sum(), rel=1e-12)


def test_what_comes_again_too_often_is_kept_from_then_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluator, "SWEPT", 100_000)
    monkeypatch.setattr(evaluator, "AGAIN", 1)
    text = PROGRAMS["a graph that waits for backward"]
    assert told(text, unroll=True)[0][0][-1].startswith("tensor(")
