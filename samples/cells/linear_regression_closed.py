import torch

X = torch.tensor([[1., 1.], [1., 2.], [1., 3.]])
y = torch.tensor([1., 2., 2.])

theta = torch.inverse(X.T @ X) @ X.T @ y
print(theta)
