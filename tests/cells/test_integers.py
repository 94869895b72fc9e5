"""Tensors of integers of few bits: gradcli prints what PyTorch 2.13 and NumPy 2 print of them."""

from __future__ import annotations

import pytest

from tests.cells.cells import difference, titled
from tests.cells.test_python_lines import ours

CELLS = r"""
### results wrap around as their dtype does
import torch
a = torch.tensor([250, 5], dtype=torch.uint8)
print(a + 10, a - 251, a * 2, -a, a + a, (a + 10).float(), (a + 10).sum())
print(torch.tensor([100], dtype=torch.int8) + 100, torch.tensor([100], dtype=torch.int8) ** 2)
b = torch.tensor([2**31 - 1], dtype=torch.int32)
print(b + 1, (b + 1).sum(), (b + 1).float())
print(torch.tensor([30000], dtype=torch.int16) * 2, (a @ a), a.cumsum(0), a.cumprod(0))
===
tensor([ 4, 15], dtype=torch.uint8) tensor([255,  10], dtype=torch.uint8) tensor([244,  10],
dtype=torch.uint8) tensor([  6, 251], dtype=torch.uint8) tensor([244,  10], dtype=torch.uint8)
tensor([ 4., 15.]) tensor(19)
tensor([-56], dtype=torch.int8) tensor([16], dtype=torch.int8)
tensor([-2147483648], dtype=torch.int32) tensor(-2147483648) tensor([-2.1475e+09])
tensor([-5536], dtype=torch.int16) tensor(61, dtype=torch.uint8) tensor([250, 255]) tensor([
250, 1250])
### what is converted wraps around
import torch
print(torch.tensor([300, -1]).to(torch.uint8).float(), torch.tensor([200, 70000]).char().sum())
print(torch.full((2,), 200, dtype=torch.uint8) * 2, torch.tensor([70000]).short() + 0)
===
tensor([ 44., 255.]) tensor(56)
tensor([144, 144], dtype=torch.uint8) tensor([4464], dtype=torch.int16)
### numbers that a dtype cannot hold are an error; without a sign, those below 0 wrap around
import torch
for value, dtype in [(300, torch.uint8), (-255, torch.uint8), (-256, torch.uint8),
                     (-128, torch.int8), (-129, torch.int8), (300.7, torch.uint8),
                     ([1, 70000], torch.int16), (2**31, torch.int32), (float('nan'), torch.int64)]:
    try: print(torch.tensor(value, dtype=dtype))
    except RuntimeError as e: print(e)
try: torch.full((2,), 128, dtype=torch.int8)
except RuntimeError: print("no")
print(torch.tensor(2, dtype=torch.bool))
===
value cannot be converted to type uint8 without overflow
tensor(1, dtype=torch.uint8)
value cannot be converted to type uint8 without overflow
tensor(-128, dtype=torch.int8)
value cannot be converted to type int8 without overflow
value cannot be converted to type uint8 without overflow
value cannot be converted to type int16 without overflow
value cannot be converted to type int32 without overflow
value cannot be converted to type int64 without overflow
no
tensor(True)
### changes in place wrap around
import torch
a = torch.zeros(3, dtype=torch.uint8)
a[0] = 250
a[1] += 200
a[1] += 100
a[2:] = torch.tensor([255])
a[2:] += 2
print(a, a.sum(), a.max(), a.float().mean())
m = torch.tensor([[100, 100]], dtype=torch.uint8)
b = m.view(-1)
b += 200
print(m, b, m.min() - 45)
x = torch.tensor([1, 2, 3], dtype=torch.int8)
for i in range(6): x *= 5
print(x, x.sum(), x.float())
===
tensor([250,  44,   1], dtype=torch.uint8) tensor(295) tensor(250, dtype=torch.uint8)
tensor(98.3333)
tensor([[44, 44]], dtype=torch.uint8) tensor([44, 44], dtype=torch.uint8) tensor(255,
dtype=torch.uint8)
tensor([ 9, 18, 27], dtype=torch.int8) tensor(54) tensor([ 9., 18., 27.])
### integers of few bits keep their dtype
import torch
x = torch.arange(6, dtype=torch.int32)
x[3] = 7
print(x.clamp(2, 5), x.max(), torch.where(x > 3, x, -x), x.sort().values, x // 2, x % 3, x ** 2)
print(torch.cat([x, x])[-1], x.view(2, 3).t(), torch.stack([x[:2], x[2:4]]), x / 2, x + 1.5)
print(torch.randint(5, (2,), dtype=torch.int32).dtype)
print(torch.randperm(3, dtype=torch.int16).dtype)
print(torch.randint(0, 9, (2,), dtype=torch.float32).dtype)
===
tensor([2, 2, 2, 5, 4, 5], dtype=torch.int32) tensor(7, dtype=torch.int32) tensor([ 0, -1, -2,
7,  4,  5], dtype=torch.int32) tensor([0, 1, 2, 4, 5, 7], dtype=torch.int32) tensor([0, 0, 1, 3,
2, 2], dtype=torch.int32) tensor([0, 1, 2, 1, 1, 2], dtype=torch.int32) tensor([ 0,  1,  4, 49,
16, 25], dtype=torch.int32)
tensor(5, dtype=torch.int32) tensor([[0, 7],
        [1, 4],
        [2, 5]], dtype=torch.int32) tensor([[0, 1],
        [2, 7]], dtype=torch.int32) tensor([0.0000, 0.5000, 1.0000, 3.5000, 2.0000, 2.5000])
tensor([1.5000, 2.5000, 3.5000, 8.5000, 5.5000, 6.5000])
torch.int32
torch.int16
torch.float32
### arrays of NumPy wrap around
import numpy as np
import torch
a = np.array([250, 5], dtype=np.uint8)
print((a + a).sum(), a + 10, a.sum(), (a * 2).tolist(), a.astype(np.int32) + 300)
print(torch.from_numpy(a) + 10)
===
254 [ 4 15] 255 [244, 10] [550 305]
tensor([ 4, 15], dtype=torch.uint8)
"""


@pytest.mark.parametrize("cell", titled(CELLS))
def test_a_cell(cell: str) -> None:
    program, _, printed = cell.partition("===\n")
    assert not difference(ours(program), printed)


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
