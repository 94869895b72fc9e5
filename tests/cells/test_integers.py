"""Dtypes of shifts and exponents of integers."""

from __future__ import annotations

from tests.cells.test_python_lines import ours


def test_shifts_and_exponents_have_pytorchs_dtypes() -> None:
    """PyTorch 2.13's text."""
    assert (
        ours(
            "import torch\n"
            "a = torch.tensor([-1, 3], dtype=torch.int8)\n"
            "print(torch.bitwise_left_shift(a, a.abs()))\n"
            "print(torch.frexp(torch.tensor([1., 3.])).exponent)\n"
        )
        == "tensor([-2, 24], dtype=torch.int8)\ntensor([1, 2], dtype=torch.int32)\n"
    )
