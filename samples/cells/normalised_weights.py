import torch
from torch.nn.utils import weight_norm

m = torch.nn.Linear(2, 2)
with torch.no_grad():
    m.weight.copy_(torch.tensor([[3.0, 4.0], [1.0, 0.0]]))
m = weight_norm(m)
print(m.weight_g, m.weight_v)
m(torch.ones(1, 2)).sum().backward()
print(m.weight_g.grad, m.weight_v.grad)

import torch
from torch.nn.utils.parametrizations import weight_norm, orthogonal

m = torch.nn.Linear(2, 2)
with torch.no_grad():
    m.weight.copy_(torch.tensor([[3.0, 4.0], [1.0, 0.0]]))
m = weight_norm(m)
print(m.parametrizations.weight.original0)
print([n for n, _ in m.named_parameters()])

import torch

m = torch.nn.Linear(2, 2)
with torch.no_grad():
    m.weight.copy_(torch.tensor([[3.0, 4.0], [1.0, 0.0]]))
m = torch.nn.utils.spectral_norm(m, n_power_iterations=50)
y = m(torch.ones(1, 2))
print(torch.linalg.matrix_norm(m.weight, 2))

import torch, copy

m = torch.nn.utils.parametrizations.weight_norm(torch.nn.Linear(2, 2))
with torch.no_grad():
    m.weight = torch.tensor([[3.0, 4.0], [1.0, 0.0]]) if False else m.weight
    m.parametrizations.weight.original0.fill_(2.0)
    m.parametrizations.weight.original1.copy_(torch.tensor([[3.0, 4.0], [1.0, 0.0]]))
    m.bias.zero_()
c = copy.deepcopy(m)
o = torch.optim.SGD(m.parameters(), lr=0.1)
for _ in range(2):
    o.zero_grad()
    m(torch.tensor([[1.0, 2.0]])).pow(2).sum().backward()
    o.step()
print(m.weight, c.weight)
print(m.parametrizations.weight.original0)
