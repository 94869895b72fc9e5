"""Dtypes of mixed lists, and those that stand without a name: as in PyTorch 2.13 and NumPy."""

from __future__ import annotations

import pytest

from tests.cells.cells import difference, titled
from tests.cells.test_python_lines import ours

CELLS = r"""
### truth values next to integers, and dtypes by their place
import torch, numpy as np
print(torch.tensor([1, True]), torch.tensor([True, 2.5]), torch.tensor([False, True]))
print(np.array([1, True]), torch.tensor([[1, 2], [True, 3]]).dtype, torch.tensor([True, 1]) + 1)
a, t = 1, True
print(torch.tensor([a, t]), torch.tensor([t, a]).dtype, torch.tensor([a > 0, 2]).dtype)
print(torch.tensor([torch.tensor(True), 2]).dtype, torch.tensor([t, t]).dtype)
print(np.ones(2, int), np.zeros(3, float), np.zeros((2, 2), np.int64), np.full(2, 7, float))
print(np.array([1, 2], float), np.array([1, 2], np.float32), np.zeros(2, bool), np.zeros(2, "int"))
print(np.zeros_like([1.5], int), np.empty((0, 2), float).shape, np.array([1, 2]), np.full((2,), 3))
print(np.dot(2, 3), np.dot([[1, 2], [3, 4]], [5, 6]), np.dot(np.array([1, 2]), np.array([3, 4])))
===
tensor([1, 1]) tensor([1.0000, 2.5000]) tensor([False,  True])
[1 1] torch.int64 tensor([2, 2])
tensor([1, 1]) torch.int64 torch.int64
torch.int64 torch.bool
[1 1] [0. 0. 0.] [[0 0]
 [0 0]] [7. 7.]
[1. 2.] [1. 2.] [False False] [0 0]
[0] (0, 2) [1 2] [3 3]
6 [17 39] 11
### lists next to arrays
import torch, numpy as np
a = np.array([1., 2.]); b = [3., 4.]; c = [[1., 2.], [3., 4.]]; m = np.array(c)
print(a * b, b * a, [3., 4.] - a, a / [2., 4], [1, 2] ** a, m @ [1., 2.], [1., 2.] @ m)
print(c * m, m - [[1, 1], [1, 1]], [True, False] * a, a + [1, 2.5], (1., 2.) * a, a - (1, 2))
print(a > [1, 3], [1., 5.] < a, a == [1., 2.], np.array([1, 2]) + [0.5, 1], a % [2, 2])
r = a; r = r * [2, 2]; r += [1, 1]; print(r, r[[0, 1]] * [1, 2])
===
[3. 8.] [3. 8.] [2. 2.] [0.5 0.5] [1. 4.] [ 5. 11.] [ 7. 10.]
[[ 1.  4.]
 [ 9. 16.]] [[0. 1.]
 [2. 3.]] [1. 0.] [2.  4.5] [1. 4.] [0. 0.]
[False False] [False False] [ True  True] [1.5 3. ] [1. 0.]
[3. 5.] [ 3. 10.]
"""


@pytest.mark.parametrize("cell", titled(CELLS))
def test_a_cell(cell: str) -> None:
    program, _, printed = cell.partition("===\n")
    assert not difference(ours(program), printed)
