import torch
import torch.nn as nn
import torch.nn.functional as F
W = torch.tensor([[1., -1.], [0.5, 2.]], requires_grad=True)
b = torch.tensor([0.1, -0.2], requires_grad=True)
x = torch.tensor([[1., 2.], [-1., 0.5]], requires_grad=True)
out = F.relu(x @ W + b).sum()
g, = torch.autograd.grad(out, x, create_graph=True)
print(g)
penalty = ((g.norm(2, dim=1) - 1) ** 2).mean()
print(penalty)
penalty.backward()
print(W.grad)
print(b.grad)
