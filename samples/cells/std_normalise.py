import torch

data = torch.tensor([[1., 2., 3.], [4., 5., 6.], [7., 8., 10.]])
mean = data.mean(dim=0)
std = data.std(dim=0)
normed = (data - mean) / std
print(normed)
print(normed.mean(0).abs().max() < 1e-6)
for i, row in enumerate(normed):
    print(f"row {i}: sum = {row.sum():.3f}")
