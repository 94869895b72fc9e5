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


@pytest.mark.parametrize(
    "cell",
    [
        "import numpy as np\nnp.fft.fft2(np.ones((2, 2)), s=(10**6, 10**6))",
        "import numpy as np\nnp.fft.fft([1., 2.], n=10**12)",
        "import numpy as np\nnp.fft.fftfreq(10**12)",
        "import operator\noperator.contains([1])",
        "import operator\noperator.methodcaller()",
        "import itertools\nitertools.filterfalse(3, [1])",
        "import torch\ntorch.Tensor.add()",
        "import torch\ntorch.ones(2).__add__()",
        "import torch\nclass X(torch.Tensor): pass",
        "A = type('A', (3,), {})",
    ],
)
def test_a_wrong_call_is_an_error_of_the_cell(cell: str) -> None:
    with pytest.raises(GradcliError):
        ours(cell)
