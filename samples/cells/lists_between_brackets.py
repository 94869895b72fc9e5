import torch

x = torch.arange(24.0).view(2, 3, 4)
rows = [[0, 1], [1, 2]]
print(x[[[0, 1], [1, 2]]], x[rows].shape)
print(x[[0, 1]].shape, x[[[0]]].shape, x[[0, None]].shape, x[torch.tensor([[0, 1], [1, 0]])].shape)
print(x[[torch.tensor([0, 1]), torch.tensor([1, 1])]].sum(), x[[True, False]].shape)
x[[[0, 1], [1, 2]]] = 0
print(x.sum())
