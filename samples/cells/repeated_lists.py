import torch
print(3 * "--", "-" * 3, 2 * [0], [1] * 2, 2 * (1, 2), (1,) * 2, 3 * "ab" + "c")
n = 2
print("=" * n * 2, n * "x", n * [[]], -1 * [1], 0 * "a")
s = "a"; s *= 3; l = [1]; l *= 2; t = (1,); t *= 2
print(s, l, t, 2 * torch.Size([1]))
k = torch.tensor(2)
print("ab" * k.item())
import numpy as np
a = [1, 2]
print(2 * a, a * 2, 2 * [a], 3 * ["x"], a + [3], 2 * torch.tensor([1, 2]), torch.tensor([1, 2]) * 2, torch.ones(2) * torch.tensor([3., 4.]))
print(np.array([1., 2.]) * [3., 4.], [3., 4.] * np.array([1., 2.]), 2 * np.array([1]), [0.5] * 2, 2 * [0.5] + [1.])
print(torch.spmm(torch.eye(2), torch.ones(2, 1)))
print((1., 2.) * np.array([1., 2.]), np.array([1, 2]) + (3, 4), [1, 2] * np.array([0.5, 1]))
