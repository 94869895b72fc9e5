"""Which programs may hold grads, so that what changes these changes what is held."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from gradcli.diagnostics import Source
from gradcli.language.parser import ParseLimits, parse_program
from gradcli.trace import held_grads
from gradcli.trace.held_grads import holds_grads
from gradcli.trace.names import all_parts
from tests.cells.test_python_lines import ours

PASSING = [
    "w -= 0.1*w.grad",
    "g = w.grad; w -= 0.1*g; w.grad.zero_()",
    "g = w.grad; n = g.norm(); print(g, n); w.grad.zero_()",
    "for i in range(3):\n    g = w.grad\n    w.data.sub_(0.1*g)\n    w.grad.zero_()",
    "g = 0\nfor i in range(3):\n    g = w.grad.detach()\n    w -= g\n    loss.backward()",
    "g, h = w.grad, b.grad; w -= g; b -= h; w.grad.zero_()",
    "g = w.grad.clone(); loss.backward(); print(g)",
]
HELD = [
    "g = w.grad; w.grad.zero_(); print(g)",
    "g = w.grad; loss.backward(); w -= g",
    "g = w.grad; g.mul_(2); print(w.grad)",
    "g = w.grad; g *= 2; print(w.grad)",
    "g = w.grad; a = g; loss.backward(); print(a)",
    "g = w.grad; kept.append(g)",
    "g = w.grad; v = g[0]; loss.backward(); print(v)",
    "g, h = w.grad, b.grad; w.grad.zero_(); b -= h",
    "gs = w.grad, 1",
    "kept.append(w.grad)",
    "g = w.grad; f = lambda: g; loss.backward(); print(f())",
    "for i in range(3):\n    if i: print(g)\n    g = w.grad\n    w.grad.zero_()",
    "while True:\n    g = w.grad\n    if g.sum() < 1: break\n    step()\nprint(g)",
    "def f(): return w.grad",
]


@pytest.mark.parametrize(
    ("text", "held"), [*((each, False) for each in PASSING), *((each, True) for each in HELD)]
)
def test_a_name_that_is_read_at_once_holds_no_grad(text: str, held: bool) -> None:
    program = parse_program(Source("cell", f"import torch\n{text}\n"), ParseLimits())
    assert holds_grads(program) is held


def test_what_is_read_later_is_the_grad_of_then() -> None:
    """z = w**2 has the slope 4 at 2: PyTorch prints 0, 8 and 8."""
    cell = """import torch
w = torch.tensor(2.0, requires_grad=True)
(w**2).backward(); g = w.grad; w.grad.zero_(); print(g.item())
(w**2).backward(); f = lambda: g; (w**2).backward(); print(f().item(), g.item())
"""
    assert ours(cell) == "0.0\n8.0 8.0\n"


def test_a_statement_is_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many names of grads in a row: what is looked at grows as they do."""
    seen: list[int] = []

    def counted(nodes: Sequence[Any]) -> list[Any]:
        found = all_parts(nodes)
        seen.append(len(found))
        return found

    monkeypatch.setattr(held_grads, "all_parts", counted)
    looked_at = []
    for count in (100, 200):
        seen.clear()
        text = "import torch\n" + "".join(f"g{i} = w.grad\n" for i in range(count))
        assert not holds_grads(parse_program(Source("cell", text), ParseLimits()))
        looked_at.append(sum(seen))
    assert looked_at[1] < 2.1 * looked_at[0]
