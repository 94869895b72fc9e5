import numpy as np
import torch

L = 4
print(np.array(range(L)), torch.tensor(range(L)), torch.tensor(range(1, 7, 2)), torch.Tensor(range(3)))
print(np.array(range(L)) + np.array([[1], [2]]), torch.tensor(range(2), dtype=torch.float32))
