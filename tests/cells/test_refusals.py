"""What PyTorch refuses, and gradcli's own language takes."""

from __future__ import annotations

import pytest

from gradcli.diagnostics import GradcliError
from tests.cells.test_python_lines import ours


def test_gradclis_own_language_takes_whole_floats_as_integers() -> None:
    assert ours("print(gather([1, 2, 3], 0, [0, 2]), masked_fill([1, 2], [1, 0], 5))").strip()


def test_a_grad_that_is_not_there_yet_is_what_none_stands_for() -> None:
    with pytest.raises(GradcliError) as found:
        ours("import torch\nx = torch.ones(2, requires_grad=True)\nx.grad + 1")
    assert "until a backward" in (found.value.diagnostic.hint or "")


@pytest.mark.parametrize("name", ["cov", "corrcoef"])
def test_what_autocast_rounds_inside_is_not_computed_without_that(name: str) -> None:
    with pytest.raises(GradcliError, match="16 bits"):
        ours(
            "import torch\nwith torch.autocast('cpu', dtype=torch.bfloat16):\n"
            f"    print(torch.{name}(torch.ones(2, 3)))"
        )
