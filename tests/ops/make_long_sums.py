"""Measure PyTorch's float32 on long axes: `python -m tests.ops.make_long_sums`.

It needs PyTorch 2.13 (the extra `oracle`) and 4 GB, and writes `long_sums.json`: by case, number of
elements and order in memory, the errors of the value and the gradients.
"""

from __future__ import annotations

import json

import numpy as np
import torch

from gradcli.graph import Array
from tests.ops.long_sums import CASES, COUNTS, ORDERS, STORED, LongSum, error, inputs


def run(case: LongSum, given: dict[str, Array], order: str, dtype: torch.dtype) -> list[Array]:
    """PyTorch's value, and the gradients for a cotangent of small integers."""
    leaves = {
        name: torch.tensor(value, dtype=dtype, requires_grad=True) for name, value in given.items()
    }
    turned = "x" if order == "columns" else None
    operands = [each.T if name == turned else each for name, each in leaves.items()]
    value = case.torch(torch, *operands)  # type: ignore[misc]
    weights = 1 + torch.arange(value.numel()).reshape(value.shape) % 3
    found: tuple[torch.Tensor | None, ...] = torch.autograd.grad(
        value, list(leaves.values()), weights.to(dtype), allow_unused=True
    )
    grads = [torch.zeros(1) if grad is None else grad for grad in found]
    return [each.detach().numpy() for each in (value, *grads)]


def measure(case: LongSum, count: int, order: str) -> list[float]:
    """The errors of value and gradients."""
    given = inputs(case, count, order)
    pairs = zip(
        run(case, given, order, torch.float32), run(case, given, order, torch.float64), strict=True
    )
    return [float(np.float32(error(found, exact))) for found, exact in pairs]


if __name__ == "__main__":
    torch.set_num_threads(1)
    table = {
        f"{name}, {count}, {order}": measure(case, count, order)
        for name, case in CASES.items()
        if case.torch is not None
        for count in COUNTS
        for order in ORDERS
    }
    rows = ",\n".join(
        f"  {json.dumps(name)}: {json.dumps(row)}" for name, row in sorted(table.items())
    )
    STORED.write_text(f"{{\n{rows}\n}}\n")
