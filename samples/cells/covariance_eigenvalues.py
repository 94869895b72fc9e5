import torch

X = torch.tensor([[1., 2.], [3., 4.], [5., 6.]])
mean, std = X.mean(0), X.std(0)
Xn = (X - mean) / std
cov = Xn.T @ Xn / (X.size(0) - 1)
print(cov)
vals, vecs = torch.linalg.eigh(cov)
print(vals)
