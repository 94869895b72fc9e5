"""Hooks that change what is saved for backward."""

from __future__ import annotations

import pytest

from gradcli.diagnostics import GradcliError
from tests.cells.test_python_lines import ours


def test_hooks_that_change_what_is_saved_are_refused() -> None:
    program = (
        "import torch\nx = torch.ones(3, requires_grad=True)\n"
        "with torch.autograd.graph.saved_tensors_hooks(lambda x: x * 2, lambda x: x):\n"
        "    y = x * x"
    )
    with pytest.raises(GradcliError) as caught:
        ours(program)
    assert "packed by no function here" in caught.value.diagnostic.message
