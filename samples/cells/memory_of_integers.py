import numpy as np
import torch

a = np.array([1, 2, 3])
t = torch.from_numpy(a)
a[0] = 99
print(a, t)

c = torch.tensor([[1, 2], [3, 4]])
n = c.numpy()
c += 100
print(c, n)
n[0, 0] = 7
print(c)
print(np.abs([-1, 2]), np.matmul([[1, 2], [3, 4]], [[1, 0], [0, 1]]), np.sum([1, 2]))
xx, yy = np.meshgrid([1., 2.], [3., 4.])
print(xx.shape, (xx**2 + yy).shape)
print(torch.ones(2, dtype=int), torch.zeros(1, dtype=float))
