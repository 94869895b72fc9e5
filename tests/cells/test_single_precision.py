"""A note says where rounding in float32 shows."""

from __future__ import annotations

import pytest

from gradcli.diagnostics import Source
from gradcli.language.parser import ParseLimits, parse_program
from gradcli.options import Options
from gradcli.session import evaluate
from tests.cells.test_fragments import run


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("print(torch.tensor(1e8) + 1 - 1e8)", True),
        ("print((torch.tensor(1e8) + 1 - 1e8).item())", True),
        ("print('same' if torch.tensor(1e8) + 1 == 1e8 else 'different')", True),
        ("print(torch.tensor(0.1) + 0.2, torch.tensor([1., 2.]).mean())", False),
        ("print(torch.tensor(1e8, dtype=torch.float64) + 1 - 1e8, 1e8 + 1 - 1e8)", False),
    ],
)
def test_a_note_says_where_rounding_shows(line: str, says: bool) -> None:
    result = run(f"import torch\n{line}")
    assert any("float32, whose rounding shows" in each.message for each in result.notes) == says


def test_a_loop_of_many_passes_is_not_computed_again() -> None:
    """PyTorch stays at 1e8."""
    cell = "x = torch.tensor(1e8)\nfor _ in range(2000):\n    x = x + 1\nprint(x - 1e8)"
    result = run(f"import torch\n{cell}")
    assert result.printed == ["tensor(2000.)"]


def test_a_run_in_float32_computes_nothing_again() -> None:
    cell = "import torch\nprint(torch.tensor(1e8) + 1 - 1e8)"
    program = parse_program(Source("cell", cell), ParseLimits())
    result = evaluate(program, {}, (), Options(precision="float32"))
    assert result.printed == ["tensor(0.)"]
