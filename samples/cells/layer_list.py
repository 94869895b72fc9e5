import torch

layers = [4, 3, 2]
weights = [torch.ones(m, n) * 0.1 for m, n in zip(layers[:-1], layers[1:])]
for w in weights:
    w.requires_grad_(True)
h = torch.ones(1, 4)
for i, w in enumerate(weights):
    h = torch.relu(h @ w) if i < len(weights) - 1 else h @ w
h.sum().backward()
for i, w in enumerate(weights):
    print(i, w.grad.shape, w.grad.sum().item())
